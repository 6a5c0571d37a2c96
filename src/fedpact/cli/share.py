"""``fedpact share``: how the agents can split the cost of their plan, and who would rather leave."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    PlotOption,
    SecondsOption,
    answer,
    console,
    format_amount,
    format_number,
    make_table,
    print_table,
    progress_bar,
    read_federation,
    read_seed,
)
from fedpact.cli.complete import METHODS, one_of

_SHOWN = 5


def share(
    file: FileArgument,
    rule: Annotated[
        str,
        typer.Option(
            help='"core", "least-core", "shapley", "equal" or "proportional" (to the cost alone).',
            autocompletion=one_of("core", "least-core", "shapley", "equal", "proportional"),
        ),
    ] = "least-core",
    method: Annotated[
        str,
        typer.Option(
            help='How every group is planned for: "lp", "union", "tree", "exact" or "auto".',
            autocompletion=one_of(*METHODS),
        ),
    ] = "auto",
    time_limit: SecondsOption = None,
    max_groups: Annotated[
        int | None, typer.Option(help="Beyond twelve agents, how many groups may be planned for instead of 150.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is sampled beyond twelve agents.")] = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Split the cost of the plan for all agents, and say which groups would do better by leaving.

    "alone" is what an agent would pay without the others; who "receives" money is paid by those with a minus.

    Example: [bold]fedpact share examples/alice-bob.toml --rule shapley[/bold]
    """
    fed, rng = read_federation(file), read_seed(seed)
    with progress_bar("Planning for groups") as report:
        split = fp.share(
            fed, rule=rule, method=method, time_limit=time_limit, max_groups=max_groups, rng=rng, progress=report
        )
    answer(split, lambda: print_share(fed, split), as_json=as_json, plot=plot)


def print_share(fed: fp.Federation, split: fp.Share) -> None:
    """Print one line per agent, then whether any group would leave and how that was found out."""
    columns = ["agent", "samples", "labelling cost", "alone", "share", "receives"]
    errors = split.standard_errors
    table = make_table(*columns, *([] if errors is None else ["standard error"]))
    for name, amount in split.shares.items():
        alone = split.alone[name]
        cells = [
            f"{split.contributions[name]:,}",
            format_number(split.labelling[name]),
            "-" if alone is None else format_number(alone),
            format_amount(amount, split.cost),
            f"{float(format_amount(split.payments[name], split.cost)):+.6g}",
        ]
        table.add_row(escape(name), *cells, *([] if errors is None else [format_number(errors[name])]))
    print_table(f"{fed.name}: rule {split.rule}, cost {format_number(split.cost)}", table)
    _print_groups(split)


def _print_groups(split: fp.Share) -> None:
    out = console()
    out.print(split.status.value, soft_wrap=True)
    for group in split.leaving[:_SHOWN]:
        out.print(f"- {escape(_say_group(group, list(split.shares)))}", soft_wrap=True)
    if len(split.leaving) > _SHOWN:
        out.print(f"- and {len(split.leaving) - _SHOWN:,} more groups")
    if split.least_core_value is not None:
        out.print(_say_least_core(split.least_core_value, is_sure=_is_sure(split)), soft_wrap=True)
    proof = "" if split.is_proved else "; some of the plans are not known to be the cheapest"
    groups = f"{split.groups_tried:,}, of which {split.groups_planned:,} were planned for"
    out.print(f"{split.looked_at.value} ({groups}){proof}", soft_wrap=True)
    if split.standard_errors is not None:
        out.print("shares are means over drawn orders; more --max-groups make the standard errors smaller")


def _say_group(group: fp.mechanism.LeavingGroup, names: list[str]) -> str:
    """Say who would leave and what that saves; of a large group who would not.

    Examples
    --------
    >>> group = fp.mechanism.LeavingGroup(members=("a", "b"), share=5.0, cost=4.0, contributions={"a": 4})
    >>> _say_group(group, ["a", "b", "c"])
    'all but c would pay 4 instead of 5 and save 1'
    """
    others = [name for name in names if name not in group.members]
    is_large = len(group.members) > len(others)
    who = f"all but {', '.join(others)}" if is_large else " with ".join(group.members)
    cost, before, saving = (format_number(amount) for amount in (group.cost, group.share, group.saving))
    return f"{who} would pay {cost} instead of {before} and save {saving}"


def _is_sure(split: fp.Share) -> bool:
    return split.is_proved and split.looked_at is fp.mechanism.GroupsLookedAt.ALL


def _say_least_core(e: float, *, is_sure: bool) -> str:
    """Say in plain words what the least-core value means.

    Examples
    --------
    >>> _say_least_core(-11.5, is_sure=True)
    'every group loses at least 11.5 by leaving; no split makes that more'
    >>> _say_least_core(-11.5, is_sure=False)
    'every group loses at least 11.5 by leaving, as far as groups and plans were found; no split makes that more'
    >>> _say_least_core(0.5, is_sure=True)
    'some group saves at least 0.5 by leaving, whatever the split'
    """
    if e > 0:
        return f"some group saves at least {format_number(e)} by leaving, whatever the split"
    how_sure = "" if is_sure else ", as far as groups and plans were found"
    return f"every group loses at least {format_number(abs(e))} by leaving{how_sure}; no split makes that more"
