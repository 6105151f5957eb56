"""The space of a search: how a distance measures features, and how the model sees them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import FloatArray, IntArray
from ..distances import ResolvedDistance, ResolvedManhattan
from ..pipeline import AffineMap
from ..projection.distance import mahalanobis_coordinates, manhattan_coordinates
from ..rules.learned.regularities import Regularities
from ..search import Lattice, Space
from ..table import Table


def space_of(
    to_model: AffineMap,
    distance: ResolvedDistance,
    origin: FloatArray,
    group: IntArray | None = None,
    lattice: Lattice | None = None,
    ends: Mapping[int, FloatArray] | None = None,
    to_density: AffineMap | None = None,
) -> Space:
    """Put together features, distance and model space.

    Parameters
    ----------
    to_model : AffineMap
        From features to model space.
    distance : resolved distance
    origin : array of shape (n_features,)
        A typical row: coordinates are centred there to keep digits.
    group : int array of shape (n_features,), optional
        The category each feature is an indicator of, -1 for none.
    lattice : Lattice, optional
        Steps that the features of the search count; its distance is a sum over columns.
    ends : {feature: ascending array}, optional
        Values after which rules about a column say otherwise.
    to_density : AffineMap, optional
        From features to the space of the densities, where that is not model space.
    """
    group = np.full(to_model.matrix.shape[1], -1) if group is None else group
    cone_map = None if to_density is None else (to_density.matrix, to_density.offset)
    if isinstance(distance, ResolvedManhattan):
        # A change of category moves two indicators, of which the kernel counts one.
        prices = np.where(group >= 0, 2.0, 1.0) * distance.weights
        origin = np.where(group >= 0, 0.0, origin)
        if lattice is not None:
            cone_map = None if cone_map is None else (cone_map[0] * lattice.unit, cone_map[1])
            steps, unit = manhattan_coordinates(prices * lattice.unit, lattice.counts(origin)), lattice.unit
            ends = ends or {}
            return Space(steps, to_model.matrix * unit, to_model.offset, group, -1, lattice, ends, cone_map)
        coordinates = manhattan_coordinates(prices, origin)
    else:
        coordinates = mahalanobis_coordinates(distance.omega, origin, seen=to_model.matrix)
    return Space(coordinates, to_model.matrix, to_model.offset, group, ends=ends or {}, cone_map=cone_map)


def rule_ends(table: Table, regularities: Regularities | None) -> dict[int, FloatArray]:
    """Values after which the rules that the training rows suggest say otherwise, ascending, by feature.

    A code has values before it and after it; a trait that never occurs with another begins and ends.
    """
    if regularities is None:
        return {}
    last: dict[int, list[float]] = {}  # values after which, and before which, rules say otherwise
    first: dict[int, list[float]] = {}
    for column in table.columns:
        for ends in (first, last):
            ends.setdefault(column.start, []).extend(regularities.special.get(column.name, ()))
    numbers = {column.start for column in table.columns if column.kind != "category"}
    for pair in regularities.never_together:
        for trait in (pair.first, pair.second):
            if trait.feature in numbers:
                last[trait.feature].append(trait.below)
                first[trait.feature].append(trait.above)
    found = {}
    for feature in last:
        after, before = np.array(last[feature]), np.array(first[feature])
        before = np.nextafter(before[np.isfinite(before)], -np.inf)
        found[feature] = np.unique(np.concatenate([after[np.isfinite(after)], before]))
    return {feature: ends for feature, ends in found.items() if len(ends)}
