"""The check of contributions on simulated hospitals: it keeps its level, and results are what sites add up to."""

import json

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from reproduction.catalogue import find_experiment
from reproduction.contribution_check_page import _STATUS
from reproduction.page import conclusions_of
from reproduction.simulate_contributions import simulate_contributions

EXPERIMENT = "contribution-check"
SMALL = {"seeds": 2, "quotas": [30], "lies": [0.5, 1.0], "sites": 1000, "lying_sites": 20}


def test_the_hospitals_keep_the_level(found):
    results = found["results"]
    assert results["federation"] == "arizona-hospitals"
    assert [row["sites"] for row in results["honest"]] == [2000] * 17
    assert sum(row["flagged"] for row in results["honest"]) < 0.01 * 34_000
    assert all(row["flagged"] >= binom.ppf(1e-9, row["sites"], row["caught"]) for row in results["lying"])
    assert conclusions_of(found)[0] != _STATUS["above"]


def test_every_draw_is_the_simulation_with_its_own_numbers(run):
    changes = {"federation": "alice-bob", "quotas": [40, 5], "sites": 50}
    results = run(**changes)["results"]
    fed, options = fp.examples.alice_bob(), {"level": 0.01, "lies": [0.5, 1.0], "sites": 50, "lying_sites": 20}
    for m in (5, 40):
        parts = [
            simulate_contributions(fed, m=m, rng=np.random.default_rng([seed, m]), **options) for seed in (0, 1)
        ]
        for kind in ("honest", "lying"):
            rows = [row for row in results[kind] if row["m"] == m]
            for row, *own in zip(rows, *(part[kind] for part in parts), strict=True):
                assert (row["agent"], row["flagged"]) == (own[0]["agent"], sum(one["flagged"] for one in own))


def test_what_is_kept_is_within_the_level_and_above_the_bounds(kept):
    honest, lying = kept["results"]["honest"], kept["results"]["lying"]
    assert (len(honest), len(lying)) == (17 * 3, 17 * 3 * 10)
    assert all(row["high"] <= kept["results"]["level"] == 0.01 for row in honest)
    assert conclusions_of(kept)[0].startswith("false alarms are within the level")
    for m in (10, 30, 100):
        assert sum(row["sites"] for row in honest if row["m"] == m) == 170_000
        for lie in kept["settings"]["lies"]:
            rows = [row for row in lying if (row["m"], row["lie"]) == (m, lie)]
            # the mean of 17,000 sites, within four of its standard deviations
            assert (
                np.mean([row["flagged"] / row["sites"] - row["caught"] for row in rows]) > -4 * 0.5 / 17_000**0.5
            )


def test_shares_and_bounds_are_drawn(found):
    (axes,) = find_experiment(found["experiment"]).draw(found["results"]).axes
    assert [line.get_label() for line in axes.lines] == ["30 samples", "30 samples, at least"]
    last = [row for row in found["results"]["lying"] if row["lie"] == 1]
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(sum(row["flagged"] for row in last) / (17 * 40))


def test_sentences_follow_the_numbers(found):
    entry = json.loads(json.dumps(found))
    for row in entry["results"]["lying"]:
        row["flagged"] = row["sites"] // 2
    said = conclusions_of(entry)
    assert said[-1].startswith("30 samples: no lie is caught more often than not; 50.0% at a lie of 1")
