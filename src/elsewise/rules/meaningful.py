"""Changes that mean something: least sizes of changes, and columns that move together."""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError
from ..text.languages import say
from . import words
from .atomic import Rule, value_in_words

if TYPE_CHECKING:
    from ..table.column import Column
    from ..table.table import Table

# Least change of a number by default, as a share of its column's scale: below what a person would call a change, far
# above what decides between two answers.
LEAST_SHARE_OF_SCALE = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class LeastChange(Rule):
    """A number stays as it is, or moves by at least ``least``.

    Attributes
    ----------
    suggested : bool
        The scale of the column suggests it; else the user has given it.
    """

    name: str
    column: Column
    least: float
    suggested: bool = False

    @property
    def is_found(self) -> bool:
        return self.suggested

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = E0[:, self.column.start], E1[:, self.column.start]
        far = (after <= before - self.least) | (after >= before + self.least)
        return np.asarray((after != before) & ~far)

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        return f"{value_in_words(self.column, before)} -> {value_in_words(self.column, after)}"


def _in_words(name: str, size: float) -> str:
    return say("rule.least change", column=words.column(name), least=words.value(name, size))


def least_changes(
    given: Mapping[str, float] | str | None,
    columns: Sequence[Column],
    scales: FloatArray | None,
    steps: Mapping[int, float],
    *,
    by_default: bool = False,
) -> list[Rule]:
    """Resolve least sizes of changes, of columns that are there and numeric.

    Parameters
    ----------
    given : mapping of column to size, "auto", "any" or None
        "auto" is a share of the column's scale, that of :class:`~elsewise.Scaled`, where one step is less.
    columns : sequence of Column
    scales : array of shape (n_features,), or None
        Of the training rows' features.
    steps : mapping of feature to step
        Of whole numbers, too.
    by_default : bool
        Numbers that are not whole, of which nothing is said, have a least change, too, where one step is less.
    """
    numbers = [column for column in columns if column.kind in ("number", "integer")]
    if given == "auto" and scales is None:
        raise InvalidInputError("min_change: training rows are needed for 'auto'.")
    shares = {} if scales is None else {c.name: LEAST_SHARE_OF_SCALE * float(scales[c.start]) for c in numbers}
    if given == "auto":
        given = {c.name: shares[c.name] for c in numbers if shares[c.name] > steps.get(c.start, 0.0)}
    said: Mapping[str, float] = given if isinstance(given, Mapping) else {}
    found: Mapping[str, float] = {}
    if by_default and given != "any":
        free = [c.name for c in numbers if c.kind == "number" and shares.get(c.name, 0.0) > steps.get(c.start, 0.0)]
        found = {name: shares[name] for name in free}
    by_name = {column.name: column for column in columns}
    return [
        LeastChange(_in_words(name, size), by_name[name], size, name not in said)
        for name, size in {**found, **said}.items()
        if size > 0
    ]


def checked_sizes(given: object) -> dict[str, float] | str | None:
    """Check the form of ``min_change``."""
    if given is None or (isinstance(given, str) and given in ("auto", "any")):
        return given
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            "min_change: expected a mapping from names of columns to least sizes, 'auto', 'any' or None, received "
            f"{given!r}."
        )
    for name, size in given.items():
        is_number = not isinstance(size, bool) and isinstance(size, Real) and isfinite(size) and float(size) >= 0
        if not isinstance(name, str) or not is_number:
            raise InvalidInputError(
                f"min_change: expected names of columns and numbers of at least 0, received {name!r}: {size!r}."
            )
    return {name: float(size) for name, size in given.items()}


def checked_groups(given: object) -> tuple[tuple[str, ...], ...]:
    """Check the form of ``together``."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise InvalidInputError(f"together: expected lists of names of columns, received {given!r}.")
    groups: list[tuple[str, ...]] = []
    for group in given:
        if isinstance(group, (str, Mapping)) or not isinstance(group, Iterable):
            raise InvalidInputError(f"together: expected lists of names of columns, received {group!r}; write [[...]].")
        names = tuple(group)
        for name in names:
            if not isinstance(name, str):
                raise InvalidInputError(f"together: expected names of columns, received {name!r}.")
        groups.append(names)
    everything = [name for group in groups for name in group]
    for name in everything:
        if everything.count(name) > 1:
            raise InvalidInputError(f"together: {name!r} is named twice. A column moves with one group.")
    return tuple(groups)


def units_of(table: Table, groups: Sequence[Sequence[str]], find: Any) -> IntArray:
    """Return what each column counts as, int array of shape (n_columns,): columns of one group are one.

    Parameters
    ----------
    table : Table
    groups : sequence of sequences of names
    find : function of a name and a parameter
        Gives the column, or says that there is none.
    """
    columns, unit = list(table.columns), np.arange(len(table.columns))
    for group in groups:
        used = [name for name in group if name not in table.unused]
        places = [columns.index(find(name, "together")) for name in used]
        if places:
            unit[places] = unit[places].min()
    return np.asarray(np.unique(unit, return_inverse=True)[1].ravel(), dtype=np.int64)
