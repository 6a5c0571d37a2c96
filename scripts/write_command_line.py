"""Write the page on the command line from the commands themselves.

python scripts/write_command_line.py docs/reference/command-line.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

HEAD = """# Command line

Every command and its options, as `--help` prints them; this page is written by `make reference`. `FILE` is a
federation file ([its keys](federation-file.md)), or the name of an example. `--json` prints the result as
[JSON](json.md). What a command answers with: [exit codes](exit-codes.md).
"""


def _plain(text: str) -> str:
    """Take the mark-up of the terminal away, and keep an example as code."""
    text = re.sub(r"\[(/?)(bold|dim)\]", "", " ".join(text.split()))
    return re.sub(r": (fedpact .+)$", r": `\1`", text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _paragraphs(command: Any) -> list[str]:
    text = re.sub(r"(?<!\n\n)(?<=\. )(Example: )", r"\n\n\1", command.help or "")
    return [_plain(part) for part in text.split("\n\n") if part.strip()]


def _value(option: Any) -> str:
    if getattr(option, "is_flag", False):
        return ""
    metavar = option.metavar or option.type.name.upper()
    return f" {metavar}"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or str(parameter.name).upper()}`"
    names = [*parameter.opts, *parameter.secondary_opts]
    return ", ".join(f"`{name}{_value(parameter)}`" for name in names)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    if value is None or value is False or callable(value) or value == ():
        return ""
    return f"`{value}`"


def _row(parameter: Any) -> str:
    told = _cell(str(getattr(parameter, "help", None) or ""))
    return f"| {_names(parameter)} | {told} | {_default(parameter)} |"


def _parameters(command: Any) -> list[str]:
    """List what a command takes, as a table."""
    shown = [one for one in command.params if one.name != "help" and not getattr(one, "hidden", False)]
    if not shown:
        return []
    return ["| | | default |\n|---|---|---|\n" + "\n".join(map(_row, shown))]


def _usage(command: Any, path: str) -> str:
    taken = [f"`{path}"]
    if any(one.param_type_name == "option" for one in command.params):
        taken.append("[OPTIONS]")
    taken += [one.metavar or str(one.name).upper() for one in command.params if one.param_type_name == "argument"]
    return " ".join(taken) + "`"


def _sections(command: Any, path: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {path}"
    if not hasattr(command, "commands"):
        yield _usage(command, path)
    yield from _paragraphs(command)
    yield from _parameters(command)
    if hasattr(command, "commands"):
        for name in command.commands:
            yield from _sections(command.get_command(None, name), f"{path} {name}", level + 1)


def command_line_page(app: typer.Typer) -> str:
    """Write the page as Markdown."""
    root: Any = get_command(app)  # of click, or of typer where it comes without
    parts = [HEAD.rstrip(), *_parameters(root)]
    for name in root.commands:
        command = root.get_command(None, name)
        if command.hidden:
            continue
        parts += _sections(command, f"fedpact {name}", 2)
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the page to the file that is named."""
    from fedpact.cli import app

    Path(sys.argv[1]).write_text(command_line_page(app))


if __name__ == "__main__":
    main()
