"""The loop between operator and network: all is sent, all that comes is handed on, until it is over."""

import logging
import threading
import time

from carrier import (
    OPERATOR,
    START,
    Carrier,
    ListLedger,
    run_with,
    small_federation,
    start,
    with_test_keys,
)
from fedpact.errors import FederationError
from fedpact.protocol.drive import InProcess, drive
from fedpact.protocol.messages import Request, write_request
from fedpact.protocol.operator.operator import Outgoing
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.site.simulated_sites import simulate_sites


class Script:
    """An operator that sends what it is told to, and is over when it has nothing left; it notes all calls."""

    def __init__(self, *sends, wake_at=None):
        self.sends, self.wake_at, self.calls, self.pending = list(sends), wake_at, [], {"x": "why"}

    @property
    def state(self):
        return f"state after {len(self.calls)}"

    @property
    def is_over(self):
        return not self.sends

    def advance(self, now):
        self.calls.append(("advance", now))
        return self.sends.pop(0)

    def receive(self, data, now):
        self.calls.append(("receive", data, now))


class Line:
    """Delivers lists of answers, one list at a time; a second passes for each."""

    def __init__(self, *answers):
        self.answers, self.sent, self.untils, self.now = list(answers), [], [], 5.0

    def send(self, outgoing):
        self.sent.append(outgoing)

    def receive(self, until):
        self.untils.append(until)
        self.now += 1
        return self.answers.pop(0)

    def clock(self):
        return self.now


def test_all_is_sent_all_is_handed_on_and_the_end_is_shown():
    operator, line, seen = Script(["a", "b"], [], ["c"], wake_at=9.0), Line([b"1", b"2"], []), []
    last = drive(operator, line, line.clock, lambda state, pending: seen.append((state, dict(pending))))
    assert line.sent == ["a", "b", "c"]
    assert operator.calls == [
        ("advance", 5.0),
        ("receive", b"1", 6.0),
        ("receive", b"2", 6.0),
        ("advance", 6.0),
        ("advance", 7.0),
    ]
    assert line.untils == [9.0, 9.0], "it waits until the operator wants to be woken, and not after the end"
    assert last == seen[-1][0] == "state after 5"
    assert [pending for _, pending in seen] == [{"x": "why"}] * 3


def test_an_operator_that_waits_for_nothing_is_asked_again_at_once():
    operator, line = Script([], []), Line([])
    drive(operator, line, line.clock)
    assert line.untils == [5.0]


def test_a_run_is_watched_from_the_first_request_to_the_end():
    fed = small_federation()
    sites = with_test_keys(simulate_sites(fed, teacher="none", seed=1))
    operator, carrier, seen = start(fed, sites, ListLedger()), Carrier(sites), []
    last = drive(operator, carrier, carrier.clock, lambda state, pending: seen.append(state))
    assert len(seen[0].open) == 3
    assert [state.status for state in seen[-2:]] == [RunStatus.RUNNING, RunStatus.FINISHED]
    assert seen[-1] is last is operator.state
    counts = [len(state.answered) for state in seen]
    assert counts == sorted(counts)
    assert carrier.now > START


def test_a_run_that_is_over_asks_nobody():
    _, operator, _ = run_with()
    carrier = Carrier({})
    assert drive(operator, carrier, carrier.clock) is operator.state
    assert carrier.asked == []


def outgoing(site="north", number=1):
    asked = Request(
        run="r", request=f"report/{site}/{number}", site=site, step="report", body={"candidates": None}
    )
    return Outgoing(site=site, step="report", data=write_request(asked, OPERATOR), deadline=60.0)


class Slow:
    """Answers when it may."""

    def __init__(self):
        self.may, self.count = threading.Event(), 0

    def answer(self, data):
        self.count += 1
        self.may.wait(30)
        return b"at last"


class Broken:
    def __init__(self, error):
        self.error = error

    def answer(self, data):
        raise self.error


def soon(transport):
    return transport.receive(until=time.time() + 30)


def test_answers_come_back():
    sites = with_test_keys(simulate_sites(small_federation()))
    with InProcess(sites) as transport:
        for name in sites:
            transport.send(outgoing(name))
        answers = []
        while len(answers) < 3:
            answers += soon(transport)
        assert sorted(answers) == sorted(sites[name].answer(outgoing(name).data) for name in sites)


def test_a_site_is_waited_for_no_longer_than_the_operator_says_and_asked_once():
    site = Slow()
    with InProcess({"north": site}) as transport:
        transport.send(outgoing())
        transport.send(outgoing())
        start = time.monotonic()
        assert transport.receive(until=time.time() + 0.05) == []
        assert time.monotonic() - start < 20
        site.may.set()
        assert soon(transport) == [b"at last"]
        assert site.count == 1


def test_nobody_is_there():
    with InProcess({}) as transport:
        transport.send(outgoing())
        assert transport.receive(until=time.time() + 0.01) == []
        assert transport.receive(until=0.0) == []


def test_what_goes_wrong_at_a_site_is_said_once_on_one_line(caplog):
    """The other sites go on, and the broken one is asked again as long as there is time."""
    for error, said in (
        (KeyError("forty-two"), "KeyError: 'forty-two'"),
        (FederationError("labels must\nbe there"), "labels must\\nbe there"),
    ):
        caplog.clear()
        with caplog.at_level(logging.ERROR), InProcess({"north": Broken(error)}) as transport:
            for number in (1, 2, 3):
                transport.send(outgoing(number=number))
                assert soon(transport) == []
        line = f"site 'north' fails at 'report': {said}"
        assert transport.notes == [record.getMessage() for record in caplog.records] == [line]
