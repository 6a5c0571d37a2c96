"""``fedpact reproduce obliviousness``: where any agent alone can move the plan by a sample, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import console, explain, format_number, make_table, print_json, print_table, read_m
from fedpact.cli.reproduce.experiment import Options, refuse_options, run_experiment, with_options

MOption = Annotated[
    str | None,
    typer.Option(metavar="LIST", help='Only this plan of the example "singletons", such as "130,130".'),
]
EpsilonOption = Annotated[str | None, typer.Option(help="Tolerated error, for --m; 0.01 if not given.")]


@with_options
def obliviousness(options: Options, m: MOption = None, epsilon: EpsilonOption = None) -> None:
    """Look where the paper's programs are locally oblivious, beside where the paper says so.

    With --m, print the reports with which either agent reaches each neighbour of one plan, and the lies that other
    payments than pay-what-you-contribute reward there.

    Example: [bold]fedpact reproduce obliviousness --m 130,130[/bold]
    """
    if m is not None:
        refuse_options(options, "the maps; leave it out, or leave out --m")
        _show_plan(fp.examples.singletons(epsilon=epsilon or "0.01"), read_m(m), as_json=options.as_json)
        return
    if epsilon is not None:
        raise fp.FederationError("--epsilon belongs to --m; the maps have their own")
    run_experiment("obliviousness", options)


def _show_plan(fed: fp.Federation, m: list[str] | dict[str, str], *, as_json: bool) -> None:
    shown = fp.mechanism.obliviousness(fed, m=m)
    lies = {}
    if shown.is_oblivious:
        lies = {
            name: fp.mechanism.refute_payment(fed, pay, m)
            for name, pay in fp.mechanism.example_payments(fed).items()
        }
    if as_json:
        entries = {name: None if found is None else found.to_dict() for name, found in lies.items()}
        print_json({"obliviousness": shown.to_dict(), "lies": entries})
    else:
        print_plan(shown, lies)


def print_plan(shown: fp.mechanism.Obliviousness, lies: Mapping[str, fp.mechanism.Refutation | None]) -> None:
    """Print every report that leads to a neighbour, and what other payments would reward."""
    table = make_table("plan", "who reports", "x1", "x2", "each other point", "largest failure", left=2)
    for name, masses in shown.distributions.items():
        table.add_row(_say_m(shown.contributions), f"{name}, the truth", *_say_masses(masses), "")
    for neighbour in shown.neighbours:
        for one in neighbour.reports:
            masses, worst = one.report or {}, max(one.failure.values(), default=None)
            cells = _say_masses(masses) if masses else ["-"] * 3
            failure = "-" if worst is None else format_number(worst)
            table.add_row(_say_m(neighbour.contributions), f"{one.agent}: {one.outcome}", *cells, failure)
    if shown.neighbours:
        print_table(f"Plans next to {_say_m(shown.contributions)}, reached by one agent's report", table)
    out = console()
    out.print(explain(shown).headline, soft_wrap=True)
    for name, found in lies.items():
        out.print(escape(f"- paying {name}: {_say_lie(found)}"), soft_wrap=True)


def _say_m(contributions: Mapping[str, int]) -> str:
    return f"({', '.join(map(str, contributions.values()))})"


def _say_masses(masses: Mapping[str, float]) -> list[str]:
    """Masses of the two points that matter, and of each of the others."""
    return [f"{mass:.6f}" for mass in list(masses.values())[:3]]


def _say_lie(found: fp.mechanism.Refutation | None) -> str:
    if found is None:
        return "no lie pays"
    lie = found.witness
    plans = f"the plan {_say_m(lie.contributions_truthful)} becomes {_say_m(lie.contributions_lying)}"
    return f"{lie.agents[0]} lies, {plans}, and it gains {format_number(lie.gain)}"
