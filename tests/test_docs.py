"""What the pages name exists, and speeds are those of the benchmarks. `docs/` beside this runs the pages."""

from __future__ import annotations

import importlib
import json
import re

import pytest

import write_benchmarks
from fedpact.protocol.site.site_files import KEYS as SITE_KEYS
from pages import PAGES, ROOT
from reproduction.data.femnist import LEAF

README = (ROOT / "README.md").read_text()


def test_links_between_pages_lead_somewhere():
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())]
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def test_errata_that_the_code_cites_are_explained():
    page = (ROOT / "docs/explanation/errata.md").read_text()
    explained = set(re.findall(r"^### ([ABC]\d)", page, flags=re.MULTILINE))
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    cited = set(re.findall(r"\b([ABC]\d)\b", " ".join(re.findall(r"ERRATA ([ABC]\d[^.;)]*)", source))))
    assert cited
    assert cited <= explained


def test_the_table_of_speeds_is_that_of_the_benchmarks():
    rows = json.loads((ROOT / "docs" / "results" / "benchmarks.json").read_text())["rows"]
    assert write_benchmarks.write_table(rows) in README
    assert write_benchmarks.write_readme(README, rows) == README


@pytest.mark.parametrize("folder", ["benchmarks", "scripts"])
def test_what_is_not_imported_by_a_test_imports_what_there_is(folder):
    found = re.findall(
        r"^from (fedpact[\w.]*) import (?:\(([^)]*)\)|(.*))$",
        "\n".join(path.read_text() for path in sorted((ROOT / folder).glob("*.py"))),
        flags=re.MULTILINE,
    )
    assert found
    for module, wrapped, plain in found:
        names = re.findall(r"(\w+)(?: as \w+)?(?:,|$)", " ".join((wrapped or plain).split()))
        assert names
        missing = [name for name in names if not hasattr(importlib.import_module(module), name)]
        assert missing == [], f"{folder} imports {missing} from {module}"


def test_the_how_to_shows_every_key_of_a_site_s_folder():
    text = (ROOT / "docs" / "how-to" / "run-a-federation.md").read_text()
    shown = text[text.index("# north/site.toml") :].partition("```")[0]
    keys = re.findall(r"^(?:# )?([a-z_]+) = ", shown, flags=re.MULTILINE)
    assert sorted(keys) == sorted([*SITE_KEYS, "weights"])
    assert "parquet" in shown


def test_the_how_to_on_experiments_says_what_the_program_says():
    text = (ROOT / "docs" / "how-to" / "reproduce-the-paper.md").read_text()
    assert LEAF in text
    assert "Computed in ..." in text
    pages = re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs" / "results" / "paper.md").read_text())
    assert len(pages) > 5
    for page in pages:
        assert re.search(r"Computed in [\d,.]+ s", (ROOT / "docs" / "results" / page).read_text())
