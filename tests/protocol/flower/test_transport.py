import pytest

from fedpact.coded import coded
from fedpact.errors import MessageError
from fedpact.protocol.drive import drive
from fedpact.protocol.flower import transport as module
from fedpact.protocol.flower.client_app import make_client_app
from fedpact.protocol.flower.records import HELLO, NOT_BELIEVED, REFUSED, STEPS, from_content
from fedpact.protocol.flower.transport import FlowerTransport
from flower_echo import EchoOperator, EchoSite, Outgoing, identify_echo
from flower_grid import Clock, FakeGrid

SITE = make_client_app(lambda context: EchoSite(context.node_config["site"]))


class Liar(EchoSite):
    def hello(self, challenge):
        return b"a:another challenge"


class Wordy(EchoSite):
    def answer(self, data):
        raise MessageError("line one\nline two " + "x" * 500)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def grid():
    return FakeGrid()


@pytest.fixture
def transport(grid, clock, monkeypatch):
    monkeypatch.setattr(module, "TIME_TO_LIVE", 100.0)
    return FlowerTransport(grid, identify_echo, tell=lambda why: None, clock=clock, sleep=clock.sleep)


@pytest.fixture
def notes(caplog):
    caplog.set_level("INFO", "flwr")
    return lambda: caplog.messages


def ask(transport, clock, site="a", data=b"hi", seconds=5.0):
    transport.send(Outgoing(site, data, "report"))
    return transport.receive(clock.now + seconds)


def test_a_site_is_found_and_answers(grid, transport, clock):
    grid.join(1, SITE, site="a")
    assert ask(transport, clock) == [b"a heard hi"]
    assert transport.sites == {"a": 1}
    assert grid.types() == [HELLO, STEPS["report"]]


def test_a_known_site_is_asked_at_once(grid, transport, clock):
    grid.join(1, SITE, site="a")
    transport.receive(clock.now)
    transport.send(Outgoing("a", b"hi", "pay"))
    assert grid.types() == [HELLO, STEPS["pay"]]


def test_every_greeting_has_its_own_challenge(grid, transport, clock):
    for node in range(5):
        grid.join(node, SITE, site=str(node))
    transport.receive(clock.now)
    challenges = {bytes(message.content["fedpact"]["data"]) for message in grid.pushed}
    assert len(challenges) == 5


def test_a_request_waits_for_a_site_that_joins_late(grid, transport, clock):
    assert ask(transport, clock) == []
    grid.join(1, SITE, site="a")
    assert transport.receive(clock.now + 5) == [b"a heard hi"]


def test_waiting_ends_on_time(transport, clock):
    start = clock.now
    assert transport.receive(start + 7.25) == []
    assert clock.now == pytest.approx(start + 7.25)


def test_a_liar_is_not_asked(grid, transport, clock, notes):
    grid.join(1, make_client_app(lambda _: Liar("a")))
    assert ask(transport, clock, seconds=200) == []
    assert transport.sites == {}
    assert grid.types() == [HELLO]
    assert "not believed" in notes()[0]


@pytest.fixture
def told():
    return []


DOUBT = coded("node-other-key", site="a")


@pytest.fixture
def telling(grid, clock, told):
    """A transport that doubts whoever says that it is 'a', and tells."""
    doubt = {b"a": DOUBT}
    return FlowerTransport(
        grid,
        lambda challenge, reply: identify_echo(challenge, reply) or doubt.get(reply.partition(b":")[0]),
        tell=told.append,
        clock=clock,
        sleep=clock.sleep,
    )


def test_a_node_with_another_key_is_told_and_so_is_the_operator_once(grid, telling, clock, told):
    grid.join(1, make_client_app(lambda _: Liar("a")))
    telling.receive(clock.now + 100)
    assert grid.types() == [HELLO, REFUSED]
    assert from_content(grid.pushed[-1].content) == NOT_BELIEVED
    grid.join(1, make_client_app(lambda _: Liar("a")), started="second")
    telling.receive(clock.now + 100)
    assert grid.types() == [HELLO, REFUSED] * 2
    assert told == [DOUBT]
    grid.join(2, make_client_app(lambda _: Liar("a")))
    telling.receive(clock.now + 100)
    assert told == [DOUBT] * 2


def test_the_operator_does_not_hear_of_sites_of_other_federations(grid, telling, clock, told):
    class Stranger(EchoSite):
        def hello(self, challenge):
            return b"z:another challenge"

    grid.join(1, make_client_app(lambda _: Stranger("z")))
    telling.receive(clock.now + 100)
    assert (grid.types(), told) == ([HELLO], [])


def test_the_operator_hears_once_that_a_site_refuses_its_requests(grid, telling, clock, told):
    grid.join(1, make_client_app(lambda context: Wordy("b")))
    for word in (b"hi", b"hello"):
        assert ask(telling, clock, site="b", data=word) == []
    assert len(told) == 1
    assert (told[0].code, told[0].values["site"]) == ("node-failed", "b")
    assert told[0].values["detail"].startswith(r"error 100: line one\nline two")


def test_the_first_of_two_nodes_is_asked_and_the_other_is_told_once(grid, transport, clock, notes):
    grid.join(1, SITE, site="a")
    transport.receive(clock.now)
    grid.join(2, SITE, site="a")
    transport.receive(clock.now + 5)
    assert ask(transport, clock) == [b"a heard hi"]
    assert [m.metadata.dst_node_id for m in grid.pushed] == [1, 2, 2, 1]
    assert grid.types().count(REFUSED) == 1
    assert [note for note in notes() if "two nodes" in note] == [
        "two nodes speak for site 'a': node 1 is asked, node 2 is not"
    ]


def test_the_other_node_takes_over_when_the_first_leaves(grid, transport, clock):
    grid.join(1, SITE, site="a")
    transport.receive(clock.now)
    grid.join(2, SITE, site="a")
    transport.receive(clock.now + 5)
    grid.leave(1)
    transport.receive(clock.now + 5)
    assert ask(transport, clock) == [b"a heard hi"]
    assert grid.pushed[-1].metadata.dst_node_id == 2


def silence(grid, transport, clock, node=1):
    """A node that was believed, and now is dead."""
    grid.join(node, SITE, site="a")
    transport.receive(clock.now)
    grid.join(node, None, site="a")


def test_a_request_that_a_node_has_is_not_pushed_again(grid, transport, clock):
    silence(grid, transport, clock)
    for _ in range(3):
        assert ask(transport, clock) == []
    assert grid.types() == [HELLO, STEPS["report"]]
    assert ask(transport, clock, data=b"another") == []
    assert grid.types() == [HELLO, STEPS["report"], STEPS["report"]]


def test_what_flower_gave_up_is_pushed_again(grid, transport, clock, notes):
    silence(grid, transport, clock)
    assert ask(transport, clock) == []
    grid.give_up(1)
    assert transport.receive(clock.now + 5) == []
    assert r"site 'a' gave no answer to query.report: error 5: Node\nUnavailable" in notes()
    grid.join(1, SITE, site="a")
    assert ask(transport, clock) == [b"a heard hi"]


def test_a_request_is_lost_when_its_time_is_over(grid, transport, clock, notes):
    silence(grid, transport, clock)
    assert ask(transport, clock) == []
    assert grid.pushed[-1].metadata.ttl == pytest.approx(100.0)
    assert transport.receive(clock.now + 100) == []
    assert "did not answer query.report in time" in notes()[-1]
    grid.join(1, SITE, site="a")
    assert ask(transport, clock) == [b"a heard hi"]


def test_a_deadline_bounds_the_time_to_live(grid, transport, clock):
    silence(grid, transport, clock)
    transport.send(Outgoing("a", b"hi", "report", deadline=clock.now + 20))
    transport.receive(clock.now + 1)
    assert grid.pushed[-1].metadata.ttl == pytest.approx(20.0)


def test_a_node_started_anew_is_greeted_and_asked_again(grid, transport, clock):
    silence(grid, transport, clock)
    assert ask(transport, clock) == []
    grid.join(1, SITE, started="second", site="a")
    transport.receive(clock.now + 5)
    assert ask(transport, clock) == [b"a heard hi"]
    assert grid.types() == [HELLO, STEPS["report"], HELLO, STEPS["report"]]


def test_a_site_that_comes_back_under_a_new_id_is_found(grid, transport, clock):
    silence(grid, transport, clock)
    assert ask(transport, clock) == []
    grid.leave(1)
    grid.join(2, SITE, site="a")
    transport.receive(clock.now + 2)
    assert ask(transport, clock) == [b"a heard hi"]
    assert transport.sites == {"a": 2}


def test_a_node_that_cannot_be_greeted_is_greeted_again_later(grid, transport, clock):
    grid.join(1, make_client_app(_no_site))
    transport.receive(clock.now + 20)
    assert grid.types() == [HELLO]
    grid.join(1, SITE, site="a")
    transport.receive(clock.now + 20)
    assert transport.sites == {"a": 1}


def _no_site(context):
    raise OSError("the disk is gone")


def test_a_stranger_s_words_are_one_short_line(grid, transport, clock, notes):
    grid.join(1, make_client_app(lambda context: Wordy(context.node_config["site"])), site="a")
    assert ask(transport, clock) == []
    assert r"line one\nline two" in notes()[-1]
    assert "\n" not in notes()[-1]
    assert len(notes()[-1]) < 300


def test_an_unknown_step_is_refused(transport):
    with pytest.raises(MessageError, match="a step is one of report, contribute"):
        transport.send(Outgoing("a", b"hi", "dance"))


def test_a_run_goes_on_without_a_dead_site(grid, transport, clock):
    for node, site in enumerate("abc"):
        grid.join(node, SITE, site=site)
    transport.receive(clock.now)
    grid.join(1, None, site="b")
    operator = EchoOperator(sites=["a", "b", "c"], rounds=3, patience=20.0)
    began = clock.now
    drive(operator, transport, clock)
    assert operator.answers == [[f"{site} heard round {n}" for site in "ac"] for n in (1, 2, 3)]
    assert clock.now == pytest.approx(began + 60.0)
