import time

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.certificates import AllOf, Judge, TimeUp, build
from noisy import noisy_federation


def test_with_the_joint_structure_everything_is_proved_or_refuted():
    fed = noisy_federation(0)
    judge = Judge(fed)
    vectors = np.array([[0, 0, 0], [5, 5, 5], [9, 9, 9], [40, 40, 40]])
    enough = np.array([fp.verify(fed, m, how="exact").is_feasible for m in vectors])
    assert set(enough) == {True, False}
    assert (judge.proves(vectors) == enough).all()
    assert (judge.cannot_refute(vectors) == enough).all()


def test_reports_leave_some_vectors_undecided_and_decide_none_wrongly():
    known = noisy_federation(1, H=25, n=60)
    reports = [
        fp.Report(
            name=name, n=60, n_classes=4,
            counts=np.rint(60 * square[np.triu_indices(known.H, 1)]).astype(int),
        )
        for name, square in zip(known.names, fp.planning.disagreement(known), strict=True)
    ]  # fmt: skip
    fed = fp.Federation.from_reports(reports, epsilon=0.15, delta=0.05)
    truth, judge = Judge(known), Judge(fed)
    vectors = np.array([[count, count, count] for count in range(0, 20)])
    enough, proved, possible = truth.proves(vectors), judge.proves(vectors), judge.cannot_refute(vectors)
    assert (proved <= enough).all()
    assert (enough <= possible).all()
    assert (proved != possible).any()


def test_after_the_deadline_nothing_more_is_known():
    judge = Judge(noisy_federation(0), deadline=time.monotonic() - 1)
    vector = np.array([[40, 40, 40]])
    with pytest.raises(TimeUp):
        judge.proves(vector)
    assert not judge.proves_in_time(vector)[0]


class Counted:
    """A program of one row, m >= least, that counts how often it is asked."""

    def __init__(self, least):
        self.least, self.asked = least, 0

    def __call__(self, m):
        return [self.least] if m[0] < self.least else []

    def holds(self, m):
        self.asked += 1
        return bool(m[0] >= self.least)


def test_rows_of_all_programs_are_found():
    both = AllOf([Counted(2), Counted(4), Counted(3)])
    assert both(np.array([2.5])) == [4, 3]
    assert both(np.array([4.0])) == []


def test_all_programs_must_hold_and_the_one_that_failed_is_asked_first():
    easy, hard = Counted(2), Counted(4)
    both = AllOf([easy, hard])
    assert [both.holds(np.array([m])) for m in (3, 3, 3, 4)] == [False, False, False, True]
    assert (easy.asked, hard.asked) == (2, 4)


def test_a_federation_is_one_program_unless_its_rates_are_estimated():
    fed = fp.Federation.from_predictions({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}, epsilon=0.3, delta=0.1)
    assert isinstance(build(fed, lambda part: Counted(part.k)), Counted)
    together = build(fp.planning.at_confidence(fed, 0.9), lambda part: Counted(part.k))
    assert [program.least for program in together.programs] == [2, 2]
