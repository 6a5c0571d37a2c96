import numpy as np
import pytest

import fedpact as fp
from reproduction.composition.mixtures import (
    Stock,
    check_sizes,
    cut_cells,
    pick_agents,
    read_mixtures,
    train_mixtures,
)
from reproduction.composition.samples import draw_samples

SETTINGS = {
    "seeds": 5, "m": [10, 20], "lambdas": [0.0, 1.0], "epochs": 2, "batch": 5, "learning_rate": 0.01,
    "seeds_per_cell": 3,
}  # fmt: skip


def test_a_cell_says_everything_that_its_answer_depends_on():
    """Answers are kept under the names of cells: a key more or less, and none that was kept is found again."""
    arrays = {"a": {}, "b": {"x": np.arange(3)}}
    tasks = cut_cells(SETTINGS, arrays, classes=7, test_share=0.2)
    shared = {
        "lambdas": [0.0, 1.0],
        "epochs": 2,
        "batch": 5,
        "learning_rate": 0.01,
        "classes": 7,
        "test_share": 0.2,
    }
    assert [task.cell for task in tasks] == [
        {"variant": variant, "m": m, "seeds": seeds} | shared
        for variant in "ab"
        for m in (10, 20)
        for seeds in ([0, 1, 2], [3, 4])
    ]
    assert all(task.arrays is arrays[task.cell["variant"]] for task in tasks)


def test_only_mixtures_that_can_be_filled_are_taken():
    enough, less = Stock("ann", 25, 20), Stock("writer bob", 24, 19)
    check_sizes(SETTINGS, (enough, enough), "images")
    check_sizes(SETTINGS | {"lambdas": [0.5]}, (enough, Stock("bob", 15, 10)), "images")
    said = r"m = 20 with lambda = 1 takes 20 images of writer bob, which has 19 for training \(24, of which 5 are"
    with pytest.raises(fp.FederationError, match=said):
        check_sizes(SETTINGS, (less, enough), "images")
    with pytest.raises(fp.FederationError, match="with lambda = 0 takes 20 images of writer bob"):
        check_sizes(SETTINGS, (enough, less), "images")


REFUSED = [
    ({"m": []}, "m must hold at least one value"),
    ({"lambdas": []}, "lambdas must hold at least one value"),
    ({"m": [50, 50]}, "m must hold every value once, from the lowest to the highest"),
    ({"m": [50, 20]}, "m must hold every value once, from the lowest to the highest"),
    ({"lambdas": [0.5, "1/2"]}, "lambdas must hold every value once"),
    ({"lambdas": [1.0, 0.0]}, "lambdas must hold every value once"),
    ({"learning_rate": 0.0}, "learning_rate must be above 0"),
    ({"lambdas": [0.5, 2]}, "lambdas must lie between 0 and 1"),
    ({"lambdas": ["half"]}, "lambdas must be a number"),
    ({"m": [1.5]}, "m must be a whole number"),
    ({"m": [0]}, "m must be 1 or more"),
    ({"epochs": 0}, "epochs must be 1 or more"),
    ({"batch": 0}, "batch must be 1 or more"),
    ({"seeds_per_cell": 0}, "seeds_per_cell must be 1 or more"),
]


def test_what_cannot_be_mixed_is_refused():
    for changes, said in REFUSED:
        assert read_mixtures(SETTINGS) == SETTINGS
        with pytest.raises(fp.FederationError, match=said):
            read_mixtures(SETTINGS | changes)


def test_cells_have_numbers_whatever_was_written():
    read = read_mixtures(SETTINGS | {"m": [10.0, "20"], "lambdas": [0, "1/2"], "learning_rate": "1/100"})
    cell = cut_cells(read, {"a": {}})[-1].cell
    assert (cell["m"], cell["lambdas"], cell["learning_rate"]) == (20, [0.0, 0.5], 0.01)
    assert isinstance(cell["m"], int)


def test_agents_are_named_or_the_largest():
    assert pick_agents(["b", "c"], ["a", "b", "c"], "role") == ("b", "c")
    with pytest.raises(fp.FederationError, match="roles must be two different names, or none"):
        pick_agents(["b"], ["a", "b"], "role")
    with pytest.raises(fp.FederationError, match="roles must be two different names, or none"):
        pick_agents([["b"], ["b"]], ["a", "b"], "role")


def test_one_agent_alone_is_not_mixed():
    with pytest.raises(fp.FederationError, match="data must have two writers or more, to be mixed; there is ann"):
        pick_agents([], ["ann"], "writer")


def test_agent_2_is_the_weighted_mean_of_its_sources():
    torch = pytest.importorskip("torch")

    class Constant:
        """Knows one class only, whatever it is trained on: its accuracy is that class's share."""

        @staticmethod
        def draw_parameters(classes, rngs):
            return [torch.zeros(len(rngs), classes)]

        @staticmethod
        def score_many(parameters, inputs, /):
            fixed = torch.tensor([1e6, 0.0, 0.0]) + 0 * parameters[0]
            return fixed[:, None].expand(-1, inputs.shape[1], -1)

    labels = torch.from_numpy(np.repeat([0, 1, 0, 2], 10))
    sources = [np.arange(10), np.arange(10, 20), np.arange(20, 30), np.arange(30, 40)]
    draw = draw_samples(sources, 3, 0.2, np.random.default_rng(0))
    cell = SETTINGS | {"variant": "three", "m": 5, "seeds": [0], "classes": 3}
    found = train_mixtures(cell, [draw], Constant, torch.zeros(40, 1), labels)
    right = [labels[torch.from_numpy(test)].eq(0).double().mean().item() for test in draw.tests]
    assert np.array(found["values"]).shape == (1, 2, 2, 2)
    assert [lambdas[0][1] for lambdas in found["values"][0]] == [1.0, 1.0]
    assert found["values"][0][1][1][1] == pytest.approx(np.dot(draw.weights, right[1:]))
