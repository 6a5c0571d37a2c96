"""What all charts share: a figure with its sentence and table, its layout, and text that Plotly leaves alone.

Colours are names such as ``@accent``; the page puts in the colours of its style sheet, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from fedpact.explain import Chart as ChartData
from fedpact.explain import Explanation

Answer = Mapping[str, Any]
Figure = dict[str, Any]
Trace = dict[str, Any]
MOST_BARS = 40
"""That are drawn, or have their names written beside them."""
_LONGEST_LABEL = 22
_BAR = 30
_FRAME = 64
_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
_FONT = {"family": _FAMILY, "size": 13, "color": "@ink"}
_SMALL = {"color": "@muted", "size": 12}
_AXIS = {
    "fixedrange": True,  # it cannot be dragged
    "automargin": True,
    "gridcolor": "@grid",
    "linecolor": "@line",
    "zeroline": False,
    "ticks": "",
    "tickfont": _SMALL,
}
_LAYOUT = {
    "autosize": True,
    "margin": {"l": 8, "r": 24, "t": 12, "b": 8, "pad": 4},
    "paper_bgcolor": "@clear",
    "plot_bgcolor": "@clear",
    "font": _FONT,
    "hoverlabel": {"bgcolor": "@surface", "bordercolor": "@line", "font": _FONT, "align": "left"},
    "dragmode": False,
    "showlegend": False,
    "bargap": 0.35,
}
_BELOW = {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
_LEGEND = {"font": {"size": 12, "color": "@ink"}, "itemsizing": "constant"}
LEGEND_BELOW: Mapping[str, Any] = {
    "showlegend": True,
    "legend": {**_BELOW, **_LEGEND, "itemclick": False, "itemdoubleclick": False},
}
"""A legend under the figure, where it takes no width from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(ChartData):
    """A figure, and what it says in words and numbers."""

    figure: Mapping[str, Any]
    """Data and layout for Plotly."""
    can_zoom: bool = False
    """Whether there is more to see from near."""

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return int(self.figure["layout"]["height"])


def draw(said: Explanation, *figures: Figure, can_zoom: bool = False, **changes: Any) -> Explanation:
    """Give the charts of an explanation their figures, and change what else differs on the page."""
    kept = ({one.name: getattr(data, one.name) for one in fields(data)} for data in said.charts)
    pairs = zip(kept, figures, strict=True)
    charts = tuple(Chart(**values, figure=figure, can_zoom=can_zoom) for values, figure in pairs)
    return replace(said, charts=charts, **changes)


def plain(text: str) -> str:
    """Write a text so that Plotly shows it as it is: it takes some HTML for markup.

    Examples
    --------
    >>> plain("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def label(name: str) -> str:
    """Write a name as short as an axis needs it.

    Examples
    --------
    >>> label("alice"), label("the hospital at the end of the road")
    ('alice', 'the hospital at the e…')
    """
    return plain(name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…")


def axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis with thin lines."""
    return {**_AXIS, "title": {"text": title, "font": _SMALL, "standoff": 10}, **more}


def list_axis(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return an axis with one place for each name, the first at the left; of many names, some are written."""
    places = list(range(0, len(names), -(-len(names) // MOST_BARS)))
    texts = [label(names[place]) for place in places]
    return {**_AXIS, "tickvals": places, "ticktext": texts, "showgrid": False, **more}


def downwards(names: Sequence[str]) -> dict[str, Any]:
    """Return a vertical axis with one place for each name, the first at the top."""
    return list_axis(names, range=[len(names) - 0.5, -0.5], tickfont={"color": "@ink", "size": 12})


def count_axis(title: str, most: int) -> dict[str, Any]:
    """Return an axis that counts samples: no ticks between whole numbers."""
    return axis(title, rangemode="tozero", tickformat=",d", **({"dtick": 1} if most <= 6 else {"nticks": 6}))


def fit_height(count: int) -> int:
    """Return the height of a figure with so many bars below each other."""
    return _FRAME + _BAR * max(count, 2)


def bars(
    values: Sequence[float], hints: Sequence[str], colour: Any, texts: Sequence[str] | None = None, **more: Any
) -> Trace:
    """Return bars below each other; a hint is shown when a bar is pointed at, a text stands beside it."""
    beside = {} if texts is None else {"text": list(texts), "textposition": "outside", "cliponaxis": False}
    shown = {"hovertext": list(hints), "hoverinfo": "text", "marker": {"color": colour}}
    places = {"x": list(values), "y": list(range(len(values)))}
    return {"type": "bar", "orientation": "h", **places, **shown, **beside, **more}


def scatter(points: Sequence[Sequence[float]], name: str, hints: Sequence[str] = (), **more: Any) -> Trace:
    """Return points, or with ``mode`` a line through them; each with its hint, if there are any."""
    hover = {"hovertext": list(hints), "hoverinfo": "text"} if hints else {"hoverinfo": "skip"}
    places = {"x": [point[0] for point in points], "y": [point[1] for point in points]}
    return {"type": "scatter", "mode": "markers", **places, "name": name, **hover, **more}


def heat_map(
    values: Sequence[Sequence[float]],
    texts: Sequence[Sequence[str]],
    hints: Sequence[Sequence[str]],
    *,
    is_written: bool,
    gap: int,
    **more: Any,
) -> Trace:
    """Return a map of colours from low to high; what is written in each place only if there is room."""
    colours = [[0, "@heat-low"], [0.5, "@heat-middle"], [1, "@heat-high"]]
    scale = {"thickness": 10, "outlinewidth": 0, "tickfont": {"color": "@muted", "size": 11}}
    shown = {"hovertext": hints, "hoverinfo": "text", "xgap": gap, "ygap": gap}
    written = {"text": texts, "texttemplate": "%{text}", "textfont": {"size": 12}} if is_written else {}
    trace = {"type": "heatmap", "z": values, "zmin": 0, "colorscale": colours, "colorbar": scale}
    return {**trace, **shown, **written, **more}


def make_figure(traces: Sequence[Trace], *, height: int, **layout: Any) -> Figure:
    """Return a figure in the style of the page."""
    return {"data": list(traces), "layout": {**_LAYOUT, "height": height, **layout}}
