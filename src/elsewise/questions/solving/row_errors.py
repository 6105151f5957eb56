"""Rows that no question can be asked of: which they are, and what is wrong with each.

Everything that can be wrong with a row is checked by the same functions that refuse a batch as a whole, and in the same
words. A batch that is refused is halved until the rows at fault are alone: k of n wrong rows take some 2 k log n
checks, and none more where all are right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...fitted.missing import refuse_missing
from ...rules import Rules
from ...table.frames import rows_of

# How messages name the only row of a batch of one. Whoever reads the message of a row knows the row.
_ONLY_ROW = re.compile(r"^Row 0(?: \(labelled .*?\))?: | in row 0(?=[.\s])| in row 0,(?= column)")


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """Rows in features, and those that have none.

    Attributes
    ----------
    features : array of shape (n_samples, n_features)
        Zeros where a row is wrong.
    wrong : dict of int to str
        What is wrong, by the position of the row, in ascending order.
    """

    features: FloatArray
    wrong: dict[int, str]

    def part(self, rows: slice) -> CheckedRows:
        """Give those of a span of rows, counted from its start."""
        first, stop, _ = rows.indices(len(self.features))
        return CheckedRows(
            self.features[rows], {row - first: told for row, told in self.wrong.items() if first <= row < stop}
        )


def encoded_rows(
    fitted: FittedModel, rules: Rules, given: Any, *, name: str = "X", missing: BoolArray | None = None
) -> FloatArray:
    """Encode rows, or refuse them for a value that the model, the density or a rule cannot take.

    Parameters
    ----------
    fitted : FittedModel
    rules : Rules
    given : data frame or array of shape (n_samples, n_columns)
    name : str
        What errors call it.
    missing : bool array of shape (n_samples, n_features), optional
        What is missing in them, if it is known.

    Returns
    -------
    array of shape (n_samples, n_features)

    Raises
    ------
    InvalidInputError
    """
    features = fitted.table.encode(given, name=name)
    missing = fitted.table.missing(given, name=name) if missing is None else missing
    rules.check_rows(features, given, missing)
    if fitted.densities:
        refuse_missing(fitted.table, missing)
    return features


def checked_rows(fitted: FittedModel, rules: Rules, given: Any) -> CheckedRows:
    """Encode the rows that :func:`encoded_rows` takes, each by itself, and find what is wrong with the others.

    Parameters
    ----------
    fitted : FittedModel
    rules : Rules
    given : data frame or array of shape (n_samples, n_columns)
        The table's own columns.
    """
    features = np.zeros((len(given), fitted.table.n_features))
    wrong: dict[int, str] = {}
    waiting: list[IntArray] = [np.arange(len(given))]
    while waiting:
        places = waiting.pop()
        try:
            features[places] = encoded_rows(fitted, rules, rows_of(given, places), name="The row")
        except InvalidInputError as error:
            if len(places) == 1:
                wrong[int(places[0])] = _without_row(str(error))
            elif len(places):
                waiting += np.array_split(places, 2)[::-1]
            else:  # not about rows
                raise
    return CheckedRows(features, wrong)


def _without_row(message: str) -> str:
    return _ONLY_ROW.sub(lambda found: " in" if found[0].endswith(",") else "", message)
