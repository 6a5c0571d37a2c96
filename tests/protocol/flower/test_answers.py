"""One line for the person at a site about every answer."""

from pathlib import Path

import numpy as np
import pytest
from flwr.app import Message

from fedpact.protocol.flower.answers import say_answer, write_line
from fedpact.protocol.flower.client_app import app
from fedpact.protocol.flower.records import STEPS, to_content
from fedpact.protocol.keys.signing import SigningKey
from fedpact.protocol.messages import (
    Answer,
    Contributed,
    Pending,
    Receipt,
    Refused,
    Request,
    write_answer,
    write_request,
)
from flower_grid import context

ENVELOPE = {"run": "12ab34cd56ef", "request": "q", "site": "north"}


@pytest.fixture
def clinic(tmp_path):
    """A site where people label, from which somebody joined."""
    (tmp_path / ".flower").mkdir()
    (tmp_path / "predictions.csv").write_text("forest,stump\n" + "ill,ill\nill,healthy\nhealthy,healthy\n" * 20)
    (tmp_path / "site.toml").write_text('name = "north"\npredictions = "predictions.csv"\nseed = 1\n')
    return tmp_path


def log(clinic):
    """What the log says, without the time of day."""
    return [line.partition(" ")[2] for line in (clinic / ".flower" / "answers.log").read_text().splitlines()]


def pair(step, body, **asked):
    said = write_answer(Answer(**ENVELOPE, step=step, body=body))
    return write_request(Request(**ENVELOPE, step=step, body=asked)), said


SAID = {
    "contribute": (
        Contributed(m=19, mistakes=np.array([1, 2])),
        {},
        "answered contribute of run 12ab34cd: 19 samples",
    ),
    "pay": (
        Receipt(statement="x"),
        {"statement": {"amount": 19.5}},
        "answered pay of run 12ab34cd: a statement of 19.5",
    ),
    "report": (Refused(why="no"), {}, "refused report of run 12ab34cd: no"),
}


@pytest.mark.parametrize("step", SAID)
def test_an_answer_is_one_line(step):
    body, asked, line = SAID[step]
    assert say_answer(*pair(step, body, **asked), Path("nowhere")) == line


def test_whoever_labels_is_told_how(clinic):
    asked = pair("contribute", Pending(why="3 of 19 samples have no label yet"))
    waits = "waiting: 3 of 19 samples have no label yet"
    assert say_answer(*asked, clinic) == f"{waits}; next: fedpact label export {clinic} -o todo.csv"
    with (clinic / "site.toml").open("a") as file:
        file.write('labeller = "clinic:look_up"\n')
    assert say_answer(*asked, clinic) == waits


def test_bytes_that_nobody_can_read_are_an_answer_still():
    assert say_answer(b"?", b"!", Path("nowhere")) == "answered a request"


def test_a_line_is_not_written_twice_in_a_row(clinic):
    for line in (
        "waiting",
        "waiting",
        "answered",
        "waiting",
        "two\nlines" + "x" * 1000,
        "two\nlines" + "x" * 1000,
    ):
        write_line(clinic, line)
    assert log(clinic)[:-1] == ["waiting", "answered", "waiting"]
    assert log(clinic)[-1].startswith("two\\nlines")
    assert len(log(clinic)[-1]) == 500


def test_nothing_is_written_where_nobody_joined(tmp_path):
    write_line(tmp_path, "answered")
    assert list(tmp_path.iterdir()) == []


def ask(clinic, request):
    message = Message(to_content(request), 7, STEPS["contribute"])
    message.metadata.__dict__["_message_id"] = "asked"
    app(message, context(site=str(clinic)))


def test_that_labels_are_missing_reaches_the_person(clinic):
    asked = Request(**ENVELOPE, step="contribute", body={"have": 0, "total": 19})
    for _ in range(2):
        ask(clinic, write_request(asked))
    assert log(clinic) == [
        f"waiting: 19 of 19 samples have no label yet; next: fedpact label export {clinic} -o todo.csv"
    ]


def test_that_another_operator_asks_reaches_the_person(clinic):
    with (clinic / "site.toml").open("a") as file:
        file.write(f'operator = "{SigningKey.generate().public}"\n')
    asked = Request(**ENVELOPE, step="contribute", body={"have": 0, "total": 19})
    ask(clinic, write_request(asked, SigningKey.generate()))
    (line,) = log(clinic)
    assert line.startswith(
        "refused train.contribute: the message is not signed by the operator of this federation"
    )
