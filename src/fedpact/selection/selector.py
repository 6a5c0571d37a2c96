"""``Selector``: which labels are wanted next, and what those that came prove; it can be put aside at any time.

Under ``realizable`` and ``noisy`` labels of all sites speak of one truth (:mod:`fedpact.selection.shared_truth`),
under ``agnostic`` each site's for itself (:mod:`fedpact.selection.site_by_site`). Without ``confidence`` the
promise is about the sites' pools: rates there are the truth. With it the promise is about the distributions that
the pools were drawn from, and fails with probability delta + 1 - confidence at most.

Its state is what was drawn and told, in order. Who reads it takes the same points again and learns the same
labels, so that nothing is lost and nothing is asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import AnyFederation, read_federation
from fedpact.describe.federation import Federation
from fedpact.describe.label_codes import Label
from fedpact.describe.label_matrix import code_truth
from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, read_whole_number, shorten
from fedpact.errors import FederationError, FormatError
from fedpact.result import Record
from fedpact.selection.learner import Drawn, Wanted
from fedpact.selection.result import Selection, SelectionStatus, Step, TooBad
from fedpact.selection.terms import Terms, check_terms, read_terms

_UNLIMITED = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Points that were drawn at a site, or labels of some that were told."""

    site: str
    points: tuple[int, ...]
    among: tuple[int, ...] | None = field(default=None, metadata={"is_optional": True})
    """The candidates that were bet on, by number; None where nothing is bet, or they are as before at the site."""
    labels: tuple[str | int, ...] | None = field(default=None, metadata={"is_optional": True})
    """The labels that were told; None: the points were drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorState(Record):
    """Everything that a selector has to keep."""

    federation: str
    """Fingerprint of the federation."""
    terms: Terms
    rounds: int
    events: tuple[Event, ...]


class Selector:
    """Labelling that asks only what matters: ask, tell, as often as it takes.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example; with points, which reports do not hold.
    assume, noise
        What is assumed of labels: "realizable", "noisy" with ``noise``, or "agnostic"; as the federation says, if
        not given.
    scope
        "each": every site may use another candidate; "one": all use the same. By default "each" where nothing is
        assumed, else "one".
    ask
        "adaptive", or "implied-free": the draws of a plan, asked only where candidates that are left disagree.
    plan
        For "implied-free" the plan, or the samples of every site; :func:`fedpact.plan` makes it if not given.
    max_labels
        Labels to ask for at most.
    weights
        How much each candidate is expected of, by name, before any label; or "chosen-before": sites begin one
        after the other, and each expects most of what was chosen before it. If not given all count alike.
    confidence
        If given, points are taken for draws of distributions, and the promise is about these.
    rng
        A seed, or a generator.

    Examples
    --------
    >>> says = {"north": [[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], "south": [[1, 0], [1, 1], [0, 0]]}
    >>> selector = Selector(Federation.from_predictions(says, epsilon=0.25, delta=0.1))
    >>> while asked := selector.ask():
    ...     print(asked)
    ...     for site, points in asked.items():
    ...         selector.tell(site, points, [0 for _ in points])
    {'north': [0]}
    {'north': [1]}
    >>> selector.result().chosen
    {'north': 'h1', 'south': 'h1'}
    """

    def __init__(
        self,
        fed: AnyFederation,
        *,
        assume: str | None = None,
        noise: Number | None = None,
        scope: str | None = None,
        ask: str = "adaptive",
        plan: Any = None,
        max_labels: int | None = None,
        weights: Mapping[str, Number] | str | None = None,
        confidence: Number | None = None,
        rng: int | np.random.Generator = 0,
    ) -> None:
        options = {"scope": scope, "ask": ask, "plan": plan, "max_labels": max_labels, "weights": weights}
        options |= {"confidence": confidence, "rng": rng}
        self._begin(*read_terms(read_federation(fed), assume=assume, noise=noise, **options))

    def _begin(self, fed: Federation, terms: Terms) -> None:
        from fedpact.selection.make_learner import make_learner  # compiles loops, which takes a second

        self.fed, self.terms, self.rounds = fed, terms, 0
        self.candidates = fed.hypotheses if terms.confidence is None else fed.evidence.hypotheses
        self._learner = make_learner(fed, terms)
        self._events: list[Event] = []
        self._among: dict[str, tuple[int, ...] | None] = {}
        self._asked: dict[str, dict[int, Label | None]] = {name: {} for name in fed.names}
        """Site -> point -> its label, None while it is not told."""
        self._drawn: dict[str, set[int]] = {name: set() for name in fed.names}

    @property
    def labels_asked(self) -> dict[str, int]:
        """Site -> labels asked for so far."""
        return {site: len(asked) for site, asked in self._asked.items()}

    @property
    def pending(self) -> dict[str, list[int]]:
        """Site -> points that were asked and not told."""
        waiting = {site: [x for x, label in own.items() if label is None] for site, own in self._asked.items()}
        return {site: points for site, points in waiting.items() if points}

    @property
    def told(self) -> dict[str, dict[int, Label]]:
        """Site -> point -> its label, of points that were told."""
        return {site: {x: y for x, y in own.items() if y is not None} for site, own in self._asked.items()}

    def _draw(self, n: int, *, has_budget: bool = True) -> list[Drawn]:
        """Choose what comes next; without a budget, what would come if there were no end to it."""
        count = np.array(list(self.labels_asked.values()))
        most = [_UNLIMITED if agent.capacity is None else agent.capacity for agent in self.fed.agents]
        total = _UNLIMITED if self.terms.max_labels is None else self.terms.max_labels
        wanted = Wanted(
            n=n,
            total=total - int(count.sum()) if has_budget else _UNLIMITED,
            room=np.array(most) - count if has_budget else np.full(len(count), _UNLIMITED),
            price=np.array([agent.cost.marginal(m) for agent, m in zip(self.fed.agents, count, strict=True)]),
        )
        if wanted.total <= 0:
            return []
        return self._learner.draw(wanted, np.random.default_rng([self.terms.seed, int(count.sum())]))

    def ask(self, n: int = 1) -> dict[str, list[int]]:
        """Ask for labels: site -> numbers of its points, counted from 0; nothing if no label is wanted any more.

        ``n`` is how many are wanted before one looks again: of every site where nothing is assumed, since each
        decides alone, else of all together. Points that were asked before and not told are not among them.
        """
        asked: dict[str, list[int]] = {}
        while not asked and (found := self._draw(read_whole_number(n, "n", least=1))):
            for drawn in found:  # of a stream, there may be points that need no label
                site = self.fed.names[drawn.site]
                among = None if drawn.among == self._among.get(site) else drawn.among
                points = self._take(Event(site=site, points=drawn.points, among=among))
                if points:
                    asked[site] = points
        self.rounds += bool(asked)
        return asked

    def _take(self, event: Event) -> list[int]:
        self._among[event.site] = event.among or self._among.get(event.site)
        site = self.fed.names.index(event.site)
        asked = self._learner.take(Drawn(site=site, points=event.points, among=self._among[event.site]))
        self._asked[event.site] |= dict.fromkeys(asked)
        self._drawn[event.site].update(event.points)
        self._events.append(event)
        return asked

    def tell(self, site: str, points: Sequence[int] | NDArray[Any], labels: Sequence[Any] | NDArray[Any]) -> None:
        """Tell labels of points that were asked, coded as the predictions are; if one is refused, none is taken.

        A label that was told before may be told again, if it is the same.
        """
        if site not in self._asked:
            raise FederationError(f"no site is called {shorten(site)}; {nearest(str(site), self._asked)}")
        codes, given = code_truth(labels, getattr(self.fed.evidence, "classes", None), f"site {site!r}: labels")
        at = [read_whole_number(point, f"site {site!r}: points") for point in points]
        if len(at) != len(given):
            raise FederationError(
                f"site {site!r}: labels must be one for each of {len(at)} points; they are {len(given)}"
            )
        new: dict[int, tuple[int, Label]] = {}
        for point, code, label in zip(at, codes.tolist(), given, strict=True):
            known = new[point][1] if point in new else self._asked[site].get(point)
            if point not in self._asked[site]:
                raise FederationError(
                    f"site {site!r}: point {point} was not asked; tell labels of points that were"
                )
            if known is not None and known != label:
                raise FederationError(
                    f"site {site!r}: point {point} was told to be {known!r} and now {label!r}; the first stands"
                )
            if known is None:
                new[point] = (code, label)
        if new:
            told = tuple(label for _, label in new.values())
            self._learn(
                Event(site=site, points=tuple(new), labels=told), {x: code for x, (code, _) in new.items()}
            )

    def _learn(self, event: Event, codes: Mapping[int, int]) -> None:
        assert event.labels is not None, "only labels are learnt"
        self._asked[event.site] |= dict(zip(event.points, event.labels, strict=True))
        self._events.append(event)
        self._learner.learn(self.fed.names.index(event.site), codes)

    @property
    def is_certified(self) -> bool:
        """Whether every site has a candidate that is proved to be good enough."""
        return self._learner.find().is_certified

    def ruled_out(self) -> tuple[int, int]:
        """Count how many candidates are ruled out, over all sites, and how many can be at most."""
        left, sites = self._learner.count_left(), len(self.fed.names)
        return sites * len(self.candidates) - left, sites * (len(self.candidates) - 1)

    def result(self) -> Selection:
        """Say what is proved so far; at any time, however often."""
        found, names = self._learner.find(), self.fed.names
        if found.is_refuted:
            status = SelectionStatus.ASSUMPTION_REFUTED
        elif found.is_certified:
            status = SelectionStatus.CERTIFIED
        elif found.witness:
            status = SelectionStatus.NO_COMMON_CANDIDATE
        elif self.pending or self._draw(1):
            status = SelectionStatus.OPEN
        else:
            is_short = bool(self._draw(1, has_budget=False))
            status = SelectionStatus.BUDGET_SPENT if is_short else SelectionStatus.POOL_EXHAUSTED
        labels_asked, candidates = self.labels_asked, self.candidates
        return Selection(
            assume=self.fed.assume,
            noise=self.fed.noise,
            scope=self.terms.scope,
            how=self.terms.how,
            status=status,
            chosen={site: candidates[at] for site, at in zip(names, found.chosen, strict=True)},
            certified_epsilon=dict(zip(names, found.epsilon.tolist(), strict=True)),
            epsilon=dict(zip(names, self.fed.epsilon.tolist(), strict=True)),
            labels_asked=labels_asked,
            rounds=self.rounds,
            cost=self.fed.cost_of(list(labels_asked.values())),
            survivors={
                site: tuple(candidates[at] for at in own) for site, own in zip(names, found.survivors, strict=True)
            },
            witness={
                candidates[one]: TooBad(site=names[site], better=candidates[other])
                for one, (site, other) in found.witness.items()
            },
            steps={
                site: tuple(
                    Step(labels=m, epsilon=proved, in_question=left) for m, proved, left in self._learner.trace(at)
                )
                for at, site in enumerate(names)
            },
            delta=self.fed.delta,
            guarantee=self.fed.guarantee,
            confidence=self.terms.confidence,
            name=self.fed.name,
            federation=self.fed.fingerprint,
            is_sampled=self.fed.is_sampled and self.terms.confidence is None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the state as plain values, from which :meth:`from_dict` goes on."""
        state = SelectorState(
            federation=self.fed.fingerprint, terms=self.terms, rounds=self.rounds, events=tuple(self._events)
        )
        return state.to_dict()

    @classmethod
    def from_dict(cls, fed: AnyFederation, entry: Mapping[str, Any]) -> Self:
        """Go on from the state that :meth:`to_dict` gave, for the same federation."""
        state = SelectorState.from_dict(entry)
        found, given = cls.__new__(cls), read_federation(fed)
        if given.replace(assume=state.terms.assume, noise=state.terms.noise).fingerprint != state.federation:
            raise FormatError(
                "the state is of another federation (other points, candidates, targets or costs); give that one"
            )
        try:
            found._begin(*check_terms(given, state.terms))
            for number, event in enumerate(state.events, 1):
                found._repeat(event, f"event {number}")
        except FederationError as error:
            raise FormatError(f"the state is broken: {error}") from None
        found.rounds = state.rounds
        return found

    def _repeat(self, event: Event, where: str) -> None:
        """Draw, or learn, once more what a state says."""
        if event.site not in self._asked:
            raise FormatError(f"{where} names a site that the federation has not: {shorten(event.site)}")
        points, asked, sizes = set(event.points), self._asked[event.site], self.fed.evidence.sizes
        n = sizes[self.fed.names.index(event.site)] if len(sizes) > 1 else sizes[0]
        if not points or len(points) < len(event.points) or not 0 <= min(points) <= max(points) < n:
            raise FormatError(f"{where} must hold different points of the site")
        if event.labels is not None:
            if len(event.labels) != len(event.points) or any(asked.get(point, 0) is not None for point in points):
                raise FormatError(
                    f"{where} must hold a label for each of some points that were asked and not told"
                )
            self.tell(event.site, event.points, event.labels)
            return
        among = event.among or self._among.get(event.site)
        is_bet = self.fed.assume == "agnostic" and self.terms.how == "adaptive"
        if points & self._drawn[event.site]:
            raise FormatError(f"{where} must hold points that were not drawn before")
        is_listed = list(among or ()) == sorted({*(among or ())} & {*range(len(self.candidates))})
        if is_bet != (among is not None) or not is_listed:
            raise FormatError(
                f"{where}: among must hold candidates by number where they are bet on, and nothing else"
            )
        self._take(event)
