"""``Shows``: what a result says of itself, once, and ``print``, a notebook and pandas take it from there.

How is imported only when something is shown, so that ``import fedpact`` stays light.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from fedpact.showing.table import ShownTable

if TYPE_CHECKING:
    from fedpact.showing.frame import DataFrame


class Shows(ABC):
    """A result that shows itself, printed or in a notebook.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> print(plan(alice_bob()))
    Plan
    optimal: no cheaper contribution vector meets the targets
    cost 5, lower bound 5, ratio 1, method exact
    agent  samples  before rounding
    alice        3          2.01276
    bob          2          2.01312
    >>> print(plan(alice_bob()).to_dataframe()[["agent", "samples"]])
       agent  samples
    0  alice        3
    1    bob        2
    """

    __slots__ = ()

    @abstractmethod
    def shown(self) -> ShownTable:
        """Say what a notebook shows."""

    def to_dataframe(self) -> DataFrame:
        """Give the rows that a notebook shows, all of them, as a pandas DataFrame; needs ``fedpact[notebook]``."""
        from fedpact.showing.frame import to_frame

        return to_frame(self.shown())

    def __str__(self) -> str:
        from fedpact.showing.text import to_text

        return to_text(self.shown())

    def _repr_html_(self) -> str:
        from fedpact.showing.html import to_html

        return to_html(self.shown())
