"""Whatever a SuperLink sends, or takes back: one message is lost, and the site goes on."""

from types import SimpleNamespace

import httpx
import pytest
from flwr.app import Context, Message

from fedpact.protocol.flower.node import Node, is_away


def status(code):
    request = httpx.Request("POST", "https://superlink")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(code, request=request))


def never(message: Message, context: Context) -> Message:
    raise AssertionError("there is no message to hand on")


class Client:
    """A SuperLink that gives what it is told to give."""

    def __init__(self, found):
        self.found = found

    def PullMessages(self, request):
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def PullObject(self, request):
        raise status(403)


def sent(**parts):
    about = SimpleNamespace(metadata=SimpleNamespace(run_id=1))
    return SimpleNamespace(**{"messages_list": [about], "message_object_trees": []} | parts)


GARBAGE = {
    "no tree": sent(),
    "no object": sent(message_object_trees=[SimpleNamespace(object_id="x", children=[])]),
    "no metadata": sent(messages_list=[object()]),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_message_that_cannot_be_read_is_lost_and_no_site(kind, caplog):
    assert Node(Client(GARBAGE[kind]), 7).answer(never, {}) is True
    assert "a message is lost: " in caplog.text


def test_nothing_is_nothing():
    assert Node(Client(sent(messages_list=[])), 7).answer(never, {}) is False


@pytest.mark.parametrize("error", [status(401), status(500), httpx.ConnectError("gone")])
def test_that_the_superlink_does_not_answer_is_told(error):
    with pytest.raises(httpx.HTTPError):
        Node(Client(error), 7).answer(never, {})


@pytest.mark.parametrize(
    ("error", "may_come_back"),
    [
        (status(code), code not in (400, 401, 403, 404))
        for code in (400, 401, 403, 404, 408, 413, 429, 500, 502, 503)
    ]
    + [(httpx.ConnectError("gone"), True), (httpx.ReadTimeout("slow"), True)],
)
def test_a_refusal_stands_and_all_else_passes(error, may_come_back):
    assert is_away(error) == may_come_back


def test_a_heart_that_is_told_garbage_goes_on():
    client = SimpleNamespace(SendNodeHeartbeat=lambda request: int("no number"))
    assert Node(client, 7).is_known() is False
