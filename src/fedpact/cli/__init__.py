"""The command line: each command parses, calls the public package and prints.

Exit codes: 0 answered; 1 the input or the request is wrong; 2 usage; 3 no plan exists; 130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import fedpact as fp

NAMES = (
    "demo", "check", "report", "gather", "plan", "verify", "compare", "game", "frontier", "prices", "share", "pay",
    "audit", "check-contribution", "realizability", "forecast", "select", "run", "serve", "export-html",
    "examples", "reproduce", "keys", "label", "ledger", "site", "superlink",
)  # fmt: skip
"""The commands in the order of help; each has a module, with a function of its name or an app of several."""


@cache
def _load(name: str) -> Any:
    """Load a command from its module."""
    stem = name.replace("-", "_")
    module = import_module(f"fedpact.cli.{stem}")
    if not hasattr(module, "app"):
        single = typer.Typer(add_completion=False, rich_markup_mode="rich")
        single.command(name)(getattr(module, stem))
        return typer.main.get_command(single)
    found = typer.main.get_command(module.app)
    found.name = name
    return found


class _Group(TyperGroup):
    """Commands by name, so that a module is loaded only if its command is asked for."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = dict.fromkeys(NAMES)  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """Name them in the order of help."""
        return list(NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command, if there is one of that name."""
        return _load(cmd_name) if cmd_name in NAMES else None


app = typer.Typer(
    name="fedpact",
    cls=_Group,
    help="Who in a federation should label how many samples, at what cost, for what pay?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fedpact {fp.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; an error that fedpact raises on purpose is one line and an exit code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except fp.FedpactError as error:
        sys.exit(_fail(error, 3 if isinstance(error, fp.InfeasibleError) else 1))
    except OSError as error:
        sys.exit(_fail(f"the answer cannot be written: {error.strerror}", 1))


def _show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Print a warning as one line; where in the program it was raised helps nobody."""
    print(f"warning: {' '.join(str(message).split())}", file=sys.stderr)


def _fail(error: fp.FedpactError | str, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code
