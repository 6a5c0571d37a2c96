"""Who is chosen, and what one site alone can do about it: the liar of an attack decides nothing unseen."""

from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from fedpact.explain import explain
from fedpact.protocol.operator.check_decisions import check_plan
from fedpact.protocol.operator.choose import add_up, count_in, find_disputes
from fedpact.protocol.operator.run_state import RunStatus, replay
from fedpact.protocol.runs import memory_ledger, run
from fedpact.protocol.site.simulated_sites import simulate_sites

EPSILON, H = 0.1, 12


def four_sites(seed):
    """Four sites of 200 points, and twelve candidates that err here and there around the first."""
    rng, says = np.random.default_rng(seed), {}
    for name in ("north", "south", "east", "west"):
        truth = rng.integers(0, 2, 200)
        says[name] = [np.where(rng.random(200) < wrong, 1 - truth, truth) for wrong in np.linspace(0, 0.4, H)]
    return fp.Federation.from_predictions(says, epsilon=EPSILON, delta=0.05)


def with_liar(fed, seed):
    """Sites of which the one with the least to label invents its points, and labels by the eighth candidate."""
    sites = simulate_sites(fed, teacher=fed.hypotheses[0], seed=seed)
    plan = fp.plan(fed, "union").contributions
    liar = min((name for name in plan if plan[name]), key=plan.get)
    pool, rng = sites[liar].pool, np.random.default_rng([seed, 1])
    invented = rng.integers(0, 2, pool.predicted.labels.shape)
    predicted = replace(pool.predicted, labels=invented)
    sites[liar] = replace(
        sites[liar], pool=replace(pool, predicted=predicted), labeller=lambda places: invented[7][places]
    )
    return sites, liar


def error_at(fed, site, chosen):
    said = fed.labels[site]
    return np.mean(said[fed.hypotheses.index(chosen)] != said[0])


def attack(seeds, **terms):
    """How often the liar breaks an honest target, and how often of these nobody is told."""
    broken = unseen = 0
    for seed in seeds:
        fed = four_sites(seed)
        sites, liar = with_liar(fed, seed)
        outcome = run(fed, sites, method="union", ledger=memory_ledger(), **terms)
        worst = max(error_at(fed, name, outcome.hypothesis) for name in fed.names if name != liar)
        if worst > (2 * EPSILON if terms else EPSILON) + 1e-9:
            broken += 1
            is_sole = sum(m > 0 for m in outcome.contributions.values()) == 1
            assert is_sole == any("rests on its word alone" in one for one in explain(outcome).sentences)
            unseen += outcome.status is not RunStatus.DISPUTED and not is_sole
    return broken, unseen


def test_a_liar_that_breaks_an_honest_target_is_seen():
    broken, unseen = attack(range(20))
    assert broken >= 5, "the attack works, or there is nothing to see"
    assert unseen == 0


@pytest.mark.slow
def test_who_withstands_a_liar_sees_it_as_often_as_promised():
    _, unseen = attack(range(100, 140), withstands_liar=True)
    assert unseen <= 0.05 * 40


def test_an_honest_run_with_a_right_candidate_is_never_disputed():
    for seed in range(20):
        fed = four_sites(seed)
        outcome = run(fed, teacher=fed.hypotheses[seed % H], method="union", seed=seed, false_alarm_rate=1e-6)
        assert (outcome.disputed, outcome.unproved) == ({}, ())
        assert outcome.status is RunStatus.FINISHED


def test_only_a_choice_that_matters_to_somebody_is_a_dispute():
    far = fp.Federation.from_predictions({"n": [[0, 0, 0, 0], [0, 1, 1, 0]]}, epsilon=0.4, delta=0.05)
    near = far.replace(epsilon=0.5)
    mistakes = {"n": np.array([0, 3]), "liar": np.array([5, 0])}
    for fed, targets in ((far, ("n",)), (near, None)):
        found = find_disputes(fed, mistakes, ["n", "liar"], 1)
        assert (found["liar"].targets if found else None) == targets
        assert set(found) <= {"liar"}
        assert find_disputes(fed, mistakes, ["n"], 0) == {}


def test_flagged_counts_choose_nothing_unless_nobody_else_has_labelled():
    mistakes = {"n": np.array([2, 0]), "s": np.array([0, 9])}
    assert add_up(mistakes, count_in(mistakes, ["s"]), 2).tolist() == [2, 0]
    assert add_up(mistakes, count_in(mistakes, ["s", "n"]), 2).tolist() == [2, 9]


def test_whoever_is_flagged_does_not_choose_and_the_books_say_so():
    """A site that says that every candidate is wrong on every sample, two labels or not."""
    fed = four_sites(3)
    sites = simulate_sites(fed, teacher=fed.hypotheses[0])
    plan = fp.plan(fed, "union").contributions
    liar = max(plan, key=plan.get)
    labels = sites[liar].pool.predicted.labels
    sites[liar] = replace(sites[liar], labeller=lambda places: 1 - labels[0][places] + 5)
    ledger = memory_ledger()
    outcome = run(fed, sites, method="union", ledger=ledger)
    assert liar in outcome.withheld
    assert outcome.status is RunStatus.DISPUTED
    assert liar in outcome.unproved, "its target rested on its own samples"
    assert fp.protocol.check_books(ledger).is_sound
    statements = fp.protocol.statements_of(ledger)
    assert all(one.statement["unproved"] == sorted(outcome.unproved) for one in statements)
    assert all("it is not shown that the targets of" in one.to_html() for one in statements)


def test_whoever_withstands_a_liar_has_enough_without_any_site():
    fed = four_sites(5)
    outcome = run(fed, teacher=fed.hypotheses[0], method="union", withstands_liar=True)
    assert (outcome.status, outcome.disputed) == (RunStatus.FINISHED, {})
    plain = run(fed, teacher=fed.hypotheses[0], method="union")
    assert sum(plain.contributions.values()) < sum(outcome.contributions.values())
    for liar in fed.names:
        without = outcome.contributions | {liar: 0}
        seen = fp.verify(fed, without, how="bounds")
        assert all(met for name, met in seen.met.items() if name != liar)


def test_the_books_of_who_withstands_a_liar_are_held_to_it():
    fed = four_sites(5)
    plans, ledgers = [], []
    for withstands in (True, False):
        ledgers.append(memory_ledger())
        run(fed, teacher=fed.hypotheses[0], method="union", withstands_liar=withstands, ledger=ledgers[-1])
        assert fp.protocol.check_books(ledgers[-1]).is_sound
        plans.append(next(entry.body["plan"] for entry in ledgers[-1].entries() if entry.kind == "plan"))
    entries = list(ledgers[0].entries())
    at = next(place for place, entry in enumerate(entries) if entry.kind == "plan")
    state = replay(entries[:at])
    assert list(check_plan(state, plans[0])) == []
    assert {problem.code for problem in check_plan(state, plans[1])} == {"plan-target-without"}
