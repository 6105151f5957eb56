"""Ranges: how far the changed columns of an answer may vary, all at once, so that every row in between is an answer.

A box around the answer is grown column by column, the most costly change first; of a number, first the side away from
the row, then the side towards it. A side moves as far as :class:`~.box_proof.BoxProof` proves the box, found by
bisection: no side can move farther by more than the column's step or precision. Where the answer is too near to the
boundary for a proof, boxes start from a point a precision farther on. What is grown first may leave less to
what comes later; the order is fixed, so that the same answer has the same ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...answers.ranges import ValueRange, ValueRanges
from ...answers.records import value_in
from ...arrays import BoolArray, FloatArray
from ...table import Column
from ...table.frames import rows_of
from ..solving.answers import Answers
from ..solving.deadline import Deadline
from ..verification import Verification
from .box_proof import BoxProof

# Share of a column's range among the training rows by which the sides of a range move: finer than anyone reads.
PRECISION_OF_RANGES = 1e-4
# Halvings by which the value is found at which a rule ends a side.
HALVINGS = 50
# Rows of a box about which the model itself is asked.
ROWS_SAMPLED = 64
# Share of its width by which a range may be narrowed so that its ends are easy to read.
FRIENDLY_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A box of features around an answer.

    Attributes
    ----------
    columns : tuple of int
        The changed columns, the most costly first.
    answer, lower, upper : arrays of shape (n_features,)
        The answer, and the ends of the box. Of a level that works, the indicator has the upper end 1.
    is_proven : bool
        Every row of the box is an answer. False: only the answer itself is known to be one.
    """

    columns: tuple[int, ...]
    answer: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_proven: bool


def find_box(answers: Answers, place: int, shares: FloatArray, time_limit: float | None) -> Box:
    """Grow a box around an answer.

    Parameters
    ----------
    answers : Answers
    place : int
        Of the answer.
    shares : array of shape (n_columns,)
        What each column adds to the distance.
    time_limit : float or None
        Seconds for all searches; a side that is not finished by then stays where it is.
    """
    table = answers.question.table
    point = answers.points[place]
    changed = np.flatnonzero(table.changed(answers.rows[[place]], point[None])[0])
    columns = tuple(changed[np.argsort(-shares[changed], kind="stable")].tolist())
    alone = Box(columns, point, point.copy(), point.copy(), is_proven=False)
    deadline = Deadline(time_limit)
    for start in _starts(answers, place):
        proof = BoxProof(answers, place, start, deadline)
        if not proof.is_possible:
            return alone
        box = _Growing(proof, *_with_indicators(answers, start))
        if not proof.holds(box.lower, box.upper):
            continue
        for number in columns:
            box.grow(table.columns[number], number)
        box.grow_to_rules()
        if is_confirmed(answers, place, point, box.lower, box.upper):
            return Box(columns, point, box.lower, box.upper, is_proven=True)
    return alone


def _starts(answers: Answers, place: int) -> Iterator[FloatArray]:
    """List points to start from: the answer, then points with changed numbers moved by their precision or a step.

    An answer is next to the boundary of the region, some too near for a proof of a box that holds it.
    """
    question, row, point = answers.question, answers.rows[place], answers.points[place]
    moved, stepped = point.copy(), point.copy()
    for number, column in enumerate(question.table.columns):
        feature = column.start
        if (
            column.kind in ("number", "integer")
            and point[feature] != row[feature]
            and point[feature] not in column.codes
        ):
            sign = np.sign(point[feature] - row[feature])
            value_of = None if question.lattice is None else question.lattice.value_of(feature)
            if question.lattice is not None and value_of is not None:
                count = np.round(point[feature] / question.lattice.unit[feature]) + sign
                stepped[feature] = value_of(np.array([count]))[0]
            elif question.rules.integer[feature]:
                stepped[feature] += sign
            else:
                ends = question.fitted.profiles[None][number].percentiles
                moved[feature] += sign * PRECISION_OF_RANGES * float(ends[-1] - ends[0])
    yield point
    if (moved != point).any():
        yield moved
    for farther in (moved, stepped):
        for feature in np.flatnonzero(farther != point).tolist():
            alone = point.copy()
            alone[feature] = farther[feature]
            yield alone


def _with_indicators(answers: Answers, point: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the box that holds one point: indicators have the lower end 0, as in domains."""
    is_indicator = answers.question.fitted.table.group >= 0
    return np.where(is_indicator, 0.0, point), point.copy()


class _Growing:
    """A box that grows as far as a proof allows."""

    def __init__(self, proof: BoxProof, lower: FloatArray, upper: FloatArray) -> None:
        self.proof, self.lower, self.upper = proof, lower, upper
        self.cut_short: list[tuple[Column, bool, FloatArray, float]] = []

    def grow(self, column: Column, number: int) -> None:
        """Grow the box in one column."""
        if column.kind == "category":
            for feature in range(column.start, column.stop):
                self._try_level(feature)
            return
        feature, row = column.start, float(self.proof.row[0, column.start])
        point = float(self.proof.point[0, feature])
        if point in column.codes:
            return
        for is_upper in (True, False) if point > row else (False, True):
            self._grow_side(column, number, is_upper)

    def _try_level(self, feature: int) -> None:
        if self.upper[feature] == 1 or self.proof.domain.upper[0, feature] != 1:
            return
        upper = self.upper.copy()
        upper[feature] = 1.0
        if self.proof.holds(self.lower, upper):
            self.upper = upper

    def _grow_side(self, column: Column, number: int, is_upper: bool) -> None:
        """Move one side of a number as far as it can go."""
        feature = column.start
        least, most, step = self._reach(column, number)
        own, end = float(self.proof.point[0, feature]), most if is_upper else least
        if not np.isfinite(end):
            return
        cuts = None if column.kind != "number" or self._has_steps(feature) else self.proof.cuts(feature)
        if cuts is None:
            value_at = self._values(column, own, step, 1.0 if is_upper else -1.0)
            self._walk(feature, is_upper, value_at, int(np.floor(abs(end - own) / step + 1e-9)), end)
        elif own != end:  # only rules end a side elsewhere than at a cut
            cuts = cuts[cuts > own] if is_upper else np.nextafter(cuts[::-1], np.inf)
            cuts = cuts[(cuts < end) if is_upper else (cuts < own) & (cuts > end)]
            ends = np.append(cuts, end)
            self._walk(feature, is_upper, lambda n: float(ends[n - 1]), len(ends), end)
            self.cut_short.append((column, is_upper, ends, step))

    def grow_to_rules(self) -> None:
        """Move sides that ended at a cut as far as the rules allow before the next one."""
        for column, is_upper, ends, step in self.cut_short:
            feature = column.start
            own = float((self.upper if is_upper else self.lower)[feature])
            left = ends[ends > own] if is_upper else ends[ends < own]
            if len(left) == 0 or self.proof.keeps_rules(*self._moved(feature, is_upper, float(left[0]))):
                continue
            kept, broken = own, float(left[0])
            for _ in range(HALVINGS):
                middle = 0.5 * (kept + broken)
                is_kept = self.proof.keeps_rules(*self._moved(feature, is_upper, middle))
                kept, broken = (middle, broken) if is_kept else (kept, middle)
            value_at = self._values(column, own, step, 1.0 if is_upper else -1.0)
            self._walk(feature, is_upper, value_at, int(np.floor(abs(kept - own) / step + 1e-9)), kept)

    def _walk(self, feature: int, is_upper: bool, value_at: Callable[[int], float], n_steps: int, end: float) -> None:
        """Move a side by as many of these steps as can be proven, or to the end."""
        if n_steps == 0:
            return
        if n_steps > 1 and not self._holds_to(feature, is_upper, value_at(1)):  # most sides do not move at all
            return
        if self._holds_to(feature, is_upper, end):
            return
        if value_at(n_steps) != end and self._holds_to(feature, is_upper, value_at(n_steps)):
            return
        low, high, stride = 1, n_steps, 4  # in steps: proven, and not
        while high - low > 1:  # gallop first, for many sides stop soon
            middle = min(low + stride, high - 1) if stride < high - low else (low + high) // 2
            if self._holds_to(feature, is_upper, value_at(middle)):
                low, stride = middle, stride * 4
            else:
                high, stride = middle, max((middle - low) // 2, 1)

    def _holds_to(self, feature: int, is_upper: bool, end: float) -> bool:
        """Move a side to an end if that is proven."""
        lower, upper = self._moved(feature, is_upper, end)
        if not self.proof.holds(lower, upper):
            return False
        self.lower, self.upper = lower, upper
        return True

    def _moved(self, feature: int, is_upper: bool, end: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the box with one side moved."""
        lower, upper = self.lower.copy(), self.upper.copy()
        (upper if is_upper else lower)[feature] = end
        return lower, upper

    def _reach(self, column: Column, number: int) -> tuple[float, float, float]:
        """Least and largest value that a column is looked at, and the step by which its sides move."""
        question, feature = self.proof.question, column.start
        own = float(self.proof.point[0, feature])
        low, high = float(self.proof.domain.lower[0, feature]), float(self.proof.domain.upper[0, feature])
        if column.kind == "ordinal":
            return max(low, 0.0), min(high, len(column.levels) - 1.0), 1.0
        ends = question.fitted.profiles[None][number].percentiles
        least, most = min(max(low, float(ends[0])), own), max(min(high, float(ends[-1])), own)
        if question.lattice is not None and question.lattice.value_of(feature) is not None:
            step = float(question.lattice.unit[feature])
        elif question.rules.integer[feature]:
            step, least, most = 1.0, np.ceil(least), np.floor(most)
        else:
            step = PRECISION_OF_RANGES * float(ends[-1] - ends[0])
        return least, most, max(step, np.finfo(np.float64).tiny)

    def _has_steps(self, feature: int) -> bool:
        lattice = self.proof.question.lattice
        is_whole = bool(self.proof.question.rules.integer[feature])
        return is_whole or (lattice is not None and lattice.value_of(feature) is not None)

    def _values(self, column: Column, own: float, step: float, sign: float) -> Callable[[int], float]:
        """Return the function from steps away from the answer to values."""
        lattice = self.proof.question.lattice
        value_of = None if lattice is None else lattice.value_of(column.start)
        if value_of is None:
            return lambda n: own + sign * n * step
        return lambda n: float(value_of(np.array([np.round(own / step) + sign * n]))[0])


def is_confirmed(answers: Answers, place: int, point: FloatArray, lower: FloatArray, upper: FloatArray) -> bool:
    """Ask the model, the density and the rules about corners of a box and rows between them: a proof has no exception.

    Rounding in the model's own arithmetic is what a proof does not know of.

    Parameters
    ----------
    answers : Answers
    place : int
        The row that the box is about.
    point, lower, upper : arrays of shape (n_features,)
        The answer, and the ends of the box.
    """
    question, table = answers.question, answers.question.table
    rng = np.random.default_rng(0)
    points = np.repeat(point[None], ROWS_SAMPLED, axis=0)
    for column in table.columns:
        if column.kind == "category":
            levels = np.flatnonzero(upper[column.features] == 1)
            chosen = rng.choice(levels, ROWS_SAMPLED)
            points[:, column.features] = np.eye(column.width)[chosen]
        elif lower[column.start] < upper[column.start] or lower[column.start] != point[column.start]:
            points[:, column.start] = _sampled(answers, column, lower, upper, rng)
    same, goals = np.zeros(ROWS_SAMPLED, dtype=np.int64), np.full(ROWS_SAMPLED, answers.goal[place])
    given = answers.given if len(answers.rows) == 1 else rows_of(answers.given, np.array([place]))
    verification = Verification(
        question, given, answers.rows[[place]], answers.predictions[[place]], answers.log_thresholds[[place]]
    )
    points = verification.as_returned(points, same, np.ones(ROWS_SAMPLED, dtype=np.bool_))
    if not verification.densities(points, goals, same).is_dense.all():
        return False
    return bool(verification.holds(points, goals, same, verification.predict(points, same)).all())


def _sampled(
    answers: Answers, column: Column, lower: FloatArray, upper: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw values of a number of a box: half of them its ends."""
    feature, question = column.start, answers.question
    low, high = lower[feature], upper[feature]
    values = rng.uniform(low, high, ROWS_SAMPLED)
    if question.lattice is not None and question.lattice.value_of(feature) is not None:
        values = np.clip(question.lattice.nearest(feature, values), low, high)
    elif question.rules.integer[feature]:
        values = np.clip(np.round(values), low, high)
    ends = np.where(rng.random(ROWS_SAMPLED) < 0.5, low, high)
    return np.where(rng.random(ROWS_SAMPLED) < 0.5, ends, values)


def friendly(low: float, high: float, *, is_whole: bool) -> tuple[float, float]:
    """Round the ends of a range inwards to numbers that are easy to read: by a twentieth of its width at most.

    >>> friendly(0.0, 0.3972, is_whole=False), friendly(38412.0, 99000.0, is_whole=True)
    ((0.0, 0.39), (39000.0, 99000.0))
    """
    room = FRIENDLY_SHARE * (high - low)
    if not 0.0 < room < np.inf:
        return low, high
    power = 10.0 ** np.floor(np.log10(room))
    step = 5.0 * power if 5.0 * power <= room else power
    if is_whole:
        step = max(np.floor(step), 1.0)
    decimals = max(-int(np.floor(np.log10(step))), 0)
    first, last = (
        round(float(np.ceil(low / step) * step), decimals),
        round(float(np.floor(high / step) * step), decimals),
    )
    return (first, last) if low <= first <= last <= high else (low, high)


def ranges_of(answers: Answers, found: BoolArray, shares: FloatArray, written: Any) -> tuple[ValueRanges | None, ...]:
    """Find ranges of answers; None where there is no answer.

    Parameters
    ----------
    answers : Answers
    found : bool array of shape (n_samples,)
    shares : array of shape (n_samples, n_columns)
        What each column adds to the distance.
    written : data frame or array of shape (n_samples, n_columns)
        The counterfactuals in the user's columns.
    """
    options, seconds = answers.question.options, answers.seconds
    # what the search left, too; each of a row's answers has the same part
    limits = (np.maximum(seconds.left, 0.0) + seconds.reserved) / options.n_counterfactuals
    ranges: list[ValueRanges | None] = []
    for place, is_found in enumerate(found.tolist()):
        if not is_found:
            ranges.append(None)
            continue
        limit = float(limits[place]) if np.isfinite(limits[place]) else None
        box = find_box(answers, place, shares[place], limit)
        rows = [each.iloc[place] if hasattr(each, "iloc") else each[place] for each in (answers.given, written)]
        ranges.append(ValueRanges(tuple(_range(answers, box, number, rows) for number in box.columns), box.is_proven))
    return tuple(ranges)


def _range(answers: Answers, box: Box, number: int, rows: list[Any]) -> ValueRange:
    """Present one column; ``rows`` are row and counterfactual in the user's columns."""
    table = answers.question.table
    column = table.columns[number]
    now, then = (value_in(table, column, row) for row in rows)
    if column.kind == "category":
        works = np.flatnonzero(box.upper[column.features] == 1).tolist()
        levels = tuple(column.levels[place] for place in works if place < len(column.levels)) or (then,)
        return ValueRange(column.name, now, None, None, None, None, False, False, levels)
    low, high = float(box.lower[column.start]), float(box.upper[column.start])
    if column.kind == "ordinal":
        levels = tuple(column.levels[int(low) : int(high) + 1])
        ends = (levels[0], levels[-1])
        return ValueRange(column.name, now, *ends, *ends, low == 0, int(high) == len(column.levels) - 1, levels)
    if low == high:
        only = then if low == float(box.answer[column.start]) else _as(column, low)
        return ValueRange(column.name, now, only, only, only, only, False, False)
    least, most = answers.question.fitted.profiles[None][number].percentiles[[0, -1]].tolist()
    reads = (low, high) if _has_steps(answers, column) else friendly(low, high, is_whole=column.kind == "integer")
    first, last, reads_low, reads_high = (_as(column, end) for end in (low, high, *reads))
    return ValueRange(column.name, now, first, last, reads_low, reads_high, low <= least, high >= most)


def _has_steps(answers: Answers, column: Column) -> bool:
    lattice = answers.question.lattice
    return lattice is not None and column.start in lattice.features.tolist()


def _as(column: Column, value: float) -> int | float:
    return int(value) if column.kind == "integer" and value.is_integer() else value
