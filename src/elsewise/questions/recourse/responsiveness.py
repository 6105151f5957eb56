"""Responsiveness: how many of the values that a column could take would work by themselves."""

from __future__ import annotations

import numpy as np

from ...answers.principal_reasons import Responsiveness
from ...arrays import BoolArray, FloatArray
from ...table import Column
from ...table.frames import rows_of
from ..one_row import RowQuestion
from ..solving.answers import Answers
from ..solving.question import Question
from ..verification import Verification

# Whole numbers or steps of a column that are counted one by one; of more, a hundred of the training rows' values are.
MOST_VALUES_COUNTED = 10_000


def responsiveness(asked: RowQuestion, question: Question, alone: Answers, columns: list[int]) -> list[Responsiveness]:
    """Count the values of columns that work by themselves; every one is judged as an answer would be.

    Parameters
    ----------
    asked : RowQuestion
    question : Question
    alone : Answers
        Of the same columns, each being the only one that may change: its thresholds are what values have to reach.
    columns : list of int
    """
    assert alone.domain is not None
    shares = []
    for place, number in enumerate(columns):
        column = question.table.columns[number]
        lower, upper = alone.domain.lower[place], alone.domain.upper[place]
        values, is_counted = _values(asked, question, number, lower, upper)
        points = np.repeat(asked.row, len(values), axis=0)
        points[:, column.features] = values
        works = _works(asked, question, points, alone.log_thresholds[[place]])
        inside = ((points >= lower) & (points <= upper)).all(axis=1)
        works &= inside
        if is_counted:
            is_other = (points != asked.row).any(axis=1) & inside
            n_working, n_possible = int((works & is_other).sum()), int(is_other.sum())
            shares.append(Responsiveness(n_working / max(n_possible, 1), n_working, n_possible))
        else:
            shares.append(Responsiveness(float(works.mean()) if len(works) else 0.0))
    return shares


def _values(
    asked: RowQuestion, question: Question, number: int, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, bool]:
    """List values of a column, shape (n_values, width), and whether these are all that it could take."""
    column = question.table.columns[number]
    if column.kind == "category":
        return np.eye(column.width)[upper[column.features] == 1], True  # others mean nothing, or cannot be reached
    codes = np.array(column.codes, dtype=np.float64)
    if column.kind == "ordinal":
        return np.arange(len(column.levels), dtype=np.float64)[:, None], True
    profile = asked.fitted.profiles[None][number]
    least = max(float(lower[column.start]), float(profile.percentiles[0]))
    most = min(float(upper[column.start]), float(profile.percentiles[-1]))
    steps = _steps(question, column, least, most)
    if steps is not None:
        return np.unique(np.concatenate([steps, codes]))[:, None], True
    middle = np.arange(0.5, 100.0)  # one value for each hundredth of the training rows
    return _taken(question, column, np.interp(middle, np.arange(101), profile.percentiles))[:, None], False


def _taken(question: Question, column: Column, values: FloatArray) -> FloatArray:
    """Round numbers to those that a column takes: multiples of its step, whole numbers, or any."""
    lattice = question.lattice
    value_of = None if lattice is None else lattice.value_of(column.start)
    if lattice is not None and value_of is not None:
        return np.asarray(value_of(np.round(values / float(lattice.unit[column.start]))))
    return np.round(values) if question.rules.integer[column.start] else values


def _steps(question: Question, column: Column, least: float, most: float) -> FloatArray | None:
    """List whole numbers or multiples of the column's step from ``least`` to ``most``; None if they cannot be."""
    lattice = question.lattice
    value_of = None if lattice is None else lattice.value_of(column.start)
    if lattice is not None and value_of is not None:
        step = float(lattice.unit[column.start])
        first, last = np.floor(least / step), np.ceil(most / step)
        if last - first >= MOST_VALUES_COUNTED:
            return None
        values = value_of(np.arange(first, last + 1.0))
        return np.asarray(values[(values >= least) & (values <= most)])
    if not question.rules.integer[column.start] or most - least >= MOST_VALUES_COUNTED:
        return None
    return np.arange(np.ceil(least), np.floor(most) + 1.0)


def _works(asked: RowQuestion, question: Question, points: FloatArray, log_thresholds: FloatArray) -> BoolArray:
    """Whether points, of shape (n, n_features), are answers of the row; shape (n,)."""
    same = np.zeros(len(points), dtype=np.int64)
    verification = Verification(question, rows_of(asked.given, same[:1]), asked.row, asked.predictions, log_thresholds)
    points = verification.as_returned(points, same, np.ones(len(points), dtype=np.bool_))
    dense = verification.densities(points, same, same).is_dense
    return np.asarray(dense & verification.holds(points, same, same, verification.predict(points, same)))
