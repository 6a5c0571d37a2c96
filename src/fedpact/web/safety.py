"""Who may ask, and what a page may load: hosts, origins, a token, a content security policy, sizes.

The server is meant for one machine. A page of another site that is open in the same browser must not be able to
use it, so requests that change something must come from our own pages, and the name asked for must be ours.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import SplitResult, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fedpact.protocol.keys.certificates import is_loopback
from fedpact.web.limits import Limits
from fedpact.web.render import render

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = ("GET", "HEAD")
_COOKIE = "fedpact"
_DRAINED = 2**30


def _split(address: str) -> SplitResult:
    """Take an address apart; what is none has empty parts."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


class Guard:
    """Refuses what is not for us, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, *, limits: Limits, host: str, token: str | None) -> None:
        self._app, self._limits, self._host, self._token = app, limits, host, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, answer = Request(scope), _with_headers(send)
        refused = self._refuse(request) or self._ask_for_token(request)
        if {"content-length", "transfer-encoding"} & set(request.headers):
            body = await _read_body(receive, 0 if refused else self._limits.upload_bytes)
            receive = _replay(body or b"", receive)
            refused = refused or (_problem(413, _say_limit(self._limits)) if body is None else None)
        await (refused or self._app)(scope, receive, answer)

    def _refuse(self, request: Request) -> Response | None:
        """Refuse other names for this machine (DNS rebinding), and other sites' pages (forged requests)."""
        headers, is_reading = request.headers, request.method in _READING
        host, origin = headers.get("host", ""), headers.get("origin")
        asked = _split(f"//{host}").hostname
        if asked is None or (is_loopback(self._host) and not is_loopback(asked)):
            return _problem(400, "the name of this server is not the one that was asked for")
        is_followed = is_reading and headers.get("sec-fetch-mode") == "navigate"
        is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_followed
        if is_foreign or (origin is not None and not is_reading and _split(origin).netloc != host):
            return _problem(403, "this request comes from another site's page")
        return None

    def _ask_for_token(self, request: Request) -> Response | None:
        if self._token is None or request.scope["path"].startswith("/static/"):
            return None
        given = request.query_params.get("token")
        if self._is_token(given) and request.method in _READING:
            rest = urlencode([pair for pair in request.query_params.multi_items() if pair[0] != "token"])
            path = "/" + request.scope["path"].lstrip("/")
            answer = RedirectResponse(f"{path}{'?' if rest else ''}{rest}", status_code=303)
            answer.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
            return answer
        kind, _, bearer = request.headers.get("authorization", "").partition(" ")
        if self._is_token(request.cookies.get(_COOKIE)) or (kind.lower() == "bearer" and self._is_token(bearer)):
            return None
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(render("token.html", was_wrong=given is not None), status_code=401)
        return _problem(401, "a token is needed: Authorization: Bearer TOKEN")

    def _is_token(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), (self._token or "").encode())


def _problem(status: int, sentence: str) -> Response:
    return JSONResponse({"problems": [sentence]}, status_code=status)


def _say_limit(limits: Limits) -> str:
    return (
        f"this page takes up to {limits.upload_bytes / 1e6:g} MB at once; use the command line for more, or "
        "reports instead of predictions (fedpact report), or a page with a higher limit (fedpact serve --help)"
    )


async def _read_body(receive: Receive, most: int) -> bytes | None:
    """Return what a client sends; None if it is more than so many bytes.

    What is too much is read and forgotten, so that the client hears the answer; but not for ever.
    """
    body, size, is_over = bytearray(), 0, False
    while size < _DRAINED and not is_over:
        message = await receive()
        piece, is_over = message.get("body", b""), not message.get("more_body", False)
        size += len(piece)
        if size <= most:
            body += piece
    return bytes(body) if size <= most else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives out a body that was read, then whatever else comes."""
    given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return given.pop() if given else await receive()

    return receive_again


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            kept = "no-cache" if "etag" in headers else "no-store"
            for name, value in {**_HEADERS, "Cache-Control": kept}.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
