"""Rules that the training rows suggest: ranges of numbers, numbers with codes among them, what never occurs together.

They are kept by default and can be switched off. As every rule each narrows the search, here also by clauses, and
judges a finished row by direct comparison.
"""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...search.domains.clauses import Clauses
from ...text.languages import say
from .. import words
from ..atomic import Rule, value_in_words
from .never_together import NeverTogetherPair

if TYPE_CHECKING:
    from ...table.column import Column


def range_in_words(name: str, low: float, high: float) -> str:
    """Say that a column stays in its range; an end that is infinite is none."""
    texts = [words.value(name, end) for end in (low, high) if np.isfinite(end)]
    ends = say("rule.range ends", low=texts[0], high=texts[1]) if len(texts) == 2 else "".join(texts)
    return say("rule.range", column=words.column(name), ends=ends)


@dataclass(frozen=True, slots=True, eq=False)
class Ranges(Rule):
    """Numbers stay in the range of the training rows; a value that is outside may stay, or come nearer.

    Attributes
    ----------
    columns : tuple of str
    features : int array of shape (n,)
    low, high : arrays of shape (n,)
    """

    name: str
    columns: tuple[str, ...]
    features: IntArray
    low: FloatArray
    high: FloatArray

    @property
    def is_found(self) -> bool:
        return True

    @classmethod
    def of(cls, columns: Sequence[str], features: Sequence[int], low: FloatArray, high: FloatArray) -> Ranges:
        """Make the rule of some columns, with its words."""
        is_one = len(columns) == 1
        name = range_in_words(columns[0], float(low[0]), float(high[0])) if is_one else say("rule.ranges")
        return cls(name, tuple(columns), np.array(features, dtype=np.int64), low, high)

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        f = self.features
        lower[:, f] = np.maximum(lower[:, f], np.minimum(self.low, E[:, f]))
        upper[:, f] = np.minimum(upper[:, f], np.maximum(self.high, E[:, f]))

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        return np.asarray(self._outside(E0, E1).any(axis=1))

    def _outside(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.features], E1[:, self.features]
        too_low = (after < self.low) & (after < before)
        return np.asarray(too_low | ((after > self.high) & (after > before)))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        place = int(self._outside(before[None], after[None])[0].argmax())
        f = self.features[place]
        return f"{self.columns[place]} {words.number(before[f])} -> {words.number(after[f])}"

    def split(self) -> list[Rule]:
        return [
            Ranges.of(self.columns[k : k + 1], [int(f)], self.low[k : k + 1], self.high[k : k + 1])
            for k, f in enumerate(self.features)
        ]

    def where_missing(self, missing: BoolArray) -> Rule:
        kept = ~missing[self.features]
        columns = tuple(column for column, is_kept in zip(self.columns, kept) if is_kept)
        return replace(self, columns=columns, features=self.features[kept], low=self.low[kept], high=self.high[kept])


@dataclass(frozen=True, slots=True, eq=False)
class NumberOrCode(Rule):
    """A number lies in ``[least, most]`` or is one of ``codes``, which stand for none.

    A value that is neither may stay; if no code lies between it and the others, it may come nearer. Codes outside of
    ``[low, high]``, the user's bounds, stay where they are and are not entered. If ``stays``, no code is entered or
    left.
    """

    name: str
    column: Column
    codes: FloatArray
    least: float
    most: float
    low: float
    high: float
    stays: bool
    suggested: bool

    @property
    def is_found(self) -> bool:
        return self.suggested

    @property
    def entered(self) -> FloatArray:
        """Codes that may be entered."""
        return self.codes[(self.codes >= self.low) & (self.codes <= self.high)]

    def clauses(self, E: FloatArray) -> Clauses | None:
        """Return intervals of values that rows may take: codes, regular numbers, the row's own value."""
        if self.stays:  # limits say it all
            return None
        value, entered = E[:, self.column.start], self.entered
        low, high = np.empty((len(E), len(entered) + 2)), np.empty((len(E), len(entered) + 2))
        least, most = self._regular(value)
        low[:, :-2] = high[:, :-2] = entered
        low[:, -2], high[:, -2] = least, most
        # a value that is one of the others is no alternative of its own: it would be searched twice
        own = ~((value[:, None] == entered).any(axis=1) | ((least <= value) & (value <= most)))
        low[:, -1], high[:, -1] = np.where(own, value, np.inf), np.where(own, value, -np.inf)
        feature = np.full(low.shape[1], self.column.start, dtype=np.int64)
        return Clauses(feature, np.zeros(1, dtype=np.int64), low, high, np.ones((len(E), 1), dtype=np.bool_))

    @property
    def codes_beside(self) -> tuple[float, float]:
        """The nearest codes below and above the regular numbers, infinite where there is none."""
        codes = self.codes.tolist()
        below = max((code for code in codes if code < self.least), default=-np.inf)
        return below, min((code for code in codes if code > self.most), default=np.inf)

    def _is_code(self, value: FloatArray) -> BoolArray:
        return np.asarray((value[:, None] == self.codes).any(axis=1))

    def _is_beside(self, value: FloatArray) -> BoolArray:
        """Whether no code lies at values or between them and the regular numbers, shape (n_samples,)."""
        below, above = self.codes_beside
        return np.asarray((value > below) & (value < above))

    def _regular(self, value: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Range of regular numbers for rows, which a row's own value widens where no code lies between."""
        beside = self._is_beside(value)
        least = np.where(beside, np.minimum(value, self.least), self.least)
        return least, np.where(beside, np.maximum(value, self.most), self.most)

    def narrow(self, E: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        f = self.column.start
        value = E[:, f]
        if self.stays:
            still = ~self._is_beside(value)
            least, most = self._regular(value)
            least, most = np.where(still, value, least), np.where(still, value, most)
        else:  # the row's own value may stay, wherever it is
            entered = self.entered
            least = np.minimum(min([self.least, *entered.tolist()]), value)
            most = np.maximum(max([self.most, *entered.tolist()]), value)
        lower[:, f], upper[:, f] = np.maximum(lower[:, f], least), np.minimum(upper[:, f], most)

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        if (after == before).all():  # most columns of most answers
            return np.zeros(len(after), dtype=np.bool_)
        least, most = self._regular(before)
        if self.stays:
            return np.asarray((after != before) & (self._is_code(before) | (after < least) | (after > most)))
        is_code = self._is_code(after) & (after >= self.low) & (after <= self.high)
        return np.asarray(~((after == before) | is_code | ((least <= after) & (after <= most))))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        return f"{value_in_words(self.column, before)} -> {value_in_words(self.column, after)}"


@dataclass(frozen=True, slots=True, eq=False)
class _PairArrays:
    """Pairs of traits as arrays.

    Attributes
    ----------
    traits : int array of shape (2, n_pairs)
        The features that traits are about.
    below, above : arrays of shape (2, n_pairs)
        A trait is a number strictly between these.
    feature, low, high : arrays of shape (n_literals,)
        Where a row lacks a trait: one or two literals for each of the two.
    first : int array of shape (n_pairs,)
        The first literal of each pair.
    """

    traits: IntArray
    below: FloatArray
    above: FloatArray
    feature: IntArray
    low: FloatArray
    high: FloatArray
    first: IntArray

    @classmethod
    def of(cls, pairs: Sequence[NeverTogetherPair]) -> _PairArrays:
        feature: list[int] = []
        low: list[float] = []
        high: list[float] = []
        first: list[int] = []
        for pair in pairs:
            first.append(len(feature))
            for trait in (pair.first, pair.second):
                for ends in ((-np.inf, trait.below), (trait.above, np.inf)):
                    if ends[0] < np.inf and ends[1] > -np.inf:
                        feature.append(trait.feature)
                        low.append(ends[0])
                        high.append(ends[1])
        both = [[pair.first for pair in pairs], [pair.second for pair in pairs]]
        return cls(
            np.array([[trait.feature for trait in traits] for traits in both], dtype=np.int64),
            np.array([[trait.below for trait in traits] for traits in both], dtype=np.float64),
            np.array([[trait.above for trait in traits] for traits in both], dtype=np.float64),
            np.array(feature, dtype=np.int64),
            np.array(low, dtype=np.float64),
            np.array(high, dtype=np.float64),
            np.array(first, dtype=np.int64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Unseen(Rule):
    """Traits that the training rows never have together are not brought together; a row that has both may keep them.

    Attributes
    ----------
    pairs : tuple of NeverTogetherPair
    arrays : _PairArrays
        The same as arrays: they are asked about every row.
    """

    name: str
    pairs: tuple[NeverTogetherPair, ...]
    arrays: _PairArrays = field(init=False, repr=False)

    @property
    def is_found(self) -> bool:
        return True

    @classmethod
    def of(cls, pairs: Sequence[NeverTogetherPair]) -> Unseen:
        """Make the rule of some pairs, with its words."""
        name = say("rule.never together", pair=pairs[0]) if len(pairs) == 1 else say("rule.all never together")
        return cls(name, tuple(pairs))

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", _PairArrays.of(self.pairs))

    def clauses(self, E: FloatArray) -> Clauses:
        arrays = self.arrays
        shape = (len(E), len(arrays.feature))
        return Clauses(
            arrays.feature,
            arrays.first,
            np.broadcast_to(arrays.low, shape),
            np.broadcast_to(arrays.high, shape),
            ~self._together(E),
        )

    def _together(self, E: FloatArray) -> BoolArray:
        """Whether rows have both traits of each pair, array of shape (n_samples, n_pairs)."""
        arrays = self.arrays
        values = E[:, arrays.traits]  # (n_samples, 2, n_pairs)
        return np.asarray(((arrays.below < values) & (values < arrays.above)).all(axis=1))

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        return np.asarray((self._together(E1) & ~self._together(E0)).any(axis=1))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        new = self._together(after[None])[0] & ~self._together(before[None])[0]
        return str(self.pairs[int(new.argmax())])

    def split(self) -> list[Rule]:
        return [Unseen.of([pair]) for pair in self.pairs]

    def where_missing(self, missing: BoolArray) -> Rule | None:
        kept = [pair for pair in self.pairs if not missing[[pair.first.feature, pair.second.feature]].any()]
        return Unseen.of(kept) if kept else None
