import itertools
import json

import numpy as np
import pytest

import fedpact as fp
from reproduction.catalogue import find_experiment
from reproduction.exchangeability import build_two, draw_one, measure_distance
from reproduction.page import conclusions_of

pytestmark = pytest.mark.slow

EXPERIMENT = "exchangeability"
SMALL = {
    "seeds": 4,
    "heterogeneity": [0.0, 0.6, 1.0],
    "alice_bob": [0.1],
    "concentrations": [1000.0, 1.0],
    "most_samples": 1000,
}


def failure(labels, masses, m, agent, epsilon):
    """Largest probability, over targets, that some bad hypothesis agrees with all samples: over all seen sets."""
    masses, n = np.asarray(masses), len(labels[0])
    seen_by = {}
    for seen in itertools.product((False, True), repeat=n):  # chance that no sample lies outside of a set
        seen_by[seen] = float(np.prod([row[list(seen)].sum() ** k for row, k in zip(masses, m, strict=True)]))
    exactly = {}
    for seen in sorted(seen_by, key=sum):
        below = [other for other in exactly if all(a <= b for a, b in zip(other, seen, strict=True))]
        exactly[seen] = seen_by[seen] - sum(exactly[other] for other in below)
    worst = 0.0
    for target in labels:
        missed = 0.0
        for seen, chance in exactly.items():
            left = [h for h in labels if all(a == b for a, b, s in zip(h, target, seen, strict=True) if s)]
            errors = [masses[agent][np.asarray(h) != np.asarray(target)].sum() for h in left]
            missed += chance * (max(errors) > epsilon + 1e-9)
        worst = max(worst, missed)
    return worst


def fails(fed, m):
    labels = fed.evidence.labels.tolist()
    return max(
        failure(labels, fed.evidence.distributions, m, agent, float(fed.epsilon[agent])) for agent in range(fed.k)
    )


def cell(**about):
    return {"points": 2, "epsilon": 0.1, "delta": 0.1} | about


@pytest.mark.parametrize("place", range(3))
def test_the_failure_of_two_agents_is_that_of_following_every_sample(found, place):
    row = found["results"]["two"][place]
    fed, need = build_two(cell(degree=row["degree"])), row["needs"][0]
    assert row["needs"] == [need, need]
    assert fails(fed, [need, 0]) == pytest.approx(row["bought"]["failure"], abs=1e-9)
    assert fails(fed, [-(-need // 2), need // 2]) == pytest.approx(row["shared"]["failure"], abs=1e-9)
    best = next(
        total
        for total in itertools.count(1)
        if any(fails(fed, [first, total - first]) <= 0.1 for first in range(total // 2 + 1))
    )
    assert row["optimum"] == best
    assert row["alone"] == pytest.approx(2 * need / best)


def test_identical_data_are_exchangeable_and_disjoint_data_never(found):
    same, middle, apart = found["results"]["two"]
    assert not same["bought"]["is_missed"]
    assert not same["shared"]["is_missed"]
    assert same["bought"]["ratio"] == same["scaled"] == 1
    assert middle["bought"]["is_missed"]
    fed, scaled = build_two(cell(degree=0.6)), round(middle["scaled"] * middle["optimum"])
    assert fails(fed, [scaled, 0]) <= 0.1 < fails(fed, [scaled - 1, 0])
    assert (apart["bought"]["failure"], apart["scaled"]) == (pytest.approx(1), None)
    assert (same["distance"], apart["distance"]) == (pytest.approx(0), pytest.approx(1))


def test_alice_and_bob_pay_for_more_than_they_need(found):
    (row,) = found["results"]["alice_bob"]
    fed = fp.examples.alice_bob(0.1, 0.1)
    assert row["needs"] == list(fp.game.standalone(fed).values())
    assert row["optimum"] == fp.plan(fed, "exact").cost
    assert row["bought"]["ratio"] == pytest.approx(row["needs"][0] / row["optimum"])
    assert row["bought"]["failure"] == pytest.approx(fails(fed, [row["needs"][0], 0]))


def test_what_is_drawn_is_counted(found):
    for row in found["results"]["drawn"]:
        about = cell(agents=3, points=6, hypotheses=8, concentration=row["concentration"])
        feds = [draw_one(about | {"seed": seed}) for seed in range(4)]
        tables = {fed.name: fp.compare(fed) for fed in feds[:1]}
        missed, ratios = 0, []
        for fed in feds:
            needs = list(fp.game.standalone(fed).values())
            costs = [float(agent.cost(1)) for agent in fed.agents]
            m = [0, 0, 0]
            m[costs.index(min(costs))] = max(needs)
            missed += fails(fed, m) > 0.1 + 1e-9
            ratios.append(np.dot(costs, needs) / fp.plan(fed, "exact").cost)
        assert row["federations"] == 4
        assert row["missed"]["bought"] == missed
        assert row["alone"] == pytest.approx(np.mean(ratios))
        assert row["distance"] == pytest.approx(np.mean([measure_distance(fed) for fed in feds]))
        assert tables[feds[0].name].row("alone").cost == pytest.approx(ratios[0] * fp.plan(feds[0], "exact").cost)
    near, far = found["results"]["drawn"]
    assert near["distance"] < 0.05 < 0.2 < far["distance"]
    assert far["missed"]["bought"] > 0


def test_what_is_kept_is_what_the_command_computes(found, kept):
    rows = {row["degree"]: row for row in kept["results"]["two"]}
    for row in found["results"]["two"]:
        assert rows[row["degree"]] == row
    assert all(row["federations"] == kept["settings"]["seeds"] for row in kept["results"]["drawn"])
    near, far = kept["results"]["drawn"][0], kept["results"]["drawn"][-1]
    assert near["missed"]["bought"] < far["missed"]["bought"]


def test_sentences_follow_the_numbers(found):
    entry = json.loads(json.dumps(found))
    for row in entry["results"]["two"]:
        row["bought"]["is_missed"] = False
        row["scaled"] = None
    entry["results"]["drawn"][1]["missed"]["bought"] = 0
    said = "\n".join(conclusions_of(entry))
    assert "bought where it is cheapest, as many samples as one needs alone meet the targets at every t" in said
    assert "never meets the targets; 1,000 samples are not enough at t = 0, 0.6, 1" in said
    assert "not more often where they do" in said


def test_the_drawing_shows_failure_and_cost(found):
    failures, costs = find_experiment(found["experiment"]).draw(found["results"]).axes
    assert failures.lines[0].get_ydata() == pytest.approx(
        [row["bought"]["failure"] for row in found["results"]["two"]]
    )
    scaled = costs.lines[0].get_ydata()
    assert scaled[:2] == pytest.approx([row["scaled"] for row in found["results"]["two"][:2]])
    assert np.isnan(scaled[2])
