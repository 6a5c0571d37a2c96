"""The site's Flower app: hands each request's bytes to the site, and its answer back.

The site is a folder that the SuperNode names, ``--node-config "site='/srv/fedpact/site'"``; nothing that the
operator sends chooses it. Flower runs every message in a process of its own, so the folder is read anew each time
and the site keeps in it what it has to remember. A request that the site refuses gets a Flower error with one
line; what went wrong inside the site stays in the site's own log. Whatever was asked and answered is also told in
one line to whoever joined with the site (:mod:`fedpact.protocol.flower.answers`). A greeting is answered
only at the node that it was made for: whoever else may start runs on the same SuperLink cannot have a site sign
another node's greeting.

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
from fedpact.protocol.flower.answers import say_answer, write_line
from fedpact.protocol.flower.records import (
    BAD_REQUEST,
    HELLO,
    NO_ANSWER,
    NOT_BELIEVED,
    REFUSED,
    STEPS,
    from_content,
    is_challenge_for,
    to_content,
)

LOG = logging.getLogger("flwr")


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
Tell = Callable[[Context, str], None]
"""Tells the person at a site one line."""
Act = Callable[[Answerer, bytes, Context, Tell], bytes]


def _tell_nobody(_: Context, __: str) -> None:
    return None


def make_client_app(find_site: FindSite, tell: Tell = _tell_nobody) -> ClientApp:
    """Make the Flower app of a site.

    Parameters
    ----------
    find_site
        Gives the site that lives at a node, from the node's own configuration.
    tell
        Tells the person at the site, in one line, what was asked and answered; Flower's log has it anyway.

    Returns
    -------
    flwr.clientapp.ClientApp
        Answers ``query.hello``, ``query.refused`` and one message type per step of the protocol.
    """
    app = ClientApp()
    for message_type in STEPS.values():
        _register(app, message_type, _handler(find_site, _answer, tell))
    _register(app, HELLO, _handler(find_site, _say_hello, tell))
    _register(app, REFUSED, _handler(find_site, _take_refusal, tell))
    return app


def _register(app: ClientApp, message_type: str, handler: Handler) -> None:
    category, action = message_type.split(".")
    decorators = {"train": app.train, "evaluate": app.evaluate, "query": app.query}
    decorators[category](action)(handler)


def _handler(find_site: FindSite, act: Act, tell: Tell) -> Handler:
    def handle(message: Message, context: Context) -> Message:
        asked = message.metadata.message_type
        try:
            data = from_content(message.content)
            return Message(to_content(act(find_site(context), data, context, tell)), reply_to=message)
        except MessageError as error:
            LOG.warning("this site refuses %s: %s", asked, error)
            tell(context, f"refused {asked}: {error}")
            return _refuse(message, BAD_REQUEST, str(error))
        except (FedpactError, OSError) as error:
            LOG.error("this site cannot answer %s: %s", asked, error)
            tell(context, f"cannot answer {asked}: {error}")
        except Exception as error:  # a labeller may raise anything, and Flower would send its text to the operator
            LOG.exception("this site cannot answer %s", asked)
            tell(context, f"cannot answer {asked}: {type(error).__name__}: {error}")
        return _refuse(message, NO_ANSWER, "the site could not answer; its own log says why")

    return handle


def _refuse(message: Message, code: int, reason: str) -> Message:
    return Message(Error(code=code, reason=reason), reply_to=message)


def _answer(site: Answerer, data: bytes, context: Context, tell: Tell) -> bytes:
    said = site.answer(data)
    tell(context, say_answer(data, said, Path(str(context.node_config.get("site", "")))))
    return said


def _say_hello(site: Answerer, challenge: bytes, context: Context, tell: Tell) -> bytes:
    if not is_challenge_for(context.node_id, challenge):
        raise MessageError("the challenge was not made for this node")
    said = site.hello(challenge)
    tell(context, f"greeted by an operator as {site.name!r}")
    return said


def _take_refusal(site: Answerer, why: bytes, context: Context, tell: Tell) -> bytes:
    if why == NOT_BELIEVED:
        line = (
            f"the operator does not believe that this is site {site.name!r}: the key in site.toml is not the one "
            "in its pact; ask the operator for the folder of keys that it made for this site"
        )
    else:
        line = f"another node already speaks for site {site.name!r} in this run; this node is not asked"
    LOG.warning("%s", line)
    tell(context, line)
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


def _tell_in_folder(context: Context, line: str) -> None:
    """Write a line into the site's own folder; that it cannot be written keeps no site from answering."""
    folder = context.node_config.get("site")
    if not isinstance(folder, str):
        return
    try:
        write_line(Path(folder), line)
    except OSError as error:
        LOG.warning("nobody is told what this site answers: %s", error)


app = make_client_app(site_from_context, _tell_in_folder)
