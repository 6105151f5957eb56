"""Columns that follow from others: sums, differences, products and ratios, read from formulas without running them.

A derived column is ``f``, ``f * g`` or ``f / g`` with ``f`` and ``g`` affine in its sources, rounded as in the data. It
has no feature: its sources have, and it is computed from them wherever a row is written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, Literal

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError

# A form sum_i c_i x_i + c: coefficients of names, and of the empty name the constant.
Form = dict[str, Fraction]
# Values computed from sources are the same as those in the data up to this, relative to the terms they are made of.
SAME = 1e-12
# Rounding of 32-bit numbers, relative to them.
SHORT = 2.0**-24 * 1.01
# Decimals that columns may be rounded to.
MOST_DECIMALS = 8
_OPERATIONS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}


@dataclass(frozen=True, slots=True)
class Forms:
    """What a formula is: one affine form, or a product or ratio of two."""

    first: Form
    symbol: Literal["", "*", "/"] = ""
    second: Form | None = None


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column that is computed from others.

    Attributes
    ----------
    name : str
    place : int
        Position among the user's columns.
    text : str
        The formula.
    decimals : int or None
        Decimals that its values have in the data; None where they have any.
    is_rounded : bool
        Its values are rounded to these decimals; else they have no more by themselves, up to rounding of doubles.
    is_whole : bool
        It is written as a whole number.
    is_short : bool
        Its values are 32-bit numbers, whatever their dtype.
    is_below : bool
        What it divides by is below zero in the data, not above.
    """

    name: str
    place: int
    text: str
    decimals: int | None = None
    is_rounded: bool = False
    is_whole: bool = False
    is_below: bool = False
    is_short: bool = False

    @property
    def forms(self) -> Forms:
        """What the formula is."""
        return read_formula(self.name, self.text)[0]

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the columns in the formula."""
        return sources_of(self.forms)

    def values(self, columns: Mapping[str, FloatArray]) -> FloatArray:
        """Compute the column from its sources, arrays of shape (n_samples,).

        Parameters
        ----------
        columns : mapping of column name to array of shape (n_samples,)
        """
        return self.as_written(computed(self.name, self.text, columns))

    def in_dtype(self, values: FloatArray) -> FloatArray | IntArray:
        """Values as the column holds them: whole numbers where it does, and they are."""
        return values.astype(np.int64) if self.is_whole and (values == np.floor(values)).all() else values

    def as_written(self, values: FloatArray) -> FloatArray:
        """Round values as the data are: to their decimals, or where only rounding of doubles is in the way."""
        if self.is_short:
            return values.astype(np.float32).astype(np.float64)
        if self.decimals is None:
            return values
        rounded = np.round(values, self.decimals) + 0.0
        if self.is_rounded:
            return rounded
        return np.where(np.abs(rounded - values) <= SAME * (1.0 + np.abs(values)), rounded, values)


def rows_of_derived(derived: Sequence[DerivedColumn], columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Compute derived columns in their order, by name; arrays of shape (n_samples,)."""
    values = dict(columns)
    for column in derived:
        values[column.name] = column.values(values)
    return {column.name: values[column.name] for column in derived}


def computed(name: str, text: str, columns: Mapping[str, FloatArray]) -> FloatArray:
    """Compute a formula as it is written, in double precision; shape (n_samples,)."""
    _, node, quoted = read_formula(name, text)

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=number):
                return float(number)  # type: ignore[arg-type]  # read_formula takes numbers alone
            case ast.Name(id=name):
                return columns[quoted.get(name, name)]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -value(inner)
            case ast.UnaryOp(operand=inner):
                return value(inner)
            case ast.BinOp(left=left, op=operation, right=right):
                return _OPERATIONS[type(operation)](value(left), value(right))
        raise AssertionError(f"no formula: {ast.dump(node)}")

    with np.errstate(all="ignore"):
        return np.asarray(value(node), dtype=np.float64)


def sources_of(forms: Forms) -> tuple[str, ...]:
    """Names of the columns in forms, each once."""
    return tuple(dict.fromkeys(name for form in (forms.first, forms.second or {}) for name in form if name))


def in_order(formulas: Mapping[str, str]) -> list[str]:
    """Names of derived columns, each behind those that its formula uses; refuse cycles."""
    placed: list[str] = []

    def place(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            ring = " -> ".join((*above[above.index(name) :], name))
            raise InvalidInputError(
                f"derive: the formulas go round in a circle: {ring}. Expected columns that follow from others. Drop "
                "one of these formulas."
            )
        if name in placed:
            return
        for source in sources_of(read_formula(name, formulas[name])[0]):
            if source in formulas:
                place(source, (*above, name))
        placed.append(name)

    for name in formulas:
        place(name, ())
    return placed


def decimals_of(values: FloatArray) -> int | None:
    """Smallest number of decimals that all values have; None if they have more than are worth speaking of."""
    for decimals in range(MOST_DECIMALS + 1):
        if (np.abs(np.round(values, decimals) - values) <= SAME * np.abs(values)).all():
            return decimals
    return None


def is_short(values: FloatArray) -> bool:
    """Whether values that have more decimals than are worth speaking of are 32-bit numbers."""
    with np.errstate(over="ignore"):
        return decimals_of(values) is None and bool((values.astype(np.float32) == values).all())


def match(values: FloatArray, expected: FloatArray, decimals: int | None) -> tuple[BoolArray, bool]:
    """Compare a column with what its formula gives.

    Returns
    -------
    holds : bool array of shape (n_samples,)
    is_rounded : bool
        They agree only up to the decimals of the column.
    """
    with np.errstate(invalid="ignore"):
        difference, rounding = np.abs(values - expected), SAME * (1.0 + np.abs(expected))
        if is_short(values):
            rounding = SHORT * np.abs(expected)
    exact = np.asarray(difference <= rounding)
    if exact.all() or decimals is None:
        return exact, False
    return np.asarray(difference <= 0.5 * 10.0**-decimals + rounding), True


@lru_cache(maxsize=256)
def read_formula(name: str, text: str) -> tuple[Forms, ast.expr, dict[str, str]]:
    """Read the formula of a column.

    Returns
    -------
    forms : Forms
    node : the formula, parsed
    quoted : dict
        Names in backticks by what stands for them in ``node``.
    """
    quoted: dict[str, str] = {}

    def set_aside(found: re.Match[str]) -> str:
        quoted[f"_quoted{len(quoted)}_"] = found[1]
        return f" _quoted{len(quoted) - 1}_ "

    plain = re.sub(r"`([^`]+)`", set_aside, text)
    try:
        node = ast.parse(" ".join(plain.split()), mode="eval").body
        forms = _Reading(name, text, quoted).forms(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise refusal(name, text, "it does not parse") from error
    if not sources_of(forms):
        raise refusal(name, text, "no column is in it")
    return forms, node, quoted


def refusal(name: str, text: str, why: str) -> InvalidInputError:
    """Return the error about a formula."""
    return InvalidInputError(
        f"derive: the formula {text!r} of {name!r} cannot be used: {why}. Expected a sum, a difference, a product or "
        "a ratio of columns, such as 'loan / price' or 'a + b'; names that are no plain words go in backticks."
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A formula on its way to forms."""

    name: str
    text: str
    quoted: Mapping[str, str]

    def forms(self, node: ast.expr) -> Forms:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and isfinite(value):
                return Forms({"": Fraction(repr(value))})
            case ast.Name(id=name):
                return Forms({self.quoted.get(name, name): Fraction(1)})
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.forms(inner)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return _times(self.forms(inner), Fraction(-1))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(self.forms(left), self.forms(right))
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self._sum(self.forms(left), _times(self.forms(right), Fraction(-1)))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return self._product(self.forms(left), self.forms(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._ratio(self.forms(left), self.forms(right))
        raise refusal(self.name, self.text, f"{ast.unparse(node)!r} is none of these")

    def _sum(self, left: Forms, right: Forms) -> Forms:
        if left.symbol and not right.symbol:
            left, right = right, left
        constant = left.first.get("", Fraction(0))
        if right.symbol == "/" and not left.symbol and _is_constant(left.first):  # c + f / g = (f + c g) / g
            return replace(right, first=_added(right.first, right.second or {}, constant))
        if left.symbol or right.symbol:
            raise refusal(self.name, self.text, "it adds to a product or a ratio")
        return Forms(_added(left.first, right.first))

    def _product(self, left: Forms, right: Forms) -> Forms:
        for one, other in ((left, right), (right, left)):
            if not one.symbol and _is_constant(one.first):
                return _times(other, one.first.get("", Fraction(0)))
        if left.symbol or right.symbol:
            raise refusal(self.name, self.text, "it multiplies or divides more than once")
        return Forms(left.first, "*", right.first)

    def _ratio(self, left: Forms, right: Forms) -> Forms:
        if not right.symbol and _is_constant(right.first):
            if not right.first.get(""):
                raise refusal(self.name, self.text, "it divides by zero")
            return _times(left, 1 / right.first[""])
        if left.symbol or right.symbol:
            raise refusal(self.name, self.text, "it multiplies or divides more than once")
        return Forms(left.first, "/", right.first)


def _is_constant(form: Form) -> bool:
    return not any(factor for name, factor in form.items() if name)


def _added(left: Form, right: Form, factor: Fraction = Fraction(1)) -> Form:
    total = dict(left)
    for name, value in right.items():
        total[name] = total.get(name, Fraction(0)) + factor * value
    return {name: value for name, value in total.items() if value or not name}


def _times(forms: Forms, factor: Fraction) -> Forms:
    return replace(forms, first={name: value * factor for name, value in forms.first.items()})
