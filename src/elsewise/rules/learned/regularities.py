"""Regularities of the training rows: what every answer keeps unless the user says otherwise.

From what was found in the training rows to rules: those that the user has not switched off.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from ...errors import InvalidInputError
from .. import words
from ..atomic import Rule
from ..constraints import Constraints
from .found_rules import Ranges, Unseen
from .found_steps import step_of
from .never_together import NeverTogether, never_together
from .special_values import special_values

if TYPE_CHECKING:
    from ...table.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Regularities:
    """What holds of all training rows.

    Attributes
    ----------
    low, high : arrays of shape (n_features,)
        Smallest and largest number of each numeric feature, codes left out; infinite for levels.
    special : dict of column name to codes
        Numbers that stand for none.
    never_together : NeverTogether
    steps : dict of column name to step
        What nearly all values are multiples of.
    derived : dict of column name to (low, high)
        Smallest and largest number of each derived column.
    by_default : bool
        Codes, steps and least changes are kept unless the user says otherwise; else only where the user says so. True
        for data frames; ranges are kept for arrays, too.
    """

    low: FloatArray
    high: FloatArray
    special: dict[str, tuple[float, ...]] = field(default_factory=dict)
    never_together: NeverTogether = field(default_factory=NeverTogether)
    by_default: bool = True
    steps: dict[str, float] = field(default_factory=dict)
    derived: dict[str, tuple[float, float]] = field(default_factory=dict)


def regularities_of(
    table: Table, rows: FloatArray, *, by_default: bool, scales: FloatArray | None = None
) -> Regularities:
    """Find the regularities of training rows.

    Parameters
    ----------
    table : Table
    rows : array of shape (n_samples, n_features)
        In features; NaN where missing.
    by_default : bool
    scales : array of shape (n_features,), optional
        Of the features; without them no steps are found.
    """
    low, high = np.full(table.n_features, -np.inf), np.full(table.n_features, np.inf)
    special: dict[str, tuple[float, ...]] = {}
    steps: dict[str, float] = {}
    for column in table.columns:
        if column.kind not in ("number", "integer"):
            continue
        values = rows[:, column.start]
        values = values[np.isfinite(values)]
        if len(values) == 0:
            continue
        codes = special_values(values) if by_default else ()
        if codes:
            special[column.name] = codes
            values = values[~np.isin(values, codes)]
        low[column.start], high[column.start] = values.min(), values.max()
        if by_default and scales is not None:
            is_short = table.dtypes[column.sources[0]] == np.float32
            step = step_of(values, scales[column.start], is_whole=column.kind == "integer", is_short=is_short)
            if step is not None:
                steps[column.name] = step
    derived = {
        column.name: (float(known.min()), float(known.max()))
        for column, values in table.derived_values(rows).items()
        if len(known := values[np.isfinite(values)])
    }
    return Regularities(low, high, special, never_together(table, rows, special), by_default, steps, derived)


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
    with_codes : names of columns whose codes and ranges are stated by a rule of their own
    """
    if regularities is None:
        return []
    rules: list[Rule] = []
    names, features, low, high = [], [], [], []
    for name in range_columns(given, table, regularities):
        column = next((column for column in table.columns if column.name == name), None)
        if column is None:  # derived: see derived_ranges
            continue
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
    numbers += tuple(column.name for column in table.derived)
    if given.range is None:
        return numbers if regularities is not None else ()
    if isinstance(given.range, str):
        return numbers if given.range == "training" else ()
    for name in given.range:
        if name not in numbers and name not in table.unused:
            is_there = any(column.name == name for column in table.columns)
            why = "is not numeric" if is_there else f"is no column. {words.did_you_mean(name, numbers)}"
            raise InvalidInputError(f"range: {name!r} {why}".rstrip(".") + ".")
    return tuple(name for name in given.range if name in numbers)
