"""What is kept is the JSON and the page that is written from it."""

import results_pages
from results_pages import table


def test_what_is_kept_has_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(results_pages, "RESULTS", tmp_path)
    found = {"limit": 0.95, "python": "3.11", "coverage": "7", "layers": []}
    results_pages.keep("test-coverage", found)
    assert results_pages.read("test-coverage") == found
    page = (tmp_path / "test-coverage.md").read_text()
    assert page == results_pages.write_page("test-coverage", found)
    assert "less than 95% of the branches" in page


def test_what_has_no_page_of_its_own_is_kept_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(results_pages, "RESULTS", tmp_path)
    assert results_pages.read("growth") == {}
    results_pages.keep("growth", {"machine": "größer"})
    assert [path.name for path in tmp_path.iterdir()] == ["growth.json"]
    assert results_pages.read("growth") == {"machine": "größer"}


def test_first_columns_stand_to_the_left():
    assert table(("a", "b", "c"), [("x", 1, 2.5)], 2) == "| a | b | c |\n| :-- | :-- | --: |\n| x | 1 | 2.5 |"
