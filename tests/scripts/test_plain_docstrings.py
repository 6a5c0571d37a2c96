"""Docstrings as the site shows them."""

import pytest

pytest.importorskip("griffe")
pytestmark = pytest.mark.docs

from plain_docstrings import rewrite  # noqa: E402

TABLE = """Before.

====== ========================
row    who contributes
====== ========================
``a``  everyone its own need,
       whatever others do
``b``  the :func:`~fedpact.plan`
====== ========================

After.
"""


def test_a_table_becomes_one_of_markdown():
    assert rewrite(TABLE).splitlines() == [
        "Before.",
        "",
        "| row | who contributes |",
        "| --- | --- |",
        "| ``a`` | everyone its own need, whatever others do |",
        "| ``b`` | the `plan` |",
        "",
        "After.",
    ]


def test_two_rules_are_no_table():
    assert rewrite("=== ===\na   b\n=== ===\n") == "=== ===\na   b\n=== ===\n"
