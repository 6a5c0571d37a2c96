"""A federation file that a stranger sent reaches nothing but what was sent with it."""

import json

import numpy as np
import pytest

import fedpact as fp

OUTSIDE = ["../secret.npy", "../nothing.npy", "/etc/passwd", "link.npy", "inner/../../secret.npy"]


def write_confined(folder, value, kind="predictions"):
    (folder / "network.toml").write_text(
        f'delta = 0.1\nepsilon = 0.2\n[[agents]]\nname = "a"\n{kind} = {value!r}\n[hypotheses]\n'
        + ('class = "thresholds"\n' if kind == "points" else "")
    )
    return folder / "network.toml"


@pytest.fixture
def confined(tmp_path):
    """A folder of a stranger's, with a file beside it that is not the stranger's."""
    folder = tmp_path / "sent"
    (folder / "inner").mkdir(parents=True)
    for path in (tmp_path / "secret.npy", folder / "own.npy", folder / "inner" / "own.npy"):
        np.save(path, np.array([[0, 1], [1, 1]]))
    (folder / "link.npy").symlink_to(tmp_path / "secret.npy")
    return folder


@pytest.mark.parametrize("kind", ["predictions", "points", "report"])
@pytest.mark.parametrize("value", OUTSIDE)
def test_a_confined_file_reaches_nothing_outside_of_its_folder(confined, value, kind):
    path = write_confined(confined, value, kind)
    with pytest.raises(fp.FederationError) as caught:
        fp.load(path, confined=True)
    assert "lies outside of the folder of the federation file" in str(caught.value)
    assert fp.check(path, confined=True).problems == caught.value.problems


@pytest.mark.parametrize("value", ["own.npy", "inner/own.npy", "./inner/../own.npy"])
def test_a_confined_file_reads_what_is_beside_it(confined, value):
    assert fp.load(write_confined(confined, value), confined=True).names == ("a",)


def test_without_confinement_files_may_be_anywhere(confined):
    assert fp.load(write_confined(confined, "../secret.npy")).names == ("a",)


@pytest.mark.parametrize("name", ["a\0b.npy", "x" * 5000, ""])
def test_names_that_no_disk_has_are_problems(confined, name):
    path = confined / "network.json"
    path.write_text(json.dumps({"delta": 0.1, "epsilon": 0.2, "agents": [{"name": "a", "predictions": name}]}))
    for is_confined in (False, True):
        with pytest.raises(fp.FederationError, match="agent 'a': predictions"):
            fp.load(path, confined=is_confined)


@pytest.mark.parametrize("kind", ["predictions", "points"])
def test_an_array_that_promises_more_than_the_file_holds_is_refused_before_it_is_read(confined, kind):
    data = (confined / "own.npy").read_bytes()
    (confined / "own.npy").write_bytes(data.replace(b"(2, 2), }          ", b"(2, 99999999999), }"))
    with pytest.raises(fp.FederationError, match=r"not an \.npy array"):
        fp.load(write_confined(confined, "own.npy", kind))


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_character_is_refused_wherever_it_stands(tmp_path, text):
    path = tmp_path / "network.json"
    path.write_text(
        json.dumps({"delta": 0.1, "epsilon": 0.2, "agents": [{"name": text, "distribution": {"x": 1}}]})
    )
    assert any("half of a character" in problem for problem in fp.check(path).problems)


def test_whole_characters_beyond_the_basic_plane_are_fine(tmp_path):
    path = tmp_path / "network.json"
    agents = [{"name": "\U0001f600", "distribution": {"x": 1}}]
    hypotheses = {"class": "all-labelings"}
    path.write_text(json.dumps({"delta": 0.1, "epsilon": 0.2, "agents": agents, "hypotheses": hypotheses}))
    assert "\\ud83d" in path.read_text()
    assert fp.load(path).names == ("\U0001f600",)
