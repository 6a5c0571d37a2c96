"""Warnings on the command line: one line each on stderr, and the answer as it is."""

import warnings

import numpy as np


def test_a_doubt_is_one_line_and_changes_neither_the_answer_nor_the_exit_code(fedpact, tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text("id,tree\n7,0\n8,1\n9,1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, out, err = fedpact("report", str(path), "--name", "clinic", "-o", str(tmp_path / "r.npz"), "--json")
    assert code == 0
    assert out.startswith("{")
    assert err == (
        f"warning: {path}: 'id' differs at every one of 3 points and is taken for a candidate; if it numbers the "
        "points, leave it out\n"
    )


def test_the_command_line_shows_warnings_as_python_does_elsewhere_only_while_it_runs(fedpact):
    before = warnings.showwarning
    assert fedpact("check", "alice-bob")[0] == 0
    assert warnings.showwarning is before


def test_a_federation_file_with_points_for_rows_is_doubted(fedpact, tmp_path):
    rng = np.random.default_rng(1)
    truth = rng.random(135) < 0.6
    np.save(tmp_path / "a.npy", (truth[:, None] ^ (rng.random((135, 12)) < 0.05)).astype(int))
    file = tmp_path / "fed.toml"
    file.write_text('delta = 0.05\nepsilon = 0.1\n[[agents]]\nname = "a"\npredictions = "a.npy"\n')
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, _, err = fedpact("check", str(file))
    assert code == 0
    assert err.count("\n") == 1
    assert err.startswith("warning: agent 'a': predictions: 135 rows are taken for candidates and 12 columns")
