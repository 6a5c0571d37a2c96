"""Where there is no plan, the message names the agent, the pair, and what to raise."""

import pytest

import fedpact as fp
from fedpact.planning.infeasible import unreachable
from fedpact.statistics.weights import JOINT

FED = fp.Federation.from_table(
    [[0, 0], [0, 1]], [[0.5, 0.5], [0.9, 0.1]], epsilon=0.05, delta=0.05, names=["alice", "bob"]
)


def refusal(request):
    with pytest.raises(fp.InfeasibleError) as caught:
        request()
    return caught.value


def test_no_number_of_samples_makes_certain():
    said = refusal(lambda: fp.plan(FED.replace(epsilon=[0.5, 0], objective="expected"), "lp"))
    assert str(said) == (
        "no plan exists: agent 'bob' tolerates no error and no number of samples rules out 'h2' for certain "
        "when 'h1' is the truth; raise its epsilon"
    )
    assert (said.agents, said.pair) == (("bob",), ("h1", "h2"))


def test_capacities_too_small_for_any_plan():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.05, delta=0.05, capacity=4)
    said = refusal(lambda: fp.plan(fed, "exact"))
    assert str(said).startswith("no plan exists: with everybody at capacity 'agent-1' still misses the target")
    assert (said.agents, said.pair) == (("agent-1",), ("h1", "h2"))
    assert fp.plan(fed.replace(delta=0.1), "exact").m.tolist() == [4]


def test_capacities_too_small_for_one_method():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.05, delta=0.05, capacity=5)
    said = refusal(lambda: fp.plan(fed, "lp"))
    assert isinstance(said, fp.errors.NoPlanFoundError)
    assert "it cannot rule out 'h2' for 'agent-1' when 'h1' is the truth; another method may" in str(said)
    assert fp.plan(fed, "exact").m.tolist() == [5]


def test_a_joint_target_is_everybody_s():
    assert unreachable(FED, JOINT, (0, 1), "union").agents == FED.names


def test_capacities_too_small_for_a_cover():
    points = {"alice": range(100), "bob": range(200, 300)}
    capacity = {"alice": 5, "bob": None}
    said = refusal(lambda: fp.planning.plan_cover(points, epsilon=0.2, delta=0.1, gamma=0.02, capacity=capacity))
    first, second = said.pair
    assert str(said) == (
        f"no plan is found: with everybody at capacity too few samples tell {first!r} from {second!r}, which "
        f"agent 'alice' needs; raise a capacity, epsilon or delta, or plan for Federation.from_points"
    )
