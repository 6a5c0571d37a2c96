"""What is said about a selection: what is certified, which promise it is, and what to do if nothing is."""

from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from fedpact.explain import explain
from fedpact.explain.words import words_of
from fedpact.planning import SelectionStatus

RNG = np.random.default_rng(0)
TRUTH = {"north": RNG.integers(0, 2, 60), "south": RNG.integers(0, 2, 60)}
SAYS = {
    site: np.stack([np.where(RNG.random(60) < 0.1 * at, 1 - own, own) for at in range(4)])
    for site, own in TRUTH.items()
}


def federation(**options):
    given = {"epsilon": 0.1, "delta": 0.1, "name": "clinics"} | options
    return fp.Federation.from_predictions(SAYS, **given)


def select(fed=None, labels=TRUTH, **options):
    found = fp.select(federation() if fed is None else fed, labels, **options)
    return found, explain(found)


def test_where_nothing_is_assumed_every_site_is_near_its_best():
    found, said = select(assume="agnostic")
    total = f"{found.labels} labels asked, for a cost of {found.labels}."
    assert said.headline == f"Every site has a candidate whose error is within 0.1 of its best: {total}"
    assert said.premise.startswith("Nothing is assumed")
    assert [fact.value for fact in said.facts] == [found.labels, found.cost, found.rounds]
    for site, *row in said.tables[0].rows:
        assert row[0] == found.chosen[site]
        assert (row[1].mood, row[2:]) == (
            "good",
            [0.1, found.labels_asked[site], found.steps[site][-1].in_question],
        )
    assert "The promise to each site may be wrong with probability 0.1." in said.sentences


def test_one_truth_is_named_and_certain():
    _, said = select()
    assert said.headline.startswith(
        "If the assumption holds, 'h1' differs from the truth on 0.1 of every site's data at most: "
    )
    assert "That is certain; but few labels do not test the assumption." in said.sentences
    _, said = select(federation(epsilon=[0.1, 0.2]), scope="each")
    assert said.headline.startswith(
        "If the assumption holds, every site has a candidate that differs from the truth on its epsilon"
    )


@pytest.mark.parametrize(
    ("options", "promise"),
    [
        ({"assume": "noisy", "noise": 0.1}, "With probability 0.1 at most any of this is wrong."),
        ({"ask": "implied-free"}, "The promise to each site may be wrong with probability 0.1."),
        ({"assume": "agnostic", "confidence": 0.9}, "is right with probability 0.9."),
        ({"assume": "agnostic"}, "is taken as the truth; if it is an estimate, give a confidence."),
    ],
)
def test_the_promise_is_the_one_that_was_proved(options, promise):
    assert promise in " ".join(select(**options)[1].sentences)


def test_all_sites_share_a_joint_promise():
    _, said = select(federation(guarantee="joint"), assume="agnostic")
    assert "With probability 0.1 at most any of this is wrong." in said.sentences


def test_what_is_missing_is_said_with_what_to_do():
    found, said = select(assume="agnostic", max_labels=2)
    assert found.status == "budget-spent"
    assert said.headline.startswith("0 of 2 sites have a candidate that is proved good enough: 2 labels asked")
    assert any(
        sentence.startswith("The labels that were allowed are spent: allow more") for sentence in said.sentences
    )
    assert {row[2].mood for row in said.tables[0].rows} == {"bad"}


@pytest.mark.parametrize(
    ("assume", "noise", "more"), [("realizable", None, "noise"), ("noisy", 0.01, "more noise")]
)
def test_a_refuted_assumption_says_how_to_go_on(assume, noise, more):
    odd = {site: np.append(7 + own[:-1], own[-1]) for site, own in TRUTH.items()}
    found, said = select(labels=odd, assume=assume, noise=noise)
    assert found.status == "assumption-refuted"
    assert said.headline.startswith("No candidate can be the truth that was assumed")
    assert f"Go on with assume agnostic, which needs no truth, or with {more}." in said.sentences
    assert not any("promise" in sentence for sentence in said.sentences)
    assert {(own[-1].epsilon, own[-1].in_question) for own in found.steps.values()} == {(1.0, 0)}


def test_without_a_common_candidate_each_has_a_witness():
    says = {"north": [[0] * 40, [1] * 40], "south": [[0] * 40, [1] * 40]}
    fed = fp.Federation.from_predictions(says, epsilon=0.1, delta=0.1, name="clinics")
    labels = {"north": [0] * 40, "south": [1] * 40}
    found, said = select(fed, labels, assume="agnostic", scope="one")
    assert found.status == "no-common-candidate"
    assert said.headline.startswith("No candidate is within 0.1 of the best at every site")
    assert "let every site use its own, with scope each" in said.sentences[0]
    assert sorted(said.tables[1].rows) == [("h1", "south", "h2"), ("h2", "north", "h1")]
    _, said = select(fed, dict.fromkeys(labels, [0] * 40), assume="agnostic", scope="one")
    assert said.headline.startswith("The error of 'h1' is within 0.1 of the best at every site")


def test_charts_have_what_was_proved_and_who_was_left():
    found, said = select(assume="agnostic")
    proved, left = said.charts
    steps = [(site, step) for site, own in found.steps.items() for step in own]
    assert proved.rows == tuple((site, step.labels, step.epsilon) for site, step in steps)
    assert left.rows == tuple((site, step.labels, step.in_question) for site, step in steps)
    assert proved.description.startswith(
        "How far the candidate to use is from the best at most, after so many labels"
    )
    assert "north: " in left.description


def test_every_status_is_said():
    found, _ = select(assume="agnostic")
    for status in SelectionStatus:
        said = explain(replace(found, status=status))
        assert said.headline
        assert status == "certified" or words_of("selection").say(f"status.{status}") in said.sentences
