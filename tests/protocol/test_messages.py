import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrier import OPERATOR, key_of
from fedpact.errors import MessageError
from fedpact.plain import to_plain
from fedpact.protocol.messages import (
    Answer,
    Contributed,
    Evaluated,
    Pending,
    Receipt,
    Refused,
    Reported,
    Request,
    read_answer,
    read_body,
    read_request,
    write_answer,
    write_request,
)

KEY = key_of("north")
KEYS = {"north": KEY.public}
BODIES = {
    "report": Reported(report=b"PK\x03", pool=7),
    "report-without-limit": Reported(report=b"", pool=None),
    "contribute": Contributed(m=3, mistakes=np.array([0, 3, 1])),
    "evaluate": Evaluated(n=40, mistakes=2),
    "pay": Receipt(statement="ab" * 32),
    "evaluate-refused": Refused(why="no"),
    "contribute-pending": Pending(why="3 labels"),
}


def answer(body, step="contribute", **changes):
    return Answer(
        **{"run": "r", "request": f"{step}/north/1", "site": "north", "step": step, "body": body, **changes}
    )


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("key", [KEY, None], ids=["signed", "unsigned"])
def test_what_is_written_is_read(name, key):
    said = answer(BODIES[name], name.split("-")[0])
    data = write_answer(said, key)
    found = read_answer(data, {} if key is None else KEYS)
    assert type(found.body) is type(said.body)
    assert to_plain(found.body) == to_plain(said.body)
    assert (found.run, found.request, found.site, found.step) == (said.run, said.request, said.site, said.step)
    assert write_answer(found, key) == data


def test_requests():
    asked = Request(run="r", request="report/north/1", site="north", step="report", body={"candidates": None})
    assert read_request(write_request(asked, OPERATOR), OPERATOR.public) == asked
    assert read_request(write_request(asked)) == asked
    for data in (write_request(asked), write_request(asked, KEY)):
        with pytest.raises(MessageError, match="not signed by the operator of this federation"):
            read_request(data, OPERATOR.public)
    with pytest.raises(MessageError, match="body must be a table"):
        read_request(write_request(asked).replace(b'{"candidates":null}', b"[1]"))


@given(st.data())
def test_no_byte_of_a_signed_answer_can_be_changed(data):
    said = bytearray(write_answer(answer(BODIES["contribute"]), KEY))
    place = data.draw(st.integers(0, len(said) - 1))
    said[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(MessageError):
        read_answer(bytes(said), KEYS)


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["report", "contribute", "evaluate", "pay"]), ANY, st.data())
def test_a_body_is_read_or_refused(step, value, data):
    """Whatever a site says, the operator gets a body or a MessageError."""
    keys = {"report": ["report", "pool"], "contribute": ["m", "mistakes"]}
    names = keys.get(step, ["n", "mistakes"] if step == "evaluate" else ["statement"])
    for entry in (value, {name: data.draw(ANY) for name in names}, {"refused": value}, {"pending": value}):
        body = read_or_refuse(step, entry)
        assert body is None or to_plain(body) == entry


def read_or_refuse(step, entry):
    try:
        return read_body(step, entry)
    except MessageError:
        return None


WRONG = {
    "m-missing": (
        "contribute",
        {"mistakes": []},
        "an answer in step 'contribute' must have m, mistakes, and nothing",
    ),
    "two-things": ("contribute", {"refused": "no", "pending": "yes"}, "must have m, mistakes"),
    "empty-refusal": ("contribute", {"refused": ""}, "refused must be a text of 1 to 2000 characters; it is ''"),
    "long-refusal": ("contribute", {"refused": "x" * 2001}, "refused must be a text of 1 to 2000 characters"),
    "above-m": (
        "contribute",
        {"m": 1, "mistakes": [2]},
        "mistakes must be a list of whole numbers from 0 to m = 1",
    ),
    "no-list": ("contribute", {"m": 1, "mistakes": {"0": 1}}, "mistakes must be a list of whole numbers"),
    "evaluate": ("evaluate", {"n": 1, "mistakes": 2}, "mistakes must be at most n = 1; they are 2"),
    "n": ("evaluate", {"n": 2**54, "mistakes": 2}, "n must be a whole number from 0 to 2^53"),
    "base64": ("report", {"report": "?", "pool": None}, "report must be a report's file in base64"),
    "base64-list": ("report", {"report": [], "pool": None}, "report must be a report's file in base64"),
    "base64-é": ("report", {"report": "é", "pool": None}, "report must be a report's file in base64"),
    "stray-bits": ("report", {"report": "QR==", "pool": None}, "without stray bits"),
    "pool": ("report", {"report": "", "pool": -1}, "pool must be a whole number from 0"),
    "statement": ("pay", {"statement": None}, "statement must be a text of 1 to 2000 characters; it is None"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_bodies_that_are_refused(kind):
    step, body, line = WRONG[kind]
    with pytest.raises(MessageError) as caught:
        read_body(step, body)
    assert line in str(caught.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"protocol": 2}, "a message has message format 2; this fedpact reads format 1: install a newer fedpact"),
        ({"site": ""}, "site must be a text of 1 to 2000 characters; it is ''"),
        ({"run": 3}, "run must be a text of 1 to 2000 characters; it is 3"),
        ({"request": "x" * 5_000}, "request must be a text of 1 to 2000 characters"),
        ({"step": "give"}, "there is no step 'give'"),
        (
            {"more": 1},
            "a message must have protocol, run, request, site, step, body and a signature, and nothing else",
        ),
    ],
    ids=["protocol", "site", "run", "request", "step", "more"],
)
def test_envelopes_that_are_refused(change, line):
    value = json.loads(write_answer(answer(BODIES["evaluate"], "evaluate")))
    data = json.dumps({**value, **change}, sort_keys=True, separators=(",", ":")).encode()
    with pytest.raises(MessageError) as caught:
        read_answer(data, {})
    assert line in str(caught.value)


def test_who_has_a_key_must_sign():
    for data in (write_answer(answer(BODIES["contribute"])), write_answer(answer(BODIES["contribute"]), OPERATOR)):
        with pytest.raises(MessageError, match="not signed by site 'north'"):
            read_answer(data, KEYS)
