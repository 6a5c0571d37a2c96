import logging

import pytest
from flwr.app import ConfigRecord, Message, RecordDict

from fedpact.errors import MessageError, ProtocolError
from fedpact.protocol.flower.client_app import app, make_client_app
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
from flower_echo import EchoSite
from flower_grid import context


def ask(client_app, message_type, content):
    message = Message(content, 7, message_type)
    message.metadata.__dict__["_message_id"] = "asked"
    return client_app(message, context(site="a"))


def echo(ctx):
    return EchoSite(ctx.node_config["site"])


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
    message = Message(to_content(b"hi"), 7, HELLO)
    message.metadata.__dict__["_message_id"] = "asked"
    with caplog.at_level(logging.ERROR, logger="flwr"):
        reply = app(message, context(run_config={"site": "/chosen/by/the/operator"}))
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


@pytest.mark.parametrize("kind", TOLD)
def test_the_person_at_the_site_is_told_in_one_line(kind):
    find_site, message_type, data, line = TOLD[kind]
    told = []
    ask(make_client_app(find_site, lambda _, line: told.append(line)), message_type, to_content(data))
    assert told == [line]
