"""``fedpact gather``: make a federation of the reports that sites sent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

import fedpact as fp
from fedpact.cli.common import ForceOption, JsonOption, answer, check_free, read_amounts, say


def _read_capacity(given: str | None, reports: list[fp.Report]) -> Any:
    """Read one for all, or some by name; who is not named has no limit."""
    read = read_amounts(given, "capacity")
    return {report.name: None for report in reports} | read if isinstance(read, dict) else read


def gather(
    reports: Annotated[
        list[Path], typer.Argument(metavar="REPORTS...", help="Report files, one per site (fedpact report).")
    ],
    epsilon: Annotated[
        str, typer.Option(metavar="SHARE", help='The error that each tolerates: "0.1", or "alice=0.1,bob=0.2".')
    ],
    delta: Annotated[str, typer.Option(metavar="CHANCE", help="A target may be missed with this probability.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The federation file to write.")],
    cost: Annotated[
        str, typer.Option(metavar="AMOUNT", help='What a labelled sample costs: "1", or "alice=1,bob=2.5".')
    ] = "1",
    capacity: Annotated[
        str | None,
        typer.Option(
            metavar="COUNT", help='The most that each can label: "50", or "alice=10", and the others any number.'
        ),
    ] = None,
    objective: Annotated[str, typer.Option(help='"pac" or "expected".')] = "pac",
    guarantee: Annotated[str, typer.Option(help='"per-agent" or "joint".')] = "per-agent",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a federation file of several sites' reports, for plan, pay and the other commands.

    The reports must be about the same candidates. The file names them; they stay where they are.

    Example: [bold]fedpact gather *.report.npz --epsilon 0.1 --delta 0.05 -o network.toml[/bold]
    """
    check_free(output, force=force)
    read = [fp.sites.read_report(path) for path in reports]
    fed = fp.Federation.from_reports(
        read,
        epsilon=read_amounts(epsilon, "epsilon"),
        delta=delta,
        cost=read_amounts(cost, "cost"),
        capacity=_read_capacity(capacity, read),
        objective=objective,
        guarantee=guarantee,
        name=output.stem,
    )
    places = [Path(os.path.relpath(path, output.parent)).as_posix() for path in reports]
    fp.save(fed, output, files={report.name: place for report, place in zip(read, places, strict=True)})
    found = fp.planning.summarise(fed)
    answer(found, as_json=as_json)
    if not as_json:
        say(f"Wrote {output}. Next: fedpact plan {output} --confidence 0.95")
