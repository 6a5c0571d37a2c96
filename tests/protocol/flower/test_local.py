"""A real SuperLink and real nodes, with TLS and registered keys, one of them killed in mid-run."""

import time
from dataclasses import dataclass

import psutil
import pytest

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.local import deploy
from fedpact.protocol.flower.run_on_flower import read_state
from fedpact.protocol.flower.superlink import write_app
from fedpact.protocol.keys.key_set import TLS, complete_keys, make_keys
from fedpact.protocol.operator.run_state import RunState, RunStatus
from protocol_runs import ladder, make_home

pytestmark = pytest.mark.slow
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
    let_people_label(home.sites["north"])
    folders = complete_keys(home.keys).folders
    nodes = {folder: home.keys / folders[name] for name, folder in home.sites.items()}
    make_keys(home.folder / "stranger", ["north"])
    stranger = home.folder / "stranger" / "sites" / "north"
    (stranger / "ca.crt").write_bytes((home.keys / TLS / "ca.crt").read_bytes())
    for name in ("signing.key", "signing.pub", "operator.pub"):
        (stranger / name).unlink(missing_ok=True)
    with deploy(home.folder / "flower", nodes, home.keys / TLS, start_within=400) as deployment:
        told = {"operator": str(home.operator)}
        deployment.connection.submit(write_app(home.folder / "flower" / "app", told))
        wait_until(home, lambda state: len(state.reports) == 3)
        kill(deployment.processes.started["node0"].pid)
        with pytest.raises(ProtocolError) as refused:
            deployment.wait_for_node(deployment.launch_node(home.sites["south"], stranger))
        state = wait_until(home, lambda state: state.status is not RunStatus.RUNNING)
    return Seen(state=state, refused=str(refused.value), left=deployment.processes.living())


def let_people_label(site):
    """Leave a site waiting for its labels."""
    text = (site / "site.toml").read_text()
    (site / "site.toml").write_text(text.replace('labels = "labels.csv"\n', "", 1))


def kill(pid):
    """Kill a process and all that it started at once, as a machine that loses power would."""
    process = psutil.Process(pid)
    for one in [*process.children(recursive=True), process]:
        one.kill()


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
    assert "refuses this node: its key is not registered" in seen.refused
    assert "\n" not in seen.refused


def test_nothing_is_left_running(seen):
    assert seen.left == []
