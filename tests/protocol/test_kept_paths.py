from fedpact.protocol.kept_paths import FORM, OF_RUN, find_path, keep_path


def test_what_is_in_the_home_is_kept_by_its_place_there(tmp_path):
    home = tmp_path / "home"
    kept = keep_path(home, home / "sites" / "north")
    assert kept == "sites/north"
    assert find_path(tmp_path / "copy", kept, {"form": FORM}) == tmp_path / "copy" / "sites" / "north"


def test_what_is_elsewhere_is_kept_whole(tmp_path):
    kept = keep_path(tmp_path / "home", tmp_path / "books.db")
    assert kept == str(tmp_path / "books.db")
    assert find_path(tmp_path / "copy", kept, {"form": FORM}) == tmp_path / "books.db"


def test_a_link_in_the_home_is_the_home_s(tmp_path):
    (tmp_path / "books.db").touch()
    home = tmp_path / "home"
    home.mkdir()
    (home / "ledger.db").symlink_to(tmp_path / "books.db")
    assert keep_path(home, home / "ledger.db") == "ledger.db"


def test_a_copy_of_an_earlier_version_s_home_uses_its_own_files(tmp_path):
    former, copy = tmp_path / "former", tmp_path / "copy"
    for home in (former, copy):
        (home / OF_RUN).parent.mkdir(parents=True)
        (home / OF_RUN).touch()
        (home / "ledger.db").touch()
    named = str(former / "ledger.db")
    assert find_path(copy, named, {}) == copy / "ledger.db"
    (copy / "ledger.db").unlink()
    assert find_path(copy, named, {}) == former / "ledger.db"


def test_books_of_an_earlier_version_that_are_in_no_home_stay_where_they_are(tmp_path):
    home, books = tmp_path / "home", tmp_path / "ledger.db"
    home.mkdir()
    books.touch()
    (home / "ledger.db").touch()
    assert find_path(home, str(books), {}) == books
