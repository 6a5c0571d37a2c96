"""Counting disagreements: against scipy's pdist, its memory, the machine's throughput, and a site's report."""

from __future__ import annotations

import os
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit
from scipy.spatial.distance import pdist

import fedpact as fp
from fedpact.statistics.count_disagreements import count_disagreements
from timing import Work, in_turns, repeat


def draw(H: int, n: int, classes: int = 10) -> np.ndarray:
    return np.random.default_rng(0).integers(0, classes, (H, n)).astype(np.uint8)


def least_seconds(work) -> float:
    """Seconds of the fastest of five runs, for what a machine can do at most."""
    found = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def test_against_pdist(compare):
    labels = draw(3000, 1000)
    count_disagreements(labels)  # compiles
    ours, theirs = in_turns(Work(lambda _: count_disagreements(labels)), Work(lambda _: pdist(labels, "hamming")))
    np.testing.assert_array_equal(ours.answer, np.rint(theirs.answer * labels.shape[1]))
    compare(
        "disagreements of 3,000 hypotheses on 1,000 points with 10 classes",
        unit="seconds",
        ours=ours.seconds,
        competitor="scipy.spatial.distance.pdist(..., 'hamming')",
        theirs=theirs.seconds,
        at_least=5,
    )


def test_report_of_500_models(record, tmp_path):
    """What a site sends, from predictions to the file."""
    labels = draw(500, 10_000)
    path = tmp_path / "site.report.npz"
    taken = repeat(Work(lambda _: fp.report(labels, name="site").save(path)))
    record("a report of 500 models on 10,000 points, written", unit="seconds", value=taken.seconds, at_most=10)
    record(
        "a report of 500 models on 10,000 points, its file", unit="MB", value=path.stat().st_size / 1e6, at_most=1
    )


def test_memory(record):
    labels = draw(3000, 20_000)
    count_disagreements(labels[:4, :4])
    tracemalloc.start()
    counts = count_disagreements(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    record(
        "memory to count 3,000 hypotheses on 20,000 points",
        unit="times the output",
        value=peak / counts.nbytes,
        at_most=2,
    )


@njit(nogil=True)
def _read_pairs(words, out, start, stop):
    """Read the words of every pair as the kernel does, and do nothing but add them up."""
    for h in range(start, stop):
        own = words[h]
        for g in range(h + 1, len(words)):
            other, total = words[g], np.uint64(0)
            for w in range(len(own)):
                total += own[w] ^ other[w]
            out[h] += total


def test_share_of_the_byte_throughput(record):
    """What the kernel reads per second, beside a loop that only reads the same words, and a copy of memory."""
    H, n, bits = 3000, 4096, 4
    labels = draw(H, n)
    count_disagreements(labels[:4])
    words = np.zeros((H, bits * n // 64), dtype=np.uint64)
    out, rows = np.zeros(H, dtype=np.uint64), [(start, min(start + 32, H)) for start in range(0, H, 32)]

    def read():
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda some: _read_pairs(words, out, *some), rows))

    read()
    size = H * (H - 1) // 2 * 2 * words.shape[1] * 8
    ours, theirs = size / least_seconds(lambda: count_disagreements(labels)), size / least_seconds(read)
    source = np.ones(2**27, dtype=np.uint8)
    target = np.empty_like(source)
    copied = 2 * source.nbytes / least_seconds(lambda: np.copyto(target, source))
    record("bytes of labels that counting reads", unit="GB/s", value=ours / 1e9)
    record("bytes that a loop over the same words reads", unit="GB/s", value=theirs / 1e9)
    record("bytes that copying memory moves", unit="GB/s", value=copied / 1e9)
    record("share of the machine's byte throughput that counting reaches", unit="of 1", value=ours / theirs)
