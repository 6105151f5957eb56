"""The token: who may ask, where a server is reached from other computers.

A program sends it as ``Authorization: Bearer TOKEN``. A person opens ``/?token=TOKEN`` once: the browser is given a
cookie and sent to the page without the token in its address, where it would stay in histories.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

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
