"""Every erratum is confirmed anew, and as the committed results say."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from reproduction.errata.experiment import CHECKS
from reproduction.errata.proofs import find_rates
from reproduction.errata.reports_in_tenths import Tenths
from reproduction.page import conclusions_of, tables_of
from reproduction.sweep import reproduce

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
KEPT = json.loads((DOCS / "results" / "errata.json").read_text())["results"]
WORDING = {"C3", "C4", "C6", "C7"}


def round_all(entry):
    return json.loads(json.dumps(entry), parse_float=lambda number: f"{float(number):.9g}")


@pytest.mark.parametrize("name", CHECKS)
def test_an_erratum_is_confirmed_as_it_is_kept(name):
    found = CHECKS[name]()
    assert found.is_confirmed
    assert round_all(found.to_dict()) == round_all(KEPT[name])


def test_every_erratum_of_the_page_is_checked_or_about_words():
    page = (DOCS / "explanation" / "errata.md").read_text()
    assert set(re.findall(r"^### ([ABC]\d)", page, flags=re.MULTILINE)) == set(CHECKS) | WORDING
    assert set(KEPT) == set(CHECKS)


def test_one_erratum_can_be_asked_for_and_an_unknown_one_is_refused(tmp_path):
    found = reproduce("errata", changes={"errata": ["A5", "A5"]}, store=tmp_path, workers=1)
    assert list(found["results"]) == ["A5"]
    assert tables_of(found)[0].rows[0][3] == "confirmed"
    assert conclusions_of(found)[0] == "1 of 1 errata are confirmed by computation"
    with pytest.raises(fp.FederationError, match="D1"):
        reproduce("errata", changes={"errata": ["D1"]}, store=tmp_path)


def test_b8_rates_are_those_at_which_a_contribution_is_best():
    curve = np.sort(np.random.default_rng(0).integers(0, 20, size=(40, 6)), axis=1) / 20
    counts = np.arange(6)
    for benefit in curve:
        chords = {(benefit[a] - benefit[b]) / (a - b) for a in counts for b in counts[:a]}
        for m in counts:
            best = [rate for rate in chords if max(benefit - rate * counts) < benefit[m] - rate * m + 1e-12]
            lowest, highest = find_rates(benefit, m)
            assert bool(best) == (lowest <= highest + 1e-12)
            assert all(lowest - 1e-12 <= rate <= highest + 1e-12 for rate in best)


def test_a_lie_that_pays_is_counted():
    """If everybody were paid for agent 1's samples, agent 2 would have agent 1 asked for more of them."""

    def pay_first(agent, m, costs):
        return costs[agent] * m[agent] + costs[0] * m[0]

    fed = fp.examples.pwyc_not_dominant()
    assert Tenths.of(fed, "lp", pay_first).count(others_lie=False)[0] > 0
