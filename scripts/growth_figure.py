"""Figures of how something grows with a size: both axes divided by powers of ten."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from fedpact.drawing import dress_axes, new_figure

if TYPE_CHECKING:
    from fedpact.drawing import Figure

_HEIGHT, _WIDTH = 3.8, 5.0
_COLUMNS = 2


class GrowthLine(NamedTuple):
    """Values at rising sizes."""

    label: str
    sizes: Sequence[float]
    values: Sequence[float]
    is_dashed: bool


class GrowthPanel(NamedTuple):
    """One of several plots, for :func:`draw_growth`."""

    title: str
    y_axis: str
    lines: Sequence[GrowthLine]


def _draw_panel(axes: Any, panel: GrowthPanel, x_axis: str) -> None:
    for line, marker in zip(panel.lines, cycle("os^Dv"), strict=False):
        style = "--" if line.is_dashed else "-"
        axes.plot(line.sizes, line.values, style, marker=marker, markersize=4, label=line.label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks = sorted({size for line in panel.lines for size in line.sizes})
    axes.set_xticks(ticks, [f"{size:,.10g}" for size in ticks], fontsize="small")
    axes.minorticks_off()
    dress_axes(axes, panel.title, x_axis, panel.y_axis)
    axes.legend(fontsize="x-small")


def draw_growth(panels: Sequence[GrowthPanel], *, x_axis: str) -> Figure:
    """Draw panels in rows of two, one line per label.

    Examples
    --------
    >>> line = GrowthLine("ours", [10, 100], [0.1, 1.0], False)
    >>> figure = draw_growth([GrowthPanel("counting", "seconds", [line])], x_axis="H")
    >>> figure.axes[0].get_xscale(), figure.axes[0].get_yscale(), figure.axes[0].get_xlabel()
    ('log', 'log', 'H')
    """
    rows = -(-len(panels) // _COLUMNS)
    figure = new_figure(_HEIGHT * rows)
    figure.set_figwidth(_WIDTH * _COLUMNS)
    for place, panel in enumerate(panels):
        _draw_panel(figure.add_subplot(rows, _COLUMNS, place + 1), panel, x_axis)
    return figure
