"""Write ``examples/*.toml``, one federation file per catalogue entry, from the functions that build them.

python scripts/write_examples.py            writes the files
python scripts/write_examples.py --check    exits with 1 if a file is not what its function gives
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from fedpact.describe.arizona import FEATURE_NAMES, group_features, read_hospitals
from fedpact.describe.classes import ON_POINTS
from fedpact.describe.costs import Linear
from fedpact.describe.evidence import Table
from fedpact.describe.examples import CATALOGUE, Example
from fedpact.describe.federation import Federation

FOLDER = Path(__file__).parents[1] / "examples"
WIDTH = 100


def write_number(value: float) -> str:
    """Write a short decimal as it is and anything longer as a fraction in a string."""
    if value == int(value):
        return str(int(value))
    if len(repr(value)) <= len("0.05"):
        return repr(value)
    fraction = Fraction(value).limit_denominator(100_000)
    if abs(float(fraction) - value) > 1e-15:
        raise ValueError(f"{value!r} is neither a short decimal nor a fraction; write its example differently")
    return f'"{fraction}"'


def write_example(example: Example) -> str:
    """Return the text of one file."""
    federation = example.build()
    table = federation.evidence
    assert isinstance(table, Table), "every example is a table"
    (epsilon,) = set(federation.epsilon.tolist())
    lines = [
        *_comment(example),
        f'name = "{federation.name}"',
        f"delta = {write_number(federation.delta)}",
        f"epsilon = {write_number(epsilon)}",
        *([f'objective = "{federation.objective}"'] if federation.objective != "pac" else []),
        "",
    ]
    for agent, row in zip(federation.agents, _rows(federation, table), strict=True):
        assert isinstance(agent.cost, Linear), "every example has linear costs"
        lines += ["[[agents]]", f'name = "{agent.name}"', f"cost = {write_number(agent.cost.rate)}"]
        lines += [*_distribution(dict(zip(table.points, row, strict=True))), ""]
    return "\n".join([*lines, *_hypotheses(table)]) + "\n"


def main() -> int:
    """Write every file, or compare with it."""
    parser = argparse.ArgumentParser(description="Write the federation files of the named examples.")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    texts = {FOLDER / f"{name}.toml": write_example(example) for name, example in CATALOGUE.items()}
    if parser.parse_args().check:
        stale = [path.name for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text]
        print(f"differ from their functions: {', '.join(stale)}" if stale else "all files are as written")
        return 1 if stale else 0
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {len(texts)} files")
    return 0


def _comment(example: Example) -> list[str]:
    """Write the summary and the prose of the function's docstring as a comment."""
    prose = (inspect.getdoc(example.build) or "").split("\n\n")[1:]
    kept = itertools.takewhile(lambda text: "\n---" not in text, prose)
    function = f"fedpact.examples.{example.build.__name__}()"
    paragraphs = [
        example.summary,
        *(" ".join(text.replace("``", "").split()) for text in kept),
        f"The same in Python: {function}. This file is written by scripts/write_examples.py.",
    ]
    text = "\n\n".join(textwrap.fill(text, WIDTH - 2, break_on_hyphens=False) for text in paragraphs)
    return [*(f"# {line}".rstrip() for line in text.split("\n")), ""]


def _rows(federation: Federation, table: Table) -> Iterable[Sequence[str]]:
    if federation.name == "arizona-hospitals":
        return [[_share(n, h.total) for n in h.patients.values()] for h in read_hospitals()]
    return [[write_number(mass) for mass in row] for row in table.distributions.tolist()]


def _share(count: int, total: int) -> str:
    return f'"{count}/{total}"' if count else "0"


def _distribution(masses: dict[str, str]) -> list[str]:
    pairs = [f"{point} = {mass}" for point, mass in masses.items() if mass != "0"]
    inline = f"distribution = {{{', '.join(pairs)}}}"
    return [inline] if len(inline) <= WIDTH else ["[agents.distribution]", *pairs]


def _hypotheses(table: Table) -> list[str]:
    lines = ["[hypotheses]"]
    if table.class_name:
        lines += [f'class = "{table.class_name}"']
    lines += _list("points", [json.dumps(point) for point in table.points])
    if table.class_name is None:
        lines += _list("names", [json.dumps(name) for name in table.hypotheses])
        lines += ["labels = [", *(f"  {row}," for row in table.labels.tolist()), "]"]
    elif table.class_name not in ON_POINTS:
        lines += _list("feature_names", [json.dumps(name) for name in FEATURE_NAMES])
        lines += ["", "[hypotheses.features]"]
        lines += [f"{point} = {group_features(point)}" for point in table.points]
    return lines


def _list(key: str, entries: list[str]) -> list[str]:
    line = f"{key} = [{', '.join(entries)}]"
    if len(line) <= WIDTH:
        return [line]
    indent = "  "
    text = ", ".join(entries) + ","
    return [
        f"{key} = [",
        *textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False),
        "]",
    ]


if __name__ == "__main__":
    sys.exit(main())
