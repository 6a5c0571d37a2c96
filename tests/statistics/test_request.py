"""What is asked is no part of a federation: every public function takes it."""

import pickle

import pytest

import fedpact as fp
from fedpact.errors import FederationError
from fedpact.statistics.request import Request, ask, least_of, truths_of

FED = fp.Federation.from_table(
    [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1]],
    [[0.5, 0.5, 0], [0.4, 0.6, 0]],
    epsilon=0.1,
    delta=0.1,
    names=["a", "b"],
)


def test_a_teacher_is_one_of_the_hypotheses():
    for teacher, hint in (("h44", "did you mean 'h4'"), (4, "give a name")):
        with pytest.raises(FederationError, match=f"teacher must be one of the hypotheses; it is .* \\({hint}"):
            fp.verify(FED, [1, 1], teacher=teacher)


def test_a_teacher_whom_nobody_can_tell_from_another_is_that_one():
    assert truths_of(FED).tolist() == [0, 1, 2]
    names = FED.evidence.hypotheses
    assert [truths_of(ask(FED, teacher=name)).tolist() for name in names] == [[0], [1], [2], [2]]


def test_what_is_asked_outlives_other_targets_and_pickling():
    asked = ask(ask(FED, teacher="h2"), at_least={"a": 4, "b": 7}).replace(delta=0.2).restrict(["b"])
    for copy in (asked, pickle.loads(pickle.dumps(asked))):
        assert (truths_of(copy).tolist(), least_of(copy).tolist(), copy.delta) == ([1], [7], 0.2)
    assert ask(FED) is FED
    assert ask(FED, teacher="h2").fingerprint == FED.fingerprint


def test_every_question_can_be_asked_of_a_teacher():
    """The second hypothesis is alone at the second point, so against it half of the samples are enough."""
    known, asked = {"teacher": "h2"}, ask(FED, teacher="h2")
    assert isinstance(asked, Request)
    m = fp.plan(FED, **known).m
    for found, expected in (
        (fp.verify(FED, m, **known), fp.verify(asked, m)),
        (fp.compare(FED, **known), fp.compare(asked)),
        (fp.frontier(FED, delta=[0.1, 0.2], **known), fp.frontier(asked, delta=[0.1, 0.2])),
        (fp.equilibria(FED, **known), fp.equilibria(asked)),
        (fp.best_response_dynamics(FED, **known), fp.best_response_dynamics(asked)),
        (fp.game.standalone(FED, **known), fp.game.standalone(asked)),
        (fp.game.regret(FED, m, **known), fp.game.regret(asked, m)),
        (fp.share(FED, **known), fp.share(asked)),
        (fp.planning.shadow_prices(FED, **known), fp.planning.shadow_prices(asked)),
        (fp.settle(FED, m, **known), fp.settle(asked, m)),
        (fp.audit(FED, n_misreports=5, **known), fp.audit(asked, n_misreports=5)),
    ):
        assert found == expected
    assert fp.plan(FED, **known).cost < fp.plan(FED).cost
    assert fp.game.best_response(FED, [0, 0], **known).tolist() == fp.game.best_response(asked, [0, 0]).tolist()
