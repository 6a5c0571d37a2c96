"""The harnesses without the fuzzer: seeds, what was found before, and changes that are the same each time."""

import random
import re
from collections import Counter

import pytest

import results_pages
from fuzz.__main__ import ROOT
from fuzz.byte_changes import change_bytes
from fuzz.target import NAMES, Unreadable, load_target, read_found

CHANGES = {
    "federation_files": 1200,
    "prediction_files": 150,
    "report_files": 300,
    "ledger_files": 30,
    "ledger_exports": 40,
    "messages": 150,
}
REFUSED = {"federation_files": 2, "ledger_files": 10}
"""Seeds that are refused: terms without evidence, and ledgers whose schema somebody changed."""


def changed(target, seed):
    """Inputs changed in turn by their meaning and by their bytes."""
    rng = random.Random(seed)
    seeds = list(target.seeds())
    while True:
        data = rng.choice(seeds)
        for _ in range(rng.randint(1, 3)):
            try:
                data = target.mutate(data, rng) if rng.random() < 0.6 else change_bytes(data, rng, target.words)
            except Unreadable:
                data = change_bytes(data, rng, target.words)
        yield data


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_accepted(name):
    target = load_target(name)
    answers = Counter(map(target.read, target.seeds()))
    assert answers[False] == REFUSED.get(name, 0)
    assert answers[True] >= 4


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_changed_is_read_or_refused(name):
    target = load_target(name)
    answers = Counter(target.read(data) for _, data in zip(range(CHANGES[name]), changed(target, 1), strict=False))
    assert answers[True], "some are accepted"
    assert answers[False], "and some are not"


@pytest.mark.parametrize("found", read_found(), ids=lambda found: found.what[:40])
def test_what_was_found_does_no_harm(found):
    target = load_target(found.target)
    target.read(target.from_text(found.text))


def test_what_numba_compiles_is_not_instrumented():
    source, program = ROOT / "src", (ROOT / "fuzz" / "fuzz_one.py").read_text()
    compiled = [path for path in source.rglob("*.py") if re.search(r"^@compiled$", path.read_text(), re.MULTILINE)]
    names = [".".join(path.relative_to(source).with_suffix("").parts) for path in compiled]
    assert "fedpact.statistics.kernels" in names
    assert [name for name in names if f'"{name}"' not in program] == []


def test_what_is_kept_is_of_every_target_and_without_a_failure():
    results = results_pages.read("fuzz")
    assert [one["target"] for one in results["targets"]] == list(NAMES)
    assert not any(one["failures"] for one in results["targets"])
    assert results["found"] == [{"target": one.target, "what": one.what} for one in read_found()]
