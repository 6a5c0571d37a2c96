"""The hospitals' file: what is read, what is filled in from public patients, what is refused."""

import csv
from copy import deepcopy

import numpy as np
import pytest

import fedpact as fp
from refusals import check_refused
from reproduction.data.private_points import FEATURES, FILE, load_hospitals

HEADER = ["hospital", *FEATURES, "slope", "ca", "thal", "num"]


def patients(rng, n=24):
    """Patients of two hospitals, some values of each missing."""
    for place in range(n):
        row = [rng.integers(30, 80), place % 2, rng.integers(1, 5), 120 + place, 200 + place, place % 2]
        row += [0, rng.integers(90, 180), rng.integers(2), round(rng.random() * 4, 1), "", "?", "", place % 3]
        yield [("north", "south")[place % 2], *map(str, row)]


def write(folder, rows, header=HEADER):
    with (folder / FILE).open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return folder


@pytest.fixture
def rows():
    return list(patients(np.random.default_rng(0)))


def test_a_quarter_of_every_hospital_is_public(tmp_path, rows):
    data = load_hospitals(write(tmp_path, rows), np.random.default_rng(0))
    assert data.public.points.shape == (6, 10)
    assert data.sizes == {"north": 9, "south": 9}
    everybody = np.vstack([data.public.points, *(own.points for own in data.private.values())])
    given = [[float(cell) for cell in row[1:11]] for row in rows]
    assert sorted(everybody.tolist()) == sorted(given)
    ill = data.public.labels.sum() + sum(own.labels.sum() for own in data.private.values())
    assert ill == sum(int(row[-1]) > 0 for row in rows)


@pytest.mark.parametrize(
    ("feature", "cell"), [("trestbps", ""), ("trestbps", "0"), ("chol", "0"), ("chol", "?"), ("cp", "")]
)
def test_what_is_missing_is_filled_in_from_public_patients_alone(tmp_path, rows, feature, cell):
    whole = load_hospitals(write(tmp_path, rows), np.random.default_rng(0))
    column = FEATURES.index(feature)
    public = whole.public.points[:, column]
    kinds, counts = np.unique(public, return_counts=True)
    expected = kinds[counts.argmax()] if feature == "cp" else np.median(public)
    private = whole.private["north"].points[0]
    place = next(i for i, row in enumerate(rows) if [float(value) for value in row[1:11]] == private.tolist())
    rows[place][1 + column] = cell
    data = load_hospitals(write(tmp_path, rows), np.random.default_rng(0))
    assert data.private["north"].points[0, column] == expected
    assert np.array_equal(data.public.points, whole.public.points)


def test_a_zero_that_may_be_is_kept(tmp_path, rows):
    data = load_hospitals(write(tmp_path, rows), np.random.default_rng(0))
    assert 0 in data.public.points[:, FEATURES.index("restecg")]


def change(place, column, cell):
    def apply(rows):
        rows[place][HEADER.index(column)] = cell
        return rows

    return apply


BAD = [
    (change(2, "age", "old"), "line 4: age must be a number or a fraction like \"1/3\"; it is 'old'"),
    (change(0, "num", ""), "line 2: num must be a number"),
    (change(0, "hospital", " "), "line 2: hospital must have a name; it is empty"),
    (lambda rows: [rows[0], rows[1][:-1]], "line 3 must have 15 cells, one per column; it has 14"),
    (lambda rows: [], "must have one line per patient; it has none"),
    (lambda rows: rows[:1], "site 'north' must have two points or more, one of them public; it has 1"),
    (
        lambda rows: [[*row[:4], "", *row[5:]] for row in rows],
        "trestbps must be known of at least one public patient; it never is",
    ),
]


def test_refuses(tmp_path, rows):
    for spoil, message in BAD:
        check_refused(message, load_hospitals, write(tmp_path, spoil(deepcopy(rows))), np.random.default_rng(0))


def test_refuses_a_file_that_is_not_there_or_not_this_one(tmp_path, rows):
    for folder, said in ((tmp_path / "none", "there is no folder"), (tmp_path, "does not")):
        with pytest.raises(fp.FederationError, match=said):
            load_hospitals(folder, np.random.default_rng(0))
    write(tmp_path, rows, header=[*HEADER[:-1], "diagnosis"])
    with pytest.raises(fp.FederationError, match="line 1 must name the column 'num'"):
        load_hospitals(tmp_path, np.random.default_rng(0))
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(fp.FederationError, match="must be a text of comma-separated values in UTF-8"):
        load_hospitals(tmp_path, np.random.default_rng(0))
