"""The page of the measured coverage, and the sums it is made of."""

import measure_coverage as script
from coverage_page import write_missed
from results_pages import read


def file_of(lines, branches, missing_lines=(), missing_branches=()):
    counts = {
        "num_statements": lines,
        "covered_lines": lines - len(missing_lines),
        "num_branches": branches,
        "covered_branches": branches - len(missing_branches),
    }
    return {"summary": counts, "missing_lines": list(missing_lines), "missing_branches": list(missing_branches)}


FILES = {
    **{f"src/fedpact/{layer}/whole.py": file_of(10, 8) for layer in script.LAYERS},
    "src/fedpact/game/partly.py": file_of(30, 12, [7], [[6, 7], [9, -3]]),
    "src/fedpact/coalition/other.py": file_of(50, 20, [1], [[1, 2]]),
}


def test_files_are_added_up_by_their_layer():
    rows = {row["layer"]: row for row in script.sum_layers(FILES)}
    assert list(rows) == list(script.LAYERS)
    assert rows["game"] == {
        "layer": "game",
        "files": 2,
        "lines": 40,
        "lines_run": 39,
        "branches": 20,
        "branches_run": 18,
        "missed": {"src/fedpact/game/partly.py": {"lines": [7], "branches": [[6, 7], [9, -3]]}},
    }
    assert rows["describe"]["missed"] == {}


def test_the_share_of_branches_has_no_lines_in_it():
    rows = script.sum_layers(FILES)
    assert [script.branch_share(row) for row in rows] == [1, 1, 1, 0.9, 1]
    assert "| game | 2 | 40 | 97.50% | 20 | 90.00% |" in script.write_table(rows)
    assert write_missed(rows) == "- `src/fedpact/game/partly.py`: 6 to 7, 9 to the end"


def test_every_layer_is_above_the_limit():
    rows = read("test-coverage")["layers"]
    assert [row["layer"] for row in rows] == list(script.LAYERS)
    assert all(script.branch_share(row) > script.LIMIT for row in rows)
