"""Ranges: how far the changed columns of a counterfactual may vary, all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ..arrays import UserValue
from ..text import sentence_of_ranges, text_of_range


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Values of one changed column.

    Attributes
    ----------
    column : str
    now : number or level
        In the row.
    low, high : number, or level of an ordered column; None for a category
        Ends of the range; both belong to it.
    reads_low, reads_high : as ``low`` and ``high``
        Ends of a range within that one, which are easier to read.
    is_lowest, is_highest : bool
        The low end is the smallest, the high end the largest value of the training rows, or what the rules allow.
    levels : tuple
        Levels of a category, or of an ordered column, that work; empty for numbers.
    """

    column: str
    now: UserValue
    low: UserValue
    high: UserValue
    reads_low: Any
    reads_high: Any
    is_lowest: bool
    is_highest: bool
    levels: tuple[UserValue, ...] = ()

    def __str__(self) -> str:
        return text_of_range(self)


@dataclass(frozen=True, slots=True)
class ValueRanges:
    """Ranges of all changed columns, the most costly change first: a sequence of :class:`ValueRange`.

    Every row whose changed columns lie in these ranges, all at once, and whose other columns are as in the row, is a
    counterfactual: the model decides for the target, the row is as typical as asked (by the mixture's component of
    the counterfactual) and keeps all rules. Ranges were grown one after the other, in this order, each as far as can be
    proven: no end can move by more than the column's step, or its precision, a ten thousandth of its range in the
    training rows. The counterfactual itself is in the ranges, or, where it is too near to the boundary for a proof, a
    precision or a step away from them.

    Attributes
    ----------
    ranges : tuple of ValueRange
    is_proven : bool
        False where this cannot be proven: ranges are the single values of the counterfactual.
    """

    kind: ClassVar[str] = "ranges"
    ranges: tuple[ValueRange, ...]
    is_proven: bool

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_ranges(self)

    def __len__(self) -> int:
        return len(self.ranges)

    def __iter__(self) -> Iterator[ValueRange]:
        return iter(self.ranges)

    def __getitem__(self, index: int) -> ValueRange:
        return self.ranges[index]

    def __str__(self) -> str:
        return self.sentence
