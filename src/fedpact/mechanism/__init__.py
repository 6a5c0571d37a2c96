"""Payments, audits and checks that keep reports honest.

Use it to study payment rules, and checks of what sites send, further than :func:`fedpact.settle`,
:func:`fedpact.audit`, :func:`fedpact.share` and :func:`fedpact.check_contribution` do:

- ``compare_rules``, ``RuleComparison``, ``RuleRow``: all payment rules side by side
- ``contribution_power``, ``PowerCurve``, ``PowerRow``, ``PowerStatus``: how large a lie a check of contributions
  would catch
- ``obliviousness``, ``Obliviousness``, ``ObliviousnessStatus``, ``NeighbourPlan``, ``SteeringOutcome``,
  ``SteeringReport``: whether any agent alone can move the plan
- what the four functions return: ``SettlementStatus``, ``Truthful``, ``AuditFinding``, ``AuditStatus``,
  ``Scenario``, ``Witness``, ``ShareStatus``, ``GroupsLookedAt``, ``LeavingGroup``, ``ContributionCheck``,
  ``ContributionStatus``, ``CheckedPair``
"""

from fedpact.lazy import offer_names

__all__ = offer_names(__name__)
