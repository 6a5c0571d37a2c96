"""What all charts share: a figure with its sentence and table, its layout, and text that Plotly leaves alone.

Colours are names such as ``@accent``; the page puts in the colours of its style sheet, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from fedpact.explain import Chart as ChartData

Figure = dict[str, Any]
Trace = dict[str, Any]
_LONGEST_LABEL = 22
_MOST_LABELS = 40
_BAR = 30
_FRAME = 64
_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'


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


def draw(data: ChartData, figure: Mapping[str, Any], *, can_zoom: bool = False) -> Chart:
    """Give the data of a chart its figure."""
    kept = {one.name: getattr(data, one.name) for one in fields(data)}
    return Chart(**kept, figure=figure, can_zoom=can_zoom)


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
    short = name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"
    return plain(short)


def axis(title: str | None = None, **more: Any) -> dict[str, Any]:
    """Return an axis with thin lines, which cannot be dragged."""
    made: dict[str, Any] = {
        "fixedrange": True,
        "automargin": True,
        "gridcolor": "@grid",
        "linecolor": "@line",
        "zeroline": False,
        "ticks": "",
        "tickfont": {"color": "@muted", "size": 12},
    }
    if title is not None:
        made["title"] = {"text": title, "font": {"color": "@muted", "size": 12}, "standoff": 10}
    return made | more


def list_axis(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return an axis with one place for each name, the first at the left; of many names, some are written."""
    places = list(range(0, len(names), -(-len(names) // _MOST_LABELS)))
    return axis(
        tickvals=places,
        ticktext=[label(names[place]) for place in places],
        showgrid=False,
        **more,
    )


def downwards(names: Sequence[str]) -> dict[str, Any]:
    """Return a vertical axis with one place for each name, the first at the top."""
    return list_axis(names, range=[len(names) - 0.5, -0.5], tickfont={"color": "@ink", "size": 12})


def count_axis(title: str, most: int) -> dict[str, Any]:
    """Return an axis that counts samples: no ticks between whole numbers."""
    return axis(title, rangemode="tozero", tickformat=",d", **({"dtick": 1} if most <= 6 else {"nticks": 6}))


def fit_height(count: int) -> int:
    """Return the height of a figure with so many bars below each other."""
    return _FRAME + _BAR * max(count, 2)


def make_figure(traces: Sequence[Trace], *, height: int, **layout: Any) -> Figure:
    """Return a figure in the style of the page."""
    return {
        "data": list(traces),
        "layout": {
            "height": height,
            "autosize": True,
            "margin": {"l": 8, "r": 24, "t": 12, "b": 8, "pad": 4},
            "paper_bgcolor": "@clear",
            "plot_bgcolor": "@clear",
            "font": {"family": _FONT, "size": 13, "color": "@ink"},
            "hoverlabel": {
                "bgcolor": "@surface",
                "bordercolor": "@line",
                "font": {"family": _FONT, "size": 13, "color": "@ink"},
                "align": "left",
            },
            "dragmode": False,
            "showlegend": False,
            "bargap": 0.35,
            **layout,
        },
    }


def legend_below() -> dict[str, Any]:
    """Return a legend under the figure, where it takes no width from it."""
    return {
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "font": {"size": 12, "color": "@ink"},
            "itemsizing": "constant",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    }
