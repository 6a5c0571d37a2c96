"""``serve``: listen, until interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import uvicorn

import fedpact as fp
from fedpact.describe.any_federation import AnyFederation
from fedpact.protocol.keys.certificates import is_loopback
from fedpact.web.app import make_app

_LEAST_TOKEN = 16


def check_token(host: str, token: str | None) -> None:
    """Refuse to listen where others can reach us unless they need a token."""
    if token is None and not is_loopback(host):
        raise fp.FederationError(
            f"host {host!r} can be reached from other machines, so whoever asks must know a token: give one of at "
            f"least {_LEAST_TOKEN} characters in --token or in FEDPACT_TOKEN, or listen at 127.0.0.1"
        )
    if token is not None and (len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable()):
        raise fp.FederationError(
            f"token must be at least {_LEAST_TOKEN} printable ASCII characters; it has {len(token)}"
        )


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise fp.FederationError(f"port must be a whole number from 0 to 65535; it is {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        said = f"cannot listen at {host}, port {port}: {why}; take another with --port"
        raise fp.FederationError(said) from None


def serve(
    fed: AnyFederation | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    ready: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """Show a federation in the browser, until interrupted.

    Parameters
    ----------
    fed
        What the page opens on, its file, or the name of an example; if not given, the Arizona hospitals.
    host, port
        Where to listen; port 0 takes one that is free. Beyond this machine only with a token.
    token
        Access token.
    ready
        Called with the address when the server listens.
    options
        As for :func:`make_app`.
    """
    host = host.strip("[]")
    check_token(host, token)
    app = make_app(fed, host=host, token=token, **options)
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    if token is not None:
        address += f"?token={quote(token, safe='')}"
    config = uvicorn.Config(app, log_level="warning", ws="none", server_header=False, timeout_graceful_shutdown=2)
    server = _Server(config, lambda: ready(address) if ready is not None else None, app.state.server.hush)
    with listening, suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], hush: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._hush = ready, hush

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; streams that have no end of their own are not waited for."""
        self._hush()
        await super().shutdown(sockets)
