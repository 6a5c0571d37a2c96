"""Results in words: the only place that has any, for the terminal, notebooks, pages, statements and docs.

:func:`explain` turns a result into a headline, facts, sentences, tables and chart data; what shows them only
renders. The words of a kind of result stand in ``words/KIND.toml``, where they can be edited without touching a
program; nothing that fedpact stores, sends or compares has any of them in it.
"""

from fedpact.lazy import offer_names

__all__ = offer_names(__name__)
