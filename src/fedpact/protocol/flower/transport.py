"""Requests and answers over a Flower grid, as the driver of an operator wants them.

Which site lives at which node is not Flower's to say: every new node is greeted with a fresh challenge, and the
caller's ``identify`` decides from the signed reply which site it is. Nodes join late, leave, and come back under
the same id (with a registered key) or a new one. If two nodes speak for one site, the one believed first is asked
as long as it is there; the other is told so once. A node that claims to be a site of the pact and cannot show its
key is told so too, and so is the operator, once for each node: else nobody would know why that site is silent.

Nothing here decides what an unanswered request means: the operator has the deadlines and sends again. A request
that is already with a node is not pushed a second time, since each message costs the site a process; it counts as
lost once Flower says so, its time to live is over, or its node was started anew.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from flwr.app import Message
from flwr.serverapp import Grid

from fedpact.coded import Coded, coded
from fedpact.errors import MessageError
from fedpact.protocol.flower.records import (
    ANOTHER_NODE,
    BAD_REQUEST,
    HELLO,
    MOST_BYTES,
    NOT_BELIEVED,
    REFUSED,
    STEPS,
    from_content,
    make_challenge,
    to_content,
)
from fedpact.protocol.operator.operator import Outgoing
from fedpact.protocol.operator.reasons import Why, cut

LOG = logging.getLogger("flwr")
TIME_TO_LIVE = 3600.0
"""Seconds that a request may stay with a node, unless its deadline is earlier."""
_POLL, _LOOK = 0.5, 1.0
"""Seconds between two questions for answers, and between two looks at the list of nodes."""
_GREET_AGAIN = 30.0
"""Seconds until a node whose greeting failed is greeted again."""
_TELL_WITHIN = 60.0
"""Seconds that a node has to take a greeting or a refusal."""
Identify = Callable[[bytes, bytes], str | Coded | None]


@dataclass(slots=True)
class _Node:
    """One SuperNode as listed by the SuperLink; ``site`` once it is believed to speak for one."""

    id: int
    started: str
    seen: int
    site: str | None = None
    greet_at: float = 0.0
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class _Pending:
    node: int
    started: str
    message_type: str
    data: bytes
    until: float


class FlowerTransport:
    """Sends an operator's requests over a grid and collects the answers.

    Parameters
    ----------
    grid
        Flower's grid; only ``get_nodes``, ``push_messages`` and ``pull_messages`` are used.
    identify
        ``identify(challenge, reply)`` says which site gave a reply to a challenge, or why it is not believed, or
        None if it is of nobody whom the operator should hear of.
    tell
        Tells the operator one line that belongs into its books.
    clock, sleep
        Time in seconds since the epoch, and how to wait.
    """

    def __init__(
        self,
        grid: Grid,
        identify: Identify,
        *,
        tell: Callable[[Coded], None],
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._grid, self._identify, self._clock, self._sleep = grid, identify, clock, sleep
        self._tell, self._look_at = tell, 0.0
        self._told: set[tuple[int, str]] = set()
        self._nodes: dict[int, _Node] = {}
        self._joined = 0
        self._waiting: dict[str, dict[bytes, Outgoing]] = {}
        self._pending: dict[str, _Pending] = {}

    @property
    def sites(self) -> dict[str, int]:
        """The node that is asked for each site that is present."""
        first: dict[str, int] = {}
        for node in sorted(self._nodes.values(), key=lambda node: node.seen):
            if node.site is not None:
                first.setdefault(node.site, node.id)
        return first

    def send(self, outgoing: Outgoing) -> None:
        """Send a request as soon as its site is there, at most until its deadline."""
        if outgoing.step not in STEPS:
            raise MessageError(f"a step is one of {', '.join(STEPS)}; it is {outgoing.step!r}")
        if len(outgoing.data) > MOST_BYTES:
            raise MessageError(f"a request holds at most {MOST_BYTES} bytes; this one holds {len(outgoing.data)}")
        self._waiting.setdefault(outgoing.site, {})[outgoing.data] = outgoing
        self._push_waiting()

    def receive(self, until: float) -> list[bytes]:
        """Wait for answers, at most until ``until`` (seconds since the epoch); returns them as they come."""
        while True:
            self._look_at_nodes()
            self._push_waiting()
            answers = self._pull()
            left = until - self._clock()
            if answers or left <= 0:
                return answers
            self._sleep(min(_POLL, left))

    def _look_at_nodes(self) -> None:
        now = self._clock()
        if now < self._look_at:
            return
        self._look_at = now + _LOOK
        listed = {info.node_id: info.last_activated_at for info in self._grid.get_nodes()}
        for node in [node for node in self._nodes.values() if listed.get(node.id) != node.started]:
            del self._nodes[node.id]
            if node.site is not None:
                LOG.info("site %r left: its node %s is gone or was started anew", node.site, node.id)
        for node_id, started in listed.items():
            if node_id not in self._nodes:
                self._joined += 1
                self._nodes[node_id] = _Node(node_id, started, self._joined)
        self._greet(now)
        self._tell_rivals()

    def _greet(self, now: float) -> None:
        for node in self._nodes.values():
            if node.site is None and node.greet_at <= now:
                node.greet_at = now + _TELL_WITHIN
                self._push(node, HELLO, make_challenge(node.id), node.greet_at)

    def _tell_rivals(self) -> None:
        chosen = self.sites
        for node in self._nodes.values():
            if node.site is not None and chosen[node.site] != node.id and not node.is_told:
                node.is_told = True
                told = "two nodes speak for site %r: node %s is asked, node %s is not"
                LOG.info(told, node.site, chosen[node.site], node.id)
                self._push(node, REFUSED, ANOTHER_NODE, self._clock() + _TELL_WITHIN)

    def _push_waiting(self) -> None:
        now = self._clock()
        for site, node_id in self.sites.items():
            node = self._nodes[node_id]
            for waiting in self._waiting.pop(site, {}).values():
                if waiting.deadline > now and not self._is_with(node, waiting.data):
                    until = min(now + TIME_TO_LIVE, waiting.deadline)
                    self._push(node, STEPS[waiting.step], waiting.data, until)

    def _is_with(self, node: _Node, data: bytes) -> bool:
        return any(
            (pending.node, pending.started, pending.data) == (node.id, node.started, data)
            for pending in self._pending.values()
        )

    def _push(self, node: _Node, message_type: str, data: bytes, until: float) -> None:
        message = Message(to_content(data), node.id, message_type, ttl=until - self._clock())
        ids = list(self._grid.push_messages([message]))
        if ids and ids[0]:
            self._pending[ids[0]] = _Pending(node.id, node.started, message_type, data, until)
        else:
            LOG.info("the SuperLink did not take a %s for node %s", message_type, node.id)

    def _pull(self) -> list[bytes]:
        if not self._pending:
            return []
        answers = [self._take(reply) for reply in self._grid.pull_messages(set(self._pending))]
        self._forget_expired()
        return [answer for answer in answers if answer is not None]

    def _forget_expired(self) -> None:
        now = self._clock()
        for key in [key for key, pending in self._pending.items() if pending.until <= now]:
            pending = self._pending.pop(key)
            LOG.info("%s did not answer %s in time", self._name_of(pending.node), pending.message_type)

    def _take(self, reply: Message) -> bytes | None:
        pending = self._pending.pop(reply.metadata.reply_to_message_id, None)
        if pending is None:
            return None
        data = self._read(reply, pending)
        if data is None or pending.message_type == REFUSED:
            return None
        if pending.message_type == HELLO:
            self._believe(pending, data)
            return None
        return data

    def _read(self, reply: Message, pending: _Pending) -> bytes | None:
        if not reply.has_error():
            try:
                return from_content(reply.content)
            except MessageError as error:
                problem = str(error)
        else:
            problem = f"error {reply.error.code}: {cut((reply.error.reason or '')[:200])}"
        LOG.info("%s gave no answer to %s: %s", self._name_of(pending.node), pending.message_type, problem)
        if reply.has_error() and reply.error.code == BAD_REQUEST and pending.message_type in STEPS.values():
            node = self._nodes.get(pending.node)
            known = {"site": None if node is None else node.site, "node": str(pending.node)}
            why = coded(Why.NODE_FAILED, **known, request=pending.message_type, detail=cut(problem))
            self._tell_once(pending.node, pending.message_type, why)
        if pending.message_type == HELLO and pending.node in self._nodes:
            self._nodes[pending.node].greet_at = self._clock() + _GREET_AGAIN
        return None

    def _believe(self, pending: _Pending, reply: bytes) -> None:
        node = self._nodes.get(pending.node)
        if node is None or node.started != pending.started:
            return
        found = self._identify(pending.data, reply)
        if isinstance(found, str):
            self._joined += 1
            node.site, node.seen = found, self._joined
            LOG.info("site %r is at node %s", node.site, node.id)
            self._tell_rivals()
            return
        node.greet_at = float("inf")
        LOG.info("node %s is not believed to be a site of this pact; it is not asked", node.id)
        if found is not None:
            self._tell_once(node.id, HELLO, found)
            self._push(node, REFUSED, NOT_BELIEVED, self._clock() + _TELL_WITHIN)

    def _tell_once(self, node_id: int, message_type: str, why: Coded) -> None:
        """Tell the operator of a node's trouble with messages of a type; more of it does not fill the books."""
        if (node_id, message_type) not in self._told:
            self._told.add((node_id, message_type))
            self._tell(why)

    def _name_of(self, node_id: int) -> str:
        node = self._nodes.get(node_id)
        return f"node {node_id}" if node is None or node.site is None else f"site {node.site!r}"
