"""docs/results/release.md, written from release.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results_pages import table

PYTHONS = ("Python", "installs in", "`import fedpact`", "of the processor", "told what to install", "tests")
EXTRAS = ("extra", "Python", "installs in", "packages", "works")
PAGE = """\
# Release

Written by `{command}`, which builds fedpact {version}, installs it in empty environments outside of the checkout,
with the versions of `constraints.txt`, and uses it there. A part can be checked again alone, so lines may be of
different runs.

The wheel is {wheel[kilobytes]:,} kB with {wheel[files]:,} files, the source archive {sdist[kilobytes]:,} kB with
{sdist[files]:,} files. Both hold all that they should.

## Without extras

The demo, a plan and the version are asked for, and everything that needs an extra: each such request is answered
by the line that installs it. The wheel is installed, or where it is said the source archive; "newest" is without
`constraints.txt`. The times of the import include the start of Python, and are medians of {imports}. A part of the
tests ran against the wheel too, where all that tests need was installed.

{pythons_table}

## Each extra alone, and all together

On top of an install without extras: how long it takes, how many packages there are then, and
whether a small real use works. Tools for working on fedpact itself are only installed.

{extras_table}
"""


def _say_python(version: str, one: dict[str, Any]) -> list[str]:
    tests = one.get("tests")
    said = "-" if tests is None else f"{tests['passed']:,} passed, {tests['skipped']} skipped"
    imports = [f"{one[key]:.2f} s" for key in ("import_seconds", "import_processor")]
    return [version, f"{one['seconds']:.0f} s", *imports, str(one["told"]), said]


def _say_extra(name: str, one: dict[str, Any]) -> list[str]:
    works = {True: "yes", None: "not asked"}[one["works"]]
    return [f"`{name}`", one["python"], f"{one['seconds']:.0f} s", str(one["packages"]), works]


def write_page(found: Mapping[str, Any]) -> str:
    """Write what a release was seen to do."""
    pythons = [_say_python(version, one) for version, one in sorted(found["pythons"].items())]
    extras = [_say_extra(name, one) for name, one in found["extras"].items()]
    tables = {"pythons_table": table(PYTHONS, pythons, 1), "extras_table": table(EXTRAS, extras, 1)}
    return PAGE.format(**found, **tables)
