"""``fedpact forecast`` as a user meets it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fedpact as fp


def test_a_row_for_each_way_grouped_by_what_is_assumed(fedpact):
    code, out, _ = fedpact("forecast", "alice-bob", "--batch", "1,2", "--runs", "5")
    assert code == 0
    assert out.startswith(
        "alice-bob: If some candidate agrees with every label, everyone alone takes 28 labels, a fixed plan 5 and "
        "adaptive labelling 2 on average.\n"
    )
    ways = ["everyone alone", "fixed plan", "adaptive, one label at a time", "adaptive, batches of 2"]
    rows = out.splitlines()[2:14]
    assert [line.split("  ")[0] for line in rows[::4]] == ["some candidate is right", "noise 0.05", "nothing"]
    assert all(way in row for row, way in zip(rows, ways * 3, strict=True))
    assert "wrong with probability 0.05 where labels may be wrong" in out


def test_json_is_the_dictionary_of_the_result(fedpact):
    options = ["--assume", "noisy,realizable", "--noise", "1/10", "--batch", "2", "--runs", "3", "--seed", "7"]
    code, out, err = fedpact("forecast", "alice-bob", *options, "--json")
    assert (code, err) == (0, "")
    seen = fp.forecast("alice-bob", assume=("noisy", "realizable"), noise=0.1, batch=2, runs=3, rng=7)
    assert json.loads(out) == seen.to_dict()


def test_time_may_be_limited(fedpact):
    _, out, _ = fedpact("forecast", "alice-bob", "--time-limit", "0", "--json")
    assert {row["runs"] for row in json.loads(out)["rows"]} == {0, 1}


def test_of_reports_plans_are_forecast(fedpact, tmp_path):
    report = fp.report(np.random.default_rng(0).integers(0, 2, (5, 60)), name="north")
    fp.Federation.from_reports([report], epsilon=0.1, delta=0.1).save(tmp_path / "reports.json")
    code, out, _ = fedpact("forecast", str(tmp_path / "reports.json"), "--assume", "realizable")
    assert code == 0
    assert "fixed plan" in out
    assert "daptive" not in out


def test_plot_writes_a_figure(fedpact, tmp_path):
    path = tmp_path / "labels.svg"
    assert fedpact("forecast", "alice-bob", "--runs", "1", "--plot", str(path))[0] == 0
    assert path.read_text().startswith("<?xml")


BAD = {
    "what": (["alice-rob"], "did you mean 'alice-bob'?"),
    "assume": (["alice-bob", "--assume", "realizable,any"], "assume must be one of"),
    "none": (["alice-bob", "--assume", ","], "assume must be a list"),
    "noise": (["alice-bob", "--noise", "0.5"], "noise must be below 0.5; it is 0.5"),
    "batch": (["alice-bob", "--batch", "0"], "batch"),
    "word": (["alice-bob", "--batch", "all"], "batch must be a number"),
    "runs": (["alice-bob", "--runs", "0"], "runs"),
    "seed": (["alice-bob", "--seed", "-1"], "rng"),
    "time": (["alice-bob", "--time-limit", "-1"], "time_limit"),
    "table": (["alice-bob", "--confidence", "0.9"], "confidence has no meaning for a table"),
    "plot": (["alice-bob", "--plot", "x.txt"], "plot must be a file that ends in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_requests_are_one_line_and_exit_1(fedpact, case):
    words, message = BAD[case]
    code, out, err = fedpact("forecast", *words)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert message in err
