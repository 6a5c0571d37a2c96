"""A run whose operator is another process: followed by its books, and the same whoever carries the messages."""

import time
from dataclasses import replace

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import ProtocolError
from fedpact.protocol.flower import run_on_flower as module
from fedpact.protocol.flower.processes import free_port
from fedpact.protocol.flower.run_on_flower import (
    read_state,
    register_sites,
    run_at_superlink,
    run_in_flower_simulation,
    run_on_local_flower,
)
from fedpact.protocol.flower.server_app import FILE, WaitsWriter, read_waits
from fedpact.protocol.flower.superlink import SuperLinkConnection
from fedpact.protocol.home import read_home, read_operator
from fedpact.protocol.keys.key_set import make_keys
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.runs import read_outcome, run_home
from protocol_runs import ladder, make_home, summary

HERE = "127.0.0.1:9092"


@pytest.fixture
def second(tmp_path):
    """A home whose first run is finished, and whose second is prepared; and the first run's name."""
    first = run_home(make_home(tmp_path, alice_bob()))
    assert first.status is RunStatus.FINISHED
    return make_home(tmp_path, alice_bob()), first.run


class Sleeps:
    """Stands for time: something else happens while somebody sleeps."""

    def __init__(self, *happens):
        self.happens, self.count = list(happens), 0

    def __call__(self, seconds):
        self.count += 1
        assert self.happens, "it sleeps again, and nothing is to come"
        self.happens.pop(0)()


@pytest.fixture
def superlink(monkeypatch):
    monkeypatch.setattr(module, "insist_on_health", lambda connection: None)
    monkeypatch.setattr(SuperLinkConnection, "submit", lambda self, app, **_: "1")
    monkeypatch.setattr(SuperLinkConnection, "is_over", lambda self, run: False)


def follow(home, watch=None):
    run_at_superlink(home, HERE, watch=watch, has_tls=False, within=60)


def test_a_second_run_in_a_home_is_not_taken_for_the_first(second, superlink, monkeypatch):
    home, first = second
    assert read_state(home) is None
    sleeps = Sleeps(lambda: run_home(home))
    monkeypatch.setattr(module.time, "sleep", sleeps)
    seen = []
    follow(home, lambda state, pending: seen.append(state))
    assert sleeps.count == 1
    assert [(state.run != first, state.status) for state in seen] == [(True, RunStatus.FINISHED)]


def test_an_operator_that_never_began_its_run_does_not_show_the_one_before(second, superlink, monkeypatch):
    monkeypatch.setattr(module, "_ASK_EVERY", -1.0)
    monkeypatch.setattr(SuperLinkConnection, "is_over", lambda self, run: True)
    with pytest.raises(ProtocolError, match=r"ended before the run did; its log is in .*flower"):
        follow(second[0])


def test_what_is_written_while_flower_is_asked_is_read(second, superlink, monkeypatch):
    """A run whose last entry came between the look at the books and the question was called lost."""
    home, _ = second
    monkeypatch.setattr(module, "_ASK_EVERY", -1.0)
    monkeypatch.setattr(SuperLinkConnection, "is_over", lambda self, run: bool(run_home(home)))
    follow(home)
    assert read_state(home).status is RunStatus.FINISHED


def stop_the_run(home):
    """Let all sites be gone, so that there is no plan."""
    operator, now = read_operator(home), time.time()
    with operator.ledger:
        while not operator.is_over:
            operator.advance(now)
            now += 1e6
    assert operator.state.status is RunStatus.STOPPED


def test_a_run_that_was_stopped_is_followed_once_it_goes_on(tmp_path, superlink, monkeypatch):
    home = make_home(tmp_path, alice_bob())
    stop_the_run(home)
    sleeps = Sleeps(lambda: None, lambda: run_home(home))
    monkeypatch.setattr(module.time, "sleep", sleeps)
    follow(home)
    assert sleeps.count == 2
    assert read_state(home).status is RunStatus.FINISHED


def test_a_run_that_stops_again_is_over(tmp_path, superlink, monkeypatch):
    home = make_home(tmp_path, alice_bob())
    stop_the_run(home)
    monkeypatch.setattr(module.time, "sleep", Sleeps(lambda: stop_the_run(home)))
    follow(home)
    with Ledger.open(home.ledger) as ledger:
        assert "resume" in [entry.kind for entry in ledger.entries()]


@pytest.mark.parametrize("start", [run_on_local_flower, run_in_flower_simulation])
def test_nothing_is_started_here_for_sites_that_are_elsewhere(tmp_path, monkeypatch, start):
    monkeypatch.setattr(module, "deploy", None)
    home = replace(make_home(tmp_path, alice_bob()), sites={})
    with pytest.raises(ProtocolError) as refused:
        start(home)
    assert str(refused.value) == (
        "the sites of this run are not on this machine; give the SuperLink that they joined: --superlink HOST:PORT"
    )
    assert not (tmp_path / "flower").exists()


@pytest.fixture
def begun(tmp_path):
    """A home whose run has asked every site for its report, and how that run stands."""
    home = make_home(tmp_path, alice_bob())
    operator = read_operator(home)
    with operator.ledger:
        operator.advance(time.time())
    return read_home(tmp_path), operator.state


def test_whoever_follows_is_told_what_sites_wait_for(begun, superlink, monkeypatch):
    home, state = begun
    ask = state.open[0]
    write, seen = WaitsWriter(home.operator), []
    write(state, {ask.request: "3 of 19 samples have no label yet", "of another time": "nothing"})
    monkeypatch.setattr(module.time, "sleep", Sleeps(lambda: write(state, {}), lambda: run_home(home)))
    follow(home, lambda state, pending: seen.append(pending))
    assert seen == [{ask.request: "3 of 19 samples have no label yet"}, {}, {}]


def test_the_file_is_written_when_it_changes_and_only_then(begun):
    home, state = begun
    write, path = WaitsWriter(home.operator), home.operator / FILE
    write(state, {})
    written = path.stat().st_ino
    write(state, {})
    assert path.stat().st_ino == written
    write(state, {state.open[0].request: "no label yet"})
    assert path.stat().st_ino != written


@pytest.mark.parametrize(
    "text", [None, "", "[]", "{", '{"run": "of another run", "pending": {"REQUEST": "old"}}', '{"pending": {}}']
)
def test_what_is_not_of_this_run_is_not_told(begun, text):
    home, state = begun
    if text is not None:
        (home.operator / FILE).write_text(text.replace("REQUEST", state.open[0].request))
    assert read_waits(home.operator, state) == {}


def test_a_file_that_cannot_be_written_stops_no_run(begun, caplog):
    home, state = begun
    WaitsWriter(home.operator / "nowhere")(state, {})
    assert "nobody is told what sites wait for" in caplog.text


ENGINES = {"simulation": run_in_flower_simulation, "deployment": run_on_local_flower}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return summary(run_home(make_home(tmp_path_factory.mktemp("here"), ladder(), seed=5)))


def test_the_run_is_worth_comparing(expected):
    assert expected["status"] is RunStatus.FINISHED
    assert sum(expected["contributions"].values()) > 10


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_plan_choice_and_payments_are_the_same_on_flower(tmp_path, expected, engine):
    home = make_home(tmp_path, ladder(), seed=5)
    ENGINES[engine](home, within=600)
    assert summary(read_outcome(home.ledger)) == expected


class LeftError(Exception):
    """Stands for Ctrl-C."""


@pytest.mark.slow
def test_a_run_that_was_left_goes_on_at_once(tmp_path, expected):
    """Nodes that were ended without a goodbye counted as connected for a minute, and others were refused."""
    home = make_home(tmp_path, ladder(), seed=5)

    def leave(state, pending):
        if state.reports:
            raise LeftError

    for _ in range(2):
        with pytest.raises(LeftError):
            run_on_local_flower(home, watch=leave, within=300)
    run_on_local_flower(home, within=300)
    assert summary(read_outcome(home.ledger)) == expected


def test_sites_cannot_be_registered_where_no_superlink_answers(tmp_path):
    make_keys(tmp_path / "keys", ["north", "south"])
    with pytest.raises(ProtocolError, match="no SuperLink answers at localhost"):
        register_sites(tmp_path / "keys", f"localhost:{free_port()}", within=0)
