"""Federated averaging by quotas: after a round of local training, the mean of the sites' weights.

    w = sum_j m_j w_j / sum_j m_j,

where m_j is how many of site j's samples the ledger has, checked and paid for. It is never what a site says of
itself: a site that could choose its own m_j could choose the outcome. McMahan et al. (2017) take the number that a
client sends.

If every site takes one step with all its samples, w is the pooled step, because the mean of the sites' gradients
by m_j is the gradient at all samples. With more local steps it is another method; how far off that leads is
measured by :mod:`fedpact.training.averaging_gap`.

The mean is kept as it grows, w + (w_j - w) m_j / (m_1 + ... + m_j), in float64 and in the order of the names, so
it does not depend on who answers first, and a number that all sites agree on stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import digest_of
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError, MessageError, ProtocolError
from fedpact.result import Shown
from fedpact.training.weights import Weights

LocalTraining: TypeAlias = Callable[[int, Weights], Weights]
"""From the number of the round and the weights that were sent out to a site's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A site whose weights were not averaged in one round, and why."""

    round: int
    site: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaged(Shown):
    """What came of rounds of local training and averaging."""

    INDEX: ClassVar = "site"

    weights: Weights
    rounds: int
    m: dict[str, int]
    """By which the sites were weighed."""
    left_out: tuple[LeftOut, ...]


def rng_of_round(seed: int, round_: int, site: str) -> np.random.Generator:
    """Make the generator of one site in one round, which an auditor can make again.

    Examples
    --------
    >>> bool(rng_of_round(0, 3, "north").random() == rng_of_round(0, 3, "north").random())
    True
    """
    return np.random.default_rng((seed, round_, int(digest_of(site), 16)))


def check_weights(site: str, weights: Any, like: Weights) -> Weights:
    """Refuse what a site sent unless it has the names, kinds, shapes and constants of what was sent out.

    Examples
    --------
    >>> sent = Weights({"W": np.zeros(2)})
    >>> check_weights("north", Weights({"W": np.zeros(3)}), sent)
    Traceback (most recent call last):
    fedpact.errors.MessageError: weights of site 'north': 'W' is float64 (3,) and should be float64 (2,)
    """
    if not isinstance(weights, Weights):
        raise MessageError(f"weights of site {site!r} must be Weights; they are a {type(weights).__name__}")
    difference = weights.difference(like)
    if difference is not None:
        raise MessageError(f"weights of site {site!r}: {difference}")
    for name in like.fixed:
        if not np.array_equal(weights[name], like[name]):
            raise MessageError(f"weights of site {site!r}: {name!r} is a public constant, and was changed")
    return weights


def _read_m(m: Mapping[str, Any]) -> dict[str, int]:
    if not isinstance(m, Mapping):
        raise FederationError(f"m must give the samples of every site by name; it is {shorten(m)}")
    read = {site: read_whole_number(count, f"m of site {site!r}") for site, count in m.items()}
    if not any(read.values()):
        raise FederationError("m must be above 0 at some site; nobody has contributed anything to train with")
    return read


def _weigh(arrays: list[NDArray[np.floating]], counts: list[int]) -> NDArray[np.float64]:
    mean, total = arrays[0].astype(np.float64), counts[0]
    for array, count in zip(arrays[1:], counts[1:], strict=True):
        total += count
        mean += (array - mean) * (count / total)
    return mean


def average_weights(
    weights_by_site: Mapping[str, Weights], m: Mapping[str, int], *, like: Weights | None = None
) -> Weights:
    """Average the weights of sites by the samples that the ledger says they contributed.

    Parameters
    ----------
    weights_by_site
        Site -> its weights after local training.
    m
        Site -> samples that were contributed and checked. One with 0 has no weight; one that is not among
        ``weights_by_site`` did not answer, and is left out.
    like
        The weights that were sent out, which all are held to. Without it, those of the first site by name.

    Raises
    ------
    MessageError
        If a site's weights have other names, kinds, shapes or constants; names the site, to be left out.
    FederationError
        If ``m`` is malformed, lacks a site, or nobody is left with a sample.

    Examples
    --------
    >>> sent = {"north": Weights({"W": np.array([1.0])}), "south": Weights({"W": np.array([4.0])})}
    >>> average_weights(sent, {"north": 2, "south": 1})["W"].tolist()
    [2.0]
    """
    counts = _read_m(m)
    for site in weights_by_site:
        if site not in counts:
            raise FederationError(f"m must say how many samples site {site!r} contributed; it does not")
    sites = sorted(site for site in weights_by_site if counts[site])
    if not sites:
        raise FederationError("weights_by_site must hold those of a site with m above 0; there is none")
    model = weights_by_site[sites[0]] if like is None else like
    checked = [check_weights(site, weights_by_site[site], model) for site in sites]
    own = [counts[site] for site in sites]
    with np.errstate(over="ignore", invalid="ignore"):
        means = {
            name: _weigh([weights[name] for weights in checked], own).astype(model[name].dtype)
            for name in model.names
        }
    return model.replace(means)


def _ask_sites(
    sites: Mapping[str, LocalTraining], counts: Mapping[str, int], number: int, sent: Weights
) -> tuple[dict[str, Weights], list[LeftOut]]:
    answers, left_out = {}, []
    for site in sorted(sites):
        if not counts[site]:
            continue
        try:
            answers[site] = check_weights(site, sites[site](number, sent), sent)
        except MessageError as error:
            left_out.append(LeftOut(round=number, site=site, reason=str(error)))
    return answers, left_out


def fed_avg(
    sites: Mapping[str, LocalTraining],
    start: Weights,
    rounds: int,
    *,
    m: Mapping[str, int],
    progress: Callable[[int, Weights], None] | None = None,
) -> Averaged:
    """Train in rounds, all sites in this process: each gets the weights, trains, and the mean goes on.

    Parameters
    ----------
    sites
        Site -> function from the number of the round, 1, 2, ..., and the weights sent out to its own weights.
    start
        Weights of the first round.
    rounds
        How many.
    m
        Samples of every site, as for :func:`average_weights`; a site with 0 is not asked.
    progress
        Called after every round with its number and the mean.

    Returns
    -------
    Averaged
        The last mean, and whose weights were left out because they do not fit.

    Examples
    --------
    >>> halve = lambda round_, weights: weights.replace({"W": weights["W"] / 2})
    >>> keep = lambda round_, weights: weights
    >>> start = Weights({"W": np.array([8.0])})
    >>> fed_avg({"north": halve, "south": keep}, start, 2, m={"north": 1, "south": 1}).weights["W"].tolist()
    [4.5]
    """
    counts, total = _read_m(m), read_whole_number(rounds, "rounds", least=1)
    for site in sites:
        if site not in counts:
            raise FederationError(f"m must say how many samples site {site!r} contributed; it does not")
    weights, left_out = start, []
    for number in range(1, total + 1):
        answers, garbage = _ask_sites(sites, counts, number, weights)
        left_out += garbage
        if not answers:
            raise ProtocolError(f"round {number}: no site sent weights that can be averaged; {_say_why(garbage)}")
        weights = average_weights(answers, counts, like=weights)
        if progress is not None:
            progress(number, weights)
    return Averaged(weights=weights, rounds=total, m=counts, left_out=tuple(left_out))


def _say_why(garbage: list[LeftOut]) -> str:
    return garbage[0].reason if garbage else "none of them has a sample"
