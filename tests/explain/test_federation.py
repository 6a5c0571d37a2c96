"""What is said about a federation, its file, and a site's report."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.reports import Noise
from fedpact.explain import explain, to_text
from fedpact.explain.federation import describe, fits_in_one_file, observe, say_evidence


def test_what_one_may_stumble_over_in_a_federation():
    rng = np.random.default_rng(0)
    says = (rng.random((2, 4, 50)) < 0.3).astype(int)
    says[:, 3] = says[:, 2]
    fed = fp.Federation.from_predictions(
        {"a": says[0], "b": says[1]}, epsilon={"a": 0, "b": 1}, delta=0.05, capacity={"a": 0, "b": 0}
    )
    seen = observe(fed)
    for part in (
        "1 of 4 hypotheses agrees with another",
        "counted on a sample (predictions on 50 points of each agent)",
        "a tolerates no error at all",
        "b is content with any error",
        "a and b have a capacity of 0",
    ):
        assert any(part in sentence for sentence in seen), part
    assert not fits_in_one_file(fed)
    assert fits_in_one_file(fp.examples.alice_bob())
    assert set(seen) <= set(explain(fed).sentences)


def test_a_class_that_nobody_can_tell_apart():
    fed = fp.Federation.from_table([[0, 1], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1)
    assert observe(fed) == (
        "There is one candidate, or all predict alike on everybody's data: there is nothing to choose, and "
        "nothing is known of its errors.",
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "Each accepts an error of up to 0.1 on its own data, exceeded with probability 0.05 at most."),
        (
            {"epsilon": [0.1, 0.2], "guarantee": "joint"},
            "0.1 to 0.2 at most, depending on the agent, on its own data, exceeded anywhere",
        ),
        ({"objective": "expected"}, "Each accepts an expected error of up to 0.1 on its own data."),
    ],
)
def test_everybody_s_target_is_said(changed, said):
    fed = fp.examples.alice_bob().replace(**changed)
    assert said in describe(fed)
    assert describe(fed) == explain(fed).headline


def test_what_was_done_to_reports_is_said():
    sites = [
        fp.Report(name="a", n=50, n_classes=2, counts=np.array([20]), minimum_count=5),
        fp.Report(
            name="b",
            n=40,
            n_classes=2,
            counts=np.array([20]),
            noise=Noise(scale=2, privacy_epsilon=1, privacy_delta=0.1),
        ),
    ]
    fed = fp.planning.at_confidence(fp.Federation.from_reports(sites, epsilon=0.1, delta=0.05), 0.9)
    assert say_evidence(fed) == (
        "reports of pairwise disagreements on 40 to 50 points of each agent; small counts hidden by a; "
        "noise added by b; rates are estimates, known with confidence 0.9"
    )


def test_a_federation_its_summary_and_its_file_say_the_same(tmp_path):
    fed = fp.examples.alice_bob().replace(capacity={"alice": 1200, "bob": None})
    fed.save(tmp_path / "fed.toml")
    found = fp.check(tmp_path / "fed.toml")
    said = [explain(one) for one in (fed, fp.planning.summarise(fed), found)]
    assert len({(one.title, one.headline, one.tables) for one in said}) == 1
    assert [row[2:] for row in said[0].tables[0].rows] == [("1 per sample", 1200), ("1 per sample", "no limit")]
    assert said[2].sentences == (*said[0].sentences, "No problems found.")


def test_a_broken_file_shows_its_problems(tmp_path):
    (tmp_path / "fed.toml").write_text("delta = 2\n")
    found = fp.check(tmp_path / "fed.toml")
    shown = str(found)
    assert f"{len(found.problems)} problems found." in shown.splitlines()[0]
    assert all(problem in shown for problem in found.problems)


def test_a_report_says_what_leaves_the_site():
    noise = Noise(scale=11.09, privacy_epsilon=1, privacy_delta=1e-6)
    listed = CandidateList.from_names(["x", "y", "z"])
    made = fp.Report(name="north", n=50, n_classes=2, counts=np.array([10, 20, 20]), candidates=listed)
    said = to_text(explain(made))
    assert "How often any two of 3 candidates disagree on 50 points with 2 labels" in said
    assert "The counts are exact." in said
    assert listed.fingerprint in said
    assert explain(made).tables[0].rows[0] == ("x", 0.2, pytest.approx(0.3), 0.4)
    noisy = fp.Report(name="north", n=50, n_classes=2, counts=np.array([10]), noise=noise, minimum_count=5)
    assert explain(noisy).sentences == (
        "Counts below 5, and those that close to 50, are not told apart.",
        "Every count has noise of scale 11.09: the report is (1, 1e-06)-differentially private.",
    )
    assert fp.Report(name="a", n=5, n_classes=2, counts=np.array([], dtype=int)).to_dataframe().shape == (1, 4)


def test_where_nothing_is_assumed_the_best_is_looked_for():
    said = describe(fp.examples.alice_bob().replace(assume="agnostic"))
    assert said.startswith("2 agents look among 4 hypotheses for the best, of which none need be right.")
    assert "an error of up to 0.1 above that of the best on its own data" in said
