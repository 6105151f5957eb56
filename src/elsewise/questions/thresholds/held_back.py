"""Columns that may change, but only to what is less typical: the income of somebody who earns much and may earn more.

Nothing within the rules makes such a row more typical in these columns. For its density threshold they count as fixed.

They are found one after the other. The densest point with the same fixed columns is known (``densest_numbers``); a
column that would have to go there the way that it may not is held back, and counts as fixed from then on. That is the
densest point within one-sided limits as long as no column that was held back would be let go later on.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...density import ClassDensity
from ...density.conditional import COVARIANCE_TYPES, densest_numbers
from ...fitted import FittedModel
from ...search import Domain

# Rounding of a coordinate, relative to its size, that is no move.
ROUNDING = 1e-9


def held_back(
    fitted: FittedModel, density: ClassDensity, rows: FloatArray, is_fixed: BoolArray, domain: Domain
) -> BoolArray:
    """Which numbers of each row are fixed or held back, and which indicators fixed, shape (n_samples, n_features).

    Parameters
    ----------
    fitted : FittedModel
    density : ClassDensity
    rows : array of shape (n_samples, n_features)
        With what they hold where they are fixed.
    is_fixed : bool array of shape (n_samples, n_features)
    domain : Domain
    """
    held = is_fixed.copy()
    features, signs = _coordinates(fitted)
    if density.mixture_.covariance_type not in COVARIANCE_TYPES or not len(features):
        return held
    no_less, no_more = domain.lower[:, features] == rows[:, features], domain.upper[:, features] == rows[:, features]
    up, down = np.where(signs > 0, no_less, no_more), np.where(signs > 0, no_more, no_less)
    Z, n_numbers = fitted.density_rows(rows), len(features)
    active = np.flatnonzero(((up | down) & ~held[:, features]).any(axis=1))
    while len(active):
        patterns, pattern = np.unique(held[active], axis=0, return_inverse=True)
        found = np.zeros(len(active), dtype=np.bool_)
        for number, known in enumerate(patterns):
            fixed, chosen = fitted.fixed_in_density(known), pattern.ravel() == number
            if fixed is None:
                continue
            places = active[chosen]
            now = Z[places, :n_numbers]
            move = densest_numbers(density.mixture_, fixed, Z[places]) - now
            is_move = np.abs(move) > ROUNDING * (1.0 + np.abs(now))
            stuck = is_move & np.where(move < 0, up[places], down[places]) & ~fixed[:n_numbers]
            row, column = np.nonzero(stuck)
            held[places[row], features[column]] = True
            found[chosen] = stuck.any(axis=1)
        active = active[found]
    return held


def _coordinates(fitted: FittedModel) -> tuple[IntArray, FloatArray]:
    """Which feature each number of the density's rows is, and whether it goes the same way (1) or the other (-1)."""
    if fitted.has_categories:
        return fitted.table.numeric, np.ones(len(fitted.table.numeric))
    matrix = fitted.to_density.matrix
    if not ((matrix != 0).sum(axis=1) == 1).all():
        return np.empty(0, dtype=np.int64), np.empty(0)
    features: IntArray = (matrix != 0).argmax(axis=1)
    return features, np.sign(matrix[np.arange(len(features)), features])
