"""What stands before the application: whose requests are taken, how large they may be, and what browsers are sent.

A page on another site can make a browser send requests to localhost, and with a name that resolves to 127.0.0.1 even
read the answers; the Host and Origin headers tell such requests apart.

The token: who may ask, where a server is reached from other computers.

A program sends it as ``Authorization: Bearer TOKEN``. A person opens ``/?token=TOKEN`` once: the browser is given a
cookie and sent to the page without the token in its address, where it would stay in histories.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException

from ..constants import BODY_SECONDS, LOCAL_HOSTS, MOST_BYTES

# Name of the cookie.
_COOKIE = "elsewise_token"


def is_shown(token: str, headers: dict[bytes, str]) -> bool:
    """Whether a request comes with the token, in its Authorization header or a cookie."""
    scheme, _, given = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _is_same(given.strip(), token):
        return True
    try:
        cookie = SimpleCookie(headers.get(b"cookie", "")).get(_COOKIE)
    except CookieError:
        return False
    return cookie is not None and _is_same(cookie.value, token)


def is_in_address(token: str, path: str, query: bytes) -> bool:
    """Whether a request opens the page with the token in its address."""
    given = parse_qs(query.decode("latin-1")).get("token", []) if path == "/" else []
    return len(given) == 1 and _is_same(given[0], token)


def cookie_of(token: str) -> bytes:
    """Write the Set-Cookie header: for this server's own pages, out of reach of scripts, until the browser closes."""
    return f"{_COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict".encode()


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port. Nothing else: parsers of addresses
# disagree about what may stand beside brackets or an "@".
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s:/?#@\[\]]+))(?::[0-9]*)?")

# Scripts, styles and requests of the page's own and nothing else; data: is for the icon.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]


# What the page that asks for the token is made of.
_OF_ASKING = ("/static/style.css", "/static/icon.svg")


class Guard:
    """Checks requests before the application sees them, and adds headers to what it answers.

    Parameters
    ----------
    app : ASGI application
    hosts : set of str or None
        Names in the Host header that are taken, without a port; None takes any.
    most_bytes : int
        Largest body.
    seconds : float
        Time for a body to come.
    token : str or None
        What requests must show (:mod:`elsewise.tools.app.serving.guard`); None takes all.
    asking : bytes
        Page that asks people for the token.
    """

    def __init__(
        self,
        app: App,
        *,
        hosts: frozenset[str] | None = LOCAL_HOSTS,
        most_bytes: int = MOST_BYTES,
        seconds: float = BODY_SECONDS,
        token: str | None = None,
        asking: bytes = b"",
    ) -> None:
        self.app, self.hosts, self.most_bytes, self.seconds, self.token = app, hosts, most_bytes, seconds, token
        self.asking = asking

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take or refuse a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # websockets are not for us: closed by returning
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._objection(headers)
        if refused is not None:
            await _refuse(send, *refused)
            return
        if self.token is not None and not is_shown(self.token, headers):
            if is_in_address(self.token, scope["path"], scope["query_string"]):
                await _let_in(send, self.token)
            elif self.asking and scope["path"] == "/" and "text/html" in headers.get(b"accept", ""):
                await _ask_for_token(send, self.asking)
            elif scope["path"] in _OF_ASKING:
                await self.app(scope, receive, send)
            else:
                await _refuse(send, 401, "A token is needed: Authorization: Bearer TOKEN, or open /?token=TOKEN once.")
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(item for item in _HEADERS if item[0] not in own)]
            await send(message)

        await self.app(scope, self._counted(receive), send_with_headers)

    def _objection(self, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            return 421, (
                f"This server answers to {', '.join(sorted(self.hosts))}, not to {host[:100]!r}. Open it by one of "
                "these names, or start it with --host."
            )
        if "@" in host:  # whatever names are taken: before it may stand anything
            return 421, "The Host header names a user. Open the server by its own name."
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, f"A page of {origin[:100]!r} may not ask here."
        length = headers.get(b"content-length", "0")
        if not length.isdecimal():  # of one byte a character: nothing but 0 to 9
            return 400, "The Content-Length header is not a number."
        if len(length) > 15 or int(length) > self.most_bytes:
            return 413, self._too_large()
        return None

    def _too_large(self) -> str:
        return f"The request is too large: at most {self.most_bytes:,} bytes are read."

    def _counted(self, receive: Receive) -> Receive:
        n_bytes, ends, complete = 0, time.monotonic() + self.seconds, False

        async def counted() -> Message:
            nonlocal n_bytes, complete
            if complete:  # what comes now is that the client has gone, whenever that is
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(ends - time.monotonic(), 0.0))
            except TimeoutError:
                raise HTTPException(408, f"The request did not come to an end within {self.seconds:g} s.") from None
            complete = not message.get("more_body", False)
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.most_bytes:
                raise HTTPException(413, self._too_large())  # the application answers with it
            return message

        return counted


def _name(host: str) -> str:
    """Name in a Host header, without the port and in lower case; empty if it is no such header at all."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]).lower() if found else ""


async def _let_in(send: Send, token: str) -> None:
    """Return the browser its cookie, and send it to the page without the token in its address."""
    headers = [(b"location", b"/"), (b"set-cookie", cookie_of(token)), (b"content-length", b"0"), *_HEADERS]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _ask_for_token(send: Send, page: bytes) -> None:
    """Send the page with a field for the token."""
    policy = _POLICY.replace("form-action 'none'", "form-action 'self'")
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(page)).encode())]
    headers += [(b"content-security-policy", policy.encode()), *_HEADERS[1:]]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": page})


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *_HEADERS]
    # The rest of a body that is not read makes the connection useless for a next request.
    headers.append((b"connection", b"close"))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
