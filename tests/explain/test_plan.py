from dataclasses import replace

import fedpact as fp
from fedpact.explain import explain


def test_a_plan_of_nothing():
    said = explain(fp.plan(fp.examples.alice_bob().replace(epsilon=1)))
    assert said.headline.startswith("Nothing has to be labelled")


def test_quality_without_a_lower_bound():
    said = explain(replace(fp.plan(fp.examples.alice_bob(), "union"), lower_bound=0.0))
    assert "not compared with the optimum" in said.headline
    assert any("is not known" in point.answer for point in said.points)


def test_one_candidate_is_nothing_to_choose_and_not_all_that_is_needed():
    fed = fp.Federation.from_predictions({"a": [[0, 1]], "b": [[1]]}, epsilon=0.1, delta=0.1)
    said = explain(fp.plan(fed))
    assert said.headline == (
        "There is one candidate, or all predict alike, so there is nothing to choose; nothing is known of its "
        "errors."
    )
    assert "To measure its errors, label samples and ask fedpact realizability." in said.sentences
    assert "every target is met" not in str(said).lower()
    assert "Nothing has to be labelled" not in str(fp.plan(fed))
