"""What is worked out about a federation is worked out once, and handed on only where it still holds."""

import pickle
from dataclasses import fields

import pytest

import fedpact as fp
from fedpact.describe.memo import memoized, memoized_by_evidence


def counted(keep):
    calls = []

    @keep
    def name_of(fed, place, *, loud=False):
        calls.append(place)
        return fed.names[place].upper() if loud else fed.names[place]

    return name_of, calls


@pytest.mark.parametrize("keep", [memoized, memoized_by_evidence])
def test_it_is_called_once_for_the_same_arguments(keep):
    name_of, calls = counted(keep)
    fed = fp.examples.alice_bob()
    assert [name_of(fed, 0), name_of(fed, 0), name_of(fed, 1), name_of(fed, 0, loud=True)] == [
        "alice",
        "alice",
        "bob",
        "ALICE",
    ]
    assert calls == [0, 1, 0]


def test_other_targets_keep_only_what_follows_from_the_evidence():
    fed = fp.examples.alice_bob()
    for keep, expected in ((memoized, [0, 0]), (memoized_by_evidence, [0])):
        name_of, calls = counted(keep)
        name_of(fed, 0)
        name_of(fed.replace(epsilon=0.2), 0)
        assert calls == expected


def test_what_is_kept_is_neither_pickled_nor_a_field():
    fed, (name_of, calls) = fp.examples.alice_bob(), counted(memoized_by_evidence)
    name_of(fed, 0)
    other = pickle.loads(pickle.dumps(fed))
    assert len(pickle.dumps(fed)) == len(pickle.dumps(other))
    name_of(other, 0)
    assert calls == [0, 0]
    assert not {own.name for own in (*fields(fed), *fields(fed.evidence))} & {
        "memo",
        "_memo",
        "teacher",
        "at_least",
    }


def test_a_failure_is_not_kept():
    name_of, calls = counted(memoized)
    fed = fp.examples.alice_bob()
    for _ in range(2):
        with pytest.raises(IndexError):
            name_of(fed, 5)
    assert calls == [5, 5]
