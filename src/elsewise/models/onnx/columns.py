"""Columns on their way through an ONNX graph: each is a chain of operations with constants on one input column.

ONNX computes in 32 bits. A chain of additions and multiplications rounds after each of them, and still never falls, or
never rises: a threshold behind it is one threshold of the input, found to the last bit by the same arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...search.relaxations.curves.base import last_where
from ...search.relaxations.tree_sums.trees import left_limits

_OPERATIONS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class ColumnChain:
    """A column of a graph.

    Attributes
    ----------
    place : int
        Position of the input column.
    operations : tuple of (str, float)
        Names of ONNX operations and their constants, in order, with 32 bits.
    """

    place: int
    operations: tuple[tuple[str, float], ...] = ()

    def then(self, name: str, constant: float) -> ColumnChain:
        """Return the chain with one more operation."""
        return ColumnChain(self.place, (*self.operations, (name, float(constant))))

    def __call__(self, x: FloatArray) -> Any:
        """Compute the column at numbers of the input column, float32 array of the same shape."""
        with np.errstate(over="ignore", invalid="ignore"):
            y = np.asarray(x).astype(np.float32)
            for name, constant in self.operations:
                y = _OPERATIONS[name](y, np.float32(constant))
        return y

    def line(self) -> tuple[float, float]:
        """Slope and intercept of the column, with 64 bits."""
        slope, intercept = 1.0, 0.0
        for name, constant in self.operations:
            if name in ("Add", "Sub"):
                intercept += constant if name == "Add" else -constant
            else:
                factor = constant if name == "Mul" else 1.0 / constant
                slope, intercept = slope * factor, intercept * factor
        return slope, intercept


def affine(columns: Sequence[ColumnChain], n_inputs: int) -> tuple[FloatArray, FloatArray]:
    """Matrix of shape (n_columns, n_inputs) and offset of shape (n_columns,) of columns, with 64 bits."""
    matrix, offset = np.zeros((len(columns), n_inputs)), np.zeros(len(columns))
    for place, column in enumerate(columns):
        matrix[place, column.place], offset[place] = column.line()
    return matrix, offset


def thresholds_before(column: ColumnChain, thresholds: FloatArray, *, strict: bool) -> tuple[FloatArray, bool]:
    """Find the input numbers at which a column passes thresholds.

    Parameters
    ----------
    column : ColumnChain
    thresholds : array of shape (n,), 32-bit numbers
    strict : bool
        The condition is that the column is less than, not at most, the threshold.

    Returns
    -------
    limits : array of shape (n,)
        The largest double for which the condition holds, if the column rises; for which it does not, if it falls.
    rises : bool
    """
    if not column.operations:
        return left_limits(thresholds, strict=strict, single=True), True
    rises = column.line()[0] >= 0

    def holds(x: FloatArray) -> Any:
        y = column(x)
        below = y < thresholds if strict else y <= thresholds
        return below if rises else ~below

    ends = np.full(len(thresholds), _LARGEST)
    return last_where(holds, -ends, ends), rises
