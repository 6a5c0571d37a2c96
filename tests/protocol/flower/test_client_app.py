import json
import logging
from pathlib import Path

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict

from fedpact.errors import MessageError, ProtocolError
from fedpact.protocol.flower.client_app import app, make_client_app, say_answer, simulated_app
from fedpact.protocol.flower.records import (
    BAD_REQUEST,
    HELLO,
    NO_ANSWER,
    NOT_BELIEVED,
    REFUSED,
    STEPS,
    from_content,
    make_challenge,
    to_content,
)
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
from fedpact.protocol.site.site_files import read_site
from flower_echo import EchoSite
from flower_grid import context


def ask(client_app, message_type, content, site="a", **told):
    message = Message(content, 7, message_type)
    message.metadata.__dict__["_message_id"] = "asked"
    return client_app(message, context(**({"site": site} | told if site else told)))


def echo(ctx):
    return EchoSite(Path(ctx.node_config["site"]).name)


@pytest.mark.parametrize("message_type", STEPS.values())
def test_each_step_reaches_the_site(message_type):
    reply = ask(make_client_app(echo), message_type, to_content(b"hi"))
    assert from_content(reply.content) == b"a heard hi"
    assert reply.metadata.reply_to_message_id == "asked"


def test_a_greeting_is_answered_for_the_challenge():
    challenge = make_challenge(7)
    reply = ask(make_client_app(echo), HELLO, to_content(challenge))
    assert from_content(reply.content) == b"a:" + challenge


@pytest.mark.parametrize(
    "challenge",
    [make_challenge(8), b"", b"x" * 1025, make_challenge(7) + b"x"],
    ids=["another-node", "nothing", "too-long", "more-behind"],
)
def test_a_challenge_made_for_another_node_is_not_signed(challenge):
    reply = ask(make_client_app(echo), HELLO, to_content(challenge))
    assert (reply.error.code, reply.error.reason) == (BAD_REQUEST, "the challenge was not made for this node")


def test_a_refused_node_says_so_in_its_own_log(caplog):
    with caplog.at_level(logging.WARNING, logger="flwr"):
        reply = ask(make_client_app(echo), REFUSED, to_content(b"whatever the operator says"))
    assert from_content(reply.content) == b""
    assert "another node already speaks for site 'a'" in caplog.text
    assert "whatever" not in caplog.text


def test_a_node_whose_key_is_not_the_pact_s_says_so_in_its_own_log(caplog):
    with caplog.at_level(logging.WARNING, logger="flwr"):
        ask(make_client_app(echo), REFUSED, to_content(NOT_BELIEVED))
    assert (
        "the operator does not believe that this is site 'a': the key in site.toml is not the one" in caplog.text
    )


def test_a_foreign_request_gets_an_error_and_no_traceback():
    reply = ask(make_client_app(echo), STEPS["report"], RecordDict({"code": ConfigRecord({"data": b"x"})}))
    assert reply.error.code == BAD_REQUEST


class Refusing(EchoSite):
    def answer(self, data):
        raise MessageError("not signed by the operator")


class Broken(EchoSite):
    def answer(self, data):
        raise ProtocolError("/srv/private/labels.csv is not there")


class Buggy(EchoSite):
    def answer(self, data):
        return float("age of patient 17")


def test_a_bug_at_the_site_tells_the_operator_nothing_of_its_data(caplog):
    with caplog.at_level(logging.ERROR, logger="flwr"):
        reply = ask(make_client_app(lambda _: Buggy("a")), STEPS["report"], to_content(b"hi"))
    assert (reply.error.code, reply.error.reason) == (
        NO_ANSWER,
        "the site could not answer; its own log says why",
    )
    assert "patient 17" in caplog.text


def test_what_the_site_refuses_is_said():
    reply = ask(make_client_app(lambda _: Refusing("a")), STEPS["report"], to_content(b"hi"))
    assert (reply.error.code, reply.error.reason) == (BAD_REQUEST, "not signed by the operator")


def test_what_went_wrong_inside_the_site_stays_there():
    reply = ask(make_client_app(lambda _: Broken("a")), STEPS["report"], to_content(b"hi"))
    assert reply.error.code == NO_ANSWER
    assert "private" not in reply.error.reason


def test_an_unknown_step_is_no_step():
    with pytest.raises(ValueError, match="No train function"):
        ask(make_client_app(echo), "train.anything", to_content(b"hi"))


def test_a_node_that_names_no_site_says_how_to_start_it(caplog):
    with caplog.at_level(logging.ERROR, logger="flwr"):
        reply = ask(app, HELLO, to_content(b"hi"), None, run_config={"site": "/chosen/by/the/operator"})
    assert reply.error.code == NO_ANSWER
    assert "--node-config" in caplog.text


TOLD = {
    "an-answer": (echo, STEPS["report"], b"hi", "answered a request"),
    "a-greeting": (echo, HELLO, make_challenge(7), "greeted by an operator as 'a'"),
    "a-rival": (
        echo,
        REFUSED,
        b"",
        "another node already speaks for site 'a' in this run; this node is not asked",
    ),
    "a-refusal": (
        lambda _: Refusing("a"),
        STEPS["report"],
        b"hi",
        "refused query.report: not signed by the operator",
    ),
    "broken": (
        lambda _: Broken("a"),
        STEPS["report"],
        b"hi",
        "cannot answer query.report: /srv/private/labels.csv is not there",
    ),
    "a-bug": (
        lambda _: Buggy("a"),
        STEPS["report"],
        b"hi",
        "cannot answer query.report: ValueError: could not convert string to float: 'age of patient 17'",
    ),
}


def test_the_person_at_the_site_is_told_in_one_line():
    for find_site, message_type, data, line in TOLD.values():
        told = []
        ask(make_client_app(find_site, told.append), message_type, to_content(data))
        assert told == [line]


def test_a_simulated_node_knows_its_folder_by_its_number(caplog):
    run_config = {"sites": json.dumps(["/x/a", "/x/b"])}
    with caplog.at_level(logging.ERROR, logger="flwr"):
        ask(simulated_app, HELLO, to_content(b"hi"), None, run_config=run_config, **{"partition-id": 1})
        ask(simulated_app, HELLO, to_content(b"hi"), None, run_config=run_config)
    first, second = caplog.messages
    assert "/x/b: no such folder" in first
    assert "a simulated node needs 'sites' in the run configuration" in second


ENVELOPE = {"run": "12ab34cd56ef", "request": "q", "site": "north"}


@pytest.fixture
def clinic(tmp_path):
    """A site where people label."""
    (tmp_path / "predictions.csv").write_text("forest,stump\n" + "ill,ill\nill,healthy\nhealthy,healthy\n" * 20)
    (tmp_path / "site.toml").write_text('name = "north"\npredictions = "predictions.csv"\nseed = 1\n')
    return tmp_path


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


def test_that_labels_are_missing_reaches_the_person(clinic):
    asked = Request(**ENVELOPE, step="contribute", body={"have": 0, "total": 19})
    told = []
    joined = make_client_app(lambda _: read_site(clinic), told.append)
    ask(joined, STEPS["contribute"], to_content(write_request(asked)), str(clinic))
    assert told == [
        f"waiting: 19 of 19 samples have no label yet; next: fedpact label export {clinic} -o todo.csv"
    ]


def test_that_another_operator_asks_reaches_the_person(clinic):
    with (clinic / "site.toml").open("a") as file:
        file.write(f'operator = "{SigningKey.generate().public}"\n')
    asked = Request(**ENVELOPE, step="contribute", body={"have": 0, "total": 19})
    request, told = write_request(asked, SigningKey.generate()), []
    joined = make_client_app(lambda _: read_site(clinic), told.append)
    ask(joined, STEPS["contribute"], to_content(request), str(clinic))
    assert told[0].startswith(
        "refused train.contribute: the message is not signed by the operator of this federation"
    )


def test_without_anybody_to_tell_it_is_in_the_log(clinic, caplog):
    asked = Request(**ENVELOPE, step="contribute", body={"have": 0, "total": 19})
    with caplog.at_level(logging.DEBUG, logger="flwr"):
        ask(app, STEPS["contribute"], to_content(write_request(asked)), str(clinic))
    assert "waiting: 19 of 19 samples have no label yet" in caplog.text
