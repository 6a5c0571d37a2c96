"""How far federated averaging stays behind pooled training, by model, start, sites, batch and local epochs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import Panel, draw_panels

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

NAME = "averaging"


class AveragingStatus(Enum):
    """What was seen from blank weights with all samples in a step; other rows have no say. A sentence each."""

    OPENS = (
        "one step with all samples per round is pooled training; from blank weights, more such local steps leave "
        "the training loss further behind, and further where sites differ"
    )
    UNCLEAR = (
        "one step with all samples per round is pooled training; that from blank weights more such local steps "
        "leave the training loss further behind where sites differ is not seen here"
    )
    BROKEN = "one step with all samples per round is not pooled training: averaging is wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingSetting:
    """One draw of sites, quotas and chosen candidate."""

    seed: int
    m: dict[str, int]
    """Samples of every site, from a plan unless given."""
    chosen: str
    """Candidate with the fewest mistakes on all quotas."""
    chosen_accuracy: float
    """Its own, at held-out points."""
    starts: dict[str, str]
    """For every model, how it starts from the chosen candidate: "OWN" or "DISTILLED"."""
    start_accuracy: dict[str, float]
    """For every model, at held-out points before any training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingRow:
    """One way of training, over all draws of sites; numbers without other words are means."""

    model: str
    start: str
    """"chosen" candidate or "blank"."""
    sites: str
    """"skewed" as drawn, or "shuffled": the same samples dealt out anew to quotas of the same sizes."""
    batch: int | None
    """Samples per step; None is all that a site has."""
    epochs: int
    """Local epochs per round; all rows have the same epochs in total."""
    runs: int
    loss: float
    """Training objective of averaging, in the end."""
    pooled_loss: float
    accuracy: float
    """At held-out points, in the end."""
    pooled_accuracy: float
    gap_low: float
    gap_high: float
    """Least and largest of the runs' pooled accuracy less averaged accuracy."""
    worst_site_gap: float
    """Of the site that stays furthest behind in each run."""
    distance: float
    """Largest difference between weights of the two, over all runs."""
    statuses: dict[str, int]
    """How many runs ended with each :class:`fedpact.training.GapStatus`."""

    @property
    def accuracy_gap(self) -> float:
        """Accuracy of pooled training less that of averaging."""
        return self.pooled_accuracy - self.accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingExperiment:
    """Federated averaging beside pooled training on the digits."""

    rows: tuple[AveragingRow, ...]
    settings: tuple[AveragingSetting, ...]
    status: AveragingStatus
    total_epochs: int
    learning_rates: dict[str, float]
    """By samples per step; "all" where a site takes all that it has."""
    versions: dict[str, str]
    """Of the packages that decide what is learned."""

    def row(self, model: str, start: str, sites: str, batch: int | None, epochs: int) -> AveragingRow:
        """Return one row."""
        wanted = (model, start, sites, batch, epochs)
        return next(one for one in self.rows if (one.model, one.start, one.sites, one.batch, one.epochs) == wanted)

    def plot(self) -> Figure:
        """Draw, by model, the training loss in the end against local epochs; needs ``fedpact[plot]``."""
        shown = [row for row in self.rows if row.batch is None]
        x = sorted({row.epochs for row in shown})
        panels = []
        for model in dict.fromkeys(row.model for row in shown):
            own = [row for row in shown if row.model == model]
            kinds = dict.fromkeys((row.start, row.sites) for row in own)
            lines = {
                f"{sites} sites, from {'blank' if start == 'blank' else 'the chosen candidate'}": [
                    self.row(model, start, sites, None, epochs).loss for epochs in x
                ]
                for start, sites in kinds
            }
            level = next(row.pooled_loss for row in own if row.start == "blank")
            panels.append(
                Panel(
                    f"{model}, all samples in a step",
                    "training loss in the end",
                    lines,
                    {},
                    ("pooled, from blank", level),
                )
            )
        return draw_panels(x, panels, x_axis="local epochs per round")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": NAME,
            "rows": [asdict(row) for row in self.rows],
            "settings": [asdict(setting) for setting in self.settings],
            "status": self.status.value,
            "total_epochs": self.total_epochs,
            "learning_rates": dict(self.learning_rates),
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> AveragingExperiment:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key != "experiment"}
        values["rows"] = tuple(AveragingRow(**row) for row in entry["rows"])
        values["settings"] = tuple(AveragingSetting(**setting) for setting in entry["settings"])
        values["status"] = AveragingStatus(entry["status"])
        return cls(**values)
