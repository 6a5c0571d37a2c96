"""The comparison of a notebook with what it showed finds what differs, and lets pass what may."""

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytestmark = pytest.mark.docs

from run_notebooks import differences  # noqa: E402


def notebook(*data, printed=""):
    outputs = [nbformat.v4.new_output("execute_result", data=one) for one in data]
    outputs += [nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("plan", outputs=outputs)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (notebook({"text/html": "<b>5</b>"}), notebook({"text/html": "<b>6</b>"})),
        (notebook({"text/plain": "5"}), notebook({"text/plain": "5"}, {"text/plain": "5"})),
        (notebook(printed="5\n"), notebook(printed="6\n")),
        (notebook({"image/png": "abc"}), notebook()),
    ],
    ids=["html", "more", "printed", "picture"],
)
def test_the_check_finds_what_differs(before, after):
    (said,) = differences(before, after)
    assert said.startswith("cell 1:\nplan\nshowed ")


def test_the_check_lets_pictures_and_hashes_differ():
    before = notebook({"image/png": "abc", "text/plain": "Figure"}, printed="head 0123456789abcdef")
    after = notebook({"image/png": "xyz", "text/plain": "Figure"}, printed="head fedcba9876543210")
    assert differences(before, after) == []
