"""Requests whose heads do not come in time, against a server as ``elsewise serve`` runs it."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
pytest.importorskip("uvicorn")

import uvicorn

from elsewise.tools.app import create_app
from elsewise.tools.app.serving import server
from tools.app.running import small_explainer, small_table

# Far more than a loaded machine needs for a request of its own, in seconds.
PATIENCE = 20.0


@pytest.fixture(scope="module")
def explorer():
    frame, labels = small_table()
    return create_app(small_explainer(frame, labels), frame)


@pytest.fixture
def place(explorer, monkeypatch):
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.0)
    started = SimpleNamespace(server=None)

    class Kept(uvicorn.Server):
        def __init__(self, config):
            super().__init__(config)
            started.server = self

    monkeypatch.setattr(uvicorn, "Server", Kept)
    sock = server.listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=(explorer, sock, "127.0.0.1"), kwargs={"browser": False})
    thread.start()
    yield sock.getsockname()
    started.server.should_exit = True
    thread.join(timeout=PATIENCE)


def _is_closed(connection):
    connection.settimeout(PATIENCE)
    return connection.recv(1) == b""


def _asks(place):
    connection = http.client.HTTPConnection(*place, timeout=PATIENCE)
    connection.request("GET", "/api/about")
    return connection, connection.getresponse()


def test_half_sent_heads_are_closed_and_turn_nobody_away(place):
    half = [socket.create_connection(place, timeout=PATIENCE) for _ in range(400)]
    for connection in half:
        connection.sendall(b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    connection, answer = _asks(place)
    assert answer.status == 200
    connection.close()
    started = time.monotonic()
    assert all(_is_closed(each) for each in half)
    assert time.monotonic() - started < PATIENCE
    for each in half:
        each.close()


def test_a_byte_now_and_then_does_not_hold_a_connection(place):
    with socket.create_connection(place, timeout=PATIENCE) as connection:
        started = time.monotonic()
        connection.setblocking(False)
        is_open = True
        while is_open and time.monotonic() - started < PATIENCE:
            time.sleep(0.1)
            try:
                connection.send(b"X")
                is_open = connection.recv(1) != b""
            except BlockingIOError:  # nothing to read: still open
                continue
            except OSError:
                is_open = False
        assert not is_open
        assert time.monotonic() - started > 0.9


def test_a_connection_may_ask_again_later_than_a_head_may_take(place):
    connection, answer = _asks(place)
    answer.read()
    time.sleep(1.5)
    connection.request("GET", "/api/about")
    assert connection.getresponse().status == 200
    connection.close()
