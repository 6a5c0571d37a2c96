"""``fedpact check``: what a file describes, and what is wrong with it."""

from __future__ import annotations

import shlex
import sys

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    console,
    format_number,
    make_table,
    print_json,
    print_table,
)


def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """Say what a federation file describes, or list every problem with it.

    A file whose agents have no data is checked as the terms of a run, whose sites are going to report them.

    Example: [bold]fedpact check examples/alice-bob.toml[/bold]
    """
    found = fp.check(file)
    if as_json:
        print_json(found.to_dict())
    elif found.summary is not None:
        print_summary(found.summary, file=file)
    if found.problems:
        for problem in found.problems:
            print(f"error: {problem}", file=sys.stderr)
        raise typer.Exit(1)


def print_summary(summary: fp.planning.Summary, *, file: str = "FILE") -> None:
    """Print the federation in a few lines and one row per agent."""
    table = make_table("agent", "epsilon", "cost", "capacity")
    for agent in summary.agents:
        capacity = "no limit" if agent.capacity is None else f"{agent.capacity:,}"
        table.add_row(escape(agent.name), format_number(agent.epsilon), str(agent.cost), capacity)
    print_table(summary.name, table)
    out = console()
    merged = summary.H_given - summary.H
    note = f" ({merged} of the {summary.H_given} given are the same to every agent)" if merged else ""
    if summary.has_evidence:
        out.print(f"{summary.H} hypotheses{note}; {summary.evidence}")
    out.print(
        f"objective {summary.objective}, guarantee {summary.guarantee}, delta {format_number(summary.delta)}"
    )
    if summary.has_evidence:
        out.print("no problems found")
    else:
        run = f"fedpact run {shlex.quote(file)} --engine flower --superlink HOST:PORT"
        out.print(escape(f"sound as the terms of a run: {summary.evidence}: {run}"), soft_wrap=True)
