"""Caches of what is compiled from a fitted model; several threads may share one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def cached(kept: dict[Key, Value], key: Key, make: Callable[[], Value], most: int) -> Value:
    """Return the value of a key, made if it is not in the cache.

    Where the cache is full, the newest entries are dropped: the first one, made by the fit, is needed most. The value
    is returned directly, because another thread may drop its key at any time. Two threads may make the same value.

    Parameters
    ----------
    kept : dict
        The cache.
    key : key of the value
    make : function without arguments
    most : int
        Number of entries to keep.
    """
    value = kept.get(key)
    if value is None:
        value = make()
        for newest in list(kept)[most - 1 :]:
            kept.pop(newest, None)
        kept[key] = value
    return value
