"""Runs of the protocol for tests: small federations, their sites, and homes."""

from fedpact.describe.federation import Federation
from fedpact.protocol.home import prepare_home
from fedpact.protocol.pact import make_pact
from fedpact.protocol.site.simulated_sites import simulate_sites


def ladder():
    """Three sites, each with 60 points on a line, whose thresholds all can tell apart, north cheapest."""
    points = {
        "north": [x / 10 for x in range(60)],
        "south": [2 + x / 15 for x in range(60)],
        "west": [1 + x / 12 for x in range(60)],
    }
    return Federation.from_points(points, "thresholds", epsilon=0.25, delta=0.1, cost=[1, 1, 1], name="ladder")


def make_home(folder, fed, *, seed=0, **terms):
    """Prepare a run with made-up sites."""
    return prepare_home(folder, make_pact(fed, method="tree", **terms), simulate_sites(fed, seed=seed), rerun=True)


def summary(outcome):
    """What must be the same whoever carries the messages."""
    return {
        "plan": outcome.plan.contributions,
        "contributions": outcome.contributions,
        "hypothesis": outcome.hypothesis,
        "payments": outcome.payments,
        "evaluation": outcome.evaluation,
        "status": outcome.status,
    }
