"""Write the tables of docs/reference/json.md that follow from the program: the codes of every result.

python scripts/write_json_reference.py docs/reference/json.md
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import sys
import textwrap
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import fedpact
from fedpact.plain import hints_of, key_of
from fedpact.result import Record

TITLE = "## Codes\n"


def _list_subclasses(cls: type) -> list[type]:
    """Return the dataclasses below a class; of one with slots, the one that dataclass made."""
    deeper = [one for below in cls.__subclasses__() for one in _list_subclasses(below)]
    return [*deeper, cls] if is_dataclass(cls) and "__slots__" in vars(cls) else deeper


def find_results() -> dict[str, type[Record]]:
    """Import every module of the package and return the result classes by their kinds."""
    for module in pkgutil.walk_packages(fedpact.__path__, "fedpact."):
        if not module.name.startswith(("fedpact.__main__", "fedpact.cli", "fedpact.web")):
            importlib.import_module(module.name)
    found = {cls.kind: cls for cls in _list_subclasses(Record)}
    return dict(sorted(found.items()))


def read_meanings(enum: type[Enum]) -> dict[str, str]:
    """Return what each code means: the text that stands below it in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(enum))).body[0].body  # type: ignore[attr-defined]
    found = {}
    for line, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(line, ast.Assign):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            found[line.value.value] = below.value.value if is_text else ""  # type: ignore[attr-defined, union-attr]
    return found


def _list_enums(hint: Any) -> list[type[Enum]]:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [hint]
    return [enum for part in get_args(hint) for enum in _list_enums(part)]


def _list_parts(hint: Any) -> list[Any]:
    return [hint, *(part for one in get_args(hint) for part in _list_parts(one))]


def list_codes(cls: type, seen: set[type] | None = None) -> list[tuple[str, type[Enum]]]:
    """Return the keys of a class, and of its own parts, that hold codes."""
    known = seen if seen is not None else {cls}
    found = []
    for one in fields(cls):
        hint = hints_of(cls)[one.name]
        found += [(key_of(one), enum) for enum in _list_enums(hint)]
        for part in _list_parts(hint):
            if (
                is_dataclass(part)
                and isinstance(part, type)
                and part not in known
                and not issubclass(part, Record)
            ):
                known.add(part)
                found += [(f"{key_of(one)}.{key}", enum) for key, enum in list_codes(part, known)]
    for name in getattr(cls, "DERIVED", ()):
        found += [(name, enum) for enum in _list_enums(hints_of(getattr(cls, name).fget)["return"])]
    return list(dict.fromkeys(found))


def codes_section() -> str:
    """Write the section on codes."""
    lines = [
        TITLE,
        "The dictionary of every result has its `kind`, its `schema`, a number that changes when its keys do, and",
        "its `status`. These are the codes that keys may hold; they stay, whatever words `fp.explain(result)` has",
        "for them. Written by `make reference`.",
        "",
        "| kind | key | code | meaning |",
        "|---|---|---|---|",
    ]
    for kind, cls in find_results().items():
        for key, enum in list_codes(cls):
            for code, meaning in read_meanings(enum).items():
                lines.append(f"| `{kind}` | `{key}` | `{code}` | {' '.join(meaning.split()) or code} |")
    return "\n".join(lines) + "\n"


def json_page(page: str) -> str:
    """Put the section in the place of the one before, at the end of the page."""
    return page.partition(TITLE)[0].rstrip() + "\n\n" + codes_section()


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(json_page(path.read_text(encoding="utf-8")), encoding="utf-8")
