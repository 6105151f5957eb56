"""The guard before the explorer, driven by itself: whose requests it takes, and how much of them."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from starlette.exceptions import HTTPException

from elsewise.tools.app.serving.guard import Guard


def ask(guard_options=None, *, headers=(), chunks=(b"",), scope_type="http", pause=0.0, address="/api/about"):
    """Send one request through the guard; gives the status, the detail if refused, and what the application read."""
    read, sent = [], []
    coming = list(chunks)

    async def app(scope, receive, send):
        while True:
            message = await receive()
            read.append(message.get("body", b""))
            if not message.get("more_body", False):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def receive():
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": coming.pop(0), "more_body": bool(coming)}

    async def send(message):
        sent.append(message)

    path, _, query = address.partition("?")
    scope = {
        "type": scope_type,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    try:
        asyncio.run(Guard(app, **(guard_options or {}))(scope, receive, send))
    except HTTPException as refused:  # the application answers with it
        return refused.status_code, refused.detail, read
    if not sent:
        return None, "", read
    if sent[0]["status"] == 303:
        return 303, dict(sent[0]["headers"]), read
    body = json.loads(sent[1]["body"])
    return sent[0]["status"], body.get("detail", ""), read


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8321", "LOCALHOST:1", "127.0.0.1:8321", "[::1]:8321", "[::1]"]
)
def test_local_names_are_taken(host):
    assert ask(headers=[("host", host)]) == (200, "", [b""])


@pytest.mark.parametrize(
    "host",
    ["evil-localhost", "evil-localhost:8321", "localhost.evil.example", "localhost-evil", "evil.example", "127.0.0.10",
     "1127.0.0.1", "localhost@evil.example", "localhost:80@evil.example", "", "[", "[::1].evil.example", "::2"],
)  # fmt: skip
def test_other_names_are_refused_and_the_application_sees_nothing(host):
    status, detail, read = ask(headers=[("host", host)])
    assert (status, read) == (421, [])
    assert "localhost" in detail


def test_no_host_at_all_is_refused_unless_any_is_taken():
    assert ask()[0] == 421
    assert ask({"hosts": None})[0] == 200
    assert ask({"hosts": None}, headers=[("host", "anything.example")])[0] == 200


@pytest.mark.parametrize("host", ["user@localhost", "user:secret@localhost:8321", "@localhost", "localhost@"])
@pytest.mark.parametrize("hosts", [None, frozenset({"localhost"})])
def test_a_host_with_a_user_is_refused_whatever_names_are_taken(host, hosts):
    status, _, read = ask({"hosts": hosts}, headers=[("host", host)])
    assert (status, read) == (421, [])


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:9999", "http://localhost", "http://evil.example:8321", "http://127.0.0.1:8321", "null", "",
     "http://localhost:8321.evil.example", "http://evil-localhost:8321", "http://localhost:83210"],
)  # fmt: skip
def test_pages_of_another_origin_are_refused(origin):
    status, detail, read = ask(headers=[("host", "localhost:8321"), ("origin", origin)])
    assert (status, read) == (403, [])
    assert "may not ask here" in detail


def test_the_pages_own_origin_is_taken():
    assert ask(headers=[("host", "localhost:8321"), ("origin", "http://localhost:8321")])[0] == 200
    assert ask(headers=[("host", "LocalHost:8321"), ("origin", "http://localhost:8321")])[0] == 200


def test_chunks_that_only_together_are_too_large_are_refused():
    local = [("host", "localhost")]
    options = {"most_bytes": 100}
    assert ask(options, headers=local, chunks=[b"x" * 50, b"x" * 50])[0] == 200
    status, detail, read = ask(options, headers=local, chunks=[b"x" * 40, b"x" * 40, b"x" * 40])
    assert (status, read) == (413, [b"x" * 40, b"x" * 40])  # the third is never handed over
    assert "at most 100 bytes" in detail
    # a length that lies is no way around it
    status, _, _ = ask(options, headers=[*local, ("content-length", "10")], chunks=[b"x" * 60, b"x" * 60])
    assert status == 413


@pytest.mark.parametrize(("length", "expected"), [("100", 200), ("101", 413), ("9" * 40, 413), ("-1", 400),
                                                  ("1e3", 400), ("", 400), ("²", 400)])  # fmt: skip
def test_lengths_are_checked_before_anything_is_read(length, expected):
    status, _, read = ask({"most_bytes": 100}, headers=[("host", "localhost"), ("content-length", length)])
    assert status == expected
    assert read == ([b""] if expected == 200 else [])


def test_a_body_has_its_time_in_all_not_for_each_chunk():
    options, local = {"seconds": 0.3}, [("host", "localhost")]
    assert ask(options, headers=local, chunks=[b"x"] * 2, pause=0.01)[0] == 200
    status, detail, _ = ask(options, headers=local, chunks=[b"x"] * 20, pause=0.1)
    assert status == 408
    assert "0.3 s" in detail


def test_websockets_are_closed_without_a_word():
    assert ask(headers=[("host", "localhost")], scope_type="websocket") == (None, "", [])


TOKEN = "a-token-that-is-long-enough"


@pytest.mark.parametrize(
    "header",
    [("authorization", f"Bearer {TOKEN}"), ("authorization", f"bearer {TOKEN}"),
     ("cookie", f"elsewise_token={TOKEN}"), ("cookie", f"other=1; elsewise_token={TOKEN}")],
)  # fmt: skip
def test_a_token_that_is_shown_lets_in(header):
    assert ask({"token": TOKEN}, headers=[("host", "localhost"), header]) == (200, "", [b""])


@pytest.mark.parametrize(
    "headers",
    [[], [("authorization", f"Basic {TOKEN}")], [("authorization", TOKEN)], [("authorization", f"Bearer {TOKEN[:-1]}")],
     [("authorization", f"Bearer {TOKEN}x")], [("authorization", "Bearer ")], [("cookie", "elsewise_token=")],
     [("cookie", f"elsewise_token={TOKEN.upper()}")], [("cookie", "\xff\xfe; ;;=")], [("x-token", TOKEN)]],
)  # fmt: skip
def test_without_the_token_nothing_is_seen(headers):
    status, detail, read = ask({"token": TOKEN}, headers=[("host", "localhost"), *headers])
    assert (status, read) == (401, [])
    assert "Bearer" in detail


def test_a_browser_shows_the_token_once_and_gets_a_cookie():
    guard = {"token": TOKEN}
    status, headers, read = ask(guard, headers=[("host", "localhost")], address=f"/?token={TOKEN}")
    assert (status, headers[b"location"], read) == (303, b"/", [])
    cookie = headers[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask(guard, headers=[("host", "localhost"), ("cookie", cookie.partition(";")[0])])[0] == 200


@pytest.mark.parametrize(
    "address", ["/?token=", "/?token=wrong", f"/api/about?token={TOKEN}", f"/?token={TOKEN}&token=x"]
)
def test_a_wrong_address_does_not_let_in(address):
    assert ask({"token": TOKEN}, headers=[("host", "localhost")], address=address)[0] == 401


def test_names_are_checked_before_tokens():
    assert ask({"token": TOKEN}, headers=[("host", "evil.example"), ("authorization", f"Bearer {TOKEN}")])[0] == 421
