"""What is said about a verification, and about what divides the agents and drives the cost."""

import fedpact as fp
from fedpact.explain import explain, to_text


def test_every_agent_has_a_row_with_what_is_hardest():
    said = explain(fp.verify(fp.examples.alice_bob(), [1, 1]))
    assert said.headline.startswith("With 2 samples for a cost of 2, the per-agent guarantee does not hold")
    (row, _) = said.tables[0].rows
    assert (row[0], row[1], str(row[2]), row[3], str(row[4]), row[4].mood) == (
        "alice", 1, "0.32", 0.05, "not met", "bad",
    )  # fmt: skip
    met = explain(fp.verify(fp.examples.alice_bob(), [3, 2]))
    assert "the per-agent guarantee holds." in met.headline
    assert [(str(row[4]), row[7]) for row in met.tables[0].rows] == [("met", None)] * 2


def test_an_estimate_says_how_sure_it_is_and_what_is_not_decided():
    fed = fp.examples.build("coupon-collector(5)")
    seen = fp.verify(fed, [9], how="estimate", draws=500)
    said = explain(seen)
    assert f"The intervals hold with probability {seen.confidence}." in said.sentences
    assert " to " in to_text(said)
    undecided = fp.verify(fed, [12], how="estimate", draws=2)
    assert undecided.status == "undecided"
    assert str(explain(undecided).tables[0].rows[0][4]) == "not known to be met"


def test_the_joint_failure_is_said():
    fed = fp.examples.alice_bob().replace(guarantee="joint")
    sentences = explain(fp.verify(fed, [1, 1])).sentences
    assert sentences[1].startswith("Some agent misses its target with probability 0.")
    assert "likeliest survivor" in sentences[2]
    assert "survivor" not in " ".join(explain(fp.verify(fed, [9, 9])).sentences)


def test_the_expected_error_is_compared_with_epsilon():
    said = explain(fp.verify(fp.examples.alice_bob().replace(objective="expected"), [1, 1]))
    assert said.tables[0].columns[2].title == "expected error"
    assert said.tables[0].rows[0][3] == 0.1


def test_prices_say_who_drives_the_cost():
    said = explain(fp.planning.shadow_prices(fp.examples.build("price-of-stability(1/16)")))
    assert [row[0] for row in said.tables[0].rows] == ["alice"]
    assert "1 of 2 agents" in said.sentences[1]
    nothing = explain(fp.planning.shadow_prices(fp.examples.alice_bob().replace(epsilon=1)))
    assert (nothing.tables, nothing.headline.split()[0]) == ((), "Nothing")


def test_divergence_names_who_differs_most():
    said = explain(fp.planning.divergence(fp.examples.alice_bob()))
    assert said.headline == "The largest difference is 0.6, between alice and bob."
    assert said.charts[0].rows == (("alice", 0.0, 0.6000000000000001), ("bob", 0.6000000000000001, 0.0))
    masses = [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]]
    fed = fp.Federation.from_table([[0, 0], [0, 1]], masses, epsilon=0.1, delta=0.1, names=["a", "b", "c"])
    three = explain(fp.planning.divergence(fed)).charts[0].description
    assert "It is largest, 0.4, between a and c" in three
    assert "It is smallest, 0, between a and b." in three
    assert explain(fp.planning.divergence(fed.restrict(["a", "b"]))).headline.startswith(
        "All agents' data are alike"
    )
    alone = explain(fp.planning.divergence(fed.restrict(["a"])))
    assert (alone.charts, alone.tables) == ((), ())


def test_many_agents_are_listed_in_pairs():
    masses = [[1 - at / 100, at / 100] for at in range(30)]
    fed = fp.Federation.from_table([[0, 0], [0, 1]], masses, epsilon=0.1, delta=0.1)
    chart = explain(fp.planning.divergence(fed)).charts[0]
    assert chart.columns == ("agent", "agent", "largest difference")
    assert chart.rows[0][:2] == ("agent-1", "agent-30")
    assert len(chart.rows) == 200
