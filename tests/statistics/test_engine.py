import gc
import weakref
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.ties import exceeds
from fedpact.statistics import engine as module
from fedpact.statistics import weights
from fedpact.statistics.engine import Engine, engine_of
from fedpact.statistics.weights import JOINT
from oracle import answer, coupons_left, family_value_by_subsets
from strategies import Case, cases


def requirements(case):
    return [*range(case.k), *([JOINT] if case.objective == "pac" else [])]


def vectors(case, count=5):
    rng = np.random.default_rng(0)
    return np.vstack([case.m, rng.integers(0, 7, (count, case.k))]).astype(np.int64)


@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=50)
def test_a_batch_equals_one_by_one(objective, data):
    case = data.draw(cases("table", objective))
    m, asked = vectors(case), requirements(case)
    together = Engine(case.build()).evaluate(m, asked, method="exact")
    for row, vector in enumerate(m):
        alone = Engine(case.build()).evaluate(vector[None, :], asked, method="exact")
        np.testing.assert_allclose(together.high[row], alone.high[0], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(together.how[row], "exact")


@pytest.mark.parametrize("kind", ["table", "predictions", "reports"])
@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=30)
def test_is_met_says_what_verify_says(kind, objective, data):
    case = data.draw(cases(kind, objective, "joint"))
    fed, m, asked = case.build(), vectors(case, 2), requirements(case)
    met = engine_of(fed).is_met(m, asked)
    for row, vector in enumerate(m):
        seen = fp.verify(fed, vector, how="bounds" if kind == "reports" else "exact")
        assert met[row, : case.k].tolist() == list(seen.met.values())
        assert case.objective == "expected" or met[row, -1] == seen.is_feasible


@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=50)
def test_more_samples_never_hurt(objective, data):
    case = data.draw(cases("table", objective))
    more = np.vstack([case.m, np.array(case.m) + np.eye(case.k, dtype=np.int64)])
    value = engine_of(case.build()).evaluate(more, requirements(case), method="exact").high
    assert (value[1:] <= value[0] + 1e-12).all()


@given(cases())
@settings(max_examples=20)
def test_rates_too_many_to_keep_are_computed_anew(case):
    kept = Engine(case.build()).evaluate(vectors(case), requirements(case)).high
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "KEEP", 0)
        patch.setattr(module, "_AT_ONCE", 0)
        anew = Engine(case.build())
        found = anew.evaluate(vectors(case), requirements(case)).high
        np.testing.assert_allclose(found, kept, rtol=1e-12, atol=1e-15)
        assert anew._weights.kept is None


TWELVE = np.array([np.full(12, 1 / 12), np.arange(1, 13) / 78])


def unseen_after(m):
    """(4096,) probability of every set of unseen points of twelve, followed draw by draw."""
    chance = np.zeros(4096)
    chance[4095] = 1.0
    for distribution, draws in zip(TWELVE, m, strict=True):
        for _ in range(draws):
            after = np.zeros(4096)
            for point, mass in enumerate(distribution):
                after.reshape(-1, 2, 1 << point)[:, 0] += mass * chance.reshape(-1, 2, 1 << point).sum(axis=1)
            chance = after
    return chance


@cache
def labelings_of_twelve(epsilon, objective, guarantee):
    options = {"epsilon": epsilon, "delta": 0.1, "objective": objective, "guarantee": guarantee}
    return fp.Federation.from_table(fp.planning.classes.all_labelings(12), TWELVE, **options)


@pytest.mark.parametrize("epsilon", [0, 1 / 12, 0.2])
@pytest.mark.parametrize("m", [(0, 0), (9, 0), (12, 14), (20, 25)])
def test_all_labelings_of_twelve_points(m, epsilon):
    """The worst survivor differs wherever nothing was seen."""
    chance = unseen_after(m)
    left = TWELVE @ (np.arange(4096)[None, :] >> np.arange(12)[:, None] & 1)
    bad = left > epsilon + 1e-12
    seen = fp.verify(labelings_of_twelve(epsilon, "pac", "joint"), m, how="exact")
    found = [entry.high for entry in seen.failure.values()]
    assert found == pytest.approx((bad @ chance).tolist(), abs=1e-10)
    assert seen.joint_failure.high == pytest.approx(bad.any(axis=0) @ chance, abs=1e-10)


@pytest.mark.parametrize("m", [(0, 0), (9, 0), (12, 14), (20, 25)])
def test_all_labelings_of_twelve_points_on_average(m):
    """The expected error is the mass that is expected to stay unseen, point by point."""
    unseen = np.prod((1 - TWELVE) ** np.array(m)[:, None], axis=0)
    seen = fp.verify(labelings_of_twelve(0.1, "expected", "per-agent"), m, how="exact")
    found = [entry.high for entry in seen.failure.values()]
    assert found == pytest.approx((TWELVE @ unseen).tolist(), abs=1e-10)


@pytest.mark.parametrize("m", [12, 30, 60])
def test_all_labelings_of_twelve_uniform_points_are_coupons(m):
    fed = fp.Federation.from_table(fp.planning.classes.all_labelings(12), TWELVE[:1], epsilon=0.05, delta=0.1)
    assert fp.verify(fed, [m]).failure["agent-1"].high == pytest.approx(float(coupons_left(12, m)), abs=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_more_points_than_the_lattice_holds(seed):
    """Six hypotheses on forty points, known by inclusion and exclusion over the at most five others."""
    rng = np.random.default_rng(seed)
    classes, m = 2 + seed % 2, rng.integers(0, 7, 2).tolist()
    sites = {name: rng.integers(0, classes, (6, size)) for name, size in (("a", 22), ("b", 18))}
    labels = np.concatenate(list(sites.values()), axis=1)
    mass = [[Fraction(1, 22)] * 22 + [Fraction(0)] * 18, [Fraction(0)] * 22 + [Fraction(1, 18)] * 18]
    fed = fp.Federation.from_predictions(sites, epsilon=[0.4, 0.5], delta=0.1)
    for objective in ("pac", "expected"):
        seen = fp.verify(fed.replace(objective=objective), m, how="exact")
        for agent, name in enumerate(fed.names):
            values = []
            for truth in range(6):
                sets = labels != labels[truth]
                rates = [sum(x for x, inside in zip(mass[agent], row, strict=True) if inside) for row in sets]
                bad = [Fraction(rate > Fraction(4 + agent, 10)) for rate in rates]
                weights = bad if objective == "pac" else rates
                some = [h for h in range(6) if weights[h]]
                values.append(
                    family_value_by_subsets([sets[h] for h in some], [weights[h] for h in some], mass, m)
                )
            assert seen.failure[name].high == pytest.approx(float(max(values)), abs=1e-9)


def noisy_predictions(H=50, n=300, seed=7):
    """Copies of two truths, each hypothesis with an error rate of its own at either site."""
    rng = np.random.default_rng(seed)
    sites = {}
    for name in ("alice", "bob"):
        truth = rng.integers(0, 4, n)
        rates = rng.uniform(0.02, 0.4, H)[:, None]
        wrong = (truth + rng.integers(1, 4, (H, n))) % 4
        sites[name] = np.where(rng.random((H, n)) < rates, wrong, truth)
    return sites


@pytest.mark.parametrize(("m", "objective"), [((14, 12), "pac"), ((20, 14), "pac"), ((12, 12), "expected")])
def test_fifty_hypotheses_on_six_hundred_points(m, objective):
    sites = noisy_predictions()
    fed = fp.Federation.from_predictions(sites, epsilon=0.1, delta=0.05, objective=objective)
    seen = fp.verify(fed, m)
    for agent, name in enumerate(fed.names):
        interval = seen.failure[name]
        assert 0.005 < interval.high < 0.2
        assert seen.how[name] in ("exact", "bounds")
        assert interval.high - interval.low < 1e-4
        simulated, error = simulate(fed, sites, agent, seen.worst_truth[name], m)
        assert interval.low - 5 * error < simulated < interval.high + 5 * error


def simulate(fed, sites, agent, truth, m, runs=4_000):
    """Draw samples and look at the worst survivor; mean and standard error over ``runs``."""
    rng = np.random.default_rng(1)
    h = fed.hypotheses.index(truth)
    own = list(sites.values())
    error = (own[agent] != own[agent][h]).mean(axis=1)
    cost = error > fed.epsilon[agent] if fed.objective == "pac" else error
    survives = np.ones((runs, fed.H), dtype=bool)
    for labels, draws in zip(own, m, strict=True):
        agrees = (labels == labels[h]).T
        for _ in range(draws):
            survives &= agrees[rng.integers(0, len(agrees), runs)]
    worst = (survives * cost).max(axis=1)
    return worst.mean(), worst.std() / np.sqrt(runs)


def test_one_engine_per_federation():
    fed = fp.examples.alice_bob()
    assert engine_of(fed) is engine_of(fed)
    assert engine_of(fed.replace(epsilon=0.2)) is not engine_of(fed)


def test_a_federation_that_is_dropped_takes_its_engine_along():
    fed = fp.examples.alice_bob()
    fp.verify(fed, [1, 1])
    watched = weakref.ref(engine_of(fed))
    del fed
    gc.collect()
    assert watched() is None


@pytest.mark.slow
def test_the_exact_sum_is_refused_where_it_is_too_long():
    rng = np.random.default_rng(0)
    fed = fp.Federation.from_predictions({"a": rng.integers(0, 2, (30, 60))}, epsilon=0.1, delta=0.1)
    with pytest.raises(
        fp.FederationError, match=r"^method 'exact' needs too many terms if 'h\d+' is the truth; use"
    ):
        fp.verify(fed, [3], how="exact")
    assert fp.verify(fed, [3]).how["a"] != "exact"


@given(cases())
@settings(max_examples=30)
def test_values_lie_between_the_cheap_bounds(case: Case):
    engine, truth = Engine(case.build()), answer(case.instance, case.m)
    low, high = engine._union_bounds(np.array([case.m], dtype=float), 0)
    assert low.max() - 1e-12 <= truth.worst("pac", 0) <= high.max() + 1e-12


@pytest.mark.parametrize("objective", ["pac", "expected"])
@pytest.mark.parametrize("confidence", [None, 0.5])
@given(data=st.data())
@settings(max_examples=30)
def test_what_reports_prove_is_what_their_intervals_prove(objective, confidence, data):
    """A proof looks at fewer truths and at upper ends only; it must not lose or invent anything."""
    fed = data.draw(cases("reports", objective)).build()
    fed = fed if confidence is None else fp.planning.at_confidence(fed, confidence)
    agents = range(fed.k)
    m = np.array([[0] * fed.k, [1] * fed.k, [3, *[0] * (fed.k - 1)], [9] * fed.k, [60] * fed.k])
    engine = engine_of(fed)
    high = engine.decide(m, agents)[1]
    is_met = engine.is_met(m, agents)
    limits = [engine.threshold(agent) for agent in agents]
    assert is_met[~exceeds(high, limits)].all()
    refuted = exceeds(engine.decide(m, agents)[0], limits)
    assert not is_met[refuted].any()


def test_a_proof_stops_at_the_first_truth_in_the_way(monkeypatch):
    """Thirty thresholds on thirty points: with too few samples one truth settles it, not all."""
    labels = np.tri(31, 30, k=-1, dtype=int)
    site = fp.report(labels, name="a", n_classes=2)
    engine = engine_of(fp.Federation.from_reports([site], epsilon=0.1, delta=0.01))
    asked = []
    pairs = type(engine)._pairs
    monkeypatch.setattr(type(engine), "_pairs", lambda self, *about: asked.append(about) or pairs(self, *about))
    counts = np.arange(1, 80)[:, None]
    is_met = engine.is_met(counts, [0])[:, 0]
    assert not is_met[0]
    assert is_met[-1]
    assert (np.diff(is_met.astype(int)) >= 0).all()
    assert len(asked) <= (~is_met).sum() + 31 * is_met.sum()
    before = len(asked)
    short = int(np.flatnonzero(~is_met)[-1])
    engine.is_met(counts[short : short + 1], [0])
    assert len(asked) - before < 31
