"""A real SuperLink and real SuperNodes, with TLS and registered keys, one of them killed in mid-run."""

import time
from dataclasses import dataclass

import pytest

from fedpact.protocol.flower.app_folder import write_app_folder
from fedpact.protocol.flower.local import LocalDeployment, NodeRefusedError
from fedpact.protocol.flower.run_on_flower import deployment_keys, read_state
from fedpact.protocol.operator.run_state import RunState, RunStatus
from flower_keys import make_node_key
from protocol_runs import ladder, make_home

PATIENCE = {"report": 600, "contribute": 40, "evaluate": 600, "pay": 600}


@dataclass(frozen=True)
class Seen:
    state: RunState
    refused: str
    left: list[int]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the ledger says of a run in which a site was killed after all had reported."""
    home = make_home(tmp_path_factory.mktemp("flower"), ladder(), patience=PATIENCE)
    nodes = [{"site": str(folder)} for folder in home.sites.values()]
    flower = home.folder / "flower"
    with LocalDeployment(flower, nodes, keys=deployment_keys(home), start_within=400) as deployment:
        deployment.submit(write_app_folder(flower / "app", {"operator": str(home.operator)}))
        wait_until(home, lambda state: len(state.reports) == 3)
        deployment.kill_node(0)
        stranger = make_node_key(home.folder / "stranger.key")
        with pytest.raises(NodeRefusedError) as refused:
            deployment.add_node({"site": "nowhere"}, stranger, is_registered=True)
        state = wait_until(home, lambda state: state.status is not RunStatus.RUNNING)
    return Seen(state=state, refused=str(refused.value), left=deployment.pids())


def wait_until(home, is_so, within=500):
    until = time.monotonic() + within
    while True:
        state = read_state(home)
        if state is not None and is_so(state):
            return state
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.2)


def test_a_site_killed_on_the_way_is_planned_around(seen):
    assert seen.state.status is RunStatus.FINISHED
    assert {name: gone.step for name, gone in seen.state.gone.items()} == {"north": "contribute"}
    assert seen.state.contributed == seen.state.plan.contributions
    assert set(seen.state.contributed) == {"south", "west"}


def test_whoever_is_left_is_paid_for_what_it_gave(seen):
    amounts = {name: statement["amount"] for name, statement in seen.state.payments.items()}
    assert amounts == {name: float(count) for name, count in seen.state.contributed.items()}


def test_a_key_that_nobody_registered_is_refused_in_one_line(seen):
    assert "the SuperLink refuses this node: its key is not registered" in seen.refused
    assert "\n" not in seen.refused


def test_nothing_is_left_running(seen):
    assert seen.left == []
