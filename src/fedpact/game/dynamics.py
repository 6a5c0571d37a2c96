"""Best-response dynamics: agents adjust one after the other, or all at once, until nobody moves or they go round.

- *round-robin*: agents respond in the federation's order, each to what the others do now;
- *random*: the same, in an order drawn anew for every round;
- *simultaneous*: all agents respond at once to what everybody did before.

A round in which nobody moves ends in an equilibrium. Round-robin and simultaneous dynamics are a fixed map of
profiles to profiles, so a profile that comes back at the start of a round comes back for ever: a cycle. In a
random order it may still get away, so that only the last closed walk is reported once the rounds are used up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Ints
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import check_at_least
from fedpact.describe.progress import Progress
from fedpact.describe.settings import Assumed, Contributions
from fedpact.drawing import Figure, draw_lines, draw_path
from fedpact.errors import FederationError
from fedpact.game.game import Game, check_profiles, find_least, game_of, respond
from fedpact.result import Result
from fedpact.rows import Column
from fedpact.statistics.request import ask
from fedpact.statistics.standalone import give_alone
from fedpact.statistics.verification import read_contributions

ORDERS = ("round-robin", "random", "simultaneous")
MAX_ROUNDS = 1000
# Beyond this many samples the two-agent staircases are not drawn.
_LONGEST_STAIRCASE = 20_000
_MOST_DRAWN = 60


class DynamicsStatus(StrEnum):
    """How best-response dynamics ended."""

    SETTLED = "settled"
    """Nobody wants to move any more: an equilibrium."""
    RESTS = "rests"
    """Nobody is sure to gain by moving; bounds cannot tell whether somebody would."""
    CYCLES = "cycles"
    """The profiles repeat for ever."""
    WANDERS = "wanders"
    """In a random order, it did not settle within the rounds and keeps coming back to the same profiles."""
    STOPPED = "stopped"
    """It neither settled nor came back to a profile within the rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynamics(Assumed, Result):
    """A path of profiles, each reached from the one before by best responses."""

    path: tuple[tuple[int, ...], ...]
    """Profiles in order, the start first; a profile appears again when it is reached again."""
    cycle: tuple[tuple[int, ...], ...]
    """What repeats for ever, or in a random order the last closed walk, in order; empty if none."""
    costs: tuple[float, ...]
    """What each profile of the path costs in all."""
    equilibrium: dict[str, int] | None
    """Where the dynamics settled; None if they did not."""
    responses: dict[str, tuple[int, ...]]
    """For two agents: best response of each to 0, 1, 2, ... samples of the other. Empty for more agents."""
    staircase: tuple[int | None, ...]
    """For two agents: least contribution of the second that is enough for both, to 0, 1, 2, ... of the first."""
    status: DynamicsStatus
    rounds: int
    """Rounds that were played."""
    order: str
    names: tuple[str, ...]

    def plot(self) -> Figure:
        """Draw the path, as a matplotlib figure; needs ``fedpact[plot]``.

        For two agents over the staircase of what is enough for both; for more the last steps, a line per agent.
        """
        title = f"best responses, {self.order}: {self.status}"
        if self.responses:
            return draw_path(
                [(m[0], m[1]) for m in self.path],
                is_settled=self.status is DynamicsStatus.SETTLED,
                names=self.names,
                responses=self.responses,
                enough=self.staircase,
                title=title,
            )
        steps = self.path[-_MOST_DRAWN:]
        lines = {name: [m[agent] for m in steps] for agent, name in enumerate(self.names)}
        lines = {name: counts for name, counts in lines.items() if any(counts)} or lines
        return draw_lines(lines, title=title, x_axis="step", y_axis="samples")

    def own_columns(self) -> list[Column]:
        """Give a row for every step, with what each agent contributes."""
        return [
            Column("step", int, tuple(range(len(self.path)))),
            Column("cost", float, self.costs),
            *(Column(name, int, tuple(m[at] for m in self.path)) for at, name in enumerate(self.names)),
        ]


@dataclass(frozen=True, slots=True)
class _Played:
    """What was played, and how it ended."""

    path: list[tuple[int, ...]]
    cycle: tuple[tuple[int, ...], ...]
    status: DynamicsStatus
    rounds: int


def _play_round(game: Game, m: Ints, movers: Sequence[int]) -> list[Ints]:
    """Profiles of one round in which the agents respond one after the other; one per agent that moves."""
    steps = []
    for agent in movers:
        count = respond(game, m[None], agent)[0]
        if count != m[agent]:
            m = m.copy()
            m[agent] = count
            steps.append(m)
    return steps


def _play_at_once(game: Game, m: Ints) -> list[Ints]:
    """Profile after everybody responded to ``m``, unless nobody moves."""
    after = np.array([respond(game, m[None], agent)[0] for agent in range(game.fed.k)], dtype=np.int64)
    return [after] if (after != m).any() else []


def play_to_rest(game: Game, movers: Sequence[int], max_rounds: int) -> Ints | None:
    """Profile that agents settle at who start at nothing and respond in the order of ``movers``, if they do."""
    m = np.zeros(game.fed.k, dtype=np.int64)
    for _ in range(max_rounds):
        steps = _play_round(game, m, movers)
        if not steps:
            return m
        m = steps[-1]
    return None


def _find_staircases(
    game: Game, path: Sequence[tuple[int, ...]]
) -> tuple[dict[str, tuple[int, ...]], tuple[int | None, ...]]:
    """Responses of two agents to 0, 1, 2, ... of each other, and what is enough for both, to draw a path over."""
    reach = np.maximum(game.most, np.array(path).max(axis=0)) + 1
    if game.fed.k != 2 or reach.max() > _LONGEST_STAIRCASE:
        return {}, ()
    alone, top = [give_alone(2, agent, np.arange(reach[agent] + 1)) for agent in range(2)], int(reach[1])
    responses = [tuple(respond(game, alone[1 - agent], agent).tolist()) for agent in range(2)]
    second = find_least(game, alone[0], 1, 0, top)
    # The first agent's target, with the second's contribution moving.
    first = find_least(game, alone[0], 0, 0, top, mover=1)
    enough = tuple(count if count <= top else None for count in np.maximum(first, second).tolist())
    return dict(zip(game.fed.names, responses, strict=True)), enough


def _closed_walk(path: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Profiles since the last profile was there before; empty if it was not."""
    before = [place for place, m in enumerate(path[:-1]) if m == path[-1]]
    return tuple(path[before[-1] : -1]) if before else ()


def _play(
    game: Game, start: Ints, order: str, max_rounds: int, rng: np.random.Generator, progress: Progress | None
) -> _Played:
    """Play until nobody moves, a round of a fixed order starts where one did before, or the rounds are used up."""
    k, m, path = game.fed.k, start, [tuple(start.tolist())]
    starts = {path[0]: 0}
    for rounds in range(1, max_rounds + 1):
        movers = rng.permutation(k).tolist() if order == "random" else range(k)
        steps = _play_at_once(game, m) if order == "simultaneous" else _play_round(game, m, movers)
        path += [tuple(step.tolist()) for step in steps]
        if progress is not None:
            progress(rounds, max_rounds)
        if not steps:
            is_sure = check_profiles(game, m[None])[0][0]
            return _Played(path, (), DynamicsStatus.SETTLED if is_sure else DynamicsStatus.RESTS, rounds)
        m = steps[-1]
        if order != "random" and path[-1] in starts:
            return _Played(path, tuple(path[starts[path[-1]] : -1]), DynamicsStatus.CYCLES, rounds)
        starts[path[-1]] = len(path) - 1
    walk = _closed_walk(path)
    return _Played(path, walk, DynamicsStatus.WANDERS if walk else DynamicsStatus.STOPPED, max_rounds)


@takes_federation
def best_response_dynamics(
    fed: Federation,
    *,
    order: str = "round-robin",
    start: Contributions | None = None,
    max_rounds: int = MAX_ROUNDS,
    teacher: str | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Dynamics:
    """Let agents respond to each other until nobody moves, the profiles repeat or the rounds are used up.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    order
        ``"round-robin"``, ``"random"`` or ``"simultaneous"``.
    start
        Where to start, as for :func:`fedpact.verify`; nobody contributes by default.
    max_rounds
        Rounds, in each of which every agent may move once.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    rng
        Draws the random order; ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of rounds played and ``max_rounds``.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob, no_pure_equilibrium
    >>> best_response_dynamics(alice_bob(), start=[2, 0]).equilibrium
    {'alice': 14, 'bob': 0}
    >>> best_response_dynamics(alice_bob(), order="simultaneous").cycle
    ((0, 0), (14, 14))
    >>> print(best_response_dynamics(no_pure_equilibrium()).status)
    cycles
    """
    read_choice(order, "order", ORDERS)
    check_at_least(max_rounds, "max_rounds", 1)
    game = game_of(ask(fed, teacher=teacher))
    try:
        m = read_contributions(fed, {} if start is None else start)
    except FederationError as error:
        raise FederationError([f"start: {problem}" for problem in error.problems]) from None
    played = _play(game, m, order, max_rounds, np.random.default_rng(0) if rng is None else rng, progress)
    responses, staircase = _find_staircases(game, played.path)
    is_settled = played.status is DynamicsStatus.SETTLED
    return Dynamics(
        path=tuple(played.path),
        cycle=played.cycle,
        costs=tuple(fed.costs_of(np.array(played.path)).tolist()),
        equilibrium=dict(zip(fed.names, played.path[-1], strict=True)) if is_settled else None,
        responses=responses,
        staircase=staircase,
        status=played.status,
        rounds=played.rounds,
        order=order,
        names=fed.names,
        assume=fed.assume,
        noise=fed.noise,
    )
