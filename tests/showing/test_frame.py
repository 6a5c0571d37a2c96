"""DataFrames have the types that the table says, whatever is in it."""

import sys

import pytest

from fedpact.errors import MissingExtraError
from fedpact.showing.frame import to_frame
from fedpact.showing.table import ShownTable

COLUMNS = [("agent", str), ("samples", int), ("cost", float), ("met", bool)]
TYPES = ["string", "Int64", "float64", "boolean"]


@pytest.mark.parametrize("rows", [[], [("a", 1, 2.0, True)], [("a", None, None, None), (None, 2**40, 1, False)]])
def test_types_do_not_hang_on_the_values(rows):
    frame = to_frame(ShownTable(title="", columns=COLUMNS, rows=rows))
    assert [str(kind) for kind in frame.dtypes] == TYPES
    assert list(frame.columns) == [name for name, _ in COLUMNS]
    assert len(frame) == len(rows)


def test_what_is_missing_is_missing():
    frame = to_frame(ShownTable(title="", columns=COLUMNS, rows=[("a", None, None, None), ("b", 1, 2.5, False)]))
    assert frame.isna().to_numpy().tolist() == [[False, True, True, True], [False] * 4]
    assert frame.iloc[1].tolist() == ["b", 1, 2.5, False]


def test_an_agent_may_be_called_like_a_column():
    frame = to_frame(ShownTable(title="", columns=[("cost", float), ("cost", int)], rows=[(2.5, 3)]))
    assert (list(frame.columns), frame.to_numpy().tolist()) == (["cost", "cost"], [[2.5, 3]])


def test_without_pandas_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r'a DataFrame needs .* pip install "fedpact\[notebook\]"'):
        to_frame(ShownTable(title="", columns=COLUMNS, rows=[]))
