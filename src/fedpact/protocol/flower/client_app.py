"""The site's Flower app: hands each request's bytes to the site, and its answer back.

The site is a folder that the SuperNode names, ``--node-config "site='/srv/fedpact/site'"``; nothing that the
operator sends chooses it. Flower runs every message in a process of its own, so the folder is read anew each time
and the site keeps in it what it has to remember. A request that the site refuses gets a Flower error with one
line; what went wrong inside the site stays in the site's own log. A greeting is answered only at the node that it
was made for: whoever else may start runs on the same SuperLink cannot have a site sign another node's greeting.

Whatever was asked and answered is told in one line to whoever joined with ``fedpact site join``, else to Flower's
log. A simulated node has no configuration but its number, so there, and only there (:data:`simulated_app`), the
run's configuration says where the sites are.

Use it from any Flower project: ``clientapp = "fedpact.protocol.flower.client_app:app"``.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flwr.app import Context, Error, Message
from flwr.clientapp import ClientApp

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError, MessageError, ProtocolError
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
from fedpact.protocol.messages import (
    Contributed,
    Evaluated,
    Pending,
    Receipt,
    Refused,
    Reported,
    read_answer,
    read_request,
)
from fedpact.protocol.site.site import Site
from fedpact.protocol.site.site_files import read_site, read_table

LOG = logging.getLogger("flwr")
Handler = Callable[[Message, Context], Message]
FindSite = Callable[[Context], Site]
Tell = Callable[[str], None]
Act = Callable[[Site, bytes, Context, Tell], bytes]


def _log(line: str) -> None:
    LOG.debug("%s", line)


def make_client_app(find_site: FindSite, tell: Tell = _log) -> ClientApp:
    """Make the Flower app of a site.

    Parameters
    ----------
    find_site
        Gives the site that lives at a node, from the node's own configuration.
    tell
        Tells a person at the site, in one line, what was asked and answered.

    Returns
    -------
    flwr.clientapp.ClientApp
        Answers ``query.hello``, ``query.refused`` and one message type per step of the protocol.
    """
    app = ClientApp()
    acts: dict[str, Act] = {HELLO: _say_hello, REFUSED: _take_refusal}
    for message_type, act in {**dict.fromkeys(STEPS.values(), _answer), **acts}.items():
        category, action = message_type.split(".")
        getattr(app, category)(action)(_handler(find_site, act, tell))
    return app


def _handler(find_site: FindSite, act: Act, tell: Tell) -> Handler:
    def handle(message: Message, context: Context) -> Message:
        asked = message.metadata.message_type
        try:
            data = from_content(message.content)
            return Message(to_content(act(find_site(context), data, context, tell)), reply_to=message)
        except MessageError as error:
            LOG.warning("this site refuses %s: %s", asked, error)
            tell(one_line(f"refused {asked}: {error}"))
            return _refuse(message, BAD_REQUEST, str(error))
        except (FedpactError, OSError) as error:
            LOG.error("this site cannot answer %s: %s", asked, error)
            tell(one_line(f"cannot answer {asked}: {error}"))
        except Exception as error:  # a labeller may raise anything, and Flower would send its text to the operator
            LOG.exception("this site cannot answer %s", asked)
            tell(one_line(f"cannot answer {asked}: {type(error).__name__}: {error}"))
        return _refuse(message, NO_ANSWER, "the site could not answer; its own log says why")

    return handle


def _refuse(message: Message, code: int, reason: str) -> Message:
    return Message(Error(code=code, reason=reason), reply_to=message)


def _answer(site: Site, data: bytes, context: Context, tell: Tell) -> bytes:
    said = site.answer(data)
    tell(say_answer(data, said, Path(str(context.node_config.get("site", "")))))
    return said


def _say_hello(site: Site, challenge: bytes, context: Context, tell: Tell) -> bytes:
    if not is_challenge_for(context.node_id, challenge):
        raise MessageError("the challenge was not made for this node")
    said = site.hello(challenge)
    tell(f"greeted by an operator as {site.name!r}")
    return said


def _take_refusal(site: Site, why: bytes, context: Context, tell: Tell) -> bytes:
    if why == NOT_BELIEVED:
        line = (
            f"the operator does not believe that this is site {site.name!r}: the key in site.toml is not the one "
            "in its pact; ask the operator for the folder of keys that it made for this site"
        )
    else:
        line = f"another node already speaks for site {site.name!r} in this run; this node is not asked"
    LOG.warning("%s", line)
    tell(line)
    return b""


def say_answer(data: bytes, answer: bytes, site: Path) -> str:
    """Say what a site answered to a request, in one line.

    Examples
    --------
    >>> from fedpact.protocol.messages import Answer, Request, write_answer, write_request
    >>> told = {"run": "12ab34cd56", "request": "r", "site": "north", "step": "evaluate"}
    >>> asked = write_request(Request(**told, body={"index": 0}))
    >>> say_answer(asked, write_answer(Answer(**told, body=Evaluated(n=40, mistakes=2))), Path("north"))
    'answered evaluate of run 12ab34cd: 2 of 40 held-out samples wrong'
    """
    try:
        request, said = read_request(data), read_answer(answer, {})
    except FedpactError:
        return "answered a request"
    of_run = f"{request.step} of run {request.run[:8]}"
    match said.body:
        case Pending():
            return f"waiting: {said.body.why}{_say_how_to_label(site)}"
        case Refused():
            return f"refused {of_run}: {said.body.why}"
        case Reported():
            able = "any number of" if said.body.pool is None else f"up to {said.body.pool}"
            told = f": can label {able} samples"
        case Contributed():
            told = f": {said.body.m} samples"
        case Evaluated():
            told = f": {said.body.mistakes} of {said.body.n} held-out samples wrong" if said.body.n else ""
        case Receipt():
            told = f": {_say_amount(request.body.get('statement'))}"
    return f"answered {of_run}{told}"


def _say_amount(statement: Any) -> str:
    amount = statement.get("amount") if isinstance(statement, dict) else None
    return f"a statement of {amount:g}" if isinstance(amount, int | float) else "a statement"


def _say_how_to_label(site: Path) -> str:
    """Say what people do, if it is people who label."""
    try:
        table = read_table(site)
    except FedpactError:
        return ""
    if "labels" in table or "labeller" in table:
        return ""
    return f"; next: fedpact label export {shlex.quote(str(site))} -o todo.csv"


def _site_of_node(context: Context) -> Site:
    """Read the site from the folder that the node's own configuration names as ``site``."""
    folder = context.node_config.get("site")
    if not isinstance(folder, str):
        example = "--node-config \"site='/path/to/site'\""
        raise ProtocolError(
            f"the node configuration must name the site's folder; start the SuperNode with {example}"
        )
    return read_site(Path(folder))


def _site_of_partition(context: Context) -> Site:
    """Read the site of a simulated node: the folder at the node's number in the run's list ``sites``, a JSON."""
    folders, number = context.run_config.get("sites"), context.node_config.get("partition-id")
    if not isinstance(folders, str) or not isinstance(number, int):
        raise ProtocolError(
            "a simulated node needs 'sites' in the run configuration and a partition-id of its own"
        )
    return read_site(Path(json.loads(folders)[number]))


app = make_client_app(_site_of_node)
simulated_app = make_client_app(_site_of_partition)
