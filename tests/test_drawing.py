"""Figures are really drawn; labels, lengths and marks are what was given."""

import io
import subprocess
import sys

import pytest

import fedpact as fp
from fedpact.drawing import MOST_BARS, draw_bars, draw_lines


def labels(figure):
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def lengths(figure):
    return [bar.get_width() for bar in figure.axes[0].patches]


def test_one_bar_per_label_in_the_order_given():
    figure = draw_bars({"bob": 2, "alice": 3.5}, title="cost 5", axis="samples")
    (axes,) = figure.axes
    assert labels(figure) == ["bob", "alice"]
    assert lengths(figure) == [2, 3.5]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_legend()) == ("cost 5", "samples", None)
    assert axes.yaxis_inverted()


def test_lengths_may_stand_on_a_logarithmic_scale_that_has_a_zero():
    (axes,) = draw_bars({"a": 0, "b": 1000}, title="", axis="labels", is_log=True).axes
    assert axes.get_xscale() == "symlog"
    assert [text.get_text() for text in axes.texts] == ["0", "1,000"]


def test_the_smallest_are_summed_beyond_the_limit():
    values = {f"agent-{i}": i + 1 for i in range(MOST_BARS + 3)}
    figure = draw_bars(values, title="", axis="")
    assert labels(figure) == [f"agent-{i}" for i in range(3, MOST_BARS + 3)] + ["3 others"]
    assert lengths(figure)[-1] == 1 + 2 + 3
    assert len(labels(draw_bars(dict(list(values.items())[:MOST_BARS]), title="", axis=""))) == MOST_BARS


def test_marked_bars_are_hatched_and_explained():
    figure = draw_bars({"a": 1, "b": 2}, title="", axis="", marked={"b", "c"}, meaning="too few")
    (axes,) = figure.axes
    assert [bar.get_hatch() for bar in axes.patches] == [None, "//"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["too few"]


@pytest.mark.parametrize("values", [{}, {"none": 0}, {r"$\frac$ and $x$": 1}], ids=["nothing", "zero", "formula"])
def test_odd_input_is_drawn(values):
    figure = draw_bars(values, title=r"$\oops$", axis="samples")
    out = io.BytesIO()
    figure.savefig(out, format="svg")
    assert out.getvalue()
    assert labels(figure) == list(values)


def test_lines_stand_over_x_or_are_steps():
    lines, words = {"simulated": [0, 1], "at least": [0, 0.5]}, {"title": "", "x_axis": "lie", "y_axis": "caught"}
    for x, style in (([0.1, 0.3], "default"), (None, "steps-post")):
        (axes,) = draw_lines(lines, x=x, **words).axes
        assert [line.get_drawstyle() for line in axes.lines] == [style, style]
        assert axes.lines[0].get_xdata().tolist() == (x or [0, 1])


def test_a_missing_extra_names_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[plot\]"'):
        draw_bars({"a": 1}, title="", axis="")


@pytest.mark.slow
def test_matplotlib_is_imported_only_to_draw_and_pyplot_never():
    code = (
        "import sys, fedpact as fp\n"
        "plan = fp.plan(fp.examples.alice_bob())\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plan.plot()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_plan_draws_its_contributors():
    fed = fp.examples.price_of_stability()
    found = fp.plan(fed, "exact")
    figure = found.plot()
    contributors = {name: count for name, count in found.contributions.items() if count}
    assert dict(zip(labels(figure), lengths(figure), strict=True)) == contributors
    assert figure.axes[0].get_title() == "cost 17, lower bound 17, ratio 1.000"


def test_a_comparison_draws_its_costs_and_marks_what_is_not_enough():
    table = fp.compare(fp.examples.singletons())
    figure = table.plot()
    assert labels(figure) == [row.method for row in table.rows]
    assert lengths(figure) == [row.cost for row in table.rows]
    assert [bar.get_hatch() is None for bar in figure.axes[0].patches] == [row.is_feasible for row in table.rows]
