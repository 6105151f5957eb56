r"""Points early where units follow single features: moves of these, chosen by what they gain for their price.

Where every unit follows one feature, a margin is a constant and a sum of gains :math:`g_i(x_i)`. For a worth
:math:`\mu` of the margin each feature takes the number with the largest :math:`\mu g_i(x_i) - c_i(x_i)` by itself; the
smallest worth at which the margin is reached is found by halving.
"""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray, IntArray
from ... import Reach
from .of_curves import CurveFunction
from .units import SECTIONINGS, SECTIONS, Sums

# Moves of single features that are looked at first, in units of the distance, and halvings of what a margin is worth.
SIZES_OF_MOVES = np.geomspace(1e-3, 1e3, 25)
WORTH_HALVINGS = 30


def first_moves(sums: Sums, reach: Reach) -> FloatArray:
    """Return points, in features, that may be accepted, of shape (n, n_features); none if units mix features.

    Parameters
    ----------
    sums : Sums
        In model space.
    reach : Reach
    """
    nothing = np.empty((0, len(reach.row)))
    space, row = reach.space, reach.row
    if len(sums.layers) > 1 or ((sums.layers[0].W @ space.matrix != 0).sum(axis=1) > 1).any():
        return nothing
    margins = sums.margins(space.in_model_space(row[None]))[0]
    if reach.space.coordinates.norm != 1 or (margins >= 0).all():
        return nothing
    moves = _moves(sums, reach)
    if len(moves) == 0:
        return nothing
    feature, number = moves[:, 0].astype(np.int64), moves[:, 1]
    points = np.repeat(row[None], len(moves), axis=0)
    points[np.arange(len(moves)), feature] = number
    gains = sums.margins(space.in_model_space(points)) - margins
    price = np.abs(number - row[feature]) * space.coordinates.stretch[feature]
    found: list[FloatArray] = []
    for weights in {tuple(np.eye(len(margins))[margins.argmin()]), tuple((margins < 0).astype(np.float64))}:
        if _is_late(reach):
            break
        point = _cheapest(row, feature, number, gains @ weights, price, -float(margins @ weights))
        if point is not None and (sums.margins(space.in_model_space(point[None])) >= 0).all():
            found.append(_way_back(sums, reach, point))
    return np.array(found) if found else nothing


def _moves(sums: Sums, reach: Reach) -> FloatArray:
    """Numbers that single features may take: knots of the curves that follow them, and numbers of all sizes away."""
    space, function = reach.space, sums.layers[0].function
    moves = []
    for i in np.flatnonzero(space.coordinates.stretch > 0).tolist():
        away = SIZES_OF_MOVES / space.coordinates.stretch[i]
        numbers = [reach.row[i] + away, reach.row[i] - away]
        for unit, form in enumerate(sums.layers[0].W @ space.matrix):
            if isinstance(function, CurveFunction) and form[i] != 0:
                offset = sums.layers[0].W[unit] @ space.offset
                numbers.append((function.table.t[unit] - offset) / form[i])
        own = np.unique(np.clip(np.concatenate(numbers), reach.lower[i], reach.upper[i]))
        moves += [(i, number) for number in own.tolist()]
    return np.array(moves)


def _cheapest(
    row: FloatArray, feature: IntArray, number: FloatArray, gain: FloatArray, price: FloatArray, needed: float
) -> FloatArray | None:
    """Choose a move of each feature by halving their worth; None if all of them together gain too little.

    Moves are ordered by feature.
    """
    own, first, kind = np.unique(feature, return_index=True, return_inverse=True)
    every = np.arange(len(feature))

    def chosen(worth: float) -> tuple[FloatArray, float]:
        value = worth * gain - price
        largest = np.maximum.reduceat(value, first)
        best = np.minimum.reduceat(np.where(value == largest[kind], every, len(every)), first)
        helps = largest > 0
        point = row.copy()
        point[own[helps]] = number[best[helps]]
        return point, float(gain[best[helps]].sum())

    low, high = 0.0, 1.0
    while chosen(high)[1] < needed:
        low, high = high, 10.0 * high
        if high > 1e30:
            return None
    for _ in range(WORTH_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chosen(middle)[1] < needed else (low, middle)
    return chosen(high)[0]


def _is_late(reach: Reach) -> bool:
    return reach.surroundings is not None and reach.surroundings.is_late(reach.limit)


def _way_back(sums: Sums, reach: Reach, point: FloatArray) -> FloatArray:
    """Go back to the row, feature by feature, as far as the point stays accepted."""
    order = np.argsort(np.abs(point - reach.row) * reach.space.coordinates.stretch)
    for i in order[point[order] != reach.row[order]].tolist():
        if _is_late(reach):
            return point
        low, high = 0.0, 1.0
        for _ in range(SECTIONINGS):
            shares = low + (high - low) * np.arange(SECTIONS) / SECTIONS
            tried = np.repeat(point[None], SECTIONS, axis=0)
            tried[:, i] = reach.row[i] + shares * (point[i] - reach.row[i])
            accepted = np.asarray((sums.margins(reach.space.in_model_space(tried)) >= 0).all(axis=1))
            if accepted[0]:  # the row's own value will do
                high = low
                break
            first = int(accepted.argmax()) if accepted.any() else SECTIONS
            low, high = float(shares[first - 1]), float(shares[first]) if first < SECTIONS else high
        if high < 1:  # rounding must not lead beyond a limit that the point keeps
            point = point.copy()
            point[i] = reach.row[i] + high * (point[i] - reach.row[i])
    return point
