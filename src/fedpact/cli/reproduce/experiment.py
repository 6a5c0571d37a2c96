"""``fedpact reproduce NAME``: one command per experiment, all with the same options."""

from __future__ import annotations

import functools
import inspect
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    JsonOption,
    PlotOption,
    answer,
    console,
    make_table,
    print_table,
    progress_bar,
)
from fedpact.cli.complete import one_of

DataOption = Annotated[
    str | None, typer.Option(metavar="DIR", help='Folder with the data, or "hub" to fetch them.')
]
SeedsOption = Annotated[int | None, typer.Option(help="How many seeds, instead of what the settings say.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="A small version, on embedded data without --data.")]
EngineOption = Annotated[
    str, typer.Option(help='"local", or "ray" for a Ray cluster.', autocompletion=one_of("local", "ray"))
]
AddressOption = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Of the Ray cluster; one of its own if not given.")
]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="Cells at once; all processors if not given.")]
SettingsOption = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="TOML with parameters of your own.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="One parameter; may be repeated.")
]


def _print_settings(context: typer.Context, asked: bool) -> None:
    if asked:
        print(fp.experiments.show_settings(str(context.info_name)), end="")
        raise typer.Exit


ShowSettingsOption = Annotated[
    bool,
    typer.Option(
        "--show-settings",
        help="Print every parameter as TOML, and do nothing else.",
        is_eager=True,
        callback=_print_settings,
    ),
]
StoreOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Where answers are kept; your cache if not given.")
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Compute again what is kept.")]
OutOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Also write NAME.json, NAME.md and NAME.svg into a folder.")
]

_ASKED = ("data", "seeds", "quick", "engine", "address", "workers", "settings", "store", "fresh")
_SAID = {"changes": "set"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What can be asked of every experiment, in the order of its help."""

    data: DataOption = None
    seeds: SeedsOption = None
    quick: QuickOption = False
    engine: EngineOption = "local"
    address: AddressOption = None
    workers: WorkersOption = None
    settings: SettingsOption = None
    changes: SetOption = None
    show_settings: ShowSettingsOption = False
    store: StoreOption = None
    fresh: FreshOption = False
    out: OutOption = None
    plot: PlotOption = None
    as_json: JsonOption = False


def with_options(own: Callable[..., None]) -> Callable[..., None]:
    """Make a command with options of its own before those of every experiment, its first argument."""
    common = [field.name for field in fields(Options)]

    @functools.wraps(own)
    def command(**given: Any) -> None:
        own(Options(**{name: given.pop(name) for name in common}), **given)

    _, *before = inspect.signature(own).parameters.values()
    hints = {
        name: hint for part in (own, Options) for name, hint in get_type_hints(part, include_extras=True).items()
    }
    every = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
        for one in (*before, *inspect.signature(Options).parameters.values())
    ]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = hints
    return command


def print_reproduction(found: fp.experiments.Reproduction) -> None:
    """Print the tables of an experiment and what they say."""
    for title, columns, rows, left in found.tables:
        table = make_table(*columns, left=left)
        for row in rows:
            table.add_row(*map(escape, row))
        print_table(title, table)
    out = console()
    for sentence in found.conclusions:
        out.print(escape(f"- {sentence}"), soft_wrap=True)
    if found.data != "none":
        out.print(escape(f"Data: {found.data}"), soft_wrap=True)


def _say_command(name: str, options: Options) -> str:
    """Write the command that gives the same results to anybody who has the data."""
    words = ["fedpact", "reproduce", name, *(["--quick"] if options.quick else [])]
    words += [] if options.seeds is None else ["--seeds", str(options.seeds)]
    words += [] if options.settings is None else ["--settings", options.settings.name]
    words += [word for change in options.changes or [] for word in ("--set", change)]
    return shlex.join(words + ([] if options.data is None else ["--data", "DIR"]))


def run_experiment(name: str, options: Options) -> fp.experiments.Reproduction:
    """Run one experiment, show what it gave, and return it."""
    if options.out is not None and not options.out.is_dir():
        raise fp.FederationError(f"out must be a folder; there is no folder {str(options.out)!r}")
    try:
        with progress_bar(name) as report:
            found = fp.experiments.reproduce(
                name,
                changes=dict(fp.experiments.read_change(text) for text in options.changes or []),
                progress=report,
                **{key: getattr(options, key) for key in _ASKED},
            )
    except KeyboardInterrupt:
        print("interrupted; what is computed is kept, and the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130) from None
    answer(found, lambda: print_reproduction(found), as_json=options.as_json, plot=options.plot)
    if options.out is not None:
        fp.experiments.write_results(found, options.out, _say_command(name, options))
    return found


def refuse_options(options: Options, why: str) -> None:
    """Say which option was given that does not go with another."""
    for field in fields(options):
        if field.name != "as_json" and getattr(options, field.name) not in (None, field.default):
            raise fp.FederationError(f"--{_SAID.get(field.name, field.name)} is about {why}")


def make_command(name: str) -> Callable[..., None]:
    """Make the command of one experiment."""

    def command(options: Options) -> None:
        run_experiment(name, options)

    about = fp.experiments.list_experiments()[name]
    command.__doc__ = f"{about}\n\nExample: [bold]fedpact reproduce {name} --quick[/bold]"
    return with_options(command)
