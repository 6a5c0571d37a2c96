from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from contracts import check_verification
from fedpact.statistics import karp_luby
from fedpact.statistics.karp_luby import estimate
from oracle import Instance, answer
from refusals import check_refused
from strategies import Case, cases

QUESTIONS = {
    "pac": ("pac", "per-agent"),
    "joint": ("pac", "joint"),
    "expected": ("expected", "per-agent"),
}
questions = pytest.mark.parametrize(("objective", "guarantee"), QUESTIONS.values(), ids=QUESTIONS)


@pytest.mark.parametrize("kind", ["table", "predictions"])
@questions
@given(data=st.data())
@settings(max_examples=100)
def test_exact_is_the_oracle(kind, objective, guarantee, data):
    case = data.draw(cases(kind, objective, guarantee))
    seen = fp.verify(case.build(), case.m, how="exact")
    assert set(seen.how.values()) == {"exact"}
    check_verification(case, seen)


@pytest.mark.parametrize("method", ["auto", "bounds"])
@pytest.mark.parametrize("kind", ["table", "predictions", "reports"])
@questions
@given(data=st.data())
@settings(max_examples=30)
def test_an_interval_contains_the_oracle(kind, objective, guarantee, method, data):
    case = data.draw(cases(kind, objective, guarantee))
    check_verification(case, fp.verify(case.build(), case.m, how=method))


@pytest.mark.parametrize("kind", ["table", "predictions"])
@questions
@given(data=st.data(), seed=st.integers(0, 9))
@settings(max_examples=30)
def test_an_estimate_covers_the_oracle(kind, objective, guarantee, data, seed):
    case = data.draw(cases(kind, objective, guarantee))
    rng = np.random.default_rng(seed)
    check_verification(case, fp.verify(case.build(), case.m, how="estimate", rng=rng, draws=500))


HALF = Fraction(1, 2)
EDGES = {
    "one-hypothesis": Case(Instance(((0, 1),), ((HALF, HALF),), (Fraction(0),), HALF), (0,)),
    "every-point-has-no-mass-for-one-agent": Case(
        Instance(((0, 0), (0, 1)), ((Fraction(1), Fraction(0)), (HALF, HALF)), (Fraction(0),) * 2, HALF), (5, 1)
    ),
    "p-is-one-in-floats-only-nearly": Case(
        Instance(((0,) * 10, (1,) * 10), ((Fraction(1, 10),) * 10,), (Fraction(0),), HALF), (1,)
    ),
    "no-error-allowed-on-average-and-p-is-one": Case(
        Instance(((0,) * 10, (1,) * 10), ((Fraction(1, 10),) * 10,), (Fraction(0),), HALF),
        (1,),
        objective="expected",
    ),
    "the-truth-with-the-highest-sum-is-not-the-worst": Case(
        Instance(
            ((0, 2, 0), (1, 0, 0), (1, 1, 0)),
            ((HALF, Fraction(0), HALF), (Fraction(0), Fraction(1), Fraction(0))),
            (Fraction(1), Fraction(0)),
            HALF,
        ),
        (1, 0),
    ),
    "two-truths-with-the-same-bad-hypotheses-elsewhere": Case(
        Instance(
            ((0, 0, 1), (0, 1, 0), (1, 1, 1), (0, 1, 1)),
            (tuple(map(Fraction, ("3/5", "0", "2/5"))), tuple(map(Fraction, ("3/5", "1/5", "1/5")))),
            (Fraction(3, 10),) * 2,
            HALF,
        ),
        (0, 1),
    ),
    "ends-of-the-interval-meet-by-rounding": Case(
        Instance(
            ((0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 0, 0)),
            ((Fraction(1, 4), Fraction(1, 4), HALF),),
            (Fraction(0),),
            HALF,
        ),
        (3,),
        objective="expected",
    ),
}


@pytest.mark.parametrize("method", ["exact", "bounds", "estimate", "auto"])
@pytest.mark.parametrize("case", EDGES.values(), ids=EDGES)
def test_edges(case, method):
    check_verification(case, fp.verify(case.build(), case.m, how=method, draws=1_000))


@pytest.mark.parametrize("epsilon", ["1/10", "1/20", "1/50", "1/5", "1/4", "1/7"])
@pytest.mark.parametrize(("below", "is_enough"), [(0, True), (1e-6, False)], ids=["tie", "just-below"])
def test_alice_and_bob_with_one_sample_each(epsilon, below, is_enough):
    """Feasible from delta = 4 epsilon (1 - 2 epsilon) on, the tie included."""
    tie = 4 * Fraction(epsilon) * (1 - 2 * Fraction(epsilon))
    seen = fp.verify(fp.examples.alice_bob(epsilon, float(tie) - below), [1, 1])
    assert seen.is_feasible == is_enough
    assert seen.failure["alice"].high == pytest.approx(float(tie), abs=1e-12)


def test_the_ring_of_exact_ties():
    seen = fp.verify(fp.examples.no_pure_equilibrium(), [0, 1, 0])
    assert seen.met == {"agent-1": True, "agent-2": True, "agent-3": False}


def collected(n, draws):
    """Probability that uniform draws from n points see all of them; every term is positive."""
    chance, seen = np.eye(n + 1)[0], np.arange(n + 1)
    for _ in range(draws):
        chance = chance * seen / n + np.append(0, chance[:-1] * (n - seen[:-1]) / n)
    return chance[-1]


PRICE = [("1/1024", 3382, 0), ("1/1024", 3381, 0), ("1/128", 90, 89), ("1/128", 150, 20), ("1/64", 22, 44)]


@pytest.mark.parametrize(("epsilon", "alice", "bob"), PRICE)
def test_the_price_of_stability_class_is_the_larger_of_two_formulas(epsilon, alice, bob):
    """ERRATA B1 (d): truth h0 fails if z and some x are unseen; h_i if x_i is unseen and z or another x is."""
    rate = float(Fraction(epsilon))
    n = round(1 / (2 * rate))
    no_z = (1 - rate) ** bob
    all_zero = no_z * (1 - collected(n, alice))
    one_x = (1 - 2 * rate) ** alice * (1 - (1 - no_z) * collected(n - 1, alice))
    seen = fp.verify(fp.examples.price_of_stability(epsilon, 0.5), [alice, bob])
    assert seen.how["alice"] == "exact"
    assert seen.failure["alice"].high == pytest.approx(max(all_zero, one_x), abs=1e-9)
    assert seen.met == {"alice": max(all_zero, one_x) <= 0.5, "bob": True}


def test_contributions_by_name():
    fed = fp.examples.alice_bob()
    assert fp.verify(fed, {"bob": 3}).contributions == {"alice": 0, "bob": 3}
    assert fp.verify(fed, np.array([1, 2])) == fp.verify(fed, (1.0, 2.0)) == fp.verify(fed, {"bob": 2, "alice": 1})
    assert fp.verify(fed, [1, 2]).m.tolist() == [1, 2]


def test_at_capacity_is_allowed():
    fed = fp.Federation.from_table([[0], [1]], [[1]], epsilon=0, delta=0.5, capacity=2)
    assert fp.verify(fed, [2]).is_feasible


NAN = float("nan")
BAD_VECTORS = [
    ([1], "m must have one number per agent; it has 1 for 2 agents"),
    ([1, 2, 3], "m must have one number per agent; it has 3 for 2 agents"),
    ([1, -1], "agent 'bob': m must be a whole number >= 0; it is -1"),
    ([1.5, 0], "agent 'alice': m must be a whole number >= 0; it is 1.5"),
    ([NAN, 0], "agent 'alice': m must be a finite number; it is nan"),
    ([0, float("inf")], "agent 'bob': m must be a finite number; it is inf"),
    ([True, 0], "agent 'alice': m must be a number .* it is True"),
    ([None, 0], "agent 'alice': m must be a number .* it is None"),
    ([[1], [2]], r"agent 'alice': m must be a number .* it is \[1\]"),
    (["many", 0], "agent 'alice': m must be a number .* it is 'many'"),
    ("12", "m must be one whole number per agent; it is '12'"),
    (3, "m must be one whole number per agent; it is 3"),
    (np.array(3), "m must be one whole number per agent; it is .*3"),
    (None, "m must be one whole number per agent; it is None"),
    ({"alice": 1, "bobb": 2}, "m names 'bobb', who is not in the federation; did you mean 'bob'"),
    ({1: 1}, "m names 1, who is not in the federation"),
    ({"bob": -2}, "agent 'bob': m must be a whole number >= 0; it is -2"),
    ({"bob": 6}, "agent 'bob': m must be at most its capacity 5; it is 6"),
    ([10**13, 0], "agent 'alice': m must lie between 0 and 1,000,000,000,000; it is 10000000000000"),
    ([10**400, 0], "agent 'alice': m must be a finite number; it is 1000"),
]


def test_bad_contributions():
    for m, message in BAD_VECTORS:
        fed = fp.Federation.from_table(
            [[0, 0], [0, 1]],
            [[0.5, 0.5], [0.5, 0.5]],
            epsilon=0.1,
            delta=0.1,
            names=["alice", "bob"],
            capacity={"alice": None, "bob": 5},
        )
        with pytest.raises(fp.FederationError, match=f"^{message}") as caught:
            fp.verify(fed, m)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 160


BAD_OPTIONS = [
    ({"how": "guess"}, "how must be one of auto, exact, bounds, estimate; it is 'guess'"),
    ({"how": None}, "how must be one of auto, exact, bounds, estimate; it is None"),
    ({"draws": 1}, "draws must lie between 2 and 100,000,000; it is 1"),
    ({"draws": 0, "how": "estimate"}, "draws must lie between 2 and 100,000,000; it is 0"),
]


def test_bad_options():
    for options, message in BAD_OPTIONS:
        check_refused(message, fp.verify, fp.examples.alice_bob(), [1, 1], **options)


@pytest.mark.parametrize("method", ["exact", "estimate"])
def test_reports_allow_bounds_only(method):
    report = fp.Report(name="a", n=3, n_classes=2, counts=np.array([1, 2, 3]))
    fed = fp.Federation.from_reports([report], epsilon=0.1, delta=0.1)
    with pytest.raises(fp.FederationError, match=r"^reports hold pairwise rates only.*bounds"):
        fp.verify(fed, [1], how=method)


def test_a_longer_vector_costs_what_its_agents_ask():
    fed = fp.Federation.from_table(
        [[0], [1]], [[1], [1]], epsilon=0, delta=0.5, cost=["1/2", {"quadratic": [1, 2]}]
    )
    assert fp.verify(fed, [4, 3]).cost == 2 + 3 + 18


def test_an_interval_across_the_threshold_decides_nothing():
    """Three labels at one point: from pairs alone the failure is between 0.6 and 0.8."""
    report = fp.Report(name="a", n=5, n_classes=3, counts=np.array([2, 2, 2]))
    fed = fp.Federation.from_reports([report], epsilon=0.1, delta=0.7)
    seen = fp.verify(fed, [1])
    assert seen.status is fp.planning.VerificationStatus.UNDECIDED
    assert (seen.is_feasible, seen.met, seen.how) == (False, {"a": False}, {"a": "bounds"})


# Agent 1 tells only h1 from h2, agent 2 only h2 from h3: single misses each, a union of two for both together.
CHAIN = fp.Federation.from_table(
    [[0, 0, 1, 0, 0], [1, 1, 1, 1, 0], [1, 0, 0, 0, 0]],
    [[0.3, 0.3, 0, 0, 0.4], [0, 0, 0.3, 0.3, 0.4]],
    epsilon=0.5,
    delta=0.25,
    guarantee="joint",
)


def test_a_joint_estimate_does_not_pass_for_certain():
    seen = fp.verify(CHAIN, [1, 1], how="estimate")
    assert seen.joint_failure.low < seen.joint_failure.high
    assert seen.to_dict()["confidence"] == 0.999


def test_the_estimate_follows_its_generator():
    once, again, other = (
        fp.verify(CHAIN, [1, 1], how="estimate", rng=np.random.default_rng(seed)).joint_failure
        for seed in (0, 0, 1)
    )
    assert once == again != other


def test_more_draws_narrow_the_estimate():
    few, many = (fp.verify(CHAIN, [1, 1], how="estimate", draws=draws).joint_failure for draws in (100, 10_000))
    assert many.high - many.low < few.high - few.low


@given(cases(guarantee="joint"))
@settings(max_examples=40)
def test_the_joint_failure_is_at_least_everyone_s(case):
    seen = fp.verify(case.build(), case.m, how="exact")
    assert seen.joint_failure.high >= max(entry.high for entry in seen.failure.values()) - 1e-12
    assert max(answer(case.instance, case.m).joint) == pytest.approx(seen.joint_failure.high, abs=1e-9)


@pytest.mark.parametrize(
    ("m", "delta", "is_met"),
    [pytest.param((20, 40), 9.06e-13, False, id="just-above"), pytest.param((3, 50), 1e-14, True, id="far-below")],
)
def test_a_tiny_delta_means_what_it_says(m, delta, is_met):
    """Sixty private points and a shared one: terms cancel far below any absolute tolerance."""
    n = 60
    labels = np.zeros((n + 1, n + 1), dtype=int)
    labels[1:, :n] = np.eye(n, dtype=int)
    labels[1:, n] = np.arange(1, n + 1)
    first, second = [1 / n] * n + [0], [0.5 / n] * n + [0.5]
    fed = fp.Federation.from_table(labels, [first, second], epsilon=[0, 1], delta=delta)
    seen = fp.verify(fed, m)
    assert seen.met["agent-1"] == is_met
    assert seen.failure["agent-1"].high <= fp.verify(fed, m, how="bounds").failure["agent-1"].high * (1 + 1e-9)


def test_the_intervals_of_all_agents_share_one_confidence(monkeypatch):
    asked = []

    def spy(family, m, *, draws, rng, confidence):
        asked.append(1 - confidence)
        return estimate(family, m, draws=draws, rng=rng, confidence=confidence)

    monkeypatch.setattr(karp_luby, "estimate", spy)
    seen = fp.verify(fp.examples.arizona_hospitals(), [3] * 17, how="estimate", draws=200)
    assert "estimate" in seen.how.values()
    assert sum(asked) <= (1 - seen.confidence) * (1 + 1e-9)


def test_the_default_generator_is_seed_zero():
    hospitals = fp.examples.arizona_hospitals()
    fed, options = hospitals.restrict(hospitals.names[:3]), {"how": "estimate", "draws": 200}
    default, zero, one = (
        fp.verify(fed, [20] * 3, **options, **rng)
        for rng in ({}, {"rng": np.random.default_rng(0)}, {"rng": np.random.default_rng(1)})
    )
    assert default == zero != one


def test_a_missed_joint_guarantee_is_explained():
    labels = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
    fed = fp.Federation.from_table(
        labels, [[0.5, 0, 0.5], [0, 0.5, 0.5]], epsilon=0.1, delta=0.25, guarantee="joint"
    )
    seen = fp.verify(fed, [2, 2])
    assert not seen.is_feasible
    assert all(seen.met.values())
    assert seen.joint_how == "exact"
    assert seen.joint_blocking in fed.hypotheses
    assert seen.joint_blocking != seen.joint_worst_truth


def test_the_blocking_hypothesis_is_found_far_below_underflow():
    fed = fp.Federation.from_table(
        [[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0.5, 0.25, 0.25]], epsilon=0, delta=0.1, objective="expected"
    )
    seen = fp.verify(fed, [100_000])
    assert seen.blocking["agent-1"] != seen.worst_truth["agent-1"]


def test_a_value_below_doubles_is_zero_not_a_floor():
    assert fp.verify(fp.examples.alice_bob(), [10_000, 0]).failure["alice"].high == 0
