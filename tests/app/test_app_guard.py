"""Whose requests the explorer takes and how large they may be, driven as an ASGI application: no client tidies up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from app.running import small_explainer, small_table
from elsewise.app import create_app

MOST = 2_000
GOOD = json.dumps({"row": {"income": 30.0, "years": 2, "housing": "rent"}, "target": "yes"}).encode()


@pytest.fixture(scope="module")
def make():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    return lambda **options: create_app(explainer, frame, most_bytes=MOST, **options)


@pytest.fixture(scope="module")
def app(make):
    return make(body_time=5.0)


class Request:
    """One request of a made-up client.

    Attributes
    ----------
    status, headers, body : what came back; None, empty and empty before
    n_read : int
        Parts of the body that were asked for.
    """

    def __init__(self, parts: list[bytes], wait: float = 0.0) -> None:
        self.parts, self.wait, self.n_read = list(parts), wait, 0
        self.status: int | None = None
        self.headers: dict[bytes, bytes] = {}
        self.body = b""

    async def receive(self) -> dict[str, Any]:
        if not self.parts:
            await asyncio.sleep(30.0)  # the client stays and says nothing more
            return {"type": "http.disconnect"}
        await asyncio.sleep(self.wait)
        self.n_read += 1
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        self.body += message.get("body", b"")


def ask(
    app: Any,
    *parts: bytes,
    path: str = "/api/explain",
    host: str | None = "localhost:8000",
    headers: dict[str, str] | None = None,
    wait: float = 0.0,
) -> Request:
    """Send one request and wait for its end; without parts it is a GET."""
    given = {} if host is None else {"host": host}
    given |= {"content-type": "application/json"} | (headers or {})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST" if parts else "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
    }
    request = Request(list(parts) or [b""], wait)
    asyncio.run(asyncio.wait_for(app(scope, request.receive, request.send), 20.0))
    return request


OURS = ["localhost", "localhost:8000", "LocalHost:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000"]
OTHERS = [
    "evil-localhost",
    "evil-localhost:8000",
    "localhost-evil",
    "localhost.evil.example",
    "evil.localhost",
    "evillocalhost",
    "evil.example",
    "127.0.0.10",
    "127.0.0.1.evil.example",
    "1127.0.0.1",
    "local",
    "::1",
    "",
    "[",
    "localhost, evil.example",
]


@pytest.mark.parametrize("host", OURS)
def test_the_servers_own_names_are_taken(app, host):
    assert ask(app, path="/api/about", host=host).status == 200
    assert ask(app, GOOD, host=host).status == 200


@pytest.mark.parametrize("host", [*OTHERS, None])
def test_other_names_are_refused(app, host):
    for parts in ((), (GOOD,)):
        answer = ask(app, *parts, path="/api/explain" if parts else "/api/about", host=host)
        assert answer.status in (400, 421)
        assert answer.n_read == 0
        assert b"default-src 'none'" in answer.headers[b"content-security-policy"]
        assert answer.headers[b"x-content-type-options"] == b"nosniff"


def test_names_that_were_given_are_taken_and_no_others(make):
    named = make(hosts=frozenset({"box.example"}))
    assert ask(named, path="/api/about", host="box.example:9").status == 200
    for host in ("localhost", "evil-box.example", "box.example.evil"):
        assert ask(named, path="/api/about", host=host).status == 421
    assert ask(make(hosts=None), path="/api/about", host="anything").status == 200


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_pages_of_this_server_alone_may_ask(app, host):
    assert ask(app, GOOD, host=host, headers={"origin": f"http://{host}"}).status == 200
    name, _, port = host.rpartition(":") if host[-1] in "0123456789" else (host, "", "")
    others = [
        f"http://{name}:{int(port or 80) + 1}",  # another server on this machine
        f"http://{name}:{port}0" if port else f"http://{name}:8000",
        f"http://{name}" if port else f"http://{name}:1",
        f"http://evil-{name.strip('[]')}:{port or 80}",
        "http://evil-localhost:8000",
        "http://evil.example",
        "null",
        "",
        host,
        f"http://evil.example/{host}",
        f"http://evil.example?http://{host}",
        f"http://{host}@evil.example",
    ]
    for origin in others:
        answer = ask(app, GOOD, host=host, headers={"origin": origin})
        assert answer.status == 403, origin
        assert answer.n_read == 0
        assert ask(app, path="/api/about", host=host, headers={"origin": origin}).status == 403


def filled(size: int) -> bytes:
    """A good question of so many bytes."""
    assert size >= len(GOOD)
    return GOOD + b" " * (size - len(GOOD))


def in_parts(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


@pytest.mark.parametrize("size", [1, 100, 700, MOST - 1, MOST])
def test_a_body_of_the_largest_size_is_read_in_parts_of_any_size(app, size):
    assert ask(app, *in_parts(filled(MOST), size)).status == 200


@pytest.mark.parametrize("size", [1, 100, 700, MOST - 1, MOST])
@pytest.mark.parametrize("length", [None, "0", "100"], ids=lambda length: f"length {length}")
def test_parts_that_are_too_large_only_together_are_refused(app, size, length):
    headers = {} if length is None else {"content-length": length}
    parts = [*in_parts(filled(MOST + 1), size), *[b" " * min(size, 100)] * 5]
    answer = ask(app, *parts, headers=headers)
    assert answer.status == 413
    assert b"too large" in answer.body
    # No more is read than tells so.
    assert answer.n_read == MOST // size + 1


def test_parts_are_counted_for_each_request_by_itself(app):
    for _ in range(4):
        assert ask(app, *in_parts(filled(MOST - 10), 500)).status == 200


@pytest.mark.parametrize(
    ("length", "status"), [(str(MOST + 1), 413), ("9" * 30, 413), ("-1", 400), ("1e2", 400), ("", 400), ("²", 400)]
)
def test_a_length_that_is_too_large_or_none_is_refused_unread(app, length, status):
    answer = ask(app, GOOD, headers={"content-length": length})
    assert (answer.status, answer.n_read) == (status, 0)


def test_the_length_of_the_largest_body_is_taken(app):
    assert ask(app, filled(MOST), headers={"content-length": str(MOST)}).status == 200


def test_a_body_that_trickles_in_is_not_waited_for(make):
    patient = make(body_time=0.6)
    assert ask(patient, *in_parts(GOOD, 40), wait=0.01).status == 200
    answer = ask(patient, *in_parts(filled(1_000), 40), wait=0.2)  # each part by itself comes in time
    assert answer.status == 408
    assert answer.n_read <= 4


def test_web_sockets_are_not_taken(app):
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/", "headers": [(b"host", b"localhost")], "query_string": b""}
    asyncio.run(asyncio.wait_for(app(scope, receive, send), 5.0))
    assert not any(message["type"] == "websocket.accept" for message in sent)
