"""Rounding: points near a relaxed optimum that are whole and have one level of each category, checked as they are.

The relaxation shares a category among its levels and makes whole numbers fractional. Rounding it, in a few ways at
once, gives points that may be answers; those that are, are improved by taking single changes back. All of it only finds
points early: what is not found here, the search finds by branching.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...projection.distance import row_product
from ..constants import COLUMNS_BOTH_WAYS, LIMIT_ROUNDING
from ..domains.change_price import ChangePrice
from ..domains.domain import Domain
from ..problem import Goal, SearchProblem

# From this margin on whole points, too, are kept away from boundaries: by this share of it, relative to the numbers
# compared there. More than the rounding of any model, less than what relaxations keep.
WIDE_MARGIN, WIDE_MARGIN_SHARE = 1e-6, 1e-3
# Whole points may lie on the very boundary of a region; numbers were solved for with a margin, as accurately as the
# kernel does. Depths, as a share of the numbers compared at the boundary, from which on points are passed to the model.
DEPTH_OF_WHOLE_POINTS, DEPTH_OF_NUMBERS = -1e-12, -1e-8

# The same for densities, as a share of a cone's radius.
SLACK_OF_WHOLE_POINTS, SLACK_OF_NUMBERS = -1e-11, -1e-7


@dataclass(frozen=True, slots=True)
class Membership:
    """Whether points lie in region, cones, rules and limits; and where."""

    holds: BoolArray
    part: IntArray
    cone: IntArray


def cone_slacks(
    problem: SearchProblem, goal: Goal, plain: FloatArray, widening: FloatArray | None = None
) -> FloatArray:
    """How far inside of each cone of a goal points lie, as a share of its radius, array of shape (n, n_cones).

    Parameters
    ----------
    problem : SearchProblem
    goal : Goal
    plain : array of shape (n, n_plain)
    widening : array of shape (n,), optional
        What is added to the squared radii for each of the points.
    """
    slacks = np.empty((len(plain), goal.n_cones))
    for j in range(goal.n_cones):
        slacks[:, j] = slack_in(problem, goal, j, plain, widening)
    if widening is not None:
        slacks[~goal.has_cone(widening)] = -np.inf
    return slacks


def slack_in(
    problem: SearchProblem, goal: Goal, cone: int, plain: FloatArray, widening: FloatArray | None = None
) -> FloatArray:
    """How far inside of one cone of a goal points lie, array of shape (n,); see :func:`cone_slacks`."""
    cells, place = problem.cells, goal.first_cone + cone
    centre, right = cells.centres[place], cells.radii[place]
    if widening is not None:
        centre, right = cells.widened(np.full(len(plain), place), widening)
    apart = row_product(plain, cells.factors[cells.shape[place]]) - centre
    right = right + (row_product(plain, cells.tilts[place][:, None])[:, 0] if len(cells.tilts) else 0.0)
    return np.asarray((right - np.sqrt((apart**2).sum(axis=1))) / cells.radii[place])


def wanted_slack(margin: float, *, all_discrete: bool) -> float:
    """How far inside of a cone points must lie, as a share of its radius.

    Whole points may have the very density asked for: they are not shut out here, the last check decides. The same for
    numbers that the kernel solved for to its own precision.
    """
    if not all_discrete:
        return SLACK_OF_NUMBERS
    return margin if margin >= WIDE_MARGIN else SLACK_OF_WHOLE_POINTS


def wanted_depth(problem: SearchProblem, margin: float, discrete: BoolArray) -> float:
    """How deep points must lie in the region, as a share of the numbers compared there.

    Numbers were solved for with the margin already. Whole points may lie on the very boundary: they are not shut out,
    the model decides; where it did not agree, a wide margin keeps away from it. Not from limits of single columns:
    boxes tell on which side a whole number is, and one that cannot change may be next to a limit.
    """
    if not discrete.all():
        return DEPTH_OF_NUMBERS
    covers = [goal.cover for goal in problem.goals]
    are_boxes = all(cover.cells is not None and cover.is_described_by_limits(discrete).all() for cover in covers)
    return DEPTH_OF_WHOLE_POINTS if margin < WIDE_MARGIN or are_boxes else WIDE_MARGIN_SHARE * margin


class Rounding:
    """Makes and checks candidates for the rows of a batch."""

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        goals: IntArray,
        domain: Domain,
        margin: float,
        use_region: bool,
        banned: BoolArray | None = None,
    ) -> None:
        self.banned = banned
        self.problem, self.rows, self.goals, self.domain = problem, rows, goals, domain
        self.margin, self.use_region = margin, use_region
        self.all_discrete = bool(domain.discrete.all())
        self.prices = problem.coordinates.stretch
        layout = domain.layout
        self.indicators, self.first = layout.indicators, layout.first_indicators
        self.group_of_indicator = layout.group[self.indicators]
        self.change_price = ChangePrice(domain, rows, self.prices) if domain.per_change else None
        self.half_prices = np.where(layout.group >= 0, 0.5, 1.0) * self.prices

    def values(self, rows: IntArray, points: FloatArray) -> FloatArray:
        """Distances of points of shape (n, n_features) from their rows."""
        values = np.asarray((np.abs(points - self.rows[rows]) * self.half_prices).sum(axis=1))
        return values if self.change_price is None else values + self.change_price.of(rows, points)

    def shares(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Best and second level of each category.

        Returns
        -------
        best, second : arrays of shape (n, n_indicators)
            One-hot.
        largest : array of shape (n, n_categories)
            Share of the best level.
        """
        given = points[:, self.indicators]
        largest = np.maximum.reduceat(given, self.first, axis=1)
        best = self._one_hot(given == largest[:, self.group_of_indicator])
        rest = np.where(best == 1, -1.0, given)
        second = self._one_hot(rest == np.maximum.reduceat(rest, self.first, axis=1)[:, self.group_of_indicator])
        return best, second, largest

    def _one_hot(self, where: BoolArray) -> FloatArray:
        """Keep the first True of each category."""
        seen = np.cumsum(where, axis=1)
        before = np.where(self.first > 0, seen[:, self.first - 1], 0)
        return np.where(where & (seen - before[:, self.group_of_indicator] == 1), 1.0, 0.0)

    def around(self, rows: IntArray, points: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Round relaxed points: to the nearest, and the most fractional columns both ways.

        Parameters
        ----------
        rows : int array of shape (n,)
        points : array of shape (n, n_features)
        score : array of shape (n, n_columns)
            How fractional each column is, zero if not.

        Returns
        -------
        nearest : array of shape (n, n_features)
        candidates : array of shape (n, n_candidates, n_features)
        """
        layout, integer = self.domain.layout, self.domain.integer
        nearest, other, outward = points.copy(), points.copy(), points.copy()
        low, high = np.floor(points[:, integer]), np.ceil(points[:, integer])
        nearest[:, integer] = np.round(points[:, integer])
        other[:, integer] = low + high - nearest[:, integer]
        outward[:, integer] = np.where(points[:, integer] > self.rows[rows][:, integer], high, low)
        still = integer & (points == self.rows[rows])  # what stays as it is may be fractional by itself
        for made in (nearest, other, outward):
            made[still] = points[still]
        if len(self.indicators):
            best, second, _ = self.shares(points)
            nearest[:, self.indicators], other[:, self.indicators] = best, second
            outward[:, self.indicators] = best
        ways = min(COLUMNS_BOTH_WAYS, layout.n_columns)
        columns = np.argsort(-score, axis=1, kind="stable")[:, :ways]
        made = np.repeat(nearest[:, None, :], 2**ways + 1, axis=1)
        made[:, -1] = outward
        for t in range(ways):
            of_column = layout.column[None, :] == columns[:, t, None]
            of_column &= score[np.arange(len(rows)), columns[:, t], None] > 0
            bits = np.flatnonzero((np.arange(2**ways) >> t) & 1)
            made[:, bits] = np.where(of_column[:, None, :], other[:, None, :], made[:, bits])
        return nearest, made

    def check(self, rows: IntArray, points: FloatArray) -> Membership:
        """Check points of shape (n, n_features) against everything the search knows."""
        domain, n = self.domain, len(points)
        result = Membership(np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64), np.full(n, -1))
        slack = LIMIT_ROUNDING * (1 + np.abs(points))
        inside = (points >= domain.lower[rows] - slack) & (points <= domain.upper[rows] + slack)
        result.holds[:] = inside.all(axis=1) & domain.keeps(rows, self.rows[rows], points)
        for g in np.unique(self.goals[rows]).tolist():
            chosen = np.flatnonzero(result.holds & (self.goals[rows] == g))
            if len(chosen):
                self._check_goal(self.problem.goals[g], rows[chosen], points[chosen], chosen, result)
        return result

    def _check_goal(self, goal: Goal, rows: IntArray, points: FloatArray, places: IntArray, result: Membership) -> None:
        """Check points of one goal, which have these places in the result."""
        plain = self.problem.coordinates.points(points)
        if self.use_region and goal.n_parts == 0:
            result.holds[places] = False
            return
        if self.use_region:
            depth = goal.cover.relative_depth(points, plain)
            if self.banned is not None:
                depth[self.banned[rows, : goal.n_parts]] = -np.inf
            inside, part = np.nonzero(depth > self._wanted_depth())
            out = goal.cover.excludes(points[inside], part, self.domain.discrete)
            depth[inside[out], part[out]] = -np.inf
            result.part[places] = depth.argmax(axis=1)
            result.holds[places] &= depth.max(axis=1) > self._wanted_depth()
        if not goal.has_density:
            result.cone[places] = 0  # nodes without a density have the one pseudo-cone
            return
        slack = cone_slacks(self.problem, goal, plain, self.domain.widening_of(rows))
        result.cone[places], best = slack.argmax(axis=1), slack.max(axis=1)
        result.holds[places] &= best >= self._wanted_slack()

    def is_dense(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Whether points of shape (n, n_features) lie in a cone of their goals, array of shape (n,)."""
        dense = np.ones(len(points), dtype=np.bool_)
        for g in np.unique(self.goals[rows]).tolist():
            goal, places = self.problem.goals[g], np.flatnonzero(self.goals[rows] == g)
            if goal.has_density:
                plain = self.problem.coordinates.points(points[places])
                slack = cone_slacks(self.problem, goal, plain, self.domain.widening_of(rows[places]))
                dense[places] = slack.max(axis=1) >= self._wanted_slack()
        return dense

    def _wanted_slack(self) -> float:
        return wanted_slack(self.margin, all_discrete=self.all_discrete)

    def _wanted_depth(self) -> float:
        return wanted_depth(self.problem, self.margin, self.domain.discrete)

    def neighbours(self, rows: IntArray, points: FloatArray) -> tuple[IntArray, FloatArray]:
        """Take one change back, wholly, by half or by one step.

        Parameters
        ----------
        rows : int array of shape (n,)
        points : array of shape (n, n_features)

        Returns
        -------
        rows, points : arrays of shape (m,), (m, n_features)
        """
        domain, own = self.domain, self.rows[rows]
        which, column = np.nonzero(domain.layout.changed(own, points))
        of_column = domain.layout.column == column[:, None]
        own, points, rows = own[which], points[which], rows[which]
        back = np.where(of_column, own, points)
        steps = of_column & domain.integer & (np.abs(points - own) > 1)
        some = np.flatnonzero(steps.any(axis=1))
        apart = points[some] - own[some]
        half = np.where(steps[some], points[some] - np.trunc(apart / 2), points[some])
        one = np.where(steps[some], points[some] - np.sign(apart), points[some])
        return np.concatenate([rows, rows[some], rows[some]]), np.concatenate([back, half, one])
