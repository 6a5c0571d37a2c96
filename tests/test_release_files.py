"""What goes out with a release agrees with itself."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import fedpact as fp
from extra_uses import START, USES
from results_pages import read
from time_start import LIMIT

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
TOOLS = {"test", "test-slow", "dev", "bench", "docs", "fuzz"}
"""Extras for working on fedpact itself, which are only installed."""


def test_the_citation_has_what_its_format_asks_for():
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys()
    assert CITATION["cff-version"] == "1.2.0"
    assert (CITATION["title"], CITATION["license"]) == (PROJECT["name"], PROJECT["license"])
    assert [author["name"] for author in CITATION["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_the_version_is_the_same_everywhere():
    assert CITATION["version"] == PROJECT["version"] == fp.__version__


def test_the_paper_is_cited_as_the_package_names_it():
    (paper,) = CITATION["references"]
    names = ", ".join(author["family-names"] for author in paper["authors"])
    said = " ".join((fp.__doc__ or "").split())
    assert f'"{paper["title"]}" ({names}, ICLR {paper["year"]})' in said


@pytest.mark.skipif(not read("release"), reason="make release has not kept anything yet")
def test_what_is_claimed_was_seen():
    seen = read("release")
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    assert set(re.findall(r"3\.\d+(?=\.)", " ".join(seen["pythons"]))) == set(claimed)
    assert all(one["import_processor"] <= LIMIT for one in seen["pythons"].values())
    assert {name.rpartition(".")[0] for name, one in seen["pythons"].items() if "tests" in one} == set(claimed)
    assert seen["extras"].keys() == {*PROJECT["optional-dependencies"], "all"}
    assert {name for name, one in seen["extras"].items() if one["works"]} == {*USES, "all"}


def test_uses_of_extras_are_programs():
    assert USES.keys() == PROJECT["optional-dependencies"].keys() - TOOLS
    for name, code in USES.items():
        compile(START + code, name, "exec")
