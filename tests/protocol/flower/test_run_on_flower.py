"""The same federation and seed, whoever carries the messages: this process, Ray, or a deployment with TLS."""

import pytest

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.local import free_port
from fedpact.protocol.flower.run_on_flower import register_sites, run_in_flower_simulation, run_on_local_flower
from fedpact.protocol.keys.key_set import make_keys
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.runs import read_outcome, run_home
from protocol_runs import ladder, make_home, summary

ENGINES = {"simulation": run_in_flower_simulation, "deployment": run_on_local_flower}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return summary(run_home(make_home(tmp_path_factory.mktemp("here"), ladder(), seed=5)))


def test_the_run_is_worth_comparing(expected):
    assert expected["status"] is RunStatus.FINISHED
    assert sum(expected["contributions"].values()) > 10


@pytest.mark.parametrize("engine", ENGINES)
def test_plan_choice_and_payments_are_the_same_on_flower(tmp_path, expected, engine):
    home = make_home(tmp_path, ladder(), seed=5)
    ENGINES[engine](home, within=600)
    assert summary(read_outcome(home.ledger)) == expected


def test_sites_cannot_be_registered_where_no_superlink_answers(tmp_path):
    make_keys(tmp_path / "keys", ["north", "south"])
    with pytest.raises(ProtocolError, match="no SuperLink answers at localhost"):
        register_sites(tmp_path / "keys", f"localhost:{free_port()}", within=0)
