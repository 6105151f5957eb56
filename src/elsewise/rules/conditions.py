"""Conditions on columns, as people write them: ``"pdays == -1 and poutcome in ['unknown', 'other']"``.

Read with Python's own parser and never run. A condition is a tree of comparisons of one column with values, joined by
``and``, ``or`` and ``not``. It judges rows as it is, and becomes clauses for the search: at least one literal of each
holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np

from ..arrays import BoolArray, FloatArray, UserValue
from ..errors import InvalidInputError
from .words import LONGEST_SHOWN

Sign = Literal["==", "!=", "<", "<=", ">", ">="]
_SIGNS: dict[type[ast.cmpop], Sign] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_MIRRORED: dict[Sign, Sign] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE: dict[Sign, Sign] = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_EXAMPLE = "\"pdays == -1\" or \"age >= 60 and job in ['retired', 'unknown']\""


@dataclass(frozen=True, slots=True)
class Test:
    """``column sign value``."""

    column: str
    sign: Sign
    value: UserValue


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions of which all (``all_hold``), or at least one, hold."""

    all_hold: bool
    parts: tuple[Condition, ...]


Condition = Test | Joined


def negation(condition: Condition) -> Condition:
    """Return the condition that holds where this one does not."""
    if isinstance(condition, Test):
        return Test(condition.column, _OPPOSITE[condition.sign], condition.value)
    return Joined(not condition.all_hold, tuple(negation(part) for part in condition.parts))


def tests_of(condition: Condition) -> list[Test]:
    """List the comparisons in a condition."""
    if isinstance(condition, Test):
        return [condition]
    return [test for part in condition.parts for test in tests_of(part)]


def holds(condition: Condition, holds_test: Callable[[Test], BoolArray]) -> BoolArray:
    """Whether a condition holds for rows, given whether its comparisons do; shape (n_samples,)."""
    if isinstance(condition, Test):
        return holds_test(condition)
    each = np.array([holds(part, holds_test) for part in condition.parts])
    return np.asarray(each.all(axis=0) if condition.all_hold else each.any(axis=0))


def clauses_of(condition: Condition, most: int) -> list[tuple[Test, ...]] | None:
    """Write a condition as clauses, alternatives of which one holds each; None if there would be more than ``most``."""
    if isinstance(condition, Test):
        return [(condition,)]
    parts = [clauses_of(part, most) for part in condition.parts]
    if any(part is None for part in parts):
        return None
    if condition.all_hold:
        joined = [clause for part in parts for clause in part or ()]
        return joined if len(joined) <= most else None
    product: list[tuple[Test, ...]] = [()]
    for part in parts:
        product = [(*left, *right) for left in product for right in part or ()]
        if len(product) > most:
            return None
    return product


def compare(values: FloatArray, sign: Sign, value: float) -> BoolArray:
    """Compare numbers, without any tolerance, shape (n_samples,)."""
    function = {
        "==": np.equal, "!=": np.not_equal, "<": np.less,
        "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    }[sign]  # fmt: skip
    return np.asarray(function(values, value))


def read_condition(text: object, where: str = "implies") -> Condition:
    """Read a condition from text.

    Parameters
    ----------
    text : str
    where : str
        What errors call the rule.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{where}: expected conditions as text, such as {_EXAMPLE}; received {text!r}.")
    return _Reader(text.strip(), where).read()


class _Reader:
    """A text on its way to a condition: names in backticks stand aside under names Python can parse."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self.quoted: dict[str, str] = {}
        self.stem = "_quoted"
        while self.stem in text:
            self.stem += "_"

    def read(self) -> Condition:
        plain = re.sub(r"`([^`]+)`", self._set_aside, self.text.replace("≤", "<=").replace("≥", ">=")).strip()
        if "`" in plain:
            raise self._refusal("a backtick stands alone. Put the whole name of a column in two of them")
        if re.search(r"(?<![<>=!])=(?!=)", plain):
            raise self._refusal("'=' compares nothing. Write == for equal")
        if "&" in plain or "|" in plain:
            raise self._refusal("write 'and' and 'or' instead of & and |")
        try:
            return self._condition(ast.parse(plain, mode="eval").body)
        except (SyntaxError, ValueError) as error:
            if isinstance(error, InvalidInputError):
                raise
            detail = error.msg if isinstance(error, SyntaxError) else str(error)
            raise self._refusal(f"it does not parse ({detail}). Expected something like {_EXAMPLE}") from error
        except (RecursionError, MemoryError) as error:
            raise self._refusal("it is nested too deeply") from error

    def _set_aside(self, match: re.Match[str]) -> str:
        stand_in = f"{self.stem}{len(self.quoted)}_"
        self.quoted[stand_in] = match[1]
        return f" {stand_in} "

    def _condition(self, node: ast.expr) -> Condition:
        match node:
            case ast.BoolOp(op=operation, values=values):
                return Joined(isinstance(operation, ast.And), tuple(self._condition(value) for value in values))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return negation(self._condition(inner))
            case ast.Compare(left=left, ops=signs, comparators=others):
                sides = [left, *others]
                parts = tuple(self._test(*item) for item in zip(sides, signs, sides[1:]))
                return parts[0] if len(parts) == 1 else Joined(all_hold=True, parts=parts)
            case ast.Name(id=name):
                return Test(self.quoted.get(name, name), "==", True)
        raise self._refusal(f"{ast.unparse(node)!r} is no comparison of a column. Expected something like {_EXAMPLE}")

    def _test(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Condition:
        if isinstance(sign, (ast.In, ast.NotIn)):
            if not isinstance(left, ast.Name) or not isinstance(right, (ast.List, ast.Tuple, ast.Set)):
                raise self._refusal("'in' needs a column before it and a list after it, as in job in ['a', 'b']")
            name = self.quoted.get(left.id, left.id)
            each = tuple(Test(name, "==", self._value(item)) for item in right.elts)
            if not each:
                raise self._refusal("the list after 'in' is empty")
            found = Joined(all_hold=False, parts=each)
            return found if isinstance(sign, ast.In) else negation(found)
        known = _SIGNS.get(type(sign))
        if known is None:
            raise self._refusal("only ==, !=, <, <=, >, >= and in compare")
        if isinstance(left, ast.Name) and isinstance(right, ast.Name):
            raise self._refusal(
                f"it compares two columns, {ast.unparse(left)} and {ast.unparse(right)}; a column is compared with a "
                "value here (text in quotes). Rules between columns go in linear"
            )
        if isinstance(left, ast.Name):
            return Test(self.quoted.get(left.id, left.id), known, self._value(right))
        if isinstance(right, ast.Name):
            return Test(self.quoted.get(right.id, right.id), _MIRRORED[known], self._value(left))
        raise self._refusal(f"'{ast.unparse(left)}' and '{ast.unparse(right)}': neither is a column")

    def _value(self, node: ast.expr) -> Any:
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError):
            raise self._refusal(
                f"{ast.unparse(node)!r} is no value: numbers, text in quotes, True, False or None"
            ) from None
        if not isinstance(value, (str, int, float, bool, type(None))) or (
            isinstance(value, float) and not isfinite(value)
        ):
            raise self._refusal(f"{ast.unparse(node)!r} is no value: numbers, text in quotes, True, False or None")
        return value

    def _refusal(self, why: str) -> InvalidInputError:
        for stand_in, name in self.quoted.items():
            why = why.replace(stand_in, f"`{name}`")
        text = self.text if len(self.text) <= LONGEST_SHOWN else self.text[:LONGEST_SHOWN] + " ..."
        return InvalidInputError(f"{self.where}: the condition {text!r} cannot be read: {why}.")


def columns_of(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Names of the columns in conditions, each once."""
    return tuple(dict.fromkeys(test.column for condition in conditions for test in tests_of(condition)))
