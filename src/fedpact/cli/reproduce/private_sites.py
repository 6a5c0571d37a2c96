"""``fedpact reproduce hospitals`` and ``digits``: from private data to a plan, without showing the data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

import fedpact as fp
from fedpact.cli.common import (
    ConfidenceOption,
    JsonOption,
    PlotOption,
    SeedOption,
    answer,
    console,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_list,
)

EpsilonOption = Annotated[str, typer.Option(help="Errors that the sites tolerate, each planned for.")]
DeltaOption = Annotated[str, typer.Option(help="Largest probability of missing a target.")]
CandidatesOption = Annotated[str, typer.Option(help="How many candidates to train; several are compared.")]


def hospitals(
    data: Annotated[Path, typer.Option(metavar="DIR", help="Folder that holds heart_disease_4hospitals.csv.")],
    candidates: CandidatesOption = "1000,100",
    epsilon: EpsilonOption = "0.1,0.2,0.3",
    delta: DeltaOption = "0.05",
    confidence: ConfidenceOption = "0.95",
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan for four heart-disease hospitals that send reports and keep their patients' data.

    Example: [bold]fedpact reproduce hospitals --data data --candidates 100[/bold]
    """
    with progress_bar("Training and planning") as report:
        found = fp.experiments.reproduce_hospitals(
            data,
            candidates=read_list(candidates, "candidates"),
            epsilon=read_list(epsilon, "epsilon"),
            delta=delta,
            confidence=confidence,
            seed=seed,
            progress=report,
        )
    answer(found, lambda: print_planning(found), as_json=as_json, plot=plot)


def digits(
    candidates: CandidatesOption = "200,50",
    epsilon: EpsilonOption = "0.1,0.2,0.3",
    delta: DeltaOption = "0.05",
    confidence: ConfidenceOption = "0.95",
    seed: SeedOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan for five sites that see different handwritten digits most, from reports alone.

    Example: [bold]fedpact reproduce digits --candidates 50[/bold]
    """
    with progress_bar("Training and planning") as report:
        found = fp.experiments.reproduce_digits(
            candidates=read_list(candidates, "candidates"),
            epsilon=read_list(epsilon, "epsilon"),
            delta=delta,
            confidence=confidence,
            seed=seed,
            progress=report,
        )
    answer(found, lambda: print_planning(found), as_json=as_json, plot=plot)


def print_planning(found: fp.experiments.PrivatePlanning) -> None:
    """Print, for every class of candidates, what the sites sent and what was planned."""
    for run in found.runs:
        print_table(
            f"{found.data}: {run.H:,} candidates from {found.public_points:,} public points, "
            f"{run.H_different:,} different at the sites",
            _sites_table(run),
        )
        print_table(f"plans by {found.method}, delta {found.delta:g}", _plans_table(run))
        forecasts = _forecasts_table(run)
        if forecasts.row_count:
            print_table("about what a plan with confidence would cost with more unlabelled points", forecasts)
        beyond = [one for one in run.plans if not one.has_capacities]
        if beyond:
            said = f"{len(beyond)} plans ask a site for more samples than it has points"
            console().print(said, soft_wrap=True)
        console().print(
            f"training took {run.train_seconds:.1f} s, reading the reports {run.read_seconds:.1f} s; "
            f"the best candidate errs on {run.least_error:.1%} of the private points\n",
            soft_wrap=True,
        )


def _sites_table(run: fp.experiments.CandidateRun) -> Table:
    table = make_table("site", "private points", "report, kB", "predict, s", "report, s")
    for site in run.sites:
        size = f"{site.report_bytes / 1000:,.0f}"
        times = (f"{site.predict_seconds:.1f}", f"{site.report_seconds:.1f}")
        table.add_row(site.name, f"{site.points:,}", size, *times)
    return table


def _plans_table(run: fp.experiments.CandidateRun) -> Table:
    names = [site.name for site in run.sites]
    columns = ("cost", "at least", "alone", "paid", "plan, s", "settle, s")
    table = make_table("epsilon", "confidence", *names, *columns, left=2)
    for one in run.plans:
        quotas = [f"{one.plan.contributions[name]:,}" for name in names]
        level = "-" if one.confidence is None else format_number(one.confidence)
        numbers = [format_number(value) for value in (one.plan.cost, one.plan.lower_bound)]
        paid = format_number(sum(one.settlement.payments.values()))
        times = (f"{seconds:.1f}" for seconds in (one.plan_seconds, one.settle_seconds))
        table.add_row(format_number(one.epsilon), level, *quotas, *numbers, _say_alone(one), paid, *times)
    return table


def _say_alone(one: fp.experiments.PrivatePlan) -> str:
    """Say what all sites need alone, where that is known for the rates that were planned with."""
    needs = list(one.alone.values())
    return "-" if one.confidence is not None or None in needs else f"{sum(filter(None, needs)):,}"


def _forecasts_table(run: fp.experiments.CandidateRun) -> Table:
    table = make_table("epsilon", "now", "2 x points", "4 x points", "10 x points", "all points")
    for one in run.plans:
        if one.plan.more_points:
            costs = {more.factor: f"{more.cost:.0f}" for more in one.plan.more_points}
            cells = [costs.get(factor, "-") for factor in (2, 4, 10, None)]
            table.add_row(format_number(one.epsilon), format_number(one.plan.cost), *cells)
    return table
