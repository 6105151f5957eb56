"""Feeling for a boundary by labels alone: how far features can go before the model refuses."""

from __future__ import annotations

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from .constants import DIFFERENCE, FEEL_NEAR, FEEL_STEPS, STEPS_BETWEEN
from .requests import Score, Steps
from .view import RowView
from .ways import Segment

# How far beyond the boundary a feature is moved to see whether another one makes up for it, in distances to it.
BEYOND = 1.5


def normal_by_labels(
    view: RowView, accepted: FloatArray, goal: FloatArray, feel: float, features: IntArray | None = None
) -> Steps[FloatArray | None]:
    """Step inward, see how far each feature can go before the model refuses: intercepts of a plane give its normal."""
    moving = view.moving if features is None else features
    middle, length = _inward(view, accepted, goal, feel, moving)
    if not (yield from accepted_anywhere(view, middle[None], accepted))[0]:
        middle = accepted
    reach = max(min(length, feel), DIFFERENCE)
    steps = reach * np.array(FEEL_STEPS)
    directions = np.concatenate([np.eye(len(view.row))[moving], -np.eye(len(view.row))[moving]]) * view.spread
    tried = middle + steps[:, None, None] * directions
    ok = (yield from accepted_anywhere(view, tried.reshape(-1, len(view.row)), middle)).reshape(tried.shape[:2])
    hit = np.flatnonzero(~ok.all(axis=0))
    if len(hit) == 0:
        return None
    first = (~ok[:, hit]).argmax(axis=0)
    far, near = steps[first], np.where(first > 0, steps[np.maximum(first - 1, 0)], 0.0)
    shares = near[:, None] + (far - near)[:, None] * (np.arange(1, STEPS_BETWEEN + 1) / (STEPS_BETWEEN + 1))
    between = middle + shares[..., None] * directions[hit][:, None]
    good = (yield from accepted_anywhere(view, between.reshape(-1, len(view.row)), middle)).reshape(shares.shape)
    n_good = np.where(good.all(axis=1), STEPS_BETWEEN, (~good).argmax(axis=1))
    crossing = np.full(len(directions), np.inf)
    crossing[hit] = near + (far - near) * (n_good + 0.5) / (STEPS_BETWEEN + 1)
    normal = np.zeros(len(view.row))
    # refused when going down means that up is good
    normal[moving] = (1.0 / crossing[len(moving) :] - 1.0 / crossing[: len(moving)]) / view.spread[moving]
    return normal


def _inward(
    view: RowView, accepted: FloatArray, goal: FloatArray, feel: float, moving: IntArray
) -> tuple[FloatArray, float]:
    """Go from an accepted point a little towards the goal; how far that is, in standard deviations, too."""
    inward = goal - accepted
    length = float(
        np.abs(inward / view.spread)[moving].sum()
    )  # how far a plane is along an axis, if all count the same
    return view.whole(accepted + (inward * min(1.0, feel / length) if length > 0 else inward), goal), length


def makes_up(view: RowView, way: Segment, normal: FloatArray) -> Steps[bool]:
    """Whether some feature makes up for another next to the boundary, as on a plane of this normal; a tree's do not."""
    middle, _ = _inward(view, way.accepted, way.goal, FEEL_NEAR, view.moving)
    order = np.argsort(-np.abs(normal * view.spread), kind="stable")[: (normal != 0).sum()]
    tried = np.repeat(middle[None], len(order), axis=0)
    each, other = np.arange(len(order)), np.roll(order, 1)
    tried[each, order] -= BEYOND / normal[order]  # refused by itself
    tried[each, other] += (BEYOND + 1.0) / normal[other]
    return bool((yield from accepted_anywhere(view, tried, middle)).any())


def accepted_anywhere(view: RowView, points: FloatArray, middle: FloatArray) -> Steps[BoolArray]:
    """Whether the model accepts points, dense or not; beyond a row's limits nothing is asked, and nothing refused."""
    made = view.whole(points, points)
    outside: BoolArray = np.asarray(((points < view.lower) | (points > view.upper)).any(axis=1))
    reply = yield Score(np.where(outside[:, None], middle, made), labels=True)
    accepted: BoolArray = (reply > 0) | outside
    return accepted
