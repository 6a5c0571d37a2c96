"""From private data to a plan, without showing the data: the whole way.

1. *train*: candidates are trained from public points; every site can train the same ones.
2. *predict*, *report*: each site predicts its own points and sends a file with how often candidates disagree.
3. *plan*: the operator, who has seen nothing but those files, reads them and plans, once taking the sites'
   points for all there is and once, with confidence, for draws from more that nobody has seen.
4. *pay*: by pay-what-you-contribute, each is paid what its labelling costs; every sample costs 1.

A site cannot be asked for more samples than it has points, if a plan within that is found.

The promise of a plan is about a truth in the class. The labels of real data are of no candidate's making; how
far the best candidate is from them is computed beside, from private labels that no earlier stage looks at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import fedpact as fp
from reproduction.data.private_points import SiteData
from reproduction.experiment import Answer
from reproduction.train_candidates import Model, predict, train

METHODS = ("lp", "union", "tree")


def _send_reports(trained: Mapping[str, Model], data: SiteData, outbox: Path) -> list[Answer]:
    """Let every site predict its points and write its report into a folder, ``1.npz``, ``2.npz``, ..."""
    sent, n_classes = [], len(np.unique(data.public.labels))
    for number, (site, own) in enumerate(data.private.items(), 1):
        found = predict(trained, own.points)
        path = outbox / f"{number}.npz"
        made = fp.report(found.labels, name=site, candidates=found.candidates, n_classes=n_classes)
        made.save(path)
        sent.append({"name": site, "points": made.n, "report_bytes": path.stat().st_size})
    return sent


def _find_least_error(trained: Mapping[str, Model], data: SiteData) -> float:
    """Share of all sites' points that the best candidate gets wrong; above 0, the class lacks the truth."""
    own = data.private.values()
    truth = np.concatenate([site.labels for site in own])
    said = predict(trained, np.concatenate([site.points for site in own])).decode()
    return float((said != truth).mean(axis=1).min())


def _plan_within(bounded: fp.Federation, free: fp.Federation, method: str, confidence: float | None) -> Answer:
    """Plan with every site's number of points as its capacity, if that can be, else without; and settle."""
    fed = bounded
    try:
        found = fp.plan(fed, method, confidence=confidence)
    except fp.InfeasibleError:
        fed = free
        found = fp.plan(fed, method, confidence=confidence)
    return {
        "epsilon": float(fed.epsilon[0]),
        "confidence": confidence,
        "plan": found.to_dict(),
        "has_capacities": fed is bounded,
        "settlement": fp.settle(fed, found, rule="pwyc").to_dict(),
        "alone": dict(fp.game.standalone(fed)),
    }


def plan_privately(
    data: SiteData,
    *,
    candidates: int,
    epsilon: Sequence[float],
    delta: float,
    confidence: float,
    method: str,
    seed: int,
) -> Answer:
    """Train so many candidates, predict, report, plan for every epsilon and pay.

    Parameters
    ----------
    data
        Public points with labels, and the points of every site.
    confidence
        With which the rates are taken for estimates in every second plan.
    method
        "lp", "union" or "tree", which give the same plan wherever they run.
    seed
        Of the training.

    Examples
    --------
    >>> from reproduction.data.private_points import load_digit_sites
    >>> data = load_digit_sites(np.random.default_rng(0))
    >>> asked = {"epsilon": [0.3], "delta": 0.05, "confidence": 0.95, "method": "lp", "seed": 0}
    >>> seen = plan_privately(data, candidates=10, **asked)
    >>> plain, sure = (one["plan"]["cost"] for one in seen["plans"])
    >>> seen["H"], plain < sure
    (10, True)
    """
    trained = train(data.public.points, data.public.labels, count=candidates, seed=seed)
    with TemporaryDirectory() as outbox:
        sites = _send_reports(trained, data, Path(outbox))
        reports = [fp.sites.read_report(Path(outbox) / f"{number}.npz") for number in range(1, len(sites) + 1)]
    bounded, free = (
        fp.Federation.from_reports(reports, epsilon=epsilon[0], delta=delta, capacity=capacity, name=data.name)
        for capacity in (data.sizes, None)
    )
    plans = [
        _plan_within(bounded.replace(epsilon=one), free.replace(epsilon=one), method, level)
        for one in epsilon
        for level in (None, confidence)
    ]
    return {
        "seed": seed,
        "public_points": len(data.public.labels),
        "H": len(trained),
        "H_different": free.H,
        "training": "complete" if len(trained) == candidates else "exhausted",
        "least_error": _find_least_error(trained, data),
        "sites": sites,
        "plans": plans,
    }
