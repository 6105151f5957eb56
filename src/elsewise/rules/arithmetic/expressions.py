"""Linear rules as they were written, evaluated on rows in double precision: what a user would compute to check them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...arrays import BoolArray, FloatArray

Symbol = Literal["+", "-", "*", "/"]
_FUNCTIONS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a column."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """``-inner``."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Operation:
    """``left symbol right``."""

    symbol: Symbol
    left: Expression
    right: Expression


Expression = Number | Variable | Negative | Operation


@dataclass(frozen=True, slots=True)
class Inequality:
    """``left <= right`` or ``left >= right``, without any tolerance.

    Attributes
    ----------
    left, right : Expression
    sign : "<=" or ">="
    """

    left: Expression
    sign: str
    right: Expression

    def holds(self, values: Mapping[str, FloatArray]) -> BoolArray:
        """Whether it holds for rows, array of shape (n_samples,).

        Parameters
        ----------
        values : mapping of column name to array of shape (n_samples,)
        """
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite compares as False, or as it should
            left, right = _value(self.left, values), _value(self.right, values)
            return np.asarray(left <= right if self.sign == "<=" else left >= right)

    def names(self) -> set[str]:
        """Names of the columns that appear."""
        return _names(self.left) | _names(self.right)


def _value(expression: Expression, values: Mapping[str, FloatArray]) -> FloatArray:
    match expression:
        case Number(value):
            return np.asarray(value, dtype=np.float64)
        case Variable(name):
            return values[name]
        case Negative(inner):
            return -_value(inner, values)
        case Operation(symbol, left, right):
            return np.asarray(_FUNCTIONS[symbol](_value(left, values), _value(right, values)))


def _names(expression: Expression) -> set[str]:
    match expression:
        case Number():
            return set()
        case Variable(name):
            return {name}
        case Negative(inner):
            return _names(inner)
        case Operation(_, left, right):
            return _names(left) | _names(right)
