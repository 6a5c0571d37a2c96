"""Plans where nothing is assumed of labels."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.planning.result import BoundBy, Proof
from fedpact.statistics.regret_tails import regret_tails
from noisy import noisy_federation


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
@pytest.mark.parametrize("seed", [0, 1])
def test_everybody_labels_what_its_own_tails_ask_for(seed, guarantee):
    fed = noisy_federation(seed, guarantee=guarantee, n=1000)
    found = fp.plan(fed, assume="agnostic")
    own = fed.replace(assume="agnostic")
    delta = 0.05 if guarantee == "per-agent" else 1 - 0.95 ** (1 / fed.k)
    assert found.m.tolist() == [regret_tails(own, agent).need(delta) for agent in range(fed.k)]
    assert fp.verify(own, found.m).is_feasible
    assert (found.assume, found.noise, found.proved_by, found.lower_bound_by) == (
        "agnostic",
        None,
        Proof.TAILS,
        BoundBy.ALONE,
    )
    assert found.lower_bound == fed.cost_of(list(fp.game.standalone(fed).values()))
    if guarantee == "per-agent":
        assert list(fp.game.standalone(own).values()) == found.m.tolist()
        assert not fp.verify(own, found.m - 1).met["site-0"]


def test_reports_are_planned_for_as_predictions_are():
    fed = noisy_federation(3, n=1000)
    sent = [fp.report(labels, name=name) for name, labels in fed.labels.items()]
    known = fp.Federation.from_reports(sent, epsilon=0.15, delta=0.05)
    assert fp.plan(known, assume="agnostic").contributions == fp.plan(fed, assume="agnostic").contributions
    careful = fp.plan(known, assume="agnostic", confidence=0.9)
    assert (careful.m > fp.plan(known, assume="agnostic").m).all()
    assert (careful.status, careful.more_points) == ("confident", ())


@pytest.mark.parametrize("method", ["lp", "union"])
def test_nobody_labels_more_than_all_of_its_points(method):
    fed = noisy_federation(0, assume="agnostic")
    found = fp.plan(fed, method)
    assert found.m.tolist() == [40, 40, 40]
    seen = fp.verify(fed, found.m)
    assert (seen.is_feasible, {one.high for one in seen.failure.values()}) == (True, {0.0})
    assert not fp.verify(fed, found.m - 1).is_feasible
    assert fp.plan(fed, method, confidence=0.9).m.min() > 40
    assert found.lower_bound <= found.cost
    sent = fp.Federation.from_reports(
        [fp.report(labels, name=name) for name, labels in fed.labels.items()], epsilon=0.15, delta=0.05
    )
    assert fp.plan(sent, method, assume="agnostic").m.tolist() == [40, 40, 40]
    assert fp.plan(fed.replace(epsilon=0), method).m.tolist() == [40, 40, 40]


def test_one_row_for_each_pair_asks_for_more():
    fed = noisy_federation(2, n=1000, assume="agnostic")
    assert (fp.plan(fed, "lp").m >= fp.plan(fed, "union").m).all()
    assert fp.plan(fed, "auto").m.tolist() == fp.plan(fed, "union").m.tolist()


def test_what_is_contributed_already_counts():
    found = fp.plan(alice_bob(), assume="agnostic", at_least={"alice": 5000})
    assert found.contributions["alice"] == 5000
    assert found.lower_bound == 5000 + fp.game.standalone(alice_bob())["bob"]


def test_costs_of_any_size_bound_from_below():
    cheap = fp.plan(alice_bob().replace(cost=[1e-9, 3e-9]), assume="agnostic")
    plain = fp.plan(alice_bob().replace(cost=[1, 3]), assume="agnostic")
    assert cheap.lower_bound == pytest.approx(1e-9 * plain.lower_bound)
    assert cheap.cost == pytest.approx(1e-9 * plain.cost)


def test_who_has_to_do_nothing():
    assert fp.plan(alice_bob().replace(epsilon=1), assume="agnostic").status == "nothing-needed"


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"capacity": [3, None]}, "capacity", "no plan exists: with everybody at capacity 'alice'"),
        ({"capacity": [100, None]}, "no-plan-found", "method 'auto' cannot prove any plan within the capacities"),
        ({"epsilon": [0, 0.1]}, "certainty", "no plan exists: agent 'alice' tolerates no error"),
    ],
)
def test_who_cannot_is_named_with_the_pair(change, code, said):
    with pytest.raises(fp.InfeasibleError, match=f"^{said}") as caught:
        fp.plan(alice_bob().replace(**change), assume="agnostic")
    assert (caught.value.code, caught.value.agents) == (code, ("alice",))
    assert len(caught.value.pair) == 2


@pytest.mark.parametrize("method", ["tree", "exact"])
@pytest.mark.parametrize("assumed", [{"assume": "agnostic"}, {"noise": 0.1}])
def test_planners_that_do_not_hold_are_refused_in_one_line(method, assumed):
    with pytest.raises(
        FederationError, match=rf"^method '{method}' is proved for assume 'realizable' only, and it is '"
    ):
        fp.plan(alice_bob(), method, **assumed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"noise": 0.5}, "noise must"),
        ({"noise": -0.1}, "noise must"),
        ({"noise": 0.1, "assume": "agnostic"}, "noise is for assume 'noisy'; with assume 'agnostic' leave it out"),
        ({"assume": "noisy"}, "assume 'noisy' needs noise"),
        ({"assume": "hopeful"}, "assume must be"),
        (
            {"assume": "agnostic", "teacher": "xA"},
            "a teacher labels as one of the hypotheses; with assume 'agnostic'",
        ),
    ],
)
def test_bad_requests_are_refused_in_one_line(options, said):
    for ask in (fp.plan, fp.compare, lambda fed, **more: fp.verify(fed, [1, 1], **more)):
        with pytest.raises(FederationError, match=f"^{said}") as caught:
            ask(alice_bob(), **options)
        assert "\n" not in str(caught.value)


def test_the_expected_objective_needs_a_right_candidate():
    with pytest.raises(FederationError, match="objective 'expected' needs assume 'realizable'"):
        fp.plan(alice_bob().replace(objective="expected"), noise=0.1)


@pytest.mark.slow
def test_regret_is_within_epsilon_where_the_best_is_only_just_better():
    """Two candidates that are right by turns: their errors differ by hardly more than epsilon."""
    p, epsilon, delta, runs = 0.4, 0.1, 0.05, 4000
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[1 - p, p]], epsilon=epsilon, delta=delta, assume="agnostic")
    m = fp.plan(fed).m[0]
    rng = np.random.default_rng(0)
    right = (p + epsilon + 1e-6) / 2
    counts = rng.multinomial(m, [right, p - right, 1 - p], size=runs)
    missed = (counts[:, 0] <= counts[:, 1]).mean()
    assert delta / 2 < missed <= delta + 4 * np.sqrt(delta / runs)


def test_who_labels_all_of_its_points_leaves_delta_to_the_others():
    rng = np.random.default_rng(8)
    sizes = {"large": 4000, "small": 20, "tiny": 12}
    says = {name: rng.random((3, n)) < np.array([[0.1], [0.3], [0.4]]) for name, n in sizes.items()}
    fed = fp.Federation.from_predictions(
        {name: own.astype(int) for name, own in says.items()}, epsilon=0.1, delta=0.05, guarantee="joint"
    ).replace(assume="agnostic")
    found = fp.plan(fed)
    assert found.m[1:].tolist() == [20, 12]
    assert found.m[0] == regret_tails(fed, 0).need(0.05)
    assert fp.verify(fed, found.m).is_feasible
    fewer = found.m - np.array([1, 0, 0])
    assert not fp.verify(fed, fewer).is_feasible
    tight = fed.replace(capacity=found.m.tolist())
    assert fp.plan(tight).m.tolist() == found.m.tolist()
