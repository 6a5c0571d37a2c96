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
