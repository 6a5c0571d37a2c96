"""Sites that send reports and keep their data: four hospitals, and five sites that see different digits most.

Candidates are trained from the public quarter of the sites' points; every site predicts the others with each
candidate and sends how often any two disagree; quotas, payments and their proofs come from these files
(:mod:`fedpact.experiments.private_planning`). Every label costs 1.

- ``hospitals``: heart disease in Cleveland, Hungary, Switzerland and Long Beach
  (:mod:`fedpact.experiments.data.heart_disease`); the file is not part of this package.
- ``digits``: scikit-learn's, shared out unevenly (:mod:`fedpact.experiments.data.digit_sites`).

Without a confidence the private points are taken for all there is; with one they are a sample of what each site
may see, and a plan holds with that probability over their draw, for labels of points drawn afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fedpact.errors import FederationError
from fedpact.experiments.data import digit_sites, heart_disease
from fedpact.experiments.data.site_data import Labelled, SiteData
from fedpact.experiments.private_planning import Wish, plan_privately, read_wish
from fedpact.experiments.private_sites_page import conclude, draw, tabulate
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from fedpact.experiments.sweep.settings import LEAVES_OUT
from fedpact.plain import write_fields

_PUBLIC = "public"
_ASKED = ("candidates", "epsilon", "delta", "confidence", "method")


class _Data(NamedTuple):
    """One draw of sites per seed."""

    source: str
    draws: tuple[SiteData, ...]


def _load(settings: Settings, source: str, load: Callable[[np.random.Generator], SiteData]) -> _Data:
    return _Data(source, tuple(load(np.random.default_rng(seed)) for seed in range(settings["seeds"])))


def _prepare_digits(settings: Settings, data: str | None) -> _Data:
    _read(settings)
    return _load(settings, digit_sites.SOURCE, digit_sites.load_digit_sites)


def _prepare_hospitals(settings: Settings, data: str | None) -> _Data:
    _read(settings)
    if data is not None:
        return _load(settings, heart_disease.SOURCE, partial(heart_disease.load_hospitals, data))
    if settings[LEAVES_OUT]:
        return _prepare_digits(settings, None)
    raise FederationError(
        f"data must be a folder that holds {heart_disease.FILE}; without data there is only --quick, on digits"
    )


def _read(settings: Settings) -> Wish:
    candidates, epsilon, delta, confidence, method = (settings[key] for key in _ASKED)
    return read_wish(candidates, epsilon, delta, confidence, method, 0)


def _pack(data: SiteData) -> Arrays:
    """Name the points and labels of every site, public ones first."""
    sites = {_PUBLIC: data.public} | {f"site {place}": own for place, own in enumerate(data.private.values())}
    return {f"{name} {kind}": values for name, own in sites.items() for kind, values in own._asdict().items()}


def _unpack(arrays: Arrays, sites: Sequence[str], name: str) -> SiteData:
    def take(part: str) -> Labelled:
        points, labels = (arrays[f"{part} {kind}"] for kind in Labelled._fields)
        return Labelled(np.asarray(points, dtype=np.float64), np.asarray(labels, dtype=np.int64))

    private = {site: take(f"site {place}") for place, site in enumerate(sites)}
    return SiteData(name=name, public=take(_PUBLIC), private=private)


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell per draw, class and epsilon."""
    wish, tasks = _read(settings), []
    asked = {"delta": wish.delta, "confidence": wish.confidence, "method": wish.method}
    for seed, drawn in enumerate(data.draws):
        about = asked | {"data": drawn.name, "sites": list(drawn.private), "seed": seed}
        arrays = _pack(drawn)
        for count in wish.counts:
            tasks += [Task(about | {"candidates": count, "epsilon": one}, arrays) for one in wish.epsilon]
    return tasks


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    data = _unpack(arrays, cell["sites"], cell["data"])
    found = plan_privately(data, **{key: cell[key] for key in (*_ASKED, "seed")})
    about = {"seed": found.seed, "public_points": found.public_points}
    return about | write_fields(found.runs[0])


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Put the plans for every epsilon together, by draw and class."""
    wish = _read(settings)
    runs: dict[tuple[int, int], Answer] = {}
    for answer in answers[0]:
        run = runs.setdefault((answer["seed"], answer["H"]), answer | {"plans": []})
        run["plans"] += answer["plans"]
    return {
        "data": data.draws[0].name,
        "runs": list(runs.values()),
        "epsilon": list(wish.epsilon),
        "delta": wish.delta,
        "confidence": wish.confidence,
        "method": wish.method,
    }


_COMMON: dict[str, Any] = {
    "stages": (Stage(cut=_cut, compute=_compute),),
    "sum_up": _sum_up,
    "tabulate": tabulate,
    "conclude": conclude,
    "draw": draw,
    "packages": ("scikit-learn",),
}
HOSPITALS = Experiment(
    name="hospitals",
    about="Four hospitals from private data to a plan: they send reports and keep their patients' data.",
    prepare=_prepare_hospitals,
    reads_data=True,
    **_COMMON,
)
DIGITS = Experiment(
    name="digits",
    about="Five sites that see different digits most, from private data to a plan by reports alone.",
    prepare=_prepare_digits,
    **_COMMON,
)
