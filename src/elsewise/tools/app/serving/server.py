"""A server for the application: a port on this computer, and a browser that opens once it listens.

Connections that do not send the head of a request in time are closed: half-sent ones would pile up otherwise.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
import threading
import webbrowser
from typing import Any
from urllib.parse import urlencode

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ....errors import ElsewiseError, MissingDependencyError
from ..constants import LOCAL_HOSTS

# Connections at a time; more are turned away. Idle and half-sent ones are closed after seconds.
MOST_CONNECTIONS = 1024


def listen(host: str, port: int) -> socket.socket:
    """Take a port, so that it is known before the server starts; 0 takes any that is free."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Said outright: for sockets that do not say TCP asyncio leaves small packets waiting for 40 ms (Nagle).
        sock = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.bind(place)
            sock.listen(512)
        except OSError:
            sock.close()
            raise
        return sock
    except OSError as error:
        raise ElsewiseError(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. Choose another with --port, or 0 for any."
        ) from error


def is_this_computer(host: str) -> bool:
    """Whether a server bound to ``host`` is reached from this computer alone."""
    return host in LOCAL_HOSTS


def hosts_of(host: str) -> frozenset[str] | None:
    """Names a server bound to ``host`` answers to; None for any, where it is bound to all addresses."""
    if host in ("0.0.0.0", "::", ""):
        return None
    return LOCAL_HOSTS if is_this_computer(host) else frozenset({host})


def address(sock: socket.socket, host: str) -> str:
    """Write the address to open."""
    port = sock.getsockname()[1]
    name = "127.0.0.1" if hosts_of(host) is None else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def run(app: Any, sock: socket.socket, host: str, *, browser: bool = True, token: str | None = None) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    app : ASGI application
    sock : socket
        That listens already.
    host : str
        What it is bound to.
    browser : bool
        Open the page in a browser.
    token : str, optional
        What the browser has to show.
    """
    try:
        import uvicorn

        from .server import TimedProtocol
    except ImportError as error:
        raise MissingDependencyError(
            "The explorer needs FastAPI and uvicorn. Install them with: pip install 'elsewise[serve]'"
        ) from error
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        limit_concurrency=MOST_CONNECTIONS,
        http=TimedProtocol,
        h11_max_incomplete_event_size=64 * 1024,
    )
    place = address(sock, host)
    opened = place if token is None else f"{place}?{urlencode({'token': token})}"
    print(f"The explorer is at {opened} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if browser:
        # The socket listens already: a browser that is early waits for the first answer.
        threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
    # What is there now stays: the collector need not look through it again while questions wait.
    gc.collect()
    gc.freeze()
    uvicorn.Server(config).run(sockets=[sock])


# Seconds for the head of a request to come: whoever sends a byte now and then holds a connection no longer than this.
HEAD_SECONDS = 5.0


class TimedProtocol(H11Protocol):
    """uvicorn's own protocol, with a limit on how long the head of a request may take to come."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; a head that is complete is no longer waited for."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._watch is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._watch = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _give_up(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
