"""Federated averaging against pooled training, on digits that sites see unequally often.

1. The digits are shared out among five sites, candidates are trained from the public quarter, and quotas come from
   a plan at a confidence, made from the sites' reports, as in :mod:`fedpact.experiments.private_planning`.
2. Every site labels its quota, drawn without putting back; the candidate with the fewest mistakes on all quotas is
   the chosen one, and what is left of every site is held out.
3. Training goes on by averaging, with some local epochs per round and always the same number of epochs in all,
   and beside it on the pooled quotas: from the chosen candidate, and from blank weights (zeros, or what a network
   is made with), where more is left to learn.
4. For comparison the same samples are dealt out anew, to quotas of the same sizes, so that no site sees other
   digits than the others do.

Pooled training has the same start, as many epochs and as many steps. A logistic regression that is chosen hands
its own weights to the softmax model; the network starts from a distilled copy of it.

Models are a softmax regression in NumPy, and a PyTorch network with one hidden layer, in double precision: in
single precision rounding alone can switch a ReLU at some sample, after which two runs of one method part, as was
seen once, by 1e-4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.adapt_torch import Module, import_torch
from fedpact.candidates.train import train
from fedpact.candidates.trained import TrainedCandidates
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_chance, read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.experiments.averaging_page import conclude, draw, tabulate
from fedpact.experiments.data.digit_sites import SITES, SOURCE, load_digit_sites
from fedpact.experiments.data.site_data import Labelled, SiteData
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from fedpact.experiments.sweep.read_values import read_each
from fedpact.planning.plan import plan
from fedpact.statistics.make_report import report
from fedpact.training.averaging_gap import AveragingGap, GapStatus, measure_gap
from fedpact.training.softmax import SoftmaxModel
from fedpact.training.start_training import start_from
from fedpact.training.torch_model import TorchModel
from fedpact.training.trainable import Trainable, initial_weights, predict_labels, read_rate
from fedpact.training.weights import Weights

MODELS = ("softmax", "network")
_CASES = (("chosen", "skewed"), ("blank", "skewed"), ("blank", "shuffled"))
_KEY = ("model", "start", "sites", "batch", "epochs")
_CLASSES = tuple(range(10))
_L2 = 1e-3
_HIDDEN = 32

Sites: TypeAlias = dict[str, Labelled]


class _Data(NamedTuple):
    """The digits come with scikit-learn and are loaded where they are needed."""

    source: str


class _Draw(NamedTuple):
    """Quotas, what is held out, and where training starts."""

    quotas: dict[str, Sites]
    """"skewed" and "shuffled"."""
    held_out: dict[str, Sites]
    starts: dict[str, Weights]
    """"chosen" and "blank"."""
    model: Trainable


def _prepare(settings: Settings, data: str | None) -> _Data:
    if "network" in settings["models"]:
        import_torch()
    return _Data(SOURCE)


def _read_models(settings: Settings) -> list[str]:
    named = list(dict.fromkeys(settings["models"]))
    if not named or any(name not in MODELS for name in named):
        raise FederationError(
            f"models must be some of {', '.join(MODELS)}; they are {shorten(settings['models'])}"
        )
    return named


def _read_epochs(settings: Settings) -> tuple[list[int], int]:
    total, asked = read_whole_number(settings["total_epochs"], "total_epochs", least=1), settings["epochs"]
    read = sorted({read_whole_number(one, "epochs", least=1) for one in asked})
    if not read or any(total % one for one in read):
        raise FederationError(
            f"epochs must be numbers that divide the {total} epochs in total; they are {shorten(asked)}"
        )
    return read, total


def _read_steps(settings: Settings) -> list[list[Any]]:
    """Read samples per step, None for all of them, each with its learning rate."""
    batches = read_each(settings, "batches", read_whole_number)
    rates = [read_rate(rate) for rate in settings["learning_rates"]]
    if len(rates) != len(batches) or len(set(batches)) < len(batches):
        raise FederationError(
            f"batches must be different numbers with a learning rate each; they are {batches} with rates {rates}"
        )
    return [[batch or None, rate] for batch, rate in zip(batches, rates, strict=True)]


def _read_quotas(settings: Settings) -> list[int] | None:
    """Read samples of every site, None if a plan is to say; each draw must leave points to hold out."""
    counts = [read_whole_number(count, "quotas") for count in settings["quotas"]]
    if not counts:
        return None
    if len(counts) not in (1, SITES):
        raise FederationError(f"quotas must be one number, or one for each of {SITES} sites; they are {counts}")
    counts = counts * SITES if len(counts) == 1 else counts
    for seed in range(settings["seeds"]):
        sizes = load_digit_sites(np.random.default_rng(seed)).sizes
        for (site, size), count in zip(sizes.items(), counts, strict=True):
            if count >= size:
                raise FederationError(
                    f"quotas must leave points to hold out; {site!r} has {size} points and quota {count}"
                )
    return counts


def _cut(settings: Settings, data: _Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    epochs, total = _read_epochs(settings)
    about = {
        "epochs": epochs,
        "total_epochs": total,
        "steps": _read_steps(settings),
        "candidates": read_whole_number(settings["candidates"], "candidates", least=2),
        "quotas": _read_quotas(settings),
        "epsilon": read_chance(settings["epsilon"], "epsilon"),
        "delta": read_chance(settings["delta"], "delta"),
        "confidence": read_chance(settings["confidence"], "confidence"),
    }
    models = _read_models(settings)
    return [Task(about | {"seed": seed, "model": model}) for seed in range(settings["seeds"]) for model in models]


def make_network() -> Module:
    """Make a network for 8 by 8 pixels of 0 to 16, with one hidden layer."""
    torch = import_torch()

    class Sixteenth(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, pixels: Any) -> Any:
            return pixels / 16

    layers = Sixteenth(), torch.nn.Linear(64, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, 10)
    return torch.nn.Sequential(*layers).double()


def _make_model(name: str) -> Trainable:
    if name == "softmax":
        return SoftmaxModel(classes=_CLASSES, features=64, l2=_L2)
    return TorchModel(module=make_network, classes=_CLASSES)


def _plan_quotas(trained: TrainedCandidates, data: SiteData, cell: Mapping[str, Any]) -> dict[str, int]:
    reports = []
    for site, own in data.private.items():
        found = trained.predict(own.points)
        reports.append(
            report(found.labels, name=site, candidates=found.candidates, n_classes=len(trained.classes))
        )
    targets = {"epsilon": cell["epsilon"], "delta": cell["delta"]}
    fed = Federation.from_reports(reports, capacity=data.sizes, name=data.name, **targets)
    return dict(plan(fed, "tree", confidence=cell["confidence"]).contributions)


def _part(own: Labelled, at: NDArray[np.intp]) -> Labelled:
    return Labelled(own.points[at], own.labels[at])


def _split(data: SiteData, m: Mapping[str, int], rng: np.random.Generator) -> tuple[Sites, Sites]:
    quotas, held_out = {}, {}
    for site, own in data.private.items():
        order = rng.permutation(len(own.labels))
        quotas[site], held_out[site] = _part(own, order[: m[site]]), _part(own, order[m[site] :])
    return quotas, held_out


def deal_anew(sites: Sites, rng: np.random.Generator) -> Sites:
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


def _draw(cell: Mapping[str, Any]) -> tuple[_Draw, Answer]:
    """Draw sites, candidates and quotas; and tell what they are."""
    rng = np.random.default_rng(cell["seed"])
    data = load_digit_sites(rng)
    trained = train(data.public.points, data.public.labels, count=cell["candidates"], rng=cell["seed"])
    given = cell["quotas"]
    m = _plan_quotas(trained, data, cell) if given is None else dict(zip(data.sizes, given, strict=True))
    quotas, held_out = _split(data, m, rng)
    chosen = _choose(trained, quotas)
    candidate, model = trained.models[chosen], _make_model(cell["model"])
    start = start_from(model, candidate, public=data.public.points, rng=cell["seed"])
    starts = {"chosen": start.weights, "blank": initial_weights(model, data.public.points)}
    points, labels = (np.concatenate(parts) for parts in zip(*held_out.values(), strict=True))
    about = {
        "seed": cell["seed"],
        "m": m,
        "chosen": chosen,
        "chosen_accuracy": float((candidate.predict(points) == labels).mean()),
        "starts": {cell["model"]: start.status.name},
        "start_accuracy": {cell["model"]: float((predict_labels(model, start.weights, points) == labels).mean())},
    }
    dealt = {"skewed": quotas, "shuffled": deal_anew(quotas, rng)}
    held = {"skewed": held_out, "shuffled": deal_anew(held_out, rng)}
    return _Draw(dealt, held, starts, model), about


def _find_worst_site(gap: AveragingGap) -> float:
    averaged, pooled = gap.last.averaged.site_accuracy, gap.last.pooled.site_accuracy
    return max((pooled[site] or 0.0) - (averaged[site] or 0.0) for site in pooled)


def _describe(gap: AveragingGap) -> Answer:
    averaged, pooled = gap.last.averaged, gap.last.pooled
    return {
        "loss": averaged.loss,
        "pooled_loss": pooled.loss,
        "accuracy": averaged.accuracy,
        "pooled_accuracy": pooled.accuracy,
        "accuracy_gap": gap.accuracy_gap,
        "worst_site_gap": _find_worst_site(gap),
        "distance": gap.last.distance,
        "status": gap.status.name,
    }


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Train one model in every way, on one draw."""
    drawn, about = _draw(cell)
    rows = []
    for start, sites in _CASES:
        for batch, rate in cell["steps"]:
            for epochs in cell["epochs"]:
                gap = measure_gap(
                    drawn.model,
                    drawn.starts[start],
                    drawn.quotas[sites],
                    drawn.held_out[sites],
                    rounds=cell["total_epochs"] // epochs,
                    epochs=epochs,
                    learning_rate=rate,
                    batch=batch,
                    seed=cell["seed"],
                )
                key = (cell["model"], start, sites, batch, epochs)
                rows.append(dict(zip(_KEY, key, strict=True)) | _describe(gap))
    return {"draw": about, "rows": rows}


def _add_up(key: Sequence[Any], rows: Sequence[Answer]) -> Answer:
    """One way of training over all draws: means, but for the gaps' ends and the largest distance."""
    means = ("loss", "pooled_loss", "accuracy", "pooled_accuracy", "worst_site_gap")
    return dict(zip(_KEY, key, strict=True)) | {
        "runs": len(rows),
        **{name: float(np.mean([row[name] for row in rows])) for name in means},
        "gap_low": min(row["accuracy_gap"] for row in rows),
        "gap_high": max(row["accuracy_gap"] for row in rows),
        "distance": max(row["distance"] for row in rows),
        "statuses": {status.name: sum(row["status"] == status.name for row in rows) for status in GapStatus},
    }


def _join_draws(draws: Sequence[Answer]) -> list[Answer]:
    """Join what the cells of different models say of the same draw."""
    joined: dict[int, Answer] = {}
    for one in draws:
        known = joined.setdefault(one["seed"], one)
        both = {key: known[key] | one[key] for key in ("starts", "start_accuracy")}
        joined[one["seed"]] = known | both
    return list(joined.values())


def _sum_up(settings: Settings, data: _Data, answers: Sequence[Sequence[Answer]]) -> Answer:
    groups: dict[tuple[Any, ...], list[Answer]] = {}
    for model in _read_models(settings):
        for row in (row for answer in answers[0] for row in answer["rows"] if row["model"] == model):
            groups.setdefault(tuple(row[name] for name in _KEY), []).append(row)
    return {
        "rows": [_add_up(key, rows) for key, rows in groups.items()],
        "draws": _join_draws([answer["draw"] for answer in answers[0]]),
        "total_epochs": settings["total_epochs"],
    }


AVERAGING = Experiment(
    name="averaging",
    about="What federated averaging loses against pooled training, on digits that sites see unequally often.",
    prepare=_prepare,
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
    packages=("scikit-learn", "torch"),
)
