"""From a good point to a better one: half-spaces learned from the model's answers, and the nearest point within them.

A half-space through an accepted point, with the model's slope there as its normal, is where a smooth model would still
accept. The nearest point of the cone within all half-spaces learned so far is either accepted, and nearer, or shows
where the model disagrees, and another half-space is learned there. Nothing is proven by it.
"""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray, IntArray
from .boundary import accepted_anywhere, makes_up, normal_by_labels, ways_by_neighbours
from .requests import Ask, Project, Score, Steps, together
from .segments import (
    DIFFERENCE,
    FEEL_FROM,
    FEEL_NEAR,
    FEEL_SHRINKS,
    MOST_CUTS,
    NOT_WORTH,
    SAME,
    SMALLEST_GAIN,
    STEPS_ON_AN_AXIS,
    TIMES_WIDER,
    WAYS_OF_SCORES,
    WIDER,
    Segment,
    bisect,
    ways_by_single_features,
    ways_to_anchors,
)
from .view import RowView

# Cuts that are kept when a nearer point contradicts them.
CUTS_KEPT = 3
# Share of the moving features whose differences must show something for a score to count as smooth.
SMOOTH_SHARE = 0.7
# Segments that half-spaces are learned for by labels alone, which is expensive; the share of features whose moves must
# meet the boundary for that to be worth it. In few features it is cheap: many ways, with so many half-spaces each.
WAYS_CUT, OBLIQUE_SHARE, WAYS_CUT_OF_FEW, CUTS_OF_FEW = 3, 0.25, 20, 6
# Times that whole changes are given back, and rounds on single features after that.
GIVING_BACK, LAST_ROUNDS = 6, 6


def explore(view: RowView) -> Steps[None]:
    """Search one row: ways to accepted rows, refined, then changes given back. What is found, the view holds."""
    ways = yield from ways_to_anchors(view)
    ways += yield from ways_by_single_features(view)
    if not ways:
        return
    if len(view.moving) == 0:
        yield from _give_back_all(view)
    elif view.has_scores and (yield from _is_smooth(view, ways[0])):
        best = _in_order(view, ways, WAYS_OF_SCORES)
        yield from together(view, [_cut(view, way, by_scores=True) for way in best])
        yield from _give_back_all(view)
    else:
        order = _in_order(view, ways, len(ways))
        found = _worthwhile(view, (yield from ways_by_neighbours(view)))[:1]
        yield from _by_labels(view, order + found, ways + found)


def _worthwhile(view: RowView, ways: list[Segment]) -> list[Segment]:
    """Order ways by where they end, nearest first, and leave out those that end far behind the best point."""
    near = [way for way in ways if view.values(way.accepted) <= NOT_WORTH * view.limit]
    return sorted(near, key=lambda way: float(view.values(way.accepted)))


def _in_order(view: RowView, ways: list[Segment], most: int) -> list[Segment]:
    """Put the best way of every cone first, then so many others that are worthwhile.

    Where a way ends says little of how near the nearest answer of its cone is.
    """
    best: dict[int, Segment] = {}
    for way in sorted(ways, key=lambda way: float(view.values(way.accepted))):
        best.setdefault(way.cone, way)
    first = list(best.values())
    return first + [way for way in _worthwhile(view, ways)[:most] if way not in first]


def _by_labels(view: RowView, order: list[Segment], ways: list[Segment]) -> Steps[None]:
    """Refine ways, or those of an order, where nothing but labels tells where the boundary is.

    By half-spaces, or along single features.
    """
    normal = yield from normal_by_labels(view, order[0].accepted, order[0].goal, FEEL_FROM)
    if normal is not None and (normal[view.moving] != 0).mean() >= OBLIQUE_SHARE:
        for way in order[:WAYS_CUT]:
            yield from _cut(view, way, by_scores=False)
    else:  # like a tree's: half-spaces would say no more than single features, and where a way ends says little
        yield from _cut_few(view, order, normal)
        order = sorted(ways, key=lambda way: float(view.values(way.accepted)))
        yield from together(view, [_along_axes(view, way, MOST_CUTS) for way in order])
    yield from _give_back_all(view)
    if view.best is not None:
        best = Segment(view.cone, order[0].first, view.best, view.best, view.best)
        yield from _along_axes(view, best, LAST_ROUNDS)


def _cut_few(view: RowView, order: list[Segment], normal: FloatArray | None) -> Steps[None]:
    """Learn half-spaces in the few features that count, if next to the boundary more than one of them does.

    A tree's boundary is felt along one feature there. That of a model which hardly looks at the others, as neighbours
    do not at columns of small numbers, is felt along all that it looks at.
    """
    near = yield from normal_by_labels(view, order[0].accepted, order[0].goal, FEEL_NEAR)
    if near is None or (near != 0).sum() < 2 or not (yield from makes_up(view, order[0], near)):
        return
    features = np.flatnonzero((near != 0) | (normal != 0 if normal is not None else False))
    for way in order[:WAYS_CUT_OF_FEW]:
        yield from _cut(view, way, by_scores=False, features=features, most=CUTS_OF_FEW)


def _give_back_all(view: RowView) -> Steps[None]:
    for _ in range(GIVING_BACK):
        if not (yield from _give_back(view)):
            return


# ---- half-spaces ----


def _is_smooth(view: RowView, way: Segment) -> Steps[bool]:
    """Whether the model's score changes with nearly every feature: that of a tree does not."""
    slopes = yield from _slopes(view, (way.refused + way.accepted) / 2, DIFFERENCE)
    size = np.abs(slopes[view.moving] * view.spread[view.moving])
    return bool(len(size)) and bool((size > SAME * max(float(size.max()), 1e-300)).mean() > SMOOTH_SHARE)


def _slopes(view: RowView, point: FloatArray, step: float) -> Steps[FloatArray]:
    """Finite differences of the score at a point, within limits; zero for what cannot move."""
    moving = view.moving
    steps = step * view.spread[moving]
    steps = np.where(view.domain.integer[moving], np.maximum(np.round(steps), 1.0), steps)
    base = view.whole(point, point)
    ends = np.repeat(base[None], 2 * len(moving), axis=0).reshape(2, len(moving), -1)
    each = np.arange(len(moving))
    ends[0, each, moving] = np.minimum(base[moving] + steps, view.upper[moving])
    ends[1, each, moving] = np.maximum(base[moving] - steps, view.lower[moving])
    scores = (yield Score(ends.reshape(2 * len(moving), -1))).reshape(2, -1)
    apart = ends[0, each, moving] - ends[1, each, moving]
    slopes = np.zeros(len(view.row))
    slopes[moving] = np.where(apart > 0, (scores[0] - scores[1]) / np.where(apart > 0, apart, 1.0), 0.0)
    return slopes


def _cut(
    view: RowView, way: Segment, *, by_scores: bool, features: IntArray | None = None, most: int = MOST_CUTS
) -> Steps[None]:
    """Learn half-spaces, by the score or by labels alone (of some features); go to the nearest point within them."""
    normals, offsets = np.empty((0, len(view.row))), np.empty(0)
    refused, best, feel, has_forgotten = way.refused, way.accepted, FEEL_FROM, False
    accepted = best
    for _ in range(most):
        if by_scores:
            normal = yield from _normal_by_scores(view, refused, accepted)
        else:
            normal = yield from normal_by_labels(view, accepted, way.goal, feel, features)
            feel *= FEEL_SHRINKS
        if normal is None or normal @ (accepted - refused) <= 0:
            normal = (accepted - refused) * view.prices**2
        size = float(np.abs(normal / view.prices).max(initial=0.0))
        if not size > 0:
            return
        normals = np.concatenate([normals, -normal[None] / size])
        offsets = np.append(offsets, -(normal @ accepted) / size)
        limit = float(view.values(best)) * (1 - SMALLEST_GAIN)
        point = yield from _nearest(view, way, normals, offsets, limit)
        if point is None and len(offsets) > 1 and not has_forgotten:  # what is accepted need not be convex
            normals, offsets, has_forgotten = normals[-1:], offsets[-1:], True
            point = yield from _nearest(view, way, normals, offsets, limit)
        if point is None:
            return
        point = view.whole(point, best)
        if (yield Ask(point[None]))[0]:  # nearer: go on from the beginning of the way
            best = point
            ends = yield from bisect(view, way.first[None], best[None])
            normals, offsets = normals[-CUTS_KEPT:], offsets[-CUTS_KEPT:]
            still = normals @ best <= offsets + SAME * np.abs(offsets)
            normals, offsets = normals[still], offsets[still]
        else:
            ends = yield from bisect(view, point[None], best[None])
        refused, accepted = ends[0][0], ends[1][0]
        if view.values(accepted) < view.values(best):
            best = accepted
    way.accepted = best


def _nearest(
    view: RowView, way: Segment, normals: FloatArray, offsets: FloatArray, limit: float
) -> Steps[FloatArray | None]:
    """Find the nearest point of a way's cone within learned half-spaces, with the categories of the way."""
    lower, upper = _decided(view, way.accepted)
    found = yield Project(np.array([way.cone]), lower[None], upper[None], normals, offsets, limit)
    return found[0] if np.isfinite(found[0]).all() else None


def _decided(view: RowView, point: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Limits in which categories are those of a point."""
    lower, upper, indicators = view.lower.copy(), view.upper.copy(), view.domain.layout.indicators
    lower[indicators] = upper[indicators] = point[indicators]
    return lower, upper


def _normal_by_scores(view: RowView, refused: FloatArray, accepted: FloatArray) -> Steps[FloatArray | None]:
    step = DIFFERENCE
    for _ in range(TIMES_WIDER):
        slopes = yield from _slopes(view, (refused + accepted) / 2, step)
        if slopes @ (accepted - refused) > 0:
            return slopes
        step *= WIDER
    return None


# ---- single features ----


def _along_axes(view: RowView, way: Segment, rounds: int) -> Steps[None]:
    """Find the features that must not go back to where the way begins, how far each may, and project within that."""
    low, high = _decided(view, way.accepted)
    nothing, best = np.empty((0, len(view.row))), way.accepted
    start = yield Project(np.array([way.cone]), low[None], high[None], nothing, np.empty(0), np.inf)
    if not np.isfinite(start[0]).all():
        return
    for _ in range(rounds):
        found = yield Project(np.array([way.cone]), low[None], high[None], nothing, np.empty(0), np.inf)
        if not np.isfinite(found[0]).all():
            return
        point = view.whole(found[0], best)
        if view.values(point) < view.values(best) * (1 - SMALLEST_GAIN) and (yield Ask(point[None]))[0]:
            best = way.accepted = point
            continue
        apart = np.flatnonzero(np.abs(best - point) > SAME * view.spread)
        if len(apart) == 0:
            return
        tried = np.repeat(best[None], len(apart), axis=0)
        tried[np.arange(len(apart)), apart] = point[apart]
        ok = yield from accepted_anywhere(view, tried, best)
        if ok.all():  # no feature alone is in the way
            ends = yield from bisect(view, point[None], best[None])
            if not view.values(ends[1][0]) < view.values(best) * (1 - SMALLEST_GAIN):
                return
            best = way.accepted = ends[1][0]
            continue
        yield from _block(view, best, tried[~ok], apart[~ok], low, high)


def _block(
    view: RowView, best: FloatArray, tried: FloatArray, features: IntArray, low: FloatArray, high: FloatArray
) -> Steps[None]:
    """Limit features, in place, to where the model accepts them; all others stay as they are at the best point."""
    each = np.arange(len(features))
    shares = np.arange(1, STEPS_ON_AN_AXIS + 1) / (STEPS_ON_AN_AXIS + 1)
    refused, accepted = tried[each, features], best[features]
    for _ in range(2):
        points = np.repeat(best[None, None], len(features), axis=0).repeat(len(shares), axis=1)
        points[each[:, None], np.arange(len(shares)), features[:, None]] = (
            refused[:, None] + shares * (accepted - refused)[:, None]
        )
        points = view.whole(points, best)
        ok = (yield from accepted_anywhere(view, points.reshape(-1, len(best)), best)).reshape(len(features), -1)
        values = points[each[:, None], np.arange(len(shares)), features[:, None]]
        ends = np.column_stack([refused, values, accepted])
        first = np.where(ok.any(axis=1), ok.argmax(axis=1), len(shares))
        refused, accepted = ends[each, first], ends[each, first + 1]
    up = best[features] > tried[each, features]
    low[features[up]] = np.maximum(low[features[up]], accepted[up])
    high[features[~up]] = np.minimum(high[features[~up]], accepted[~up])


def _give_back(view: RowView) -> Steps[bool]:
    """Take single columns of the best answer back, wholly or by steps of whole numbers; whether that helped."""
    if view.best is None:
        return False
    layout, before = view.domain.layout, view.limit
    columns = np.flatnonzero(layout.changed(view.row, view.best))
    of_column = layout.column == columns[:, None]
    tried = [np.where(of_column, view.row, view.best)]
    some = of_column & view.domain.integer & (np.abs(view.best - view.row) > 1)
    apart = view.best - view.row
    tried += [np.where(some, view.best - np.trunc(apart / 2), view.best)]
    tried += [np.where(some, view.best - np.sign(apart), view.best)]
    points = np.concatenate(tried)
    points = points[(points != view.best).any(axis=1)]
    if not len(points):
        return False
    start, saved = view.best, view.values(view.best[None]) - view.values(points)
    ok = yield Ask(points)
    several = np.flatnonzero(ok)[np.argsort(-saved[ok], kind="stable")]
    if len(several) > 1:  # more and more of them at once, those that save most first
        together = start + np.cumsum(points[several] - start, axis=0)
        yield Ask(view.whole(np.where(np.abs(together - view.row) <= SAME * view.spread, view.row, together), view.row))
    return view.limit < before
