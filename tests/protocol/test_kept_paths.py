from fedpact.protocol.kept_paths import keep_path


def test_what_is_in_the_home_is_kept_by_its_place_there(tmp_path):
    home = tmp_path / "home"
    assert keep_path(home, home / "sites" / "north") == "sites/north"


def test_what_is_elsewhere_is_kept_whole(tmp_path):
    assert keep_path(tmp_path / "home", tmp_path / "books.db") == str(tmp_path / "books.db")


def test_a_link_in_the_home_is_the_home_s(tmp_path):
    (tmp_path / "books.db").touch()
    home = tmp_path / "home"
    home.mkdir()
    (home / "ledger.db").symlink_to(tmp_path / "books.db")
    assert keep_path(home, home / "ledger.db") == "ledger.db"
