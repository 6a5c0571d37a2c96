from copy import deepcopy

import pytest

import fedpact as fp
from reproduction.mechanisms import COMPARED, draw_federation
from reproduction.page import conclusions_of, plot_of

pytestmark = pytest.mark.slow

EXPERIMENT = "mechanisms"
EXAMPLE = "pwyc-not-dominant(1/20)"
SIZES = {"agents": [2, 2], "points": [3, 3], "hypotheses": [3, 4]}
SMALL = {"seeds": 1, "examples": [EXAMPLE], "reports": 8} | SIZES


def by_rule(found):
    return {answer["rule"]: answer for answer in found["results"]["examples"]}


def test_what_the_rules_pay_in_the_counterexample_is_what_one_computes_by_hand(found):
    """The optimum is (0, 2) and costs 1/5, the paper's program says (0, 3); every target is worth 1."""
    at = by_rule(found)
    assert list(at) == list(COMPARED)
    assert (at["pwyc"]["cost"], at["pwyc"]["deficit"]) == pytest.approx((0.3, 0.3))
    assert (at["vcg"]["cost"], at["vcg"]["deficit"]) == pytest.approx((0.2, (1 - 0.2) + 1))
    # without agent 1 the optimum is the same, without agent 2 nothing is needed: 0.2 is paid, and 0.2 comes back
    assert at["vcg with Clarke pivots"]["deficit"] == 0
    assert at["threshold"]["deficit"] == pytest.approx(3 * 5 * 0.1)  # nobody can replace agent 2: the ceiling
    assert (at["no payment"]["spend"], at["no payment"]["deficit"]) == (0, 0)
    assert (at["equal-split"]["spend"], at["equal-split"]["deficit"]) == (pytest.approx(0.3), 0)
    assert at["equal-split"]["least_advantage"] == pytest.approx(-0.15)  # agent 1 pays half and needs nothing
    assert "rather leave" in at["pwyc with a fee"]["refused"]


def test_the_lie_that_refutes_vcg_is_found_and_none_where_there_is_a_proof(found):
    at = by_rule(found)
    assert at["vcg"]["data"]["gain"] == pytest.approx(39 / 20 - 9 / 5)
    for rule in ("pwyc", "vcg-verified", "vcg-verified with Clarke pivots"):
        assert (at[rule]["data"]["gain"], at[rule]["data"]["tried"]) == (0, 8)
    for rule in ("vcg", "vcg with Clarke pivots", "threshold"):
        assert (at[rule]["costs"]["gain"], at[rule]["costs"]["tried"]) == (0, 8)
    assert at["pwyc"]["costs"]["gain"] > 0


def test_rows_are_means_over_all_federations(found):
    fed = draw_federation(0, SIZES)
    plans = {"lp": fp.plan(fed, "lp"), "exact": fp.plan(fed, "exact")}
    bills = {
        "pwyc": fp.settle(fed, plans["lp"], "pwyc"),
        "vcg": fp.settle(fed, plans["exact"], "vcg"),
        "vcg with Clarke pivots": fp.settle(fed, plans["exact"], "vcg", pivot="clarke"),
    }
    for rule, bill in bills.items():
        row = next(row for row in found["results"]["rows"] if row["rule"] == rule)
        example = by_rule(found)[rule]
        ratios = [example["deficit"] / example["cost"], bill.deficit / bill.cost]
        assert row["deficit"] == pytest.approx(sum(ratios) / 2)
        assert (row["federations"], row["applied"]) == (2, 2)
        assert row["balanced"] == (example["deficit"] == 0) + (abs(bill.deficit) < 1e-9)
        assert row["left"] == (len(bill.leaving) > 0) + (example["leaving"] > 0)
    clarke = bills["vcg with Clarke pivots"]
    for name in fed.names:
        others = [other for other in fed.names if other != name]
        saved = fp.plan(fed.restrict(others), "exact").cost - plans["exact"].cost
        assert clarke.payments[name] == pytest.approx(clarke.labelling[name] + saved)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_drawn_needs_something_and_is_the_same_again(seed):
    fed = draw_federation(seed, SIZES)
    assert fp.plan(fed, "exact").cost > 0
    assert fed.fingerprint == draw_federation(seed, SIZES).fingerprint


def test_what_is_kept_has_no_defect_and_all_rules(kept):
    rows = {row["rule"]: row for row in kept["results"]["rows"]}
    assert list(rows) == list(COMPARED)
    total = len(kept["settings"]["examples"]) + kept["settings"]["seeds"]
    for row in rows.values():
        assert row["federations"] == total
        for private in ("data", "costs"):
            if "no" not in row[private]["truthful"]:
                assert row[private]["paid"] == 0
    assert rows["vcg"]["data"]["paid"] > 0
    assert rows["pwyc"]["data"]["tried"] == total * kept["settings"]["reports"]
    assert rows["pwyc"]["deficit"] == pytest.approx(1)


def test_sentences_follow_the_numbers(found):
    assert not [sentence for sentence in conclusions_of(found) if "a defect" in sentence]
    entry = deepcopy(found)
    rows = {row["rule"]: row for row in entry["results"]["rows"]}
    rows["pwyc"]["data"]["paid"] = 1
    rows["equal-split"]["balanced"] = 1
    said = "\n".join(conclusions_of(entry))
    assert "a defect: one paid under pwyc" in said
    assert "balanced in every federation under no payment, proportional" in said


def test_the_drawing_marks_the_rules_under_which_a_lie_pays(found):
    axes = plot_of(found).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    hatched = [bar.get_hatch() is not None for bar in axes.patches]
    marked = {label for label, is_hatched in zip(labels, hatched, strict=True) if is_hatched}
    assert marked == {row["rule"] for row in found["results"]["rows"] if row["data"]["paid"]}
    assert "vcg" in marked
    assert "pwyc" not in marked
