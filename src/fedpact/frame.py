"""The rows of a result as a pandas DataFrame; the only module that imports pandas, when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.errors import MissingExtraError
from fedpact.result import Shown
from fedpact.rows import Kind, columns_of

if TYPE_CHECKING:
    from pandas import DataFrame

_TYPES: dict[Kind, str] = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
"""The types that can be missing, so that they do not hang on whether a value is."""


def make_frame(result: Shown) -> DataFrame:
    """Make a DataFrame of a result's rows.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> make_frame(plan(alice_bob())).dtypes.astype(str).to_dict()["contributions"]
    'Int64'
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("a DataFrame", extra="notebook") from error
    columns = columns_of(result)
    series = {at: pd.Series(list(one.values), dtype=_TYPES[one.kind]) for at, one in enumerate(columns)}
    frame = pd.DataFrame(series)
    frame.columns = pd.Index([one.name for one in columns])
    return frame
