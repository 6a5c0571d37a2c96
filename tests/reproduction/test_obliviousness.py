import math
from copy import deepcopy

import pytest

from reproduction.page import conclusions_of, plot_of

EXPERIMENT = "obliviousness"
SMALL = {"pac": [20, 130, 400], "expected": [7, 41], "parts": 3}


def by_m(found, objective):
    return {tuple(point["m"]): point for point in found["results"][objective]["points"]}


@pytest.mark.slow
def test_the_map_of_the_pac_objective(found):
    status = {m: point["status"] for m, point in by_m(found, "pac").items()}
    assert len(status) == 9
    assert status[20, 20] == status[130, 20] == status[130, 130] == "HOLDS"
    assert status[400, 20] == status[400, 400] == "TOO_LARGE"
    pac = found["results"]["pac"]
    assert pac["stated"] == [pytest.approx(2 * 18 * math.log(18)), None]
    assert pac["fractional_end"] == pytest.approx(math.log(36) / -math.log(0.99))
    assert pac["fractional_end"] < pac["largest"] < 400


def test_the_map_of_the_expected_objective(found):
    at = by_m(found, "expected")
    assert (at[7, 7]["reached"], at[7, 7]["reached_by_paper"]) == (8, 6)
    assert (at[7, 41]["reached"], at[7, 41]["status"]) == (0, "NOT_BUILT")
    expected = found["results"]["expected"]
    assert expected["stated"] == pytest.approx([2 + math.log(10) / math.log(16), 20 * math.log(8)])
    assert expected["fractional_end"] == pytest.approx(math.log(8) / -math.log(0.95))


def test_no_report_of_the_search_raises_the_other_entry(found):
    search = found["results"]["search"]
    assert (search["reports"], search["highest_other"]) == (math.comb(6, 3), 7)
    assert search["highest_own"] > 7


def test_what_is_kept_is_what_the_command_computes(found, kept):
    for objective in ("pac", "expected"):
        known = by_m(kept, objective)
        assert all(known[m] == point for m, point in by_m(found, objective).items())
        assert found["results"][objective]["largest"] == kept["results"][objective]["largest"]
    assert (kept["results"]["search"]["reports"], kept["results"]["search"]["highest_other"]) == (2925, 7)


def test_the_page_says_what_the_explanation_says(kept):
    said = "\n".join(conclusions_of(kept))
    assert "pac: it holds at 64 of 100 plans of the grid, at all of them with both entries from 5 to 355" in said
    assert "at all of them with both entries from 5 to 38" in said
    assert "none of which asks more than 7 of agent 2; the definition needs 8" in said


def test_sentences_follow_the_numbers(kept):
    entry = deepcopy(kept)
    for point in entry["results"]["pac"]["points"]:
        point["status"] = "HOLDS"
    for point in entry["results"]["expected"]["points"]:
        point["reached_by_paper"] = 8
    entry["results"]["search"]["highest_other"] = 8
    said = "\n".join(conclusions_of(entry))
    assert "pac: it holds at 100 of 100 plans of the grid, at all of them with both entries from 5 to 400" in said
    assert "pac (ERRATA A6): no plan of the grid refutes the region as stated" in said
    assert "reaches at most 8 of 8 cases, as the lemma needs" in said
    assert "some of which ask more than 7 of agent 2" in said


def test_it_is_drawn(found):
    figure = plot_of(found)
    assert [axes.get_title() for axes in figure.axes] == [
        "pac, H = 18, epsilon = 0.01",
        "expected, H = 8, epsilon = 0.1",
        "expected, the paper's construction",
    ]
    holds = figure.axes[0].lines[0]
    assert sorted(zip(holds.get_xdata(), holds.get_ydata(), strict=True)) == [
        (20, 20), (20, 130), (130, 20), (130, 130),
    ]  # fmt: skip
