"""``select``: which candidate each site should use, from labels that are known, asking for as few as possible.

How many labels were needed is what it is for: on data whose labels are known, as a benchmark, or where a program
gives them when asked. People are asked by :class:`fedpact.Selector`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Ints
from fedpact.describe.evidence import Table
from fedpact.describe.federation import Federation
from fedpact.describe.label_matrix import code_truth
from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number, read_whole_number, shorten
from fedpact.describe.progress import Progress, ends_search
from fedpact.errors import FederationError, Problems
from fedpact.selection.list_points import list_classes
from fedpact.selection.result import Selection
from fedpact.selection.selector import Selector

Answer: TypeAlias = Callable[[str, Ints], Any]
"""Gives the labels of some points of a site."""
Labels: TypeAlias = Mapping[str, Any] | str | Callable[[str, NDArray[Any]], Any]


def read_answer(fed: Federation, labels: Labels) -> Answer:
    """Read labels as a function of a site and the numbers of its points; checks all there are at once.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> read_answer(alice_bob(), {"xA": 1, "xB": 0})("bob", np.array([1, 0])).tolist()
    [0, 1]
    """
    is_table = isinstance(fed.evidence, Table)
    if callable(labels):
        return _by_points(fed.evidence.points, labels) if isinstance(fed.evidence, Table) else labels
    if isinstance(labels, str):
        return _by_candidate(fed, labels)
    if not isinstance(labels, Mapping):
        raise FederationError(
            "labels must map each site to the label of each of its points, or be a function of a site's name and "
            f"numbers of points, or the name of a candidate; they are {shorten(labels)}"
        )
    names = fed.evidence.points if isinstance(fed.evidence, Table) else fed.names
    what, problems = ("point" if is_table else "site"), Problems()
    for name in labels:
        if name not in names:
            problems.add(f"labels: no {what} is called {shorten(name)}; {nearest(str(name), names)}")
    for name in names:
        if name not in labels:
            problems.add(f"labels: {what} {name!r} has none")
    problems.raise_if_any()
    if is_table:
        array = _check(fed, [labels[name] for name in names], len(names), "labels")
        return lambda site, points: array[points]
    sizes = dict(zip(names, fed.evidence.sizes, strict=True))
    read = {
        name: problems.read("", _check, fed, labels[name], sizes[name], f"site {name!r}: labels") for name in names
    }
    problems.raise_if_any()
    return lambda site, points: read[site][points]  # type: ignore[index]


def _check(fed: Federation, labels: Any, n: int, what: str) -> NDArray[Any]:
    """Labels (n,) as they were given."""
    _, given = code_truth(labels, getattr(fed.evidence, "classes", None), what)
    if len(given) != n:
        raise FederationError(f"{what} must be one for each of {n} points; they are {len(given)}")
    predicted = list_classes(fed)
    if not set(given) & set(predicted):
        raise FederationError(
            f"{what}: none is a label that any candidate predicts; they are such as {shorten(given[0])}, "
            f"and candidates predict {shorten(predicted)}"
        )
    return np.array(given)


def _by_points(points: tuple[str, ...], labels: Callable[[str, NDArray[Any]], Any]) -> Answer:
    names = np.array(points)
    return lambda site, at: labels(site, names[at])


def _by_candidate(fed: Federation, name: str) -> Answer:
    known = fed.evidence.hypotheses
    if name not in known:
        raise FederationError(f"labels: no candidate is called {shorten(name)}; {nearest(name, known)}")
    row, given = known.index(name), fed.labels
    if isinstance(given, dict):
        return lambda site, points: given[site][row, points]
    assert given is not None, "reports were refused"
    return lambda site, points: given[row, points]


@takes_federation
def select(
    fed: Federation,
    labels: Labels,
    *,
    assume: str | None = None,
    noise: Number | None = None,
    scope: str | None = None,
    ask: str = "adaptive",
    plan: Any = None,
    batch: int = 1,
    max_labels: int | None = None,
    weights: Mapping[str, Number] | str | None = None,
    confidence: Number | None = None,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
) -> Selection:
    """Find the candidate that each site should use, with as few labels as possible.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    labels
        A mapping from a site's name to the label of each of its points, coded as the predictions are, or a
        function of a site's name and an array of point numbers. For a table a mapping from the names of points, or
        a function of a site's name and an array of these. For either, the name of the candidate that labels.
    ask
        "adaptive", or "implied-free": the draws of a plan, asked only where candidates that are left disagree.
    batch
        Labels before one looks again: of every site where nothing is assumed, else of all together.
    progress
        Called with the number of candidates that are ruled out, over all sites, and what that can be at most.
    assume, noise, scope, plan, max_labels, weights, confidence, rng
        As for :class:`fedpact.Selector`.

    Examples
    --------
    >>> from fedpact.describe.examples import arizona_hospitals
    >>> hospitals = arizona_hospitals()
    >>> found = select(hospitals, hospitals.hypotheses[3])
    >>> found.status.value, found.labels, round(found.cost, 2)
    ('certified', 5, 3.6)
    """
    selector = Selector(
        fed,
        assume=assume,
        noise=noise,
        scope=scope,
        ask=ask,
        plan=plan,
        max_labels=max_labels,
        weights=weights,
        confidence=confidence,
        rng=rng,
    )
    answer, batch = read_answer(selector.fed, labels), read_whole_number(batch, "batch", least=1)
    try:
        while asked := selector.ask(batch):
            for site, points in asked.items():
                selector.tell(site, points, answer(site, np.array(points)))
            if progress is not None:
                progress(*selector.ruled_out())
    except ends_search():
        pass
    return selector.result()
