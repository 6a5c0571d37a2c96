"""A payment rule of one's own: its own errors come through, and it is asked once for all agents."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.payment.own_rule import OwnRule, pay_all
from fedpact.mechanism.payment.rule import Case
from fedpact.mechanism.payment.rules import read_terms

FED = fp.examples.alice_bob()


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_an_error_inside_the_rule_is_its_own(error):
    def fail(m):
        raise error("my mistake")

    with pytest.raises(error, match="my mistake") as raised:
        pay_all(fail, np.array([3, 2]))
    assert raised.type is error


@pytest.mark.parametrize("given", [None, "much", [1], [1, np.inf], [[1], [2, 3]]])
def test_what_is_no_payment_is_shown(given):
    with pytest.raises(fp.FederationError, match=r"finite number for each of 2 agents; for m = \[3, 2\] it gives"):
        pay_all(lambda m: given, np.array([3, 2]))


def test_a_case_is_paid_once_and_the_next_anew():
    asked = []

    def double(m):
        asked.append(m.tolist())
        return 2 * m

    rule, terms = OwnRule(double), read_terms(FED, "pwyc")
    for m in ([3, 2], [5, 0]):
        case = Case(fed=FED, m=np.array(m), met=np.ones(2, dtype=bool), worth=np.ones(2), terms=terms)
        assert [rule.pay(case, agent).net for agent in range(2)] == [2 * count for count in m]
    assert asked == [[3, 2], [5, 0]]
