"""``Result``: what every answer of fedpact is; data with stable codes, which writes, reads and shows itself.

A result is a frozen dataclass. Its dictionary has its fields, what follows from them (``DERIVED``), its ``kind``
(the class's name), its ``schema``, a number that changes whenever the keys or their meaning do, and its
``status``, a code. No dictionary holds a sentence: words are made by :mod:`fedpact.explain` when it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from fedpact.errors import FormatError
from fedpact.lazy import find_public
from fedpact.plain import read_fields, write_fields

if TYPE_CHECKING:
    from pandas import DataFrame

    from fedpact.rows import Column


class ResultStatus(StrEnum):
    """The status of a result that can end in one way only."""

    COMPLETE = "complete"


def _is_complete(self: Result) -> ResultStatus:
    """Return that it is all there."""
    return ResultStatus.COMPLETE


class Shown:
    """Something that shows itself, printed or in a notebook, in the words of :mod:`fedpact.explain`."""

    __slots__ = ()
    kind: ClassVar[str]
    """Its name in dictionaries and among the words: "mixed-equilibrium" for ``MixedEquilibrium``."""
    INDEX: ClassVar[str] = "agent"
    """What the keys of its dictionaries are, a column of its DataFrame."""
    ROWS: ClassVar[str | None] = None
    """The field whose entries are the rows of its DataFrame; None: a row for each name, or one for everything."""
    DERIVED: ClassVar[tuple[str, ...]] = ()
    """Properties that its dictionary has beside the fields."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def own_columns(self) -> list[Column] | None:
        """Give its columns, where they do not follow from its fields."""
        return None

    def to_dataframe(self) -> DataFrame:
        """Give its rows as a pandas DataFrame, in the words of its JSON; needs ``fedpact[notebook]``."""
        from fedpact.rows import make_frame

        return make_frame(self)

    def __str__(self) -> str:
        from fedpact.explain import explain, to_text

        return to_text(explain(self))

    def _repr_html_(self) -> str:
        from fedpact.explain import explain, to_html

        return to_html(explain(self))


class Record(Shown):
    """What is stored: a dictionary of its fields says its kind and schema."""

    __slots__ = ()
    schema: ClassVar[int] = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {"kind": self.kind, "schema": self.schema, **write_fields(self)}

    def to_plain(self) -> dict[str, Any]:
        """Write it where it stands in another dictionary."""
        return self.to_dict()

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote.

        Raises
        ------
        FormatError
            If it is of another kind or schema, or a key is missing, unknown or malformed.
        """
        return cls.from_plain(entry, cls.kind)

    @classmethod
    def from_plain(cls, entry: Any, where: str) -> Self:
        """Read it where it stands in another dictionary, whose place is ``where``."""
        check_schema(entry, where, kind=cls.kind, schema=cls.schema)
        own = {key: value for key, value in entry.items() if key not in ("kind", "schema")}
        read: Self = read_fields(cls, own, where)
        return read


class Result(Record):
    """An answer: a record with a status.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> found = plan(alice_bob())
    >>> entry = found.to_dict()
    >>> entry["kind"], entry["schema"], entry["status"], entry["cost"]
    ('plan', 1, 'optimal', 5.0)
    >>> type(found).from_dict(entry) == found
    True
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "status" not in {*dir(cls), *cls.__annotations__}:
            cls.status = property(_is_complete)  # type: ignore[attr-defined]
        if "status" not in {*cls.__annotations__, *cls.DERIVED}:
            cls.DERIVED = ("status", *cls.DERIVED)


def check_schema(entry: Any, where: str, *, kind: str, schema: int) -> None:
    """Refuse a dictionary that is none, or is of another kind or schema."""
    if not isinstance(entry, Mapping):
        raise FormatError(f"{where} must be a dictionary; it is a {type(entry).__name__}")
    for key, expected in (("kind", kind), ("schema", schema)):
        if key not in entry:
            raise FormatError(f"{where}: {key!r} is missing; fedpact 0.1 wrote none: compute it again")
        if entry[key] != expected or isinstance(entry[key], bool):
            then = "use read_result" if key == "kind" else "install the fedpact that wrote it, or compute it again"
            raise FormatError(f"{where} has {key} {entry[key]!r}; this fedpact reads {key} {expected!r}: {then}")


def read_result(entry: Mapping[str, Any]) -> Result:
    """Read a result of any kind from its dictionary.

    Examples
    --------
    >>> read_result({"kind": "soup", "schema": 1})
    Traceback (most recent call last):
    fedpact.errors.FormatError: kind must be that of a result, such as 'plan'; it is 'soup'
    """
    kind = entry.get("kind") if isinstance(entry, Mapping) else None
    _, found = find_public(str(kind).title().replace("-", ""))
    if not (isinstance(found, type) and issubclass(found, Result) and found.kind == kind):
        raise FormatError(f"kind must be that of a result, such as 'plan'; it is {kind!r}")
    return found.from_dict(entry)
