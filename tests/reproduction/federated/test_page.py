"""Tables, sentences and figure say what the results say, and come from the JSON alone."""

import copy
import json

import numpy as np
import pytest

from reproduction.federated.page import conclude, draw, tabulate
from reproduction.federated.sum_up import agrees
from reproduction.page import conclusions_of, tables_of

pytestmark = pytest.mark.torch


@pytest.fixture
def results(quick):
    return json.loads(json.dumps(quick["results"]))


def test_tables_come_from_the_json_alone(quick, results):
    assert tabulate(results) == tables_of(quick)
    first, targets = tables_of(quick)[:2]
    costs = [run["asked"]["cost"] for run in results["federations"][0]["runs"]]
    assert first.rows[0][2] == f"{np.mean(costs):.3g} ({min(costs)}-{max(costs)})"
    assert [row[:2] for row in targets.rows] == [
        (name, way) for name in ("writers", "digits") for way in ("plan", "equal", "alone")
    ]
    assert len(tables_of(quick)) == 2 + 2 * 2


def test_sums_are_those_of_the_runs(results):
    for fed in results["federations"]:
        for name, way in fed["ways"].items():
            own = [run["ways"][name] for run in fed["runs"]]
            assert way["met"] == sum(sum(one["is_met"]) for one in own)
            assert way["missed"]["high"][0] == max(one["missed"][0] for one in own)
            assert way["error"] == pytest.approx(np.mean([one["error"] for one in own], axis=0).tolist())


def test_sentences_follow_the_numbers(results):
    said = "\n".join(conclude(results))
    assert "6 of 6 with the plan's quotas (" in said
    assert "0 of 10 with equal quotas alone (" in said
    assert "in 32 of 32 cases" in said
    changed = copy.deepcopy(results)
    writers = changed["federations"][0]
    writers["ways"]["plan"] |= {"met": 4, "agree": 1}
    writers["asked"] |= {"cost": [10, 10], "enough": [15, 15], "needs": [40, 40]}
    said = "\n".join(conclude(changed))
    assert "4 of 6 with the plan's quotas (" in said
    assert "in 27 of 32 cases" in said
    assert "with 1.50 times as many, and each site alone needs 4.0 times as many in all" in said
    writers |= {"realizable": 1}
    assert "in 1 of 2 seeds one is right at all points, and of others nothing is promised" in "\n".join(
        conclude(changed)
    )
    writers["asked"]["cost"] = [0, 0]
    assert "writers: nothing has to be labelled" in conclude(changed)


def test_shares_that_are_far_off_do_not_agree():
    assert agrees(0.0, 5000, [0.0, 0.0])
    assert agrees(0.012, 5000, [0.0098, 0.0099])
    assert not agrees(0.02, 5000, [0.0098, 0.0099])
    assert agrees(0.7, 5000, [0.5, 1.0])


def test_misses_are_drawn_by_site(results):
    figure = draw(results)
    assert len(figure.axes) == 2
    missed = figure.axes[0]
    lines = {line.get_label(): list(line.get_ydata()) for line in missed.lines}
    assert lines["the plan's quotas"] == results["federations"][0]["ways"]["plan"]["missed"]["mean"]
    assert lines["delta"] == [results["delta"]] * 2
    assert [label.get_text() for label in missed.get_xticklabels()] == results["federations"][0]["sites"]


def test_what_was_kept_is_read_again(quick):
    again = json.loads(json.dumps(quick))
    assert conclusions_of(again) == conclusions_of(quick)
    assert conclusions_of(again)[-1].startswith("quick: leaves out 18 of 20 seeds")
