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

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.numbers import Number, read_chance, read_in
from fedpact.describe.read_evidence import read_hypothesis_names
from fedpact.describe.settings import PerAgent
from fedpact.errors import FederationError
from fedpact.statistics.confidence import clopper_pearson, upper_tail
from fedpact.statistics.error_targets import NOTHING, hold_against, limit_error, risk_of_limit
from fedpact.statistics.mistake_counts import HasCounts, read_contributions
from fedpact.statistics.realizability_result import ErrorRate, Realizability, RealizabilityStatus

LEVEL = 0.01
CONFIDENCE = 0.95


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
    sites = [limit_error(wrong, size, risk) for wrong, size in zip(mistakes.tolist(), m.tolist(), strict=True)]
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
        mistakes = np.column_stack([sites[site][0] for site in seen])
        m = np.array([samples[site] for site in seen])
        total, p_value = mistakes.sum(axis=1), float(p_values(mistakes, m, noise).max())
        first, consistent = int(total.argmin()), int((total == 0).sum())
        error, own = _estimate(mistakes[first], m, risk_of_limit(confidence, H, len(seen)))
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
    contributions: Mapping[str, tuple[Any, Any]] | HasCounts,
    *,
    noise: Number = 0.0,
    false_alarm_rate: Number = LEVEL,
    confidence: Number = CONFIDENCE,
    hypotheses: Sequence[str] | None = None,
    epsilon: PerAgent[Number] | None = None,
    chosen: str | None = None,
) -> Realizability:
    """Test on labelled samples whether some candidate can be right, and say what stands if none is.

    Parameters
    ----------
    contributions
        For every site what each candidate predicts on its samples, (H, m_j), and their labels, (m_j,), all whole
        numbers or all strings; or what :func:`fedpact.sites.predict` returns, and labels by the names of its
        classes. A site may have no samples yet. The samples of a site must be independent draws. A label that no
        candidate predicts is a mistake of all; of a class that no sample has, nothing is learnt.
        Counts will do as well: how many mistakes each candidate makes there, (H,), and the number of samples. Or
        what came of a run, which keeps such counts, the candidates' names, every site's epsilon and the choice.
    noise
        How often labels may be wrong at the most: the error of a right candidate.
    false_alarm_rate
        That some candidate is right is refuted, though one is, with at most this chance.
    confidence
        Chance, at least, that the limits of errors are right, for all candidates and sites at once.
    hypotheses
        Their names; h1, h2, ... if not given.
    epsilon
        The error that each site tolerates, a number or one for each: for every site the result says whether the
        error of ``chosen`` on true labels is within it, and how many more labels would settle that.
    chosen
        The candidate whose error is held against epsilon; the best if not given.

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

    Counts are enough, and say how many more labels it takes to know whether an error is within epsilon:

    >>> counts = {"alice": ([1, 30], 100), "bob": ([2, 9], 40)}
    >>> seen = realizability(counts, hypotheses=["forest", "stump"], epsilon=0.1)
    >>> [(site, target.verdict.value, target.more) for site, target in seen.targets.items()]
    [('alice', 'within', 0), ('bob', 'unsettled', 196)]
    """
    if isinstance(contributions, HasCounts):
        kept = contributions.counts
        if kept is None:
            raise FederationError("the run has no labelled samples yet, so there are no mistakes to count")
        hypotheses = kept.candidates if hypotheses is None else hypotheses
        epsilon = kept.epsilon if epsilon is None else epsilon
        chosen = kept.chosen if chosen is None else chosen
        contributions = kept.contributions
    if chosen is not None and epsilon is None:
        raise FederationError(
            "chosen is the candidate that is held against epsilon; give epsilon, or leave it out"
        )
    sites = read_contributions(contributions)
    predictions = {site: given[0] for site, given in contributions.items()}
    height, rule = len(next(iter(sites.values()))[0]), "every site must predict with the same candidates"
    names = read_hypothesis_names(hypotheses, height, predictions, rule)
    about = {
        "noise": read_in("[)", 0, 1, noise, "noise"),
        "false_alarm_rate": read_chance(false_alarm_rate, "false_alarm_rate"),
        "confidence": read_chance(confidence, "confidence"),
    }
    seen = _test(sites, names, **about)
    return seen if epsilon is None else hold_against(seen, epsilon, chosen)
