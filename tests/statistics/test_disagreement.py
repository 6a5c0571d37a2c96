import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.statistics import disagreement as module
from fedpact.statistics import domain
from strategies import KINDS, cases


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_rates_are_those_of_the_oracle(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    found = fp.planning.disagreement(fed)
    expected = [[[case.instance.rate(i, h, g) for g in fed.distinct] for h in fed.distinct] for i in range(case.k)]
    assert found.shape == (fed.k, fed.H, fed.H)
    np.testing.assert_allclose(found, np.array(expected, dtype=float), atol=1e-15)
    np.testing.assert_array_equal(found == 0, np.array(expected, dtype=float) == 0)


def test_hypotheses_that_nobody_can_tell_apart_count_once():
    fed = fp.Federation.from_table([[0, 0], [0, 1], [0, 0], [0, 1]], [[1, 0], [0.5, 0.5]], epsilon=0, delta=0.5)
    assert fp.planning.disagreement(fed).tolist() == [[[0, 0], [0, 0]], [[0, 0.5], [0.5, 0]]]


def test_a_rate_far_below_rounding_is_kept():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[1, 1e-200]], epsilon=0, delta=0.5)
    assert fp.planning.disagreement(fed)[0, 0, 1] == 1e-200


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (7, 9))
    fed = fp.Federation.from_table(labels, rng.dirichlet(np.ones(9), 2), epsilon=0.1, delta=0.1)
    at_once = fp.planning.disagreement(fed)
    monkeypatch.setattr(domain, "_BLOCK", 1)
    np.testing.assert_array_equal(fp.planning.disagreement(fed), at_once)
    some = domain.rates_against(domain.find_domain(fed), np.array([4, 1]))
    np.testing.assert_array_equal(some, at_once[:, [4, 1]])


def by_hand(fed):
    """The definition, pair by pair."""
    rates = fp.planning.disagreement(fed)
    return [[max(abs(a - b) for a, b in zip(p.flat, q.flat, strict=True)) for q in rates] for p in rates]


@given(st.sampled_from(["table", "predictions", "reports"]).flatmap(cases))
def test_it_is_the_definition_a_pseudometric_and_largest_at_the_pair_that_is_named(case):
    fed = case.build()
    found = fp.planning.divergence(fed)
    assert found.values == pytest.approx(np.array(by_hand(fed)), abs=1e-12)
    assert (found.values == found.values.T).all()
    assert (np.diag(found.values) == 0).all()
    for j in range(fed.k):
        assert (found.values <= found.values[:, [j]] + found.values[[j], :] + 1e-12).all()
    if found.pair is None:
        assert (found.largest, found.agents) == (0, None)
        return
    h, g = (fed.hypotheses.index(name) for name in found.pair)
    i, j = (fed.names.index(name) for name in found.agents)
    rates = fp.planning.disagreement(fed)
    assert abs(rates[i, h, g] - rates[j, h, g]) == pytest.approx(found.largest, abs=1e-12)


@given(st.sampled_from(["table", "predictions", "reports"]).flatmap(cases))
def test_it_is_never_above_the_total_variation_distance(case):
    fed = case.build()
    if not hasattr(fed.evidence, "distributions"):
        return
    masses = np.asarray(fed.evidence.distributions)
    total = np.abs(masses[:, None] - masses[None]).sum(axis=2) / 2
    assert (fp.planning.divergence(fed).values <= total + 1e-9).all()


def make_kinds(rng):
    predictions = {name: rng.integers(0, 3, (12, n)) for name, n in (("a", 40), ("b", 31), ("c", 7))}
    options = {"epsilon": 0.1, "delta": 0.1}
    sites = [fp.report(labels, name=name) for name, labels in predictions.items()]
    return (
        fp.Federation.from_predictions(predictions, **options),
        fp.Federation.from_reports(sites, **options),
    )


def test_predictions_and_their_reports_differ_alike_in_blocks_of_any_size(monkeypatch):
    kinds = make_kinds(np.random.default_rng(0))
    expected = np.array(by_hand(kinds[0]))
    for block in (1, 50, 2**22):
        monkeypatch.setattr(module, "_BLOCK", block)
        for fed in kinds:
            found = fp.planning.divergence(fed)
            assert found.values == pytest.approx(expected, abs=1e-12)
            h, g = (fed.evidence.hypotheses.index(name) for name in found.pair)
            i, j = (fed.names.index(name) for name in found.agents)
            labels = kinds[0].evidence.predictions
            shown = [np.mean(labels[agent][h] != labels[agent][g]) for agent in (i, j)]
            assert abs(shown[0] - shown[1]) == pytest.approx(found.largest, abs=1e-12)


def test_one_agent_and_equal_agents_do_not_differ():
    alone = fp.Federation.from_table([[0, 1], [1, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1)
    assert fp.planning.divergence(alone).to_dict() == {
        "kind": "divergence",
        "schema": 1,
        "status": "complete",
        "values": [[0.0]],
        "largest": 0.0,
        "agents": None,
        "pair": None,
        "names": ["agent-1"],
    }
