"""Sites that send reports and keep their data: four hospitals, and five sites that see different digits most.

Candidates are trained from the public quarter of the sites' points; every site predicts the others with each
candidate and sends how often any two disagree; quotas, payments and their proofs come from these files
(:mod:`reproduction.private_planning`). Every label costs 1.

- ``hospitals``: heart disease in Cleveland, Hungary, Switzerland and Long Beach
  (:mod:`reproduction.data.private_points`); the file is not part of this package.
- ``digits``: scikit-learn's, shared out unevenly (:mod:`reproduction.data.private_points`).

Without a confidence the private points are taken for all there is; with one they are a sample of what each site
may see, and a plan holds with that probability over their draw, for labels of points drawn afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import fedpact as fp
from reproduction.data.private_points import FILE as HOSPITALS_FILE
from reproduction.data.private_points import Labelled, SiteData, load_digit_sites, load_hospitals
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.private_planning import METHODS, plan_privately
from reproduction.private_sites_page import conclude, draw, tabulate
from reproduction.read_settings import LEAVES_OUT
from reproduction.values import read_chance, read_choice, read_each, read_share, read_whole_number

_PUBLIC = "public"
HOSPITALS_SOURCE = f"{HOSPITALS_FILE}, the heart-disease data of the UCI repository"
DIGITS_SOURCE = "scikit-learn's digits, shared out among five sites"


class _Data(NamedTuple):
    """One draw of sites per seed."""

    source: str
    draws: tuple[SiteData, ...]


def _load(settings: Settings, source: str, load: Callable[[np.random.Generator], SiteData]) -> _Data:
    return _Data(source, tuple(load(np.random.default_rng(seed)) for seed in range(settings["seeds"])))


def _prepare_digits(settings: Settings, data: str | None) -> _Data:
    _read(settings)
    return _load(settings, DIGITS_SOURCE, load_digit_sites)


def _prepare_hospitals(settings: Settings, data: str | None) -> _Data:
    _read(settings)
    if data is not None:
        return _load(settings, HOSPITALS_SOURCE, partial(load_hospitals, data))
    if settings[LEAVES_OUT]:
        return _prepare_digits(settings, None)
    raise fp.FederationError(
        f"data must be a folder that holds {HOSPITALS_FILE}; without data there is only --quick, on digits"
    )


def _read_different(settings: Settings, key: str, read: Callable[[Any, str], Any]) -> list[Any]:
    found = read_each(settings, key, read)
    if len(set(found)) < len(found):
        raise fp.FederationError(f"{key} must be one value or several different ones; it is {settings[key]}")
    return found


def _read(settings: Settings) -> dict[str, Any]:
    """Check what is asked for, before anything is trained."""
    return {
        "candidates": _read_different(settings, "candidates", partial(read_whole_number, least=2)),
        "epsilon": _read_different(settings, "epsilon", read_share),
        "delta": read_chance(settings["delta"], "delta"),
        "confidence": read_chance(settings["confidence"], "confidence"),
        "method": read_choice(settings["method"], "method", METHODS),
    }


def pack_sites(data: SiteData) -> Arrays:
    """Name the points and labels of every site, public ones first."""
    sites = {_PUBLIC: data.public} | {f"site {place}": own for place, own in enumerate(data.private.values())}
    return {f"{name} {kind}": values for name, own in sites.items() for kind, values in own._asdict().items()}


def unpack_sites(arrays: Arrays, sites: Sequence[str], name: str) -> SiteData:
    """Put the points and labels of every site together again."""

    def take(part: str) -> Labelled:
        points, labels = (arrays[f"{part} {kind}"] for kind in Labelled._fields)
        return Labelled(np.asarray(points, dtype=np.float64), np.asarray(labels, dtype=np.int64))

    private = {site: take(f"site {place}") for place, site in enumerate(sites)}
    return SiteData(name=name, public=take(_PUBLIC), private=private)


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell per draw, class and epsilon."""
    wish, tasks = _read(settings), []
    asked = {key: wish[key] for key in ("delta", "confidence", "method")}
    for seed, drawn in enumerate(data.draws):
        about = asked | {"data": drawn.name, "sites": list(drawn.private), "seed": seed}
        arrays = pack_sites(drawn)
        for count in wish["candidates"]:
            tasks += [Task(about | {"candidates": count, "epsilon": one}, arrays) for one in wish["epsilon"]]
    return tasks


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    data = unpack_sites(arrays, cell["sites"], cell["data"])
    asked = {key: cell[key] for key in ("candidates", "delta", "confidence", "method", "seed")}
    return plan_privately(data, epsilon=[cell["epsilon"]], **asked)


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Put the plans for every epsilon together, by draw and class."""
    wish = _read(settings)
    runs: dict[tuple[int, int], Answer] = {}
    for answer in answers[0]:
        run = runs.setdefault((answer["seed"], answer["H"]), answer | {"plans": []})
        run["plans"] += answer["plans"]
    asked = {key: wish[key] for key in ("epsilon", "delta", "confidence", "method")}
    return {"data": data.draws[0].name, "runs": list(runs.values())} | asked


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
