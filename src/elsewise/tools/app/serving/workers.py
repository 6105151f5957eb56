"""Threads that answer questions: few at once, each in bounded time, and no queue without an end.

The engine works in Python between short calls of its kernel, so a thread that is over its time is stopped by an
exception of its own, :class:`Overtime`, raised between two of its instructions. Nothing else is touched: answers share
no state that could be left half done.
"""

from __future__ import annotations

import asyncio
import ctypes
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from ..constants import MOST_WAITING, N_THREADS

# Seconds between two attempts to end a call that is over its time: the exception may get lost in a destructor.
ATTEMPT_SECONDS = 0.05


class Overtime(BaseException):
    """The time for a question is over. No ``Exception``: nothing may swallow it on its way."""

    def __str__(self) -> str:
        return "The time for the question is over."


class Overloaded(Exception):  # noqa: N818 - a state, stated to the client as such
    """More questions are waiting than can be answered in time."""

    def __str__(self) -> str:
        return "Too many questions are waiting. Ask again in a second."


class _Job:
    """One call, where its result goes, and the thread it runs in, if it does."""

    __slots__ = ("call", "done", "future", "loop", "started", "thread")

    def __init__(self, call: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.call, self.loop = call, loop
        self.future: asyncio.Future[Any] = loop.create_future()
        self.thread: int | None = None
        self.started = self.done = False

    def deliver(self, result: Any, error: BaseException | None) -> None:
        """Hand the result to the event loop; the first one counts."""
        self.done = True

        def settle() -> None:
            if self.future.done():
                return
            if error is None:
                self.future.set_result(result)
            else:
                self.future.set_exception(error)

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(settle)


class Workers:
    """A few threads, and the calls that wait for them.

    Parameters
    ----------
    n_threads : int
    most_waiting : int
        Calls that may wait or run at a time; further ones are refused at once.
    """

    def __init__(self, n_threads: int = N_THREADS, most_waiting: int = MOST_WAITING) -> None:
        self.n_threads, self.most_waiting = n_threads, most_waiting
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._n_waiting = 0

    async def run(self, call: Callable[[], Any], time_limit: float) -> Any:
        """Run a call in a thread and return what it returns.

        Raises
        ------
        Overtime
            It took longer than ``time_limit`` seconds, and was ended.
        Overloaded
            Too many calls are waiting, or this one has waited for all of its time.
        """
        if self._n_waiting >= self.most_waiting:
            raise Overloaded
        self._start_threads()
        loop = asyncio.get_running_loop()
        job = _Job(call, loop)
        ends = time.monotonic() + time_limit
        self._n_waiting += 1
        self._jobs.put(job)
        watch = loop.call_later(time_limit, self._end, job, ends)
        try:
            return await asyncio.shield(job.future)
        except Overtime:
            if not job.started:
                raise Overloaded from None
            raise
        finally:
            watch.cancel()
            if job.done:
                self._n_waiting -= 1
            else:  # the client has gone: the job is not waited for any longer, but still counts until it ends
                job.future.add_done_callback(self._forget)
                loop.call_later(max(0.0, ends - time.monotonic()), self._end, job, ends)

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        for _ in self._threads:
            self._jobs.put(None)
        self._threads = []

    def _forget(self, future: asyncio.Future[Any]) -> None:
        self._n_waiting -= 1
        if not future.cancelled():
            future.exception()  # has been looked at

    def _start_threads(self) -> None:
        while len(self._threads) < self.n_threads:
            thread = threading.Thread(target=self._work, name=f"elsewise-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _end(self, job: _Job, ends: float) -> None:
        """End a job whose time is over; called by the event loop."""
        with self._lock:
            if job.done:
                return
            if not job.started:
                job.deliver(None, Overtime())
                return
            if job.thread is not None:
                _raise_in(job.thread, Overtime)
        job.loop.call_later(ATTEMPT_SECONDS, self._end, job, ends)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._do(job)
            except Overtime as late:  # it came between the call's end and the job's
                job.deliver(None, late)

    def _do(self, job: _Job) -> None:
        thread = threading.get_ident()
        with self._lock:
            if job.done:  # has waited for too long
                return
            job.started, job.thread = True, thread
        result, error = None, None
        try:
            result = job.call()
        except BaseException as raised:
            error = raised
        finally:
            with self._lock:
                job.thread = None
                _raise_in(thread, None)  # nothing of this job may reach the next
        job.deliver(result, error)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in another thread before its next instruction; None takes back one not yet raised."""
    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
