"""The cheapest contributions that meet every target, with a certificate; and the statistics behind them.

Use it to look behind :func:`fedpact.plan`, :func:`fedpact.verify`, :func:`fedpact.compare` and
:func:`fedpact.frontier`, or to plan for infinite classes:

- ``summarise``, ``Summary``, ``EvidenceKind``, ``FileCheck``: what a federation is, in short
- ``classes``: named classes of hypotheses over finitely many points
- ``disagreement``, ``divergence``, ``Divergence``: how often hypotheses differ, and how much the agents do
- ``at_confidence``, ``MorePoints``: rates that are estimates
- ``shadow_prices``, ``ShadowPrices``, ``EpsilonPrice``: whose target drives the cost
- ``cover``, ``Cover``, ``plan_cover``, ``CoverPlan``, ``CoverPlanStatus``: infinite classes
- ``Selection``, ``SelectionStatus``, ``Step``, ``TooBad``, ``Forecast``, ``ForecastRow``: what
  :func:`fedpact.select`, a :class:`fedpact.Selector` and :func:`fedpact.forecast` find
- what the functions of ``fedpact`` return: ``PlanStatus``, ``Proof``, ``BoundBy``, ``BindingPair``,
  ``VerificationStatus``, ``How``, ``Interval``, ``Refusal``, ``ComparedRow``, ``RowStatus``,
  ``FrontierPoint``, ``RealizabilityStatus``, ``ErrorRate``
"""

from fedpact.lazy import offer_names

__all__ = offer_names(__name__)
