"""Pay nothing, or split the cost.

Both splits leave the operator without a deficit. What an agent reports of its data changes its share or its quota,
so that none of the three is truthful.
"""

from __future__ import annotations

from typing import final

import numpy as np

from fedpact.errors import InfeasibleError
from fedpact.mechanism.payment.rule import Case, Payment, Rule, Truthful
from fedpact.statistics.standalone import find_shortfalls, standalone


@final
class NoPayment(Rule):
    """Whoever labels bears the cost."""

    in_data = Truthful.NO
    in_costs = Truthful.NO

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay nothing."""
        return Payment(0.0, 0.0)


@final
class EqualSplit(Rule):
    """The cost is split into equal shares: c_i(m_i) - cost / k."""

    in_data = Truthful.NO
    in_costs = Truthful.NO

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay the labelling, and take an equal share of what all labelling costs."""
        spent, sharers = case.labelling, case.sharers
        return Payment(float(spent[agent]), float(spent.sum() / sharers.sum()) if sharers[agent] else 0.0)


@final
class ProportionalSplit(Rule):
    """The cost is split by what each would need alone: c_i(m_i) - cost * c_i(n_ind(i)) / sum of these."""

    in_data = Truthful.NO
    in_costs = Truthful.NO
    is_partial = True

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay the labelling, and take a share of what all labelling costs."""
        needs = standalone(case.fed)
        for name, short in find_shortfalls(case.fed, needs).items():
            need = "more than 2^40" if short.need is None else str(short.need)
            limit = "" if short.capacity is None else f", and its capacity is {short.capacity}"
            raise InfeasibleError(
                f"rule 'proportional' is undefined: alone {name!r} needs {need} samples{limit}; "
                "use rule 'equal-split' or 'pwyc'",
                agents=(name,),
                code="not-alone",
            )
        alone = np.array([float(a.cost(needs[a.name] or 0)) for a in case.fed.agents])
        spent, parts = case.labelling, alone * case.sharers
        parts = parts if parts.any() else case.sharers
        return Payment(float(spent[agent]), float(spent.sum() * (parts[agent] / parts.sum())))
