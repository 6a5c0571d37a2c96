"""Box plots from boxes that are already computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fedpact.drawing.figures import dress_axes, new_figure

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

_WIDTH, _HEIGHT = 4.2, 3.4


class BoxPanel(NamedTuple):
    """One of several box plots."""

    title: str
    y_axis: str
    groups: Mapping[str, Sequence[Mapping[str, Any]]]
    """Label -> a box for every place: ``q1``, ``median``, ``q3`` and ``whiskers``."""


def _draw_group(
    axes: Any, boxes: Sequence[Mapping[str, Any]], at: Sequence[float], width: float, color: Any
) -> None:
    stats = [
        {
            "q1": box["q1"],
            "med": box["median"],
            "q3": box["q3"],
            "whislo": box["whiskers"][0],
            "whishi": box["whiskers"][1],
        }
        for box in boxes
    ]
    axes.bxp(
        stats,
        positions=at,
        widths=0.9 * width,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": color, "alpha": 0.6, "linewidth": 0.4},
        medianprops={"color": "black", "linewidth": 0.8},
        whiskerprops={"linewidth": 0.5},
        capprops={"linewidth": 0.5},
    )


def draw_boxes(places: Sequence[str], panels: Sequence[BoxPanel], *, x_axis: str, columns: int) -> Figure:
    """Draw panels of boxes, the groups side by side at every place.

    Examples
    --------
    >>> box = {"q1": 1, "median": 2, "q3": 3, "whiskers": [0, 4]}
    >>> panel = BoxPanel("loss", "nats", {"m = 10": [box, box], "m = 20": [box, box]})
    >>> figure = draw_boxes(["0", "1"], [panel], x_axis="share", columns=1)
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['m = 10', 'm = 20']
    """
    rows = -(-len(panels) // columns)
    figure = new_figure(_HEIGHT * rows)
    figure.set_figwidth(_WIDTH * min(columns, len(panels)))
    for number, panel in enumerate(panels):
        axes = figure.add_subplot(rows, min(columns, len(panels)), number + 1)
        width = 0.85 / len(panel.groups)
        for group, boxes in enumerate(panel.groups.values()):
            at = [place + (group - (len(panel.groups) - 1) / 2) * width for place in range(len(places))]
            _draw_group(axes, boxes, at, width, f"C{group}")
        axes.set_xticks(range(len(places)), places)
        dress_axes(axes, panel.title, x_axis, panel.y_axis)
        if not number:
            patches = [axes.patches[group * len(places)] for group in range(len(panel.groups))]
            axes.legend(patches, list(panel.groups), fontsize="x-small")
    return figure
