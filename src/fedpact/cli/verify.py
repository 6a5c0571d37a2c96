"""``fedpact verify``: whether a contribution vector is enough."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    FileArgument,
    JsonOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    read_federation,
    read_m,
    read_seed,
)


def verify(
    file: FileArgument,
    m: Annotated[
        str,
        typer.Option("--m", help='Samples per agent: "3,2", or by name "alice=3,bob=2" (others give nothing).'),
    ],
    how: Annotated[
        str, typer.Option(help='"exact", "bounds", "estimate", or "auto": the first that settles the question.')
    ] = "auto",
    confidence: ConfidenceOption = None,
    draws: Annotated[int, typer.Option(help="Draws per target for the estimate.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the estimate.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Say whether a contribution vector meets every agent's target.

    Example: [bold]fedpact verify examples/alice-bob.toml --m 3,2[/bold]
    """
    fed = read_federation(file)
    seen = fp.verify(fed, read_m(m), how=how, confidence=confidence, draws=draws, rng=read_seed(seed))
    answer(seen, lambda: print_verification(fed, seen), as_json=as_json)


def print_verification(fed: fp.Federation, seen: fp.Verification) -> None:
    """Print one line per agent, then the verdict."""
    value = "Pr[target missed]" if seen.objective == "pac" else "expected error"
    title = f"{fed.name}: {sum(seen.contributions.values()):,} samples, cost {format_number(seen.cost)}"
    table = make_table("agent", "samples", value, "allowed", "met", "how", "hardest truth", "survivor")
    for agent in fed.agents:
        name = agent.name
        limit = fed.delta if seen.objective == "pac" else agent.epsilon
        table.add_row(
            escape(name),
            f"{seen.contributions[name]:,}",
            str(seen.failure[name]),
            format_number(limit),
            "[green]yes[/green]" if seen.met[name] else "[red]no[/red]",
            seen.how[name],
            escape(seen.worst_target[name]),
            escape(seen.blocking.get(name, "-")),
        )
    print_table(title, table)
    out = console()
    if seen.joint is not None:
        joint, allowed = seen.joint, format_number(fed.delta)
        out.print(rf"Pr\[some target missed] {joint.failure} ({joint.how}), allowed {allowed}")
        out.print(f"hardest truth {escape(joint.worst_target)}, survivor {escape(joint.blocking or '-')}")
    out.print(f"{seen.guarantee} guarantee: {seen.status.value}")
