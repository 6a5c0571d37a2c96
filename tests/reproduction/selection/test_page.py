"""Tables, sentences and figure say what the results say, and come from the JSON alone."""

import copy
import json

import pytest

from reproduction.page import conclusions_of, tables_of
from reproduction.selection.page import conclude, draw, tabulate

pytestmark = pytest.mark.slow


@pytest.fixture
def results(quick):
    return json.loads(json.dumps(quick["results"]))


def test_tables_come_from_the_json_alone(quick, results):
    assert tabulate(results) == tables_of(quick)
    titles = [table.title.split(":")[0].split(",")[0] for table in tables_of(quick)]
    assert titles == [
        "Public predictions",
        "Batches",
        "One candidate labels",
        "One candidate labels",
        "True labels",
        "Simulated near ties",
    ]
    for table in tables_of(quick):
        assert {len(row) for row in table.rows} == {len(table.columns)}
    arizona = tables_of(quick)[2].rows[0]
    assert arizona[3:5] == ("140.1", "66.12")


def test_sentences_follow_the_numbers(results):
    said = "\n".join(conclude(results))
    assert "0 that were proved have a regret above epsilon" in said
    assert "adaptive labelling asks for 5.25 and never misses" in said
    assert "cases misses and wrong certificates are no more than promised" in said
    changed = copy.deepcopy(results)
    changed["collections"][0]["above"] = 3
    changed["truths"][0]["rows"][1]["missed"] = 1
    changed["true_labels"][0]["ways"]["adaptive"]["all_near"] = 0
    changed["runs"][0] |= {
        "missed": 2,
        "limits": {"missed": [0.1, 0.5], "false_stop": [0, 1], "false_ever": [0, 1]},
    }
    said = "\n".join(conclude(changed))
    assert " 3 that were proved have a regret above epsilon" in said
    assert "misses, which it must not" in said
    assert "they are in 0.0%, less often than promised" in said
    assert "more often than promised it is wrong with realizable, adaptive" in said


def test_parts_that_were_not_asked_for_are_left_out(results):
    bare = results | {"collections": [], "truths": [], "true_labels": []}
    assert len(tabulate(bare)) == 1
    assert len(conclude(bare)) == 6
    assert not draw(bare).axes


def test_proved_epsilon_is_drawn_by_site(results):
    (axes,) = draw(results).axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [*results["collections"][0]["sites"], "epsilon 0.1"]
    heights = list(axes.lines[0].get_ydata())
    assert heights == sorted(heights, reverse=True)


def test_what_was_kept_is_read_again(quick):
    again = json.loads(json.dumps(quick))
    assert conclusions_of(again) == conclusions_of(quick)
    assert conclusions_of(again)[-1].startswith("quick: leaves out 9 of 10 seeds")
