"""Threads of the explorer: bounded time, bounded queue, nothing of one call reaches the next."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from elsewise.tools.app.serving.workers import Overloaded, Overtime, Workers


def spin(seconds):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        sum(range(100))
    return "done"


async def all_places_are_free(workers):
    """As many calls as may wait are taken, and not one more: none that has ended is still counted."""
    release = threading.Event()
    taken = [asyncio.create_task(workers.run(release.wait, 20.0)) for _ in range(workers.most_waiting)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded, match="Too many questions"):
        await workers.run(lambda: 1, 20.0)
    release.set()
    assert await asyncio.gather(*taken) == [True] * workers.most_waiting


def test_a_call_returns_what_it_returns_and_raises_what_it_raises():
    async def go():
        workers = Workers(n_threads=1)
        assert await workers.run(lambda: 42, 5.0) == 42
        with pytest.raises(ValueError, match="wrong"):
            await workers.run(lambda: int("wrong"), 5.0)
        workers.close()

    asyncio.run(go())


def test_a_call_over_its_time_is_ended_and_the_thread_goes_on():
    async def go():
        workers = Workers(n_threads=1)
        started = time.monotonic()
        with pytest.raises(Overtime, match="time for the question is over"):
            await workers.run(lambda: spin(30.0), 0.2)
        assert time.monotonic() - started < 5.0
        assert await workers.run(lambda: spin(0.05), 5.0) == "done"
        workers.close()

    asyncio.run(go())


def test_overtime_is_not_swallowed_by_code_that_catches_exceptions():
    def stubborn():
        while True:
            with contextlib.suppress(Exception):
                spin(30.0)

    async def go():
        workers = Workers(n_threads=1)
        with pytest.raises(Overtime, match="time for the question is over"):
            await workers.run(stubborn, 0.2)
        workers.close()

    asyncio.run(go())


def test_calls_beyond_the_queue_are_refused_at_once_and_counted_right_afterwards():
    async def go():
        workers = Workers(n_threads=1, most_waiting=3)
        running = [asyncio.create_task(workers.run(lambda: spin(0.3), 20.0)) for _ in range(3)]
        await asyncio.sleep(0)
        started = time.monotonic()
        with pytest.raises(Overloaded, match="Too many questions"):
            await workers.run(lambda: 1, 20.0)
        assert time.monotonic() - started < 0.2
        assert await asyncio.gather(*running) == ["done"] * 3
        assert await workers.run(lambda: 1, 5.0) == 1
        await all_places_are_free(workers)
        workers.close()

    asyncio.run(go())


def test_a_call_that_waited_for_all_its_time_is_overload_not_overtime():
    async def go():
        workers = Workers(n_threads=1)
        busy = asyncio.create_task(workers.run(lambda: spin(1.0), 20.0))
        await asyncio.sleep(0.05)
        with pytest.raises(Overloaded, match="Too many questions"):
            await workers.run(lambda: 1, 0.1)
        assert await busy == "done"
        await all_places_are_free(workers)
        workers.close()

    asyncio.run(go())


def test_calls_that_end_just_when_their_time_does_never_hurt_later_ones():
    async def go():
        workers = Workers(n_threads=2)
        late = 0
        for _ in range(60):
            try:
                await workers.run(lambda: spin(0.01), 0.0101)
            except (Overtime, Overloaded):
                late += 1
            assert await workers.run(lambda: spin(0.002), 5.0) == "done"
        await all_places_are_free(workers)
        workers.close()

    asyncio.run(go())
