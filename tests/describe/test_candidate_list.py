import pytest

from fedpact.describe.candidate_list import CandidateList, digest_of, find_difference
from fedpact.errors import FederationError


def test_digests_tell_parts_apart_wherever_they_end():
    assert digest_of("ab", "c") != digest_of("a", "bc") != digest_of("abc")
    assert digest_of("a") == digest_of(b"a")


def test_another_model_of_the_same_name_is_named():
    mine = CandidateList.from_names(["forest", "stump"])
    theirs = CandidateList(names=mine.names, digests=(mine.digests[0], digest_of("stump", "other weights")))
    assert "candidate 'stump' is another model" in mine.difference(theirs)
    assert mine.fingerprint != theirs.fingerprint


def test_sites_with_other_candidates_are_named():
    lists = [
        (site, CandidateList.from_names(names)) for site, names in zip("abc", ["xy", "xy", "xyz"], strict=True)
    ]
    assert find_difference(lists[:2]) is None
    assert find_difference(lists) == (
        "'a' and 'c' have different candidates: one has 2 candidates and the other 3"
    )


REFUSED = [
    ((), (), "some different strings"),
    (("a", "a"), (digest_of("a"),) * 2, "different"),
    (("a", ""), (digest_of("a"),) * 2, "not be empty"),
    ((1,), (digest_of("1"),), "strings"),
    (("a",), ("A" * 16,), "hexadecimal"),
    (("a", "b"), (digest_of("a"),), "each of the 2 names"),
]


def test_lists_are_checked():
    for names, digests, rule in REFUSED:
        with pytest.raises(FederationError, match=rule):
            CandidateList(names=names, digests=digests)
