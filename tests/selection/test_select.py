"""Labels in every form that they may be given in, and what is wrong with others."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.errors import FederationError

SAYS = {"north": [[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], "south": [[1, 0], [1, 1], [0, 0]]}


def two_sites(**settings):
    return fp.Federation.from_predictions(SAYS, **({"epsilon": 0.1, "delta": 0.1} | settings))


def a_table():
    return fp.Federation.from_table(
        [["no", "no"], ["no", "yes"], ["yes", "yes"]],
        [[0.8, 0.2], [0.2, 0.8]],
        names=["alice", "bob"],
        points=["young", "old"],
        epsilon=0.1,
        delta=0.1,
    )


@pytest.mark.parametrize(
    "labels",
    [
        {"north": [0, 1, 1, 1], "south": [1, 1]},
        {"north": np.array([0, 1, 1, 1]), "south": np.array([[1], [1]])},
        lambda site, points: np.array(SAYS[site])[1, points],
        "h2",
    ],
    ids=["lists", "arrays", "function", "candidate"],
)
def test_labels_of_sites_points(labels):
    found = fp.select(two_sites(), labels)
    assert (found.status, set(found.chosen.values())) == ("certified", {"h2"})
    nothing_assumed = fp.select(two_sites(), labels, assume="agnostic", batch=9)
    assert (nothing_assumed.status, set(nothing_assumed.chosen.values())) == ("certified", {"h2"})


@pytest.mark.parametrize(
    "labels",
    [
        {"young": "no", "old": "yes"},
        lambda site, points: [{"young": "no", "old": "yes"}[str(point)] for point in points],
        "h2",
    ],
    ids=["mapping", "function", "candidate"],
)
def test_labels_of_a_tables_points(labels):
    found = fp.select(a_table(), labels)
    assert (found.status, set(found.chosen.values()), found.labels) == ("certified", {"h2"}, 2)
    assert fp.select(a_table(), labels, assume="agnostic").chosen == {"alice": "h2", "bob": "h2"}


def test_an_example_or_a_file_will_do(tmp_path):
    assert fp.select("alice-bob", "xB").chosen == {"alice": "xB", "bob": "xB"}
    two_sites(noise=0.1).save(tmp_path / "net.toml")
    found = fp.select(tmp_path / "net.toml", "h2")
    assert (found.assume, found.noise) == ("noisy", 0.1)


def test_progress_ends_where_everybody_is_ruled_out():
    seen = []
    found = fp.select(two_sites(), "h2", progress=lambda done, total: seen.append((done, total)))
    assert found.status == "certified"
    assert seen == sorted(seen)
    assert seen[-1] == (4, 4)


@pytest.mark.parametrize(
    ("fed", "labels", "message"),
    [
        (two_sites, {"north": [0, 1, 1, 1]}, "labels: site 'south' has none"),
        (two_sites, {"north": [0] * 4, "south": [0], "west": [0]}, "labels: no site is called 'west'"),
        (
            two_sites,
            {"north": [0, 1, 1, 1], "south": [1]},
            "site 'south': labels must be one for each of 2 points",
        ),
        (two_sites, {"north": ["a"] * 4, "south": ["b"] * 2}, "must be all strings or all whole numbers"),
        (
            two_sites,
            {"north": [[0, 1], [1, 1]], "south": [1, 1]},
            "site 'north': labels must give one label per point",
        ),
        (two_sites, "h9", "labels: no candidate is called 'h9'"),
        (two_sites, [0, 1], "labels must map each site to the label of each of its points"),
        (two_sites, lambda site, points: [0, 0, 0], "labels must be one for each of 1 points; they are 3"),
        (
            two_sites,
            {"north": [7, 8, 7, 7], "south": [1, 1]},
            "site 'north': labels: none is a label that any candidate predicts; they are such as 7",
        ),
        (a_table, {"young": "no"}, "labels: point 'old' has none"),
        (a_table, {"young": 0, "old": 1}, "must be all strings or all whole numbers"),
    ],
)
def test_labels_that_cannot_be_are_refused_in_one_line(fed, labels, message):
    with pytest.raises(FederationError) as caught:
        fp.select(fed(), labels)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_batch_of_nothing_is_refused():
    with pytest.raises(FederationError, match="batch"):
        fp.select(two_sites(), "h2", batch=0)


def test_a_selection_reads_back_and_draws_itself():
    found = fp.select(two_sites(), "h2", assume="agnostic")
    assert fp.read_result(found.to_dict()) == found
    assert len(found.plot().axes) == 2
    assert {"assume", "scope", "status", "chosen", "labels_asked", "rounds", "cost", "certified_epsilon"} < set(
        found.to_dict()
    )
