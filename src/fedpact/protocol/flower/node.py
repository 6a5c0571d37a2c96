"""A site's node: takes messages off a SuperLink and hands them to the site's own app, and runs nothing else.

Flower's SuperNode fetches a bundle of code along with a run's first message, and runs it. So whoever may start a
run on the SuperLink runs code at every site. This node speaks the same fleet API and never asks for a bundle:
whatever a SuperLink sends is a message to fedpact's own app (:mod:`fedpact.protocol.flower.client_app`), as it is
installed here. It is one process, and answers as fast as the site does.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from flwr.app import Context, Error, Message, RecordDict
from flwr.app.message.message import remove_content_from_message
from flwr.clientapp import ClientApp
from flwr.common.constant import HEARTBEAT_DEFAULT_INTERVAL
from flwr.common.serde import message_to_proto
from flwr.proto.fleet_pb2 import (
    ActivateNodeRequest,
    DeactivateNodeRequest,
    PullMessagesRequest,
    PushMessagesRequest,
    RegisterNodeFleetRequest,
)
from flwr.proto.heartbeat_pb2 import SendNodeHeartbeatRequest
from flwr.proto.node_pb2 import Node as NodeId
from flwr.supercore.heartbeat import HeartbeatSender
from flwr.supercore.inflatable.inflatable_object import (
    get_all_nested_objects,
    get_object_tree,
    no_object_id_recompute,
)
from flwr.supercore.inflatable.inflatable_protobuf_utils import (
    make_confirm_message_received_fn_protobuf,
    make_pull_object_fn_protobuf,
    make_push_object_fn_protobuf,
)
from flwr.supercore.inflatable.inflatable_utils import pull_and_inflate_object_from_tree, push_objects
from flwr.supercore.interceptors.http.runtime_version import RuntimeVersionHttpInterceptor
from flwr.supercore.primitives.asymmetric import generate_key_pairs, public_key_to_bytes
from flwr.supercore.task_identity import TaskIdentity
from flwr.supernode.fleet_http_client import FleetHttpClient
from flwr.supernode.node_auth_http_interceptor import NodeAuthHttpInterceptor

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.records import NO_ANSWER

LOG = logging.getLogger("flwr")
_LATER = (httpx.codes.REQUEST_TIMEOUT, httpx.codes.REQUEST_ENTITY_TOO_LARGE, httpx.codes.TOO_MANY_REQUESTS)


def _read_key(path: Path) -> ec.EllipticCurvePrivateKey:
    try:
        key = load_ssh_private_key(path.read_bytes(), None)
    except ValueError as error:
        raise ProtocolError(f"{path} is no key of a SuperNode: {error}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ProtocolError(f"{path} is no key of a SuperNode, which is of an elliptic curve")
    return key


def is_away(error: httpx.HTTPError) -> bool:
    """Whether nobody answered, so that somebody may later; a refusal stands."""
    code = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else None
    return code is None or code >= httpx.codes.INTERNAL_SERVER_ERROR or code in _LATER


class Node:
    """A site's place at a SuperLink; made by :func:`connect`."""

    def __init__(self, client: FleetHttpClient, node_id: int) -> None:
        self._client, self.id = client, node_id

    def answer(self, app: ClientApp, config: dict[str, Any]) -> bool:
        """Hand the next message to an app and its reply to the SuperLink; False if there is none."""
        node = NodeId(node_id=self.id)
        found = self._client.PullMessages(PullMessagesRequest(node=node))
        if not found.messages_list:
            return False
        try:
            self._answer(node, found, app, config)
        except Exception as error:  # whatever a SuperLink sends, or takes back, one message is lost and no site
            LOG.warning("a message is lost: %s: %s", type(error).__name__, error)
        return True

    def _answer(self, node: NodeId, found: Any, app: ClientApp, config: dict[str, Any]) -> None:
        tree, run, began = found.message_object_trees[0], found.messages_list[0].metadata.run_id, time.monotonic()
        TaskIdentity.task_id, TaskIdentity.run_id, TaskIdentity.node_id = 0, run, self.id
        message = pull_and_inflate_object_from_tree(
            tree,
            make_pull_object_fn_protobuf(self._client.PullObject, node, run),
            make_confirm_message_received_fn_protobuf(self._client.ConfirmMessageReceived, node, run),
            return_type=Message,
        )
        message.metadata.__dict__["_message_id"] = tree.object_id
        context = Context(run_id=run, node_id=self.id, node_config=config, state=RecordDict(), run_config={})
        try:
            reply = app(message=message, context=context)
        except ValueError:  # of another app's messages
            LOG.warning("this site knows no message of the type %s", message.metadata.message_type)
            reply = Message(Error(code=NO_ANSWER, reason="this site knows no such message"), reply_to=message)
        reply.metadata.__dict__["_message_id"] = reply.object_id
        with no_object_id_recompute():
            taken = self._client.PushMessages(
                PushMessagesRequest(
                    node=node,
                    messages_list=[message_to_proto(remove_content_from_message(reply))],
                    message_object_trees=[get_object_tree(reply)],
                    clientapp_runtime_list=[time.monotonic() - began],
                )
            )
            push_objects(
                get_all_nested_objects(reply),
                make_push_object_fn_protobuf(self._client.PushObject, node, run, taken.session_id),
                object_ids_to_push=set(taken.objects_to_push),
            )

    def is_known(self) -> bool:
        """Tell the SuperLink that this node is there, and whether it was heard."""
        node = NodeId(node_id=self.id)
        try:
            return bool(
                self._client.SendNodeHeartbeat(
                    SendNodeHeartbeatRequest(node=node, heartbeat_interval=HEARTBEAT_DEFAULT_INTERVAL)
                ).success
            )
        except (httpx.HTTPError, ValueError):
            return False


@contextmanager
def connect(superlink: str, keys: Path | None) -> Iterator[Node]:
    """Take a site's place at a SuperLink, and leave it on the way out.

    Parameters
    ----------
    superlink
        ``HOST:PORT``.
    keys
        The folder with ``ca.crt`` and ``supernode.key``; None is without TLS and authentication.

    Raises
    ------
    httpx.HTTPError
        If the SuperLink does not answer, or refuses.
    """
    private, public = generate_key_pairs()
    if keys is not None:
        private = _read_key(keys / "supernode.key")
        public = private.public_key()
    own = public_key_to_bytes(public)
    with FleetHttpClient.from_server_address(
        superlink,
        keys is None,
        None if keys is None else (keys / "ca.crt").read_bytes(),
        [RuntimeVersionHttpInterceptor(component_name="SuperNode"), NodeAuthHttpInterceptor(private, public)],
    ) as client:
        if keys is None:
            client.RegisterNode(RegisterNodeFleetRequest(public_key=own))
        asked = ActivateNodeRequest(public_key=own, heartbeat_interval=HEARTBEAT_DEFAULT_INTERVAL)
        node = Node(client, client.ActivateNode(asked).node_id)
        heart = HeartbeatSender(node.is_known)
        heart.start()
        try:
            yield node
        finally:
            with suppress(httpx.HTTPError, RuntimeError, ValueError):
                heart.stop()
                client.DeactivateNode(DeactivateNodeRequest(node_id=node.id))
