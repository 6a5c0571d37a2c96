from dataclasses import replace
from pathlib import Path

import pytest

from carrier import OPERATOR, Carrier, key_of, run_over, small_federation, with_test_keys
from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.home import RunHome, read_home, read_operator, write_home
from fedpact.protocol.keys.signing import save_key
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.pact import make_pact
from fedpact.protocol.site.simulated_sites import simulate_sites

FED = small_federation()
KEYS = {name: key_of(name).public for name in FED.names}
PACT = make_pact(FED, keys=KEYS, operator=OPERATOR.public, false_alarm_rate=1e-6)


@pytest.fixture
def home(tmp_path):
    key, books = tmp_path / "operator.key", str(tmp_path / "books.db")
    save_key(OPERATOR, key)
    made = RunHome(folder=tmp_path, pact=PACT, ledger=books, key=key, sites={}, keys=tmp_path, entries=0)
    write_home(made)
    return made


def write_again(home, **changes):
    with Ledger.open(home.ledger) as ledger:
        made = replace(home, entries=len(ledger), **changes)
    write_home(made)
    return read_home(home.folder)


def kinds(home):
    with Ledger.open(home.ledger) as ledger:
        return [entry.kind for entry in ledger.entries()]


def run_in(home):
    operator = read_operator(home)
    try:
        sites = with_test_keys(simulate_sites(FED, teacher="none", seed=1))
        return run_over(operator, Carrier(sites, now=1e9))
    finally:
        operator.ledger.close()


def test_a_server_is_started_and_started_again(home):
    first = read_operator(home)
    assert first.state.pact == PACT
    first.ledger.close()
    again = read_operator(home)
    assert again.state.run == first.state.run
    again.ledger.close()
    assert kinds(home) == ["open", "resume"]


def test_a_server_that_is_started_again_after_the_end_pays_nobody_again(home):
    """It may have been killed after its last entry, and whoever watches over it starts it again."""
    first = run_in(home)
    before = kinds(home)
    assert run_in(home) == first
    assert kinds(home) == before
    assert before.count("pay") == 3


def test_a_folder_that_is_written_again_is_another_run(home):
    first = run_in(home)
    again = write_again(home)
    second = run_in(again)
    assert second.run != first.run
    assert run_in(again) == second
    assert kinds(home).count("open") == 2


def test_a_folder_for_a_run_that_is_not_finished(home):
    read_operator(home).ledger.close()
    operator = read_operator(write_again(home))
    operator.ledger.close()
    assert kinds(home) == ["open", "resume"]
    other = make_pact(FED, keys=KEYS, operator=OPERATOR.public)
    with pytest.raises(
        LedgerError, match=f"run '{operator.state.run}' of this ledger is of another pact; take another"
    ):
        read_operator(write_again(home, pact=other))


def test_the_folder_can_be_opened_from_anywhere(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_home(replace(home, ledger="own.db", key=Path("operator.key")))
    kept = read_home(tmp_path)
    assert (kept.ledger, kept.key) == (str(tmp_path / "own.db"), tmp_path / "operator.key")


def test_folders_that_cannot_be_read(home):
    with pytest.raises(ProtocolError, match=r"there is no run at .*; start one with: fedpact run FILE"):
        read_home(home.operator)
    home.key.unlink()
    with pytest.raises(ProtocolError, match=r"operator.key"):
        read_operator(home)
    (home.operator / "run.json").write_text("{")
    with pytest.raises(ProtocolError, match=r"run.json: the home cannot be read: "):
        read_home(home.folder)
