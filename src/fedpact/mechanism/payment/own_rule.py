"""A payment rule of one's own: any function from the contributions to the payments.

Such a payment depends on the plan alone (Definition 2, contribution-based). Theorem 4 of the paper is about all of
them at once (docs/explanation/obliviousness.md); nothing else is known of one, so it counts as not truthful.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError
from fedpact.mechanism.payment.rule import Case, Payment, Rule, Truthful

PaymentFunction = Callable[[NDArray[np.int64]], ArrayLike]


def pay_all(payment: PaymentFunction, m: NDArray[np.int64]) -> NDArray[np.float64]:
    """(k,) what the rule pays for the contributions (k,), checked."""
    given = payment(m.copy())
    refusal = FederationError(
        f"payment must give one finite number for each of {len(m)} agents; for m = {m.tolist()} it gives "
        f"{shorten(given)}"
    )
    try:
        paid = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise refusal from error
    if paid.shape != m.shape or not np.isfinite(paid).all():
        raise refusal
    return paid


@final
class OwnRule(Rule):
    """Each agent is paid what a function of the user's says.

    Examples
    --------
    >>> pay_all(lambda m: m + 1, np.array([3, 2])).tolist()
    [4.0, 3.0]
    """

    in_data = Truthful.NO
    in_costs = Truthful.NO

    def __init__(self, payment: PaymentFunction) -> None:
        # agents of one case are paid one after the other
        self._pay_case = lru_cache(maxsize=1)(lambda case: pay_all(payment, case.m))

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay what the function says."""
        return Payment(float(self._pay_case(case)[agent]), 0.0)
