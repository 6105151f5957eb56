"""Ctrl-C and SIGTERM as an exception, so that what is finished can be put away."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """Somebody asked to stop.

    Attributes
    ----------
    signal_number : int
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.signal_number = signal_number

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that a signal ended: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.signal_number


class Stop:
    """Remembers that somebody asked to stop, also where an exception was swallowed on its way."""

    def __init__(self) -> None:
        self.asked: int | None = None

    def check(self) -> None:
        """Raise if somebody has asked to stop."""
        if self.asked is not None:
            raise Interrupted(self.asked)

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Remember what comes while something is written that must not be cut in two; :meth:`check` raises it."""

        def remember(signal_number: int, frame: FrameType | None) -> None:
            self.asked = signal_number

        with _handled(remember):
            yield

    def interrupt(self, signal_number: int, frame: FrameType | None) -> None:
        """Handle a signal: remember it, and raise."""
        self.asked = signal_number
        raise Interrupted(signal_number)


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Raise :class:`Interrupted` on Ctrl-C and SIGTERM; only the main thread can."""
    stop = Stop()
    with _handled(stop.interrupt):
        yield stop


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C and SIGTERM off while a file is being finished, which takes a moment at most."""
    late: list[int] = []
    with _handled(lambda signal_number, frame: late.append(signal_number)):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)
