"""From what was found in the training rows to rules: those that the user has not switched off."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidInputError
from .. import words
from ..atomic import Rule
from ..constraints import Constraints
from .found_rules import Ranges, Unseen
from .regularities import Regularities

if TYPE_CHECKING:
    from ...table.table import Table


def found_rules(
    given: Constraints, table: Table, regularities: Regularities | None, with_codes: Collection[str]
) -> list[Rule]:
    """Make the rules that the training rows suggest.

    Parameters
    ----------
    given : Constraints
        What the user says, also about these.
    table : Table
    regularities : Regularities or None
    with_codes : names of columns that have codes
        Their ranges are told by a rule of their own.
    """
    if regularities is None:
        return []
    rules: list[Rule] = []
    names, features, low, high = [], [], [], []
    for name in range_columns(given, table, regularities):
        column = next(column for column in table.columns if column.name == name)
        ends = given.bounds.get(name, (None, None))
        known = [regularities.low[column.start], regularities.high[column.start]]
        codes = () if name in with_codes else regularities.special.get(name, ())  # numbers like any others
        least, most = min([*known, *codes]), max([*known, *codes])
        least, most = -np.inf if ends[0] is not None else least, np.inf if ends[1] is not None else most
        if name not in with_codes and (np.isfinite(least) or np.isfinite(most)):
            names.append(name)
            features.append(column.start)
            low.append(least)
            high.append(most)
    if names:
        rules.append(Ranges.of(names, features, np.array(low), np.array(high)))
    if given.unseen == "forbid" and len(regularities.never_together):
        rules.append(Unseen.of(regularities.never_together.pairs))
    return rules


def range_columns(given: Constraints, table: Table, regularities: Regularities | None) -> tuple[str, ...]:
    """Names of the columns whose numbers stay in the range of the training rows."""
    numbers = tuple(column.name for column in table.columns if column.kind in ("number", "integer"))
    if given.range is None:
        return numbers if regularities is not None and regularities.by_default else ()
    if isinstance(given.range, str):
        return numbers if given.range == "training" else ()
    for name in given.range:
        if name not in numbers and name not in table.unused:
            is_there = any(column.name == name for column in table.columns)
            why = "is not numeric" if is_there else f"is no column. {words.did_you_mean(name, numbers)}"
            raise InvalidInputError(f"range: {name!r} {why}".rstrip(".") + ".")
    return tuple(name for name in given.range if name in numbers)
