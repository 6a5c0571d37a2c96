"""``fedpact plan``: who contributes how many samples."""

from __future__ import annotations

import math
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FileArgument,
    JsonOption,
    NodesOption,
    PlotOption,
    answer,
    console,
    format_number,
    make_table,
    plan_with_bar,
    print_table,
    read_federation,
    read_m,
)
from fedpact.cli.complete import METHODS, one_of


def plan(
    file: FileArgument,
    method: Annotated[
        str,
        typer.Option(
            help='"lp" (the paper), "union", "tree", "exact", or "auto": the best within its budget.',
            autocompletion=one_of(*METHODS),
        ),
    ] = "auto",
    confidence: ConfidenceOption = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="NAME", help="The hypothesis that labels the samples, if that is known.")
    ] = None,
    at_least: Annotated[
        str | None,
        typer.Option(
            metavar="COUNTS",
            help='What is contributed already, as "3,0" or "alice=3": the plan does not go below it.',
        ),
    ] = None,
    max_nodes: NodesOption = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the exact search, after the draft by tree.")
    ] = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the cheapest contributions that meet every target, with a certificate.

    Example: [bold]fedpact plan examples/alice-bob.toml[/bold]
    """
    fed = read_federation(file)
    found = plan_with_bar(
        fed,
        method,
        confidence=confidence,
        teacher=teacher,
        at_least=None if at_least is None else read_m(at_least, "at_least"),
        max_nodes=max_nodes,
        time_limit=time_limit,
    )
    answer(found, lambda: print_plan(fed, found), as_json=as_json, plot=plot)


def print_plan(fed: fp.Federation, found: fp.Plan) -> None:
    """Print who contributes, what it costs, and the certificate in words."""
    samples = sum(found.contributions.values())
    title = f"{fed.name}: {samples:,} sample{'s' * (samples != 1)}, cost {format_number(found.cost)}"
    given = found.at_least or {}
    table = make_table("agent", "samples", *(["still to come"] if given else []), "cost")
    for agent in fed.agents:
        count = found.contributions[agent.name]
        if count or fed.k <= 20:
            counts = [count, *([count - given[agent.name]] if given else [])]
            cost = format_number(float(agent.cost(count)))
            table.add_row(escape(agent.name), *(f"{value:,}" for value in counts), cost)
    print_table(title, table)
    print_certificate(found)
    if fed.is_sampled and found.confidence is None:
        console().print(
            "rates were taken for the truth; if they were counted on a sample of the data, add --confidence 0.95",
            soft_wrap=True,
        )


def print_certificate(found: fp.Plan) -> None:
    """Print in words why the plan is enough, how far the optimum can be and what drives the cost."""
    out = console()
    out.print(found.status.value)
    if found.teacher is not None:
        out.print(escape(f"the samples are labelled by {found.teacher!r}, and errors are counted against it"))
    out.print(f"why it is enough: {escape(found.proved_by)}")
    is_known = found.ratio != 1 and math.isfinite(found.ratio)
    ratio = f", so this one costs at most {found.ratio:.3f} times the optimum" if is_known else ""
    out.print(f"no plan costs less than {format_number(found.lower_bound)} ({found.lower_bound_by}){ratio}")
    print_confidence(found)
    for pair in found.duals[:3]:
        out.print(f"- {escape(str(pair))}")
    if found.delta_price:
        out.print(f"- half the delta would cost about {math.log(2) * found.delta_price:.2g} more, before rounding")


def print_confidence(found: fp.Plan) -> None:
    """Say how sure the plan is of the rates, and what more unlabelled points would save."""
    if found.confidence is None:
        return
    out = console()
    out.print(
        f"all this with probability {found.confidence:g} over the sites' unlabelled points; delta is for the draw "
        f"of the labelled samples"
    )
    for more in found.more_points:
        what = "if rates were known exactly" if more.factor is None else f"with {more.factor} times the points"
        out.print(f"- {what} it would cost about {more.cost:.3g} ({more.cost / found.cost - 1:+.0%})")
