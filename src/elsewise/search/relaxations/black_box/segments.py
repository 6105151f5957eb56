"""Ways from a row to accepted points, and where on them the model changes its mind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray, IntArray
from .requests import Ask, Project, Steps
from .view import RowView

# Cones looked into, nearest first; and ways from a row to accepted training rows tried at once, in so many batches as
# long as none of them ends at an accepted point.
MOST_CONES, STARTS, BATCHES_OF_STARTS = 6, 36, 3
# Ways that are refined: the best ones, and so many that are the best of another cone; of a smooth score fewer will do.
# Ways that end farther than so many times the best point are left alone.
WAYS, WAYS_OF_OTHER_CONES, WAYS_OF_SCORES, NOT_WORTH = 24, 2, 4, 1.6
# Cuts learned for a way before it is left, and the gain, as a share of the distance, below which it is.
MOST_CUTS, SMALLEST_GAIN = 12, 1e-4
# Steps of finite differences, in standard deviations of a feature, and the factor by which they grow while they show
# nothing, so many times.
DIFFERENCE, WIDER, TIMES_WIDER = 0.01, 3.0, 3
# How far inside a boundary is felt for by labels alone, in standard deviations; it shrinks from cut to cut. Each
# feature is moved by shares of that until the model says no.
FEEL_FROM, FEEL_SHRINKS, FEEL_STEPS = 0.3, 0.8, (0.5, 1.0, 2.0, 4.0)
# How far inside it is felt for to tell whether it is met along one feature alone, as a tree's is.
FEEL_NEAR = 0.03
# Points between the last accepted and the first refused of these, and on single features.
STEPS_BETWEEN, STEPS_ON_AN_AXIS = 5, 12
# A feature that differs by less than this share of its standard deviation does not differ.
SAME = 1e-9


# Points asked along each way at once, and how often: the crossing is then known to 1/169 of its length.
STEPS_ALONG, BISECTIONS = 12, 2
# Points along a way that are checked against density and rules, which costs no call.
STEPS_INSIDE = 24
# Values of each feature, among those of accepted training rows, that are tried alone, and changes that are followed.
VALUES_TRIED, SINGLE_CHANGES = 12, 3


@dataclass(slots=True, eq=False)
class Segment:
    """A segment within one cone at the end of which the model accepts.

    Attributes
    ----------
    cone : int
    first : array of shape (n_features,)
        The nearest point of the cone, not accepted: where the way begins.
    refused, accepted : arrays of shape (n_features,)
        Where the model was last known to refuse, and next to it to accept.
    goal : array of shape (n_features,)
        Where the way was meant to go: deep inside, as far as is known.
    """

    cone: int
    first: FloatArray
    refused: FloatArray
    accepted: FloatArray
    goal: FloatArray


def bisect(
    view: RowView, refused: FloatArray, accepted: FloatArray, *, rounds: int = BISECTIONS, steps: int = STEPS_ALONG
) -> Steps[tuple[FloatArray, FloatArray]]:
    """Find on segments the last refused point and the first accepted one, seen from the refused end.

    Parameters
    ----------
    view : RowView
    refused, accepted : arrays of shape (n, n_features)
    rounds, steps : int
        Each round asks about so many points of every segment.
    """
    n = len(refused)
    low, high, each = np.zeros(n), np.ones(n), np.arange(n)
    found, apart = accepted.copy(), accepted - refused
    for _ in range(rounds):
        t = low[:, None] + (high - low)[:, None] * (np.arange(1, steps + 1) / (steps + 1))
        points = view.whole(refused[:, None] + t[..., None] * apart[:, None], accepted[:, None])
        ok = yield Ask(points.reshape(-1, refused.shape[1]))
        ok = ok.reshape(t.shape)
        first = np.where(ok.any(axis=1), ok.argmax(axis=1), steps)
        some = np.flatnonzero(first < steps)
        found[some] = points[some, first[some]]
        ends = np.column_stack([low, t, high])
        low, high = ends[each, first], ends[each, first + 1]
    return refused + low[:, None] * apart, found


def ways_to_anchors(view: RowView) -> Steps[list[Segment]]:
    """Go from the nearest points of cones to accepted training rows; keep the best ways, and those of other cones."""
    for batch in range(BATCHES_OF_STARTS):
        cones, targets = _targets(view, batch)
        if len(targets) == 0:
            return []
        cones, firsts, ends = yield from _within(view, cones, targets)
        if len(ends) == 0:
            continue
        ok = yield Ask(ends)
        cones, firsts, ends = cones[ok], firsts[ok], ends[ok]
        if len(ends):
            refused, accepted = yield from bisect(view, firsts, ends)
            order = np.argsort(view.values(accepted), kind="stable").tolist()
            return [Segment(int(cones[k]), firsts[k], refused[k], accepted[k], ends[k]) for k in _best(order, cones)]
    return []


def ways_by_single_features(view: RowView) -> Steps[list[Segment]]:
    """Move single features of the nearest points of cones to values of accepted training rows, nothing else."""
    moving = view.moving
    if len(view.anchors) == 0 or len(moving) == 0:
        return []
    lower, upper = view.lower.copy(), view.upper.copy()
    own = view.nearest if np.isfinite(view.nearest).all() else view.row
    indicators = view.domain.layout.indicators
    lower[indicators] = upper[indicators] = np.clip(own, lower, upper)[indicators]
    n = len(view.cones)
    nothing = np.empty((0, len(view.row)))
    firsts = yield Project(view.cones, np.tile(lower, (n, 1)), np.tile(upper, (n, 1)), nothing, np.empty(0), view.limit)
    there = np.flatnonzero(np.isfinite(firsts).all(axis=1))
    values = np.quantile(view.anchors[:, moving], np.linspace(0, 1, VALUES_TRIED), axis=0)
    points = np.repeat(firsts[there][:, None, None], VALUES_TRIED, axis=1).repeat(len(moving), axis=2)
    points[:, :, np.arange(len(moving)), moving] = values
    cones = np.repeat(view.cones[there], VALUES_TRIED * len(moving))
    begin = np.repeat(firsts[there], VALUES_TRIED * len(moving), axis=0)
    points = view.whole(points.reshape(-1, len(view.row)), begin)
    near = np.flatnonzero((view.values(points) < view.limit) & view.inside(points, cones))
    near = near[np.argsort(view.values(points[near]), kind="stable")][: VALUES_TRIED * len(moving)]
    if len(near) == 0:
        return []
    ok = yield Ask(points[near])
    found = near[ok][:SINGLE_CHANGES]
    refused, accepted = yield from bisect(view, begin[found], points[found])
    return [
        Segment(int(cones[k]), begin[k], refused[place], accepted[place], points[k])
        for place, k in enumerate(found.tolist())
    ]


def _best(order: list[int], cones: IntArray) -> list[int]:
    """Choose the first few ways of an order, and after them the first of other cones."""
    chosen = order[:WAYS]
    for k in order[WAYS:]:
        if len(chosen) < WAYS + WAYS_OF_OTHER_CONES and cones[k] not in cones[chosen]:
            chosen.append(k)
    return chosen


def _targets(view: RowView, batch: int) -> tuple[IntArray, FloatArray]:
    """Choose anchors for each cone, nearest first, as the row's limits allow them: cones and points."""
    if len(view.anchors) == 0 or len(view.cones) == 0:
        return np.empty(0, dtype=np.int64), np.empty((0, len(view.row)))
    anchors = allowed(view, view.anchors)
    n_each = max(STARTS // len(view.cones), 1)
    order = np.argsort(view.values(anchors), kind="stable")
    cones, points = [], []
    for cone in view.cones.tolist():
        inside = order[view.anchor_slacks[order, cone] >= 0]
        chosen = anchors[inside[batch * n_each : (batch + 1) * n_each]]
        for made in (chosen, _with_own_categories(view, chosen)):
            cones.append(np.full(len(made), cone))
            points.append(made)
    found = np.column_stack([np.concatenate(cones), np.concatenate(points)])
    kept = np.sort(np.unique(found, axis=0, return_index=True)[1])
    return found[kept, 0].astype(np.int64), found[kept, 1:]


def allowed(view: RowView, points: FloatArray) -> FloatArray:
    """Move points within a row's limits; a level that cannot be reached becomes the row's own, or one that can."""
    moved = np.clip(points, view.lower, view.upper)
    layout = view.domain.layout
    for category in range(len(layout.first_indicators)):
        levels = np.flatnonzero(layout.group == category)
        gone = moved[:, levels].sum(axis=1) != 1
        own = view.row[levels] * view.upper[levels]
        level = own if own.any() else np.eye(len(levels))[int(view.upper[levels].argmax())]
        moved[np.ix_(gone, levels)] = level
    return moved


def _with_own_categories(view: RowView, points: FloatArray) -> FloatArray:
    """Return points the categories of the nearest point, the model left out, or of the row: most answers keep them."""
    indicators = view.domain.layout.indicators
    if not len(indicators):
        return points[:0]
    given = view.nearest if np.isfinite(view.nearest).all() else view.row
    if ((given < view.lower) | (given > view.upper))[indicators].any():
        return points[:0]
    made = points.copy()
    made[:, indicators] = given[indicators]
    return made


def _within(view: RowView, cones: IntArray, targets: FloatArray) -> Steps[tuple[IntArray, FloatArray, FloatArray]]:
    """Find the nearest point of each target's cone with its categories, and go from there as far as is allowed.

    The cone, the limits and the rules are convex: what of a segment is inside is its first part.
    """
    indicators = view.domain.layout.indicators
    keys = np.column_stack([cones, targets[:, indicators]])
    kinds, kind = np.unique(keys, axis=0, return_inverse=True)
    lower, upper = np.tile(view.lower, (len(kinds), 1)), np.tile(view.upper, (len(kinds), 1))
    lower[:, indicators] = upper[:, indicators] = kinds[:, 1:]
    nothing = np.empty((0, len(view.row)))
    firsts = yield Project(kinds[:, 0].astype(np.int64), lower, upper, nothing, np.empty(0), np.inf)
    firsts = firsts[kind.ravel()]
    there = np.isfinite(firsts).all(axis=1)
    cones, firsts, targets = cones[there], firsts[there], targets[there]
    shares = np.linspace(1.0, 0.0, STEPS_INSIDE, endpoint=False)
    points = firsts[:, None] + shares[:, None] * (targets - firsts)[:, None]
    points = view.whole(points, targets[:, None])
    inside = view.inside(points.reshape(-1, points.shape[2]), np.repeat(cones, len(shares))).reshape(points.shape[:2])
    some = np.flatnonzero(inside.any(axis=1))
    return cones[some], firsts[some], points[some, inside[some].argmax(axis=1)]
