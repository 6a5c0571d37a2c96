"""One liar is seen, and where the plan withstands one it hardly harms anybody; what is kept comes out anew."""

from reproduction.page import tables_of

EXPERIMENT = "liars"
SMALL = {"liars": [0, 1], "seeds": 4}


def test_rows_come_out_as_they_are_kept(found, kept):
    keys = {"liars", "withstands_liar", "sites"}
    assert [{key: row[key] for key in keys} for row in found["results"]["rows"]] == [
        {key: row[key] for key in keys} for row in kept["results"]["rows"][:4]
    ]
    assert tables_of(found)[0].rows[0][:2] == ("0 of 6", "none")


def test_one_liar_is_always_seen(found, kept):
    for results in (found, kept):
        ones = [row for row in results["results"]["rows"] if row["liars"] == 1]
        assert [row["unseen"] for row in ones] == [0, 0]
        plain, withstands = ones
        assert plain["broken"] > plain["runs"] / 2, "the attack works"
        assert withstands["broken"] < plain["broken"] / 2


def test_nobody_lies_and_no_target_is_broken(kept):
    assert all(row["broken"] == 0 for row in kept["results"]["rows"] if row["liars"] == 0)
