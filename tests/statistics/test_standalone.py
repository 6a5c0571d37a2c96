import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.statistics import standalone as module
from oracle import count_alone, coupons_left
from strategies import cases, report_of


@pytest.mark.parametrize("kind", ["table", "predictions"])
@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=40)
def test_the_least_number_by_trying_all(kind, objective, data):
    case = data.draw(cases(kind, objective))
    assume(objective == "pac" or 0 not in case.instance.epsilon)
    found = fp.game.standalone(case.build())
    expected = [count_alone(case.instance, objective, agent, most=60) for agent in range(case.k)]
    assume(None not in expected)
    assert list(found.values()) == expected


KNOWN = {
    "alice-bob": (fp.examples.alice_bob(), {"alice": 14, "bob": 14}),
    "no-pure-equilibrium": (fp.examples.no_pure_equilibrium(), {"agent-1": 1, "agent-2": 1, "agent-3": 1}),
    "price-of-stability": (fp.examples.price_of_stability("1/1024"), {"alice": 3382, "bob": 0}),
    "pwyc-not-dominant": (fp.examples.pwyc_not_dominant(), {"agent-1": 0, "agent-2": 2}),
    "set-cover": (fp.examples.set_cover(), {"agent-1": 2}),
    "one-rare-point": (
        fp.Federation.from_table([[0, 0], [0, 1]], [[1 - 1e-6, 1e-6]], epsilon=0, delta=0.5),
        {"agent-1": 693147},
    ),
    "nothing-to-learn": (fp.Federation.from_table([[0, 1]], [[0.5, 0.5]], epsilon=0, delta=0.1), {"agent-1": 0}),
    "no-error-on-average-where-one-look-tells": (
        fp.Federation.from_table([[0], [1]], [[1]], epsilon=0, delta=0.1, objective="expected"),
        {"agent-1": 1},
    ),
    "no-error-on-average-is-out-of-reach": (
        fp.Federation.from_table([[0, 0], [0, 1]], [["1/2", "1/2"]], epsilon=0, delta=0.1, objective="expected"),
        {"agent-1": None},
    ),
}


@pytest.mark.parametrize(("fed", "expected"), KNOWN.values(), ids=KNOWN)
def test_known_numbers(fed, expected):
    assert fp.game.standalone(fed) == expected


@pytest.mark.parametrize(("n", "delta"), [(4, 0.1), (7, 0.5), (20, 0.01), (50, 0.9)])
def test_coupons(n, delta):
    found = fp.game.standalone(fp.examples.coupon_collector(n, delta=delta))["agent-1"]
    assert coupons_left(n, found) <= delta < coupons_left(n, found - 1)


def test_reports_give_what_the_interval_proves():
    """Where the bounds are the truth the number is, too; never fewer than that."""
    fed = fp.Federation.from_predictions(
        {"a": [[0, 0, 0, 0, 1], [0, 1, 1, 0, 0], [1, 1, 0, 0, 2]]}, epsilon=0.1, delta=0.1
    )
    report = report_of("a", np.asarray(fed.evidence.predictions[0]))
    bounded = fp.game.standalone(fp.Federation.from_reports([report], epsilon=0.1, delta=0.1))
    assert bounded["a"] >= fp.game.standalone(fed)["a"]


def test_a_federation_that_cannot_be_decided_ends(monkeypatch):
    monkeypatch.setattr(module, "MOST", 4)
    assert fp.game.standalone(fp.examples.alice_bob()) == {"alice": None, "bob": None}


def test_progress_counts_the_agents():
    calls = []
    fp.game.standalone(fp.examples.no_pure_equilibrium(), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]
