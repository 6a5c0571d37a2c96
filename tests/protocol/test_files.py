import os
import stat

import pytest

from fedpact.describe.whole_files import write_whole
from fedpact.protocol.files import keep_path


def test_a_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "a.csv"
    write_whole(path, b"first", force=False)
    with pytest.raises(FileExistsError):
        write_whole(path, b"second", force=False)
    assert path.read_bytes() == b"first"
    write_whole(path, b"third")
    assert path.read_bytes() == b"third"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"first")

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_the_folder_is_flushed_after_the_file_so_that_a_power_cut_takes_nothing_back(tmp_path, monkeypatch):
    """A site would have forgotten what it had answered, and draw other samples for the same request."""
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda file: flushed.append(stat.S_ISDIR(os.fstat(file).st_mode)))
    write_whole(tmp_path / "a.json", b"{}")
    assert flushed == [False, True]


def test_a_path_is_kept_by_its_place_in_the_home_if_it_has_one_there(tmp_path):
    home = tmp_path / "home"
    assert keep_path(home, home / "sites" / "north") == "sites/north"
    assert keep_path(home, tmp_path / "books.db") == str(tmp_path / "books.db")
    (tmp_path / "books.db").touch()
    home.mkdir()
    (home / "ledger.db").symlink_to(tmp_path / "books.db")
    assert keep_path(home, home / "ledger.db") == "ledger.db", "a link in the home is the home's"
