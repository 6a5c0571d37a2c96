"""``realizability``: whether labelled samples bear out that some candidate is right.

Every guarantee here assumes that one of the H candidates labels all samples (it is *realizable*). Labelled
contributions can refute that. Candidate h makes X_j(h) mistakes on the m_j samples of site j. Under

    H0: some candidate errs with probability at most ``noise`` at every site,

the X_j of that candidate are independent and Binomial(m_j, e_j) with e_j <= noise. M is the number of all
samples, k that of sites with samples, and tail(m, x) = Pr[Binomial(m, noise) >= x].

*One candidate.* A sum of independent binomials with e_j <= noise is stochastically at most Binomial(M, noise),
so tail(M, sum of X_j) is a p-value: at most a with probability at most a. So is tail(m_j, X_j) of each site.
The sum sees mistakes that are made everywhere, a site those that are made only there; half of the level goes to
the sum and half to the k sites in equal parts. By the union bound

    p(h) = min(1, 2 tail(M, sum of X_j), 2 k tail(m_j, X_j) for every j)

is a p-value, and with one site tail(M, X_1) alone is.

*All candidates.* H0 is the union of the claims that h does, so it is refuted only if each of them is:
p = max p(h). If H0 holds of h, then Pr[p <= level] <= Pr[p(h) <= level] <= level. This intersection-union test
(Berger 1982) needs no correction for the number of candidates, however they depend on each other. With
noise = 0 one mistake of every candidate is proof: a tail is then 0 or 1.

*Error of the best.* It was chosen on the same labels, so its limits have to hold for all candidates at once.
There are 2 H (k + 1) of them (2 H with one site), each wrong with probability at most r, (1 - confidence) over
that number. Those of a site are of Clopper and Pearson. The total X is not binomial if the sites' errors
differ; its limits are for their average e = sum of m_j e_j / M. The lower one, at X = c, is wrong if e is less.
For c >= 2 it is where the binomial tail at c is r. If c >= M e + 1, then Pr[X >= c] is at most that tail at e
(Hoeffding 1956), less than r. Otherwise M e > 1 and c is at most M e rounded up, so that the tail is above 1/4
(Greenberg and Mohri 2014) and r is not: the limit is right. For c = 1, Pr[X >= 1] <= M e, so r / M will do. An
upper limit is 1 less the lower limit of how often the candidate is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.label_codes import code_labels, insist_on_one_kind
from fedpact.describe.label_matrix import LabelMatrix, read_sampled_labels
from fedpact.describe.numbers import Number, read_chance, read_in, shorten
from fedpact.describe.read_evidence import read_hypothesis_names
from fedpact.errors import FederationError, Problems
from fedpact.statistics.confidence import clopper_pearson, upper_tail
from fedpact.statistics.realizability_result import ErrorRate, Realizability, RealizabilityStatus

LEVEL = 0.01
CONFIDENCE = 0.95


NOTHING = ErrorRate(mistakes=0, m=0, low=0.0, high=1.0)


def _read_truth(name: str, labels: Any, predictions: LabelMatrix) -> NDArray[np.integer]:
    """Labels (m,) coded as the predictions are, -1 for one that is none of their classes."""
    coded, m, classes = code_labels(labels, f"site {name!r}"), predictions.codes.shape[1], predictions.classes
    if len(coded.codes) != m:
        raise FederationError(
            f"site {name!r}: labels must be one for each of the {m} samples, the columns of "
            f"predictions; there are {len(coded.codes)}"
        )
    kinds = {"labels": coded.values, "predictions": classes or (0,)[:m]}
    insist_on_one_kind(kinds, f"site {name!r}: labels and predictions")
    place = None if classes is None else {label: code for code, label in enumerate(classes)}
    codes = coded.values if place is None else [place.get(label, -1) for label in coded.values]
    return np.array(codes, dtype=np.int64).take(coded.codes)


def _count_mistakes(name: str, contribution: Any) -> tuple[Ints, int]:
    """(H,) mistakes of every candidate, and the number of samples."""
    if not isinstance(contribution, Sequence) or isinstance(contribution, str) or len(contribution) != 2:
        raise FederationError(
            f"site {name!r}: a contribution must be a pair, (predictions, labels); it is {shorten(contribution)}"
        )
    predictions = read_sampled_labels(contribution[0], f"site {name!r}: predictions")
    labels = _read_truth(name, contribution[1], predictions)
    return np.asarray((predictions.codes != labels).sum(axis=1), dtype=np.int64), len(labels)


def _read_contributions(contributions: Any) -> dict[str, tuple[Ints, int]]:
    if not isinstance(contributions, Mapping) or not contributions:
        raise FederationError(
            'contributions must map at least one site to its labelled samples, as in {"alice": (predictions, '
            f"labels)}}; they are {shorten(contributions)}"
        )
    problems = Problems()
    found = {str(name): problems.read("", _count_mistakes, str(name), one) for name, one in contributions.items()}
    read = {name: site for name, site in found.items() if site is not None}
    heights = {name: len(site[0]) for name, site in read.items()}
    if len(set(heights.values())) > 1:
        problems.add(
            f"every site must predict with the same hypotheses; the numbers of rows differ: {shorten(heights)}"
        )
    problems.raise_if_any()
    return read


def p_values(mistakes: Ints, m: Ints, noise: float) -> Floats:
    """(H,) p-value of every candidate's mistakes (H, k) on the samples (k,) of the sites.

    Examples
    --------
    >>> p_values(np.array([[0, 0], [1, 0], [1, 2]]), np.array([3, 3]), 0.1).round(3)
    array([1.   , 0.937, 0.032])
    """
    pooled = upper_tail(int(m.sum()), mistakes.sum(axis=1), noise)
    if len(m) < 2:
        return pooled
    sites = np.array([upper_tail(int(size), own, noise) for size, own in zip(m, mistakes.T, strict=True)])
    return np.asarray(np.minimum(1.0, 2 * np.minimum(pooled, len(m) * sites.min(axis=0))))


def average_limits(mistakes: int, m: int, risk: float) -> tuple[float, float]:
    """Limits of the average of m errors that may differ, each wrong with at most the chance ``risk``.

    Examples
    --------
    >>> [round(limit, 4) for limit in average_limits(2, 20, 0.025)]
    [0.0123, 0.317]
    """
    low, high = (float(limit) for limit in clopper_pearson(np.array(mistakes), m, risk))
    return min(low, risk / m) if mistakes == 1 else low, max(high, 1 - risk / m) if mistakes == m - 1 else high


def _estimate(mistakes: Ints, m: Ints, risk: float) -> tuple[ErrorRate, list[ErrorRate]]:
    """Error of a candidate at all sites together and at each, from its mistakes (k,) on samples (k,)."""
    sites = []
    for wrong, size in zip(mistakes.tolist(), m.tolist(), strict=True):
        low, high = clopper_pearson(np.array(wrong), size, risk)
        sites.append(ErrorRate(mistakes=wrong, m=size, low=float(low), high=float(high)))
    if len(sites) == 1:
        return sites[0], sites
    total, M = int(mistakes.sum()), int(m.sum())
    average = average_limits(total, M, risk)
    return ErrorRate(mistakes=total, m=M, low=average[0], high=average[1]), sites


def _judge(consistent: int, is_refuted: bool, is_everywhere: bool) -> RealizabilityStatus:
    if is_refuted:
        return RealizabilityStatus.REFUTED
    if not consistent:
        return RealizabilityStatus.WITHIN_NOISE
    return RealizabilityStatus.CONSISTENT if is_everywhere else RealizabilityStatus.CONSISTENT_WHERE_SEEN


def _test(
    sites: Mapping[str, tuple[Ints, int]],
    names: Sequence[str],
    *,
    noise: float,
    false_alarm_rate: float,
    confidence: float,
) -> Realizability:
    """Test the mistakes (H,) of all candidates on the samples of every site."""
    H, samples = len(names), {site: m for site, (_, m) in sites.items()}
    table = {name: {site: int(count[h]) for site, (count, _) in sites.items()} for h, name in enumerate(names)}
    seen = [site for site, m in samples.items() if m]
    errors, error, best, p_value = dict.fromkeys(samples, NOTHING), NOTHING, None, 1.0
    consistent, status = H, RealizabilityStatus.NO_SAMPLES
    if seen:
        mistakes, m = (
            np.column_stack([sites[site][0] for site in seen]),
            np.array([samples[site] for site in seen]),
        )
        total, p_value = mistakes.sum(axis=1), float(p_values(mistakes, m, noise).max())
        first, consistent = int(total.argmin()), int((total == 0).sum())
        risk = (1 - confidence) / (2 * H * (1 if len(seen) == 1 else len(seen) + 1))
        error, own = _estimate(mistakes[first], m, risk)
        best, errors = names[first], errors | dict(zip(seen, own, strict=True))
        status = _judge(consistent, p_value <= false_alarm_rate, len(seen) == len(samples))
    return Realizability(
        best=best,
        error=error,
        errors=errors,
        consistent=consistent,
        p_value=p_value,
        mistakes=table,
        samples=samples,
        status=status,
        noise=noise,
        false_alarm_rate=false_alarm_rate,
        confidence=confidence,
    )


def realizability(
    contributions: Mapping[str, tuple[Any, Any]],
    *,
    noise: Number = 0.0,
    false_alarm_rate: Number = LEVEL,
    confidence: Number = CONFIDENCE,
    hypotheses: Sequence[str] | None = None,
) -> Realizability:
    """Test on labelled samples whether some candidate can be right, and say what stands if none is.

    Parameters
    ----------
    contributions
        For every site what each candidate predicts on its samples, (H, m_j), and their labels, (m_j,), all whole
        numbers or all strings; or what :func:`fedpact.sites.predict` returns, and labels by the names of its
        classes. A site may have no samples yet. The samples of a site must be independent draws. A label that no
        candidate predicts is a mistake of all; of a class that no sample has, nothing is learnt.
    noise
        How often labels may be wrong at the most: the error of a right candidate.
    false_alarm_rate
        That some candidate is right is refuted, though one is, with at most this chance.
    confidence
        Chance, at least, that the limits of errors are right, for all candidates and sites at once.
    hypotheses
        Their names; h1, h2, ... if not given.

    Examples
    --------
    >>> alice = ([[0, 1, 1, 0], [0, 0, 1, 1]], [0, 1, 1, 0])
    >>> seen = realizability({"alice": alice}, hypotheses=["forest", "stump"])
    >>> seen.best, seen.consistent, seen.is_refuted, round(seen.error.high, 3)
    ('forest', 1, False, 0.666)

    At bob's the forest is wrong once, and then nobody is right:

    >>> bob = ([[0, 1], [0, 0]], [0, 0])
    >>> seen = realizability({"alice": alice, "bob": bob}, hypotheses=["forest", "stump"])
    >>> seen.best, seen.p_value, seen.status.name
    ('forest', 0.0, 'REFUTED')

    Labelled by the forest as a teacher, whatever agrees with all samples errs at most this much more often:

    >>> {site: round(limit, 3) for site, limit in seen.error_with_teacher.items()}
    {'alice': 0.746, 'bob': 0.998}
    """
    sites = _read_contributions(contributions)
    predictions = {site: given[0] for site, given in contributions.items()}
    height, rule = len(next(iter(sites.values()))[0]), "every site must predict with the same candidates"
    names = read_hypothesis_names(hypotheses, height, predictions, rule)
    about = {
        "noise": read_in("[)", 0, 1, noise, "noise"),
        "false_alarm_rate": read_chance(false_alarm_rate, "false_alarm_rate"),
        "confidence": read_chance(confidence, "confidence"),
    }
    return _test(sites, names, **about)
