"""What is said about a forecast."""

from dataclasses import replace

import numpy as np

import fedpact as fp
from fedpact.explain import explain


def test_every_assumption_has_a_sentence_and_every_way_a_row():
    seen = fp.forecast("alice-bob", batch=(1, 2), runs=5)
    said = explain(seen)
    assert said.headline.startswith("If some candidate agrees with every label, everyone alone takes 28 labels")
    assert said.sentences[0].startswith("If labels are wrong with probability 0.05 at most, ")
    assert said.sentences[1].startswith("If nothing is assumed of labels, ")
    (table,) = said.tables
    assert [row[1] for row in table.rows[:4]] == [
        "everyone alone",
        "fixed plan",
        "adaptive, one label at a time",
        "adaptive, batches of 2",
    ]
    assert [row[3] for row in table.rows[:3]] == ["28", "5", "2"]
    assert table.rows[6][3].endswith(" seen")
    assert said.charts[0].rows == tuple(row[:4] for row in table.rows)


def test_what_cannot_be_done_says_why():
    fed = fp.examples.alice_bob()
    short = fp.Federation.from_table(
        fed.labels, fed.evidence.distributions, epsilon=0.1, delta=0.05, capacity=[4, 3], name="short"
    )
    said = explain(fp.forecast(short, assume="realizable", batch=1))
    assert said.headline.startswith("If some candidate agrees with every label, ")
    assert "cannot reach the target alone" in said.tables[0].rows[0][-1]
    assert said.tables[0].rows[0][2:5] == (None, None, None)


def test_nothing_is_said_of_simulated_labels_where_none_are():
    report = fp.report(np.random.default_rng(0).integers(0, 2, (5, 60)), name="north")
    fed = fp.Federation.from_reports([report], epsilon=0.1, delta=0.1, guarantee="joint")
    said = explain(fp.forecast(fed, assume="realizable", confidence=0.9))
    assert said.headline.startswith("If some candidate agrees with every label, a fixed plan takes ")
    assert said.sentences[0].endswith("right with probability 0.9. Everyone alone is left out.")
    assert said.sentences[1:] == ("Any site's target is missed with probability 0.1 at most.",)


def test_runs_without_every_proof_are_said():
    seen = fp.forecast("alice-bob", assume="realizable", batch=1)
    rows = tuple(replace(row, certified=0.5) for row in seen.rows)
    assert "50% of the runs had every proof" in [
        row[-1] for row in explain(replace(seen, rows=rows)).tables[0].rows
    ]
    none = tuple(replace(row, labels=None) for row in seen.rows)
    assert "no way is known to meet the targets" in explain(replace(seen, rows=none)).headline
