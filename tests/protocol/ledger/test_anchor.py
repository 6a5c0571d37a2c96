"""An older copy of the books in their place is seen, and pays nobody again."""

import shutil
import time

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.errors import LedgerError
from fedpact.protocol.home import prepare_home, read_home, read_operator
from fedpact.protocol.ledger.anchor import FILE
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.runs import read_outcome, run_home
from fedpact.protocol.site.simulated_sites import simulate_sites
from protocol_runs import make_home


@pytest.fixture
def paid(tmp_path):
    """A finished run, and a copy of its books from before anybody was paid."""
    home = make_home(tmp_path / "home", alice_bob())
    kept = tmp_path / "kept.db"

    def watch(state, pending):
        if not state.payments:
            shutil.copy(home.ledger, kept)

    assert run_home(home, watch=watch).status is RunStatus.FINISHED
    return home, kept


def test_a_copy_from_before_the_payment_is_refused(paid):
    home, kept = paid
    shutil.copy(kept, home.ledger)
    for where in (lambda: run_home(home), lambda: read_operator(read_home(home.folder))):
        with pytest.raises(LedgerError, match="an older copy was put in its place, and to go on would pay again"):
            where()
    assert read_outcome(home.ledger).payments == {}, "and nothing was written"


def test_whoever_settled_otherwise_may_go_on(paid):
    home, kept = paid
    shutil.copy(kept, home.ledger)
    (home.folder / FILE).unlink()
    assert run_home(home).status is RunStatus.FINISHED


def test_the_books_as_they_were_are_gone_on_with(paid):
    home, _ = paid
    assert run_home(home).status is RunStatus.FINISHED
    operator = read_operator(home)
    with operator.ledger as ledger:
        ledger.append("refuse", {"code": "malformed", "values": {"detail": "x"}}, run="r", at=time.time())
    assert str(len(operator.ledger)) in (home.folder / FILE).read_text()


def test_other_books_of_the_same_length_are_refused(paid, tmp_path):
    home, _ = paid
    other = make_home(tmp_path / "other", alice_bob())
    run_home(other)
    shutil.copy(other.ledger, home.ledger)
    with pytest.raises(LedgerError, match="is not the ledger that"):
        run_home(home)


@pytest.mark.parametrize("how", ["relative", "link"])
def test_another_way_to_write_its_path_is_the_same_ledger(paid, tmp_path, monkeypatch, how):
    home, kept = paid
    shutil.copy(kept, home.ledger)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.db").symlink_to(home.ledger)
    named = "home/ledger.db" if how == "relative" else "link.db"
    with pytest.raises(LedgerError, match="an older copy was put in its place"):
        prepare_home(home.folder, home.pact, simulate_sites(alice_bob()), ledger=named)


def test_a_head_that_is_damaged_is_one_line(paid):
    home, _ = paid
    (home.folder / FILE).write_text('{"format": 1, "entries": "x"}')
    with pytest.raises(LedgerError, match=r"head\.json is malformed"):
        run_home(home)
