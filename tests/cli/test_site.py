"""What a site can look at before it takes part."""

import json

import numpy as np
import pytest

import fedpact as fp
from fedpact.protocol.keys.signing import save_key


@pytest.fixture
def clinic(tmp_path):
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "predictions.csv").write_text("forest,stump\n" + "ill,ill\nill,healthy\nhealthy,healthy\n" * 20)
    (folder / "site.toml").write_text('name = "[clinic]"\npredictions = "predictions.csv"\n')
    return folder


def test_a_site_is_told_what_it_would_report(fedpact, clinic):
    line = "[clinic]: 2 candidates on 60 points; labels up to 60 samples; does not sign its answers\n"
    assert fedpact("site", "check", str(clinic)) == (0, line, "")
    code, out, _ = fedpact("site", "check", str(clinic), "--json")
    made = fp.protocol.make_site_report(fp.protocol.read_site(clinic))
    assert (code, json.loads(out)) == (0, {**made.to_dict(), "pool": 60, "signs": False})
    assert made.counts.tolist() == [20], "the two differ on every third point"
    assert sorted(path.name for path in clinic.iterdir()) == ["predictions.csv", "site.toml"]


def test_a_site_that_signs_and_draws_from_a_distribution(fedpact, clinic):
    key = fp.protocol.SigningKey.generate()
    save_key(key, clinic / "signing.key")
    np.save(clinic / "masses.npy", np.full(60, 1 / 60))
    with (clinic / "site.toml").open("a") as file:
        file.write('key = "signing.key"\nmasses = "masses.npy"\n')
    code, out, _ = fedpact("site", "check", str(clinic))
    assert code == 0
    assert "labels any number of samples; signs its answers" in out
    assert key.public not in out


WRONG = {
    "no-folder": (None, "no such folder"),
    "no-name": ('predictions = "predictions.csv"', "name is missing"),
    "no-predictions": ('name = "x"', "predictions is missing"),
    "unknown-key": ('name = "x"\npredictions = "predictions.csv"\nlables = "y.csv"', "lables"),
    "file-not-there": ('name = "x"\npredictions = "other.csv"', "other.csv"),
    "no-toml": ("name = ", "site.toml"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_folder_that_is_wrong_is_one_line(fedpact, clinic, kind):
    text, line = WRONG[kind]
    if text is not None:
        (clinic / "site.toml").write_text(text)
    code, out, err = fedpact("site", "check", str(clinic if text is not None else clinic / "none"))
    assert (code, out) == (1, "")
    assert line in err
    assert len(err.splitlines()) == 1


@pytest.mark.flower
def test_joining_away_without_keys_starts_nothing(fedpact, clinic):
    code, out, err = fedpact("site", "join", str(clinic), "--superlink", "fl.example.org:9092")
    assert (code, out) == (1, "")
    assert err == (
        "error: a SuperLink at fl.example.org:9092 is not joined without keys; give the folder of yours\n"
    )


def test_all_problems_are_shown_one_to_a_line(fedpact, clinic):
    (clinic / "site.toml").write_text(
        'name = "x"\npredictions = "gone.csv"\nlables = "y.csv"\nleast = -4\nmost = "x"\nkey = "gone.key"\n'
    )
    code, out, err = fedpact("site", "check", str(clinic))
    assert (code, out) == (1, "")
    lines = err.splitlines()
    assert all(line.startswith(f"error: {clinic}/") for line in lines)
    assert len(lines) == 5
    for what in ("lables", "least must be a whole number >= 1; it is -4", "most", "gone.key", "gone.csv"):
        assert sum(what in line for line in lines) == 1


def test_no_more_problems_are_shown_than_can_be_read(fedpact, clinic):
    unknown = "".join(f"unknown_{number} = 1\n" for number in range(25))
    (clinic / "site.toml").write_text(f'name = "x"\npredictions = "predictions.csv"\n{unknown}')
    lines = fedpact("site", "check", str(clinic))[2].splitlines()
    assert len(lines) == 21
    assert lines[-1] == "error: and 5 more"


@pytest.mark.flower
@pytest.mark.parametrize("address", ["localhost", "localhost:abc"])
def test_an_address_without_a_port_is_one_line(fedpact, clinic, address):
    code, out, err = fedpact("site", "join", str(clinic), "--superlink", address)
    assert (code, out) == (1, "")
    assert err == f"error: --superlink must be HOST:PORT, as in fl.example.org:9092; it is {address!r}\n"


@pytest.mark.flower
def test_how_joining_ended_is_the_command_s_exit_code(fedpact, clinic, monkeypatch):
    asked = {}

    def join(folder, superlink, **options):
        asked.update(options, superlink=superlink)
        return 143

    monkeypatch.setattr(fp.protocol.flower, "join_federation", join)
    assert fedpact("site", "join", str(clinic), "--superlink", "127.0.0.1:1", "--verbose")[0] == 143
    assert asked == {"superlink": "127.0.0.1:1", "keys": None, "is_verbose": True}


@pytest.mark.flower
def test_joining_says_every_line_as_json_if_asked(fedpact, clinic, monkeypatch):
    def join(folder, superlink, *, say, **options):
        say("joining", f"joining {superlink}")
        return 0

    monkeypatch.setattr(fp.protocol.flower, "join_federation", join)
    code, out, err = fedpact("site", "join", str(clinic), "--superlink", "127.0.0.1:1", "--json")
    assert (code, json.loads(out), err) == (0, {"what": "joining", "says": "joining 127.0.0.1:1"}, "")
