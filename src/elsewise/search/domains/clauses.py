"""Clauses: alternatives of which one has to hold, such as "not this level, or a number at most 5".

A literal is a closed interval of one feature. A clause holds at a point if one of its literals does: a number with gaps
is a clause about one feature, "never both" one about two. In a box a literal is sure, impossible or open. A clause
without a sure literal and with one open one narrows the box to it; a relaxed point that breaks a clause divides its
node into the open literals, one child each, which together hold everything that keeps the clause.

The literals of an indicator are ``(-inf, 0]``, not this level, and ``[1, inf)``, this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import MOST_NARROWINGS
from .domain import Layout


@dataclass(frozen=True, slots=True)
class Clauses:
    """Clauses of the rows of a batch.

    Attributes
    ----------
    feature : int array of shape (n_literals,)
        What each literal is about; the literals of a clause stand together.
    first : int array of shape (n_clauses,)
        First literal of each clause.
    low, high : arrays of shape (n_samples, n_literals)
        Ends of the literals, for every row; low above high is a literal that never holds.
    binds : bool array of shape (n_samples, n_clauses)
        Which clauses a row's answers have to keep.
    """

    feature: IntArray
    first: IntArray
    low: FloatArray
    high: FloatArray
    binds: BoolArray

    @classmethod
    def join(cls, parts: Sequence[Clauses]) -> Clauses | None:
        """Put clauses about the same rows one after the other; None if there are none."""
        parts = [part for part in parts if len(part.first)]
        if not parts:
            return None
        starts = np.cumsum([0, *(len(part.feature) for part in parts[:-1])])
        return cls(
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.first + start for part, start in zip(parts, starts.tolist())]),
            np.concatenate([part.low for part in parts], axis=1),
            np.concatenate([part.high for part in parts], axis=1),
            np.concatenate([part.binds for part in parts], axis=1),
        )

    @property
    def clause_of(self) -> IntArray:
        """The clause of each literal, int array of shape (n_literals,)."""
        return np.repeat(np.arange(len(self.first)), self.sizes)

    @property
    def sizes(self) -> IntArray:
        """How many literals each clause has, int array of shape (n_clauses,)."""
        stops = np.full(len(self.first), len(self.feature))
        stops[:-1] = self.first[1:]
        return stops - self.first

    def of_rows(self, rows: IntArray | slice) -> Clauses:
        """Make the clauses of some of the rows."""
        return Clauses(self.feature, self.first, self.low[rows], self.high[rows], self.binds[rows])

    def within(self, lower: FloatArray, upper: FloatArray, layout: Layout) -> Clauses | None:
        """Leave out what is sure in the rows' own boxes, of shape (n_samples, n_features); None if nothing is left."""
        binds = self._unsure(lower, upper, layout)
        kept = np.asarray(binds.any(axis=0))
        return replace(self, binds=binds).some(kept)

    def are_sure(self, lower: FloatArray, upper: FloatArray, layout: Layout) -> bool:
        """Whether every row of the rows' own boxes, of shape (n_samples, n_features), keeps all clauses."""
        return not self._unsure(lower, upper, layout).any()

    def _unsure(self, lower: FloatArray, upper: FloatArray, layout: Layout) -> BoolArray:
        least, most = _least(lower, upper, layout)[:, self.feature], upper[:, self.feature]
        possible = (most >= self.low) & (least <= self.high)
        sure = possible & (self.low <= least) & (most <= self.high)
        return np.asarray(self.binds & ~self._any(sure))

    def some(self, kept: BoolArray) -> Clauses | None:
        """Leave some of the clauses, given by a mask of shape (n_clauses,); None if that is none."""
        if not kept.any():
            return None
        if kept.all():
            return self
        sizes = self.sizes
        literals, sizes = np.repeat(kept, sizes), sizes[kept]
        first = np.cumsum(sizes) - sizes
        return Clauses(
            self.feature[literals], first, self.low[:, literals], self.high[:, literals], self.binds[:, kept]
        )

    def literal(self, place: int) -> Clauses:
        """Make the clause that says that one literal holds, for every row."""
        one, n = [place], len(self.low)
        start: IntArray = np.zeros(1, dtype=np.int64)
        return Clauses(self.feature[one], start, self.low[:, one], self.high[:, one], np.ones((n, 1), dtype=np.bool_))

    def _any(self, literals: BoolArray) -> BoolArray:
        """Whether some literal of each clause is True, from shape (n, n_literals) to (n, n_clauses)."""
        return np.asarray(np.logical_or.reduceat(literals, self.first, axis=1))

    def alternatives(
        self, rows: IntArray, lower: FloatArray, upper: FloatArray, broken: BoolArray, layout: Layout
    ) -> BoolArray:
        """Literals to branch boxes on: those left of one broken clause each, of the clause that leaves fewest.

        Parameters
        ----------
        rows : int array of shape (n,)
        lower, upper : arrays of shape (n, n_features)
        broken : bool array of shape (n, n_clauses)
            What is returned for boxes that break none means nothing.
        layout : Layout

        Returns
        -------
        bool array of shape (n, n_literals)
        """
        is_left = self.open_literals(rows, lower, upper, layout)
        n_left = np.add.reduceat(is_left.astype(np.int64), self.first, axis=1)
        chosen = np.where(broken, n_left, len(self.feature) + 1).argmin(axis=1)
        return np.asarray(is_left & (self.clause_of == chosen[:, None]))

    def broken(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Which clauses points, of shape (n, n_features), break for their rows; array of shape (n, n_clauses)."""
        values = points[:, self.feature]
        holds = (self.low[rows] <= values) & (values <= self.high[rows])
        return np.asarray(self.binds[rows] & ~self._any(holds))

    def open_literals(self, rows: IntArray, lower: FloatArray, upper: FloatArray, layout: Layout) -> BoolArray:
        """Which literals are possible in boxes, array of shape (n, n_literals)."""
        least = _least(lower, upper, layout)[:, self.feature]
        return np.asarray((upper[:, self.feature] >= self.low[rows]) & (least <= self.high[rows]))

    def narrow(
        self,
        rows: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        layout: Layout,
        integer: BoolArray,
        own: FloatArray,
    ) -> BoolArray:
        """Narrow boxes to the only literal that is left of a clause, in place; tell which boxes are not empty.

        Parameters
        ----------
        rows : int array of shape (n,)
        lower, upper : arrays of shape (n, n_features)
        layout : Layout
        integer : bool array of shape (n_features,)
        own : array of shape (n, n_features)
            The rows themselves: a value that is not whole may stay.
        """
        low, high, binds = self.low[rows], self.high[rows], self.binds[rows]
        clause_of, may_hold = self.clause_of, np.ones(len(rows), dtype=np.bool_)
        for _ in range(MOST_NARROWINGS):
            least, most = _least(lower, upper, layout)[:, self.feature], upper[:, self.feature]
            possible = (most >= low) & (least <= high)
            sure = possible & (low <= least) & (most <= high)
            waiting = binds & ~self._any(sure)
            n_left = np.add.reduceat(possible.astype(np.int64), self.first, axis=1)
            may_hold &= ~(waiting & (n_left == 0)).any(axis=1)
            forced = (waiting & (n_left == 1))[:, clause_of] & possible & may_hold[:, None]
            node, literal = np.nonzero(forced)
            if len(node) == 0:
                break
            feature = self.feature[literal]
            is_level = layout.group[feature] >= 0
            self._keep_number(
                node[~is_level], feature[~is_level], low[forced][~is_level], high[forced][~is_level],
                lower, upper, integer, own,
            )  # fmt: skip
            for k, f, is_this in zip(node[is_level], feature[is_level], low[forced][is_level] > 0):
                if is_this:
                    upper[k, (layout.group == layout.group[f]) & (np.arange(len(layout.group)) != f)] = 0.0
                else:
                    upper[k, f] = 0.0
            may_hold &= (lower <= upper).all(axis=1)
        return may_hold

    @staticmethod
    def _keep_number(
        node: IntArray,
        feature: IntArray,
        low: FloatArray,
        high: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        own: FloatArray,
    ) -> None:
        value, whole = own[node, feature], integer[feature]
        least, most = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
        least = np.where((low <= value) & (value < least), value, least)
        most = np.where((most < value) & (value <= high), value, most)
        np.maximum.at(lower, (node, feature), least)
        np.minimum.at(upper, (node, feature), most)


def _least(lower: FloatArray, upper: FloatArray, layout: Layout) -> FloatArray:
    """Smallest values in boxes: 1 for the indicator of a level that is decided."""
    indicators = layout.indicators
    if not len(indicators):
        return lower
    left = np.add.reduceat(upper[:, indicators], layout.first_indicators, axis=1)
    least = lower.copy()
    least[:, indicators] = np.where(left[:, layout.group[indicators]] == 1, upper[:, indicators], 0.0)
    return least
