"""Experiments are cut, computed, kept and put together; what is kept is not computed again."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from reproduction import sweep
from reproduction.__main__ import main
from reproduction.catalogue import HOMES
from reproduction.experiment import Experiment, Stage, Table, Task
from reproduction.page import write_page, write_results
from reproduction.read_settings import read_change, read_settings
from reproduction.sweep import reproduce


def cut_squares(settings, data, earlier):
    return [Task({"number": number, "log": settings["log"]}, data) for number in settings["numbers"]]


def square(cell, arrays):
    with Path(cell["log"]).open("a") as log:
        log.write(f"{cell['number']}\n")
    if cell["number"] == 13:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:  # as a search does that answers with what it has
            return {"square": -1}
    return {"square": cell["number"] ** 2 + int(arrays["offset"][0])}


SQUARES = Experiment(
    name="squares",
    about="Squares.",
    prepare=lambda settings, data: {"offset": np.array([settings["offset"]])},
    stages=(
        Stage(cut=cut_squares, compute=square),
        Stage(
            cut=lambda settings, data, earlier: [Task({"squares": [one["square"] for one in earlier[0]]})],
            compute=lambda cell, arrays: {"sum": sum(cell["squares"])},
        ),
    ),
    sum_up=lambda settings, data, answers: {"squares": answers[0], "sum": answers[1][0]["sum"]},
    tabulate=lambda results: [Table("Squares", ("number", "square"), [("all", str(results["sum"]))])],
    conclude=lambda results: ["squares grow"],
)


@pytest.fixture
def squares(monkeypatch, tmp_path):
    """Run the experiment; returns what it gave and which numbers were computed."""
    log = tmp_path / "log"

    def run(numbers=(1, 2, 3), experiment=SQUARES, program="one", offset=0, **options):
        log.write_text("")
        settings = {"numbers": list(numbers), "offset": offset, "log": str(log)}
        monkeypatch.setattr(sweep, "find_experiment", lambda name: experiment)
        monkeypatch.setattr(sweep, "read_settings", lambda *_, **__: settings)
        monkeypatch.setattr(sweep, "digest_source", lambda: program)
        try:
            found = reproduce("squares", store=tmp_path / "store", workers=1, **options)
        except KeyboardInterrupt:
            found = None
        return found, sorted(int(line) for line in log.read_text().split())

    return run


def test_stages_follow_each_other_and_results_stand_in_the_order_of_the_cells(squares):
    found, _ = squares([3, 1, 2])
    assert found["results"] == {"squares": [{"square": 9}, {"square": 1}, {"square": 4}], "sum": 14}


def test_what_is_kept_is_not_computed_again(squares):
    assert squares([1, 2, 3])[1] == [1, 2, 3]
    seen = []
    assert squares([1, 2, 3, 4], progress=lambda *counts: seen.append(counts))[1] == [4]
    assert seen[0] == (0, 4)
    assert seen[-1] == (1, 1)
    assert squares([1, 2], fresh=True)[1] == [1, 2]


def test_other_arrays_another_revision_or_another_program_are_computed_anew(squares):
    squares([1])
    assert squares([1], offset=1)[1] == [1]
    assert squares([1], experiment=replace(SQUARES, revision=2))[1] == [1]
    assert squares([1], program="another")[1] == [1]
    training = replace(SQUARES, stages=tuple(replace(stage, is_training=True) for stage in SQUARES.stages))
    assert squares([1], experiment=training)[1] == [1]
    assert squares([1], experiment=training, program="a third")[1] == []


def test_an_interrupted_sweep_goes_on_where_it_stopped_and_keeps_no_half_answer(squares):
    found, computed = squares([1, 2, 13, 3])
    assert (found, computed) == (None, [1, 2, 13])
    assert squares([1, 2, 3])[1] == [3]
    assert squares([13])[1] == [13]


def test_a_store_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file" / "store", tmp_path / "file"):
        with pytest.raises(fp.FederationError, match="answers cannot be kept"):
            reproduce("price-of-stability", quick=True, store=folder)


def test_a_page_is_written_with_its_command(tmp_path):
    found = reproduce("price-of-stability", quick=True, workers=1, store=tmp_path)
    assert "```" not in write_page(found)
    paths = write_results(found | {"command": "make reproduce NAME=price-of-stability"}, tmp_path)
    assert [path.name for path in paths] == [f"price-of-stability.{end}" for end in ("json", "md", "svg")]
    kept = json.loads(paths[0].read_text())
    assert kept == found | {"command": "make reproduce NAME=price-of-stability"}
    assert paths[1].read_text() == write_page(kept)
    assert "| 1/16 | 20 | 17 | 1.176 | 5.000 | 1.333 |" in write_page(kept)
    assert "quick: leaves out epsilon below 1/16" in write_page(kept)


def test_the_program_prints_tables_json_settings_and_the_list(capsys, tmp_path):
    words = [
        "price-of-stability",
        "--quick",
        "--workers",
        "1",
        "--store",
        str(tmp_path / "kept"),
        "--out",
        str(tmp_path),
    ]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert ["1/16", "20", "17", "1.176", "5.000", "1.333"] in [line.split() for line in out.splitlines()]
    kept = json.loads((tmp_path / "price-of-stability.json").read_text())
    assert kept["command"] == 'make reproduce NAME=price-of-stability ARGS="--quick"'
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] == kept["results"]
    assert main(["price-of-stability", "--show-settings"]) == 0
    assert "delta = 0.5" in capsys.readouterr().out
    assert main([]) == 0
    assert set(HOMES) <= set(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("truthfulness --seeds -1", "seeds must be"),
        ('price-of-stability --set epsilon=["0.7"]', "epsilon must lie"),
        ("price-of-stability --set delta=often", "delta must be a number, such as 0.5; it is 'often'"),
        ("price-of-stability --set epsilom=2", "no parameter 'epsilom'; did you mean 'epsilon'?"),
        ("price-of-stability --set epsilon=2020-01-01", "epsilon must be a list"),
        ("price-of-stability --set delta", "KEY=VALUE"),
        ("price-of-stability --settings none.toml", "settings cannot be read"),
        ("price-of-stability --seeds 3", "draws nothing at random"),
        ("price-of-stability --data .", "reads no data"),
        ("price-of-stability --engine moon", "engine must be one of local, ray"),
        ("price-of-stability --address here:1", 'address belongs to engine "ray"'),
        ("price-of-stability --out nowhere", "out must be a folder"),
        ("price-of-stabilty", "there is no experiment 'price-of-stabilty'; did you mean"),
    ],
)
def test_what_cannot_be_reproduced_is_said(words, said, capsys):
    assert main(words.split()) == 1
    assert said in capsys.readouterr().err


def test_quick_settings_are_changes_of_parameters_that_exist():
    for name in HOMES:
        full, quick = read_settings(name), read_settings(name, quick=True)
        assert full.keys() == quick.keys()
        assert quick["leaves_out"]
        assert {key: type(full[key]) for key in full} == {key: type(quick[key]) for key in quick}


def test_a_file_of_ones_own_changes_what_it_names(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("delta = 0.25\n")
    assert read_settings("price-of-stability", file=own)["delta"] == 0.25
    own.write_text('epsilon = ["1/4"]\n[quick]\nepsilon = ["1/2"]\n')
    assert read_settings("price-of-stability", file=own)["epsilon"] == ["1/4"]
    assert read_settings("price-of-stability", quick=True, file=own)["epsilon"] == ["1/2"]
    own.write_text("delta = [")
    with pytest.raises(fp.FederationError, match="must be a TOML file"):
        read_settings("price-of-stability", file=own)
    with pytest.raises(fp.FederationError, match="there is no parameter 'leaves_out'"):
        read_settings("price-of-stability", changes=dict([read_change("leaves_out=nothing")]))
    quick = read_settings("price-of-stability", quick=True, changes={"delta": 0.25})
    assert quick["leaves_out"] == "epsilon below 1/16, but for what was changed"
