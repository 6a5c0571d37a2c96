"""The paper's federation without a pure equilibrium, and how rare such federations are.

Three agents stand in a ring: agent i has mass 1/3 on x_i and 2/3 on x_{i+1}, all labelings are possible,
epsilon = 1/3 and delta = 2/3. Every agent needs its heavy point seen with probability 1/3; one sample of its
own, or of its successor, is just enough. So whoever contributes makes its predecessor stop, and Theorem 6 of
the paper says that no pure profile is an equilibrium. Here

- all profiles are searched; best responses are followed from every start on a grid; a mixed equilibrium is found;
- the same is done with bad meaning at least epsilon, as the paper's section on planning has it (ERRATA C1).
  fedpact knows strict comparison only, so epsilon is nudged below the tie.

Past the paper: with two agents a pure equilibrium always exists, for the best response b_i falls in what the other
gives, so that m -> b_1(b_2(m)) rises and has a fixed point. With more agents federations are drawn at random and
counted: without any structure; rings, the paper's and one without ties, whose masses are moved a little; and all
tables of three agents whose masses are multiples of 1/parts, with epsilon = 1/parts and delta = 1 - 1/parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.no_pure_equilibrium_page import conclude, draw, tabulate
from reproduction.tallies import TIE, cut_seeds, list_grid, wilson
from reproduction.values import (
    read_chance,
    read_choice,
    read_each,
    read_number,
    read_positive,
    read_size,
    read_span,
    read_within,
)

_ANY, _RING = 0, 1
_RING_SIZE = 3
_MOST_FOUND = 100


def _cut_example(settings: Settings) -> list[Task]:
    starts = read_size(settings["starts"], "starts", least=0, most=10)
    orders = read_each(
        settings, "orders", lambda order, key: read_choice(order, key, ("round-robin", "simultaneous"))
    )
    nudges = {"strict": 0.0, "not strict": read_within(settings["nudge"], "nudge", 10 * TIE, 0.01)}
    searched = [{"part": "search", "reading": reading, "nudge": nudge} for reading, nudge in nudges.items()]
    followed = [{"part": "dynamics", "order": order, "starts": starts} for order in orders]
    return [Task(cell) for cell in (*searched, *followed)]


def _read_kinds(settings: Settings) -> list[dict[str, Any]]:
    """Read what the draws of each kind have in common."""
    anything = {
        "part": "any",
        "points": read_size(settings["points"], "points", least=1, most=6),
        "epsilon": list(read_span(settings, "epsilon")),
        "delta": list(read_span(settings, "delta")),
        "concentration": read_positive(settings["concentration"], "concentration"),
    }
    agents = read_each(settings, "agents", lambda k, key: read_size(k, key, least=2, most=6))
    moves = read_each(settings, "moves", _read_share)
    rings = read_each(settings, "rings", _read_ring)
    return [anything | {"agents": k} for k in agents] + [
        {"part": "ring", "own": own, "epsilon": epsilon, "delta": delta, "move": move}
        for own, epsilon, delta in rings
        for move in moves
    ]


def _read_share(value: Any, key: str) -> float:
    share = read_number(value, key)
    if not 0 <= share <= 1:
        raise fp.FederationError(f"{key} must be shares between 0 and 1; one is {share:g}")
    return share


def _read_ring(values: Any, key: str) -> list[float]:
    if not isinstance(values, list) or len(values) != 3:
        raise fp.FederationError(f"{key} must be lists of own mass, epsilon and delta; one is {values!r}")
    return [read_chance(value, key) for value in values]


def _cut_blocks(settings: Settings, kind: Mapping[str, Any]) -> list[list[int]]:
    """Blocks of seeds; a ring of which nothing is moved is always the same."""
    return cut_seeds(1 if kind["part"] == "ring" and kind["move"] == 0 else settings["seeds"])


def _cut_draws(settings: Settings) -> list[Task]:
    kinds = _read_kinds(settings)
    return [Task(kind | {"seeds": block}) for kind in kinds for block in _cut_blocks(settings, kind)]


def _cut_tables(settings: Settings) -> list[Task]:
    parts = read_size(settings["parts"], "parts", least=2, most=4)
    count = len(list(list_grid(_RING_SIZE, tuple(range(_RING_SIZE)), parts)))
    return [Task({"part": "tables", "parts": parts, "first": first}) for first in range(count)]


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    return [*_cut_example(settings), *_cut_draws(settings), *_cut_tables(settings)]


def _find(fed: fp.Federation, max_count: int) -> fp.Equilibria:
    return fp.equilibria(fed, max_count=max_count, time_limit=NO_END)


def _search(cell: Mapping[str, Any]) -> Answer:
    fed = fp.examples.no_pure_equilibrium()
    fed = fed.replace(epsilon=fed.epsilon - cell["nudge"])
    found = _find(fed, _MOST_FOUND)
    mixed = fp.mixed_equilibrium(fed)
    return {
        "reading": cell["reading"],
        "nudge": cell["nudge"],
        "equilibria": [list(m) for m in found.profiles],
        "is_complete": found.is_complete,
        "standalone": fp.game.standalone(fed),
        "mixed": {name: {str(m): p for m, p in some.items()} for name, some in mixed.strategies.items()},
        "expected_cost": mixed.expected_cost,
        "probability_met": mixed.probability_met,
        "regret": mixed.largest_regret,
    }


def _start_at_least(cycle: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Turn a cycle so that the same one is always written the same way."""
    first = cycle.index(min(cycle)) if cycle else 0
    return [list(m) for m in (*cycle[first:], *cycle[:first])]


def _follow(cell: Mapping[str, Any]) -> Answer:
    fed, seen = fp.examples.no_pure_equilibrium(), []
    for start in itertools.product(range(cell["starts"] + 1), repeat=_RING_SIZE):
        played = fp.best_response_dynamics(fed, order=cell["order"], start=start)
        seen.append((played.status.name, _start_at_least(played.cycle)))
    cycles = sorted({str(cycle): cycle for _, cycle in seen if cycle}.values(), key=lambda cycle: -len(cycle))
    return {
        "order": cell["order"],
        "starts": len(seen),
        "cycling": sum(status == "CYCLES" for status, _ in seen),
        "cycles": [{"cycle": some, "starts": sum(cycle == some for _, cycle in seen)} for some in cycles],
    }


def draw_any(cell: Mapping[str, Any], seed: int) -> fp.Federation:
    """Draw a federation without any structure."""
    rng = np.random.default_rng([seed, _ANY, cell["agents"]])
    n = cell["points"]
    masses = rng.dirichlet(np.full(n, cell["concentration"]), cell["agents"])
    epsilon, delta = rng.uniform(*cell["epsilon"]), rng.uniform(*cell["delta"])
    return fp.Federation.from_table(fp.planning.classes.all_labelings(n), masses, epsilon=epsilon, delta=delta)


def draw_ring(cell: Mapping[str, Any], seed: int) -> fp.Federation:
    """Draw a ring whose masses are moved a little; the random masses are the same for every share."""
    rng = np.random.default_rng([seed, _RING])
    ring = np.array([np.roll([cell["own"], 1 - cell["own"], 0.0], agent) for agent in range(_RING_SIZE)])
    masses = (1 - cell["move"]) * ring + cell["move"] * rng.dirichlet(np.ones(_RING_SIZE), _RING_SIZE)
    return fp.Federation.from_table(
        fp.planning.classes.all_labelings(_RING_SIZE), masses, epsilon=cell["epsilon"], delta=cell["delta"]
    )


def _list_tables(cell: Mapping[str, Any]) -> Iterable[fp.Federation]:
    """Every table of three agents in multiples of 1/parts whose first agent has the first-th distribution."""
    parts = cell["parts"]
    rows = list(list_grid(_RING_SIZE, tuple(range(_RING_SIZE)), parts))
    for others in itertools.product(rows, repeat=_RING_SIZE - 1):
        masses = np.array([rows[cell["first"]], *others])
        yield fp.Federation.from_table(
            fp.planning.classes.all_labelings(_RING_SIZE), masses, epsilon=1 / parts, delta=1 - 1 / parts
        )


def _count(feds: Iterable[fp.Federation]) -> Answer:
    """Count federations, those without a pure equilibrium, and those of which that is not known."""
    found = [_find(fed, 1) for fed in feds]
    none = [not len(some.profiles) for some in found]
    return {
        "drawn": len(found),
        "none": sum(is_none and some.is_complete for is_none, some in zip(none, found, strict=True)),
        "unknown": sum(is_none and not some.is_complete for is_none, some in zip(none, found, strict=True)),
    }


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    part = cell["part"]
    if part == "search":
        return _search(cell)
    if part == "dynamics":
        return _follow(cell)
    if part == "tables":
        return _count(_list_tables(cell))
    draw_one = draw_any if part == "any" else draw_ring
    return _count(draw_one(cell, seed) for seed in range(*cell["seeds"]))


def _add_up(kind: Mapping[str, Any], answers: Sequence[Answer]) -> Answer:
    """Add up the counts of one kind; the interval is Wilson's, at 95%, where federations were drawn."""
    total = {key: sum(answer[key] for answer in answers) for key in ("drawn", "none", "unknown")}
    is_drawn = kind["part"] == "any" or kind.get("move", 0) > 0
    interval = list(wilson(total["none"], total["drawn"])) if is_drawn else None
    return dict(kind) | total | {"interval": interval}


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Put the blocks of every kind together, in the order in which they were cut."""
    left = iter(answers[0])

    def take(count: int) -> list[Answer]:
        return list(itertools.islice(left, count))

    readings, dynamics = take(2), take(len(settings["orders"]))
    drawn = [_add_up(kind, take(len(_cut_blocks(settings, kind)))) for kind in _read_kinds(settings)]
    tables = _add_up({"part": "tables", "parts": settings["parts"]}, list(left))
    return {"readings": readings, "dynamics": dynamics, "frequencies": [*drawn, tables]}


NO_PURE_EQUILIBRIUM = Experiment(
    name="no-pure-equilibrium",
    about="The paper's federation without a pure equilibrium, where its agents go instead, and how rare that is.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
    packages=("quantecon",),
)
