import itertools

import numpy as np
import pytest

from reproduction.composition.boxes import find_trend, measure_trend, sum_up_boxes


def count_page(values):
    """Page's L and its exact p, over all orders of every block."""
    blocks, conditions = values.shape
    weights = np.arange(1, conditions + 1)
    ranks = values.argsort(axis=1).argsort(axis=1) + 1
    statistic = (ranks @ weights).sum()
    sums = [np.dot(order, weights) for order in itertools.permutations(weights)]
    totals = [sum(chosen) for chosen in itertools.product(sums, repeat=blocks)]
    return statistic, np.mean(np.array(totals) >= statistic)


def test_the_trend_is_that_of_all_orders():
    values = np.random.default_rng(0).normal(size=(3, 4)) + 0.6 * np.arange(4)
    statistic, p = count_page(values)
    found = measure_trend(values, rises=True)
    assert found["L"] == statistic
    assert found["p"] == pytest.approx(p, abs=0.02)
    assert measure_trend(-values, rises=False) == found


def test_too_few_for_a_trend():
    assert measure_trend(np.zeros((5, 2)), rises=True) == {"L": None, "p": None}


@pytest.fixture
def results():
    """Losses that fall with lambda for agent 1 and rise for agent 2, accuracies the other way round."""
    rng = np.random.default_rng(1)
    lambdas = [0.0, 0.5, 1.0]
    answers = []
    for m, seeds in itertools.product((10, 20), ((0, 1, 2), (3, 4))):
        slope = np.array([[-1.0, 0.2], [1.0, -0.2]])
        values = np.array(lambdas)[None, :, None, None] * slope + 0.01 * rng.normal(size=(len(seeds), 3, 2, 2))
        answers.append(
            {"variant": "two writers", "m": m, "seeds": list(seeds), "values": (values + 3 - m / 20).tolist()}
        )
    return sum_up_boxes(lambdas, answers)


def test_trends_are_found_for_both_agents_and_both_metrics(results):
    assert results["seeds"] == 5
    for agent, metric, verb in [
        ("agent 1", "loss", "falls"), ("agent 1", "accuracy", "rises"),
        ("agent 2", "loss", "rises"), ("agent 2", "accuracy", "falls"),
    ]:  # fmt: skip
        row = find_trend(results, "two writers", 20, agent, metric)
        assert row["expected"] == verb
        assert row["steps_as_expected"] == 2
        assert row["p"] < 0.01


def test_a_box_is_that_of_its_values(results):
    box = next(
        box for box in results["boxes"]
        if (box["m"], box["agent"], box["metric"], box["lambda"]) == (10, "agent 1", "loss", 1.0)
    )  # fmt: skip
    assert (
        box["low"]
        <= box["whiskers"][0]
        <= box["q1"]
        <= box["median"]
        <= box["q3"]
        <= box["whiskers"][1]
        <= box["high"]
    )
    assert box["mean"] == pytest.approx(1.5, abs=0.02)
