"""Functions of single columns: transformers that are not affine, followed by their own arithmetic.

A transformer that takes one column at a time is a function of one number for each of its columns. It is asked by its
own ``transform``, all columns at once, so that what is known of it is what it does, to the last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, Estimator, FloatArray, UserData
from ..models.trees import ColumnFunctions
from .affine import LARGEST_WARPED


@dataclass(frozen=True, slots=True, eq=False)
class ColumnStep:
    """What a transformer does to one of its columns.

    Attributes
    ----------
    transformer : fitted transformer
    neutral : array of shape (n_columns,)
        A number it takes in each column, put where another column is asked about.
    place, output : int
        The column it takes, and the one it gives.
    """

    transformer: Estimator
    neutral: FloatArray
    place: int
    output: int


Chain = tuple[ColumnStep, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Chains(ColumnFunctions):
    """Steps one after the other, for some columns of a model.

    Attributes
    ----------
    of_columns : dict of column number to its steps
    """

    of_columns: dict[int, Chain]

    def __call__(self, columns: Sequence[int], numbers: Sequence[FloatArray]) -> list[FloatArray]:
        """Return what columns of the model are at numbers of model space: arrays of shape (n,), one a column."""
        return through([self.of_columns[column] for column in columns], numbers)


@dataclass(frozen=True, slots=True)
class Times:
    """A transformer that multiplies: the weight of a part of a ColumnTransformer or a FeatureUnion."""

    weight: float

    def transform(self, X: FloatArray) -> FloatArray:
        """Multiply."""
        return np.asarray(X * self.weight)


def through(chains: Sequence[Chain], numbers: Sequence[FloatArray]) -> list[FloatArray]:
    """Send numbers through chains of steps; each transformer is asked once for all chains it is next in.

    Parameters
    ----------
    chains : sequence of chains
    numbers : sequence of arrays of shape (n,), one a chain; their lengths may differ

    Returns
    -------
    list of arrays of shape (n,)
        NaN where a number on the way is not finite or too large.
    """
    out = [np.asarray(values, dtype=np.float64) for values in numbers]
    for depth in range(max((len(chain) for chain in chains), default=0)):
        by_transformer: dict[int, list[int]] = {}
        for k, chain in enumerate(chains):
            if len(chain) > depth:
                by_transformer.setdefault(id(chain[depth].transformer), []).append(k)
        for members in by_transformer.values():
            steps = [chains[k][depth] for k in members]
            for k, values in zip(members, _one_step(steps, [out[k] for k in members])):
                out[k] = values
    return out


def _one_step(steps: Sequence[ColumnStep], numbers: Sequence[FloatArray]) -> list[FloatArray]:
    """Send numbers through columns of one transformer."""
    heights: dict[int, int] = {}
    rows = []
    for step, values in zip(steps, numbers):  # numbers for the same column, one below the other
        start = heights.get(step.place, 0)
        rows.append(slice(start, start + len(values)))
        heights[step.place] = start + len(values)
    table = np.repeat(steps[0].neutral[None], max(heights.values()), axis=0)
    for step, values, where in zip(steps, numbers, rows):
        table[where, step.place] = np.where(_is_usable(values), values, step.neutral[step.place])
    given = transformed(steps[0].transformer, table)
    return [
        np.where(_is_usable(values), given[where, step.output], np.nan)
        for step, values, where in zip(steps, numbers, rows)
    ]


def _is_usable(values: FloatArray) -> BoolArray:
    return np.asarray(np.abs(values) <= LARGEST_WARPED)


def transformed(transformer: Estimator, table: FloatArray) -> FloatArray:
    """Ask a transformer about numbers it may never have been meant for, quietly."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of names it was fitted with, of overflow, of bins it has not got
        given = transformer.transform(table)
    return dense(given)


def dense(given: UserData) -> FloatArray:
    """Return what a transformer gave, an array, a sparse matrix or a frame, as an array of numbers."""
    return np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64)
