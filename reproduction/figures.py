"""Figures of results: they draw plain values and compute nothing.

A figure is made without pyplot, so no window opens and nothing global changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from matplotlib.figure import Figure as Figure

_WIDTH = 7.0
_BAR = 0.32
_MARGIN = 1.4
_CURVE_HEIGHT = 4.5
_MAP_WIDTH, _MAP_HEIGHT = 4.0, 5.5
_PANEL_WIDTH = 5.0
_PLAIN = "#3b6ea5"
_MARKED = "#c0392b"
_KINDS = (("o", _PLAIN), (".", "gray"), ("x", _MARKED))
_GROUP_HEIGHT, _GROUP_WIDTH, _APART = 3.4, 5.4, 0.18
_BOX_WIDTH, _BOX_HEIGHT = 4.2, 3.4


def new_figure(height: float) -> Figure:
    """Make an empty figure of a page's width."""
    return Figure(figsize=(_WIDTH, height), layout="constrained")


def dress_axes(axes: Any, title: str, x_axis: str, y_axis: str) -> None:
    """Label axes and leave out the frame's upper and right side."""
    axes.set_xlabel(x_axis, parse_math=False)
    axes.set_ylabel(y_axis, parse_math=False)
    axes.set_title(title, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def draw_bars(
    values: Mapping[str, float],
    *,
    title: str,
    axis: str,
    marked: Collection[str] = (),
    meaning: str = "",
) -> Figure:
    """Draw one horizontal bar per label, the first on top.

    Parameters
    ----------
    values
        Label to length.
    title, axis
        What stands above the bars and what they measure.
    marked, meaning
        Labels whose bars are red and hatched, and what that means, for the legend.

    Examples
    --------
    >>> figure = draw_bars({"alice": 3, "bob": 2}, title="cost 5", axis="samples")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['alice', 'bob']
    """
    bars = dict(values)
    figure = new_figure(_MARGIN + _BAR * len(bars))
    axes = figure.add_subplot()
    hatched = []
    for place, (label, value) in enumerate(bars.items()):
        style: dict[str, Any] = {"color": _MARKED, "hatch": "//"} if label in marked else {"color": _PLAIN}
        bar = axes.barh(place, value, **style)
        axes.bar_label(bar, labels=[f"{value:,.6g}"], padding=3)
        hatched += [bar] if label in marked else []
    axes.set_yticks(range(len(bars)), list(bars), parse_math=False)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    dress_axes(axes, title, axis, "")
    if hatched:
        axes.legend(hatched[:1], [meaning])
    for tick in axes.get_yticklabels():  # a bar of no length shows no colour
        tick.set_color(_MARKED if tick.get_text() in marked else "black")
    return figure


def draw_lines(
    lines: Mapping[str, Sequence[float]],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    x: Sequence[float] | None = None,
    scale: str = "powers of two",
    dashed: Collection[str] = (),
) -> Figure:
    """Draw one line per label in its own colour: in steps over 0, 1, 2, ..., or over ``x``.

    The axis of ``x`` is divided by powers of two, or evenly if ``scale`` is "linear"; labels in ``dashed`` have
    broken lines.

    Examples
    --------
    >>> figure = draw_lines({"alice": [0, 14], "bob": [0, 0]}, title="", x_axis="step", y_axis="samples")
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['alice', 'bob']
    """
    figure = new_figure(_CURVE_HEIGHT)
    axes = figure.add_subplot()
    for label, values in lines.items():
        if x is None:
            axes.plot(range(len(values)), values, marker=".", drawstyle="steps-post", label=label)
        else:
            axes.plot(x, values, "--" if label in dashed else "-", marker=".", label=label)
    if x is None:
        axes.locator_params(integer=True)
    elif scale != "linear":
        axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    dress_axes(axes, title, x_axis, y_axis)
    axes.legend(fontsize="small", ncols=2 if len(lines) > 8 else 1)
    return figure


class Square(NamedTuple):
    """A square region of two equal intervals, for :func:`draw_regions`; without an upper end it is open."""

    label: str
    low: float
    high: float | None


def draw_regions(
    panels: Mapping[str, Mapping[str, Sequence[tuple[int, int]]]],
    squares: Sequence[Sequence[Square]],
    *,
    x_axis: str,
    y_axis: str,
) -> Figure:
    """Draw maps side by side: labelled points, up to three labels, with squares around some region each.

    Examples
    --------
    >>> figure = draw_regions(
    ...     {"map": {"holds": [(1, 1), (1, 2)], "fails": [(2, 2)]}}, [[Square("stated", 0, None)]],
    ...     x_axis="alice", y_axis="bob",
    ... )
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['holds', 'fails', 'stated']
    """
    figure = new_figure(_MAP_HEIGHT)
    figure.set_figwidth(_MAP_WIDTH * len(panels))
    for place, (title, groups) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), place + 1, aspect="equal")
        for (label, points), (marker, color) in zip(groups.items(), _KINDS, strict=False):
            if len(points):
                axes.plot(*zip(*points, strict=True), marker, color=color, markersize=4, label=label)
        top = max([*axes.get_xlim(), *axes.get_ylim()])
        for square, style in zip(squares[place], ("--", ":"), strict=False):
            low, high = square.low, top if square.high is None else square.high
            around = [(high, low), (low, low), (low, high)]
            around += [] if square.high is None else [(high, high), (high, low)]
            axes.plot(*zip(*around, strict=True), style, color="black", label=square.label)
        dress_axes(axes, title, x_axis, y_axis)
        axes.legend(fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.15))
    return figure


class Panel(NamedTuple):
    """One of several plots over the same numbers, for :func:`draw_panels`."""

    title: str
    y_axis: str
    lines: Mapping[str, Sequence[float]]
    limits: Mapping[str, Sequence[tuple[float, float]]]
    """For some of the lines, between which values each of theirs is known to lie."""
    level: tuple[str, float]
    """What to hold the lines against: a label and a value, drawn as a broken line."""


def draw_panels(
    x: Sequence[float], panels: Sequence[Panel], *, x_axis: str, scale: str = "powers of ten"
) -> Figure:
    """Draw panels side by side, one line per label over ``x``.

    The axis of ``x`` is divided by powers and marked as given, or evenly if ``scale`` is "linear".

    Examples
    --------
    >>> panel = Panel("missed", "share", {"a": [0.5, 0.2]}, {"a": [(0.4, 0.6), (0.1, 0.3)]}, ("promised", 0.05))
    >>> axes = draw_panels([30, 100], [panel], x_axis="points").axes[0]
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['a', 'promised']
    """
    figure = new_figure(_CURVE_HEIGHT)
    figure.set_figwidth(_PANEL_WIDTH * len(panels))
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        for (label, values), marker in zip(panel.lines.items(), cycle("os^D"), strict=False):
            (line,) = axes.plot(x, values, marker=marker, markersize=4, label=label)
            if label in panel.limits:
                axes.vlines(x, *zip(*panel.limits[label], strict=True), color=line.get_color(), alpha=0.5)
        label, value = panel.level
        axes.axhline(value, color="black", linestyle="--", label=label)
        if scale != "linear":
            axes.set_xscale("log")
            axes.set_xticks(x, [f"{number:,g}" for number in x])
            axes.minorticks_off()
        axes.set_ylim(bottom=0)
        dress_axes(axes, panel.title, x_axis, panel.y_axis)
        axes.legend(fontsize="small")
    return figure


class StepPanel(NamedTuple):
    """One of several plots of falling steps, for :func:`draw_step_panels`."""

    title: str
    lines: Mapping[str, Sequence[Sequence[float]]]
    """Label -> where each step begins, and its height."""
    level: tuple[str, float]
    """What to hold the steps against: a label and a value, drawn as a broken line."""


def draw_step_panels(panels: Sequence[StepPanel], *, x_axis: str, y_axis: str) -> Figure:
    """Draw panels side by side, one line of steps per label.

    Examples
    --------
    >>> panel = StepPanel("proved", {"a": [(0, 0.5), (10, 0.1), (12, 0.1)]}, ("wanted", 0.1))
    >>> axes = draw_step_panels([panel], x_axis="labels", y_axis="epsilon").axes[0]
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['a', 'wanted']
    """
    figure = new_figure(_CURVE_HEIGHT)
    figure.set_figwidth(_PANEL_WIDTH * max(len(panels), 1))
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        for label, steps in panel.lines.items():
            x, y = zip(*steps, strict=True)
            axes.plot(x, y, drawstyle="steps-post", label=label)
        axes.axhline(panel.level[1], color="black", linestyle="--", linewidth=1, label=panel.level[0])
        axes.set_ylim(bottom=0)
        dress_axes(axes, panel.title, x_axis, y_axis)
        axes.legend(fontsize="small", ncols=2 if len(panel.lines) > 6 else 1)
    return figure


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
    figure = new_figure(_GROUP_HEIGHT * rows + 0.4)
    figure.set_figwidth(_GROUP_WIDTH * columns)
    labels: dict[str, Any] = {}
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        _draw_panel(axes, panel)
        labels |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=len(labels))
    return figure


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
    figure = new_figure(_BOX_HEIGHT * rows)
    figure.set_figwidth(_BOX_WIDTH * min(columns, len(panels)))
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
