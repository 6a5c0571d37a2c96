"""Experiments are cut, computed, kept and put together; what is kept is not computed again."""

import json
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments import catalogue
from fedpact.experiments.sweep.answer_store import AnswerStore
from fedpact.experiments.sweep.experiment import Experiment, Stage, Table, Task
from fedpact.experiments.sweep.run_tasks import open_engine, run_tasks
from fedpact.experiments.sweep.settings import read_change, read_settings


def cut_squares(settings, data, earlier):
    return [Task({"number": number, "log": settings["log"]}, data) for number in settings["numbers"]]


def square(cell, arrays):
    with Path(cell["log"]).open("a") as log:
        log.write(f"{cell['number']}\n")
    if cell["number"] == 13:
        raise KeyboardInterrupt
    return {"square": cell["number"] ** 2 + int(arrays["offset"][0])}


def cut_sum(settings, data, earlier):
    return [Task({"squares": [answer["square"] for answer in earlier[0]]})]


def add(cell, arrays):
    return {"sum": sum(cell["squares"])}


SQUARES = Experiment(
    name="squares",
    about="Squares.",
    prepare=lambda settings, data: {"offset": np.array([settings["offset"]])},
    stages=(Stage(cut=cut_squares, compute=square), Stage(cut=cut_sum, compute=add)),
    sum_up=lambda settings, data, answers: {"squares": answers[0], "sum": answers[1][0]["sum"]},
    tabulate=lambda results: [Table("Squares", ("number", "square"), [("all", str(results["sum"]))])],
    conclude=lambda results: ["squares grow"],
)


@pytest.fixture
def squares(monkeypatch, tmp_path):
    """Run the experiment; returns what it gave and which numbers were computed."""
    settings = {"numbers": [1, 2, 3], "offset": 0, "log": str(tmp_path / "log")}
    monkeypatch.setitem(catalogue._ALL, "squares", SQUARES)
    monkeypatch.setattr(
        "fedpact.experiments.sweep.reproduce.read_settings", lambda *_, changes, **__: settings | changes
    )

    def run(numbers=(1, 2, 3), **options):
        log = tmp_path / "log"
        log.write_text("")
        offset = options.pop("offset", 0)
        options = {"store": tmp_path / "store", "workers": 1} | options
        changes = {"numbers": list(numbers), "offset": offset}
        try:
            found = fp.experiments.reproduce("squares", changes=changes, **options)
        except KeyboardInterrupt:
            found = None
        return found, sorted(int(line) for line in log.read_text().split())

    return run


def test_stages_follow_each_other_and_results_stand_in_the_order_of_the_cells(squares):
    found, _ = squares([3, 1, 2])
    assert found.results == {"squares": [{"square": 9}, {"square": 1}, {"square": 4}], "sum": 14}


def test_what_is_kept_is_not_computed_again(squares):
    first, computed = squares([1, 2, 3])
    assert computed == [1, 2, 3]
    again, computed = squares([1, 2, 3, 4])
    assert computed == [4]
    assert again.results["squares"][:3] == first.results["squares"]
    assert squares([1, 2, 3, 4], fresh=True)[1] == [1, 2, 3, 4]


def test_other_arrays_or_another_revision_are_computed_anew(squares, monkeypatch):
    from dataclasses import replace

    squares([1])
    found, computed = squares([1], offset=1)
    assert (found.results["sum"], computed) == (2, [1])
    monkeypatch.setitem(catalogue._ALL, "squares", replace(SQUARES, revision=2))
    assert squares([1])[1] == [1]


def test_another_program_is_asked_anew_but_for_what_it_trains(squares, monkeypatch):
    from dataclasses import replace

    squares([1])
    monkeypatch.setattr("fedpact.experiments.sweep.reproduce.digest_source", lambda: "another")
    assert squares([1])[1] == [1]
    training = tuple(replace(stage, is_training=True) for stage in SQUARES.stages)
    monkeypatch.setitem(catalogue._ALL, "squares", replace(SQUARES, stages=training))
    assert squares([1])[1] == [1]
    monkeypatch.setattr("fedpact.experiments.sweep.reproduce.digest_source", lambda: "a third")
    assert squares([1])[1] == []


def test_an_interrupted_sweep_goes_on_where_it_stopped(squares):
    found, computed = squares([1, 2, 13, 3])
    assert found is None
    assert computed == [1, 2, 13]
    assert squares([1, 2, 3])[1] == [3]


def test_half_a_kept_answer_is_computed_again(squares, tmp_path):
    squares([1])
    for path in (tmp_path / "store").glob("*.json"):
        path.write_text(path.read_text()[:5])
    assert squares([1])[1] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "{}",
        '{"answer": {"square": 1}}',
        '{"answer": [1], "seconds": 1}',
        '{"answer": {}, "seconds": "1"}',
    ],
)
def test_a_kept_answer_of_another_shape_is_computed_again(squares, tmp_path, text):
    first, _ = squares([1])
    for path in (tmp_path / "store").glob("*.json"):
        path.write_text(text)
    again, computed = squares([1])
    assert computed == [1]
    assert again.results == first.results


def test_bytes_that_are_no_text_are_computed_again(squares, tmp_path):
    squares([1])
    for path in (tmp_path / "store").glob("*.json"):
        path.write_bytes(b"\xff\xfe\x00")
    assert squares([1])[1] == [1]


def test_an_interrupt_while_an_answer_is_written_leaves_nothing(monkeypatch, tmp_path):
    def write_half(answer, file, **_):
        file.write("{")
        raise KeyboardInterrupt

    store = AnswerStore(tmp_path)
    monkeypatch.setattr("fedpact.experiments.sweep.answer_store.json.dump", write_half)
    with pytest.raises(KeyboardInterrupt):
        store.keep("a", {"answer": {}, "seconds": 1.0})
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_found_and_nothing_else_is_left(tmp_path):
    store, kept = AnswerStore(tmp_path / "new"), {"answer": {"sum": 1}, "seconds": 0.5}
    store.keep("a", kept)
    store.keep("a", kept)
    assert store.find("a") == kept
    assert store.find("b") is None
    assert [path.name for path in store.folder.iterdir()] == ["a.json"]


def test_progress_counts_kept_cells_as_done(squares):
    squares([1, 2])
    seen = []
    squares([1, 2, 3], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3), (0, 1), (1, 1)]


def test_results_are_the_same_in_several_processes():
    one, two = (
        fp.experiments.reproduce("price-of-stability", quick=True, workers=workers, fresh=True).to_dict()
        for workers in (1, 2)
    )
    del one["wall_time"], two["wall_time"]
    assert one == two


def test_a_reproduction_comes_back_from_json_and_is_written_as_a_page(tmp_path):
    found = fp.experiments.reproduce("price-of-stability", quick=True, workers=1)
    again = fp.experiments.Reproduction.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    paths = fp.experiments.write_results(again, tmp_path, "fedpact reproduce price-of-stability --quick")
    assert [path.name for path in paths] == [f"price-of-stability.{end}" for end in ("json", "md", "svg")]
    kept = fp.experiments.Reproduction.from_dict(json.loads(paths[0].read_text()))
    assert kept.to_dict() == found.to_dict() | {"command": "fedpact reproduce price-of-stability --quick"}
    page = (tmp_path / "price-of-stability.md").read_text()
    assert page == fp.experiments.write_page(kept)
    assert "```\nfedpact reproduce price-of-stability --quick\n```" in page
    assert "```" not in fp.experiments.write_page(found)
    assert "| 1/16 | 20 | 17 | 1.176 | 5.000 | 1.333 |" in page
    assert "quick: leaves out epsilon below 1/16" in page


@pytest.mark.parametrize("name", fp.experiments.list_experiments())
def test_quick_settings_are_changes_of_parameters_that_exist(name):
    full, quick = read_settings(name), read_settings(name, quick=True)
    assert full.keys() == quick.keys()
    assert quick["leaves_out"]
    assert {key: type(value) for key, value in full.items()} == {key: type(value) for key, value in quick.items()}


def test_a_file_of_ones_own_changes_what_it_names(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("delta = 0.25\n")
    assert read_settings("price-of-stability", file=own)["delta"] == 0.25
    own.write_text("delta = [")
    with pytest.raises(fp.FederationError, match="must be a TOML file"):
        read_settings("price-of-stability", file=own)
    own.write_text('epsilon = "1/8"\n')
    with pytest.raises(fp.FederationError, match=r"epsilon must be a list.*it is '1/8'"):
        read_settings("price-of-stability", file=own)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("epsilon=2020-01-01", "epsilon must be a list, .*; it is a date, '2020-01-01'"),
        ("epsilon=07:32:00", "epsilon must be a list, .*; it is a time, '07:32:00'"),
        ("epsilon={a = 1}", "epsilon must be a list, .*; it is {'a': 1}"),
        ("epsilon={}", "epsilon must be a list, .*; it is {}"),
        ("delta=2020-01-01T00:00:00", "delta must be a number, such as 0.5; it is a datetime, "),
        ("delta=[0.5]", r"delta must be a number, such as 0.5; it is \[0.5\]"),
    ],
)
def test_a_change_of_another_kind_is_said(change, said):
    key, value = read_change(change)
    with pytest.raises(fp.FederationError, match=said) as caught:
        read_settings("price-of-stability", changes={key: value})
    assert "\n" not in str(caught.value)


def test_a_tuple_is_a_list():
    assert read_settings("price-of-stability", changes={"epsilon": ("1/8", "1/16")})["epsilon"] == ["1/8", "1/16"]


def test_what_a_file_changes_holds_for_quick_runs_and_what_it_repeats_does_not(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(fp.experiments.show_settings("price-of-stability").replace("delta = 0.5", "delta = 0.25"))
    quick = read_settings("price-of-stability", quick=True, file=own)
    assert (quick["delta"], quick["epsilon"]) == (0.25, ["1/8", "1/16"])
    own.write_text('epsilon = ["1/4"]\n[quick]\nepsilon = ["1/2"]\n')
    assert read_settings("price-of-stability", file=own)["epsilon"] == ["1/4"]
    assert read_settings("price-of-stability", quick=True, file=own)["epsilon"] == ["1/2"]


def test_what_stands_in_for_data_is_said_where_there_are_none():
    without, with_data = (
        read_settings("hospitals", quick=True, has_data=has)["leaves_out"] for has in (False, True)
    )
    assert without == f"{with_data}; has digits at five sites instead of the hospitals"


def test_what_a_quick_run_leaves_out_is_not_for_others_to_say(tmp_path):
    with pytest.raises(fp.FederationError, match="there is no parameter 'leaves_out'"):
        read_settings("price-of-stability", changes={"leaves_out": "nothing"})
    own = tmp_path / "own.toml"
    own.write_text(fp.experiments.show_settings("price-of-stability"))
    assert read_settings("price-of-stability", file=own) == read_settings("price-of-stability")
    quick = read_settings("price-of-stability", quick=True, changes={"delta": 0.25})
    assert quick["leaves_out"] == "epsilon below 1/16, but for what was changed"


def test_a_store_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file" / "store", tmp_path / "file"):
        with pytest.raises(fp.FederationError, match="answers cannot be kept"):
            fp.experiments.reproduce("price-of-stability", quick=True, store=folder)


def test_a_folder_that_is_there_and_cannot_be_written_to_is_said_before_anything_is_computed(
    squares, monkeypatch, tmp_path
):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("fedpact.experiments.sweep.answer_store.NamedTemporaryFile", refuse)
    with pytest.raises(fp.FederationError, match=r"answers cannot be kept in .*: Permission denied; name another"):
        squares([1], store=tmp_path)
    assert (tmp_path / "log").read_text() == ""


def test_what_no_experiment_wrote_is_said():
    with pytest.raises(fp.FederationError, match="reproduction: 'kind' is missing"):
        fp.experiments.Reproduction.from_dict({"seeds": [0, 1]})


def test_there_is_no_such_experiment():
    with pytest.raises(fp.FederationError, match=r"there is no experiment 'price-of-stabilty'; did you mean"):
        fp.experiments.reproduce("price-of-stabilty")


def count_threads(cell, arrays):
    from threadpoolctl import threadpool_info

    return {"threads": [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cell_has_one_thread_in_this_process_and_in_others(workers):
    with open_engine(workers=workers) as engine:
        ((place, answer, _),) = run_tasks(engine, count_threads, [Task({})])
    assert place == 0
    assert set(answer["threads"]) == {1}
