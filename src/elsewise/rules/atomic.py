"""Single rules, resolved against a table: what each does to limits and levels, and a direct check of each.

``narrow`` and ``bar`` tell the search where to look; ``breaks`` compares a row before and after and knows nothing of
them, so that the last check of an answer does not repeat a mistake of the search.

Rows are rows of features, arrays ``E`` of shape (n_samples, n_features): see :mod:`elsewise.table`.
"""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from . import words
from .arithmetic.expressions import Inequality

if TYPE_CHECKING:
    from ..search.domains.clauses import Clauses
    from ..table.column import Column


def value_in_words(column: Column, row: FloatArray) -> str:
    """Write the value that a row of features, shape (n_features,), has in a column."""
    if column.kind == "category":
        position = int(row[column.features].argmax())
        return words.level(column.levels[position]) if position < len(column.levels) else "a value never seen"
    value = float(row[column.start])
    if column.kind == "ordinal" and value in range(len(column.levels)):
        return words.level(column.levels[int(value)])
    return words.number(value) if np.isfinite(value) else str(value)


def level_positions(column: Column, E: FloatArray) -> IntArray:
    """Position of each row's level among a column's levels, shape (n_samples,); after the last if it was never seen."""
    if column.kind == "category":
        return np.asarray(E[:, column.features].argmax(axis=1), dtype=np.int64)
    ranks = np.nan_to_num(E[:, column.start]).clip(0, len(column.levels) - 1)
    return ranks.astype(np.int64)


class Rule:
    """One rule; what a kind of rule does not touch stays as it is here.

    Attributes
    ----------
    name : str
        The rule in words.
    """

    __slots__ = ()
    name: str

    @property
    def is_found(self) -> bool:
        """Whether the training rows suggest it; else the user has given it."""
        return False

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        """Tighten limits of numeric features for rows ``E``, all of shape (n_samples, n_features), in place."""

    def bar(self, E: FloatArray, reachable: BoolArray) -> None:
        """Strike indicators that rows ``E`` may not reach, both of shape (n_samples, n_features), in place."""

    def clauses(self, E: FloatArray) -> Clauses | None:
        """Return alternatives, one of which each answer to rows ``E``, of shape (n_samples, n_features), keeps."""

    def split(self) -> list[Rule]:
        """Return rules, each as small as it makes sense by itself, that together say the same."""
        return [self]

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        """Whether going from each row of ``E0`` to the same of ``E1`` breaks the rule, shape (n_samples,)."""
        raise NotImplementedError

    def excludes(self, E: FloatArray) -> BoolArray:
        """Whether the rule makes no sense for a row as it is, shape (n_samples,)."""
        return np.zeros(len(E), dtype=np.bool_)

    def objection(self, row: FloatArray) -> str:
        """Why the rule excludes a row of shape (n_features,), as the end of a sentence."""
        raise NotImplementedError

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        """Write what happened to a row, both of shape (n_features,)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class _ColumnRule(Rule):
    """A rule about one column."""

    name: str
    column: Column

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        return f"{value_in_words(self.column, before)} -> {value_in_words(self.column, after)}"


@dataclass(frozen=True, slots=True, eq=False)
class Stays(_ColumnRule):
    """The column stays as it is."""

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        if self.column.kind != "category":
            f = self.column.start
            lower[:, f], upper[:, f] = np.maximum(lower[:, f], E[:, f]), np.minimum(upper[:, f], E[:, f])

    def bar(self, E: FloatArray, reachable: BoolArray) -> None:
        if self.column.kind == "category":
            reachable[:, self.column.features] &= E[:, self.column.features] == 1

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        return np.asarray((E0[:, self.column.features] != E1[:, self.column.features]).any(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class MissingStays(_ColumnRule):
    """What is missing stays missing, and nothing becomes missing, unless ``may_be_entered``.

    For a number the rule is about rows in which it is missing: what stands for it stays.
    """

    may_be_entered: bool = False

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        if self.column.kind != "category":
            lower[:, self.column.start] = upper[:, self.column.start] = E[:, self.column.start]

    def bar(self, E: FloatArray, reachable: BoolArray) -> None:
        if self.column.kind == "category":
            nothing = self.column.start + self.column.levels.index(None)
            others = np.setdiff1d(np.arange(self.column.start, self.column.stop), nothing)
            is_missing = E[:, nothing] == 1
            reachable[np.ix_(is_missing, others)] = False
            reachable[~is_missing, nothing] &= self.may_be_entered

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        f = self.column.start
        if self.column.kind == "category":
            f += self.column.levels.index(None)
        breaks = E0[:, f] > E1[:, f] if self.may_be_entered else E0[:, f] != E1[:, f]
        return np.asarray(breaks)


@dataclass(frozen=True, slots=True, eq=False)
class OneWay(_ColumnRule):
    """A number, or the rank of an ordered level, moves up only (``sign`` 1) or down only (-1), by ``most`` at most."""

    sign: int
    most: float = np.inf

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        f = self.column.start
        low, high = self._ends(E[:, f])
        lower[:, f], upper[:, f] = np.maximum(lower[:, f], low), np.minimum(upper[:, f], high)

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        low, high = self._ends(E0[:, self.column.start])
        after = E1[:, self.column.start]
        return np.asarray(~((low <= after) & (after <= high)))

    def _ends(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        return (values, values + self.most) if self.sign > 0 else (values - self.most, values)


@dataclass(frozen=True, slots=True, eq=False)
class Within(_ColumnRule):
    """A number or rank lies in ``[low, high]``, except for rows that hold one of ``codes``, which are no numbers.

    A value that is outside already may stay there, or come nearer.
    """

    low: float
    high: float
    codes: FloatArray

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        f = self.column.start
        numbers = ~np.isin(E[:, f], self.codes)
        lower[numbers, f] = np.maximum(lower[numbers, f], np.minimum(self.low, E[numbers, f]))
        upper[numbers, f] = np.minimum(upper[numbers, f], np.maximum(self.high, E[numbers, f]))

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        inside = (np.minimum(self.low, before) <= after) & (after <= np.maximum(self.high, before))
        return np.asarray(~(inside | np.isin(before, self.codes)))


@dataclass(frozen=True, slots=True, eq=False)
class Codes(_ColumnRule):
    """Numbers that stand for none: they stay, and regular numbers stay regular.

    ``least`` and ``most`` are the ends of the regular training values where codes lie beyond them, else infinite. A row
    further out than those, but not beyond a code, keeps its own value as the end.
    """

    codes: FloatArray
    least: float
    most: float

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        f = self.column.start
        value = E[:, f]
        coded = np.isin(value, self.codes)
        lower[:, f] = np.maximum(lower[:, f], np.where(coded, value, np.minimum(self.least, value)))
        upper[:, f] = np.minimum(upper[:, f], np.where(coded, value, np.maximum(self.most, value)))

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        left_or_entered = np.isin(before, self.codes) | np.isin(after, self.codes)
        further_out = ((after < self.least) & (after < before)) | ((after > self.most) & (after > before))
        return np.asarray((after != before) & (left_or_entered | further_out))

    def excludes(self, E: FloatArray) -> BoolArray:
        value = E[:, self.column.start]
        below, above = self.codes[self.codes < self.least], self.codes[self.codes > self.most]
        amid = np.zeros(len(E), dtype=np.bool_)
        if np.isfinite(self.least):
            amid |= value < below.max()
        if np.isfinite(self.most):
            amid |= value > above.min()
        return np.asarray(amid & ~np.isin(value, self.codes))

    def objection(self, row: FloatArray) -> str:
        return (
            f"the special codes {words.levels(self.codes.tolist())} lie between it and the regular values. Declare it "
            "as special too, or correct the row"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Transitions(_ColumnRule):
    """From level ``i`` to level ``j`` of a category, or of ordered levels, only where ``may[i, j]``.

    ``may`` is a bool array of shape (n_levels, n_levels), True on the diagonal; in an open column "never seen" is the
    last level.
    """

    may: BoolArray

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        if self.column.kind == "category":
            return
        f = self.column.start
        ranks = np.arange(self.may.shape[1])
        ends = np.array([(ranks[line].min(), ranks[line].max()) for line in self.may], dtype=np.float64)
        lowest, highest = ends[level_positions(self.column, E)].T
        lower[:, f], upper[:, f] = np.maximum(lower[:, f], lowest), np.minimum(upper[:, f], highest)

    def bar(self, E: FloatArray, reachable: BoolArray) -> None:
        if self.column.kind == "category":
            reachable[:, self.column.start : self.column.stop] &= self.may[level_positions(self.column, E)]

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        return np.asarray(~self.may[level_positions(self.column, E0), level_positions(self.column, E1)])

    def excludes(self, E: FloatArray) -> BoolArray:
        if self.column.kind == "category":
            return np.zeros(len(E), dtype=np.bool_)
        # The search moves between the ends of a range of ranks: a gap in it would be crossed.
        gaps = np.array([np.ptp(np.flatnonzero(line)) + 1 > line.sum() for line in self.may])
        return np.asarray(gaps[level_positions(self.column, E)])

    def objection(self, row: FloatArray) -> str:
        return (
            f"the rule '{self.name}' leaves a gap among its ordered levels {list(self.column.levels)}. From each, "
            "ordered columns may go to levels next to each other only; use bounds or monotone"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Whole(_ColumnRule):
    """A number is whole, or is what it was."""

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        return np.asarray((after != np.round(after)) & (after != before))


@dataclass(frozen=True, slots=True, eq=False)
class Linear(Rule):
    """A linear rule: ``normals e <= offsets`` for the search, comparisons as they were written for judging a row.

    Attributes
    ----------
    normals, offsets : arrays of shape (n_half_spaces, n_features) and (n_half_spaces,)
    comparisons : tuple of Inequality, one a half-space
    features : dict of column name to feature
        The feature that is a column's value in the comparisons, None where it is always 0.
    bounded : str
        The derived column whose bounds it is; empty for a rule that was given as it is.
    """

    name: str
    normals: FloatArray
    offsets: FloatArray
    comparisons: tuple[Inequality, ...]
    features: dict[str, int | None]
    bounded: str = ""

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        values = {
            name: np.zeros(len(E1)) if feature is None else E1[:, feature] for name, feature in self.features.items()
        }
        broken = np.zeros(len(E1), dtype=np.bool_)
        for comparison in self.comparisons:
            broken |= ~comparison.holds(values)
        return broken

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        excess = float((self.normals @ after - self.offsets).max())
        return f"missed by {excess:.6g}"


@dataclass(frozen=True, slots=True, eq=False)
class FewChanges(Rule):
    """At most ``most`` columns differ from the row."""

    name: str
    columns: tuple[Column, ...]
    most: int
    unit: IntArray | None = None  # of each column: those of one count as one change

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        changed = self._changed(E0, E1)
        unit = np.arange(len(self.columns)) if self.unit is None else self.unit
        return np.asarray([len(np.unique(unit[each])) > self.most for each in changed], dtype=np.bool_)

    def _changed(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        """Whether each column differs, shape (n_samples, n_columns)."""
        starts = [column.start for column in self.columns]
        return np.asarray(np.logical_or.reduceat(E0 != E1, starts, axis=1))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        changed = self._changed(before[None], after[None])[0]
        return "changed are " + ", ".join(column.name for column, is_so in zip(self.columns, changed) if is_so)
