"""FEMNIST from every form of it: the same images; from a form that is broken: one line."""

import gzip
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.femnist import load_femnist
from reproduction.data.femnist_npz import FILE

HAS_DATA = pytest.mark.skipif("FEDPACT_DATA" not in os.environ, reason="FEDPACT_DATA names no folder of data")


def arrays(n=12, seed=0):
    """Three writers' images as an .npz file has them."""
    rng = np.random.default_rng(seed)
    return {
        "x": rng.integers(0, 256, (n, 784), dtype=np.uint8),
        "y": rng.integers(0, 62, n).astype(np.uint8),
        "writer": np.sort(rng.integers(0, 3, n)).astype(np.uint16),
        "writers": np.array(["f0000_14", "f0001_41", "f0002_35"]),
    }


def leaf(given, places):
    """The same images as LEAF has them."""
    user_data = {}
    for place in places:
        own = user_data.setdefault(str(given["writers"][given["writer"][place]]), {"x": [], "y": []})
        own["x"].append([round(float(pixel) / 255, 6) for pixel in given["x"][place]])
        own["y"].append(int(given["y"][place]))
    return {
        "users": list(user_data),
        "num_samples": [len(own["y"]) for own in user_data.values()],
        "user_data": user_data,
    }


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def message(folder):
    with pytest.raises(fp.FederationError) as caught:
        load_femnist(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def assert_same(found, expected):
    """The same images and labels of every writer, in one order."""
    assert {name: n for name, n in expected.sizes.items() if name in found.names} == found.sizes
    for name in found.names:
        ours, theirs = found.places(name), expected.places(name)
        assert np.array_equal(found.labels[ours], expected.labels[theirs])
        assert np.allclose(found.images[ours], expected.images[theirs], atol=1e-6)


def test_an_npz_file_is_read_with_ink_as_one(tmp_path):
    given = arrays()
    np.savez_compressed(tmp_path / FILE, **given, is_test=given["y"])
    data = load_femnist(tmp_path)
    assert (data.name, data.source, data.classes, data.names) == ("femnist", FILE, 62, tuple(given["writers"]))
    assert data.images.dtype == np.float32
    assert data.labels.dtype == data.writer.dtype == np.int64
    assert np.allclose(data.images.reshape(12, 784), 1 - given["x"] / 255, atol=1e-7)
    assert data.labels.tolist() == given["y"].tolist()
    assert data.writer.tolist() == given["writer"].tolist()


LAYOUTS = {
    "one-file": {"all_data_0.json": range(12)},
    "packed": {"a.leaf.json.gz": range(12)},
    "users-over-files": {"b.json": range(5, 12), "a.json": range(5)},
    "train-and-test": {"train/all_data_train_9.json": range(4, 12), "test/all_data_test_9.json": range(4)},
    "leaf-s-own": {"data/train/x_train.json.gz": range(7, 12), "data/test/x_test.json": range(7)},
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_leaf_s_json_gives_the_same_in_every_layout(tmp_path, layout):
    given = arrays()
    (tmp_path / "npz").mkdir()
    np.savez(tmp_path / "npz" / FILE, **given)
    for name, places in layout.items():
        write(tmp_path / "leaf" / name, leaf(given, places))
    found = load_femnist(tmp_path / "leaf")
    assert_same(found, load_femnist(tmp_path / "npz"))
    assert all(name in found.source for name in layout)
    assert str(tmp_path) not in found.source


def test_many_files_are_told_by_the_first_and_their_number(tmp_path):
    given = arrays()
    for place in range(12):
        write(tmp_path / f"part_{place:02}.json", leaf(given, [place]))
    assert load_femnist(tmp_path).source == "part_00.json and 11 more files of LEAF"


def test_a_file_that_is_there_twice_counts_once_and_other_json_not_at_all(tmp_path):
    given = arrays()
    write(tmp_path / "a.json", leaf(given, range(12)))
    write(tmp_path / "a.json.gz", leaf(given, range(12)))
    write(tmp_path / "package.json", {"name": "something else"})
    write(tmp_path / "list.json", [1, 2])
    assert sum(load_femnist(tmp_path).sizes.values()) == 12
    assert load_femnist(tmp_path).source == "a.json"


def test_the_npz_file_goes_first(tmp_path):
    np.savez(tmp_path / FILE, **arrays())
    write(tmp_path / "a.json", leaf(arrays(5, seed=1), range(5)))
    assert load_femnist(tmp_path).source == FILE


def test_nothing_there_is_told_with_what_to_do(tmp_path):
    write(tmp_path / "package.json", {"name": "something else"})
    for folder in (tmp_path, tmp_path / "none", tmp_path / "package.json"):
        said = message(folder)
        assert str(folder) in said
        assert all(word in said for word in (FILE, "preprocess.sh", '"hub"', "--quick"))


def npz(**change):
    def spoil(folder):
        given = {key: value for key, value in {**arrays(), **change}.items() if value is not None}
        np.savez(folder / FILE, **given)

    return spoil


def raw(content):
    return lambda folder: (folder / FILE).write_bytes(content)


def cut(folder):
    np.savez_compressed(folder / FILE, **arrays())
    content = bytearray((folder / FILE).read_bytes())
    content[200:400] = bytes(200)
    (folder / FILE).write_bytes(content)


def one_array(folder):
    with (folder / FILE).open("wb") as file:
        np.save(file, np.zeros(3))


BAD_NPZ = {
    "no-labels": (npz(y=None), "must hold x, y, writer, writers; 'y' is missing"),
    "pixels": (npz(x=np.zeros((12, 780), np.uint8)), "x must be (n, 784) of uint8; it is (12, 780) of uint8"),
    "floats": (npz(x=np.zeros((12, 784))), "x must be (n, 784) of uint8; it is (12, 784) of float64"),
    "short": (npz(y=np.zeros(11, int)), "y must be (12,), as x has it; it is (11,)"),
    "label": (npz(y=np.full(12, 62)), "labels must be whole numbers from 0 to 61; label 1 is 62"),
    "negative": (npz(y=np.array([0] * 11 + [-1])), "from 0 to 61; label 12 is -1"),
    "fraction": (npz(y=np.full(12, 0.5)), "from 0 to 61; label 1 is 0.5"),
    "writer": (npz(writer=np.full(12, 3)), "writer must lie from 0 to 2, a place in writers"),
    "twice": (npz(writers=np.array(["a", "a", "b"])), "writers must be a list of names, each once"),
    "lines": (npz(writers=np.array(["a\nb", "a", "b"])), "writers must be a list of names, each once"),
    "numbers": (npz(writers=np.arange(3)), "writers must be a list of names, each once"),
    "pickled": (npz(writers=np.array([None, "a", "b"])), "must be a whole .npz file of plain arrays"),
    "nobody": (npz(**{key: value[:0] for key, value in arrays().items()}), "must hold one image or more"),
    "text": (raw(b"not an archive"), "must be a whole .npz file of plain arrays; it is not"),
    "empty": (raw(b""), "must be a whole .npz file of plain arrays; it is not"),
    "cut": (cut, "must be a whole .npz file of plain arrays; it is not"),
    "npy": (one_array, "must be a whole .npz file of plain arrays; it is not"),
    "folder": (lambda folder: (folder / FILE).mkdir(), "cannot be read: Is a directory"),
}


@pytest.mark.parametrize(("spoil", "said"), BAD_NPZ.values(), ids=BAD_NPZ)
def test_refuses_a_file_of_arrays(tmp_path, spoil, said):
    spoil(tmp_path)
    assert said in message(tmp_path)
    assert FILE in message(tmp_path)


GONE = object()


def put(*path, to):
    """Change one entry of a file; ``own`` stands for the data of its first user."""

    def spoil(file):
        content = leaf(arrays(), range(12))
        *way, last = path
        inner = {**content, "own": content["user_data"][content["users"][0]]} if way else content
        for key in way:
            inner = inner[key]
        if to is GONE:
            del inner[last]
        else:
            inner[last] = to
        write(file, content)

    return spoil


def gzipped(content):
    return lambda path: path.with_name("a.json.gz").write_bytes(content)


PACKED = gzip.compress(json.dumps(leaf(arrays(), range(12))).encode())
EMPTY = {"users": ["a"], "num_samples": [0], "user_data": {"a": {"x": [], "y": []}}}
BAD_LEAF = {
    "keys": (put("num_samples", to=GONE), "'num_samples' is missing"),
    "kinds": (put("users", to="ab"), "users and num_samples must be lists"),
    "counts": (put("num_samples", to=[1]), "users and num_samples must have one length; they have 3 and 1"),
    "again": (put("users", 0, to="f0001_41"), "users must name every user once; it names one again"),
    "no-user": (put("user_data", "f0000_14", to=GONE), "user 'f0000_14' must have x and y in user_data"),
    "no-labels": (put("own", "y", to=GONE), "must have x and y in user_data"),
    "name": (put("users", 0, to="a\nb"), "must be a name in one line"),
    "number": (put("users", 0, to=7), "user 7 must be a name in one line"),
    "length": (put("own", "y", 0, to=GONE), "x, y and num_samples must have one length; they are 3, 2 and 3"),
    "n": (put("num_samples", 0, to=99), "x, y and num_samples must have one length; they are 3, 3 and 99"),
    "label": (put("own", "y", 0, to=62), "from 0 to 61; label 1 is 62"),
    "null": (put("own", "y", 0, to=None), "from 0 to 61; label 1 is None"),
    "nested": (put("own", "y", 0, to=[1, 2]), "labels must be one list"),
    "pixels": (put("own", "x", to=[[1.0] * 783] * 3), "an image must have 784 pixels; these have 783"),
    "ragged": (put("own", "x", 0, to=[1.0]), "x must be images of 784 numbers each"),
    "text": (put("own", "x", to=["ab"] * 3), "x must be images of 784 numbers each"),
    "bytes": (put("own", "x", 0, 0, to=255), "between 0 (ink) and 1 (paper)"),
    "nan": (put("own", "x", 0, 0, to=float("nan")), "between 0 (ink) and 1 (paper)"),
    "nobody": (lambda path: write(path, EMPTY), "must hold one image or more; it holds none"),
    "no-json": (lambda path: path.write_text("{\n'a"), "must be a JSON file; line 2 is not"),
    "binary": (lambda path: path.write_bytes(b"{\xff"), "must be a JSON file; it is not"),
    "deep": (lambda path: path.write_text("[" * 100_000), "must be a JSON file; it is not"),
    "truncated": (gzipped(PACKED[:-20]), "must be a whole gzip file; it is not"),
    "no-gzip": (gzipped(b"plain"), "must be a whole gzip file; it is not"),
    "changed": (gzipped(PACKED[:40] + bytes(40) + PACKED[80:]), "must be a whole gzip file; it is not"),
    "a-folder": (lambda path: path.mkdir(), "cannot be read: Is a directory"),
}


@pytest.mark.parametrize(("spoil", "said"), BAD_LEAF.values(), ids=BAD_LEAF)
def test_refuses_a_file_of_leaf(tmp_path, spoil, said):
    spoil(tmp_path / "a.json")
    assert said in message(tmp_path)
    assert "a.json" in message(tmp_path)


def test_the_hub_needs_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "flwr_datasets", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[hub\]"'):
        load_femnist("hub")


@HAS_DATA
def test_the_real_files_agree(tmp_path):
    folder = Path(os.environ["FEDPACT_DATA"])
    whole = load_femnist(folder)
    assert (whole.images.shape, len(whole.names), whole.source) == ((16282, 28, 28), 110, FILE)
    assert list(whole.sizes.items())[:2] == [("f1255_13", 355), ("f0424_27", 315)]
    assert 0.02 < whole.images.mean() < 0.2
    for path in folder.glob("*.leaf.json.gz"):
        shutil.copy(path, tmp_path)
    largest = load_femnist(tmp_path)
    assert largest.source == "femnist_top20_test.leaf.json.gz and femnist_top20_train.leaf.json.gz"
    assert list(largest.sizes) == list(whole.sizes)[:20]
    assert_same(largest, whole)
