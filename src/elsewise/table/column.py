"""One column of a table, and what a user may declare about columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from ..arrays import IntArray, UserValue

Kind = Literal["number", "integer", "ordinal", "category"]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What the engine knows of one column.

    Attributes
    ----------
    name : str
    kind : "number", "integer", "ordinal" or "category"
        A number is one feature, its value; an integer is one whole feature; an ordinal is one whole feature, the rank
        of its level; a category is one indicator feature a level, exactly one of which is 1.
    start, stop : int
        Its slice of the features.
    sources : tuple of int
        Positions of the user's columns it comes from: one, or several for a declared one-hot group.
    levels : tuple
        Values of a category or ordinal as the user writes them; None is the missing value.
    open : bool
        Values never seen are accepted: the last indicator, which has no entry in ``levels``, stands for them.
    fill : float or None
        What the pipeline's imputer puts for a missing number; None: missing numbers are refused.
    missing : object
        How a missing value of a category is written in the training data: None, NaN or ``pandas.NA``.
    missing_stays : bool
        The model itself takes missing values, or an imputer tells it of them: they stay missing, and no other becomes
        missing.
    stand_in : float
        What stands for a missing number that stays so among the features; the model sees the missing value.
    low, high : float
        Smallest and largest number that the pipeline's steps take: 0 for a square root, say.
    codes : tuple of float
        Numbers that stand for none under a question's rules.
    """

    name: str
    kind: Kind
    start: int
    stop: int
    sources: tuple[int, ...]
    levels: tuple[UserValue, ...] = ()
    open: bool = False
    fill: float | None = None
    missing: UserValue = None
    missing_stays: bool = False
    stand_in: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    codes: tuple[float, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether all is the same; the same NaN or ``pandas.NA`` is.

        As tuples are compared, and dataclasses were before Python 3.13, which compares each attribute by itself.
        """
        return _values(self) == _values(other) if isinstance(other, Column) else NotImplemented

    def __hash__(self) -> int:
        return hash(_values(self))

    @property
    def features(self) -> slice:
        """Its slice of the features."""
        return slice(self.start, self.stop)

    def difference(self, before: float, after: float) -> float | None:
        """How far a value moves; None where that means nothing: levels, special codes, a value that was missing."""
        if self.kind not in ("number", "integer") or math.isnan(before) or before in self.codes or after in self.codes:
            return None
        return after - before

    @property
    def may_be_missing(self) -> bool:
        """Whether rows may come without a number in it: an imputer puts one, or the model takes it so."""
        return self.fill is not None or (self.missing_stays and self.kind != "category")

    @property
    def is_indicated(self) -> bool:
        """Whether an imputer puts a number for a missing one and tells the model: it stays missing in answers."""
        return self.fill is not None and self.missing_stays

    @property
    def is_group(self) -> bool:
        """Whether it stands for several columns that the user has one-hot encoded."""
        return len(self.sources) > 1

    @property
    def width(self) -> int:
        """Number of features it needs."""
        return len(self.levels) + self.open if self.kind == "category" else 1


def _values(column: Column) -> tuple[Any, ...]:
    return tuple(getattr(column, item.name) for item in fields(column))


@dataclass(frozen=True, slots=True)
class OneHot:
    """Declare that several 0/1 columns are one category: exactly one of them is 1.

    Parameters
    ----------
    columns : sequence of str
        At least two columns; their names are the levels.
    baseline : str, optional
        The level that all zeros stand for, if the encoding has left one out (``drop="first"``).

    Examples
    --------
    >>> import elsewise as ew
    >>> columns = {"housing": ew.OneHot(columns=["housing_own", "housing_free"], baseline="housing_rent")}
    """

    columns: Sequence[str]
    baseline: str | None = None


@dataclass(frozen=True, slots=True)
class Ordinal:
    """Declare that a column is ordered.

    Parameters
    ----------
    levels : sequence
        All its values, from lowest to highest.

    Examples
    --------
    >>> import elsewise as ew
    >>> columns = {"education": ew.Ordinal(levels=["school", "college", "university"])}
    """

    levels: Sequence[UserValue]


Declaration = Literal["number", "integer", "boolean", "category", "ordinal"] | OneHot | Ordinal


def groups_of(columns: Sequence[Column]) -> IntArray:
    """Return which category each feature is an indicator of, -1 for none: int array of shape (n_features,)."""
    is_category = np.array([column.kind == "category" for column in columns], dtype=np.bool_)
    group = np.where(is_category, np.cumsum(is_category) - 1, -1)
    return np.repeat(group, np.array([column.width for column in columns], dtype=np.int64))
