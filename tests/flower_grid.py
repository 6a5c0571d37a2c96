"""A Flower grid in a few lines, with a clock that only moves when somebody waits."""

import itertools
from types import SimpleNamespace

from flwr.app import Context, Error, Message, RecordDict
from flwr.common.constant import ErrorCode


class Clock:
    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds


class FakeGrid:
    """Nodes run a site's Flower app at once; a node of None is dead and holds what it gets."""

    def __init__(self):
        self.apps, self.started, self.pushed, self.held = {}, {}, [], {}
        self.replies, self.numbers = {}, itertools.count(1)

    def join(self, node_id, app, started="first", **settings):
        self.apps[node_id] = (app, settings)
        self.started[node_id] = started

    def leave(self, node_id):
        del self.started[node_id]

    def get_nodes(self):
        return [SimpleNamespace(node_id=key, last_activated_at=value) for key, value in self.started.items()]

    def push_messages(self, messages):
        return [self._push(message) for message in messages]

    def _push(self, message):
        key = f"message {next(self.numbers)}"
        message.metadata.__dict__["_message_id"] = key
        self.pushed.append(message)
        app, settings = self.apps[message.metadata.dst_node_id]
        if app is None:
            self.held[key] = message
        else:
            self.replies[key] = app(message, context(node_id=message.metadata.dst_node_id, **settings))
        return key

    def give_up(self, node_id):
        """Say that a dead node's messages are lost, as a SuperLink does after a minute."""
        error = Error(ErrorCode.NODE_UNAVAILABLE, "Node\nUnavailable")
        for key in [key for key, message in self.held.items() if message.metadata.dst_node_id == node_id]:
            self.replies[key] = Message(error, reply_to=self.held.pop(key))

    def pull_messages(self, message_ids):
        return [self.replies.pop(key) for key in sorted(message_ids) if key in self.replies]

    def types(self):
        return [message.metadata.message_type for message in self.pushed]


def context(*, run_config=None, node_id=7, **settings):
    return Context(
        run_id=1, node_id=node_id, node_config=settings, state=RecordDict(), run_config=run_config or {}
    )
