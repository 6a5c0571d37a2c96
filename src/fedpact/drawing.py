"""Figures of results: they draw plain values and compute nothing.

The only module that imports matplotlib, and only when something is drawn. A figure is made without pyplot, so
no window opens and nothing global changes; ``figure.savefig("plan.svg")`` writes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from fedpact.errors import MissingExtraError

if TYPE_CHECKING:
    import matplotlib.figure

Figure: TypeAlias = "matplotlib.figure.Figure"
"""What is drawn on."""

MOST_BARS = 30
_WIDTH = 7.0
_BAR = 0.32
_MARGIN = 1.4
_CURVE_HEIGHT = 4.5
_PLAIN = "#3b6ea5"
_MARKED = "#c0392b"


def new_figure(height: float) -> Figure:
    """Make an empty figure of a page's width."""
    try:
        from matplotlib.figure import Figure as MatplotlibFigure
    except ImportError as error:
        raise MissingExtraError("drawing", extra="plot") from error
    return MatplotlibFigure(figsize=(_WIDTH, height), layout="constrained")


def _new_axes(height: float, title: str, x_axis: str, y_axis: str) -> tuple[Figure, Any]:
    """Make a figure of one drawing."""
    figure = new_figure(height)
    axes = figure.add_subplot()
    dress_axes(axes, title, x_axis, y_axis)
    return figure, axes


def dress_axes(axes: Any, title: str, x_axis: str, y_axis: str) -> None:
    """Label axes and leave out the frame's upper and right side."""
    axes.set_xlabel(x_axis, parse_math=False)
    axes.set_ylabel(y_axis, parse_math=False)
    axes.set_title(title, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def _sum_the_rest(values: Mapping[str, float]) -> dict[str, float]:
    """Keep the largest values in the order given; sum the others in one last entry if there are too many."""
    if len(values) <= MOST_BARS:
        return dict(values)
    kept = set(sorted(values, key=lambda label: -values[label])[:MOST_BARS])
    rest = [value for label, value in values.items() if label not in kept]
    return {label: value for label, value in values.items() if label in kept} | {f"{len(rest)} others": sum(rest)}


def draw_bars(
    values: Mapping[str, float],
    *,
    title: str,
    axis: str,
    marked: Collection[str] = (),
    meaning: str = "",
    is_log: bool = False,
) -> Figure:
    """Draw one horizontal bar per label, the first on top.

    Parameters
    ----------
    values
        Label to length; beyond thirty the smallest are summed as "others".
    title, axis
        What stands above the bars and what they measure.
    marked, meaning
        Labels whose bars are red and hatched, and what that means, for the legend.
    is_log
        Whether lengths are drawn on a logarithmic scale above 1.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> figure = draw_bars({"alice": 3, "bob": 2}, title="cost 5", axis="samples")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['alice', 'bob']
    """
    bars = _sum_the_rest(values)
    figure, axes = _new_axes(_MARGIN + _BAR * len(bars), title, axis, "")
    hatched = []
    for place, (label, value) in enumerate(bars.items()):
        style: dict[str, Any] = {"color": _MARKED, "hatch": "//"} if label in marked else {"color": _PLAIN}
        bar = axes.barh(place, value, **style)
        axes.bar_label(bar, labels=[f"{value:,.6g}"], padding=3)
        hatched += [bar] if label in marked else []
    axes.set_yticks(range(len(bars)), list(bars), parse_math=False)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    if is_log:
        axes.set_xscale("symlog", linthresh=1)
    if hatched:
        axes.legend(hatched[:1], [meaning])
    for tick in axes.get_yticklabels():  # a bar of no length shows no colour
        tick.set_color(_MARKED if tick.get_text() in marked else "black")
    return figure


def draw_curves(
    x: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    crosses: Mapping[str, Sequence[float]] | None = None,
) -> Figure:
    """Draw one staircase per label over ``x``, the first solid and the others dashed, and crosses on the axis.

    Examples
    --------
    >>> figure = draw_curves([0.1, 0.2], {"cost": [5, 4]}, title="", x_axis="epsilon", y_axis="cost")
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [5, 4]
    """
    figure, axes = _new_axes(_CURVE_HEIGHT, title, x_axis, y_axis)
    for place, (label, values) in enumerate(curves.items()):
        style: dict[str, Any] = {"color": "gray", "linestyle": "--"} if place else {"color": _PLAIN, "marker": "o"}
        axes.plot(x, values, label=label, drawstyle="steps-post", **style)
    for label, places in (crosses or {}).items():
        if len(places):
            axes.plot(places, [0] * len(places), "x", color=_MARKED, label=label, clip_on=False)
    axes.set_ylim(bottom=0)
    if len(axes.lines) > 1:
        axes.legend()
    return figure


def draw_lines(
    lines: Mapping[str, Sequence[float]], *, title: str, x_axis: str, y_axis: str, x: Sequence[float] | None = None
) -> Figure:
    """Draw one line per label in its own colour: in steps over 0, 1, 2, ..., or straight over ``x``.

    Examples
    --------
    >>> figure = draw_lines({"alice": [0, 14], "bob": [0, 0]}, title="", x_axis="step", y_axis="samples")
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['alice', 'bob']
    """
    figure, axes = _new_axes(_CURVE_HEIGHT, title, x_axis, y_axis)
    for label, values in lines.items():
        if x is None:
            axes.plot(range(len(values)), values, marker=".", drawstyle="steps-post", label=label)
        else:
            axes.plot(x, values, marker=".", label=label)
    if x is None:
        axes.locator_params(integer=True)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small", ncols=2 if len(lines) > 8 else 1)
    return figure


def draw_path(
    path: Sequence[tuple[int, int]],
    *,
    names: Sequence[str],
    responses: Mapping[str, Sequence[int]],
    enough: Sequence[int | None],
    title: str,
    is_settled: bool = True,
) -> Figure:
    """Draw a path of two agents' contributions over what is enough for both.

    Parameters
    ----------
    path
        Pairs of contributions, the start first.
    names
        The two agents; the first lies along the horizontal axis.
    responses
        For each agent its best response to 0, 1, 2, ... samples of the other.
    enough
        Least contribution of the second agent that is enough for both, to 0, 1, 2, ... samples of the first.

    Examples
    --------
    >>> figure = draw_path(
    ...     [(0, 0), (2, 0), (2, 1)], names=["a", "b"], responses={"a": [2, 1], "b": [3, 1, 0]},
    ...     enough=[3, 1, 1], title="",
    ... )
    >>> figure.axes[0].get_xlabel(), len(figure.axes[0].texts)
    ('samples of a', 2)
    """
    first, second = names
    figure, axes = _new_axes(_WIDTH, title, f"samples of {first}", f"samples of {second}")
    top = max([*responses[second], *(m[1] for m in path), len(responses[first]) - 1])
    has_some = [(x, y) for x, y in enumerate(enough) if y is not None]
    if has_some:
        x, y = zip(*has_some, strict=True)
        axes.fill_between(
            [*x, x[-1] + 1], [*y, y[-1]], top + 1, step="post", color=_PLAIN, alpha=0.15, label="enough for both"
        )
    axes.plot(responses[first], range(len(responses[first])), "_", color="black", label=f"{first}'s response")
    axes.plot(range(len(responses[second])), responses[second], "|", color="black", label=f"{second}'s response")
    for before, after in pairwise(path):
        axes.annotate("", xy=after, xytext=before, arrowprops={"arrowstyle": "->", "color": _MARKED})
    axes.plot(*zip(*path, strict=True), "o", color=_MARKED, markersize=4, label="path")
    axes.plot(*path[0], "D", color=_MARKED, markersize=7, fillstyle="none", label="start")
    if is_settled:
        axes.plot(*path[-1], "s", color=_MARKED, markersize=8, label="where it settles")
    axes.legend()
    return figure


def draw_steps(
    steps: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]],
    *,
    targets: Mapping[str, float],
    title: str,
) -> Figure:
    """Draw for each site what was proved, above, and how many candidates were in question, below, against labels.

    Parameters
    ----------
    steps
        Site to labels, epsilon and candidates in question; of more than thirty sites the first are drawn.
    targets
        Site to the epsilon that was asked for, a dotted line.

    Examples
    --------
    >>> figure = draw_steps({"alice": ([0, 3], [0.4, 0.1], [9, 2])}, targets={"alice": 0.1}, title="two clinics")
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['epsilon proved', 'candidates in question']
    """
    figure = new_figure(2 * _CURVE_HEIGHT)
    proved, left = figure.subplots(2, sharex=True)
    shown = list(steps.items())[:MOST_BARS]
    for site, (labels, epsilon, in_question) in shown:
        (line,) = proved.step(labels, epsilon, where="post", label=site, marker=".")
        left.step(labels, in_question, where="post", marker=".", color=line.get_color())
    for target in sorted({targets[site] for site, _ in shown}):
        proved.axhline(target, linestyle=":", color=_MARKED)
    left.set_yscale("log")
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_formatter("{x:g}")
    dress_axes(proved, title, "", "epsilon proved")
    dress_axes(left, "", "labels", "candidates in question")
    if 1 < len(shown) <= 12:
        proved.legend()
    return figure
