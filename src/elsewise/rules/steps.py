"""Steps of columns: numbers are multiples of something, declared by the user or found in the training rows."""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError
from ..search.constants import SHORT_ROUNDING
from ..search.domains.lattice import Lattice
from ..text.languages import say
from . import words
from .atomic import Rule, value_in_words

if TYPE_CHECKING:
    from ..table.column import Column


@dataclass(frozen=True, slots=True, eq=False)
class OnSteps(Rule):
    """A number is a multiple of ``step``, or is what it was.

    Attributes
    ----------
    step : Fraction
        A decimal, exactly.
    suggested : bool
        The training rows suggest it; else the user has given it.
    """

    name: str
    column: Column
    step: Fraction
    suggested: bool

    @classmethod
    def of(cls, column: Column, step: Fraction, *, suggested: bool) -> OnSteps:
        """Make the rule, with its words."""
        return cls(_in_words(column.name, step), column, step, suggested)

    @property
    def is_found(self) -> bool:
        return self.suggested

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        up, down = self.step.numerator, self.step.denominator
        doubtful = (after != before) & (np.round(after * down / up) * up / down != after)  # such a quotient is one
        doubtful[doubtful] = [not self.has_multiple(value) for value in after[doubtful].tolist()]
        return np.asarray(doubtful)

    def has_multiple(self, value: float) -> bool:
        """Whether a multiple of the step, written as a decimal, is read as this number, in 64 or in 32 bits."""
        if not isfinite(value):
            return False
        nearest = round(Fraction(value) / self.step) * self.step
        is_near = abs(Fraction(value) - nearest) < SHORT_ROUNDING * self.step
        return value == float(nearest) or (is_near and value == float(np.float32(float(nearest))))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        return f"{value_in_words(self.column, before)} -> {value_in_words(self.column, after)}"


def _in_words(name: str, step: Fraction | float) -> str:
    return say("rule.step", column=words.column(name), step=step_in_words(step))


def step_in_words(step: Fraction | float) -> str:
    """Write a step, thousands apart."""
    exact = step if isinstance(step, Fraction) else exactly(step)
    return f"{exact.numerator:,}" if exact.denominator == 1 else words.number(float(exact))


def exactly(step: float) -> Fraction:
    """Read a step as the decimal that a person writes."""
    return Fraction(Decimal(str(step)))


def lattice_of(rules: Sequence[Rule], n_features: int) -> Lattice | None:
    """Make the lattice of all rules about steps; None without any."""
    return Lattice.of({rule.column.start: rule.step for rule in rules if isinstance(rule, OnSteps)}, n_features)


def checked_steps(given: object) -> dict[str, float | None] | str | None:
    """Check the form of ``step``."""
    if given is None or (isinstance(given, str) and given == "any"):
        return given
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            f"step: expected a mapping from names of columns to steps, 'any' or None, received {given!r}."
        )
    checked: dict[str, float | None] = {}
    for name, size in given.items():
        is_number = not isinstance(size, bool) and isinstance(size, Real) and isfinite(size) and float(size) >= 0
        if not isinstance(name, str) or not (size is None or is_number):
            raise InvalidInputError(
                "step: expected names of columns and positive numbers, or None for columns without a step, received "
                f"{name!r}: {size!r}."
            )
        as_number = None if size is None else int(size) if float(size).is_integer() else float(size)
        checked[name] = as_number or None  # files that have no None have 0
    return checked


def step_rules(
    given: Mapping[str, float | None] | str | None,
    found: Mapping[str, float],
    columns: Sequence[Column],
    integer: BoolArray,
    entered_codes: Mapping[str, FloatArray],
) -> list[OnSteps]:
    """Resolve steps, of columns that are there and numeric.

    Parameters
    ----------
    given : mapping of column to step, "any" or None
        A step of None is none; "any" leaves out what was found, too.
    found : mapping of column to step
        What the training rows suggest, for columns of which nothing is said.
    columns : sequence of Column
    integer : bool array of shape (n_features,)
        Features that must be whole: their step is the least whole number of steps that is.
    entered_codes : mapping of column to codes
        Numbers that stand for none, and that answers may enter.
    """
    if isinstance(given, str):
        return []
    rules: list[OnSteps] = []
    for column in columns:
        is_given = given is not None and column.name in given
        size = given[column.name] if given is not None and is_given else found.get(column.name)
        if size is None:
            continue
        step = exactly(size)
        if integer[column.start]:
            step = Fraction(step.numerator)
        rule = OnSteps.of(column, step, suggested=not is_given)
        codes = [code for code in entered_codes.get(column.name, np.empty(0)).tolist() if not rule.has_multiple(code)]
        if codes and is_given:
            raise InvalidInputError(
                f"step: {column.name!r} has the special code {words.number(codes[0])}, which is no multiple of "
                f"{step_in_words(step)}, and codes='change' lets answers enter it. Say codes='stay', or leave the "
                "step out."
            )
        if not codes:
            rules.append(rule)
    return rules
