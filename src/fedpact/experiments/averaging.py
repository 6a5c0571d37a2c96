"""Federated averaging against pooled training, on digits that sites see unequally often.

1. The digits are shared out among five sites, candidates are trained from the public quarter, and quotas come from
   a plan at a confidence, made from the sites' reports, as in :mod:`fedpact.experiments.private_planning`.
2. Every site labels its quota, drawn without putting back; the candidate with the fewest mistakes on all quotas is
   the chosen one, and what is left of every site is held out.
3. Training goes on by averaging, with 1, 2, 5 and 10 local epochs per round and the same number of epochs in all,
   and beside it on the pooled quotas: from the chosen candidate, and from blank weights (zeros, or what a network
   is made with), where more is left to learn.
4. For comparison the same samples are dealt out anew, so that no site sees other digits than the others do.

Models are a softmax regression in NumPy, and a PyTorch network with one hidden layer, in double precision: in
single precision rounding alone can switch a ReLU at some sample, after which two runs of one method part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.adapt_torch import Module, import_torch
from fedpact.candidates.train import train
from fedpact.candidates.trained import TrainedCandidates
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.experiments.averaging_result import (
    AveragingExperiment,
    AveragingRow,
    AveragingSetting,
    AveragingStatus,
)
from fedpact.experiments.data.digit_sites import load_digit_sites
from fedpact.experiments.data.site_data import Labelled, SiteData
from fedpact.planning.plan import plan
from fedpact.statistics.make_report import report
from fedpact.training.averaging_gap import AveragingGap, GapStatus, measure_gap
from fedpact.training.softmax import SoftmaxModel
from fedpact.training.start_training import start_from
from fedpact.training.torch_model import TorchModel
from fedpact.training.trainable import Trainable, initial_weights, predict_labels
from fedpact.training.weights import Weights

EPOCHS = (1, 2, 5, 10)
MODELS = ("softmax", "network")
TOTAL_EPOCHS = 60
RATES: dict[int | None, float] = {None: 0.3, 16: 0.1}
_CASES = (("chosen", "skewed"), ("blank", "skewed"), ("blank", "shuffled"))
_CANDIDATES = 50
_EPSILON, _DELTA, _CONFIDENCE = 0.1, 0.05, 0.95
_L2 = 1e-3
_HIDDEN = 32

Sites: TypeAlias = dict[str, Labelled]
_Key: TypeAlias = tuple[str, str, str, int | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What is asked for, checked."""

    models: tuple[str, ...]
    epochs: tuple[int, ...]
    total_epochs: int
    runs: int
    quotas: Any
    seed: int


class _Draw(NamedTuple):
    """Quotas, what is held out, and where training starts."""

    quotas: dict[str, Sites]
    """"skewed" and "shuffled"."""
    held_out: dict[str, Sites]
    starts: dict[tuple[str, str], Weights]
    """(model, "chosen" or "blank") -> weights."""
    models: dict[str, Trainable]


def make_network() -> Module:
    """Make a network for 8 by 8 pixels of 0 to 16, with one hidden layer."""
    torch = import_torch()

    class Sixteenth(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, pixels: Any) -> Any:
            return pixels / 16

    layers = Sixteenth(), torch.nn.Linear(64, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, 10)
    return torch.nn.Sequential(*layers).double()


def _make_models(names: Sequence[str]) -> dict[str, Trainable]:
    classes = tuple(range(10))
    return {
        name: SoftmaxModel(classes=classes, features=64, l2=_L2)
        if name == "softmax"
        else TorchModel(module=make_network, classes=classes)
        for name in names
    }


def _plan_quotas(trained: TrainedCandidates, data: SiteData) -> dict[str, int]:
    reports = []
    for site, own in data.private.items():
        found = trained.predict(own.points)
        reports.append(
            report(found.labels, name=site, candidates=found.candidates, n_classes=len(trained.classes))
        )
    fed = Federation.from_reports(reports, epsilon=_EPSILON, delta=_DELTA, capacity=data.sizes, name=data.name)
    return dict(plan(fed, "tree", confidence=_CONFIDENCE).contributions)


def _read_quotas(quotas: Any, data: SiteData) -> dict[str, int]:
    if not isinstance(quotas, Mapping):
        quotas = dict.fromkeys(data.sizes, quotas)
    if set(quotas) != set(data.sizes):
        raise FederationError(f"quotas must be one number, or one for each of {', '.join(data.sizes)}")
    read = {site: read_whole_number(quotas[site], f"quotas of {site!r}") for site in data.sizes}
    for site, count in read.items():
        if count >= data.sizes[site]:
            raise FederationError(
                f"quotas must leave points to hold out; {site!r} has {data.sizes[site]} points and quota {count}"
            )
    return read


def _part(own: Labelled, at: NDArray[np.intp]) -> Labelled:
    return Labelled(own.points[at], own.labels[at])


def _split(data: SiteData, m: Mapping[str, int], rng: np.random.Generator) -> tuple[Sites, Sites]:
    quotas, held_out = {}, {}
    for site, own in data.private.items():
        order = rng.permutation(len(own.labels))
        quotas[site], held_out[site] = _part(own, order[: m[site]]), _part(own, order[m[site] :])
    return quotas, held_out


def _shuffle(sites: Sites, rng: np.random.Generator) -> Sites:
    """Deal the samples of all sites out anew; every site keeps how many it has."""
    everything = Labelled(*(np.concatenate(parts) for parts in zip(*sites.values(), strict=True)))
    order, dealt, first = rng.permutation(len(everything.labels)), {}, 0
    for site, own in sites.items():
        dealt[site] = _part(everything, order[first : first + len(own.labels)])
        first += len(own.labels)
    return dealt


def _choose(trained: TrainedCandidates, quotas: Sites) -> str:
    """Find the candidate with the fewest mistakes; each site would send its own counts, and they add up."""
    mistakes = sum(
        (trained.predict(own.points).decode() != own.labels).sum(axis=1)
        for own in quotas.values()
        if len(own.labels)
    )
    return list(trained.models)[int(np.argmin(mistakes))]


def _draw(wish: _Wish, seed: int) -> tuple[_Draw, AveragingSetting]:
    rng = np.random.default_rng(seed)
    data = load_digit_sites(rng)
    given = None if wish.quotas is None else _read_quotas(wish.quotas, data)
    trained = train(data.public.points, data.public.labels, count=_CANDIDATES, rng=seed)
    m = _plan_quotas(trained, data) if given is None else given
    quotas, held_out = _split(data, m, rng)
    chosen = _choose(trained, quotas)
    candidate, models = trained.models[chosen], _make_models(wish.models)
    starts, found = {}, {}
    for name, model in models.items():
        found[name] = start_from(model, candidate, public=data.public.points, rng=seed)
        starts[name, "chosen"] = found[name].weights
        starts[name, "blank"] = initial_weights(model, data.public.points)
    points, labels = (np.concatenate(parts) for parts in zip(*held_out.values(), strict=True))
    setting = AveragingSetting(
        seed=seed,
        m=m,
        chosen=chosen,
        chosen_accuracy=float((candidate.predict(points) == labels).mean()),
        starts={name: one.status.name for name, one in found.items()},
        start_accuracy={
            name: float((predict_labels(models[name], one.weights, points) == labels).mean())
            for name, one in found.items()
        },
    )
    dealt = {"skewed": quotas, "shuffled": _shuffle(quotas, rng)}
    held = {"skewed": held_out, "shuffled": _shuffle(held_out, rng)}
    return _Draw(dealt, held, starts, models), setting


def _list_keys(wish: _Wish) -> list[_Key]:
    return [
        (model, start, sites, batch, epochs)
        for model in wish.models
        for start, sites in _CASES
        for batch in RATES
        for epochs in wish.epochs
    ]


def _measure(draw: _Draw, key: _Key, total_epochs: int, seed: int) -> AveragingGap:
    model, start, sites, batch, epochs = key
    return measure_gap(
        draw.models[model],
        draw.starts[model, start],
        draw.quotas[sites],
        draw.held_out[sites],
        rounds=total_epochs // epochs,
        epochs=epochs,
        learning_rate=RATES[batch],
        batch=batch,
        seed=seed,
    )


def _find_worst_site(gap: AveragingGap) -> float:
    averaged, pooled = gap.last.averaged.site_accuracy, gap.last.pooled.site_accuracy
    return max((pooled[site] or 0.0) - (averaged[site] or 0.0) for site in pooled)


def _sum_up(key: _Key, gaps: Sequence[AveragingGap]) -> AveragingRow:
    model, start, sites, batch, epochs = key
    ends = [gap.last for gap in gaps]
    differences = [gap.accuracy_gap for gap in gaps]
    return AveragingRow(
        model=model,
        start=start,
        sites=sites,
        batch=batch,
        epochs=epochs,
        runs=len(gaps),
        loss=float(np.mean([end.averaged.loss for end in ends])),
        pooled_loss=float(np.mean([end.pooled.loss for end in ends])),
        accuracy=float(np.mean([end.averaged.accuracy for end in ends])),
        pooled_accuracy=float(np.mean([end.pooled.accuracy for end in ends])),
        gap_low=min(differences),
        gap_high=max(differences),
        worst_site_gap=float(np.mean([_find_worst_site(gap) for gap in gaps])),
        distance=max(end.distance for end in ends),
        statuses={status.name: sum(gap.status is status for gap in gaps) for status in GapStatus},
    )


def _opens(rows: Sequence[AveragingRow], model: str) -> bool:
    """Whether, with all samples in a step, loss grows with local epochs, and more so at skewed sites."""

    def excess(sites: str) -> list[float]:
        own = [
            row for row in rows if (row.model, row.start, row.sites, row.batch) == (model, "blank", sites, None)
        ]
        return [row.loss - row.pooled_loss for row in sorted(own, key=lambda row: row.epochs) if row.epochs > 1]

    skewed, shuffled = excess("skewed"), excess("shuffled")
    grows = all(np.diff(skewed) > 0) and all(one > 0 for one in skewed)
    return bool(grows and all(one > other for one, other in zip(skewed, shuffled, strict=True)))


def _judge(rows: Sequence[AveragingRow]) -> AveragingStatus:
    full = [row for row in rows if row.batch is None and row.epochs == 1]
    if any(row.statuses[GapStatus.EQUAL.name] < row.runs for row in full):
        return AveragingStatus.BROKEN
    opens = all(_opens(rows, model) for model in {row.model for row in rows})
    return AveragingStatus.OPENS if opens else AveragingStatus.UNCLEAR


def _read_epochs(epochs: Sequence[Any], total: int) -> tuple[int, ...]:
    read = tuple(sorted({read_whole_number(one, "epochs", least=1) for one in epochs}))
    wrong = [one for one in read if total % one]
    if not read or wrong:
        raise FederationError(
            f"epochs must be numbers that divide the {total} epochs in total; they are {shorten(list(epochs))}"
        )
    return read


def _read_models(models: Sequence[str]) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(models))
    if not named or any(name not in MODELS for name in named):
        raise FederationError(f"models must be some of {', '.join(MODELS)}; they are {shorten(list(models))}")
    return named


def _versions(models: Sequence[str]) -> dict[str, str]:
    packages = ("fedpact", "numpy", "scikit-learn", *(("torch",) if "network" in models else ()))
    return {package: version(package) for package in packages}


def _run_all(wish: _Wish, progress: Callable[[int, int], None] | None) -> Iterator[tuple[Any, AveragingSetting]]:
    keys, done = _list_keys(wish), 0
    for seed in range(wish.seed, wish.seed + wish.runs):
        draw, setting = _draw(wish, seed)
        gaps = {}
        for key in keys:
            gaps[key] = _measure(draw, key, wish.total_epochs, seed)
            done += 1
            if progress is not None:
                progress(done, len(keys) * wish.runs)
        yield gaps, setting


def reproduce_averaging(
    epochs: Sequence[Any] = EPOCHS,
    *,
    models: Sequence[str] = MODELS,
    total_epochs: int = TOTAL_EPOCHS,
    quotas: Mapping[str, int] | int | None = None,
    runs: int = 3,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AveragingExperiment:
    """Train on the digits by federated averaging and pooled (``pip install "fedpact[sklearn,torch]"``).

    Parameters
    ----------
    epochs
        Local epochs per round.
    models
        "softmax", which needs no PyTorch, and "network".
    total_epochs
        Of every way of training; each of ``epochs`` divides it.
    quotas
        Samples of every site, or one number for all; from a plan at a confidence if not given.
    runs
        How many draws of sites and quotas to train on, with seeds ``seed``, ``seed + 1``, ...
    progress
        Called with the number of trainings done and their total.

    Examples
    --------
    >>> seen = reproduce_averaging([1, 5], models=["softmax"], total_epochs=10, quotas=30, runs=1)
    >>> seen.status.name, seen.row("softmax", "blank", "skewed", None, 1).statuses["EQUAL"]
    ('OPENS', 1)
    """
    total = read_whole_number(total_epochs, "total_epochs", least=1)
    wish = _Wish(
        models=_read_models(models),
        epochs=_read_epochs(epochs, total),
        total_epochs=total,
        runs=read_whole_number(runs, "runs", least=1),
        quotas=quotas,
        seed=read_whole_number(seed, "seed"),
    )
    found = list(_run_all(wish, progress))
    rows = tuple(_sum_up(key, [gaps[key] for gaps, _ in found]) for key in _list_keys(wish))
    return AveragingExperiment(
        rows=rows,
        settings=tuple(setting for _, setting in found),
        status=_judge(rows),
        total_epochs=total,
        learning_rates={"all" if batch is None else str(batch): rate for batch, rate in RATES.items()},
        versions=_versions(wish.models),
    )
