"""Bisecting doubles: where a condition of one number ends, to the last bit, many at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray

# Halvings after which any two doubles are neighbours: there are less than 2^64 of them.
_HALVINGS = 64


def last_where(holds: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """Find the largest doubles at which conditions hold that hold at first and then no more.

    Parameters
    ----------
    holds : function of an array of shape (n,) that returns a bool array of shape (n,)
        Conditions, one a place of the array; each is asked at one number a call, 66 times in all.
    low, high : arrays of shape (n,)
        Finite numbers between which each is looked for.

    Returns
    -------
    array of shape (n,)
        ``-inf`` where the condition does not hold at ``low``, ``inf`` where it still does at ``high``; else it holds at
        the number, and not at the next double.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    never, always = ~holds(low), holds(high)
    first, last = _places(low), _places(high)
    for _ in range(_HALVINGS):
        middle = (first >> 1) + (last >> 1) + (first & last & 1)
        is_before = holds(_numbers(middle))
        first, last = np.where(is_before, middle, first), np.where(is_before, last, middle)
    return np.where(never, -np.inf, np.where(always, np.inf, _numbers(first)))


def _places(numbers: FloatArray) -> IntArray:
    """Places of doubles in the order of all doubles; that of zero is 0."""
    bits = np.abs(numbers).view(np.int64)
    return np.where(numbers < 0, -bits, bits)


def _numbers(places: IntArray) -> FloatArray:
    size = np.abs(places).view(np.float64)
    return np.where(places < 0, -size, size)
