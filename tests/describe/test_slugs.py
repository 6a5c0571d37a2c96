import re

from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.slugs import make_slugs


@given(st.lists(st.text(), max_size=20), st.lists(st.sampled_from(["agent", "a", "b", "con"])))
def test_slugs_are_plain_distinct_and_not_taken(names, taken):
    slugs = make_slugs(names, taken=taken)
    assert len(set(slugs)) == len(names)
    assert not set(slugs) & set(taken)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", slug) and len(slug) < 50 for slug in slugs)


def test_a_number_that_a_name_has_itself_is_passed_over():
    assert make_slugs(["alice-2", "alice", "Alice"]) == ["alice-2", "alice", "alice-3"]
