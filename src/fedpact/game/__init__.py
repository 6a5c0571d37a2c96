"""What agents do when nobody coordinates: best responses, equilibria, dynamics.

Use it to look into a game further than :func:`fedpact.equilibria`, :func:`fedpact.mixed_equilibrium` and
:func:`fedpact.best_response_dynamics` do:

- ``standalone``: what each agent needs alone; ``best_response``: the least that is enough, given the others
- ``regret``, ``Regret``, ``RegretStatus``: what an agent could gain by contributing otherwise
- what the three functions return: ``EquilibriaStatus``, ``PricedEquilibrium``, ``MixedEquilibrium``,
  ``MixedStatus``, ``Solver``, ``Dynamics``, ``DynamicsStatus``
"""

from fedpact.lazy import offer_names

__all__ = offer_names(__name__)
