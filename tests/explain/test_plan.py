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


def test_whoever_is_asked_for_more_samples_than_it_has_points_is_named():
    found = fp.plan(fp.examples.alice_bob())
    assert "too_few_points" not in found.to_dict()
    assert "points" not in str(found)
    said = explain(replace(found, too_few_points={"alice": 2})).sentences[0]
    assert said.startswith("More samples are asked for than there are points at 1 site (alice: 3 of 2). A run ")
    assert "cannot carry this out" in said
    many = {f"s{i}": 9 for i in range(8)}
    said = explain(
        replace(found, contributions=many, costs=many, too_few_points=dict.fromkeys(many, 4))
    ).sentences[0]
    assert "at 8 sites (s0: 9 of 4, " in said
    assert "s5: 9 of 4 and 2 more)" in said
