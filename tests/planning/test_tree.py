import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.planning import tree
from fedpact.planning.certificates import Judge, prove_by_pairs, prove_by_tree, prove_by_union
from strategies import KINDS, cases


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", ["pac", "expected"])
@pytest.mark.parametrize("linked", [1, 2, 400])
@given(data=st.data())
@settings(max_examples=25)
def test_a_weaker_proof_implies_every_stronger_one(kind, objective, linked, data):
    case = data.draw(cases(kind, objective, data.draw(st.sampled_from(["per-agent", "joint"]))))
    fed = case.build()
    known = fed if kind != "reports" else fp.Federation.from_predictions(
        {f"agent-{i + 1}": case._own_points(i) for i in range(case.k)},
        epsilon=list(case.instance.epsilon), delta=case.instance.delta, objective=objective,
        guarantee=case.guarantee,
    )  # fmt: skip
    m = data.draw(st.lists(st.tuples(*[st.integers(0, 12)] * case.k), min_size=1, max_size=4))
    vectors = np.array(m)
    is_strict = objective == "expected" and 0 in case.instance.epsilon
    assume(not is_strict)  # then some pairs can never be ruled out, which the programs say when they are made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "_LINKED", linked)
        proofs = [prove(fed)(vectors) for prove in (prove_by_pairs, prove_by_union, prove_by_tree)]
    proofs.append(Judge(known).proves(vectors))
    for weaker, stronger in itertools.pairwise(proofs):
        assert (weaker <= stronger).all()


def test_the_tree_proves_what_the_sum_cannot():
    fed = fp.examples.singletons()
    vector = fp.plan(fed, "tree").m[None]
    assert prove_by_tree(fed)(vector)[0]
    assert not prove_by_union(fed)(vector)[0]


def test_rates_rounded_to_singles_prove_no_more(monkeypatch):
    monkeypatch.setattr("fedpact.statistics.rates.KEEP", 0)
    rng = np.random.default_rng(0)
    labels, masses = rng.integers(0, 3, (12, 9)), rng.dirichlet(np.ones(9), 3)
    rounded = fp.Federation.from_table(labels, masses, epsilon=0.1, delta=0.1)
    proved = fp.plan(rounded, "tree")
    monkeypatch.undo()
    exact = fp.Federation.from_table(labels, masses, epsilon=0.1, delta=0.1)
    assert proved.cost == fp.plan(exact, "tree").cost
    assert fp.verify(exact, proved.m).is_feasible
