"""Results in words: the only place that has any, for the terminal, notebooks, pages, statements and docs.

:func:`explain` turns a result into a headline, facts, sentences, tables and chart data; what shows them only
renders. The words of a kind of result stand in ``words/KIND.toml``, where they can be edited without touching a
program; nothing that fedpact stores, sends or compares has any of them in it.
"""

from __future__ import annotations

from fedpact.explain.explain import explain
from fedpact.explain.explanation import Chart, Column, Explanation, Fact, Mark, Point, Table
from fedpact.explain.html import to_html
from fedpact.explain.text import to_text

__all__ = ["Chart", "Column", "Explanation", "Fact", "Mark", "Point", "Table", "explain", "to_html", "to_text"]
