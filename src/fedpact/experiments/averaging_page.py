"""The page of :mod:`fedpact.experiments.averaging`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import Panel, draw_panels
from fedpact.experiments.sweep.experiment import Table

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

Row = Mapping[str, Any]

OPENS = (
    "one step with all samples per round is pooled training; from blank weights, more such local steps leave "
    "the training loss further behind, and further where sites differ"
)
UNCLEAR = (
    "one step with all samples per round is pooled training; that from blank weights more such local steps "
    "leave the training loss further behind where sites differ is not seen here"
)
BROKEN = "one step with all samples per round is not pooled training: averaging is wrong"
UNTRIED = "one step with all samples per round, which is pooled training, was not tried"


def _pick(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def _list_models(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["model"] for row in rows))


def _show_draws(results: Mapping[str, Any]) -> Table:
    draws = results["draws"]
    models = list(draws[0]["start_accuracy"])
    columns = ["seed", "chosen", *draws[0]["m"], "accuracy of the chosen", *(f"{name} from it" for name in models)]
    rows = [
        [
            str(one["seed"]),
            one["chosen"],
            *map(str, one["m"].values()),
            f"{one['chosen_accuracy']:.1%}",
            *(f"{one['start_accuracy'][name]:.1%}, {one['starts'][name].lower()}" for name in models),
        ]
        for one in draws
    ]
    return Table("Quotas, the chosen candidate, and where models start from it", columns, rows, 2)


def _show_rows(results: Mapping[str, Any]) -> Table:
    rows = [
        (
            row["model"],
            row["start"],
            row["sites"],
            "all" if row["batch"] is None else str(row["batch"]),
            str(row["epochs"]),
            f"{row['loss']:.3f}",
            f"{row['pooled_loss']:.3f}",
            f"{row['accuracy']:.1%}",
            f"{row['pooled_accuracy']:.1%}",
            f"{row['worst_site_gap']:.1%}",
            f"{row['gap_low']:+.1%} to {row['gap_high']:+.1%}",
        )
        for row in results["rows"]
    ]
    columns = ["model", "start", "sites", "batch", "local epochs", "loss", "pooled", "accuracy", "pooled"]
    columns += ["worst site behind", "range of pooled less averaged accuracy"]
    title = f"Averaged and pooled training, {results['total_epochs']} epochs; means over draws of sites"
    return Table(title, columns, rows, 4)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show the draws of sites, and every way of training."""
    return [_show_draws(results), _show_rows(results)]


def _opens(rows: Sequence[Row], model: str) -> bool:
    """Whether, with all samples in a step, loss grows with local epochs, and more so at skewed sites."""

    def excess(sites: str) -> list[float]:
        own = _pick(rows, model=model, start="blank", sites=sites, batch=None)
        more = sorted((row for row in own if row["epochs"] > 1), key=lambda row: row["epochs"])
        return [row["loss"] - row["pooled_loss"] for row in more]

    skewed, shuffled = excess("skewed"), excess("shuffled")
    grows = all(one < other for one, other in zip([0.0, *skewed[:-1]], skewed, strict=True))
    return bool(skewed) and grows and all(one > other for one, other in zip(skewed, shuffled, strict=True))


def judge(rows: Sequence[Row]) -> str:
    """Say what was seen from blank weights with all samples in a step; other rows have no say."""
    full = _pick(rows, batch=None, epochs=1)
    if any(row["statuses"]["EQUAL"] < row["runs"] for row in full):
        return BROKEN
    if not full:
        return UNTRIED
    return OPENS if all(_opens(rows, model) for model in _list_models(rows)) else UNCLEAR


def _say_identity(rows: Sequence[Row]) -> list[str]:
    full = _pick(rows, batch=None, epochs=1)
    if not full:
        return []
    most = max(row["distance"] for row in full)
    return [
        f"with all samples in a step and one local epoch per round, weights differ from pooled ones by {most:.0e}"
    ]


def _say_drift(rows: Sequence[Row], model: str) -> list[str]:
    """Say what most local epochs leave of loss and accuracy, from blank weights with all samples in a step."""
    most = max(row["epochs"] for row in rows)
    own = _pick(rows, model=model, start="blank", batch=None, epochs=most)
    if not own:
        return []
    skewed, shuffled = (_pick(own, sites=sites)[0] for sites in ("skewed", "shuffled"))
    behind = [f"{row['pooled_accuracy'] - row['accuracy']:.1%}" for row in (skewed, shuffled)]
    return [
        f"{model}, from blank weights, all samples in a step, {most} local epochs: the training loss is "
        f"{skewed['loss']:.3f} where pooled training has {skewed['pooled_loss']:.3f}, and {shuffled['loss']:.3f} "
        f"if sites are shuffled; held-out accuracy is behind by {behind[0]}, and by {behind[1]} if shuffled"
    ]


def _say_steps(rows: Sequence[Row], model: str) -> list[str]:
    small = [row for row in _pick(rows, model=model, start="blank", sites="skewed") if row["batch"] is not None]
    ahead = sum(row["loss"] < row["pooled_loss"] for row in small)
    said = (
        f"{model}, from blank weights at skewed sites, in smaller steps: averaging has the lower training loss in"
    )
    return [f"{said} {ahead} of {len(small)} rows"] if small else []


def _say_chosen(rows: Sequence[Row], draws: Sequence[Row], model: str) -> str:
    """Say whether held-out points tell averaging from pooled training that starts from the chosen candidate."""
    own = _pick(rows, model=model, start="chosen")
    told = sum(row["statuses"][name] for row in own for name in ("BEHIND", "AHEAD"))
    start = sum(one["start_accuracy"][model] for one in draws) / len(draws)
    ends = [row[key] for row in own for key in ("accuracy", "pooled_accuracy")]
    return (
        f"{model}, from the chosen candidate, where the protocol starts: held-out points tell {told} of "
        f"{sum(row['runs'] for row in own)} runs from pooled training; accuracy goes from {start:.1%} to between "
        f"{min(ends):.1%} and {max(ends):.1%}, averaged or pooled"
    )


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether averaging is pooled training where it should be, and what it loses elsewhere."""
    rows, draws = results["rows"], results["draws"]
    said = [judge(rows), *_say_identity(rows)]
    for model in _list_models(rows):
        said += [*_say_drift(rows, model), *_say_steps(rows, model), _say_chosen(rows, draws, model)]
    return [*said, f"draws of this one data set: {len(draws)}"]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw, by model, the training loss in the end against local epochs."""
    batch = results["rows"][0]["batch"]
    step = "all samples in a step" if batch is None else f"steps of {batch}"
    shown = _pick(results["rows"], batch=batch)
    x = sorted({row["epochs"] for row in shown})
    panels = []
    for model in _list_models(shown):
        own = _pick(shown, model=model)
        lines: dict[str, list[float]] = {}
        for row in sorted(own, key=lambda row: row["epochs"]):
            start = "blank" if row["start"] == "blank" else "the chosen candidate"
            lines.setdefault(f"{row['sites']} sites, from {start}", []).append(row["loss"])
        level = next(row["pooled_loss"] for row in own if row["start"] == "blank")
        title = f"{model}, {step}"
        panels.append(Panel(title, "training loss in the end", lines, {}, ("pooled, from blank", level)))
    return draw_panels(x, panels, x_axis="local epochs per round")
