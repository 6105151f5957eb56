"""What a search for a path at one level is about: sets, start, terminal sets, rules, and the last check.

Paths are in plain coordinates (:mod:`elsewise.projection.distance`), and only in those that may move: an interior-
point method needs room, and what is fixed has none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import FloatArray, IntArray, UserData
from ...density import Landscape
from ...density.base import log_peaks
from ...projection.cells import INFEASIBLE, Cells, Limits
from ...rules.atomic import OneWay
from ...search import (
    Ellipsoids,
    FoundPath,
    Ground,
    PathProblem,
    SecondLook,
    Terminal,
    is_doubtful,
    pack_cones,
    search_paths,
)
from ...search.constants import MARGINS
from ..solving.answers import Answers
from ..solving.question import Question
from ..verification import Verification

# Nats within which two sets that do not meet are taken for sets that do: rounding of a saddle.
SAME_LEVEL = 1e-9

_GOAL = np.zeros(1, dtype=np.int64)


class PathSetting:
    """The search for one row's path at one level.

    Parameters
    ----------
    landscape : Landscape
    question : Question
        About one outcome; its density is that of answers.
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    level : float
    first : int
        Number of the first component of the outcome's class in the landscape.
    share : float
        Logarithm of this class's share of the rows.
    own : float
        Log density of the row in the landscape.

    Attributes
    ----------
    cones : Cones
        The sets that paths go through.
    enters : bool
        The row is sparser than the level: a path begins with a step to the nearest place that is not.
    has_start : bool
        False if no place of this level was found that the rules allow.
    is_start_proven : bool
        It is proven that there is none.
    first_step : float
        Length of that step; 0 without one.
    terminals : list of Terminal
    is_one_end : bool
        Paths are looked for to one answer only: the proof is about straight paths to all of them.
    """

    def __init__(
        self,
        landscape: Landscape,
        question: Question,
        given: UserData,
        row: FloatArray,
        level: float,
        first: int,
        share: float,
        own: float,
    ) -> None:
        self.landscape, self.question, self.given, self.row = landscape, question, given, row
        self.level, self.first, self.share = level, first, share
        self.space = question.problem.space
        self.coordinates = self.space.coordinates
        self.cones = landscape.cones(level)
        self.cells = pack_cones(self.cones, self.space)
        self.verification = Verification(question, given, row)
        goal = question.problem.goals[0]
        self.is_one_end = goal.divides or question.rules.max_changes is not None
        self.answer = self._nearest_answer() if self.is_one_end else None
        self._limit()
        self.enters = own < level
        self.start = row[0]
        self.first_step = 0.0
        self.is_start_proven = self.cells.n_cones == 0
        self.has_start = not self.enters or self._enter()
        self.plain_start = self.coordinates.points(self.start[None])[0]
        self.terminals: list[Terminal] = []
        self.bounds, self.straight = np.empty(0), np.empty((0, 0))
        if self.has_start:
            self.sets = self._sets(self.cells, np.arange(self.cells.n_cones))
            self._find_terminals()

    def start_levels(self) -> FloatArray:
        """Level up to which each component of the landscape may be where a path begins, array of shape (m,).

        Its own value at the row. Where a row steps to a place of this level first, components that hold this place
        are no limit.
        """
        values = self._log_components(self.start[None])[0]
        return np.where(values >= self.level, self.landscape.log_peaks, values) if self.enters else values

    def terminal_components(self) -> IntArray:
        """Components of the landscape in whose sets there are answers."""
        return np.unique(self.cones.component[[terminal.component for terminal in self.terminals]])

    def search(self, time_limit: float | None) -> tuple[FoundPath, FloatArray]:
        """Return the shortest path, and its points in features, the first step of a sparse row included."""
        component = self.cones.component
        meets = self.landscape.saddles[np.ix_(component, component)] >= self.level - SAME_LEVEL
        np.fill_diagonal(meets, False)
        start = self.plain_start[self.free]
        found = search_paths(
            PathProblem(self._ground(), start, self.sets, meets, self.terminals, self.bounds, self.straight),
            lambda corners, sequence: self._passes(self._in_features(corners), sequence),
            time_limit,
        )
        if self.is_one_end:
            found = replace(found, bound=min(self.least_distance, found.length))
        if self.question.problem.overflows(self.plain_start[None])[0]:
            found = replace(found, bound=0.0)  # where numbers overflow nothing is proven
        if found.corners is None:
            return found, self.row[:0]
        points = self._in_features(found.corners)
        return found, np.concatenate([self.start[None], points]) if self.enters else points

    # Limits, and the step of a sparse row.

    def _limit(self) -> None:
        """Find the limits of features, and which coordinates may move within them."""
        rules, n = self.question.rules, self.row.shape[1]
        self.lower, self.upper = np.full(n, -np.inf), np.full(n, np.inf)
        if rules.single:
            lower, upper = rules.limits(self.row)
            self.lower, self.upper = lower[0], upper[0]
        if rules.max_changes is not None and self.answer is not None:
            still = self.answer == self.row[0]
            self.lower[still] = self.upper[still] = self.row[0, still]
        self.is_limited = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())
        self.free = np.ones(self.coordinates.n_plain, dtype=np.bool_)
        if self.coordinates.norm == 1:
            self.free = self.lower < self.upper
        self.direction = np.zeros(n)
        for rule in rules.single:
            if isinstance(rule, OneWay):
                self.direction[rule.column.start] = rule.sign

    def _differences(self, start: FloatArray, count: int) -> Limits | None:
        """Limits of differences from a point, as the projector takes them for so many cells."""
        if not self.is_limited:
            return None
        low, high = ((end - start) * self.coordinates.stretch for end in (self.lower, self.upper))
        return np.tile(low, (count, 1)), np.tile(high, (count, 1))

    def _enter(self) -> bool:
        """Step to the nearest place that is as dense as the level and keeps the rules; tell whether there is one."""
        rules, count = self.question.rules, self.cells.n_cones
        table, inside = self.cells, -1
        if len(rules.offsets):
            size = np.abs(rules.offsets) + np.abs(rules.normals).sum(axis=1)
            table = Cells.join(
                [self.cells, self.space.pack_polyhedra([(rules.normals, rules.offsets - MARGINS[0] * size)])]
            )
            inside = 0
        for margin in MARGINS if count else ():
            batch = table.project(
                self.coordinates.points(self.row),
                np.zeros(count, dtype=np.int64),
                np.tile(np.array([[inside, -1]], dtype=np.int64), (count, 1)),
                np.arange(count),
                cutoff=np.full(count, np.inf),
                margin=np.full(count, margin),
                limits=self._differences(self.row[0], count),
            )
            nearest = int(np.argmin(batch.value))
            if not np.isfinite(batch.value[nearest]):
                self.is_start_proven = bool((batch.status == INFEASIBLE).all())
                return False
            point = self._returned(self.row + self.coordinates.differences(batch.v[nearest][None]))
            if self._log_components(point).max() >= self.level and self._keeps_rules(point):
                self.start, value = point[0], float(self.question.fitted.distance(point, self.row)[0])
                self.first_step = value if self.coordinates.norm == 1 else float(np.sqrt(value))
                return True
        return False

    # Sets and terminals, in the coordinates that may move.

    def _sets(self, cells: Cells, which: IntArray) -> Ellipsoids:
        factors = np.ascontiguousarray(cells.factors[cells.shape[which]].transpose(0, 2, 1))
        shifted = cells.centres[which] - factors[:, :, ~self.free] @ self.plain_start[~self.free]
        grams = cells.grams[cells.shape[which]][:, self.free][:, :, self.free]
        return Ellipsoids(np.ascontiguousarray(factors[:, :, self.free]), grams, shifted, cells.radii[which])

    def _ground(self) -> Ground:
        limited = self.coordinates.norm == 1
        low, high = (
            self.coordinates.points(end[None])[0] if limited else np.full(self.coordinates.n_plain, sign * np.inf)
            for end, sign in ((self.lower, -1.0), (self.upper, 1.0))
        )
        rules = self.question.rules
        normals, offsets = self.coordinates.pull_back(rules.normals, rules.offsets)
        normals, offsets = self._of_free(normals, offsets)
        direction = self.direction if limited else np.zeros(self.coordinates.n_plain)
        return Ground(self.coordinates.norm, low[self.free], high[self.free], normals, offsets, direction[self.free])

    def _of_free(self, normals: FloatArray, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Half-spaces of the coordinates that may move, the others being where they are."""
        return normals[:, self.free], offsets - normals[:, ~self.free] @ self.plain_start[~self.free]

    def _find_terminals(self) -> None:
        """Find terminal sets that are not empty, with near points and bounds of the straight distance to them."""
        problem = self.question.problem
        goal, density = problem.goals[0], self.question.densities[0]
        assert density is not None
        component = self.first + np.flatnonzero(log_peaks(density.mixture_) > density.log_threshold_)  # as its cones
        parts = np.array([-1]) if goal.divides else goal.first_polyhedron + np.arange(goal.n_parts)
        possible = np.ones((goal.n_cones, 1), dtype=np.bool_) if goal.divides else goal.possible
        cone, part = np.nonzero(possible)
        count = len(cone)
        polyhedra = np.column_stack([parts[part], np.full(count, problem.rules_at)])
        limits = self._differences(self.start, count)
        batch = problem.cells.project(
            self.plain_start[None],
            np.zeros(count, dtype=np.int64),
            polyhedra,
            goal.first_cone + cone,
            cutoff=np.full(count, np.inf),
            margin=np.full(count, MARGINS[0]),
            limits=limits,
        )
        rescued = np.zeros(count, dtype=np.bool_)
        if is_doubtful(batch).any():
            look = SecondLook(problem.cells, sees_cones_alone=limits is None and problem.rules_at < 0)
            starts = np.repeat(self.plain_start[None], count, axis=0)
            cones = goal.first_cone + cone
            batch, rescued = look(starts, polyhedra, cones, batch, margin=MARGINS[0], limits=limits)
        bound = np.where(rescued, 0.0, np.maximum(batch.bound, 0.0))  # the second look's points have no multipliers
        bound = bound if self.coordinates.norm == 1 else np.sqrt(bound)
        there = np.flatnonzero(batch.status != INFEASIBLE)
        self.least_distance = float(bound[there].min(initial=np.inf))
        if self.is_one_end:
            self._end_at_answer()
            return
        counts = self._add_terminals(component[cone[there]], goal.first_cone + cone[there], parts[part[there]])
        self.bounds = np.repeat(bound[there], counts)
        points = (self.plain_start + batch.v[there])[:, self.free]
        points = np.where(np.isfinite(batch.value[there])[:, None], points, np.nan)
        self.straight = np.repeat(points, counts, axis=0)

    def _add_terminals(self, component: IntArray, cone: IntArray, polyhedra: IntArray) -> list[int]:
        """Add a terminal set for each cell, and tell how many there are of each.

        Where answers may be sparser than the path, a cell is one with each set that paths go through and it may meet.
        """
        problem, density = self.question.problem, self.question.densities[0]
        assert density is not None
        answers_level = density.log_threshold_ + self.share
        is_within = answers_level >= self.level - SAME_LEVEL
        sets, counts = self._sets(problem.cells, cone), []
        for k, own in enumerate(component.tolist()):
            polyhedron = int(polyhedra[k])
            first, last = problem.cells.spans[polyhedron]
            normals, offsets = self._of_free(
                problem.cells.normals[first:last] - problem.cells.shifts[polyhedron],
                problem.cells.offsets[first:last] - problem.cells.shift_offsets[polyhedron],
            )
            met = self.landscape.saddles[self.cones.component, own] >= answers_level - SAME_LEVEL
            through = np.flatnonzero(self.cones.component == own if is_within else met).tolist()
            counts.append(len(through))
            self.terminals += [
                Terminal(
                    component=j,
                    factor=sets.factors[k],
                    gram=sets.grams[k],
                    centre=sets.centres[k],
                    radius=float(sets.radii[k]),
                    normals=normals,
                    offsets=offsets,
                    is_within=is_within,
                )
                for j in through
            ]
        return counts

    def _end_at_answer(self) -> None:
        """Take the nearest answer for the only end."""
        if self.answer is None:
            return
        plain = self.coordinates.points(self.answer[None])[0][self.free]
        held = np.flatnonzero(self.sets.excess(plain[None])[0] <= 0.0)
        for j in held.tolist():
            sets = self.sets
            nothing = np.empty((0, len(plain)))
            self.terminals.append(
                Terminal(
                    j,
                    sets.factors[j],
                    sets.grams[j],
                    sets.centres[j],
                    float(sets.radii[j]),
                    nothing,
                    np.empty(0),
                    plain,
                )
            )
        self.bounds = np.full(len(self.terminals), self.least_distance)
        self.straight = np.tile(plain, (len(self.terminals), 1))

    def _nearest_answer(self) -> FloatArray | None:
        answers = Answers(self.question, self.given, self.row)
        answers.reach(_GOAL, _GOAL)
        return answers.points[0] if np.isfinite(answers.value[0]) else None

    # The last check.

    def _in_features(self, corners: FloatArray) -> FloatArray:
        """Corners as they would be returned, array of shape (n_corners, n_features)."""
        moved = np.zeros((len(corners), self.coordinates.n_plain))
        moved[:, self.free] = corners - self.plain_start[self.free]
        points = self.start + self.coordinates.differences(moved)
        return self._returned(np.clip(points, self.lower, self.upper) if self.is_limited else points)

    def _returned(self, points: FloatArray) -> FloatArray:
        count = len(points)
        return self.verification.as_returned(points, np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_))

    def _log_components(self, points: FloatArray) -> FloatArray:
        return self.landscape.log_components(self.question.fitted.density_rows(points))

    def _keeps_rules(self, points: FloatArray) -> bool:
        """Whether corners, one after the other, keep every rule, and one-way columns never turn."""
        rules = self.question.rules
        if rules.broken(np.repeat(self.row, len(points), axis=0), points):
            return False
        before = np.concatenate([self.row, points[:-1]])
        return not any(rule.breaks(before, points).any() for rule in rules.single if isinstance(rule, OneWay))

    def _passes(self, points: FloatArray, sequence: IntArray) -> bool:
        """Check a path as it would be returned: rules, density of both ends of each segment, and its end."""
        everything = np.concatenate([self.start[None], points])
        logs = self._log_components(everything)
        segment, component = np.arange(len(points)), self.cones.component[sequence]
        dense = (logs[segment, component] >= self.level) & (logs[segment + 1, component] >= self.level)
        if not dense.all() or not self._keeps_rules(points):
            return False
        end = points[-1:]
        if not self.verification.densities(end, _GOAL, _GOAL).is_dense[0]:
            return False
        return bool(self.verification.holds(end, _GOAL, _GOAL, self.verification.predict(end, _GOAL))[0])
