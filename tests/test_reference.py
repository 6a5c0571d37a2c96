"""The reference says what the program does: commands, keys of files and of results, exit codes, names."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fedpact as fp
from fedpact import cli
from fedpact.describe import classes, costs, file_evidence, files
from reference_pages import PARTS, WHOLE, public_names, reference_pages
from write_command_line import command_line_page

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def read(name: str) -> str:
    return (REFERENCE / name).read_text()


def section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of the rows of all tables, without their heads."""
    found = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in re.sub(r"^\|.*\n\|-.*\n", "", text, flags=re.MULTILINE).splitlines()
        if line.startswith("|")
    ]
    assert found
    return found


def coded(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_on_the_command_line_is_what_make_reference_writes():
    assert read("command-line.md") == command_line_page(cli.app)


@pytest.mark.flower
def test_every_public_name_is_on_the_page_of_its_part():
    paths = {part: f"fedpact.{part}".rstrip(".") for part in PARTS}
    offered = {
        f"{paths[part]}.{name}"
        for part in PARTS
        if part not in WHOLE
        for name in (find(part) if part else fp).__all__
    }
    assert {name.path for name in public_names()} == offered - set(paths.values()) | {
        paths[part] for part in WHOLE
    }
    pages = reference_pages()
    for name in public_names():
        assert f"\n::: {name.path}\n" in pages[f"reference/api/{name.page}"]


@pytest.mark.parametrize(
    ("title", "known"),
    [
        ("At the top", files._TOP_KEYS),
        ("`[[agents]]`", files._AGENT_KEYS),
        ("Costs", ("a number", *(key for kind in costs.KINDS for key in kind.KEYS))),
        ("`[hypotheses]`", file_evidence._KEYS),
    ],
)
def test_the_page_on_the_file_has_exactly_the_keys_that_are_read(title, known):
    cells = [row[0] for row in rows(section(read("federation-file.md"), title))]
    assert sorted(key for cell in cells for key in coded(cell) or [cell]) == sorted(known)


def test_the_page_on_the_file_names_every_class():
    said = section(read("federation-file.md"), "`[hypotheses]`").partition("Classes of any points")[2]
    assert set(classes.NAMES) <= set(coded(said))


def test_the_file_in_the_page_loads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```toml\n(.*?)```", read("federation-file.md"), flags=re.DOTALL)
    Path("network.toml").write_text(text)
    fed = fp.load("network.toml")
    assert [(agent.epsilon, agent.capacity) for agent in fed.agents] == [(0.1, None), (0.15, 100)]


PRINTED = [(coded(row[0])[0], coded(row[1])) for row in rows(section(read("json.md"), "What each command prints"))]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with what a site has: predictions, a few new ones, and their labels."""
    folder = tmp_path_factory.mktemp("desk")
    says = np.where(np.random.default_rng(0).random((60, 3)) < 0.3, "ill", "well")
    for name, part in (("north", says), ("new", says[:5])):
        np.savetxt(folder / f"{name}.csv", part, fmt="%s", delimiter=",", header="m1,m2,m3", comments="")
    np.savetxt(folder / "labels.csv", says[:5, 0], fmt="%s", header="label", comments="")
    return folder


def test_every_command_prints_the_keys_that_the_page_lists(desk, monkeypatch):
    """In order: some read what one before them wrote."""
    monkeypatch.chdir(desk)
    for command, keys in PRINTED:
        answer = CliRunner().invoke(cli.app, [*shlex.split(command)[1:], "--json"])
        assert list(json.loads(answer.stdout)) == keys, command


def test_every_key_that_is_printed_is_explained_and_no_other():
    page = read("json.md")
    explained = [
        key
        for title in ("Keys that others build on", "The other keys")
        for row in rows(section(page, title))
        for key in coded(row[0])
    ]
    assert sorted(set(explained)) == sorted({key for _, keys in PRINTED for key in keys})


def test_a_kept_result_has_the_keys_that_the_page_says():
    kept = json.loads((REFERENCE.parent / "results" / "price-of-stability.json").read_text())
    said = " ".join(read("json.md").split()).partition("a record with ")[2].partition(", as the files")[0]
    assert coded(said) == list(kept)


CODES = [(int(row[0]), coded(row[2])[0]) for row in rows(read("exit-codes.md")) if row[2].startswith("`fedpact")]


@pytest.mark.parametrize(("code", "command"), CODES)
def test_an_example_of_an_exit_code_has_it(code, command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```toml\n(.*?)```", read("exit-codes.md"), flags=re.DOTALL)
    Path("tight.toml").write_text(text)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert (stopped.value.code or 0) == code
    if code in (1, 3):
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ")


def test_exit_codes_are_those_of_the_command_line():
    said = re.findall(r"(\d+) [a-z]", cli.__doc__.partition("Exit codes:")[2])
    assert [int(row[0]) for row in rows(read("exit-codes.md"))] == [int(code) for code in said]


def find(path: str) -> object:
    """Look up a name as the glossary writes it: of fedpact, or a field of one of its classes."""
    found: object = fp
    for part in path.split("."):
        fields = getattr(found, "__dataclass_fields__", {})
        found = fields[part] if part in fields else getattr(found, part)
    return found


def glossary_names() -> list[str]:
    names = [name for row in rows(read("glossary.md")) for name in coded(row[2])]
    assert len(names) > 60
    return names


def test_names_of_the_glossary_exist():
    for name in sorted(set(glossary_names())):
        if name.startswith("--"):
            assert re.search(rf"`{name}[ `]", read("command-line.md"))
        elif name.startswith('"'):
            known = {key for _, keys in PRINTED for key in keys}
            assert name.strip('"') in known | set(files._TOP_KEYS) | set(files._AGENT_KEYS)
        elif "(" in name:
            function, _, argument = name.rstrip(")").partition("(")
            assert argument in inspect.signature(find(function)).parameters
        else:
            find(name)


def test_every_entry_of_the_glossary_points_to_a_page():
    for row in rows(read("glossary.md")):
        assert re.search(r"\]\([^)]+\.md[^)]*\)", row[3]), row[0]
