"""Intervals where labels may be wrong, against enumeration."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.statistics.bounding_engine import AgnosticEngine, NoisyEngine
from fedpact.statistics.engine import Engine, engine_of
from fedpact.statistics.weights import JOINT
from oracle import ONE, chance_of_bad_choice, count_mistakes, even_noise, noise_towards
from strategies import KINDS, cases


def test_every_assumption_has_its_engine():
    kinds = [
        type(engine_of(alice_bob().replace(assume=a, noise=n)))
        for a, n in ((None, None), (None, 0.1), ("agnostic", None))
    ]
    assert kinds == [Engine, NoisyEngine, AgnosticEngine]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), noise=st.sampled_from([Fraction(1, 20), Fraction(3, 10)]))
def test_noise_of_any_kind_fails_within_the_interval(kind, data, noise):
    case = data.draw(cases(kind))
    labels = case.instance.labels
    assume(sum(case.m) <= 3 and len(labels) <= 4)
    engine = engine_of(case.build().replace(noise=noise))
    found = engine.evaluate(np.array([case.m]), [*range(case.k), JOINT])
    worst = [0 * ONE] * (case.k + 1)
    for truth in range(len(labels)):
        bad = [
            {h for h in range(len(labels)) if case.instance.rate(i, truth, h) > case.instance.epsilon[i]}
            for i in range(case.k)
        ]
        ways = [even_noise(labels, truth, noise), even_noise(labels, truth, 0 * ONE)]
        ways += [noise_towards(labels, truth, other, noise) for other in range(len(labels))]
        for chances in ways:
            states = count_mistakes(labels, case.instance.distributions, case.m, chances)
            for place, own in enumerate([*bad, set().union(*bad)]):
                worst[place] = max(worst[place], chance_of_bad_choice(states, own))
    assert (found.low[0] <= np.array(worst, dtype=float) + 1e-9).all()
    assert (found.high[0] >= np.array(worst, dtype=float) - 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_without_assumption_agents_go_by_their_own_labels(kind, data):
    case = data.draw(cases(kind))
    engine = engine_of(case.build().replace(assume="agnostic"))
    m = np.array([case.m, [0] * case.k, np.array(case.m) + 50])
    found = engine.evaluate(m, [*range(case.k), JOINT])
    low, high = found.low, found.high
    assert (low <= high + 1e-12).all()
    assert (high[2] <= high[0] + 1e-12).all()
    assert (high[:, :-1] <= high[:, -1:] + 1e-12).all()
    for agent in range(case.k):
        others = m.copy()
        others[:, np.arange(case.k) != agent] = 7
        assert engine.decide(others, [agent])[1] == pytest.approx(high[:, [agent]])


def test_estimated_rates_widen_the_interval():
    seen = {"a": [[0] * 60 + [1] * 40, [0] * 100, [1] * 100], "b": [[1] * 10 + [0] * 30, [0] * 40, [1] * 40]}
    for assumed in ({"noise": 0.1}, {"assume": "agnostic"}):
        fed = fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05, **assumed)
        sure, careful = (fp.verify(fed, [30, 30], confidence=level) for level in (None, 0.95))
        for name in fed.names:
            assert careful.failure[name].low <= sure.failure[name].low
            assert careful.failure[name].high >= sure.failure[name].high


@pytest.mark.parametrize("assumed", [{"noise": 0.1}, {"assume": "agnostic"}])
def test_exact_is_refused_in_one_line(assumed):
    with pytest.raises(
        FederationError, match=r"^method 'exact' is for assume 'realizable', and it is '(noisy|agnostic)'"
    ):
        fp.verify(alice_bob(), [1, 1], how="exact", **assumed)


@pytest.mark.parametrize("assumed", [{"noise": 0.1}, {"assume": "agnostic"}])
def test_the_likeliest_survivor_is_bad(assumed):
    fed = alice_bob().replace(**assumed)
    engine = engine_of(fed)
    for requirement in (0, 1, JOINT):
        h = engine.find_likeliest_miss(requirement, 0, np.array([1, 1]))
        assert 0 < h < fed.H
    assert engine.decide(np.empty((0, 2), dtype=int), [0])[0].shape == (0, 1)
