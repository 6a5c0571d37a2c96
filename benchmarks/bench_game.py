"""The search for pure equilibria against payoff tensors, and how far it gets where no tensor fits.

- Three agents with about 60 strategies each: ours cuts boxes of profiles. The competitors evaluate every profile
  with the same guarantee engine, all profiles of an agent in one call, and then either mask the payoffs with numpy
  or hand them to QuantEcon's `pure_nash_brute`.
- The same against best responses: where agents settle who respond in turns, against the walk through the tensors.
- Three agents with about 1,000 strategies each, and ten with about 50: seconds, equilibria, the share of all
  profiles that is settled, and whether the cheapest and the dearest are known.

Each side starts from the distributions and ends with the list of equilibria; the lists must be equal.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray
from quantecon.game_theory import NormalFormGame, Player, pure_nash_brute

import fedpact as fp
from fedpact.describe.ties import exceeds
from fedpact.game.game import game_of
from fedpact.game.pure_equilibria import Found, find_equilibria
from fedpact.statistics.engine import engine_of
from instances import rare_cases
from timing import Work, in_turns

Profiles = list[tuple[int, ...]]

WORTH = 10_000.0
"""What its target is worth to each agent: more than it ever costs."""


def rebuild(fed: fp.Federation) -> fp.Federation:
    """Build the same federation, nothing worked out yet."""
    return fp.Federation.from_table(
        fed.evidence.labels,
        fed.evidence.distributions,
        cost=[agent.cost for agent in fed.agents],
        epsilon=fed.epsilon,
        delta=fed.delta,
    )


def search(fed: fp.Federation) -> Profiles:
    found = find_equilibria(game_of(rebuild(fed)), max_count=10**9, time_limit=600)
    assert found.is_complete
    return [tuple(m) for m in found.profiles.tolist()]


def payoff_tensors(fed: fp.Federation) -> list[NDArray[np.float64]]:
    """Utility of every agent in every profile, one axis per agent: WORTH for its target, less its cost."""
    fed = rebuild(fed)
    engine, most = engine_of(fed), list(fp.game.standalone(fed).values())
    axes = [np.arange((need or 0) + 1) for need in most]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, fed.k)
    payoffs = []
    for i, agent in enumerate(fed.agents):
        is_met = ~exceeds(engine.decide(grid, [i])[1][:, 0], fed.delta)
        payoffs.append((WORTH * is_met - agent.cost(grid[:, i])).reshape([len(axis) for axis in axes]))
    return payoffs


def mask(fed: fp.Federation) -> Profiles:
    at_rest = np.array(True)
    for i, payoff in enumerate(payoff_tensors(fed)):
        at_rest = at_rest & (payoff == payoff.max(axis=i, keepdims=True))
    return [tuple(int(count) for count in m) for m in np.argwhere(at_rest)]


def brute(fed: fp.Federation) -> Profiles:
    payoffs = payoff_tensors(fed)
    axes = list(range(len(payoffs)))
    players = [
        Player(np.ascontiguousarray(payoff.transpose(axes[i:] + axes[:i]))) for i, payoff in enumerate(payoffs)
    ]
    return sorted(tuple(int(count) for count in m) for m in pure_nash_brute(NormalFormGame(players)))


def settle(fed: fp.Federation) -> tuple[int, ...]:
    return fp.best_response_dynamics(rebuild(fed)).path[-1]


def walk(fed: fp.Federation) -> tuple[int, ...]:
    """Best responses in turns, read from the tensors, until nobody moves."""
    payoffs, m = payoff_tensors(fed), [0] * fed.k
    while True:
        before = tuple(m)
        for i, payoff in enumerate(payoffs):
            m[i] = int(payoff[tuple(slice(None) if j == i else count for j, count in enumerate(m))].argmax())
        if tuple(m) == before:
            return before


@pytest.fixture(scope="module")
def three() -> fp.Federation:
    return rare_cases(60, 3)


@pytest.mark.parametrize(
    ("competitor", "call", "at_least"),
    [
        ("payoff tensor masked with numpy", mask, 10),
        ("payoff tensor and QuantEcon's pure_nash_brute", brute, 50),
    ],
)
def test_boxes_against_a_tensor(three, compare, competitor, call, at_least) -> None:
    ours, theirs = in_turns(Work(search, lambda: three), Work(call, lambda: three))
    assert theirs.answer == ours.answer
    compare(
        f"pure equilibria, 3 agents with about 60 strategies ({len(ours.answer)} found)",
        unit="seconds",
        ours=ours.seconds,
        competitor=competitor,
        theirs=theirs.seconds,
        at_least=at_least,
    )


def test_best_responses_against_a_tensor(three, compare) -> None:
    ours, theirs = in_turns(Work(settle, lambda: three), Work(walk, lambda: three))
    assert theirs.answer == ours.answer
    compare(
        "where 3 agents with about 60 strategies settle who respond in turns",
        unit="seconds",
        ours=ours.seconds,
        competitor="the same walk through the payoff tensor",
        theirs=theirs.seconds,
        at_least=10,
    )


@pytest.mark.parametrize(("k", "strategies"), [(3, 1000), (10, 50)])
def test_beyond_tensors(k, strategies, record) -> None:
    fed = rare_cases(strategies, k)
    start = time.perf_counter()
    found: Found = find_equilibria(game_of(fed), max_count=100_000, time_limit=60)
    seconds = time.perf_counter() - start
    what = f"{k} agents with about {strategies} strategies"
    record(f"{what}, search for pure equilibria", unit="seconds", value=seconds, at_most=62)
    record(f"{what}, equilibria listed", unit="profiles", value=len(found.profiles))
    record(f"{what}, share of profiles settled", unit="", value=found.share_searched)
    record(f"{what}, all listed", unit="(1: yes)", value=float(found.is_complete))
    record(f"{what}, cheapest and dearest known", unit="(1: yes)", value=float(found.cost_left is None))
