"""Everything that a run needs, in one folder: made, found again, used twice, and never written over in use."""

import json
import shutil
from dataclasses import replace

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.errors import LedgerError, ProtocolError
from fedpact.protocol.home import hold_home, prepare_home, read_home, read_operator
from fedpact.protocol.keys.key_set import add_keys, make_keys
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import read_outcome, run_home
from fedpact.protocol.site.simulated_sites import simulate_sites
from fedpact.protocol.site.site_files import read_site

FED = alice_bob()


def prepare(folder, seed=1, **options):
    sites = simulate_sites(FED, teacher="xA", seed=seed)
    return prepare_home(folder, make_pact(FED, method="tree"), sites, **options)


def entries(where):
    with Ledger.open(where) as ledger:
        return [(entry.run, entry.kind) for entry in ledger.entries()]


def test_what_is_prepared_is_found_again_by_its_folder_and_by_its_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home = prepare("there")
    assert (home.folder, home.ledger) == (tmp_path / "there", str(tmp_path / "there" / "ledger.db"))
    assert home.sites == {name: tmp_path / "there" / "sites" / name for name in ("alice", "bob")}
    assert set(home.pact.keys) == {"alice", "bob"}
    for where in ("there", home.folder, home.ledger):
        assert read_home(where) == home
    for name, folder in home.sites.items():
        site = read_site(folder)
        assert (site.name, site.key.public, site.operator) == (name, home.pact.keys[name], home.pact.operator)


def test_nothing_is_asked_before_it_runs(tmp_path):
    home = prepare(tmp_path)
    assert entries(home.ledger) == []
    outcome = run_home(home)
    assert outcome.status is RunStatus.FINISHED
    assert outcome.contributions == {"alice": 3, "bob": 2}
    assert read_outcome(home.ledger) == outcome
    assert run_home(read_home(tmp_path)) == outcome, "a finished run stays so"
    keys = {path.name for path in home.keys.rglob("*") if path.is_file()}
    assert keys == {"public-keys.json", "signing.key", "signing.pub", "operator.pub"}, (
        "nothing that only Flower needs"
    )


def test_two_runs_in_one_home_are_two_runs_in_one_ledger_with_the_same_keys(tmp_path):
    first = run_home(prepare(tmp_path))
    with pytest.raises(ProtocolError, match="is finished, and everybody is paid; to run and pay once more"):
        prepare(tmp_path, seed=2)
    again = prepare(tmp_path, seed=2, rerun=True)
    second = run_home(again)
    kept = entries(again.ledger)
    assert [run for run, kind in kept if kind == "open"] == [first.run, second.run]
    assert [run for run, kind in kept if kind == "close"] == [first.run, second.run]
    assert first.run != second.run
    with Ledger.open(again.ledger) as ledger:
        one, two = (entry.body["pact"] for entry in ledger.entries() if entry.kind == "open")
    assert one["keys"] == two["keys"]
    assert check_books(again.ledger).is_sound


def test_a_run_that_is_not_finished_is_not_written_over(tmp_path):
    home = prepare(tmp_path)
    read_operator(home).ledger.close()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.suffix in (".toml", ".json")}
    for seed in (1, 2):
        with pytest.raises(ProtocolError, match="is not finished; continue it with: fedpact run --resume"):
            prepare(tmp_path, seed=seed)
    assert {path: path.read_bytes() for path in before} == before
    assert run_home(read_home(tmp_path)).status is RunStatus.FINISHED
    prepare(tmp_path, rerun=True)


def test_books_elsewhere(tmp_path):
    books = tmp_path / "office" / "books.db"
    books.parent.mkdir()
    home = prepare(tmp_path / "home", ledger=str(books))
    outcome = run_home(home)
    assert not (tmp_path / "home" / "ledger.db").exists()
    assert read_outcome(str(books)) == outcome
    assert read_home(tmp_path / "home").ledger == str(books)
    with pytest.raises(ProtocolError, match=r"books.db is kept apart from its run; give the folder of the run"):
        read_home(books)


def test_keys_that_are_there_are_used_and_a_site_without_is_named(tmp_path):
    made = make_keys(tmp_path / "keys", ["alice"])
    with pytest.raises(ProtocolError, match="has no keys of site 'bob'; make them with: fedpact keys add"):
        prepare(tmp_path / "home", keys=tmp_path / "keys")
    assert not (tmp_path / "home" / "operator").exists()
    added = add_keys(tmp_path / "keys", ["bob"])
    home = prepare(tmp_path / "home", keys=tmp_path / "keys")
    assert (home.keys, home.pact.operator) == (tmp_path / "keys", made.operator)
    assert home.pact.keys == {"alice": made.sites["alice"], "bob": added.sites["bob"]}
    assert not (tmp_path / "home" / "keys").exists()
    assert run_home(home).status is RunStatus.FINISHED


def test_sites_of_other_machines_have_no_folder_here(tmp_path):
    home = prepare_home(tmp_path, make_pact(FED))
    assert home.sites == {}
    with pytest.raises(ProtocolError, match="site 'alice' is not on this machine; run where it has joined"):
        run_home(home)
    assert entries(home.ledger) == [], "what cannot be run is not begun"


def test_the_home_of_another_federation_is_not_taken(tmp_path):
    prepare(tmp_path)
    other = Federation.from_table([[0, 0], [0, 1]], [[1.0, 0.0], [0.5, 0.5]], epsilon=0.1, delta=0.1)
    with pytest.raises(ProtocolError, match="is the home of 'alice-bob' with the sites alice, bob; take another"):
        prepare_home(tmp_path, make_pact(other))


def test_books_elsewhere_stay_there_for_the_next_run(tmp_path):
    books = tmp_path / "books.db"
    run_home(prepare(tmp_path / "home", ledger=str(books)))
    assert prepare(tmp_path / "home", rerun=True).ledger == str(books)


def test_keys_that_are_not_where_they_are_said_to_be_are_not_made(tmp_path):
    with pytest.raises(ProtocolError, match=r"there are no keys in .*typo; make them with: fedpact keys make"):
        prepare(tmp_path / "home", keys=tmp_path / "typo")
    assert not (tmp_path / "typo").exists()


def test_a_home_is_one_process_s_at_a_time(tmp_path):
    with hold_home(tmp_path), pytest.raises(ProtocolError, match="another process is at work in"):
        hold_home(tmp_path).__enter__()
    with hold_home(tmp_path):
        pass


def test_a_file_is_no_home(tmp_path):
    (tmp_path / "file").write_text("")
    for take in (prepare, lambda folder: hold_home(folder).__enter__()):
        with pytest.raises(ProtocolError, match="file: File exists; name a folder"):
            take(tmp_path / "file")


def test_a_password_is_not_shown_and_not_for_others_to_read(tmp_path):
    home = replace(prepare(tmp_path), ledger="postgresql://op:secret@127.0.0.1/books")
    assert home.books == "postgresql+psycopg://op:***@127.0.0.1/books"
    assert prepare(tmp_path / "two").operator.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_ledger_and_a_database_have_no_home(tmp_path):
    (tmp_path / "people.toml").write_text("name = 'x'")
    with pytest.raises(LedgerError, match=r"people.toml is not a ledger"):
        read_home(tmp_path / "people.toml")
    with pytest.raises(ProtocolError, match="a database does not say where the home of its run is"):
        read_home("postgresql://op@127.0.0.1/books")


def test_names_that_are_no_names_of_folders(tmp_path):
    labels, masses = [[0, 0], [0, 1]], [[0.5, 0.5], [0.2, 0.8]]
    fed = Federation.from_table(labels, masses, epsilon=0.1, delta=0.1, names=["../ward 1", "ward/1"])
    home = prepare_home(tmp_path, make_pact(fed), simulate_sites(fed))
    assert sorted(folder.name for folder in home.sites.values()) == ["ward-1", "ward-1-2"]
    assert {folder.parent for folder in home.sites.values()} == {tmp_path / "sites"}
    assert run_home(home).status is RunStatus.FINISHED


@pytest.mark.parametrize("where", ["nothing", "nothing/ledger.db"])
def test_no_run_is_where_it_is_looked_for(tmp_path, where):
    with pytest.raises(ProtocolError, match=f"there is no run at {tmp_path / where}; start one with"):
        read_home(tmp_path / where)


def test_a_copy_of_a_home_has_its_own_ledger_keys_and_sites(tmp_path):
    home = prepare(tmp_path / "home")
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    before = sorted((tmp_path / "home").rglob("*"))
    copy = read_home(tmp_path / "copy")
    assert (copy.ledger, copy.keys) == (str(tmp_path / "copy/ledger.db"), tmp_path / "copy/keys")
    assert copy.sites == {name: tmp_path / "copy/sites" / name for name in home.sites}
    outcome = run_home(copy)
    assert read_outcome(tmp_path / "copy") == outcome
    assert entries(home.ledger) == [], "the original is left alone"
    assert sorted((tmp_path / "home").rglob("*")) == before


def test_a_moved_home_is_resumed_in_its_own_ledger(tmp_path):
    read_operator(prepare(tmp_path / "home")).ledger.close()
    begun = entries(tmp_path / "home")
    (tmp_path / "home").rename(tmp_path / "moved")
    assert run_home(read_home(tmp_path / "moved")).status is RunStatus.FINISHED
    kept = entries(tmp_path / "moved")
    assert (kept[: len(begun)], kept[-1]) == (begun, (begun[0][0], "close"))
    assert not (tmp_path / "home").exists()


def test_books_elsewhere_are_also_those_of_a_copy(tmp_path):
    books = tmp_path / "office" / "ledger.db"
    books.parent.mkdir()
    run_home(prepare(tmp_path / "home"))
    prepare(tmp_path / "home", ledger=str(books), rerun=True)
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    assert read_home(tmp_path / "copy").ledger == str(books)
    assert entries(tmp_path / "copy") == [], "not those of the run before, in a file of the same name"


def test_a_home_of_another_format_is_refused_in_one_line(tmp_path):
    home = prepare(tmp_path / "home")
    file = home.operator / "run.json"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"format": 2}))
    with pytest.raises(ProtocolError, match=r"run\.json has home format 2; this fedpact reads format 1: install"):
        read_home(tmp_path / "home")
    del kept["format"]
    file.write_text(json.dumps(kept))
    with pytest.raises(ProtocolError, match=r"run\.json has no home format, as fedpact 0\.1 wrote it"):
        verify_ledger(tmp_path / "home")
