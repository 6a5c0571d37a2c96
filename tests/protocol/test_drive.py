"""The loop between operator and network: all is sent, all that comes is handed on, until it is over."""

from carrier import START, Carrier, ListLedger, run_with, small_federation, start, with_test_keys
from fedpact.protocol.drive import drive
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
