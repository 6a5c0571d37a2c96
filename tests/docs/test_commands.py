"""Commands in the pages are run, by following the page or by a test named here; of others it says why not."""

import re
import shlex

import pytest
from typer.main import get_command

from fedpact.cli import app
from pages import PAGES, ROOT, follow, read_blocks

QUICK = "tests/reproduction/test_quick.py::test_every_experiment_runs_quickly"
ELSEWHERE = {
    r"make demo": ("makes an environment first", "tests/cli/test_demo.py::test_demo_plans_for_the_hospitals"),
    r"make test": ("makes an environment first, and would run itself", None),
    r"make bench": ("takes half an hour", None),
    r"make (faults|fuzz|soak)( \w+=\d+)?": (
        "takes minutes",
        "tests/simulation/test_soak.py::test_runs_that_are_killed_hold",
    ),
    r"(FEDPACT_TOKEN=... )?fedpact serve.*": (
        "does not end",
        "tests/cli/test_serve.py::test_it_opens_on_the_file_and_ends_with_ctrl_c_leaving_nothing",
    ),
    r"(make reproduce|python -m reproduction [\w-]+ --(data|seeds|set)).*": (
        "takes minutes to hours, and has a quick version",
        None,
    ),
    r"python -m reproduction.*": ("is run with all others", QUICK),
    r"(names=hospital|\(echo \$names| for h in| sed).*": ("needs a download", None),
    r"fedpact run alice-bob --engine flower": (
        "takes a minute",
        "tests/protocol/flower/test_run_on_flower.py::test_plan_choice_and_payments_are_the_same_on_flower",
    ),
    r"ray start .*": (
        "goes to other machines",
        "tests/docs/test_served_pages.py::test_a_sweep_runs_on_a_cluster",
    ),
    r"create(user|db) .*": ("is for whoever administers a server", None),
}
"""Why the page is not followed there, and the test that does the same; None if nobody runs it."""


def list_unfollowed():
    """Commands in blocks that nobody follows, with where they stand."""
    for page in PAGES:
        for block in read_blocks(page):
            if block.language in ("", "sh"):
                lines = block.text.replace("\\\n", " ").splitlines()
                yield from ((block.where, re.sub(r"\s+#.*", "", line)) for line in lines if line.strip())


def test_a_command_that_no_page_runs_is_listed_here():
    unknown = [where for where in list_unfollowed() if not any(re.fullmatch(row, where[1]) for row in ELSEWHERE)]
    assert unknown == []


@pytest.mark.parametrize("row", ELSEWHERE)
def test_the_list_of_exceptions_is_no_longer_than_it_must_be(row):
    assert any(re.fullmatch(row, command) for _, command in list_unfollowed())


@pytest.mark.parametrize("named", sorted({named for _, named in ELSEWHERE.values() if named}))
def test_the_test_that_is_named_is_one(named):
    path, _, test = named.partition("::")
    assert re.search(rf"^def {test}\(", (ROOT / path).read_text(), re.MULTILINE)


def test_what_is_made_can_be_made():
    named = {
        name for page in PAGES for name in re.findall(r"(?:`|^|\$ )make ([a-z]+)", page.read_text(), re.MULTILINE)
    }
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named
    assert named <= targets


INLINE = sorted(
    {
        (page.relative_to(ROOT).as_posix(), " ".join(words.split()))
        for page in PAGES
        for words in re.findall(r"(?<!`)`fedpact ([a-z][^`]*)`", page.read_text())
    }
)
README = [words for page, words in INLINE if page == "README.md"]
ANSWERED = [
    words for words in README if re.search(r" FILE\b", words) and not re.match("audit|gather|serve", words)
]
"""Those that a federation's file is enough for; the how-tos on audits, files and the browser have the others."""


def test_a_command_in_the_text_is_one():
    for page, words in INLINE:
        command, rest = get_command(app), shlex.split(words)
        while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
            assert rest[0] in command.commands, f"{page}: {words}"
            command = command.get_command(None, rest.pop(0))
        known = {name for option in command.params for name in option.opts} | {"--help", "-h"}
        options = {word.partition("=")[0] for word in rest if word.startswith("-")}
        assert options <= known, f"{page}: {words}"


@pytest.mark.slow
@pytest.mark.parametrize("words", ANSWERED)
def test_a_command_of_the_readme_answers(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"```console\n$ fedpact {words.replace('FILE', 'alice-bob')}\n```\n")
    follow(page)
