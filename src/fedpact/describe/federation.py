"""A federation: agents with targets and costs, and the evidence of how their data differ.

The paper's model (its section 2) has one epsilon, linear costs and no capacities. Here epsilon
(Section 6, own thresholds) and cost are per agent, a capacity is optional, and the guarantee is named: *per-agent*
(every agent's target holds with probability 1 - delta, the paper's definition of the objective) or *joint* (all
at once, the paper's section 4); ERRATA C2 shows that they differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.costs import AnyCost, Linear
from fedpact.describe.evidence import Evidence, Reports, find_distinct
from fedpact.describe.hypothesis_class import number_names, read_names
from fedpact.describe.memo import memoized
from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, shorten
from fedpact.describe.read_evidence import (
    check_by_agent,
    read_predictions,
    read_reports,
    read_restriction,
    read_table,
)
from fedpact.describe.settings import PerAgent, Settings, read_settings
from fedpact.errors import FederationError, Problems
from fedpact.result import Shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Federation(Shown, Settings):
    """Agents, their targets and the evidence of how their data differ.

    Build one with :meth:`from_table`, :meth:`from_predictions`, :meth:`from_points`, :meth:`from_reports` or
    :func:`fedpact.load`.

    Examples
    --------
    >>> fed = Federation.from_table(
    ...     labels=[[0, 0], [0, 1], [1, 0], [1, 1]],
    ...     distributions=[[0.8, 0.2], [0.2, 0.8]],
    ...     cost=1.0, epsilon=0.1, delta=0.05, names=["alice", "bob"],
    ... )
    >>> fed
    Federation('federation': 2 agents, 4 hypotheses, table, pac, per-agent)
    """

    ROWS: ClassVar = "agents"

    name: str
    evidence: Evidence
    distinct: NDArray[np.intp]
    """Indices of the hypotheses that some agent can tell from every earlier one."""

    @classmethod
    def from_table(
        cls,
        labels: Any,
        distributions: Any,
        *,
        epsilon: PerAgent[Number],
        delta: Number,
        cost: PerAgent[AnyCost] = 1.0,
        names: Sequence[str] | None = None,
        capacity: PerAgent[Number | None] = None,
        objective: str = "pac",
        guarantee: str = "per-agent",
        assume: str | None = None,
        noise: Number | None = None,
        name: str = "federation",
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
    ) -> Federation:
        """Describe a federation over finitely many points.

        Parameters
        ----------
        labels
            (H, n) label of every hypothesis at every point, all whole numbers or all strings, or a named class
            from :mod:`fedpact.planning.classes`.
        distributions
            (k, n) mass of every agent on every point.
        cost, epsilon, capacity
            One value for all agents, a sequence, or a mapping from agent name to value.
        delta
            Largest probability with which a target may be missed.
        assume, noise
            What is assumed of labels: "realizable" (some candidate agrees with all of them), "noisy" (but for
            wrong ones, with probability ``noise`` at most each) or "agnostic" (nothing).
        """
        if names is None:
            names = number_names("agent-", len(distributions) if hasattr(distributions, "__len__") else 0)
        terms = cost, epsilon, capacity, delta, objective, guarantee, assume, noise
        listed = () if isinstance(names, str) else tuple(names)
        given = partial(read_table, labels, distributions, names=listed, points=points, hypotheses=hypotheses)
        return _describe(name, names, terms, given)

    @classmethod
    def from_predictions(
        cls,
        predictions: Mapping[str, Any],
        *,
        epsilon: PerAgent[Number],
        delta: Number,
        cost: PerAgent[AnyCost] = 1.0,
        capacity: PerAgent[Number | None] = None,
        objective: str = "pac",
        guarantee: str = "per-agent",
        assume: str | None = None,
        noise: Number | None = None,
        name: str = "federation",
        hypotheses: Sequence[str] | None = None,
    ) -> Federation:
        """Describe a federation by what every hypothesis predicts on each agent's own unlabelled points.

        Parameters
        ----------
        predictions
            Agent name to (H, n_i) array of whole numbers or, at all agents, strings. Agent i's distribution is
            uniform on its own n_i points.

        Examples
        --------
        >>> seen = {"north": [["benign", "malignant"], ["benign", "benign"]], "south": [["unclear"], ["benign"]]}
        >>> fed = Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
        >>> fed.labels["south"].tolist(), fed.evidence.classes
        ([['unclear'], ['benign']], ('benign', 'malignant', 'unclear'))
        """
        check_by_agent(predictions, "predictions", "(H, n)")
        terms = cost, epsilon, capacity, delta, objective, guarantee, assume, noise
        given = partial(read_predictions, predictions, hypotheses=hypotheses)
        return _describe(name, tuple(predictions), terms, given)

    @classmethod
    def from_points(
        cls,
        points: Mapping[str, Any],
        hypotheses: str = "thresholds",
        *,
        epsilon: PerAgent[Number],
        delta: Number,
        cost: PerAgent[AnyCost] = 1.0,
        capacity: PerAgent[Number | None] = None,
        objective: str = "pac",
        guarantee: str = "per-agent",
        assume: str | None = None,
        noise: Number | None = None,
        name: str = "federation",
        feature_names: Sequence[str] | None = None,
    ) -> Federation:
        """Describe a federation by each agent's own unlabelled points and a named class of hypotheses.

        The class is restricted to the points: every different labelling that it induces on all agents' points
        together is one hypothesis. With agent i's distribution uniform on its own points that loses nothing, so
        whatever is proved of this federation holds exactly for every truth in the infinite class and every
        hypothesis that a learner may pick from it. It says nothing of points that were not given. Where the
        labelings are too many to enumerate there is :func:`fedpact.planning.plan_cover`.

        Parameters
        ----------
        points
            Agent name to (n_i,) or (n_i, d) array.
        hypotheses
            ``"thresholds"`` or ``"intervals"`` of one feature, ``"stumps"``, ``"rectangles"``,
            ``"halfspaces"``, or ``"conjunctions"`` of 0/1 features.
        feature_names
            What the names of the hypotheses call the d features; ``f1, f2, ...`` if not given.

        Examples
        --------
        >>> points = {"alice": [1, 2, 3], "bob": [2.5, 4]}
        >>> fed = Federation.from_points(points, "thresholds", epsilon=0.1, delta=0.05)
        >>> fed.hypotheses
        ('x >= 1', 'x >= 2', 'x >= 2.5', 'x >= 3', 'x >= 4', 'never')
        """
        check_by_agent(points, "points", "(n,) or (n, d)")
        terms = cost, epsilon, capacity, delta, objective, guarantee, assume, noise
        given = partial(read_restriction, points, hypotheses, feature_names=feature_names)
        return _describe(name, tuple(points), terms, given)

    @classmethod
    def from_reports(
        cls,
        reports: Sequence[Any],
        *,
        epsilon: PerAgent[Number],
        delta: Number,
        cost: PerAgent[AnyCost] = 1.0,
        capacity: PerAgent[Number | None] = None,
        objective: str = "pac",
        guarantee: str = "per-agent",
        assume: str | None = None,
        noise: Number | None = None,
        name: str = "federation",
        hypotheses: Sequence[str] | None = None,
    ) -> Federation:
        """Describe a federation by the pairwise disagreement counts that its sites sent."""
        evidence = read_reports(reports, hypotheses=hypotheses)
        terms = cost, epsilon, capacity, delta, objective, guarantee, assume, noise
        return _describe(name, [report.name for report in reports], terms, lambda: evidence)

    @property
    def k(self) -> int:
        """Number of agents."""
        return len(self.agents)

    @property
    def H(self) -> int:
        """Number of hypotheses, those that no agent can tell apart counted once."""
        return len(self.distinct)

    @property
    def H_given(self) -> int:
        """Number of hypotheses as described."""
        return len(self.evidence.hypotheses)

    @property
    def is_sampled(self) -> bool:
        """Whether rates were counted on some points of each agent, and are taken for the truth."""
        is_estimate = isinstance(self.evidence, Reports) and self.evidence.confidence is not None
        return self.evidence.IS_COUNTED and not is_estimate

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """Names of the H different hypotheses."""
        return tuple(self.evidence.hypotheses[index] for index in self.distinct)

    @property
    def labels(self) -> NDArray[Any] | dict[str, NDArray[Any]] | None:
        """Labels as they were given: (H, n) of a table, (H, n_i) by agent of predictions; reports have none."""
        return self.evidence.given_labels(self.names)

    @property
    def epsilon(self) -> NDArray[np.float64]:
        """(k,) tolerated error of every agent."""
        return np.array([agent.epsilon for agent in self.agents])

    @property
    @memoized
    def fingerprint(self) -> str:
        """Hash of all that a plan follows from: agents, targets and evidence, but not the federation's name."""
        assumed = () if self.assume == "realizable" else (self.assume, self.noise)
        found = hashlib.sha256(repr((self.agents, self.delta, self.objective, self.guarantee, *assumed)).encode())
        for array in self.evidence.arrays():
            found.update(repr((array.shape, array.dtype.str)).encode())
            found.update(array.tobytes())
        return found.hexdigest()

    def cost_of(self, m: ArrayLike) -> float:
        """Total cost of the contribution vector ``m`` (k,)."""
        shares = np.asarray(m)
        if shares.shape != (self.k,):
            raise FederationError(f"m must have one number per agent, {self.k}; its shape is {shares.shape}")
        return float(self.costs_of(shares[None])[0])

    def costs_by_agent(self, m: ArrayLike) -> NDArray[np.float64]:
        """(k,) what its own samples in ``m`` (k,) cost each agent."""
        counts = np.asarray(m)
        return np.array([float(agent.cost(count)) for agent, count in zip(self.agents, counts, strict=True)])

    def costs_of(self, m: NDArray[Any]) -> NDArray[np.float64]:
        """(B,) total cost of every contribution vector (B, k)."""
        rates, curved = _split_costs(self)
        total = np.asarray(m, dtype=np.float64) @ rates
        for agent in curved:
            total = total + self.agents[agent].cost(m[:, agent])
        return np.asarray(total, dtype=np.float64)

    def replace(
        self,
        *,
        epsilon: PerAgent[Number] | None = None,
        delta: Number | None = None,
        cost: PerAgent[AnyCost] | None = None,
        capacity: PerAgent[Number | None] = None,
        objective: str | None = None,
        guarantee: str | None = None,
        assume: str | None = None,
        noise: Number | None = None,
    ) -> Federation:
        """Return the same federation with other targets, costs, capacities, objective, guarantee or assumption.

        What is None stays as it is; another ``assume`` leaves a noise behind. An agent's capacity is taken away by
        None in a sequence or a mapping that speaks of every agent.

        Examples
        --------
        >>> from fedpact.describe.examples import alice_bob
        >>> capped = alice_bob().replace(capacity=3)
        >>> [agent.capacity for agent in capped.replace(capacity={"alice": None, "bob": 3}).agents]
        [None, 3]
        """
        if noise is None and assume in (None, self.assume):
            assume, noise = self.assume, self.noise
        settings = read_settings(
            self.names,
            [agent.cost for agent in self.agents] if cost is None else cost,
            self.epsilon if epsilon is None else epsilon,
            [agent.capacity for agent in self.agents] if capacity is None else capacity,
            self.delta if delta is None else delta,
            self.objective if objective is None else objective,
            self.guarantee if guarantee is None else guarantee,
            assume,
            noise,
        )
        return replace(self, **settings.to_fields())

    def restrict(self, names: Iterable[str]) -> Federation:
        """Return the federation of some agents, in this federation's order, with their own evidence alone.

        Hypotheses keep their names; those that none of these agents can tell apart are merged.

        Examples
        --------
        >>> from fedpact.describe.examples import alice_bob
        >>> alice_bob().restrict(["bob"]).names
        ('bob',)
        """
        wanted = read_names(names, None, "names")
        places = {name: place for place, name in enumerate(self.names)}
        for name in wanted:
            if name not in places:
                raise FederationError(f"no agent is called {shorten(name)}; {nearest(name, places)}")
        kept = sorted(places[name] for name in wanted)
        agents = tuple(self.agents[place] for place in kept)
        return with_evidence(replace(self, agents=agents), self.evidence.restrict(kept))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the federation as TOML or JSON, by the ending; prediction and report files go beside it."""
        from fedpact.describe.files import save

        save(self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what describes the federation, not what was worked out about it."""
        return _rebuild, (type(self), {own.name: getattr(self, own.name) for own in fields(self)})

    def __repr__(self) -> str:
        kind = str(self.evidence.KIND)
        if isinstance(self.evidence, Reports) and self.evidence.confidence is not None:
            kind = f"reports at confidence {self.evidence.confidence:g}"
        level = "" if self.noise is None else f" {self.noise:g}"
        assumed = "" if self.assume == "realizable" else f", {self.assume}{level}"
        return (
            f"Federation({self.name!r}: {self.k} agent{'s' if self.k > 1 else ''}, {self.H} "
            f"hypothes{'e' if self.H > 1 else 'i'}s, {kind}, {self.objective}, {self.guarantee}{assumed})"
        )


@memoized
def _split_costs(fed: Federation) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """(k,) price of a sample where the cost is linear, else zero; and which agents' costs are not."""
    rates = [agent.cost.rate if isinstance(agent.cost, Linear) else 0.0 for agent in fed.agents]
    return np.array(rates), np.flatnonzero([not isinstance(agent.cost, Linear) for agent in fed.agents])


def _rebuild(kind: type[Federation], values: dict[str, Any]) -> Federation:
    """Make what was pickled, its arrays read-only again."""
    fed = kind(**values)
    for array in (*fed.evidence.arrays(), fed.distinct):
        array.flags.writeable = False
    return fed


def with_evidence(fed: Federation, evidence: Evidence) -> Federation:
    """Return the federation with other evidence; hypotheses that it cannot tell apart count once."""
    return replace(fed, evidence=evidence, distinct=find_distinct(evidence))


def _describe(
    name: str, names: Sequence[str], terms: tuple[Any, ...], read_evidence: Callable[[], Evidence]
) -> Federation:
    """Read the agents of these names, on ``terms`` as :func:`read_settings` takes them, and the evidence."""
    problems = Problems()
    settings = problems.read("", read_settings, names, *terms)
    return build_federation(name, settings, problems.read("", read_evidence), problems)


def build_federation(
    name: str, settings: Settings | None, evidence: Evidence | None, problems: Problems
) -> Federation:
    """Put the parts together, or raise everything that was noted about them."""
    if not isinstance(name, str):
        problems.add(f"name must be a string; it is {shorten(name)}")
    terms, known = problems.insist(settings).to_fields(), problems.insist(evidence)
    return Federation(name=name, evidence=known, distinct=find_distinct(known), **terms)
