"""The page while a search for the optimum runs: how long readers wait, alone and fifty at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import httpx
import numpy as np
import pytest

PAGE = "/federations/arizona-hospitals/plan"
READERS, ROUNDS = 50, 4


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """`fedpact serve` in a process of its own, on a free port."""
    command = [sys.executable, "-m", "fedpact", "serve", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://[\d.:]+", server.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()


@pytest.fixture(scope="module")
def searching() -> Iterator[str]:
    """A server that has answered the page once and looks for an optimum."""
    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:
        client.get(f"{PAGE}.json", params={"wait": 60})
        search = client.get(
            "/federations/arizona-hospitals/parts/plan.json", params={"method": "exact", "seconds": "240"}
        ).json()["job"]["id"]
        while client.get(f"/jobs/{search}.json").json()["state"] != "running":
            time.sleep(0.1)
        time.sleep(2)
        yield address
        assert client.get(f"/jobs/{search}.json").json()["state"] == "running", "the search was over too soon"


def test_page_while_a_search_runs(searching: str, record: Callable[..., None]) -> None:
    taken = []
    with httpx.Client(base_url=searching) as client:
        for _ in range(100):
            began = time.perf_counter()
            assert client.get(PAGE).status_code == 200
            taken.append(time.perf_counter() - began)
    record(
        "page of 17 hospitals while a search runs, median of 100", unit="ms", value=1e3 * float(np.median(taken))
    )
    record(
        "page of 17 hospitals while a search runs, slowest of 100",
        unit="ms",
        value=1e3 * max(taken),
        at_most=300,
    )


async def _read(address: str) -> list[float]:
    taken = []
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        for _ in range(ROUNDS):
            began = time.perf_counter()
            answer = await client.get(PAGE)
            taken.append(time.perf_counter() - began)
            assert answer.status_code == 200
    return taken


def test_fifty_readers_while_a_search_runs(searching: str, record: Callable[..., None]) -> None:
    async def all_read() -> list[list[float]]:
        return await asyncio.gather(*(_read(searching) for _ in range(READERS)))

    began = time.perf_counter()
    taken = [seconds for some in asyncio.run(all_read()) for seconds in some]
    rate = len(taken) / (time.perf_counter() - began)
    record("pages per second to 50 readers at once while a search runs", unit="1/s", value=rate)
    record("slowest of 200 pages to 50 readers at once while a search runs", unit="seconds", value=max(taken))
