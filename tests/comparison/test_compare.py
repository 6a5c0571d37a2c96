"""The comparison: every flag against the oracle or a fresh verification, and the rows that have no numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from contracts import must_be_met
from cost_games import capped
from fedpact.describe.evidence import Reports
from fedpact.game import pure_equilibria
from oracle import answer, count_alone, threshold
from strategies import cases, report_of

EQUILIBRIA = ["worst-equilibrium", "best-equilibrium"]
METHODS = ["alone", "exchangeable", *EQUILIBRIA, "lp", "union", "tree", "exact"]
PLANS = [*METHODS[4:], "auto"]
MOST = 60


def check_comparison(fed, table):
    """Recompute costs, flags, ratios and the best row; trusts nothing that the comparison says."""
    last = "auto" if isinstance(fed.evidence, Reports) else "exact"
    assert [row.method for row in table.rows] == [*METHODS[:-1], last]
    assert table.standalone == fp.game.standalone(fed)
    for row in table.rows:
        check_row(fed, row)
    bounds = {row.lower_bound for row in table.rows if row.verification and row.method in PLANS}
    assert bounds <= {fp.plan(fed, last).lower_bound}
    check_equilibria(fed, *(table.row(method) for method in EQUILIBRIA))
    feasible = [row.cost for row in table.rows if row.is_feasible]
    assert (table.best is None) == (not feasible)
    if feasible:
        assert table.row(table.best).is_feasible
        assert table.row(table.best).cost == min(feasible)


def check_equilibria(fed, worst, best):
    """The cheapest and the dearest of all that meet every target, or any one if none does."""
    every = fp.equilibria(fed, time_limit=10)
    assert every.is_complete or isinstance(fed.evidence, Reports)
    if not every.is_complete:
        return
    costs = [cost for cost, unmet in zip(every.costs, every.unmet, strict=True) if not unmet]
    if not every.profiles:
        assert worst.status == best.status == "none-exists"
        return
    if costs:
        assert (best.cost, worst.cost) == pytest.approx((min(costs), max(costs)))
    else:
        assert worst.status == best.status == "all-miss"
    assert fp.game.regret(fed, best.contributions).is_equilibrium
    assert fp.game.regret(fed, worst.contributions).is_equilibrium


def check_row(fed, row):
    if row.verification is None:
        assert row.cost is None
        assert not row.is_feasible
        return
    seen = fp.verify(fed, row.contributions)
    assert row.cost == pytest.approx(fed.cost_of(list(row.contributions.values())))
    assert row.samples == sum(row.contributions.values())
    assert (row.met, row.is_feasible, row.failure) == (seen.met, seen.is_feasible, seen.failure)
    assert (row.ratio is None) == (row.method not in PLANS)
    if row.method in PLANS:
        found = fp.plan(fed, row.method)
        assert row.is_feasible
        assert row.contributions == found.contributions
        assert row.lower_bound >= found.lower_bound
        assert row.ratio <= found.ratio


@pytest.mark.parametrize("name", [name for name in fp.examples.CATALOGUE if name != "arizona-hospitals"])
def test_every_example(name):
    fed = fp.examples.build(name)
    table = fp.compare(fed)
    check_comparison(fed, table)
    assert table.best == "exact"


def test_an_equilibrium_that_was_not_searched_for_to_the_end_says_so():
    table = fp.compare(fp.examples.singletons(), time_limit=0, max_nodes=0)
    assert table.row("best-equilibrium").status == "of-found"
    assert table.row("worst-equilibrium").cost == 66


def test_on_a_slow_machine_ties_end_the_same_way(monkeypatch):
    fast = fp.compare(fp.examples.alice_bob())
    monkeypatch.setattr(pure_equilibria, "_BATCH_SECONDS", 0)
    slow = fp.compare(fp.examples.alice_bob())
    assert [slow.row(method) for method in EQUILIBRIA] == [fast.row(method) for method in EQUILIBRIA]


def test_where_every_equilibrium_misses_a_target_none_is_the_best():
    """Only the last agent sees the third point, and it needs nothing."""
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(3),
        [[0.8, 0.2, 0], [0.2, 0.8, 0], [0, 0, 1], [0, 0, 1]],
        epsilon=[0.1, 0.1, 0, 1],
        delta=0.05,
        capacity=[None, None, 0, None],
        cost=[1, 2, 1, 1],
    )
    assert len(fp.equilibria(fed).profiles) == 6
    check_comparison(fed, fp.compare(fed))


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
@given(data=st.data())
@settings(max_examples=25)
def test_flags_agree_with_the_oracle(guarantee, data):
    case = data.draw(cases(guarantee=guarantee))
    fed = case.build()
    table = fp.compare(fed)
    check_comparison(fed, table)
    for agent, (name, need) in enumerate(table.standalone.items()):
        alone = count_alone(case.instance, "pac", agent, MOST)
        assert need == alone or (alone is None and need > MOST), name
    for row in table.rows:
        if row.samples is None or row.samples > MOST:
            continue
        truth = answer(case.instance, list(row.contributions.values()))
        for agent, met in enumerate(row.met.values()):
            limit = threshold(case.instance, "pac", agent)
            assert must_be_met(truth.worst("pac", agent), limit) in (None, met)


def test_counting_samples_only_misses_a_target_where_data_differ():
    row = fp.compare(fp.examples.singletons()).row("exchangeable")
    assert row.contributions == {"agent-1": 54, "agent-2": 0}
    assert row.met == {"agent-1": True, "agent-2": False}
    assert (row.status, row.verification.status) == ("rule", "missed")


def test_beyond_capacity_alone_says_who_and_has_no_cost():
    fed = capped([13, None])
    table = fp.compare(fed)
    check_comparison(fed, table)
    alone = table.row("alone")
    assert (alone.cost, alone.contributions, alone.met) == (
        None,
        {"alice": 14, "bob": 14},
        {"alice": False, "bob": True},
    )
    assert (alone.status, alone.refusal.agents) == ("refused", ("alice",))
    assert (table.dependent["alice"].need, table.dependent["alice"].capacity) == (14, 13)
    assert table.row("exchangeable").contributions == {"alice": 13, "bob": 1}


def test_a_planner_that_capacities_leave_without_a_plan_is_a_row_with_the_reason():
    fed = capped([2, 3])
    table = fp.compare(fed)
    check_comparison(fed, table)
    assert table.best == "exact"
    paper = table.row("lp")
    assert (paper.contributions, paper.samples, paper.ratio) == ({}, None, None)
    assert (paper.status, paper.refusal.code) == ("refused", "no-plan-found")
    counted = table.row("exchangeable")
    assert (counted.status, counted.refusal.code) == ("refused", "capacities")
    assert table.times_best(counted) is None


def test_no_plan_at_all_is_an_error():
    with pytest.raises(fp.InfeasibleError) as raised:
        fp.compare(capped([1, 1]))
    assert raised.value.agents


def test_who_hardly_ever_sees_the_difference_is_named():
    fed = fp.Federation.from_table(
        [[0, 0], [1, 0]], [[1e-13, 1 - 1e-13], [1, 0]], epsilon=0, delta=0.1, names=["far", "near"]
    )
    table = fp.compare(fed)
    check_comparison(fed, table)
    alone, counted = table.rows[:2]
    assert (alone.contributions, alone.samples) == ({"far": None, "near": 1}, None)
    assert alone.met == {"far": False, "near": True}
    assert alone.refusal.agents == counted.refusal.agents == ("far",)
    assert (table.dependent["far"].need, counted.refusal.code) == (None, "never-enough")
    assert table.row("exact").contributions == {"far": 0, "near": 1}


def test_reports_are_searched_with_what_pairs_prove():
    labels = {
        "a": fp.planning.classes.all_labelings(3).labels,
        "b": fp.planning.classes.all_labelings(3).labels[:, :2],
    }
    fed = fp.Federation.from_reports([report_of(*entry) for entry in labels.items()], epsilon=0.1, delta=0.1)
    table = fp.compare(fed)
    check_comparison(fed, table)
    assert table.row("auto").cost <= table.row("tree").cost
    assert table.row("auto").lower_bound >= table.row("tree").lower_bound


def test_progress_counts_rows():
    seen = []
    fp.compare(fp.examples.alice_bob(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 8) for done in range(1, 9)]


def test_a_budget_of_nothing_is_passed_on():
    row = fp.compare(fp.examples.singletons(), max_nodes=0, time_limit=0).row("exact")
    assert row.status == fp.planning.PlanStatus.INTERRUPTED.value
    assert row.ratio > 1


def test_nothing_is_needed_costs_nothing():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.95, 0.05]], epsilon=0.1, delta=0.1)
    table = fp.compare(fed)
    check_comparison(fed, table)
    assert [table.times_best(row) for row in table.rows] == [1.0] * 8


def test_an_unknown_row_is_refused():
    with pytest.raises(fp.FederationError, match="method must be one of alone"):
        fp.compare(fp.examples.alice_bob()).row("magic")


def test_where_every_equilibrium_misses_a_target_none_is_called_the_dearest_of_all():
    """The third agent has no data of its own to give, and the others stop long before they see its point."""
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(3),
        [[0.76, 0.19, 0.05], [0.19, 0.76, 0.05], [0, 0, 1]],
        epsilon=0.1,
        delta=0.05,
        cost=[1, 3, 1],
        capacity=[None, None, 0],
    )
    everything = fp.equilibria(fed)
    assert len(set(everything.costs)) > 1
    assert all(everything.unmet)
    table = fp.compare(fed)
    check_comparison(fed, table)
    for row in (table.row("worst-equilibrium"), table.row("best-equilibrium")):
        assert tuple(row.contributions.values()) in everything.profiles
        assert row.status == "all-miss"


@pytest.mark.parametrize("assumed", [{"noise": 0.1}, {"assume": "agnostic"}])
@pytest.mark.parametrize("kind", ["table", "reports"])
@given(data=st.data())
@settings(max_examples=15)
def test_where_labels_may_be_wrong_rows_go_by_what_is_proved(kind, assumed, data):
    fed = data.draw(cases(kind)).build()
    try:
        table = fp.compare(fed, **assumed)
    except fp.InfeasibleError:
        assert "assume" in assumed
        assert (fed.epsilon == 0).any()
        return
    assert [row.method for row in table.rows] == ["alone", "exchangeable", *EQUILIBRIA, "lp", "union"]
    assert (table.assume, table.noise) == (fed.replace(**assumed).assume, assumed.get("noise"))
    for row in table.rows:
        if row.verification is not None:
            seen = fp.verify(fed, row.verification.m, how="bounds", **assumed)
            assert (row.met, row.is_feasible) == (seen.met, seen.is_feasible)
    for method in ("alone", "lp", "union"):
        assert table.row(method).is_feasible
    assert table.row("union").cost <= table.row("lp").cost + 1e-9
    assert table.row("best-equilibrium").status in ("of-all", "none-exists")
