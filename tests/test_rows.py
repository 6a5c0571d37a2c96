"""The rows of a result follow from its fields; the types of its DataFrame do not hang on the values."""

import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import pytest

import fedpact as fp
from fedpact.describe.costs import Cost, Linear
from fedpact.errors import MissingExtraError
from fedpact.result import Shown
from fedpact.rows import Column, columns_of, scalars_of
from fedpact.statistics.verification import Interval


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    DERIVED: ClassVar = ("double",)

    value: float
    colour: Colour | None = None

    @property
    def double(self) -> float:
        return 2 * self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    cost: Cost
    inner: Inner | None
    value: int
    """Has the name of a field of the inner one, which comes later."""
    hidden: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ByName(Shown):
    samples: dict[str, int]
    failure: dict[str, Interval]
    others: dict[str, int]
    met: dict[str, bool] | None = None
    total: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Single(Shown):
    m: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Shown):
    ROWS: ClassVar = "rows"

    rows: tuple[Row, ...]
    seed: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped(Shown):
    ROWS: ClassVar = "errors"
    INDEX: ClassVar = "site"

    errors: dict[str, Inner]


@dataclass(frozen=True, slots=True, kw_only=True)
class Own(Shown):
    number: int = field(default=1)

    def own_columns(self) -> list[Column]:
        return [Column("cost", float, (2.5,)), Column("cost", int, (3,))]


def table(result):
    return {column.name: (column.kind, column.values) for column in columns_of(result)}


def test_dictionaries_over_the_same_names_are_columns():
    exact = Interval(low=0.5, high=0.5)
    result = ByName(samples={"a": 1, "b": 2}, failure={"b": exact}, others={"c": 1}, met={"a": True, "b": False})
    assert table(result) == {
        "agent": (str, ("a", "b")),
        "samples": (int, (1, 2)),
        "failure_low": (float, (None, 0.5)),
        "failure_high": (float, (None, 0.5)),
        "met": (bool, (True, False)),
    }
    assert scalars_of(result) == {"total": 1.0}


def test_entries_are_rows_with_what_is_in_them():
    rows = (
        Row(name="a", cost=Linear(2), inner=Inner(value=0.5, colour=Colour.RED), value=7),
        Row(name="b", cost=Linear(3), inner=None, value=8),
    )
    assert table(Listed(rows=rows)) == {
        "name": (str, ("a", "b")),
        "cost": (str, ("2 per sample", "3 per sample")),
        "value": (float, (0.5, None)),
        "colour": (str, ("red", None)),
        "double": (float, (1.0, None)),
    }
    assert scalars_of(Listed(rows=rows)) == {"seed": 3}


def test_entries_by_name_have_their_names_first():
    assert table(Mapped(errors={"north": Inner(value=1)})) == {
        "site": (str, ("north",)),
        "value": (float, (1.0,)),
        "colour": (str, (None,)),
        "double": (float, (2.0,)),
    }


def test_without_rows_there_is_one_of_everything():
    assert table(Single(m=3)) == {"m": (int, (3,))}


def test_an_agent_may_be_called_like_a_column():
    frame = Own().to_dataframe()
    assert (list(frame.columns), frame.to_numpy().tolist()) == (["cost", "cost"], [[2.5, 3]])


def test_types_do_not_hang_on_the_values():
    types = {"name": "string", "cost": "string", "value": "float64", "colour": "string", "double": "float64"}
    for rows in [(), (Row(name="a", cost=Linear(1), inner=None, value=1),)]:
        frame = Listed(rows=rows).to_dataframe()
        assert {name: str(kind) for name, kind in frame.dtypes.items()} == types
        assert len(frame) == len(rows)
    frame = ByName(samples={"a": 2**40}, failure={}, others={"c": 1}, met={}).to_dataframe()
    assert [str(kind) for kind in frame.dtypes] == ["string", "Int64", "float64", "float64", "boolean"]
    assert frame.isna().to_numpy().tolist() == [[False, False, True, True, True]]


def test_without_pandas_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r'a DataFrame needs .* pip install "fedpact\[notebook\]"'):
        Own().to_dataframe()


def test_the_numbers_are_the_result_s_own():
    fed = fp.examples.alice_bob()
    plan, seen = fp.plan(fed), fp.verify(fed, [1, 1])
    assert plan.to_dataframe().set_index("agent")["contributions"].to_dict() == plan.contributions
    frame = seen.to_dataframe().set_index("agent")
    assert frame.loc["bob", "failure_high"] == pytest.approx(0.32)
    assert not frame["met"].any()
    expected = fp.verify(fed.replace(objective="expected"), [1, 1]).to_dataframe()
    assert {"expected_error_low", "expected_error_high"} <= set(expected.columns)
    assert fed.to_dataframe()["epsilon"].tolist() == [0.1, 0.1]
