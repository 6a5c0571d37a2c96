"""``fedpact game``: what happens if nobody coordinates."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import fedpact as fp
from fedpact.cli.common import (
    FileArgument,
    JsonOption,
    PlotOption,
    console,
    format_number,
    make_table,
    print_json,
    print_table,
    progress_bar,
    read_federation,
    read_m,
    read_seed,
    save_plot,
)

_SHOWN = 20
_NAMED = 6
_STEPS = 12


def game(
    file: FileArgument,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Also find a mixed equilibrium (needs QuantEcon).")
    ] = False,
    dynamics: Annotated[
        bool, typer.Option("--dynamics", help="Also let agents respond to each other until they settle or cycle.")
    ] = False,
    order: Annotated[
        str | None, typer.Option(help='Dynamics, in the order "round-robin", "random" or "simultaneous".')
    ] = None,
    start: Annotated[
        str | None, typer.Option(help='Dynamics, starting at "2,3" or "alice=2" instead of nothing.')
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random order.")] = 0,
    worth: Annotated[
        float | None,
        typer.Option(help="Mixed, with a met target worth this instead of 1, or of twice what it may cost."),
    ] = None,
    max_count: Annotated[int | None, typer.Option(help="How many equilibria to list instead of 10,000.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds for the search, and for the optimum after its draft; else 60."),
    ] = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what happens if nobody coordinates: equilibria, their cost against the optimum, dynamics.

    --plot draws the path of the dynamics if they are asked for, else what the equilibria cost.

    Example: [bold]fedpact game examples/alice-bob.toml --mixed --dynamics[/bold]
    """
    fed = read_federation(file)
    mixture = _mix(fed, worth) if mixed or worth is not None else None
    has_dynamics = dynamics or order is not None or start is not None
    path = _play(fed, order or "round-robin", start, seed) if has_dynamics else None
    with progress_bar("Searching profiles") as report:
        found = fp.equilibria(
            fed,
            max_count=max_count,
            time_limit=time_limit,
            progress=report,
        )
    if as_json:
        print_json(_to_dict(found, mixture, path))
    else:
        print_equilibria(fed, found)
        if mixture is not None:
            print_mixed(mixture)
        if path is not None:
            print_dynamics(path)
    if plot is not None:
        save_plot(found if path is None else path, plot)


def _mix(fed: fp.Federation, worth: float | None) -> fp.game.MixedEquilibrium:
    with progress_bar("Solving for a mixed equilibrium"):
        return fp.mixed_equilibrium(fed, worth=worth)


def _play(fed: fp.Federation, order: str, start: str | None, seed: int) -> fp.game.Dynamics:
    with progress_bar("Playing rounds") as report:
        return fp.best_response_dynamics(
            fed,
            order=order,
            start=None if start is None else read_m(start),
            rng=read_seed(seed),
            progress=report,
        )


def _to_dict(
    found: fp.Equilibria, mixture: fp.game.MixedEquilibrium | None, path: fp.game.Dynamics | None
) -> dict[str, Any]:
    parts = {"mixed": mixture, "dynamics": path}
    return found.to_dict() | {key: part.to_dict() for key, part in parts.items() if part is not None}


def say_contributions(contributions: dict[str, int]) -> str:
    """Say who contributes how much, leaving out those who give nothing.

    Examples
    --------
    >>> say_contributions({"alice": 2, "bob": 0, "carol": 1})
    'alice 2, carol 1'
    """
    given = [f"{name} {count:,}" for name, count in contributions.items() if count]
    more = f", and {len(given) - _NAMED} more" if len(given) > _NAMED else ""
    return ", ".join(given[:_NAMED]) + more if given else "nobody contributes"


def print_equilibria(fed: fp.Federation, found: fp.Equilibria) -> None:
    """Print the equilibria, cheapest first, then the prices and who drives them."""
    table = make_table("equilibrium", "cost", "times the optimum", "targets met")
    order = sorted(range(len(found.costs)), key=found.costs.__getitem__)
    skipped = max(0, len(order) - _SHOWN)
    for place in order[: _SHOWN // 2] + order[_SHOWN // 2 + skipped :]:
        unmet = found.unmet[place]
        profile = dict(zip(found.names, found.profiles[place], strict=True))
        table.add_row(
            escape(say_contributions(profile)),
            format_number(found.costs[place]),
            "-" if unmet or found.optimum is None else _times(found.costs[place], found.optimum),
            f"[{'red' if unmet else 'green'}]{fed.k - len(unmet)} of {fed.k}[/]",
        )
    count = f"{len(order):,} pure equilibri{'um' if len(order) == 1 else 'a'}"
    shown = f", the cheapest and the dearest {_SHOWN // 2} of them" if skipped else ""
    if order:
        print_table(f"{fed.name}: {count}{shown}", table)
    else:
        console().print(f"[bold]{escape(fed.name)}[/bold]")
    for line in _describe(found):
        console().print(escape(line), soft_wrap=True)


def _times(cost: float, optimum: fp.planning.Interval) -> str:
    if cost <= optimum.low:
        return "1"
    exact = "" if optimum.value is not None else "at most "
    return f"{exact}{cost / optimum.low:.4g}" if optimum.low > 0 else "-"


def _describe(found: fp.Equilibria) -> list[str]:
    """Say in words how the search ended, what selfishness costs and whose targets drive it."""
    lines = [found.status.value + _say_how_far(found)]
    if found.guarantee == "joint":
        lines.append("the guarantee is joint; the game and the optimum here are about each agent's own target")
    lines += [f"cannot meet its target alone: {why}" for why in found.dependent.values()]
    if found.stability is not None and found.anarchy is not None:
        lines.append(f"price of stability: {found.stability}; price of anarchy: {found.anarchy}")
    if found.optimum is None:
        lines.append("no plan meets every target, so equilibria have no price")
    else:
        lines.append(f"the best plan costs {found.optimum}")
    if found.worst is not None and found.anarchy is not None and found.anarchy.high > 1:
        lines += _say_excess(found.worst.excess)
    return lines


def _say_excess(excess: dict[str, float]) -> list[str]:
    """Say who spends more and who less than in the best plan.

    Examples
    --------
    >>> _say_excess({"alice": -3.0, "bob": 12.0})
    ['the worst equilibrium costs 9 more than the best plan: for the target of bob +12, alice -3']
    """
    moved = sorted(((name, extra) for name, extra in excess.items() if extra), key=lambda item: -item[1])
    each = ", ".join(f"{name} {extra:+.6g}" for name, extra in moved[:_NAMED])
    total = sum(excess.values())
    if total <= 0:
        return []
    more = f"{format_number(total)} more than the best plan"
    return [f"the worst equilibrium costs {more}: for the target of {each}"]


def _say_how_far(found: fp.Equilibria) -> str:
    if found.is_complete or found.status is fp.game.EquilibriaStatus.CUT:
        return ""
    undecided = f"; bounds cannot decide {found.undecided:,} profiles" if found.undecided else ""
    return f" ({found.share_searched:.2%} of all profiles searched{undecided})"


def print_mixed(found: fp.game.MixedEquilibrium) -> None:
    """Print with which probability each agent contributes how much."""
    table = make_table("agent", "samples drawn, with probability", "expected", "Pr target met", "regret", left=2)
    for name, mixture in found.strategies.items():
        drawn = ", ".join(f"{count:,} ({share:.4g})" for count, share in mixture.items())
        table.add_row(
            escape(name),
            drawn,
            format_number(found.expected_contributions[name]),
            format_number(found.probability_met[name]),
            format_number(found.regret[name]),
        )
    kind = "pure" if found.is_pure else "mixed"
    console().print()
    print_table(
        f"A {kind} equilibrium, by {found.method}: expected cost {format_number(found.expected_cost)}", table
    )
    console().print(found.status.value)
    worth = ", ".join(f"{name} {format_number(value)}" for name, value in list(found.worth.items())[:_NAMED])
    console().print(escape(f"meeting its target is worth: {worth}"), soft_wrap=True)


def print_dynamics(path: fp.game.Dynamics) -> None:
    """Print the path and how it ends."""
    table = make_table("step", "profile", "cost", left=2)
    skipped = max(0, len(path.path) - _STEPS)
    for step, (m, cost) in enumerate(zip(path.path, path.costs, strict=True)):
        if step < _STEPS // 2 or step >= _STEPS // 2 + skipped:
            profile = say_contributions(dict(zip(path.names, m, strict=True)))
            table.add_row(str(step), escape(profile), format_number(cost))
    steps, rounds = len(path.path) - 1, path.rounds
    shown = f", the first and the last {_STEPS // 2} shown" if skipped else ""
    console().print()
    moves = f"{steps} move{'s' * (steps != 1)} in {rounds} round{'s' * (rounds != 1)}"
    print_table(f"Best-response dynamics ({path.order}): {moves}{shown}", table)
    console().print(path.status.value)
    if path.cycle:
        console().print(f"the cycle has {len(path.cycle)} profiles")
