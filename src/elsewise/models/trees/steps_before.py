"""What stands between model space and a model's own columns: functions of one number each, monotone or in steps.

A pipeline is affine up to *model space*. Transformers behind it that are no longer affine, but take one column at a
time, leave boxes boxes, so that a tree of what they give is a tree of what they take::

    z_j = s_p   where  e_{p-1} < y <= e_p            (steps: bins, codes of bins)
    z_j = h(y)  with h rising or falling             (a logarithm, a power, quantiles)

``y`` is a feature of model space, ``z_j`` a column of the model. ``h`` is the transformers' own arithmetic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray, IntArray
from ...search.relaxations.tree_sums.trees import TreeSum

if TYPE_CHECKING:
    from ...search.relaxations.curves import Chained


@dataclass(frozen=True, slots=True, eq=False)
class AsIs:
    """A column of the model that is a feature of model space.

    Attributes
    ----------
    place : int
        The feature of model space.
    name : str
        The user's columns it comes from, in words.
    levels : array of shape (n_levels,), or None
        What it is at each level of the only column it comes from, if that has levels.
    column : int
        Number of that column; -1 without.
    """

    place: int
    name: str
    levels: FloatArray | None = None
    column: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Stepped:
    """A column of the model that is constant between steps.

    Attributes
    ----------
    place : int
    name : str
    why : str
        The step of the pipeline, and why it is not affine.
    ends : array of shape (n_pieces - 1,)
        The last number of each piece but the last one, ascending.
    values : array of shape (n_pieces,)
    """

    place: int
    name: str
    why: str
    ends: FloatArray
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Warped:
    """A column of the model that is a function of a feature of model space.

    Attributes
    ----------
    place : int
    name : str
    why : str
    low, high : float
        The numbers between which it is known, and finite.
    rises : bool or None
        Whether it rises throughout, or falls throughout; None if it does neither: trees cannot follow then.
    curve : Chained or None
        Its slopes, for models other than trees; None if they are not known.
    """

    place: int
    name: str
    why: str
    low: float
    high: float
    rises: bool | None
    curve: Chained | None = None


ModelColumn = AsIs | Stepped | Warped


class ColumnFunctions(ABC):
    """The functions of a model's columns, by the transformers' own arithmetic."""

    @abstractmethod
    def __call__(self, columns: Sequence[int], numbers: Sequence[FloatArray]) -> list[FloatArray]:
        """Return what columns of the model are at numbers of model space: arrays of shape (n,), one a column."""


@dataclass(frozen=True, slots=True, eq=False)
class StepsBefore:
    """The columns of a model as functions of model space.

    Attributes
    ----------
    n_features : int
        Of model space.
    columns : tuple of ModelColumn
        One a column of the model.
    functions : ColumnFunctions
        Of the columns that are :class:`Warped`.
    seen : array of shape (2, n_features)
        Smallest and largest training values in model space.
    rewritten : dict
        The last trees that were written over model space, by a digest of what they were: those of all labels of a
        model are the same.
    """

    n_features: int
    columns: tuple[ModelColumn, ...]
    functions: ColumnFunctions
    seen: FloatArray
    rewritten: dict[bytes, TreeSum] = field(default_factory=dict)

    @property
    def first(self) -> Stepped | Warped:
        """The first column that is not as it is in model space."""
        return next(column for column in self.columns if not isinstance(column, AsIs))

    def curve(self, j: int) -> Chained | None:
        """Return the curve of a column; None for one that has none."""
        column = self.columns[j]
        return column.curve if isinstance(column, Warped) else None

    @property
    def places(self) -> IntArray:
        """The feature of model space each column follows from, int array of shape (n_columns,)."""
        return np.array([column.place for column in self.columns], dtype=np.int64)
