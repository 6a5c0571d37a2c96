"""The site's Flower app: hands each request's bytes to the site, and its answer back.

The site is a folder that the SuperNode names, ``--node-config "site='/srv/fedpact/site'"``; nothing that the
operator sends chooses it. Flower runs every message in a process of its own, so the folder is read anew each time
and the site keeps in it what it has to remember. A request that the site refuses gets a Flower error with one
line; what went wrong inside the site stays in the site's own log. A greeting is answered only at the node that it
was made for: whoever else may start runs on the same SuperLink cannot have a site sign another node's greeting.

Use it from any Flower project: ``clientapp = "fedpact.protocol.flower.client_app:app"``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from flwr.app import Context, Error, Message
from flwr.clientapp import ClientApp

from fedpact.errors import FedpactError, MessageError, ProtocolError
from fedpact.protocol.flower.records import HELLO, REFUSED, STEPS, from_content, is_challenge_for, to_content

LOG = logging.getLogger("flwr")
BAD_REQUEST, NO_ANSWER = 100, 101


class Answerer(Protocol):
    """A site, as the network sees it."""

    @property
    def name(self) -> str:
        """The site's name in the pact."""

    def answer(self, data: bytes) -> bytes:
        """Answer one signed request with one signed answer."""

    def hello(self, challenge: bytes) -> bytes:
        """Say who lives here, signed over the challenge."""


Handler = Callable[[Message, Context], Message]
FindSite = Callable[[Context], Answerer]


def make_client_app(find_site: FindSite) -> ClientApp:
    """Make the Flower app of a site.

    Parameters
    ----------
    find_site
        Gives the site that lives at a node, from the node's own configuration.

    Returns
    -------
    flwr.clientapp.ClientApp
        Answers ``query.hello``, ``query.refused`` and one message type per step of the protocol.
    """
    app = ClientApp()
    for message_type in STEPS.values():
        _register(app, message_type, _handler(find_site, _answer))
    _register(app, HELLO, _handler(find_site, _say_hello))
    _register(app, REFUSED, _handler(find_site, _take_refusal))
    return app


def _register(app: ClientApp, message_type: str, handler: Handler) -> None:
    category, action = message_type.split(".")
    decorators = {"train": app.train, "evaluate": app.evaluate, "query": app.query}
    decorators[category](action)(handler)


def _handler(find_site: FindSite, act: Callable[[Answerer, bytes, Context], bytes]) -> Handler:
    def handle(message: Message, context: Context) -> Message:
        try:
            data = from_content(message.content)
            return Message(to_content(act(find_site(context), data, context)), reply_to=message)
        except MessageError as error:
            return _refuse(message, BAD_REQUEST, str(error))
        except (FedpactError, OSError) as error:
            LOG.error("this site cannot answer %s: %s", message.metadata.message_type, error)
        except Exception:  # a labeller may raise anything, and Flower would send its text to the operator
            LOG.exception("this site cannot answer %s", message.metadata.message_type)
        return _refuse(message, NO_ANSWER, "the site could not answer; its own log says why")

    return handle


def _refuse(message: Message, code: int, reason: str) -> Message:
    return Message(Error(code=code, reason=reason), reply_to=message)


def _answer(site: Answerer, data: bytes, _: Context) -> bytes:
    return site.answer(data)


def _say_hello(site: Answerer, challenge: bytes, context: Context) -> bytes:
    if not is_challenge_for(context.node_id, challenge):
        raise MessageError("the challenge was not made for this node")
    return site.hello(challenge)


def _take_refusal(site: Answerer, _: bytes, __: Context) -> bytes:
    LOG.warning("another node already speaks for site %r in this run; this node is not asked", site.name)
    return b""


def site_from_context(context: Context) -> Answerer:
    """Read the site from the folder that the node's own configuration names as ``site``."""
    folder = context.node_config.get("site")
    if not isinstance(folder, str):
        example = "--node-config \"site='/path/to/site'\""
        raise ProtocolError(
            f"the node configuration must name the site's folder; start the SuperNode with {example}"
        )
    from fedpact.protocol.site.site_files import read_site

    site: Answerer = read_site(Path(folder))
    return site


app = make_client_app(site_from_context)
