import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.errors import ProtocolError
from fedpact.protocol.site.site_store import FolderStore, MemoryStore


@pytest.fixture(params=["memory", "folder"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else FolderStore(tmp_path / "deep" / "folder")


def test_what_was_saved_is_there(store):
    assert store.load("a") == {}
    store.save("a", {"drawn": 3, "answers": {"é": "…"}})
    store.save("b/../c", {"drawn": 4})
    assert store.load("a")["answers"] == {"é": "…"}
    assert store.load("b/../c")["drawn"] == 4
    record = store.load("a")
    record["drawn"] = 99
    assert store.load("a")["drawn"] == 3, "a record is a copy"


def test_a_run_cannot_choose_its_file(tmp_path):
    store = FolderStore(tmp_path / "memory")
    store.save("../../escape", {"drawn": 1})
    assert [path.parent for path in tmp_path.rglob("*.json")] == [tmp_path / "memory"]


def test_a_record_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    store = FolderStore(tmp_path)
    store.save("a", {"drawn": 3})

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fedpact.protocol.site.site_store.os.fsync", fail)
    with pytest.raises(ProtocolError, match="the site cannot keep its record: No space left on device"):
        store.save("a", {"drawn": 4})
    assert store.load("a")["drawn"] == 3
    assert len(list(tmp_path.iterdir())) == 1, "nothing is left lying about"


def test_a_record_that_was_damaged_is_not_taken_for_none(tmp_path):
    """A site that forgets would label samples twice."""
    store = FolderStore(tmp_path)
    store.save("a", {"drawn": 3})
    next(tmp_path.iterdir()).write_text('{"drawn"')
    with pytest.raises(ProtocolError, match="the site record cannot be read"):
        store.load("a")


def test_a_folder_has_no_runs_before_the_first(tmp_path):
    assert FolderStore(tmp_path / "none").runs() == ()


@given(saves=st.lists(st.sampled_from(["a", "b", "c", "../d", "e\n"]), min_size=1, max_size=8))
def test_runs_are_listed_in_the_order_in_which_they_began_the_last_first(saves, tmp_path_factory):
    store = FolderStore(tmp_path_factory.mktemp("site"))
    for count, run in enumerate(saves):
        store.save(run, {**store.load(run), "drawn": count})
    assert store.runs() == tuple(reversed(dict.fromkeys(saves)))
    assert store.load(saves[-1])["drawn"] == len(saves) - 1


def test_a_record_that_is_saved_without_its_number_keeps_its_place(tmp_path):
    store = FolderStore(tmp_path)
    store.save("first", {"drawn": 1})
    store.save("second", {"drawn": 1})
    store.save("first", {"drawn": 2})
    assert store.runs() == ("second", "first")


def test_remains_of_a_crash_are_no_runs(tmp_path):
    store = FolderStore(tmp_path)
    store.save("run", {})
    (tmp_path / ".0123456789abcdef.tmp").write_bytes(b'{"run": "half')
    (tmp_path / ".hidden.json").write_bytes(b"")
    assert store.runs() == ("run",)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"run": "x"}', '{"number": 3}', "[" * 100_000])
def test_a_broken_record_is_named_and_does_not_keep_the_site_out_of_a_new_run(tmp_path, text):
    store = FolderStore(tmp_path)
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(ProtocolError, match=r"broken\.json(: | has no site record format)"):
        store.runs()
    store.save("new", {"drawn": 4})
    assert store.load("new")["drawn"] == 4
