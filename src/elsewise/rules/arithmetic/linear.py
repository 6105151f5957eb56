"""Linear rules between columns: read from formulas without running them, or from triples.

A rule is one or more comparisons. Each is kept twice: as a half-space ``a . x <= b`` over named columns, from which the
search gets its constraints, and as it was written, to judge points (:mod:`.expressions`). Constants of half-spaces are
read as the decimals they are written as and coefficients are collected as fractions, so that
``0.1 * a + 0.2 * a - 0.3 * a`` is nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isfinite
from numbers import Real
from typing import Any

from ...errors import InvalidInputError
from .. import words
from ..words import LONGEST_SHOWN
from .expressions import Expression, Inequality, Negative, Number, Operation, Symbol, Variable

_EXAMPLE = "'installments <= 0.5 * income', '0 <= a - b <= 10' or ({'installments': 1, 'income': -0.5}, '<=', 0)"

_SYMBOLS: dict[type[ast.operator], Symbol] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}

# A rule as a user gives it: a formula, or factors of columns, "<=" or ">=", and a number.
WrittenRule = str | tuple[Mapping[str, float], str, float]

# A form sum_i c_i x_i + c: coefficients of names, and of the empty name the constant.
_Form = dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """One inequality ``sum_i coefficients_i x_i <= bound`` over named columns.

    Attributes
    ----------
    coefficients : tuple of (str, float)
        Column and factor, none of them zero.
    bound : float
    """

    coefficients: tuple[tuple[str, float], ...]
    bound: float


@dataclass(frozen=True, slots=True)
class LinearRule:
    """A linear rule: all of its comparisons must hold.

    Attributes
    ----------
    text : str
        As it was written.
    half_spaces : tuple of HalfSpace
        One for each comparison.
    comparisons : tuple of Inequality
    """

    text: str
    half_spaces: tuple[HalfSpace, ...]
    comparisons: tuple[Inequality, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that appear, each once."""
        return tuple(dict.fromkeys(name for half_space in self.half_spaces for name, _ in half_space.coefficients))


def read_rule(rule: object) -> LinearRule:
    """Read a linear rule from a formula or a triple ``({column: factor}, "<=" or ">=", number)``."""
    if isinstance(rule, str):
        return _Formula(rule).rule()
    if isinstance(rule, Sequence) and len(rule) == 3 and isinstance(rule[0], Mapping):
        return _from_triple(*rule)
    raise InvalidInputError(f"linear: expected rules such as {_EXAMPLE}; received {rule!r}.")


def _from_triple(factors: Mapping[Any, Any], sign: object, bound: Any) -> LinearRule:
    for name, factor in factors.items():
        if not isinstance(name, str):
            raise InvalidInputError(f"linear: expected names of columns as keys, received {name!r} in {dict(factors)}.")
        _check_number(factor, f"the factor of {name!r}")
    if sign not in ("<=", ">="):
        raise InvalidInputError(f"linear: expected '<=' or '>=' between factors and number, received {sign!r}.")
    _check_number(bound, "the number at the end")
    form = {name: Fraction(float(factor)) for name, factor in factors.items()}
    text = f"{words.formula([(name, float(factor)) for name, factor in factors.items() if factor])} {sign} "
    half_space = _half_space(form, sign, {"": Fraction(float(bound))})
    terms: list[Expression] = [
        Operation("*", Number(float(factor)), Variable(name)) for name, factor in factors.items() if factor
    ]
    total = reduce(lambda left, right: Operation("+", left, right), terms) if terms else Number(0.0)
    return LinearRule(text + words.number(bound), (half_space,), (Inequality(total, sign, Number(float(bound))),))


def _check_number(value: object, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise InvalidInputError(f"linear: expected a finite number as {what}, received {value!r}.")


def _half_space(left: _Form, sign: str, right: _Form) -> HalfSpace:
    form = _sum(left, right, -1 if sign == "<=" else 1, 1 if sign == "<=" else -1)
    constant = form.pop("", Fraction(0))
    coefficients = tuple((name, float(factor)) for name, factor in form.items() if factor)
    return HalfSpace(coefficients, -float(constant) if constant else 0.0)


def _sum(left: _Form, right: _Form, sign_right: int = 1, sign_left: int = 1) -> _Form:
    total = {name: sign_left * factor for name, factor in left.items()}
    for name, factor in right.items():
        total[name] = total.get(name, Fraction(0)) + sign_right * factor
    return total


def _is_constant(form: _Form) -> bool:
    return not any(factor for name, factor in form.items() if name)


class _Formula:
    """A formula on its way to a rule: names in backticks stand aside under names Python can parse."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.quoted: dict[str, str] = {}
        self.stem = "_quoted"
        while self.stem in text:
            self.stem += "_"

    def rule(self) -> LinearRule:
        try:
            comparison = self._parse()
            sides = (comparison.left, *comparison.comparators)
            forms = [self._form(node) for node in sides]
            signs = [self._sign(comparison, i) for i in range(len(comparison.ops))]
            half_spaces = tuple(map(_half_space, forms, signs, forms[1:]))
            written = [self._expression(node) for node in sides]
        except (RecursionError, MemoryError) as error:
            raise self._refusal("it is nested too deeply. Give it as ({column: factor}, '<=', number)") from error
        except OverflowError as error:
            raise self._refusal("its numbers are too large") from error
        return LinearRule(self.text, half_spaces, tuple(map(Inequality, written, signs, written[1:])))

    def _parse(self) -> ast.Compare:
        plain = re.sub(r"`([^`]+)`", self._set_aside, self.text.replace("≤", "<=").replace("≥", ">="))
        if "`" in plain:
            raise self._refusal("a backtick stands alone. Put the whole name of a column in two of them")
        if "=<" in plain or "=>" in plain:
            raise self._refusal("write <= or >=, in this order")
        if re.search(r"(?<![<>=!])=(?!=)", plain):
            raise self._refusal(
                "'=' compares nothing. Write <= or >=; for an equality a narrow range, as in 9 <= a <= 11"
            )
        try:
            node = ast.parse(" ".join(plain.split()), mode="eval").body
        except (SyntaxError, ValueError) as error:
            detail = error.msg if isinstance(error, SyntaxError) else str(error)
            raise self._refusal(
                f"it does not parse ({detail}). Expected something like {_EXAMPLE}; names of columns that are not "
                "plain words go in backticks: `credit amount` <= 1000"
            ) from error
        if isinstance(node, ast.BoolOp):
            raise self._refusal("it joins several with 'and' or 'or'. Give each as a rule of its own; all must hold")
        if not isinstance(node, ast.Compare):
            raise self._refusal(f"it compares nothing. Expected <= or >= in it, as in {_EXAMPLE}")
        return node

    def _set_aside(self, match: re.Match[str]) -> str:
        stand_in = f"{self.stem}{len(self.quoted)}_"
        self.quoted[stand_in] = match[1]
        return f" {stand_in} "

    def _sign(self, comparison: ast.Compare, i: int) -> str:
        sign = comparison.ops[i]
        if isinstance(sign, ast.LtE):
            return "<="
        if isinstance(sign, ast.GtE):
            return ">="
        left = self._shown((comparison.left, *comparison.comparators)[i])
        right = self._shown(comparison.comparators[i])
        if isinstance(sign, (ast.Lt, ast.Gt)):
            written, instead, margin = ("<", "<=", "-") if isinstance(sign, ast.Lt) else (">", ">=", "+")
            raise self._refusal(
                f"'{written}' is strict, and a nearest point on a strict side does not exist. Write "
                f"'{left} {instead} {right}', or with a margin '{left} {instead} {right} {margin} 1'"
            )
        if isinstance(sign, ast.Eq):
            raise self._refusal(
                "'==' leaves no room between its sides. Write a range with the leeway that suits, as in "
                f"'{right} - 0.5 <= {left} <= {right} + 0.5', or make the columns immutable"
            )
        raise self._refusal(f"only <= and >= can be kept exactly, between {left!r} and {right!r} stands another")

    def _form(self, node: ast.expr) -> _Form:
        match node:
            case ast.Constant(value=value) if isinstance(value, (int, float)) and not isinstance(value, bool):
                if not isfinite(value):
                    raise self._refusal("its numbers must be finite")
                return {"": Fraction(repr(value))}
            case ast.Name(id=name):
                return {self.quoted.get(name, name): Fraction(1)}
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self._form(inner)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return _sum({}, self._form(inner), -1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _sum(self._form(left), self._form(right))
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return _sum(self._form(left), self._form(right), -1)
            case ast.BinOp(left=left, op=(ast.Mult() | ast.Div()) as operation, right=right):
                return self._scaled(node, self._form(left), self._form(right), isinstance(operation, ast.Div))
        raise self._refusal(
            f"{self._shown(node)!r} is not linear. Columns may be added, subtracted, multiplied or divided by numbers"
        )

    def _expression(self, node: ast.expr) -> Expression:
        """Copy a side that :meth:`_form` has accepted."""
        match node:
            case ast.Constant(value=int() | float() as value):
                return Number(float(value))
            case ast.Name(id=name):
                return Variable(self.quoted.get(name, name))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return Negative(self._expression(inner))
            case ast.UnaryOp(operand=inner):
                return self._expression(inner)
            case ast.BinOp(left=left, op=operation, right=right):
                return Operation(_SYMBOLS[type(operation)], self._expression(left), self._expression(right))
        raise AssertionError(f"not a linear form: {ast.dump(node)}")

    def _scaled(self, node: ast.expr, left: _Form, right: _Form, divides: bool) -> _Form:
        if not divides and _is_constant(left):
            left, right = right, left
        if not _is_constant(right):
            raise self._refusal(
                f"{self._shown(node)!r} is not linear: it {'divides by a column' if divides else 'multiplies columns'}"
            )
        factor = right.get("", Fraction(0))
        if divides and not factor:
            raise self._refusal(f"{self._shown(node)!r} divides by zero")
        return {name: value / factor if divides else value * factor for name, value in left.items()}

    def _shown(self, node: ast.expr) -> str:
        text = ast.unparse(node)
        for stand_in, name in self.quoted.items():
            text = text.replace(stand_in, f"`{name}`")
        return text

    def _refusal(self, why: str) -> InvalidInputError:
        text = self.text if len(self.text) <= LONGEST_SHOWN else self.text[:LONGEST_SHOWN] + " ..."
        return InvalidInputError(f"The linear rule {text!r} cannot be read: {why}.")
