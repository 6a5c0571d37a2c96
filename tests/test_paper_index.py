"""The index of the paper's statements: what it names exists, and says which statement it is."""

import ast
import re
from dataclasses import dataclass

from pages import ROOT

PAGE = (ROOT / "docs/explanation/paper.md").read_text(encoding="utf-8")
ERRATA = (ROOT / "docs/explanation/errata.md").read_text(encoding="utf-8")
PRINTED = {
    "Theorem": 7,
    "Lemma": 5,
    "Corollary": 1,
    "Definition": 3,
    "Assumption": 2,
    "Equation": 11,
    "Table": 2,
    "Figure": 4,
}
"""How many of each the paper has; every kind is counted by itself."""


@dataclass(frozen=True)
class Row:
    """One statement of the table."""

    label: str
    where: str
    tests: tuple[str, ...]
    errata: tuple[str, ...]

    @property
    def places(self):
        """Modules with the functions and classes named after each."""
        parts = re.split(r"`([\w/]+\.py)`", self.where)[1:]
        return [(path, re.findall(r"`(\w+)`", names)) for path, names in zip(parts[::2], parts[1::2], strict=True)]


def read_rows():
    table = PAGE.split("## Where each statement is")[1]
    for line in re.findall(r"^\| (.+?) \|$", table, flags=re.MULTILINE)[1:]:
        statement, where, tests, errata = (cell.strip() for cell in line.split(" |"))
        yield Row(
            statement.partition(":")[0],
            where,
            tuple(re.findall(r"`(.+?)`", tests)),
            tuple(re.findall(r"\b([ABC]\d)\b", errata)),
        )


ROWS = list(read_rows())


def find_definitions(path):
    """The module, and the functions and classes at its top by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return tree, {node.name: node for node in tree.body if isinstance(node, kinds)}


def is_named(label, nodes):
    docs = " ".join(" ".join(ast.get_docstring(node) or "" for node in nodes).split())
    return re.search(rf"{re.escape(label)}\b", docs) is not None


def test_the_code_says_which_statement_it_is():
    unnamed = []
    for row in ROWS:
        assert row.places or row.where.startswith("not "), row.label
        for module, names in row.places:
            home = ROOT if module.startswith("reproduction/") else ROOT / "src/fedpact"
            tree, known = find_definitions(home / module)
            assert set(names) <= set(known), module
            if not is_named(row.label, [tree, *(known[name] for name in names)]):
                unnamed.append((row.label, module))
    assert unnamed == [], "docstrings do not name these statements"


def test_every_test_exists():
    missing = []
    for row in ROWS:
        assert bool(row.tests) == bool(row.places), row.label
        for test in row.tests:
            path, _, name = test.partition("::")
            if name not in find_definitions(ROOT / "tests" / path)[1]:
                missing.append(test)
    assert missing == []


def test_every_numbered_statement_has_a_row():
    labels = " ".join(row.label for row in ROWS)
    for kind, count in PRINTED.items():
        named = re.findall(rf"{kind}s? (\d+)(?: and (\d+))?", labels)
        assert {int(number) for pair in named for number in pair if number} == set(range(1, count + 1)), kind


def test_every_erratum_has_a_row():
    explained = set(re.findall(r"^### ([ABC]\d)", ERRATA, flags=re.MULTILINE))
    assert explained
    assert {erratum for row in ROWS for erratum in row.errata} == explained
