"""What the commands share: reading a federation, printing JSON, tables, figures, progress."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast, overload

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

import fedpact as fp
from fedpact.cli.complete import ASSUMPTIONS, choose, complete_federations

if TYPE_CHECKING:
    import numpy as np

    from fedpact.explain import Explanation

FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help='A federation file (TOML or JSON), or an example such as "alice-bob(0.05)".',
        autocompletion=complete_federations,
    ),
]
_DRAWN = (".png", ".svg", ".pdf")


def make_group(meaning: str) -> typer.Typer:
    """Make a command that has commands of its own."""
    return typer.Typer(add_completion=False, help=meaning, no_args_is_help=True, rich_markup_mode="rich")


def require_package(package: str, what: str, *, extra: str) -> None:
    """Say what to install before any work is done."""
    if find_spec(package) is None:
        raise fp.errors.MissingExtraError(what, extra=extra)


def _check_drawn(path: Path | None) -> Path | None:
    """Refuse what cannot be drawn before any work is done."""
    if path is not None and path.suffix.lower() not in _DRAWN:
        raise fp.FederationError(f"plot must be a file that ends in .png, .svg or .pdf; it is {str(path)!r}")
    if path is not None and not path.parent.is_dir():
        raise fp.FederationError(f"plot cannot be written to {str(path)!r}: there is no such folder")
    if path is not None:
        require_package("matplotlib", "plot", extra="plot")
    return path


PlotOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Also draw the result to a file (.png, .svg or .pdf).", callback=_check_drawn
    ),
]
NodesOption = Annotated[int | None, typer.Option(help="Branch-and-bound node limit.")]
SecondsOption = Annotated[
    float | None,
    typer.Option(help="Seconds for each exact search, on top of the draft that it starts from."),
]
FeeOption = Annotated[
    str | None,
    typer.Option(
        metavar="AMOUNT",
        help='For "pwyc", what everybody pays for taking part, or "alice=1,bob=2"; negative is a subsidy.',
    ),
]
RecoverOption = Annotated[
    str | None,
    typer.Option(metavar="SHARE", help='For "pwyc", fees that bring back about this share of the spend.'),
]
AloneOption = Annotated[
    str | None,
    typer.Option(
        "--min-standalone",
        metavar="COUNT",
        help="With --cost-recovery, samples that everybody is publicly known to need alone at the least.",
    ),
]
PivotOption = Annotated[str, typer.Option(help='For the VCG rules, "none" or "clarke".')]
CeilingOption = Annotated[
    str | None, typer.Option(metavar="AMOUNT", help='For "threshold", the most that a sample may cost.')
]
WorthOption = Annotated[
    str | None,
    typer.Option(
        metavar="AMOUNT",
        help='What meeting its target is worth to everybody, or "alice=9,bob=5"; if not given, 1, or twice what '
        "it may have to spend on it where that is more.",
    ),
]
ConfidenceOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHANCE",
        help="Treat rates as estimates, at this confidence level.",
    ),
]
AssumeOption = Annotated[
    str | None,
    choose(
        ASSUMPTIONS,
        "What is assumed of labels: realizable, some candidate agrees with all of them; noisy, the same but for "
        "wrong ones; or agnostic, nothing. As the file says, if not given.",
    ),
]
NoiseOption = Annotated[
    str | None,
    typer.Option(metavar="CHANCE", help="Some candidate is right, and labels are wrong this often at most."),
]
SeedOption = Annotated[int, typer.Option(help="Seed of everything that is drawn at random.")]
AnyLedgerArgument = Annotated[
    str,
    typer.Argument(metavar="LEDGER", help="A ledger's file or URL, the home of its run, or a JSON export."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace the file if there is one.")]


def check_free(output: Path, *, force: bool) -> None:
    """Refuse to write over a file, before any work is done."""
    if output.exists() and not force:
        raise fp.FederationError(f"{str(output)!r} is there already; replace it with --force")


def read_federation(text: str, assume: str | None = None, noise: str | None = None) -> fp.Federation:
    """Load a file, or build the example of that name; of several problems, say where all are listed.

    ``assume`` and ``noise`` say what is assumed of labels instead of what the file says.
    """
    from fedpact.describe import any_federation

    try:
        fed = any_federation.read_federation(text)
        return fed if assume is None and noise is None else fed.replace(assume=assume, noise=noise)
    except fp.FederationError as error:
        if len(error.problems) == 1:
            raise
        raise fp.FederationError(f"{error}; all are listed by fedpact check {shlex.quote(text)}") from None


def read_m(text: str, what: str = "m") -> list[str] | dict[str, str]:
    """Split ``3,2`` or ``alice=3,bob=2``; the numbers are checked by the package."""
    parts = [part.strip() for part in text.split(",")]
    if not any("=" in part for part in parts):
        return parts
    pairs = [part.rpartition("=") for part in parts]
    names = [name.strip() for name, _, _ in pairs]
    for (name, equals, _), part in zip(pairs, parts, strict=True):
        if not equals or names.count(name.strip()) > 1:
            raise fp.FederationError(f'{what} must give each one number, as in "alice=3,bob=2"; {part!r} does not')
    return {name: number.strip() for name, (_, _, number) in zip(names, pairs, strict=True)}


@overload
def read_amounts(text: str, what: str) -> str | list[str] | dict[str, str]: ...
@overload
def read_amounts(text: None, what: str) -> None: ...
@overload
def read_amounts(text: str | None, what: str) -> str | list[str] | dict[str, str] | None: ...
def read_amounts(text: str | None, what: str) -> str | list[str] | dict[str, str] | None:
    """Read one amount for all agents, or as :func:`read_m` one for each."""
    if text is None or not set(text) & set(",="):
        return text
    return read_m(text, what)


def read_seed(seed: int) -> np.random.Generator:
    """Start a generator."""
    if seed < 0:
        raise fp.FederationError(f"seed must be a whole number >= 0; it is {seed}")
    from numpy.random import default_rng

    return default_rng(seed)


def names_candidates(file: str) -> bool:
    """Whether a file of predictions says what its candidates are called; ``.npy`` does not."""
    return Path(file).suffix.lower() != ".npy"


def read_list(text: str | None, what: str) -> list[str] | None:
    """Split a list such as ``0.05,0.1`` or ``healthy,ill``; its entries are checked by the package."""
    if text is None:
        return None
    values = [value.strip() for value in text.split(",") if value.strip()]
    if not values:
        raise fp.FederationError(f"{what} must be a list separated by commas; it is {text!r}")
    return values


def refuse(problems: Sequence[str], most: int | None = None) -> None:
    """Print all that is wrong, up to what fits a screen, and end with exit code 1; do nothing if all is well."""
    for problem in problems[:most]:
        print(f"error: {problem}", file=sys.stderr)
    if most is not None and len(problems) > most:
        print(f"error: and {len(problems) - most} more", file=sys.stderr)
    if problems:
        raise typer.Exit(1)


def print_json(entry: Any) -> None:
    """Print plain values as JSON."""
    print(json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False))


def say(line: str) -> None:
    """Print a line as it is."""
    console().print(escape(line), soft_wrap=True)


def print_json_or_say(entry: Any, line: str, *, as_json: bool) -> None:
    """Print plain values as JSON, or the line that says the same."""
    if as_json:
        print_json(entry)
    else:
        say(line)


class Drawable(Protocol):
    """A result that draws itself."""

    def plot(self) -> Any:
        """Return a figure."""


def save_plot(result: Drawable, path: Path) -> None:
    """Draw a result to a file."""
    try:
        result.plot().savefig(path)
    except OSError as error:
        raise fp.FederationError(f"plot cannot be written to {str(path)!r}: {error.strerror}") from None


def explain(result: Any) -> Explanation:
    """Say a result in words; how is imported only now, so that ``--help`` need not wait for it."""
    from fedpact.explain import explain

    return explain(result)


def show(said: Explanation) -> None:
    """Print an explanation."""
    from fedpact.explain.text import render

    out = console()
    for part in render(said):
        out.print(part, soft_wrap=isinstance(part, Text))


def answer(result: Any, *, as_json: bool, plot: Path | None = None) -> None:
    """Print a result as JSON, or in words; and draw it, if that is asked for."""
    if as_json:
        print_json(result.to_dict())
    else:
        show(explain(result))
    if plot is not None:
        save_plot(cast(Drawable, result), plot)


def console() -> Console:
    """Where tables go; wide enough for them when the output is not a terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def make_table(*columns: str, left: int = 1) -> Table:
    """Make a plain table whose first ``left`` columns are text and the others numbers."""
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(escape(column), justify="left" if index < left else "right", overflow="fold")
    return table


def plan_with_bar(fed: fp.Federation, method: str, **options: Any) -> fp.Plan:
    """Plan with a bar that shows how near the lower bound is to the best plan found."""
    with progress_bar("Looking for the optimum") as report:
        return fp.plan(fed, method, progress=report, **options)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float, float], None]]:
    """Show a bar on stderr while long work runs, on a terminal only; yields the function to report to.

    What is not counted in whole numbers is shown in thousandths.
    """

    def tell(done: float, total: float) -> None:
        if not isinstance(total, int):
            done, total = int(1000 * done / max(total, 1e-300)), 1000
        bar.update(task, completed=done, total=total)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield tell
