"""What can be read and is probably not meant is said in one warning; what is meant is read without a word."""

import warnings

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.label_matrix import code_truth
from fedpact.protocol.site.site_files import read_site

MODELS = 12
ERRORS = np.linspace(0.02, 0.12, MODELS)[:, None]


def predict(n, rng):
    """What models of different quality predict at n points."""
    truth = rng.random(n) < 0.6
    return (truth ^ (rng.random((MODELS, n)) < ERRORS)).astype(int)


def write_csv(path, columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def save(path, array):
    np.save(path, array)
    return path


def doubted():
    return pytest.warns(UserWarning, match=r"if (it|they)")


def one_warning(caught, *words):
    (said,) = [str(one.message) for one in caught]
    assert "\n" not in said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize(("name", "n"), [("id", 3), ("patient_id", 5), ("Row", 4), ("key", 20), ("chart", 20)])
def test_a_column_that_numbers_the_points_is_doubted(tmp_path, name, n):
    path = write_csv(tmp_path / "a.csv", {name: range(100, 100 + n), "tree": [i % 2 for i in range(n)]})
    with doubted() as caught:
        assert fp.sites.read_predictions(path).H == 2
    one_warning(caught, "a.csv", f"{name!r} differs at every one of {n} points", "leave it out")


def test_a_candidate_of_few_points_or_with_a_label_twice_is_none(tmp_path):
    for columns in ({"tree": range(19)}, {"id": [1, 2, 3, 3]}, {"id": [0, 1]}, {"fluid": [1, 2, 3]}):
        fp.sites.read_predictions(write_csv(tmp_path / "a.csv", columns))


@pytest.mark.parametrize("n", [20, 135, 400])
@pytest.mark.parametrize("kind", [int, str])
def test_points_for_rows_are_doubted_wherever_arrays_are_read(tmp_path, n, kind):
    labels = predict(n, np.random.default_rng(n)).astype(kind)
    path, other = save(tmp_path / "a.npy", labels.T), save(tmp_path / "b.npy", labels)
    fp.sites.read_predictions(other)
    with doubted() as caught:
        fp.sites.read_predictions(path)
    one_warning(caught, "a.npy", f"{n} rows are taken for candidates and 12 columns for points", "transpose")
    toml = tmp_path / "fed.toml"
    head = 'delta = 0.05\nepsilon = 0.1\n[[agents]]\nname = "a"\npredictions = '
    toml.write_text(head + '"b.npy"\n')
    fp.load(toml)
    toml.write_text(head + '"a.npy"\n')
    with doubted() as caught:
        fp.load(toml)
    one_warning(caught, "agent 'a': predictions", f"{n} rows")


def test_many_candidates_on_few_points_are_read_without_a_word(tmp_path):
    rng = np.random.default_rng(1)
    for n in (2, 5, 12, 40):
        truth = rng.random(n) < 0.5
        many = (truth ^ (rng.random((200, n)) < 0.15)).astype(int)
        fp.sites.read_predictions(save(tmp_path / "many.npy", many))


@pytest.mark.parametrize("kind", ["thresholds", "intervals", "rectangles", "halfspaces", "stumps"])
def test_labelings_of_a_class_are_read_back_without_a_word(tmp_path, kind):
    rng = np.random.default_rng(2)
    points = {name: rng.random((12, 1 if kind in ("thresholds", "intervals") else 2)) for name in "ab"}
    fed = fp.Federation.from_points(points, kind, epsilon=0.1, delta=0.05)
    assert fed.H > 12
    fed.save(tmp_path / "fed.toml")
    assert fp.load(tmp_path / "fed.toml").H == fed.H


@pytest.mark.parametrize(("one", "other"), [("Malignant", "malignant"), ("not ill", "not  ill")])
def test_two_spellings_of_a_label_are_doubted_unless_both_are_declared(tmp_path, one, other):
    path = write_csv(tmp_path / "a.csv", {"tree": [one, "benign"], "net": ["benign", other]})
    with doubted() as caught:
        found = fp.sites.read_predictions(path)
    one_warning(caught, "a.csv", repr(one), repr(other), "two labels", "classes")
    assert len(found.classes) == 3
    declared = fp.sites.read_predictions(path, classes=["benign", one, other])
    fp.Federation.from_predictions({"a": declared, "b": declared}, epsilon=0.1, delta=0.05)


def test_two_spellings_at_two_sites_are_doubted():
    seen = {"a": [["Ill", "healthy"]], "b": [["ill", "healthy"]]}
    with doubted() as caught:
        fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
    one_warning(caught, "predictions: 'Ill' and 'ill' are taken for two labels")


def test_a_label_that_is_predicted_in_another_spelling_is_doubted():
    seen = {"a": [["ill", "healthy", "odd"], ["ill", "ill", "odd"]]}
    fed = fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
    with doubted() as caught:
        code_truth(["ill", "Healthy", "odd"], fed.evidence.classes, "labels")
    one_warning(caught, "nobody predicts 'Healthy', and 'healthy' is predicted")


def test_a_site_s_own_files_are_doubted(tmp_path):
    write_csv(tmp_path / "p.csv", {"tree": ["ill", "healthy", "odd"], "net": ["ill", "ill", "odd"]})
    write_csv(tmp_path / "l.csv", {"label": ["ill", "healthy", "Odd"]})
    (tmp_path / "site.toml").write_text('name = "a"\npredictions = "p.csv"\nlabels = "l.csv"\n')
    with doubted() as caught:
        read_site(tmp_path)
    one_warning(caught, "l.csv: nobody predicts 'Odd'")
    held_out = 'held_out = {predictions = "p.csv", labels = "l.csv"}\n'
    (tmp_path / "site.toml").write_text('name = "a"\npredictions = "p.csv"\n' + held_out)
    with doubted() as caught:
        read_site(tmp_path)
    one_warning(caught, "l.csv: nobody predicts 'Odd'")
    write_csv(tmp_path / "p.csv", {"chart": range(20), "net": [0, 1] * 10})
    (tmp_path / "site.toml").write_text('name = "a"\npredictions = "p.csv"\n')
    with doubted() as caught:
        read_site(tmp_path)
    one_warning(caught, "p.csv: 'chart' differs at every one of 20 points")


def test_nothing_is_said_of_usual_predictions(tmp_path):
    labels = predict(135, np.random.default_rng(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = {f"model {i}": row for i, row in enumerate(labels)}
        found = fp.sites.read_predictions(write_csv(tmp_path / "a.csv", columns))
        fp.Federation.from_predictions({"a": found, "b": labels}, epsilon=0.1, delta=0.05)
