"""What is kept of the small examples is what comes out anew."""

import json
from pathlib import Path

import pytest

import fedpact as fp
from reproduction.examples import _pay
from reproduction.page import tables_of
from reproduction.sweep import reproduce

KEPT = json.loads((Path(__file__).parents[2] / "docs" / "results" / "examples.json").read_text())


def round_all(entry):
    return json.loads(json.dumps(entry), parse_float=lambda number: f"{float(number):.9g}")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return reproduce("examples", quick=True, store=tmp_path_factory.mktemp("kept"), workers=1)


def test_all_examples_are_kept():
    assert list(KEPT["results"]) == list(fp.examples.CATALOGUE)


def test_small_examples_come_out_as_they_are_kept(found):
    for name in found["settings"]["small"]:
        assert round_all(found["results"][name]) == round_all(KEPT["results"][name])


def test_a_large_example_is_not_played_to_the_end(found):
    assert "game" not in found["results"]["coupon-collector"]
    assert "game" in found["results"]["price-of-stability"]


def test_an_empty_core_and_fees_that_drive_away_are_said(found):
    assert found["results"]["no-pure-equilibrium"]["shares"]["core"] is None
    assert found["results"]["price-of-stability"]["fees"] is None


def test_a_malformed_request_is_not_taken_for_fees_that_drive_away():
    with pytest.raises(fp.FederationError, match="cost_recovery must be a share"):
        _pay(fp.examples.price_of_stability(), 1.5, 0.0)


def test_the_hospitals_are_kept_as_the_demo_finds_them():
    fed, kept = fp.examples.arizona_hospitals(), KEPT["results"]["arizona-hospitals"]
    for way in ("tree", "best-equilibrium"):
        m = {name: kept["ways"][way]["contributions"].get(name, 0) for name in fed.names}
        seen = fp.verify(fed, m)
        assert (seen.is_feasible, seen.cost) == (True, pytest.approx(kept["ways"][way]["cost"]))
    assert kept["alone"] == fp.game.standalone(fed)


def test_the_tables_mark_who_misses_a_target(found):
    costs, games = tables_of(found)
    rows = {row[0]: row for row in costs.rows}
    assert rows["no-pure-equilibrium"][3] == "0.5*"
    assert rows["price-of-stability"][2:6] == ("20", "20", "20", "20")
    assert len(games.rows) == len(costs.rows) - 1
