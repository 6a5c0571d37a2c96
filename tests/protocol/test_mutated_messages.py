"""Whatever is changed in a message, signed again or not: it is refused or harmless, and the books still add up."""

import base64
import copy
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrier import OPERATOR, ListLedger, key_of, run_with, small_federation, start, with_test_keys
from fedpact.describe import report_files
from fedpact.errors import MessageError
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.keys.signing import sign_value
from fedpact.protocol.messages import read_answer, read_request
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.runs import memory_ledger
from fedpact.protocol.site.simulated_sites import simulate_sites

STEPS = ("report", "contribute", "evaluate", "pay")
STRANGE = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    -0.0,
    2**53,
    2**53 + 1,
    10**4000,
    1e308,
    "",
    "north",
    "no\u0301rth",
    "n\u00f3rth",
    "x" * 2001,
    "\x00",
    [],
    [[]],
    {},
    {"pending": "x"},
    {"refused": "x"},
    {"a": {"b": {"c": []}}},
)


def places_in(value, path=()):
    """Every place in a plain value."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places_in(entry, (*path, key))


@st.composite
def mutations(draw):
    """A change of a message in plain values: another value somewhere, one more, or one less."""
    where, how = draw(st.floats(0, 1, exclude_max=True)), draw(st.sampled_from(("put", "add", "drop", "text")))
    strange = draw(st.sampled_from(STRANGE))

    def mutate(message):
        message = copy.deepcopy(message)
        places = [path for path in places_in(message) if path and path != ("signature",)]
        *path, last = places[int(where * len(places))]
        inside = message
        for key in path:
            inside = inside[key]
        if how == "drop":
            del inside[last]
        elif how == "add" and isinstance(inside, dict):
            inside["more"] = strange
        elif how == "add":
            inside.append(strange)
        elif how == "text" and isinstance(inside[last], int):
            inside[last] = float(inside[last])
        else:
            inside[last] = strange
        return message

    return mutate


def change(data, mutate, key):
    """Change a message; sign it again if there is a key."""
    message = mutate(json.loads(data))
    if key is not None:
        message.pop("signature", None)
        message = sign_value(key, message)
    return to_canonical(message)


@pytest.mark.slow
@pytest.mark.parametrize("is_signed", [True, False], ids=["signed-again", "as-signed-before"])
@pytest.mark.parametrize("step", STEPS)
@given(mutate=mutations())
@settings(max_examples=40, deadline=None)
def test_a_changed_answer_is_refused_or_harmless(step, is_signed, mutate):
    def harm(carrier, outgoing):
        if (outgoing.site, outgoing.step) != ("north", step):
            return None
        said = carrier.answer(outgoing)
        return [(0.1, change(said, mutate, key_of("north") if is_signed else None)), (0.2, said)]

    ledger = memory_ledger()
    outcome, _, _ = run_with(harm, ledger=ledger)
    found = check_books(ledger)
    assert found.problems == ()
    if not is_signed:
        assert outcome.status is RunStatus.FINISHED
        assert not outcome.gone


def requests_to_north():
    """One request of every step, as they were sent, and the site before the first."""
    _, _, carrier = run_with()
    sent = {one.step: one.data for one in carrier.asked if one.site == "north"}
    return sent, with_test_keys(simulate_sites(small_federation(), teacher="none", seed=1))["north"]


REQUESTS, NORTH = requests_to_north()


@pytest.mark.parametrize("is_signed", [True, False], ids=["signed-again", "as-signed-before"])
@pytest.mark.parametrize("step", STEPS)
@given(mutate=mutations())
@settings(max_examples=60, deadline=None)
def test_a_changed_request_is_refused_or_answered(step, is_signed, mutate):
    site = replace(NORTH, store=type(NORTH.store)())
    changed = change(REQUESTS[step], mutate, OPERATOR if is_signed else None)
    try:
        said = site.answer(changed)
    except MessageError:
        return
    assert is_signed or json.loads(changed) == json.loads(REQUESTS[step])
    asked, found = read_request(changed), read_answer(said, {"north": key_of("north").public})
    assert (found.run, found.request, found.site, found.step) == (asked.run, asked.request, "north", asked.step)
    assert site.answer(changed) == said


@pytest.mark.parametrize("spelling", [1.0, True])
def test_a_protocol_that_only_equals_ours_is_refused(spelling):
    """A site that signed it so was believed, and the operator's books did not add up ever after."""

    def harm(carrier, outgoing):
        if outgoing.site != "north":
            return None
        said = json.loads(carrier.answer(outgoing))
        del said["signature"]
        return [(0.1, to_canonical(sign_value(key_of("north"), {**said, "protocol": spelling})))]

    ledger = memory_ledger()
    outcome, _, _ = run_with(harm, ledger=ledger)
    assert check_books(ledger).problems == ()
    assert list(outcome.gone) == ["north"]


@pytest.mark.parametrize("depth", [10, 400, 900, 990, 1000, 100_000])
@pytest.mark.parametrize("place", ["protocol", "run", "request", "site", "step", "body", "signature"])
def test_nesting_crashes_nobody(place, depth):
    message = json.loads(REQUESTS["report"])
    nested = to_canonical({**message, place: "@"}).replace(b'"@"', b"[" * depth + b"]" * depth)
    with pytest.raises(MessageError):
        NORTH.answer(nested)
    fed = small_federation()
    operator = start(fed, with_test_keys(simulate_sites(fed)), ListLedger())
    operator.advance(0.0)
    operator.receive(nested, 0.0)
    assert operator.state.refusals == 1


def test_a_report_that_is_no_text_costs_its_site_and_nobody_else():
    """Python breaks on a text with such a character; the operator broke with it."""

    def harm(carrier, outgoing):
        if (outgoing.site, outgoing.step) != ("north", "report"):
            return None
        said = json.loads(carrier.answer(outgoing))
        with np.load(io.BytesIO(base64.b64decode(said["body"]["report"]))) as archive:
            fields = {key: archive[key] for key in archive.files if key != "checksum"}
        fields["name"] = np.array([0x7F000000], dtype=np.uint32).view("U1").reshape(())
        buffer = io.BytesIO()
        np.savez(buffer, **fields, checksum=np.asarray(report_files._checksum(fields)))
        said["body"]["report"] = base64.b64encode(buffer.getvalue()).decode()
        del said["signature"]
        return [(0.1, to_canonical(sign_value(key_of("north"), said)))]

    ledger = memory_ledger()
    outcome, _, _ = run_with(harm, ledger=ledger)
    assert check_books(ledger).problems == ()
    assert (list(outcome.gone), outcome.status) == (["north"], RunStatus.FINISHED)
