"""Growth over a size, on axes of powers."""

from growth_figure import GrowthLine, GrowthPanel, draw_growth


def test_lines_have_their_own_sizes_and_theirs_are_dashed():
    ours, theirs = (
        GrowthLine("ours", [10, 100, 1000], [1, 2, 3], False),
        GrowthLine("$x$", [10, 100], [5, 50], True),
    )
    panel = GrowthPanel("lp", "seconds", [ours, theirs])
    figure = draw_growth([panel, panel._replace(title="union", y_axis="MB"), panel], x_axis="H")
    first, second, third = figure.axes
    assert [line.get_xdata().tolist() for line in first.lines] == [[10, 100, 1000], [10, 100]]
    assert [line.get_linestyle() for line in first.lines] == ["-", "--"]
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["ours", "$x$"]
    assert (second.get_title(), second.get_ylabel(), third.get_xlabel()) == ("union", "MB", "H")
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["10", "100", "1,000"]
