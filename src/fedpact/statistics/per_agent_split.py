"""What one agent's target adds to estimated rates: whatever hurts it, it meets often.

A hypothesis is bad for agent i only if p_i > epsilon_i. So against agent i's target no bad hypothesis survives one
of i's samples with more than the chance 1 - max(low_i, epsilon_i), however low the limit low_i of the estimate is:
either it is not bad, and does no harm, or it is that frequent. From this alone a plan follows without any data
(everybody labels log(H / delta) / epsilon samples), and the fewer points a site has, the more it matters.

For the expected objective let w = max(0, p_i - epsilon_i / 2). The expected error is at most epsilon_i / 2 and the
expected largest w of a missed hypothesis, and only hypotheses with p_i > epsilon_i / 2 have any w. So w is to be
epsilon_i / 2 at most, with the rates of i's samples raised to epsilon_i / 2.

A hypothesis that is not bad may be met less often than assumed; it does no harm, but the chance of missing it is
then no bound on anything. So nothing may be taken off another's chance because both are missed together with it:
in Hunter and Worsley's trees (:mod:`fedpact.statistics.pairs`) only hypotheses whose rates were not raised have
others linked to them.

Which agent's samples are known to meet a hypothesis that often depends on whose target is asked about. So a
federation with estimated rates is taken apart, one part for every agent's target. For the joint guarantee each
part gets an equal share of delta: all targets are met at once unless one of the parts fails.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized, remember
from fedpact.describe.ties import exceeds
from fedpact.statistics.rates import TabledRates, join_sides, rates_of


def is_split(fed: Federation) -> bool:
    """Whether targets are asked about one by one."""
    rates = rates_of(fed)
    return isinstance(rates, TabledRates) and not rates.is_certain and rates.harm is rates.above


def set_aside(fed: Federation, agent: int) -> float:
    """How much of an agent's error its part does not ask about."""
    return fed.agents[agent].epsilon / 2 if fed.objective == "expected" else 0.0


@memoized
def part_of(fed: Federation, agent: int) -> Federation:
    """Return the federation in which only one agent has a target, with the rates that this lets one assume."""
    below, above = rates_of(fed).below, rates_of(fed).above
    assert isinstance(below, TabledRates), "only such rates are taken apart"
    assert isinstance(above, TabledRates), "both sides are alike"
    aside, epsilon = set_aside(fed, agent), fed.agents[agent].epsilon
    raised, harm = list(below.tables), list(above.tables)
    raised[agent] = np.maximum(raised[agent], aside or epsilon)
    harm[agent] = np.maximum(harm[agent] - aside, 0.0)
    targets = [epsilon - aside if at == agent else 1.0 for at in range(fed.k)]
    part = replace(
        fed,
        agents=tuple(replace(own, epsilon=target) for own, target in zip(fed.agents, targets, strict=True)),
        delta=fed.delta / (fed.k if fed.guarantee == "joint" else 1),
        guarantee="per-agent",
        evidence=fed.evidence.restrict(range(fed.k)),
    )
    sides = [TabledRates(below.places, tables) for tables in (raised, above.tables, harm)]
    found = join_sides(*sides)
    found.above.unraised = found.unraised = below
    remember(part, rates_of, found)
    return part


def parts_of(fed: Federation) -> list[Federation]:
    """Federations whose targets together are those of ``fed``: itself, unless its rates are estimated."""
    if not is_split(fed):
        return [fed]
    return [part_of(fed, agent) for agent in np.flatnonzero(exceeds(1.0, fed.epsilon)).tolist()]
