"""Figures of values in groups: several kinds of values for each of a few names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from fedpact.drawing.figures import dress_axes, new_figure

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

_HEIGHT, _WIDTH = 3.4, 5.4
_APART = 0.18


class GroupPanel(NamedTuple):
    """One of several plots over names, for :func:`draw_groups`."""

    title: str
    y_axis: str
    names: Sequence[str]
    values: Mapping[str, Sequence[float]]
    """Label -> one value per name."""
    limits: Mapping[str, Sequence[tuple[float, float]]]
    """Label -> the least and the most of each value, drawn as a line."""
    level: tuple[str, float] | None
    """What to hold the values against: a label and a value, drawn as a broken line."""
    even_below: float | None
    """Up to here the axis is divided evenly and then by powers of ten; None if evenly throughout."""


def _draw_panel(axes: Any, panel: GroupPanel) -> None:
    middle = (len(panel.values) - 1) / 2
    for place, ((label, values), marker) in enumerate(zip(panel.values.items(), cycle("os^D"), strict=False)):
        x = [name + _APART * (place - middle) for name in range(len(panel.names))]
        (line,) = axes.plot(x, values, marker, markersize=5, label=label)
        axes.vlines(x, *zip(*panel.limits[label], strict=True), color=line.get_color(), alpha=0.6)
    if panel.level is not None:
        axes.axhline(panel.level[1], color="black", linestyle="--", linewidth=1, label=panel.level[0])
    if panel.even_below is not None:
        axes.set_yscale("symlog", linthresh=panel.even_below)
    axes.set_ylim(bottom=0)
    axes.set_xticks(range(len(panel.names)), panel.names, parse_math=False, fontsize="small")
    dress_axes(axes, panel.title, "", panel.y_axis)


def draw_groups(panels: Sequence[GroupPanel], *, columns: int) -> Figure:
    """Draw panels in rows of so many, with one legend for those that have the same labels.

    Examples
    --------
    >>> limits = {"plan": [(0, 1), (0, 1)]}
    >>> panel = GroupPanel("missed", "share", ["a", "b"], {"plan": [0.1, 0.2]}, limits, None, None)
    >>> figure = draw_groups([panel, panel], columns=2)
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()], len(figure.axes)
    (['a', 'b'], 2)
    """
    rows = -(-len(panels) // columns)
    figure = new_figure(_HEIGHT * rows + 0.4)
    figure.set_figwidth(_WIDTH * columns)
    labels: dict[str, Any] = {}
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        _draw_panel(axes, panel)
        labels |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=len(labels))
    return figure
