"""With nonsense in the place of every word, what is stored and what is printed as JSON stay as they were."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fedpact import cli
from fedpact.explain.words import Words, words_of
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.statements import statements_of
from fedpact.protocol.runs import read_outcome
from result_instances import build, find_results

KINDS = [place.name.removesuffix(".toml") for place in files("fedpact.explain").joinpath("words").iterdir()]
LEDGERS = sorted(Path(__file__).parents[1].joinpath("formats", "kept").glob("ledger-*-finished.db"))
NONSENSE = "Twas brillig"
COMMANDS = {
    "check": "check alice-bob",
    "plan": "plan alice-bob",
    "plan-expected": "plan expected-min-counterexample",
    "verify": "verify alice-bob --m 3,2",
    "compare": "compare alice-bob",
    "game": "game alice-bob --dynamics",
    "frontier": "frontier alice-bob --epsilon 0.1,0.2",
    "prices": "prices alice-bob",
    "share": "share alice-bob",
    "pay": "pay alice-bob",
    "audit": "audit alice-bob --n-misreports 5",
    "select": "select alice-bob --truth nowhere",
    "forecast": "forecast alice-bob --runs 2",
    "rules": "audit pwyc-not-dominant --n-misreports 2 --rule all",
}


@pytest.fixture
def say_nonsense(monkeypatch):
    """Replace every text of every kind, when it is called."""

    def replace():
        for kind in KINDS:
            words = words_of(kind)
            monkeypatch.setattr(words, "texts", dict.fromkeys(words.texts, NONSENSE))

    return replace


def run(command):
    answer = CliRunner().invoke(cli.app, command.split())
    assert answer.exception is None or answer.exit_code in (0, 1), answer.output
    return answer.stdout


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_json_has_no_words(command, say_nonsense):
    before, said = run(f"{command} --json"), run(command)
    say_nonsense()
    assert run(f"{command} --json") == before
    now = run(command)
    assert NONSENSE in now
    assert now != said


def read_all(where):
    """All that is read from a ledger, as bytes."""
    found = [verify_ledger(where), check_books(where), read_outcome(where), *statements_of(where)]
    return [json.dumps(one.to_dict()) for one in found], [str(one) for one in found]


@pytest.mark.parametrize("kept", LEDGERS, ids=[path.name for path in LEDGERS])
def test_a_ledger_is_intact_and_its_books_are_right_whatever_words_mean(kept, tmp_path, say_nonsense):
    where = tmp_path / kept.name
    shutil.copy(kept, where)
    stored = where.read_bytes()
    before, said = read_all(where)
    say_nonsense()
    now, nonsense = read_all(where)
    assert now == before
    assert all(NONSENSE in text and text != was for text, was in zip(nonsense, said, strict=True))
    assert check_books(where).is_sound
    assert where.read_bytes() == stored


def test_results_read_back_whatever_words_mean(say_nonsense):
    made = [build(cls, np.random.default_rng(7)) for cls in find_results().values()]
    before = [json.dumps(result.to_dict()) for result in made]
    say_nonsense()
    assert [json.dumps(result.to_dict()) for result in made] == before
    for result, entry in zip(made, before, strict=True):
        assert json.dumps(type(result).from_dict(json.loads(entry)).to_dict()) == entry


def test_every_text_stands_in_a_file_of_words():
    assert {"plan", "common"} <= set(KINDS)
    assert all(isinstance(words_of(kind), Words) and words_of(kind).texts for kind in KINDS)
