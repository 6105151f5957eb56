r"""Linear forms over many boxes at once, each around a point and within a radius, where categories change as a whole.

A box leaves differences :math:`v` from :math:`x_0` in plain coordinates (norm 1). Within the radius as many categories
change as the cheapest of them allow, and no others gain more than the best of them; what is left of the radius is spent
on the numbers with the largest weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray

# Relative rounding of sums of up to 900 products, EPS / 2 a term.
SUM_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True)
class Balls:
    """Boxes in plain coordinates, what of them is within a radius.

    Attributes
    ----------
    x0 : array of shape (n_boxes, n)
    low, high : arrays of shape (n_boxes, n)
        Bounds of the difference ``v``; the levels that a category may change to are those with a bound above 0.
    radius : array of shape (n_boxes,)
    group : int array of shape (n,)
        The category each feature is an indicator of, ascending; -1 for none.
    """

    x0: FloatArray
    low: FloatArray
    high: FloatArray
    radius: FloatArray
    group: IntArray

    def largest(self, W: FloatArray) -> FloatArray:
        """Bound forms, array of shape (n_boxes, n_forms); infinite where nothing bounds them.

        Parameters
        ----------
        W : array of shape (n_forms, n) or (n_boxes, n_forms, n)
        """
        W, numbers = W if W.ndim == 3 else W[None], np.flatnonzero(self.group < 0)
        middle = np.clip(0.0, self.low, self.high)  # what bounds ask for is spent first
        x = self.x0 + middle
        radius = np.maximum(self.radius - np.abs(middle).sum(axis=1), 0.0) * (1 + SUM_ROUNDING)
        gains, prices = self.gains_of_levels(W)
        gains = -np.sort(-gains, axis=2)
        gains = np.concatenate([np.zeros((*gains.shape[:2], 1)), np.cumsum(gains, axis=2)], axis=2)
        spent = np.concatenate([np.zeros((len(x), 1)), np.cumsum(np.sort(prices, axis=1), axis=1)], axis=1)
        left = radius[:, None] - spent
        low, high = (self.low - middle)[:, numbers], (self.high - middle)[:, numbers]
        total = gains + _gains_of_numbers(W[:, :, numbers], low, high, np.maximum(left, 0.0))
        best = np.where((left >= 0)[:, None, :], total, -np.inf).max(axis=2)
        size = _at(np.abs(W), np.abs(self.x0) + np.abs(middle)) + best
        return np.asarray(_at(W, x) + best + SUM_ROUNDING * size)

    def gains_of_levels(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what a change of each category adds to forms at most, and its price.

        Returns
        -------
        gains : array of shape (n_boxes, n_forms, n_categories)
        prices : array of shape (n_boxes, n_categories)
            Infinite where no form gains anything.
        """
        apart, changes, prices = self._levels(W)
        if not prices.shape[1]:
            return np.zeros((len(self.x0), W.shape[1], 0)), prices
        gains = np.maximum.reduceat(np.where(changes[:, None, :], apart, 0.0), self._starts(), axis=2)
        gains = np.maximum(gains, 0.0) * prices[:, None, :]
        return gains, np.where(gains.any(axis=1), prices, np.inf)

    def effects(self, W: FloatArray, weights: FloatArray) -> FloatArray:
        """Add up by how much each feature alone varies forms, weighted; array of shape (n_boxes, n).

        Parameters
        ----------
        W : array of shape (n_forms, n)
        weights : array of shape (n_boxes, n_forms)

        Notes
        -----
        What a category varies is that of each of its features.
        """
        radius = self.radius[:, None]
        rooms = np.maximum(np.minimum(self.high, radius) - np.maximum(self.low, -radius), 0.0)
        effects = (weights @ np.abs(W)) * rooms
        apart, changes, prices = self._levels(W[None])
        if prices.shape[1]:
            apart = np.where(changes[:, None, :], apart, 0.0)
            spans = np.maximum(np.maximum.reduceat(apart, self._starts(), axis=2), 0.0)
            spans -= np.minimum(np.minimum.reduceat(apart, self._starts(), axis=2), 0.0)
            of_categories = (weights[:, None, :] @ spans)[:, 0] * prices
            indicators = self.group >= 0
            effects[:, indicators] = of_categories[:, self.group[indicators]]
        return np.asarray(effects)

    def _starts(self) -> IntArray:
        return np.flatnonzero(np.diff(self.group[self.group >= 0], prepend=-1))

    def _levels(self, W: FloatArray) -> tuple[FloatArray, BoolArray, FloatArray]:
        """By how much weights of indicators exceed those of where they start; which may be changed to; and prices."""
        indicators = np.flatnonzero(self.group >= 0)
        if not len(indicators):
            nothing = np.zeros((len(self.x0), 0))
            return np.zeros((len(self.x0), W.shape[1], 0)), nothing.astype(np.bool_), nothing
        starts, category = self._starts(), self.group[indicators]
        own = self.x0[:, indicators]
        largest = np.maximum.reduceat(own, starts, axis=1)
        every = np.arange(len(indicators))
        is_largest = np.where(own == largest[:, category], every, len(indicators))
        base = np.minimum.reduceat(is_largest, starts, axis=1)
        weights = W[:, :, indicators]
        if len(weights) == 1:
            of_base = weights[0][:, base].transpose(1, 0, 2)
        else:
            of_base = np.take_along_axis(weights, base[:, None, :], axis=2)
        changes = (self.high[:, indicators] > 0) & (base[:, category] != every)
        return weights - of_base[:, :, category], changes, np.maximum(largest, 0.0)


def _at(W: FloatArray, x: FloatArray) -> FloatArray:
    """Values of forms of shape (1 or n_boxes, n_forms, n) at points of shape (n_boxes, n)."""
    return np.asarray((W @ x[:, :, None])[:, :, 0])


def _gains_of_numbers(W: FloatArray, low: FloatArray, high: FloatArray, radii: FloatArray) -> FloatArray:
    """Return how much differences within bounds add to forms within each radius.

    The best of them spend the radius on the largest weights first. Nothing, too, is within the bounds.

    Parameters
    ----------
    W : array of shape (1 or n_boxes, n_forms, n)
    low, high : arrays of shape (n_boxes, n)
    radii : array of shape (n_boxes, n_radii)

    Returns
    -------
    gains : array of shape (n_boxes, n_forms, n_radii)
    """
    room = np.where(W > 0, high[:, None, :], np.where(W < 0, -low[:, None, :], 0.0))
    order = np.argsort(-np.abs(W), axis=2)
    rate = np.take_along_axis(np.abs(W), order, axis=2)
    room = np.take_along_axis(room, np.broadcast_to(order, room.shape), axis=2)
    room = np.clip(room, 0.0, radii.max(axis=1, initial=0.0)[:, None, None])
    before = np.cumsum(room, axis=2) - room
    spent = np.clip(radii[:, None, :, None] - before[:, :, None, :], 0.0, room[:, :, None, :])
    return np.asarray((rate[:, :, None, :] * spent).sum(axis=3))
