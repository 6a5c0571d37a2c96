"""Count the lines of code a reader walks through, folder by folder.

    python scripts/count_lines.py            # this checkout
    python scripts/count_lines.py DIR        # another checkout, or a folder of one

Docstrings, comments, blank lines and imports are not counted.
"""

from __future__ import annotations

import argparse
import ast
import collections
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("src/fedpact", "tests", "reproduction", "benchmarks", "fuzz", "scripts")
_NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _is_skipped(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    return (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )


def count_lines(source: str) -> int:
    r"""Count the lines of code of a module.

    Examples
    --------
    >>> count_lines("import sys  # for the name\n\nprint(\n    'hello', sys.argv\n)")
    3
    """
    skipped: set[int] = set()
    for node in filter(_is_skipped, ast.walk(ast.parse(source))):
        skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    spans = (range(token.start[0], token.end[0] + 1) for token in tokens if token.type not in _NOT_CODE)
    return len({line for span in spans for line in span} - skipped)


def count_folder(folder: Path) -> tuple[collections.Counter[str], int]:
    """Count the lines of every part of a folder, and its files."""
    files = sorted(folder.rglob("*.py"))
    counted: collections.Counter[str] = collections.Counter()
    for path in files:
        counted[path.relative_to(folder).parts[0]] += count_lines(path.read_text(encoding="utf-8"))
    return counted, len(files)


def main() -> None:
    """Print a line for each folder, and of the package one for each layer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT)
    top = parser.parse_args().checkout.resolve()
    for folder in [top / name for name in FOLDERS if (top / name).is_dir()] or [top]:
        counted, files = count_folder(folder)
        print(f"{counted.total():7,} lines in {files:3} files  {folder.relative_to(top.parent)}")
        for part, lines in counted.most_common() if folder.name == "fedpact" else ():
            print(f"{lines:7,}   {part}")


if __name__ == "__main__":
    main()
