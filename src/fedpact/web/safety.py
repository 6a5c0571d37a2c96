"""Who may ask, and what a page may load: hosts, origins, a token, a content security policy, sizes.

The server is meant for one machine. A page of another site that is open in the same browser must not be able to
use it, so requests that change something must come from our own pages, and the name asked for must be ours.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Examples
    --------
    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "192.168.0.2", "example.org")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host_of(authority: str) -> str | None:
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None


def _is_from(origin: str, host: str | None) -> bool:
    """Whether a page of this host sends the request."""
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


class Guard:
    """Refuses what is not for us, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, *, limits: Limits, host: str, token: str | None) -> None:
        self._app, self._limits, self._token = app, limits, token
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refuse(scope, headers) or self._ask_for_token(scope, headers)
        bounded, answer = _Bounded(receive, self._limits), _with_headers(send)
        refused = refused or bounded.refuse(headers)
        if refused is None:
            await self._app(scope, bounded, answer)
        else:
            await bounded.drain(headers)
            await refused(scope, receive, answer)

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse other names for this machine (DNS rebinding), and other sites' pages (forged requests)."""
        asked = _host_of(headers.get("host", ""))
        is_ours = asked is not None and (is_loopback(asked) or not is_loopback(self._host))
        if not is_ours:
            return _problem(400, "the name of this server is not the one that was asked for")
        is_reading, origin = scope["method"] in _READING, headers.get("origin")
        is_followed = is_reading and headers.get("sec-fetch-mode") == "navigate"
        is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_followed
        if is_foreign or (origin is not None and not is_reading and not _is_from(origin, headers.get("host"))):
            return _problem(403, "this request comes from another site's page")
        return None

    def _ask_for_token(self, scope: Scope, headers: Headers) -> Response | None:
        if self._token is None or scope["path"].startswith("/static/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token")
        if given is not None and self._is_token(given) and scope["method"] in _READING:
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["path"].lstrip("/")
            answer = RedirectResponse(f"{path}{'?' if rest else ''}{rest}", status_code=303)
            answer.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
            return answer
        if self._is_token(_bearer(headers)) or self._is_token(_cookie(headers)):
            return None
        if "text/html" in headers.get("accept", ""):
            return HTMLResponse(render("token.html", was_wrong=given is not None), status_code=401)
        return _problem(401, "a token is needed: Authorization: Bearer TOKEN")

    def _is_token(self, given: str | None) -> bool:
        return (
            given is not None
            and self._token is not None
            and hmac.compare_digest(given.encode(), self._token.encode())
        )


def _bearer(headers: Headers) -> str | None:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else None


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _problem(status: int, sentence: str) -> Response:
    return JSONResponse({"problems": [sentence]}, status_code=status)


def _say_limit(limits: Limits) -> str:
    return (
        f"this page takes up to {limits.upload_bytes / 1e6:g} MB at once; use the command line for more, or "
        "reports instead of predictions (fedpact report), or a page with a higher limit (fedpact serve --help)"
    )


class _Bounded:
    """What a client sends, up to a limit."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive, self._limits = receive, limits
        self._left, self._is_over = limits.upload_bytes, False

    def refuse(self, headers: Headers) -> Response | None:
        """Refuse a client that says that it is going to send too much."""
        said = headers.get("content-length", "")
        return _problem(413, _say_limit(self._limits)) if said.isdigit() and int(said) > self._left else None

    async def __call__(self) -> Message:
        """Return what comes next."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._is_over = not message.get("more_body", False)
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                await self.drain(None)
                raise HTTPException(413, _say_limit(self._limits))
        return message

    async def drain(self, headers: Headers | None) -> None:
        """Read and forget what still comes, so that the client hears the answer; but not for ever."""
        if headers is not None and not {"content-length", "transfer-encoding"} & set(headers):
            return
        left = _DRAINED
        while left > 0 and not self._is_over:
            message = await self._receive()
            if message["type"] != "http.request":
                return
            left -= len(message.get("body", b""))
            self._is_over = not message.get("more_body", False)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers
