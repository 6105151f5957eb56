"""Implications: where one condition holds another does, in every answer."""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError
from ..search.domains.clauses import Clauses
from ..text.languages import say
from .atomic import Rule, value_in_words
from .conditions import Condition, Joined, Test, clauses_of, columns_of, compare, holds, negation, read_condition

if TYPE_CHECKING:
    from ..table.column import Column

# Clauses that an implication may become; more would be a mistake, and slow.
MOST_CLAUSES = 64

# Finds the column of a name, and the position of a level in a column.
FindColumn = Callable[[str, str], "Column"]
FindLevel = Callable[["Column", object, str], int]

# A literal of a clause: feature, low and high end.
_Literal = tuple[int, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Implies(Rule):
    """Where ``condition`` holds in an answer, ``then`` does.

    Attributes
    ----------
    condition, then : Condition
    columns : dict of name to Column
    positions : dict of (column, level) to int
        Where the levels that are mentioned stand.
    alternatives : tuple of tuple of literals
        The same as clauses.
    """

    name: str
    condition: Condition
    then: Condition
    columns: dict[str, Column]
    positions: dict[tuple[str, object], int]
    alternatives: tuple[tuple[_Literal, ...], ...]

    def clauses(self, E: FloatArray) -> Clauses | None:
        if not self.alternatives:
            return None
        literals = [literal for clause in self.alternatives for literal in clause]
        sizes = [len(clause) for clause in self.alternatives]
        shape = (len(E), len(literals))
        return Clauses(
            np.array([feature for feature, _, _ in literals], dtype=np.int64),
            np.cumsum([0, *sizes[:-1]]),
            np.broadcast_to(np.array([low for _, low, _ in literals]), shape),
            np.broadcast_to(np.array([high for _, _, high in literals]), shape),
            np.ones((len(E), len(sizes)), dtype=np.bool_),
        )

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        def holds_test(test: Test) -> BoolArray:
            column = self.columns[test.column]
            if column.kind == "category":
                has = E1[:, column.start + self.positions[test.column, test.value]] == 1
                return np.asarray(has if test.sign == "==" else ~has)
            value = test.value if column.kind != "ordinal" else self.positions[test.column, test.value]
            return compare(E1[:, column.start], test.sign, float(value))

        return np.asarray(holds(self.condition, holds_test) & ~holds(self.then, holds_test))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        return ", ".join(f"{name} is {value_in_words(column, after)}" for name, column in self.columns.items())


def implication(condition: str, then: str, find_column: FindColumn, find_level: FindLevel) -> Implies:
    """Resolve an implication against columns.

    Parameters
    ----------
    condition, then : str
    find_column : function of (name, parameter) to a column
    find_level : function of (column, level, parameter) to its position
    """
    where = "implies"
    first, second = read_condition(condition, where), read_condition(then, where)
    columns = {name: find_column(name, where) for name in columns_of([first, second])}
    positions: dict[tuple[str, object], int] = {}
    whole = Joined(all_hold=False, parts=(negation(first), second))
    written = clauses_of(whole, MOST_CLAUSES)
    if written is None:
        raise InvalidInputError(
            f"implies: {condition!r}: {then!r} joins too many alternatives (more than {MOST_CLAUSES} when written as "
            "clauses). Split it into several rules."
        )
    alternatives = tuple(
        tuple(literal for test in clause for literal in _literals(test, columns, positions, find_level))
        for clause in written
    )
    name = say("rule.if", condition=condition, then=then)
    return Implies(name, first, second, columns, positions, alternatives)


def _literals(
    test: Test,
    columns: dict[str, Column],
    positions: dict[tuple[str, object], int],
    find_level: FindLevel,
) -> list[_Literal]:
    """Intervals in one of which a comparison holds; none if it never does."""
    column, sign = columns[test.column], test.sign
    if column.kind == "category":
        if sign not in ("==", "!="):
            raise InvalidInputError(
                f"implies: {test.column!r} is a category without an order: only == and != compare its levels, not "
                f"{sign}."
            )
        place = positions.setdefault((test.column, test.value), find_level(column, test.value, "implies"))
        return [(column.start + place, 1.0, np.inf) if sign == "==" else (column.start + place, -np.inf, 0.0)]
    if column.kind == "ordinal":
        value = float(positions.setdefault((test.column, test.value), find_level(column, test.value, "implies")))
    elif isinstance(test.value, bool) or not isinstance(test.value, Real):
        raise InvalidInputError(
            f"implies: {test.column!r} is a numeric column, compared with {test.value!r}; expected a number."
        )
    else:
        value = float(test.value)
    f = column.start
    # The next number: of a double there is one, so that strict comparisons are closed intervals, too. A row's own
    # value need not be whole where all others are, hence doubles there as well.
    below, above = float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf))
    return {
        "==": [(f, value, value)],
        "!=": [(f, -np.inf, below), (f, above, np.inf)],
        "<": [(f, -np.inf, below)],
        "<=": [(f, -np.inf, value)],
        ">": [(f, above, np.inf)],
        ">=": [(f, value, np.inf)],
    }[sign]
