"""Audits: known lies are found unaided, none where a proof forbids them, and every witness can be replayed."""

from operator import attrgetter

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.audit import search
from fedpact.mechanism.payment.rule import Truthful
from strategies import report_of

NOT_DOMINANT = fp.examples.pwyc_not_dominant()
VCG_FAILS = fp.examples.pwyc_not_dominant("1/20")
ALICE_BOB = fp.examples.alice_bob()
get_name = attrgetter("name")


def random_federation(seed, **options):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    return fp.Federation.from_table(
        rng.integers(0, 2, (int(rng.integers(2, 5)), n)),
        rng.dirichlet(np.ones(n), k),
        **{"cost": rng.uniform(0.05, 0.3, k), "epsilon": 0.1, "delta": 0.2} | options,
    )


def reported(fed, *changes):
    """The federation in which the masses of a witness are claimed."""
    rows = {name: masses for change in changes for name, masses in change.items()}
    points = fed.evidence.points
    return fp.Federation.from_table(
        fed.evidence.labels,
        [
            [rows[name].get(point, 0) for point in points] if name in rows else list(own)
            for name, own in zip(fed.names, fed.evidence.distributions, strict=True)
        ],
        cost=[agent.cost for agent in fed.agents],
        epsilon=fed.epsilon,
        delta=fed.delta,
        names=fed.names,
    )


def utility(fed, claimed, seen, agents):
    bill = fp.settle(claimed, fp.plan(claimed, seen.method), seen.rule, truth=fed)
    return sum(bill.utility[name] for name in agents), list(bill.contributions.values())


def check_witness(fed, seen, lie):
    """Replay a lie about data through public functions alone."""
    before, m_before = utility(fed, reported(fed, lie.given), seen, lie.agents)
    after, m_after = utility(fed, reported(fed, lie.given, lie.reports), seen, lie.agents)
    assert (before, after) == pytest.approx((lie.utility_truthful, lie.utility_lying))
    assert (m_before, m_after) == (
        list(lie.contributions_truthful.values()),
        list(lie.contributions_lying.values()),
    )
    met = fp.verify(fed, m_after).met
    assert met == lie.met_lying
    assert lie.gain > 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lp", "union", "tree", "exact", "auto"])
@pytest.mark.parametrize("fed", [NOT_DOMINANT, ALICE_BOB, fp.examples.expected_min_counterexample()], ids=get_name)
def test_nobody_gains_from_a_lie_among_truthful_agents_under_pwyc(fed, method):
    seen = fp.audit(fed, "pwyc", method=method, n_misreports=100, senses=["ex-post", "coalition"])
    assert seen.gain == seen.gain_coalition == 0
    assert seen.ex_post.tried == 58


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("objective", ["pac", "expected"])
def test_nobody_gains_under_pwyc_in_random_federations(seed, objective):
    method = ("lp", "union", "tree", "exact", "auto")[seed % 5]
    fed = random_federation(seed, objective=objective, guarantee=("per-agent", "joint")[seed % 2])
    rng = np.random.default_rng(seed)
    seen = fp.audit(fed, "pwyc", method=method, n_misreports=50, senses=["ex-post"], rng=rng)
    assert seen.ex_post.tried == 50
    assert seen.gain == 0


@pytest.mark.slow
@pytest.mark.parametrize("terms", [{"fee": 0.5}, {"fee": -2}, {"cost_recovery": 0.1}], ids=str)
@pytest.mark.parametrize("method", ["lp", "exact"])
def test_nobody_gains_under_pwyc_whatever_the_fees(terms, method):
    assert fp.audit(ALICE_BOB, "pwyc", method=method, n_misreports=40, senses=["ex-post"], **terms).gain == 0


@pytest.mark.parametrize("method", ["lp", "union", "exact"])
def test_a2_the_lie_that_answers_a_lie_is_found_unaided(method):
    seen = fp.audit(NOT_DOMINANT, "pwyc", method=method, n_misreports=200)
    assert seen.gain == 0
    assert seen.gain_dominant == pytest.approx(1)
    assert seen.status is fp.mechanism.AuditStatus.DOMINANT_GAIN
    lie = seen.witness
    assert lie.agents == ("agent-2",)
    assert list(lie.given) == ["agent-1"]
    check_witness(NOT_DOMINANT, seen, lie)


def test_a3_vcg_s_profitable_lie_is_found_unaided():
    seen = fp.audit(VCG_FAILS, "vcg", n_misreports=100)
    assert seen.status is fp.mechanism.AuditStatus.EX_POST_GAIN
    lie = seen.witness
    assert lie.agents == ("agent-1",)
    assert (lie.utility_truthful, lie.utility_lying) == (pytest.approx(9 / 5), pytest.approx(39 / 20))
    assert lie.met_lying == {"agent-1": True, "agent-2": False}
    check_witness(VCG_FAILS, seen, lie)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pivot", ["none", "clarke"])
def test_verified_vcg_shows_no_gain_among_truthful_agents(seed, pivot):
    fed = VCG_FAILS if seed == 0 else random_federation(seed)
    seen = fp.audit(fed, "vcg-verified", pivot=pivot, n_misreports=40, senses=["ex-post"])
    assert seen.gain == 0
    assert seen.pivot == pivot


@pytest.mark.parametrize("seed", range(6))
def test_threshold_shows_no_gain_from_costs_whatever_the_others_claim(seed):
    seen = fp.audit(random_federation(seed), "threshold", ceiling=5, n_misreports=120)
    assert seen.gain == seen.gain_dominant == 0
    assert (seen.private, seen.method) == ("costs", "lp")


@pytest.mark.parametrize("rule", ["vcg", "vcg-verified"])
def test_vcg_is_truthful_about_costs_where_data_are_known(rule):
    seen = fp.audit(random_federation(1), rule, private="costs", senses=["ex-post", "dominant"], n_misreports=60)
    assert (seen.gain, seen.gain_dominant, seen.truthful) == (0, 0, Truthful.DOMINANT)


def test_a_dear_agent_does_not_hide_the_gain_of_a_cheap_one():
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2),
        [[0.7, 0.3], [0.3, 0.7], [0.5, 0.5]],
        cost=[1, 1, 1e8],
        epsilon=0.1,
        delta=0.05,
    )
    assert fp.audit(fed, "none", n_misreports=60).gain >= 1


def test_verified_vcg_says_what_it_needs_where_somebody_cannot_serve_itself():
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]], cost=1, epsilon=[0.5, 0.1], delta=0.1, capacity=[None, 0]
    )
    seen = fp.audit(fed, "vcg-verified", n_misreports=40)
    assert seen.gain > 0
    assert seen.truthful is Truthful.EX_POST_IF_WORTH_IT


def test_paying_reported_costs_invites_higher_reports():
    seen = fp.audit(ALICE_BOB, "pwyc", private="costs", n_misreports=60)
    lie = seen.witness
    assert seen.status is fp.mechanism.AuditStatus.EX_POST_GAIN
    (claimed,) = [report["cost"] for report in lie.reports.values()]
    (name,) = lie.agents
    assert lie.gain == pytest.approx((claimed - 1) * lie.contributions_lying[name])


@pytest.mark.parametrize("rule", ["none", "equal-split", "proportional"])
def test_the_foils_are_caught(rule):
    seen = fp.audit(ALICE_BOB, rule, n_misreports=100)
    assert seen.gain > 0
    check_witness(ALICE_BOB, seen, seen.ex_post.witness)
    check_witness(ALICE_BOB, seen, seen.pair.witness)


def test_two_names_are_paid_twice_under_vcg():
    seen = fp.audit(ALICE_BOB, "vcg", n_misreports=20)
    lie = seen.split.witness
    (name,) = lie.agents
    assert list(lie.reports) == [name, f"{name} (2)"]
    # Both names are paid Bob's worth, and each that of the other.
    assert seen.split.gain > 28


def test_two_names_pay_two_fees_and_get_two_subsidies():
    paid = fp.audit(ALICE_BOB, "pwyc", fee=-1, n_misreports=20).split
    assert paid.gain == pytest.approx(1)
    assert fp.audit(ALICE_BOB, "pwyc", fee=1, n_misreports=20).split.gain == 0


def test_predictions_are_audited_on_the_points_that_tell_hypotheses_apart():
    rng = np.random.default_rng(2)
    fed = fp.Federation.from_predictions(
        {"here": rng.integers(0, 2, (3, 12)), "there": rng.integers(0, 2, (3, 9))}, epsilon=0.1, delta=0.2
    )
    seen = fp.audit(fed, "none", n_misreports=60)
    assert seen.gain > 0
    for report in seen.witness.reports.values():
        assert sum(report.values()) == pytest.approx(1)
    assert fp.audit(fed, "pwyc", n_misreports=60).gain == 0


def test_reports_are_audited_by_their_rates_and_gains_are_certain():
    rng = np.random.default_rng(3)
    labels = {"here": rng.integers(0, 2, (4, 30)), "there": rng.integers(0, 2, (4, 20))}
    fed = fp.Federation.from_reports(
        [report_of(name, own) for name, own in labels.items()], epsilon=0.1, delta=0.2
    )
    exact = fp.Federation.from_predictions(labels, epsilon=0.1, delta=0.2)
    assert fp.audit(fed, "pwyc", n_misreports=60).gain == 0
    lie = fp.audit(fed, "none", n_misreports=60).witness
    assert any(lie.met_lying.values())
    sizes = {"here": 30, "there": 20}
    for name, rates in lie.reports.items():
        counts = np.array(list(rates.values())) * sizes[name]
        assert counts == pytest.approx(np.rint(counts))
        assert counts.max() <= sizes[name]
    assert all(
        exact_met >= met
        for exact_met, met in zip(
            fp.verify(exact, lie.contributions_lying).met.values(), lie.met_lying.values(), strict=True
        )
    )
    assert lie.gain > 0


def test_one_agent_has_nobody_to_lie_to():
    seen = fp.audit(fp.examples.coupon_collector(), "pwyc", n_misreports=30)
    assert (seen.dominant.tried, seen.pair.tried) == (0, 0)
    assert (seen.ex_post.tried, seen.split.tried) == (24, 6)


@pytest.mark.parametrize(
    ("senses", "tried"),
    [
        (["ex-post"], (30, 0, 0, 0)),
        (["dominant"], (0, 30, 0, 0)),
        (["coalition"], (0, 0, 20, 10)),
        (["ex-post", "coalition"], (18, 0, 8, 4)),
    ],
)
def test_only_the_senses_are_searched_that_were_asked_for(senses, tried):
    seen = fp.audit(NOT_DOMINANT, n_misreports=30, senses=senses)
    assert (seen.ex_post.tried, seen.dominant.tried, seen.pair.tried, seen.split.tried) == tried


@pytest.mark.parametrize("reports", [1, 2, 3, 7, 50])
def test_as_many_reports_are_tried_as_were_asked_for(reports):
    calls = []
    seen = fp.audit(NOT_DOMINANT, n_misreports=reports, progress=lambda done, total: calls.append((done, total)))
    assert seen.tried == reports
    assert calls == [(done, reports) for done in range(1, reports + 1)]
    assert seen.is_complete


def test_the_same_seed_gives_the_same_audit():
    one, two = (fp.audit(ALICE_BOB, "none", n_misreports=40, rng=np.random.default_rng(5)) for _ in range(2))
    assert one == two


def test_an_audit_that_is_stopped_keeps_what_it_found():
    seen = fp.audit(NOT_DOMINANT, n_misreports=100_000, time_limit=0.3)
    assert not seen.is_complete
    tried = (seen.ex_post.tried, seen.dominant.tried, seen.pair.tried, seen.split.tried)
    assert tried == tuple(sorted(tried, reverse=True))  # the senses take turns
    assert tried[-1] > 0

    def interrupt(done, total):
        if done == 40:
            raise KeyboardInterrupt

    seen = fp.audit(VCG_FAILS, "vcg", n_misreports=100, progress=interrupt)
    assert seen.gain == pytest.approx(0.15)
    assert not seen.is_complete


def test_lies_whose_optimum_cannot_be_proved_are_left_out(monkeypatch):
    import fedpact.mechanism.audit.trial as trial

    def plan_badly(fed, method, time_limit):
        return fp.plan(fed, "exact" if fed.evidence is VCG_FAILS.evidence else "lp")

    monkeypatch.setattr(trial, "plan", plan_badly)
    seen = fp.audit(VCG_FAILS, "vcg", n_misreports=40)
    assert 0 < seen.undecided <= 40
    assert seen.tried == 40


REFUSED = [
    ({"n_misreports": 0}, "n_misreports must be 1 or more; it is 0"),
    ({"n_misreports": 10**30}, "n_misreports must be at most 1,000,000,000"),
    ({"private": []}, "private must be one of"),
    ({"n_misreports": "many"}, "n_misreports must be a number"),
    ({"rule": "bribe"}, "rule must be one of"),
    ({"method": "guess"}, "method must be one of"),
    ({"rule": "threshold", "method": "union"}, "method is given by the rule"),
    ({"senses": ["moral"]}, "senses must be some of ex-post, dominant, coalition; they are"),
    ({"senses": "dominant"}, "senses must be some of"),
    ({"private": "age"}, "private must be one of data, costs; it is 'age'"),
    ({"rule": "threshold", "private": "data"}, "ceiling must be given"),
    ({"rule": "vcg", "method": "lp"}, "'vcg' needs the exact optimum"),
    ({"fee": 1, "rule": "none"}, "fee belongs to rule pwyc"),
    ({"time_limit": 0}, "time_limit must be above 0, an audit that tries nothing says nothing; it is 0"),
    ({"fee": 30}, "would rather leave"),
]


def test_bad_requests_are_one_sentence():
    for options, sentence in REFUSED:
        with pytest.raises(fp.FederationError, match=sentence):
            fp.audit(ALICE_BOB, **options)


def test_one_agent_cannot_answer_a_lie():
    with pytest.raises(fp.FederationError, match="'dominant' alone where there is one agent: nobody else can lie"):
        fp.audit(fp.examples.coupon_collector(), senses=["dominant"])


def test_the_lie_that_answers_a_lie_is_found_where_few_are_kept(monkeypatch):
    monkeypatch.setattr(search, "_BASES", 1)
    assert fp.audit(NOT_DOMINANT, "pwyc", method="lp", n_misreports=200).gain_dominant == pytest.approx(1)


def test_costs_that_are_no_single_number_cannot_be_private():
    with pytest.raises(fp.FederationError, match="private costs must be one number per sample"):
        fp.audit(ALICE_BOB.replace(cost={"quadratic": [1, 1]}), private="costs")


def test_an_infeasible_federation_has_no_audit():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1, capacity=1)
    with pytest.raises(fp.InfeasibleError):
        fp.audit(fed)


def test_a_rule_of_one_s_own_is_audited_like_one_that_is_built_in():
    built_in = fp.audit(ALICE_BOB, "equal-split", n_misreports=60)
    own = fp.audit(ALICE_BOB, lambda m: m - m.mean(), n_misreports=60)
    assert own.witness == built_in.witness
    assert (own.gain, own.gain_dominant, own.gain_coalition) == (
        built_in.gain, built_in.gain_dominant, built_in.gain_coalition
    )  # fmt: skip
    assert (own.rule, own.truthful, own.gain > 0) == ("own", Truthful.NO, True)


def test_a_rule_of_one_s_own_must_pay_everybody():
    with pytest.raises(fp.FederationError, match="one finite number for each of 2 agents"):
        fp.audit(ALICE_BOB, lambda m: [1.0], n_misreports=10)
    with pytest.raises(fp.FederationError, match="fee belongs to rule pwyc; the rule is 'own'"):
        fp.audit(ALICE_BOB, lambda m: m, fee=1, n_misreports=10)
