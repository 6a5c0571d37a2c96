"""Values in groups, beside each other."""

from fedpact.drawing.groups import GroupPanel, draw_groups


def test_kinds_stand_beside_each_other_with_one_legend():
    values = {"plan": [0.0, 0.2], "equal": [0.3, 0.4]}
    limits = {label: [(0.0, 0.5), (0.1, 0.6)] for label in values}
    panel = GroupPanel("missed", "share", ["a_1", "$b$"], values, limits, ("delta", 0.05), 0.01)
    plain = panel._replace(level=None, even_below=None)
    figure = draw_groups([panel, plain, plain], columns=2)
    first, second, _ = figure.axes
    assert [line.get_label() for line in first.lines] == ["plan", "equal", "delta"]
    assert first.lines[0].get_xdata()[0] < 0 < first.lines[1].get_xdata()[0]
    assert (first.get_yscale(), second.get_yscale()) == ("symlog", "linear")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["plan", "equal", "delta"]
    assert [label.get_text() for label in first.get_xticklabels()] == ["a_1", "$b$"]
