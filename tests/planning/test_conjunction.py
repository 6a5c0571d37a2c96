import numpy as np

import fedpact as fp
from fedpact.planning.conjunction import AllOf, build


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
