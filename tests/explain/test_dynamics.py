import fedpact as fp
from fedpact.explain import explain
from fedpact.explain.dynamics import chart_path, explain_play


def test_how_play_went_and_ended_is_said():
    said = explain(fp.best_response_dynamics(fp.examples.alice_bob(), start=[5, 5]))
    assert "alice: 5, bob: 5" in said.sentences[1]
    assert "2 moves in 2 rounds" in said.sentences[1]
    assert "5 (alice: 2, bob: 3)" in said.sentences[2]
    assert [row[2] for row in said.tables[0].rows] == [10, 7, 5]


def test_targets_that_are_missed_at_the_end_are_named():
    played = fp.best_response_dynamics(fp.examples.alice_bob())
    said = explain_play(played, ["alice", "bob"])
    assert "targets of alice and bob" in said.sentences[-1]
    assert not said.tables


def test_of_a_long_path_the_ends_are_listed_and_the_last_steps_drawn():
    ring = fp.examples.no_pure_equilibrium()
    played = fp.best_response_dynamics(ring, order="random", max_rounds=40)
    (table,) = explain(played).tables
    last = len(played.path) - 1
    assert [row[0] for row in table.rows] == [*range(6), *range(last - 5, last + 1)]
    assert str(last - 11) in table.gap
    chart = chart_path(played)
    assert len(chart.rows) == 60
    assert "The last 60" in chart.description
    assert "never settles" in chart.description
