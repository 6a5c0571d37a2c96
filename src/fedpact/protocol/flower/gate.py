"""The one door that sites come through: TLS in front of a SuperLink, and nothing behind it but the fleet API.

A SuperLink serves three interfaces on one port, and by one of them, the control API, whoever reaches it starts
runs and registers keys, that is: runs code on the operator's machine. So ours listens on the loopback address
alone, and this gate passes on what nodes say to the fleet API, ``POST /v1/fleet/NAME``, and the question whether
it is up. Whether a node may take part is checked behind the gate, by its registered key. Accounts of the
operator's machine reach the SuperLink itself: give none to strangers.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import FrameType

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from fedpact.errors import ProtocolError
from fedpact.protocol.flower.local import LocalDeployment
from fedpact.protocol.flower.processes import handling_signals
from fedpact.protocol.flower.records import MOST_BYTES
from fedpact.protocol.flower.superlink import PORT, read_address
from fedpact.protocol.keys.key_set import TLS, complete_keys

_FLEET = re.compile(rb"/v1/fleet/[a-z]+(-[a-z]+)*")
_PASSED, _OWN = ("content-type", "accept"), "flwr-"
_KEY = "flwr-public-key"
_AT_ONCE = 32
"""Requests that are read and passed on at once: what they hold at most is what all together hold in memory."""
_BODY_WITHIN, _ANSWER_WITHIN = 60.0, 120.0
_MOST = MOST_BYTES + 2**20
_CONNECTIONS = 1000


async def _read(request: Request) -> bytes | None:
    """Read what is sent; None if it is too much, or comes too slowly."""
    data = bytearray()
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(_BODY_WITHIN):
            async for part in request.stream():
                data += part
                if len(data) > _MOST:
                    return None
            return bytes(data)
    return None


def make_gate(superlink: str, root_certificates: Path) -> Starlette:
    """Make the application that passes the fleet API of a SuperLink on, and nothing else.

    Parameters
    ----------
    superlink
        ``HOST:PORT`` of the SuperLink, which speaks TLS.
    root_certificates
        The certificate that signs the SuperLink's.
    """
    line = httpx.AsyncClient(
        base_url=f"https://{superlink}",
        verify=ssl.create_default_context(cafile=str(root_certificates)),
        timeout=_ANSWER_WITHIN,
        limits=httpx.Limits(max_connections=_CONNECTIONS),
        trust_env=False,
    )

    turns = asyncio.Semaphore(_AT_ONCE)

    async def pass_on(request: Request) -> Response:
        path = request.scope["raw_path"]
        if request.scope["query_string"] or not (path == b"/health" or _FLEET.fullmatch(path)):
            return PlainTextResponse("not here", 404)
        if path != b"/health" and _KEY not in request.headers:
            return PlainTextResponse("a node shows its key", 401)
        async with turns:
            return await pass_in_turn(request, path)

    async def pass_in_turn(request: Request, path: bytes) -> Response:
        body = await _read(request)
        if body is None:
            return PlainTextResponse("too much, or too slow", 413)
        headers = [
            (name, value)
            for name, value in request.headers.raw
            if name.decode("latin-1").startswith((*_PASSED, _OWN))
        ]
        try:
            answer = await line.request(request.method, path.decode("ascii"), content=body, headers=headers)
        except httpx.TransportError:
            return PlainTextResponse("the SuperLink does not answer", 502)
        kept = {"content-type": answer.headers.get("content-type", "application/octet-stream")}
        return Response(answer.content, answer.status_code, kept)

    @asynccontextmanager
    async def close_line(app: Starlette) -> AsyncIterator[None]:
        yield
        await line.aclose()

    routes = [
        Route("/v1/fleet/{name}", pass_on, methods=["POST"]),
        Route("/health", pass_on, methods=["GET"]),
    ]
    return Starlette(routes=routes, lifespan=close_line)


class _Server(uvicorn.Server):
    """Serves until it is told to stop; who started it handles signals, and hears when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], is_up: Callable[[], bool]) -> None:
        super().__init__(config)
        self._ready, self._is_up = ready, is_up

    async def startup(self, sockets: object = None) -> None:
        await super().startup()
        if self.started:
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        """Whether to end: when told to, or when the SuperLink has."""
        return await super().on_tick(counter) or not self._is_up()


def serve_superlink(
    keys: Path,
    listen: str,
    home: Path,
    *,
    port: int = PORT,
    ready: Callable[[str], None] | None = None,
    start_within: float = 120.0,
) -> None:
    """Start a SuperLink for this machine and the gate for the sites' nodes; returns when it is interrupted.

    Parameters
    ----------
    keys
        The operator's folder of keys.
    listen
        ``HOST:PORT`` of the gate: what sites join.
    home
        Where Flower keeps its files and logs; a SuperLink that is started again goes on there.
    port
        On which the SuperLink listens for the operator's own commands, on this machine only.
    ready
        Called with the address of the SuperLink once sites can join.
    start_within
        Seconds until the SuperLink has to be up.
    """
    host, gate_port = read_address(listen)
    complete_keys(keys)
    tls = (keys / TLS).resolve()
    deployment = LocalDeployment(home, tls, start_within, port=port)
    superlink = deployment.connection.address
    config = uvicorn.Config(
        make_gate(superlink, tls / "ca.crt"),
        host=host,
        port=gate_port,
        ssl_certfile=tls / "server.crt",
        ssl_keyfile=tls / "server.key",
        log_level="warning",
        ws="none",
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )

    def is_up() -> bool:
        return deployment.processes.started["superlink"].poll() is None

    server = _Server(config, lambda: ready(superlink) if ready is not None else None, is_up)

    def stop(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    with handling_signals(stop, "SIGINT", "SIGTERM", "SIGHUP"):
        try:
            deployment.start()
            if not server.should_exit:
                asyncio.run(server.serve())
            if not server.should_exit and not is_up():
                raise ProtocolError(f"the SuperLink ended: {deployment.processes.explain('superlink')}")
        except SystemExit:  # uvicorn's, when it cannot listen
            raise ProtocolError(
                f"cannot listen on {listen}; is another program there? Give another port"
            ) from None
        finally:
            deployment.processes.end()
