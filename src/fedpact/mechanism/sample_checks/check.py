"""``check_contribution``: whether a site's samples look like what it reported.

A site reports how often any two hypotheses differ on its data, and all quotas follow from such reports. Once it
has contributed m samples, everybody can see how often the hypotheses differ on those. Every pair is tested,
exactly; :mod:`fedpact.mechanism.sample_checks.critical_counts` has the tests and the proof that an honest site
is flagged with at most the chance ``level``, however the pairs depend on each other, and
:mod:`fedpact.mechanism.sample_checks.honest_rates` what suppression, noise and fresh samples change about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedpact.candidates.predicted import Predicted
from fedpact.mechanism.sample_checks.judge_counts import LEVEL, POWER, judge_counts
from fedpact.mechanism.sample_checks.reported_rates import read_names, read_reported, read_samples
from fedpact.mechanism.sample_checks.result import ContributionCheck
from fedpact.statistics.count_disagreements import count_disagreements


def check_contribution(
    report: Any,
    predictions: Any,
    *,
    level: float | str = LEVEL,
    tolerance: float | str = 0.0,
    power: float | str = POWER,
    fresh: bool = False,
    distinct: bool = False,
    hypotheses: Sequence[str] | None = None,
) -> ContributionCheck:
    """Test whether the samples that a site contributed look like what it reported.

    Parameters
    ----------
    report
        What the site reported: a :class:`fedpact.Report`, or an (H, H) array of rates such as
        ``fp.planning.disagreement(fed)[i]``. What a report leaves open, by suppressed counts or by noise, is
        allowed to an honest site; half of the level goes to noise.
    predictions
        (H, m) what each hypothesis predicts on the m contributed samples, whole numbers or strings. Their labels
        are not needed.
    level
        An honest site may be flagged with at most this chance.
    tolerance
        By how much an honest site's rates may differ from those reported.
    power
        Chance with which a lie of the size ``detectable`` is caught.
    fresh
        Whether the samples are new draws from where the reported points came from, and not draws from these
        points. The reported rates are then estimates; half of the level goes to their confidence limits.
    distinct
        Whether the samples are different points of the report, drawn without replacement.
    hypotheses
        Their names, which must be those of the report if it has any; h1, h2, ... if neither names them.

    Examples
    --------
    A site says that two models differ on one patient in ten. Of its thirty samples they differ on twelve.

    >>> from fedpact.describe.reports import Report
    >>> said = Report(name="alice", n=1000, n_classes=2, counts=np.array([100]))
    >>> seen = check_contribution(said, [[0] * 30, [1] * 12 + [0] * 18])
    >>> seen.is_flagged, seen.pairs[0].observed, round(seen.pairs[0].p_value, 6)
    (True, 12, 3.1e-05)
    >>> round(seen.false_alarm, 4), round(seen.detectable, 3)
    (0.0078, 0.222)
    >>> check_contribution(said, [[0] * 30, [1] * 4 + [0] * 26]).status.name
    'CONSISTENT'

    If the thirty are not from the thousand points of the report, the rate of an honest site may be above 0.1:

    >>> new = check_contribution(said, [[0] * 30, [1] * 12 + [0] * 18], fresh=True)
    >>> new.is_flagged, round(new.pairs[0].high, 3), round(new.false_alarm, 4)
    (True, 0.129, 0.0083)
    """
    said = read_reported(report)
    if hypotheses is None and isinstance(predictions, Predicted):
        hypotheses = predictions.candidates.names
    samples, names = read_samples(predictions, report, said.H), read_names(hypotheses, report, said.H)
    return judge_counts(
        report,
        said,
        names,
        samples.shape[1],
        lambda _: count_disagreements(samples).astype(np.int64),
        level=level,
        tolerance=tolerance,
        power=power,
        fresh=fresh,
        distinct=distinct,
    )
