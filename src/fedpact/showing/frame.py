"""A table as a pandas DataFrame; the only module that imports pandas, and only when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.errors import MissingExtraError
from fedpact.showing.table import Kind, ShownTable

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

_TYPES: dict[Kind, str] = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
"""The types that can be missing, so that they do not hang on whether a value is."""


def to_frame(table: ShownTable) -> DataFrame:
    """Make a DataFrame of the table's rows.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.

    Examples
    --------
    >>> table = ShownTable(title="", columns=[("agent", str), ("samples", int)], rows=[("bob", None)])
    >>> to_frame(table).dtypes.astype(str).to_dict()
    {'agent': 'string', 'samples': 'Int64'}
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("a DataFrame", extra="notebook") from error
    columns = {
        place: pd.Series([row[place] for row in table.rows], dtype=_TYPES[kind])
        for place, (_, kind) in enumerate(table.columns)
    }
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index([name for name, _ in table.columns])
    return frame
