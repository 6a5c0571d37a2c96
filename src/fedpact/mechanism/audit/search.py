"""The search of an audit: misreports of one agent, against liars, of pairs, and under two names.

Of others' lies those are tried first that cost somebody its target: there is something to be won back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from fedpact.mechanism.audit.misreports import Lie
from fedpact.mechanism.audit.result import AuditFinding, Scenario
from fedpact.mechanism.audit.trial import Outcome, Trial
from fedpact.mechanism.claims import Claim, second_name
from fedpact.mechanism.witness import Witness

_NOISE = 1e-8
"""Gains below this part of what the liars have are rounding."""
_BASES = 40
"""Lies of others that wait at most for the search in the dominant sense."""
_ANSWERS = 6

Streams = Callable[[], Sequence[Iterator[Lie]]]
"""Starts anew, for every agent, the misreports to try."""


_Base: TypeAlias = tuple[int, dict[int, Claim]]
"""A victim, and lies of others that it may want to answer."""


def _nothing_found() -> dict[Scenario, AuditFinding]:
    return {scenario: AuditFinding(scenario=scenario, gain=0.0, tried=0, witness=None) for scenario in Scenario}


@dataclass(slots=True)
class MisreportSearch:
    """One audit under way; what it has found so far is there whenever it is stopped."""

    trial: Trial
    streams: Streams
    rng: np.random.Generator
    truthful: Outcome
    """What comes of everybody's true reports."""
    found: dict[Scenario, AuditFinding] = field(default_factory=_nothing_found)
    _harmful: list[_Base] = field(default_factory=list)
    _harmless: list[_Base] = field(default_factory=list)

    def run(self, budget: int, senses: Sequence[str]) -> None:
        """Try ``budget`` profiles, the senses taking turns; a federation of one has nobody to lie to or with."""
        has_others = self.trial.truth.k > 1
        searches = (
            (self._try_alone, 4 * ("ex-post" in senses)),
            (self._try_against_liars, 3 * ("dominant" in senses and has_others)),
            (self._try_pairs, 2 * ("coalition" in senses and has_others)),
            (self._try_two_names, 1 * ("coalition" in senses)),
        )
        turns = [turn for search, parts in searches for turn in [search()] * parts]
        for turn in itertools.islice(itertools.cycle(turns), budget):
            next(turn)

    def _try_alone(self) -> Iterator[None]:
        streams = self.streams()
        for agent in itertools.cycle(range(len(streams))):
            lie = next(streams[agent])
            after = self.trial.play({agent: lie.claim}, [agent])
            self._see(Scenario.EX_POST, lie.deviation, {agent: lie.claim}, {}, self.truthful, after)
            if after is not None:
                self._remember(agent, lie.claim, after)
            yield

    def _remember(self, liar: int, claim: Claim, after: Outcome) -> None:
        """Keep lies that others may want to answer; of those that harm nobody, some drawn at random."""
        victims = np.flatnonzero(self.truthful.met & ~after.met)
        for victim in victims[victims != liar]:
            if len(self._harmful) < _BASES:
                self._harmful.append((int(victim), {liar: claim}))
        others = np.delete(np.arange(self.trial.truth.k), liar)
        if len(others) and len(self._harmless) < _BASES and self.rng.random() < 0.2:
            self._harmless.append((int(self.rng.choice(others)), {liar: claim}))

    def _try_against_liars(self) -> Iterator[None]:
        """To every lie of others try answers that come first in the victim's stream, then fresh ones."""
        streams = self.streams()
        for victim, given in self._bases(streams):
            before = self.trial.play(given, [victim], surely=False)
            self._count(Scenario.DOMINANT)
            yield
            first = itertools.islice(self.streams()[victim], _ANSWERS)
            for lie in itertools.chain(first, itertools.islice(streams[victim], _ANSWERS)):
                claims = {victim: lie.claim}
                after = self.trial.play(given | claims, [victim])
                self._see(Scenario.DOMINANT, lie.deviation, claims, given, before, after)
                yield

    def _bases(self, streams: Sequence[Iterator[Lie]]) -> Iterator[_Base]:
        """Lies that harm somebody as they are found, then others, then all others lying at once."""
        for victim in itertools.cycle(range(len(streams))):
            while self._harmful:
                yield self._harmful.pop(0)
            if self._harmless:
                yield self._harmless.pop(0)
            others = (agent for agent in range(len(streams)) if agent != victim)
            yield victim, {agent: next(streams[agent]).claim for agent in others}

    def _try_pairs(self) -> Iterator[None]:
        """Both lie, or one of them for both."""
        streams = self.streams()
        pairs = list(itertools.combinations(range(len(streams)), 2))
        self.rng.shuffle(pairs)
        for number, pair in ((number, pair) for number in itertools.count() for pair in pairs):
            liars = (pair, pair[:1], pair[1:])[number % 3]
            claims = {agent: next(streams[agent]).claim for agent in liars}
            after = self.trial.play(claims, pair)
            self._see(Scenario.PAIR, "pair", claims, {}, self.truthful, after)
            yield

    def _try_two_names(self) -> Iterator[None]:
        """Tell the truth under both names first, then lie under one or under both."""
        streams = self.streams()
        for number, agent in ((n, agent) for n in itertools.count() for agent in range(len(streams))):
            own = self.trial.claims.of(agent)
            first = own if number % 3 < 2 else next(streams[agent]).claim
            second = own if number == 0 else next(streams[agent]).claim
            after = self.trial.play({agent: first}, [agent], second=second)
            self._see(Scenario.SPLIT, "split", {agent: first}, {}, self.truthful, after, second=second)
            yield

    def _count(self, scenario: Scenario) -> AuditFinding:
        best = self.found[scenario]
        self.found[scenario] = best = replace(best, tried=best.tried + 1)
        return best

    def _see(
        self,
        scenario: Scenario,
        deviation: str,
        claims: Mapping[int, Claim],
        given: Mapping[int, Claim],
        before: Outcome | None,
        after: Outcome | None,
        second: Claim | None = None,
    ) -> None:
        """Count a try, and keep it if it brings more than any before it."""
        best = self._count(scenario)
        if before is None or after is None:
            return
        gain = sum(after.utility[agent] - before.utility[agent] for agent in after.utility)
        size = sum(
            float(self.trial.worth[agent]) + abs(before.utility[agent]) + abs(after.utility[agent])
            for agent in after.utility
        )
        if gain <= max(best.gain, _NOISE * size):
            return
        names, describe = self.trial.truth.names, self.trial.claims.describe
        reports = {names[agent]: describe(agent, claim) for agent, claim in claims.items()}
        if second is not None:
            (agent,) = claims
            reports[second_name(self.trial.truth, agent)] = describe(agent, second)
        lie = Witness(
            deviation=deviation,
            agents=tuple(names[agent] for agent in sorted(after.utility)),
            reports=reports,
            given={names[agent]: describe(agent, claim) for agent, claim in given.items()},
            contributions_truthful=dict(zip(names, before.m.tolist(), strict=True)),
            contributions_lying=dict(zip(names, after.m.tolist(), strict=True)),
            met_truthful=dict(zip(names, before.met.tolist(), strict=True)),
            met_lying=dict(zip(names, after.met.tolist(), strict=True)),
            utility_truthful=sum(before.utility[agent] for agent in after.utility),
            utility_lying=sum(after.utility.values()),
        )
        self.found[scenario] = replace(best, gain=gain, witness=lie)
