"""Rows from which first answers can be made: training rows of a label, and the middles of its density."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..density import ClassDensity

if TYPE_CHECKING:
    from .fitted_model import FittedModel

# Training rows of a label from which first answers are made: models are asked about each once.
MOST_EXAMPLES = 2_000


def examples_of(fitted: FittedModel, label: Any, density: ClassDensity | None) -> FloatArray:
    """Return rows that are likely to be dense, in features, array of shape (n, n_features).

    Parameters
    ----------
    fitted : FittedModel
    label : label of the density, None for a regressor
    density : ClassDensity or None
        The density that answers are held to. Without one there are no examples.
    """
    n_features = fitted.table.n_features
    if density is None or fitted.missing is not None:
        return np.empty((0, n_features))
    cones = density.cones()
    middles = cones.centres
    if fitted.has_categories:
        middles = np.column_stack([middles, _likeliest(cones.penalties, fitted.table.group)])
    known = fitted.references.get(label, np.empty((0, middles.shape[1])))
    if len(known) > MOST_EXAMPLES:
        known = known[np.linspace(0, len(known) - 1, MOST_EXAMPLES).astype(np.int64)]
    return _features(fitted, np.vstack([known, middles]))


def _likeliest(penalties: FloatArray, group: IntArray) -> IntArray:
    """Return the code of the likeliest level of each category, array of shape (n_cones, n_categories)."""
    of_indicator = group[group >= 0]
    categories = range(int(of_indicator.max(initial=-1)) + 1)
    return np.column_stack([penalties[:, of_indicator == g].argmin(axis=1) for g in categories])


def _features(fitted: FittedModel, density_rows: FloatArray) -> FloatArray:
    """Return rows in features from what densities take, array of shape (n, n_features); none where it is mixed."""
    table, matrix = fitted.table, fitted.to_model.matrix
    if fitted.has_categories:
        rows = np.zeros((len(density_rows), table.n_features))
        rows[:, table.numeric] = density_rows[:, : len(table.numeric)]
        codes = density_rows[:, len(table.numeric) :].astype(np.int64)
        for g in range(codes.shape[1]):
            levels = np.flatnonzero(table.group == g)
            rows[np.arange(len(rows)), levels[codes[:, g]]] = 1.0
        return rows
    is_separate = ((matrix != 0).sum(axis=1) <= 1).all() and (matrix != 0).any(axis=0).all()
    if not is_separate:
        return np.empty((0, table.n_features))
    rows = np.zeros((len(density_rows), table.n_features))
    for i in range(table.n_features):
        j = int(np.flatnonzero(matrix[:, i])[0])
        rows[:, i] = (density_rows[:, j] - fitted.to_model.offset[j]) / matrix[j, i]
    return rows
