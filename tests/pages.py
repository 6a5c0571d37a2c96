"""Follows a page of the documentation as its reader would, and compares what it shows with what happens.

Everything on a page happens in order, in one folder that is empty at first:

- ``python`` runs, all of it in one namespace. What a statement prints is compared with the comment behind it or
  with the lines of comment under it, if there are any; words may follow a value after a colon. A ``text`` block
  under it shows all that it prints.
- ``toml`` whose first line is ``# path/name.toml`` is written to that file.
- ``console`` holds lines ``$ command``, each with what it prints below it, or with nothing. All of them must
  succeed. One that ends in ``&`` is left running, and ended with the page.
- ``sh`` is not run here: `docs/test_commands.py` names the test that runs each of its lines.

In what is shown, ``...`` stands for anything. A block of any other kind is an error.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import io
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from fedpact.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 300


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what it holds, and where it stands."""

    language: str
    text: str
    page: str
    line: int

    @property
    def where(self) -> str:
        """Page and line, as a message says it."""
        return f"{self.page}:{self.line}"


def read_blocks(page: Path, here: Mapping[str, str] | None = None) -> list[Block]:
    """Read every block of code of a page, with some words replaced; code that is not fenced is refused."""
    name, blocks, held = os.path.relpath(page, ROOT), [], None
    text = functools.reduce(lambda text, words: text.replace(*words), (here or {}).items(), page.read_text())
    for number, line in enumerate(text.splitlines(), start=1):
        if held is None:
            assert not re.match(r" {4}| *\t| +```", line), f"{name}:{number}: code must be fenced, unindented"
            if fence := re.fullmatch(r"```(\S*)", line):
                start, language, held = number, fence[1], []
        elif line == "```":
            blocks.append(Block(language, "".join(f"{one}\n" for one in held), name, start))
            held = None
        else:
            held.append(line)
    assert held is None, f"{name}: the last block does not end"
    return blocks


def read_commands(block: Block) -> list[tuple[str, str]]:
    """Split a console into its commands and what is shown under each; a backslash carries on in the next line."""
    text = block.text.replace("\\\n", " ")
    assert text.startswith("$ "), f"{block.where}: a console begins with '$ '"
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def agree(shown: str, printed: str) -> bool:
    """Whether what is shown is what was printed; spaces at the ends of lines do not count."""
    shown, printed = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (shown, printed))
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


def follow(page: Path, here: Mapping[str, str] | None = None) -> list[str]:
    """Follow a page in the current, empty folder; gives what its blocks and commands printed, in order.

    ``here`` replaces addresses in the page by those of servers that are there.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    printed: list[str] = []
    with contextlib.ExitStack() as running:
        for block in read_blocks(page, here):
            if block.language == "python":
                printed.append(_run_python(block, names))
            elif block.language == "text":
                if printed:  # otherwise it is a picture
                    _compare(block.where, block.text, printed[-1])
            elif block.language == "console":
                printed += [_run_command(block.where, *both, running) for both in read_commands(block)]
            elif block.language == "toml":
                _write_file(block)
            else:
                assert block.language == "sh", f"{block.where}: nobody knows what to do with ```{block.language}"
    return printed


def _run_python(block: Block, names: dict[str, object]) -> str:
    """Run statement by statement, and compare what each prints with its comment."""
    printed = []
    for statement in ast.parse(block.text).body:
        shown = _read_comment(statement, block.text)
        with contextlib.redirect_stdout(io.StringIO()) as heard:
            moved = ast.increment_lineno(ast.Module([statement], []), block.line)
            exec(compile(moved, block.page, "exec"), names)
        printed.append(heard.getvalue())
        if shown and printed[-1] and not shown.startswith(f"{printed[-1].rstrip()}: "):
            _compare(f"{block.page}:{statement.end_lineno}", shown, printed[-1])
    return "".join(printed)


def _read_comment(statement: ast.stmt, text: str) -> str:
    """Give the comment behind a statement, and the lines of comment under it."""
    lines = text.splitlines()[statement.end_lineno - 1 :]
    behind = lines[0].encode()[statement.end_col_offset :].decode().strip()
    under = itertools.takewhile(lambda line: line.startswith("#"), lines[1:])
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in (behind, *under) if line)


def _compare(where: str, shown: str, printed: str) -> None:
    assert agree(shown, printed), f"{where} shows\n{shown}\nwhere this is printed\n{printed}"


def _write_file(block: Block) -> None:
    first = re.match(r"# (\S+\.toml)\n", block.text)
    assert first, f"{block.where}: the first line names the file, as in '# network.toml'"
    Path(first[1]).parent.mkdir(parents=True, exist_ok=True)
    Path(first[1]).write_text(block.text)


def _run_command(where: str, command: str, shown: str, running: contextlib.ExitStack) -> str:
    if command.endswith("&"):
        running.enter_context(_left_running(command.removesuffix("&")))
        return ""
    code, printed = _run_here(command) if _is_plain(command) else _run_in_shell(command)
    assert code == 0, f"{where}: {command}\n{printed}"
    if shown:
        _compare(f"{where}: {command}", shown, printed)
    return printed


def _is_plain(command: str) -> bool:
    """Whether a command is fedpact's, without anything that a shell does: then it need not be imported again."""
    return command.startswith("fedpact ") and not re.search(r"[|<>;&$`*]", command)


def _run_here(command: str) -> tuple[int, str]:
    words, printed, code = shlex.split(command, comments=True), io.StringIO(), 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(printed))
        stack.enter_context(mock.patch.object(sys, "argv", words))
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return code, printed.getvalue()


def _run_in_shell(command: str) -> tuple[int, str]:
    done = subprocess.run(_shell(command), **_surroundings(), stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    return done.returncode, done.stdout


def _shell(command: str) -> list[str]:
    return ["bash", "-o", "pipefail", "-c", command]


def _surroundings() -> dict[str, object]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"env": os.environ | {"PATH": path}, "stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}


@contextlib.contextmanager
def _left_running(command: str) -> Iterator[None]:
    """Leave a command running in a session of its own, and end that session."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(_shell(command), **_surroundings(), stdout=log, start_new_session=True)
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=60)
