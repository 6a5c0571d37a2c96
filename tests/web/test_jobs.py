"""Jobs with real workers: shared, kept, cancelled, dropped where only the last of many matters."""

import asyncio
import os
import signal
import tempfile
import time
from contextlib import asynccontextmanager
from functools import partial

import pytest
from fastapi import HTTPException

import fedpact as fp
from fedpact.web.jobs import JobQueue, JobState, follow, wait_for
from fedpact.web.limits import Limits
from fedpact.web.questions import Question, answer
from fedpact.web.worker import read_files
from web_runs import is_alive

HARD = fp.examples.build("arizona-hospitals")
EASY = fp.examples.alice_bob()


def ask_plan(method="union", fed="easy", delta=None, seconds=1.0):
    changes = () if delta is None else (("delta", delta),)
    options = (("method", method), ("seconds", seconds))
    return Question(name="plan", federation=fed, changes=changes, options=options)


@asynccontextmanager
async def job_queue(limits=None, **options):
    made = JobQueue(limits or Limits(), **options)
    await made.warm_up()
    try:
        yield made
    finally:
        await made.close()


def run(test):
    asyncio.run(asyncio.wait_for(test(), 120))


def test_an_answer_is_the_package_s_and_is_kept():
    async def test():
        async with job_queue() as jobs:
            job = jobs.ask(ask_plan(), EASY)
            assert jobs.ask(ask_plan(), EASY) is job
            await wait_for(job, 60)
            assert job.state is JobState.DONE
            assert job.answer == answer(ask_plan(), EASY)
            assert jobs.ask(ask_plan(), EASY) is job
            changed = jobs.ask(ask_plan(delta=0.4), EASY)
            await wait_for(changed, 60)
            assert changed.answer["plan"]["contributions"] == fp.plan(EASY.replace(delta=0.4)).contributions

    run(test)


def test_a_question_waits_for_the_one_that_it_rests_on_and_fails_with_it():
    blocked = EASY.replace(capacity=1)
    after = Question(
        name="payments", federation="easy", options=(("fee", 1.0), ("ceiling", None)), after=ask_plan("auto")
    )
    impossible = Question(
        name="payments",
        federation="blocked",
        options=(("fee", None), ("ceiling", None)),
        after=ask_plan(fed="blocked"),
    )

    async def test():
        async with job_queue() as jobs:
            job = jobs.ask(after, EASY)
            await wait_for(job, 60)
            rows = {(row["rule"], row["pivot"]): row for row in job.answer["rules"]}
            assert rows["pwyc", None]["settlement"]["payments"] == {"alice": 2.0, "bob": 1.0}
            assert rows["vcg", "clarke"]["settlement"]["payments"] == {"alice": 12.0, "bob": 11.0}
            none = jobs.ask(impossible, blocked)
            await wait_for(none, 60)
            assert none.state is JobState.FAILED
            assert none.has_no_plan
            assert "'bob' still misses the target" in none.problems[0]

    run(test)


@pytest.mark.slow
def test_a_long_job_tells_how_far_it_is_and_is_cancelled_while_quick_ones_are_answered():
    async def test():
        async with job_queue() as jobs:
            search = jobs.ask(ask_plan("exact", "hard", seconds=100.0), HARD)
            said = []
            async for job in follow(search):
                said.append(job.saying)
                if "costs" in job.saying:
                    quick = jobs.ask(ask_plan(), EASY)
                    await wait_for(quick, 30)
                    assert quick.state is JobState.DONE
                    assert job.state is JobState.RUNNING
                    jobs.cancel(search)
            assert search.state is JobState.CANCELLED
            assert jobs.ask(search.question, HARD) is search
            again = jobs.ask(search.question, HARD, again=True)
            assert again is not search
            jobs.cancel(again)

    run(test)


@pytest.mark.slow
def test_of_many_questions_in_one_slot_only_the_last_and_a_few_are_planned():
    deltas = [0.01 + 0.002 * step for step in range(50)]

    async def test():
        async with job_queue() as jobs:
            asked = []
            for delta in deltas:
                asked.append(jobs.ask(ask_plan("union", "hard", delta), HARD, slot="slider"))
                await asyncio.sleep(0.01)
            await wait_for(asked[-1], 60)
            assert asked[-1].state is JobState.DONE
            planned = [job for job in asked if job.state is JobState.DONE]
            assert len(planned) < 20
            await asyncio.gather(*(wait_for(job, 30) for job in asked))
            assert {job.state for job in asked} <= {JobState.DONE, JobState.CANCELLED}

    run(test)


def test_what_somebody_else_wants_is_not_dropped_with_a_slot():
    async def test():
        async with job_queue() as jobs:
            blocker = jobs.ask(ask_plan("union", "hard"), HARD)
            wanted = jobs.ask(ask_plan(delta=0.2), EASY, slot="slider")
            jobs.ask(ask_plan(delta=0.2), EASY)
            unwanted = jobs.ask(ask_plan(delta=0.3), EASY, slot="slider")
            last = jobs.ask(ask_plan(delta=0.4), EASY, slot="slider")
            assert unwanted.state is JobState.CANCELLED
            for job in (blocker, wanted, last):
                await wait_for(job, 60)
                assert job.state is JobState.DONE

    run(test)


def test_a_page_that_was_left_lets_go_of_its_jobs_but_not_of_those_of_the_next_page():
    async def test():
        async with job_queue() as jobs:
            left = jobs.ask(ask_plan("exact", "hard", seconds=100.0), HARD, slot="first-plan")
            shared = jobs.ask(ask_plan("exact", "hard", 0.07, seconds=100.0), HARD, slot="first-other")
            jobs.leave("first")
            jobs.leave("fir")
            jobs.ask(shared.question, HARD, slot="second-other")
            await wait_for(left, 30)
            assert left.state is JobState.CANCELLED
            assert not shared.is_over
            assert jobs.look_up(left.question) is None

    run(test)


@pytest.mark.slow
def test_work_that_takes_too_long_is_stopped_with_a_sentence_and_the_next_goes_on():
    async def test():
        async with job_queue(Limits(job_seconds=3)) as jobs:
            search = jobs.ask(ask_plan("exact", "hard", seconds=100.0), HARD)
            await wait_for(search, 30)
            assert search.state is JobState.FAILED
            assert "3 seconds" in search.problems[0]
            quick = jobs.ask(ask_plan("auto"), EASY)
            await wait_for(quick, 30)
            assert quick.state is JobState.DONE

    run(test)


def test_more_jobs_than_the_limit_are_refused():
    async def test():
        async with job_queue(Limits(waiting=2)) as jobs:
            running = jobs.ask(ask_plan("union", "hard", 0.01), HARD)
            while running.state is JobState.WAITING:
                await running.change.wait()
            for delta in (0.1, 0.2):
                jobs.ask(ask_plan("union", "hard", delta), HARD)
            with pytest.raises(HTTPException, match="2 jobs wait already"):
                jobs.ask(ask_plan("union", "hard", 0.3), HARD)

    run(test)


def test_old_answers_are_forgotten():
    async def test():
        async with job_queue(Limits(answers=3)) as jobs:
            first = jobs.ask(ask_plan(delta=0.1), EASY)
            await wait_for(first, 30)
            for step in range(4):
                await wait_for(jobs.ask(ask_plan(delta=0.2 + step / 100), EASY), 30)
            assert len(jobs.jobs()) <= 4
            assert jobs.look_up(first.question) is None

    run(test)


def read(files, main, limits=None):
    found = {}

    async def test():
        async with job_queue(limits) as jobs:
            with tempfile.TemporaryDirectory() as folder:
                job = jobs.do("read", partial(read_files, files, main, limits or Limits(), folder))
                await wait_for(job, 60)
            found["job"] = job

    run(test)
    return found["job"]


def test_a_file_is_read_and_its_problems_name_it_as_it_was_sent():
    broken = b"delta = 2\n[[agents]]\nname = 'a'\npredictions = '/etc/passwd'\n"
    job = read({"network.toml": broken}, "network.toml")
    assert job.state is JobState.FAILED
    assert job.problems
    assert all(problem.startswith("network.toml: ") for problem in job.problems)
    assert not any("root:" in problem for problem in job.problems)


def test_a_federation_beyond_the_limits_is_refused_with_the_limit():
    text = "delta = 0.1\nepsilon = 0.1\n[[agents]]\ndistribution = {a = 1, b = 1, c = 1}\n[hypotheses]\n"
    text = text.replace("a = 1, b = 1, c = 1", 'a = "1/3", b = "1/3", c = "1/3"') + 'class = "all-labelings"\n'
    job = read({"network.toml": text.encode()}, "network.toml", Limits(hypotheses=7))
    assert job.state is JobState.FAILED
    assert "up to 7 hypotheses; the federation has 8" in job.problems[0]


def test_no_process_is_left(new_workers):
    found = []

    async def test():
        async with job_queue() as jobs:
            jobs.ask(ask_plan("exact", "hard", seconds=100.0), HARD)
            await asyncio.sleep(0.2)
            found.extend(new_workers())

    run(test)
    assert len(found) == 2
    assert not any(map(is_alive, found))


@pytest.mark.slow
def test_one_tab_does_not_take_from_another_what_both_wait_for():
    plan = ask_plan("auto", "hard")
    rests = Question(name="equilibria", federation="hard", options=(("seconds", 1.0),), after=plan)

    async def test():
        async with job_queue() as jobs:
            job = jobs.ask(rests, HARD, slot="first-equilibria")
            assert jobs.ask(rests, HARD, slot="second-equilibria") is job
            jobs.leave("first")
            jobs.ask(ask_plan(delta=0.3), EASY, slot="first-equilibria")
            await asyncio.sleep(3)
            assert not job.is_over
            assert jobs.look_up(plan).state is not JobState.CANCELLED
            jobs.leave("second")
            await wait_for(job, 30)
            assert job.state is JobState.CANCELLED
            assert jobs.look_up(rests) is None

    run(test)


def test_answers_that_are_there_do_not_gather_slots():
    async def test():
        async with job_queue() as jobs:
            job = jobs.ask(ask_plan(), EASY)
            await wait_for(job, 30)
            for place in range(100):
                assert jobs.ask(ask_plan(), EASY, slot=f"{place}-plan") is job
            assert job.slots == set()

    run(test)


def test_a_worker_that_died_while_idle_is_replaced(new_workers):
    async def test():
        async with job_queue() as jobs:
            idle = new_workers()
            for pid in idle:
                os.kill(pid, signal.SIGKILL)
            while any(map(is_alive, idle)):
                time.sleep(0.01)  # asyncio must not hear of it
            job = jobs.ask(ask_plan(), EASY)
            await wait_for(job, 60)
            assert job.state is JobState.DONE

    run(test)


def test_what_lies_in_the_current_folder_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "tempfile.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    job = read({"network.toml": b"delta = 2"}, "network.toml")
    assert job.state is JobState.FAILED
    assert not (tmp_path / "executed").exists()


def test_reading_that_takes_too_long_is_stopped():
    points = ", ".join(f"x{place} = 1" for place in range(100_000))
    slow = f"delta=0.1\nepsilon=0.1\n[[agents]]\ndistribution={{{points}}}\n".encode()
    job = read({"network.toml": slow}, "network.toml", Limits(quick_seconds=0.05))
    assert job.state is JobState.FAILED
    assert "0.05 seconds" in job.problems[0]
