import logging
import threading
import time

import pytest

from carrier import OPERATOR, small_federation, with_test_keys
from fedpact.errors import FederationError
from fedpact.protocol.in_process import InProcess
from fedpact.protocol.messages import Request, write_request
from fedpact.protocol.operator.operator import Outgoing
from fedpact.protocol.site.simulated_sites import simulate_sites


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


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError("forty-two"), "site 'north' fails at 'report': KeyError: 'forty-two'"),
        (FederationError("labels must\nbe there"), "site 'north' fails at 'report': labels must\\nbe there"),
    ],
    ids=["a-bug", "a-problem"],
)
def test_what_goes_wrong_at_a_site_is_said_once_on_one_line(error, line, caplog):
    """The other sites go on, and the broken one is asked again as long as there is time."""
    with caplog.at_level(logging.ERROR), InProcess({"north": Broken(error)}) as transport:
        for number in (1, 2, 3):
            transport.send(outgoing(number=number))
            assert soon(transport) == []
    assert transport.notes == [line]
    assert [record.getMessage() for record in caplog.records] == [line]
