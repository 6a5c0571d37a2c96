from dataclasses import replace

import fedpact as fp
from fedpact.explain import explain


def test_every_row_that_has_no_answer_says_why():
    fed = fp.examples.alice_bob()
    said = explain(fp.compare(fed.replace(capacity=[2, 3])))
    notes = {row[0]: row[-1] for row in said.tables[0].rows}
    assert notes["everyone alone"] == "alice needs 14 samples alone; its capacity is 2 (and 1 more)"
    assert "below the 14 samples" in notes["exchangeable data"]
    assert "finds no plan" in notes["paper's program"]


def test_what_is_not_enough_says_so_beside_what_else_is_known():
    table = fp.compare(fp.examples.singletons())
    notes = {row[0]: row[-1] for row in explain(table).tables[0].rows}
    assert "more samples are needed" in notes["exchangeable data"]
    assert notes["best equilibrium"] == "the cheapest of all"
    missed = table.row("exchangeable").verification
    rows = tuple(
        replace(row, is_feasible=False, verification=missed) if row.method == "best-equilibrium" else row
        for row in table.rows
    )
    notes = {row[0]: row[-1] for row in explain(replace(table, rows=rows)).tables[0].rows}
    assert notes["best equilibrium"].startswith("the cheapest of all; ")
    assert "more samples are needed" in notes["best equilibrium"]


def test_without_a_feasible_row_the_headline_says_so():
    table = fp.compare(fp.examples.singletons())
    none = replace(table, rows=tuple(replace(row, is_feasible=False) for row in table.rows))
    assert none.status == "none-enough"
    assert "No way is known to be enough" in explain(none).headline


def test_one_candidate_leaves_nothing_to_compare():
    fed = fp.Federation.from_predictions({"a": [[0, 1]], "b": [[1]]}, epsilon=0.1, delta=0.1)
    table = fp.compare(fed)
    assert table.row("exact").status == "one-candidate"
    said = explain(table)
    assert said.headline.startswith("There is one candidate, or all predict alike")
    assert said.sentences == ("To measure its errors, label samples and ask fedpact realizability.",)
    assert {row[0]: row[-1] for row in said.tables[0].rows}["exact search"] == "nothing to choose"
