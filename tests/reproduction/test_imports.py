"""The program imports nothing of fedpact but its public names."""

import ast
from pathlib import Path

import reproduction

FILES = sorted(Path(reproduction.__file__).parent.rglob("*.py"))


def find_private(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                one.name for one in node.names if one.name.startswith("fedpact.") or one.asname == "fedpact"
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "fedpact":
            yield node.module


def test_the_program_uses_public_names_alone():
    assert len(FILES) > 20
    for path in FILES:
        assert not list(find_private(ast.parse(path.read_text()))), path


def test_other_imports_are_found():
    assert list(find_private(ast.parse("import fedpact.planning.plan\nfrom fedpact.describe import costs")))
    assert not list(find_private(ast.parse("import fedpact as fp")))
