"""Many readers at once, while a search runs: everybody is answered, nothing fails, nothing piles up."""

import asyncio
import time

import httpx
import pytest

from serving import serving

HARD = "/federations/arizona-hospitals"
READERS = 50
ROUNDS = 4
PATHS = ("plan", "federation", "game", "payments", "plan.json", "parts/plan", "parts/plan.json")


@pytest.fixture(scope="module")
def busy():
    """A server that looks for an optimum."""
    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:
        asked = client.get(f"{HARD}/parts/plan.json", params={"method": "exact", "seconds": "200"}).json()
        yield address
        client.delete(f"/jobs/{asked['job']['id']}.json")


async def read(address, reader):
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        answers = []
        for turn in range(ROUNDS):
            path = PATHS[(reader + turn) % len(PATHS)]
            answers.append(await client.get(f"{HARD}/{path}"))
        return answers


@pytest.mark.slow
def test_fifty_readers_are_answered_without_an_error_while_a_search_runs(busy):
    async def all_read():
        return await asyncio.gather(*(read(busy, reader) for reader in range(READERS)))

    answers = [answer for some in asyncio.run(all_read()) for answer in some]
    assert len(answers) == READERS * ROUNDS
    assert {answer.status_code for answer in answers} == {200}
    jobs = httpx.get(f"{busy}/jobs.json").json()
    assert len(jobs) < 20  # equal questions are one job


@pytest.mark.slow
def test_a_drag_of_fifty_steps_does_not_queue_fifty_plans(busy):
    with httpx.Client(base_url=busy, timeout=60) as client:
        before = {job["id"] for job in client.get("/jobs.json").json()}
        for step in range(50):
            delta = f"{0.02 + step / 1000:.4f}"
            shown = client.get(f"{HARD}/parts/plan", params={"delta": delta, "draft": "1", "slot": "a tab"})
            assert shown.status_code == 200
        last = {"delta": "0.0690", "draft": "1", "slot": "a tab"}
        while True:
            jobs = [job for job in client.get("/jobs.json").json() if job["id"] not in before]
            if not any(job["state"] in ("waiting", "running") for job in jobs):
                break
            assert sum(job["state"] in ("waiting", "running") for job in jobs) <= 3
            time.sleep(0.1)
        states = [job["state"] for job in jobs]
        assert states.count("done") < 25
        assert states.count("failed") == 0
        assert "data-is-draft" in client.get(f"{HARD}/parts/plan", params=last).text
