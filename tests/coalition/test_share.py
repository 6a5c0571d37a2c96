"""Splits of every rule, recomputed from the federation; bad requests; what is said where little is known."""

import math

import numpy as np
import pytest

import fedpact as fp
from cost_games import brute_values, capped, leaving_groups, small_question
from fedpact.coalition.result import RULES
from noisy import noisy_federation
from refusals import check_refused
from strategies import report_of


def check_share(fed, split):
    """Recompute totals, payments and leaving groups; trusts nothing that the split says."""
    names = list(fed.names)
    x = np.array(list(split.shares.values()))
    assert list(split.shares) == list(split.payments) == list(split.alone) == list(split.labelling) == names
    assert fp.verify(fed, split.contributions).is_feasible
    assert split.cost == pytest.approx(fed.cost_of(list(split.contributions.values())))
    assert x.sum() == pytest.approx(split.cost)
    for agent in fed.agents:
        labelled = float(agent.cost(split.contributions[agent.name]))
        assert split.labelling[agent.name] == labelled
        assert split.payments[agent.name] == pytest.approx(labelled - split.shares[agent.name])
    assert sum(split.payments.values()) == pytest.approx(0, abs=1e-9 * max(split.cost, 1e-300))
    for group in split.leaving:
        check_leaving(fed, split, group)
    savings = [group.saving for group in split.leaving]
    assert savings == sorted(savings, reverse=True)
    assert (split.status is fp.mechanism.ShareStatus.UNSTABLE) == bool(split.leaving)
    assert split.is_stable == (split.status is fp.mechanism.ShareStatus.STABLE)


def check_leaving(fed, split, group):
    """The group has a plan that really is enough and really costs less than its share."""
    own = fed.restrict(group.members)
    assert fp.verify(own, group.contributions).is_feasible
    assert group.cost == pytest.approx(own.cost_of(list(group.contributions.values())))
    assert group.share == pytest.approx(sum(split.shares[name] for name in group.members))
    assert group.cost < group.share


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", [name for name in fp.examples.CATALOGUE if name != "arizona-hospitals"])
def test_every_example(name, rule):
    fed = fp.examples.build(name)
    if (name, rule) == ("no-pure-equilibrium", "core"):
        with pytest.raises(fp.InfeasibleError, match="the core is empty"):
            fp.share(fed, rule=rule)
        return
    split = fp.share(fed, rule=rule)
    check_share(fed, split)
    assert split.cost == fp.plan(fed).cost
    assert split.looked_at is fp.mechanism.GroupsLookedAt.ALL
    assert split.groups_tried == 2**fed.k - 1
    assert (split.rule, split.method) == (rule, "auto")
    assert rule != "core" or split.is_stable


@pytest.mark.parametrize("rule", ["least-core", "equal"])
@pytest.mark.parametrize("seed", range(24, 40))
def test_leaving_groups_are_those_of_the_grid(seed, rule):
    question = small_question(seed, guarantee="joint" if seed % 3 == 0 else "per-agent")
    values = brute_values(question)
    if values is None:
        pytest.skip("the grid is too large, or there is no plan for all")
    fed = question.build()
    split = fp.share(fed, rule=rule)
    check_share(fed, split)
    places = {tuple(fed.names.index(name) for name in group.members) for group in split.leaving}
    assert places == leaving_groups(values, np.array(list(split.shares.values())))
    assert split.is_proved
    assert split.is_stable == (not places)
    assert [math.inf if cost is None else cost for cost in split.alone.values()] == [
        values[place,] for place in range(fed.k)
    ]


def test_some_equal_splits_of_those_are_left():
    splits = [fp.share(small_question(seed).build(), rule="equal") for seed in (24, 25, 26, 28, 29)]
    assert {split.status for split in splits} == {
        fp.mechanism.ShareStatus.STABLE,
        fp.mechanism.ShareStatus.UNSTABLE,
    }


def test_three_agents_of_whom_any_two_would_do_better():
    split = fp.share(fp.examples.build("no-pure-equilibrium"), rule="least-core")
    assert list(split.shares.values()) == pytest.approx([1 / 3] * 3)
    assert split.least_core_value == pytest.approx(1 / 6)
    assert sorted(len(group.members) for group in split.leaving) == [2, 2, 2]


def test_an_agent_without_a_target_is_paid_for_its_data():
    fed = fp.examples.build("price-of-stability")
    assert fp.share(fed, rule="core").shares == pytest.approx({"alice": 17, "bob": 0}, abs=1e-6)
    assert fp.share(fed, rule="least-core").shares == pytest.approx({"alice": 18.5, "bob": -1.5})
    assert fp.share(fed, rule="shapley").shares == pytest.approx({"alice": 18.5, "bob": -1.5})
    equal = fp.share(fed, rule="equal")
    assert [(group.members, group.saving) for group in equal.leaving] == [(("bob",), 8.5)]
    assert fp.share(fed, rule="proportional").shares == {"alice": 17, "bob": 0}


def test_who_cannot_do_without_the_others():
    fed = capped([13, None])
    split = fp.share(fed)
    check_share(fed, split)
    assert split.alone == {"alice": None, "bob": 14}
    assert split.least_core_value is None
    assert split.shares == {"alice": 2.5, "bob": 2.5}
    assert split.is_stable
    for rule in ("shapley", "proportional"):
        with pytest.raises(fp.InfeasibleError, match=f"rule '{rule}' is undefined: 'alice' cannot meet") as raised:
            fp.share(fed, rule=rule)
        assert raised.value.agents == ("alice",)


def test_no_plan_for_all_is_an_error():
    with pytest.raises(fp.InfeasibleError, match="no plan exists"):
        fp.share(capped([1, 1]))


def test_a_method_that_proves_little_makes_no_claim_of_stability():
    fed = fp.examples.alice_bob()
    split = fp.share(fed, method="lp")
    check_share(fed, split)
    assert not split.is_proved
    assert split.cost == fp.plan(fed, "lp").cost > 5
    dear = fp.share(noisy_federation(0, H=5, k=3, n=12, delta=0.3), rule="shapley", method="lp")
    assert dear.status in (fp.mechanism.ShareStatus.NOT_BEATEN, fp.mechanism.ShareStatus.UNSTABLE)
    assert not dear.is_stable


@pytest.mark.parametrize("rule", RULES)
def test_one_agent_pays_all(rule):
    fed = fp.examples.build("coupon-collector")
    split = fp.share(fed, rule=rule)
    check_share(fed, split)
    assert (split.shares, split.is_stable) == ({"agent-1": split.cost}, True)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_needed_costs_nobody_anything(rule):
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.95, 0.05], [1, 0]], epsilon=0.1, delta=0.1)
    split = fp.share(fed, rule=rule)
    check_share(fed, split)
    assert split.shares == {"agent-1": 0, "agent-2": 0}
    assert split.is_stable


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_currency_does_not_matter(rule, unit):
    fed = noisy_federation(1, H=4, k=3, n=10, delta=0.3, cost=[1.0, 2.0, 3.0])
    plain, scaled = fp.share(fed, rule=rule), fp.share(fed.replace(cost=[unit, 2 * unit, 3 * unit]), rule=rule)
    assert np.array(list(scaled.shares.values())) / unit == pytest.approx(list(plain.shares.values()), abs=1e-6)
    assert scaled.status is plain.status
    assert [group.members for group in scaled.leaving] == [group.members for group in plain.leaving]


def test_reports_are_enough():
    labels = fp.planning.classes.all_labelings(3).labels
    fed = fp.Federation.from_reports(
        [report_of("a", labels), report_of("b", labels[:, :2])], epsilon=0.1, delta=0.1
    )
    split = fp.share(fed, rule="equal")
    check_share(fed, split)
    assert split.cost == fp.plan(fed).cost


def many_agents(k=13):
    return fp.Federation.from_table(
        [[0, 0], [0, 1], [1, 0]], [[0.5, 0.5]] * k, epsilon=0.1, delta=0.3, cost=np.linspace(1, 2, k).tolist()
    )


@pytest.mark.parametrize("rule", ["least-core", "shapley"])
def test_many_agents_are_searched_and_the_answer_says_so(rule):
    fed = many_agents()
    split = fp.share(fed, rule=rule, max_groups=60)
    check_share(fed, split)
    assert split.looked_at is fp.mechanism.GroupsLookedAt.SAMPLED
    assert split.status is not fp.mechanism.ShareStatus.STABLE
    assert (split.standard_errors is not None) == (rule == "shapley")


def test_the_same_seed_gives_the_same_orders():
    splits = [
        fp.share(many_agents(), rule="shapley", max_groups=1, rng=np.random.default_rng(seed))
        for seed in (5, 5, 6)
    ]
    assert splits[0] == splits[1] != splits[2]


def test_progress_counts_groups():
    seen = []
    fp.share(fp.examples.alice_bob(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


BAD = [
    ({"rule": "shaply"}, "equal, proportional; it is 'shaply'"),
    ({"rule": None}, "rule must be one of core, least-core"),
    ({"method": "magic"}, "method must be one of"),
    ({"time_limit": -1}, "time_limit must be 0 or more"),
    ({"max_groups": 0}, "max_groups must be 1 or more; it is 0"),
]


def test_bad_requests_are_refused():
    for options, message in BAD:
        check_refused(message, fp.share, fp.examples.alice_bob(), **options)


def test_an_interrupt_between_groups_is_passed_on():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fp.share(fp.examples.alice_bob(), progress=stop)
