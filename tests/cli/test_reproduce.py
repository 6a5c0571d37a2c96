"""``fedpact reproduce`` says where it went."""

import pytest

import fedpact as fp


def test_reproduce_says_where_it_went(fedpact):
    for words in ([], ["planner-table", "--quick"]):
        code, _, err = fedpact("reproduce", *words)
        assert code == 1
        assert "make reproduce NAME=planner-table" in err
        assert len(err.splitlines()) == 1


def test_experiments_say_where_they_went():
    with pytest.raises(AttributeError, match="make reproduce"):
        _ = fp.experiments
