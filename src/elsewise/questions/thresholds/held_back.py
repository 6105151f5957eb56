"""Columns that may change, but not to where they would be typical.

The income of somebody who earns much and may only earn more; the months since a late payment of somebody who had one,
where most have none.

Nothing within the limits makes such a row more typical in these columns. For its density threshold they count as fixed,
at the limit. They are found one after the other, for each component of the density: its densest point with the same
fixed columns is known (:func:`~elsewise.density.conditional.densest_numbers`); columns that it has beyond a limit are
held back there, and count as fixed from then on. That is the component's densest point within the limits as long as no
column that was held back would be let go later on. The component that is densest so decides.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...density import ClassDensity
from ...density.conditional import COVARIANCE_TYPES, densest_numbers, highest_of_components
from ...fitted import FittedModel
from ...search import Domain

# Rounding of a coordinate, relative to its size, that is no move.
ROUNDING = 1e-9


def held_back(
    fitted: FittedModel, density: ClassDensity, rows: FloatArray, is_fixed: BoolArray, domain: Domain
) -> tuple[BoolArray, FloatArray]:
    """Find which features of each row are fixed or held back, and where.

    Parameters
    ----------
    fitted : FittedModel
    density : ClassDensity
    rows : array of shape (n_samples, n_features)
        With what they hold where they are fixed.
    is_fixed : bool array of shape (n_samples, n_features)
    domain : Domain

    Returns
    -------
    held : bool array of shape (n_samples, n_features)
    points : array of shape (n_samples, n_features)
        The rows, at the limits where they are held back.
    """
    held, points = is_fixed.copy(), rows.copy()
    features, rises = _coordinates(fitted)
    if density.mixture_.covariance_type not in COVARIANCE_TYPES or not len(features):
        return held, points
    lower, upper = domain.lower[:, features], domain.upper[:, features]
    low, high = _at(fitted, features, lower), _at(fitted, features, upper)
    low, high = np.where(rises, low, high), np.where(rises, high, low)
    limited = np.flatnonzero((np.isfinite(low) | np.isfinite(high)).any(axis=1))
    if not len(limited):
        return held, points
    mixture, best = density.mixture_, np.full(len(rows), -np.inf)
    for component in range(len(mixture.means_)):
        own_held, own_points, active = is_fixed.copy(), rows.copy(), limited
        height = np.full(len(rows), -np.inf)
        while len(active):
            patterns, pattern = np.unique(own_held[active], axis=0, return_inverse=True)
            found = np.zeros(len(active), dtype=np.bool_)
            for number, known in enumerate(patterns):
                fixed, chosen = fitted.fixed_in_density(known), pattern.ravel() == number
                if fixed is None:
                    continue
                places = active[chosen]
                Z = fitted.density_rows(own_points[places])
                height[places] = highest_of_components(mixture, fixed, Z)[:, component]
                densest = densest_numbers(mixture, component, fixed, Z)
                room = ROUNDING * (1.0 + np.abs(densest))
                is_free = ~fixed[: len(features)]
                too_low = (densest < low[places] - room) & is_free
                too_high = (densest > high[places] + room) & is_free
                for beyond, of_rising, of_falling in ((too_low, lower, upper), (too_high, upper, lower)):
                    row, column = np.nonzero(beyond)
                    ends = np.where(rises[column], of_rising[places[row], column], of_falling[places[row], column])
                    own_points[places[row], features[column]] = ends
                    own_held[places[row], features[column]] = True
                found[chosen] = (too_low | too_high).any(axis=1)
            active = active[found]
        better = height > best
        held[better], points[better], best[better] = own_held[better], own_points[better], height[better]
    return held, points


def _coordinates(fitted: FittedModel) -> tuple[IntArray, BoolArray]:
    """Which feature each number of the density's rows is, and whether it rises with it; none if it is not of one."""
    if fitted.has_categories:
        return fitted.table.numeric, np.ones(len(fitted.table.numeric), dtype=np.bool_)
    matrix = fitted.to_density.matrix
    if not ((matrix != 0).sum(axis=1) == 1).all():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_)
    features: IntArray = (matrix != 0).argmax(axis=1)
    return features, matrix[np.arange(len(features)), features] > 0


def _at(fitted: FittedModel, features: IntArray, values: FloatArray) -> FloatArray:
    """Numbers of the density's rows at values of features, which may be infinite; shape (n_samples, n_numbers)."""
    if fitted.has_categories:
        return values
    slopes = fitted.to_density.matrix[np.arange(len(features)), features]
    return np.asarray(values * slopes + fitted.to_density.offset)
