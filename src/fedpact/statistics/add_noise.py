"""``add_noise``: discrete Gaussian noise on a report's counts, so that no single point shows in them.

Two data sets of n points are neighbours if one point is exchanged for another; n is public, and so are the
candidates and how many labels there are. What a point adds to the H(H-1)/2 counts is a graph on the hypotheses:
an edge wherever two of them label the point differently. Exchanging x for y changes, by one each, the counts of
exactly those pairs that have an edge in one of the two graphs and not in the other. With C labels there are
at most as many of these as edges in the Turán graph T(H, C), which splits H hypotheses into C parts as even as
can be and joins those of different parts:

    sensitivity = sqrt(edges of T(H, C)),    floor(H^2 / 4) edges for C = 2,    H(H-1)/2 for C >= H.

*Proof.* For C = 2 colour a hypothesis by whether it labels x and y alike: a pair changes if and only if its
colours differ, so the changed pairs are a cut. For any C, suppose that all pairs of a set S of C + 1 >= 3
hypotheses changed. On S, being labelled alike at x is an equivalence, and so is its complement, being labelled
alike at y. An equivalence with a ~ b and c in another class has no such complement (c would be alike to both a
and b at y, but they not to each other), so one of the two is equality: C + 1 hypotheses have C + 1 different
labels, and there are only C. So the changed pairs contain no complete graph on C + 1 vertices, and Turán's
theorem bounds their number. It is reached where all label x alike and y evenly. ∎

A person with r rows, or a row that stands for r, is r exchanges, and moves the counts r times as far.

Noise of scale s on every count is (sensitivity^2 / 2 s^2)-zCDP (Canonne, Kamath and Steinke 2020, "The Discrete
Gaussian for Differential Privacy"). OpenDP draws it, from the randomness of the operating system and without
floating-point error, and accounts for it: the scale is the least, up to one part in ten thousand, at which its
privacy map from zCDP gives the epsilon at the delta.
Cutting to 0 and n, and hiding small counts afterwards, look at nothing but the noisy counts, so they cost no
privacy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from fedpact.describe.numbers import Number, read_chance, read_in, read_whole_number
from fedpact.describe.reports import Noise, Report
from fedpact.errors import FederationError, MissingExtraError

if TYPE_CHECKING:
    from opendp.mod import Measurement

# Below, the noise would drown any count; above, the promise would be empty and the accounting overflows.
_LEAST_EPSILON, _MOST_EPSILON = 1e-6, 100
_TOL = 1e-4
_features = Lock()


def count_changes(H: int, n_classes: int) -> int:
    """Pairs that the exchange of one point can change: edges of the Turán graph.

    Examples
    --------
    >>> [count_changes(5, n_classes) for n_classes in (1, 2, 3, 4, 5, 9)]
    [0, 6, 8, 9, 10, 10]
    """
    size, larger = divmod(H, n_classes)
    return (H * H - larger * (size + 1) ** 2 - (n_classes - larger) * size**2) // 2


def sensitivity_of(H: int, n_classes: int, rows_per_person: int = 1) -> float:
    """Euclidean distance, rounded up, that the exchange of one person can move the counts.

    Examples
    --------
    >>> sensitivity_of(500, 2), sensitivity_of(500, 2, rows_per_person=3)
    (250.0, 750.0)
    """
    squared = rows_per_person**2 * count_changes(H, n_classes)
    root = math.isqrt(squared)
    return float(root) if root * root == squared else math.nextafter(math.sqrt(squared), math.inf)


@contextmanager
def _contributed() -> Iterator[Any]:
    """OpenDP with its constructors that are proved by their contributors, but not yet by its reviewers.

    All of those used here are such. OpenDP asks to allow them once for the process; it is a decision of whoever
    calls this module only, so it is taken back afterwards.
    """
    try:
        import opendp.prelude as dp
        from opendp.mod import GLOBAL_FEATURES
    except ImportError as error:
        raise MissingExtraError("noise", extra="privacy") from error
    with _features:
        was_allowed = "contrib" in GLOBAL_FEATURES
        dp.enable_features("contrib")
        try:
            yield dp
        finally:
            if not was_allowed:
                dp.disable_features("contrib")


def _make_mechanism(dp: Any, scale: float) -> Measurement:
    counts, distance = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    made: Measurement = dp.m.make_gaussian(counts, distance, scale=scale)
    return made


def account(scale: float, sensitivity: float, delta: float) -> float:
    """Return the epsilon that noise of this scale gives at ``delta``, by OpenDP's privacy map."""
    with _contributed() as dp:
        private = dp.c.make_zCDP_to_approxDP(_make_mechanism(dp, scale))
        return float(dp.c.make_fix_delta(private, delta).map(sensitivity)[0])


def find_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    """Least scale, up to one part in ten thousand, that OpenDP accounts as (epsilon, delta).

    The search goes down from where rho + 2 sqrt(rho log(1/delta)) = epsilon, which always suffices (Bun and
    Steinke 2016).
    """
    spread = math.log(1 / delta)
    enough = sensitivity * (math.sqrt(spread + epsilon) + math.sqrt(spread)) / (epsilon * math.sqrt(2))
    while account(enough, sensitivity, delta) > epsilon:
        enough *= 1 + _TOL
    short = enough / 2
    while account(short, sensitivity, delta) <= epsilon:
        enough, short = short, short / 2
    while enough > short * (1 + _TOL):
        middle = math.sqrt(short * enough)
        if account(middle, sensitivity, delta) <= epsilon:
            enough = middle
        else:
            short = middle
    return enough


def _check(site: Report) -> None:
    where = f"report {site.name!r}"
    if site.noise is not None:
        raise FederationError(
            f"{where} has noise already; another draw would spend another budget, and the budgets add up: "
            "add noise once, to the exact report, at the privacy_epsilon you mean"
        )
    if site.minimum_count > 1:
        raise FederationError(
            f"{where} hides counts below {site.minimum_count}, and a hidden count jumps by more than one when "
            "a point is exchanged: add noise to the exact report, then hide with hide_small_counts"
        )
    if site.n_classes < 2 or site.H < 2:
        raise FederationError(
            f"{where} has {site.H} candidates and {site.n_classes} labels, so its counts can say nothing; "
            "give at least two candidates, and the labels that can occur as report(..., n_classes=...)"
        )


def add_noise(site: Report, *, privacy_epsilon: Number, privacy_delta: Number, rows_per_person: int = 1) -> Report:
    """Return the report with noise on its counts that makes it (epsilon, delta)-differentially private.

    What is protected is one data row: nobody who sees the report can tell well whether it was there or another
    in its place. Hide small counts, if at all, afterwards (:func:`fedpact.sites.hide_small_counts`). Every call
    draws anew, from the operating system; it takes no seed, because who knows the seed can take the noise off
    again.

    Parameters
    ----------
    site
        An exact report. Its n and its ``n_classes`` are not protected: say in :func:`fedpact.report` how many
        labels can occur, since those that do occur depend on the data.
    privacy_epsilon, privacy_delta
        The privacy budget, epsilon and delta; delta should be well below 1/n. Reports on the same people add up:
        two of them are (2 epsilon, 2 delta)-private together.
    rows_per_person
        Rows that one person may have, or the largest weight of a point. Noise grows in proportion.

    Raises
    ------
    MissingExtraError
        OpenDP is not installed.

    Examples
    --------
    >>> exact = Report(name="alice", n=10_000, n_classes=2, counts=np.array([200, 500, 300]))
    >>> sent = add_noise(exact, privacy_epsilon=1, privacy_delta=1e-6)
    >>> round(sent.noise.scale, 1)
    6.4
    >>> bool((abs(sent.counts.astype(int) - exact.counts) < 100).all())
    True
    """
    promised = read_in("[]", _LEAST_EPSILON, _MOST_EPSILON, privacy_epsilon, "privacy_epsilon")
    risk = read_chance(privacy_delta, "privacy_delta")
    rows = read_whole_number(rows_per_person, "rows_per_person", least=1, most=site.n)
    _check(site)
    scale = find_scale(sensitivity_of(site.H, site.n_classes, rows), promised, risk)
    with _contributed() as dp:
        mechanism = _make_mechanism(dp, scale)
    noisy = np.array(mechanism(site.counts.tolist()), dtype=np.int64)
    return replace(
        site,
        counts=np.clip(noisy, 0, site.n),
        noise=Noise(scale=scale, privacy_epsilon=promised, privacy_delta=risk),
    )
