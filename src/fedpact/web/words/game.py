"""What there is to say about the game: where play ends, which equilibria there are, what selfishness costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number, format_share, join_names

ORDERS: Mapping[str, str] = {
    "round-robin": "one after the other, in the order of the file",
    "random": "one after the other, in an order drawn anew for every round",
    "simultaneous": "all at once, to what everybody did before",
}
_SHOWN = 20
_NAMED = 6


def say_profile(contributions: Mapping[str, int]) -> str:
    """Say who contributes how much, leaving out those who give nothing.

    Examples
    --------
    >>> say_profile({"alice": 2, "bob": 0, "carol": 1}), say_profile({"alice": 0})
    ('alice: 2, carol: 1', 'nobody contributes')
    """
    given = [f"{name}: {count:,}" for name, count in contributions.items() if count]
    more = f" and {len(given) - _NAMED:,} more" if len(given) > _NAMED else ""
    return ", ".join(given[:_NAMED]) + more if given else "nobody contributes"


def say_interval(interval: fp.planning.Interval) -> str:
    """Say a number that is known exactly, or within bounds.

    Examples
    --------
    >>> say_interval(fp.planning.Interval(low=1.0, high=1.169722))
    '1 to 1.17'
    """
    if interval.is_exact:
        return format_number(interval.high)
    low = format_number(float(f"{interval.low:.4g}"))
    if not math.isfinite(interval.high):
        return f"at least {low}"
    return f"{low} to {format_number(float(f'{interval.high:.4g}'))}"


def list_dynamics(played: fp.game.Dynamics, unmet: Sequence[str] = ()) -> list[str]:
    """Say how best responses went, and whose targets are missed at the end, one sentence each."""
    moves = len(played.path) - 1
    said = [
        f"Starting from nothing, everybody responds to the others, {ORDERS[played.order]}: "
        f"{count_of(moves, 'move')} in {count_of(played.rounds, 'round')}.",
        played.status.value[:1].upper() + played.status.value[1:] + ".",
    ]
    if played.cycle:
        said.append(f"The cycle has {count_of(len(played.cycle), 'profile')}.")
    else:
        end = dict(zip(played.names, played.path[-1], strict=True))
        said.append(f"It ends at a cost of {format_number(played.costs[-1])} ({say_profile(end)}).")
        if unmet:
            target = "target" if len(unmet) == 1 else "targets"
            said.append(f"That misses the {target} of {join_names(list(unmet))}.")
    return said


def _say_count(found: fp.Equilibria) -> str:
    count = count_of(len(found.profiles), "pure equilibrium", "pure equilibria")
    match found.status:
        case fp.game.EquilibriaStatus.NONE_EXISTS:
            return "No pure equilibrium exists: every profile was searched, and in each somebody wants to move."
        case fp.game.EquilibriaStatus.NONE_FOUND:
            return "The search stopped early and found no equilibrium; whether one exists is not known."
        case fp.game.EquilibriaStatus.ALL:
            return f"There {'is' if len(found.profiles) == 1 else 'are'} {count}, and the search was complete."
        case _:
            return f"{count} found. {found.status.value[:1].upper()}{found.status.value[1:]}."


def list_equilibria(found: fp.Equilibria) -> list[str]:
    """Say which equilibria there are and what they cost against the optimum, one sentence each."""
    said = [_say_count(found)]
    if not found.is_complete and found.status is not fp.game.EquilibriaStatus.CUT:
        share = format_share(found.share_searched)
        undecided = f"; bounds cannot decide {count_of(found.undecided, 'profile')}" if found.undecided else ""
        said.append(f"{share[:1].upper()}{share[1:]} of all profiles were searched{undecided}.")
    if found.guarantee == "joint":
        said.append("The guarantee is joint; the game is about each agent's own target in any case.")
    said += [f"Cannot reach its target alone: {why}." for why in found.dependent.values()]
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A price of selfishness, with what it means."""

    title: str
    value: str
    meaning: str


def list_prices(found: fp.Equilibria) -> tuple[Price, ...]:
    """Return the prices of stability and of anarchy, and the optimum that they are measured by."""
    if found.optimum is None:
        return (Price(title="Optimum", value="none", meaning="no plan meets every target: no price"),)
    prices = [Price(title="Optimum", value=say_interval(found.optimum), meaning="cost of the cheapest plan")]
    if found.stability is not None and found.anarchy is not None:
        prices += [
            Price(
                title="Price of stability",
                value=say_interval(found.stability),
                meaning="cost of the best equilibrium over the optimum",
            ),
            Price(
                title="Price of anarchy",
                value=say_interval(found.anarchy),
                meaning="cost of the worst equilibrium over the optimum",
            ),
        ]
    return tuple(prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class EquilibriumRow:
    """One line of the table of equilibria."""

    profile: str
    cost: float
    unmet: str


def list_rows(found: fp.Equilibria) -> tuple[list[EquilibriumRow], int]:
    """Return the cheapest and the dearest equilibria, cheapest first, and how many are left out between them."""
    order = sorted(range(len(found.costs)), key=found.costs.__getitem__)
    skipped = max(0, len(order) - _SHOWN)
    shown: Sequence[int] = order[: _SHOWN // 2] + order[_SHOWN // 2 + skipped :]
    rows = [
        EquilibriumRow(
            profile=say_profile(dict(zip(found.names, found.profiles[place], strict=True))),
            cost=found.costs[place],
            unmet=join_names(found.unmet[place]) if found.unmet[place] else "",
        )
        for place in shown
    ]
    return rows, skipped


def say_excess(found: fp.Equilibria) -> str:
    """Say who spends more in the dearest equilibrium than in the best plan; nothing if nobody does."""
    if found.worst is None:
        return ""
    excess = found.worst.excess
    total = sum(excess.values())
    if total <= 1e-9 * max(found.worst.cost, 1):
        return ""
    moved = sorted(((name, extra) for name, extra in excess.items() if extra), key=lambda item: -item[1])
    each = ", ".join(
        f"{name}: {'+' if extra > 0 else '−'}{format_number(abs(extra))}" for name, extra in moved[:6]
    )
    return f"The dearest equilibrium costs {format_number(total)} more than the best plan: {each}."


def read_equilibria(answer: Mapping[str, Any]) -> fp.Equilibria:
    """Return the equilibria of an answer."""
    return fp.Equilibria.from_dict(answer["equilibria"])


def read_dynamics(answer: Mapping[str, Any]) -> fp.game.Dynamics:
    """Return the path of an answer."""
    return fp.game.Dynamics.from_dict(answer["dynamics"])
