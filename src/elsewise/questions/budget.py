"""Seconds for a whole batch: every row gets a little, and those that are not proven more and more of what is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from numbers import Real

import numpy as np

from ..answers.explanations import Explanations, concatenate
from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError
from .options import Options
from .progress import Progress

# Seconds of a row at first, and its share of the budget at most; and how much longer it may take the next time: what is
# repeated is a third of the time.
FIRST_SECONDS, FIRST_SHARE, LONGER = 0.1, 0.5, 4.0
# A row is not asked again for less than this factor more.
WORTH_IT = 1.5

# Explanations of rows, a mask of shape (n_samples,), within a time limit each.
Ask = Callable[[BoolArray, float], Explanations]


def check_budget(budget: float | None, options: Options) -> None:
    """Raise if a budget is no positive number of seconds, or says the same as an effort."""
    if budget is None:
        return
    seconds: object = budget
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not is_number or not 0.0 < float(budget) < inf:
        raise InvalidInputError(f"budget must be a positive number of seconds or None, received {budget!r}.")
    if options.effort != "default":
        raise InvalidInputError(
            f"budget and effort={options.effort!r} both say when searches end: leave one of them out."
        )


def answers_within(ask: Ask, rows: IntArray, budget: float, most: float | None, report: Progress) -> Explanations:
    """Explain rows within so many seconds in all: easy rows first, and then those that are nearest to a proof.

    Parameters
    ----------
    ask : function of a mask of rows and a time limit
    rows : int array of shape (n_samples,)
        Numbers of the rows, as in answers.
    budget : float
    most : float or None
        Seconds that a row may take at most.
    report : Progress
    """
    ends, n = time.perf_counter() + budget, len(rows)
    most = np.inf if most is None else most
    first = min(FIRST_SECONDS, FIRST_SHARE * budget / max(n, 1), most)
    found = ask(np.ones(n, dtype=np.bool_), first)
    tried = np.full(n, first)
    gaps = _gaps(found, rows)
    report(int((gaps == 0.0).sum()), [])
    while True:
        left, is_open = ends - time.perf_counter(), (gaps > 0.0) & (tried < most)
        if not is_open.any() or left < WORTH_IT * tried[is_open].min():
            break
        limit = min(LONGER * float(tried[is_open].min()), left, most)
        candidates = np.flatnonzero(is_open & (WORTH_IT * tried <= limit))
        if len(candidates) == 0:
            break
        chosen = candidates[np.argsort(gaps[candidates], kind="stable")][: max(int(left // limit), 1)]
        mask = np.zeros(n, dtype=np.bool_)
        mask[chosen] = True
        found = _better(found, ask(mask, limit), rows[mask])
        tried[chosen] = limit
        before, gaps = gaps, _gaps(found, rows)
        report(int(((gaps == 0.0) & (before > 0.0)).sum()), [])
    report(int((gaps > 0.0).sum()), [])
    return found


def _gaps(found: Explanations, rows: IntArray) -> FloatArray:
    """Return what is open about each row: nothing where all is proven, else its relative gap; shape (n_samples,)."""
    is_open = np.isin(found.statuses, ("feasible", "unknown"))
    distances = np.where(np.isfinite(found.distances), found.distances, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(np.isfinite(distances) & (distances > 0), 1.0 - found.lower_bounds / distances, 1.0)
    gap = np.where(is_open, np.clip(gap, np.finfo(np.float64).tiny, 1.0), 0.0)
    largest = np.zeros(len(rows))
    order = np.argsort(rows, kind="stable")
    np.maximum.at(largest, order[np.searchsorted(rows[order], found.rows)], gap)
    return largest


def _better(before: Explanations, then: Explanations, asked: IntArray) -> Explanations:
    """Take the answers of rows that were asked again, where the nearest one is no farther or all is proven."""
    gaps, takes = _gaps(then, asked), set()
    nearest_before, nearest_then = _nearest(before), _nearest(then)
    for row, gap in zip(asked.tolist(), gaps.tolist()):
        if gap == 0.0 or nearest_then.get(row, np.inf) <= nearest_before.get(row, np.inf):
            takes.add(row)
    kept = np.flatnonzero(~np.isin(before.rows, list(takes)))
    taken = np.flatnonzero(np.isin(then.rows, list(takes)))
    joined = concatenate([before.take(kept), then.take(taken)])
    return joined.take(np.argsort(joined.rows, kind="stable"))


def _nearest(found: Explanations) -> dict[int, float]:
    """Return the distance of the nearest answer of each row."""
    nearest: dict[int, float] = {}
    for row, distance in zip(found.rows.tolist(), found.distances.tolist()):
        nearest[row] = min(nearest.get(row, np.inf), distance if distance == distance else np.inf)
    return nearest
