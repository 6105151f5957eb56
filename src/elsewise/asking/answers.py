"""From rows to verified answers: search, check what was found as it will be returned, and widen where needed.

The search works in exact arithmetic's name; the model and the density have the last word. A point counts only after it
is written in the user's own columns and dtypes, the model's own ``predict`` decides for the outcome there, its density,
evaluated afresh, reaches the threshold, and every rule is kept. Where the model disagrees by rounding, the search is
repeated with a wider margin, and without the point itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IntArray
from ..columns.frames import has_short_floats, rows_of
from ..regions.base import Interval, Label
from ..search import MARGINS, Answered, Found, SearchProblem, answered_at, best_first, branch_and_bound, distinct
from .question import Question

# The first margin where columns hold floats of fewer bits: what is written there is rounded, and so is the model's own
# arithmetic, differently in different batches.
_SHORT_FLOATS = 1e-6
# Relative rounding of a model's sums, with room to spare.
_ROUNDING = 1e-13
# Polyhedra given up for a row before the row is.
_MOST_BANS = 20


@dataclass(frozen=True, slots=True)
class _LogDensities:
    """Log densities of points under their goal's mixture; NaN and -1 without a density."""

    largest: FloatArray
    mixture: FloatArray
    component: IntArray
    dense: BoolArray


class Answers:
    """Answers under construction, arrays over the rows of a chunk.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came.
    rows : array of shape (n_samples, n_features)
        The same in features.
    """

    def __init__(self, question: Question, given: Any, rows: FloatArray) -> None:
        n = len(rows)
        self.question, self.given, self.rows = question, given, rows
        self.domain = None if question.domain is None else question.domain(rows)
        self.rounds = has_short_floats(given)
        self.predictions: NDArray[Any] | None = None
        self.goal = np.full(n, -1)
        self.points = np.full_like(rows, np.nan)
        self.value = np.full(n, np.inf)  # as the search counts it
        self.lower_bound = np.full(n, np.inf)
        self.log_density = np.full(n, np.nan)
        self.log_mixture = np.full(n, np.nan)
        self.component = np.full(n, -1)
        self.polyhedron = np.full(n, -1)
        self.cone = np.full(n, -1)
        self.model_free = np.zeros(n, dtype=np.bool_)
        self.already = np.zeros(n, dtype=np.bool_)
        self.n_projections = np.zeros(n, dtype=np.int64)
        self.timed_out = np.zeros(n, dtype=np.bool_)
        self.refused: list[list[FloatArray]] = [[] for _ in range(n)]
        self.answered: list[tuple[Answered, ...]] = [()] * n
        self.half_spaces: dict[int, tuple[FloatArray, ...]] = {}  # of goals whose region is one polyhedron

    def pursue(self, at: IntArray, goal: IntArray) -> None:
        """Search the goals of the rows ``at``; keep what is verified and nearer than what they hold."""
        pursued, goals = at, goal
        fresh = self.goal[at] < 0
        self.goal[at[fresh]] = goal[fresh]
        most = max((mine.n_polyhedra for mine in self.question.problem.goals), default=0)
        banned = np.zeros((len(at), most), dtype=np.bool_)
        banned_bound = np.full(len(at), np.inf)
        first = step = MARGINS.index(_SHORT_FLOATS) if self.rounds else 0
        while len(at):
            found = self._search(at, goal, MARGINS[step], banned if banned.any() else None)
            self.n_projections[at] += found.n_projections
            self.timed_out[at] |= found.timed_out
            failed = self._take(at, goal, found, banned_bound)
            if step == first:
                failed &= ~self._leave_as_is(at, goal)
            if step + 1 < len(MARGINS):
                step += 1
            elif failed.any() and not self.question.use_model:  # one convex set a cone: nothing else to look into
                self.lower_bound[at[failed]] = np.minimum(self.lower_bound[at], found.lower_bound)[failed]
                failed[:] = False
            elif failed.any():
                banned[failed, found.polyhedron[failed]] = True
                banned_bound[failed] = np.minimum(banned_bound[failed], found.lower_bound[failed])
                given_up = failed & (banned.sum(axis=1) > _MOST_BANS)
                self.lower_bound[at[given_up]] = np.minimum(self.lower_bound[at], banned_bound)[given_up]
                failed &= ~given_up
            at, goal, banned, banned_bound = at[failed], goal[failed], banned[failed], banned_bound[failed]
        self._keep_proofs(pursued, goals)

    def _keep_proofs(self, at: IntArray, goal: IntArray) -> None:
        """Without rules a goal is empty for every row or for none: else "empty" is rounding, and nothing is proven."""
        if self.domain is not None or not self.question.use_model:
            return
        empty = np.isinf(self.lower_bound[at])
        for g in distinct(goal[empty]):
            if not self.question.is_empty(g):
                self.lower_bound[at[empty & (goal == g)]] = 0.0

    def _search(self, at: IntArray, goal: IntArray, margin: float, banned: BoolArray | None) -> Found:
        question = self.question
        if self.domain is None:
            return best_first(
                question.problem,
                self.rows[at],
                goal,
                cutoff=self.value[at],
                margin=margin,
                banned=banned,
                use_region=question.use_model,
                time_limit=question.time_limit,
            )
        return branch_and_bound(
            question.problem,
            self.rows[at],
            goal,
            self.domain.of_rows(at),
            cutoff=self.value[at],
            margin=margin,
            banned=banned,
            refused=[self.refused[row] for row in at.tolist()],
            answered=[self.answered[row] for row in at.tolist()],
            use_region=question.use_model,
            time_limit=question.time_limit,
        )

    def _take(self, at: IntArray, goal: IntArray, found: Found, banned_bound: FloatArray) -> BoolArray:
        """Verify what the search found for the rows ``at`` and keep it; tell which have to be searched again."""
        has_point = np.isfinite(found.value)
        points = self._as_returned(found.points, at, has_point)
        logs = self._densities(points, goal)
        good = has_point & logs.dense
        if (has_point & ~good).any() and self.domain is None:
            self._refine(at, goal, found, points, has_point & ~good)
            points = self._as_returned(points, at, has_point)
            logs = self._densities(points, goal)
            good = has_point & logs.dense
        if good.any() or self.predictions is None:
            good[good] = self._holds(points[good], goal[good], at[good], self._predict(points[good], at[good]))
        settled = good | ~has_point
        for place in np.flatnonzero(~settled).tolist():
            self.refused[at[place]].append(points[place].copy())
        bound = np.minimum(np.minimum(self.lower_bound[at], found.lower_bound), banned_bound)
        self.lower_bound[at[settled]] = bound[settled]
        better = at[good]
        self.goal[better], self.points[better], self.value[better] = goal[good], points[good], found.value[good]
        self.polyhedron[better], self.cone[better] = found.polyhedron[good], found.cone[good]
        self._note(better, logs, good)
        self.model_free[better] = found.model_free[good]
        return ~settled

    def _as_returned(self, points: FloatArray, at: IntArray, has_point: BoolArray) -> FloatArray:
        """Read the points back from the user's columns: a column of 32-bit numbers rounds what is written to it."""
        if not self.rounds or not has_point.any():
            return points
        table, here = self.question.table, at[has_point]
        written = table.decode(points[has_point], rows_of(self.given, here), encoded=self.rows[here])
        back = points.copy()
        back[has_point] = table.of_numbers().encode(written)  # a row's own value may stay even if it is not whole
        return back

    def _refine(self, at: IntArray, goal: IntArray, found: Found, points: FloatArray, short: BoolArray) -> None:
        """Project once more from points far from their rows that rounding left short of the density."""
        again = best_first(
            self.question.problem, points[short], goal[short], margin=MARGINS[0], use_region=self.question.use_model
        )
        better = np.flatnonzero(short)[np.isfinite(again.value)]
        move = again.difference[np.isfinite(again.value)]
        coordinates = self.question.problem.coordinates
        found.difference[better] += move
        points[better] += coordinates.differences(move)
        total = found.difference[better]
        found.value[better] = np.abs(total).sum(axis=1) if coordinates.norm == 1 else (total**2).sum(axis=1)

    def _holds(self, points: FloatArray, goal: IntArray, at: IntArray, predictions: NDArray[Any]) -> BoolArray:
        """Whether points, returned for the rows ``at``, are what they should be, given what the model predicts there.

        The model decides for the goal, also when it is asked about the point alone, and no rule is broken.
        """
        holds = self._decides(points, goal, at, predictions)
        for place in np.flatnonzero(holds & self._is_at_an_end(points, goal)).tolist():
            one = np.array([place])
            alone = self.question.predict(points[one], rows_of(self.given, at[one]), self.rows[at[one]])
            holds[one] = self._decides(points[one], goal[one], at[one], alone)
        return holds

    def _is_at_an_end(self, points: FloatArray, goal: IntArray) -> BoolArray:
        """Whether points lie on the boundary of a linear model's region up to rounding.

        There the model may say one thing of a batch and another of the row alone: sums are formed in another order.
        """
        at_an_end = np.zeros(len(points), dtype=np.bool_)
        for g in distinct(goal) if self.question.use_model and len(points) else ():
            if g not in self.half_spaces:
                self.half_spaces[g] = _half_spaces(self.question.problem, g)
            normals, offsets, sizes, constants = self.half_spaces[g]
            here = np.flatnonzero(goal == g)
            slacks, rounding = offsets - points[here] @ normals, np.abs(points[here]) @ sizes + constants
            at_an_end[here] = (np.abs(slacks) <= _ROUNDING * rounding).any(axis=1)
        return at_an_end

    def _decides(self, points: FloatArray, goal: IntArray, at: IntArray, predictions: NDArray[Any]) -> BoolArray:
        """Whether the model, with these predictions, decides for the goal, and no rule is broken."""
        question = self.question
        if not question.use_model:
            holds = np.ones(len(points), dtype=np.bool_)
        elif question.classes is None:
            ends = np.array([(item.low, item.high) for item in question.outcomes if isinstance(item, Interval)])
            holds = np.asarray((predictions >= ends[goal, 0]) & (predictions <= ends[goal, 1]))
        else:
            labels = [item for item in question.outcomes if isinstance(item, Label)]
            holds = np.asarray(predictions == question.classes[[item.index for item in labels]][goal])
            for g, item in enumerate(labels):
                least = item.min_probability
                mine = np.flatnonzero(holds & (goal == g))
                if least is not None and len(mine):
                    given = rows_of(self.given, at[mine])
                    probability = question.probability(points[mine], given, self.rows[at[mine]], item.index)
                    holds[mine] = probability >= least
        if self.domain is not None:
            for row, _ in question.rules.broken(self.rows[at], points):
                holds[row] = False
        return holds

    def _predict(self, points: FloatArray, at: IntArray) -> NDArray[Any]:
        """Ask the model about points, and the first time about the rows too: a call costs more than its rows."""
        question = self.question
        if self.predictions is not None:
            return question.predict(points, rows_of(self.given, at), self.rows[at])
        everything = np.concatenate([np.arange(len(self.rows)), at])
        both = question.predict(
            np.concatenate([self.rows, points]), rows_of(self.given, everything), self.rows[everything]
        )
        self.predictions = both[: len(self.rows)]
        return both[len(self.rows) :]

    def predict_rows(self) -> NDArray[Any]:
        """Ask the model about the rows themselves, once."""
        if self.predictions is None:
            self._predict(self.rows[:0], np.empty(0, dtype=np.int64))
        assert self.predictions is not None
        return self.predictions

    def _leave_as_is(self, at: IntArray, goal: IntArray) -> BoolArray:
        """Answer rows by themselves for which the model decides so already and which are dense enough; tell which."""
        stay = self._holds(self.rows[at], goal, at, self.predict_rows()[at])
        stay &= np.array([not self.answered[row] for row in at.tolist()])
        if not stay.any():
            return stay
        logs = self._densities(self.rows[at], goal)
        stay &= logs.dense
        here = at[stay]
        self.goal[here], self.points[here] = goal[stay], self.rows[here]
        self.value[here] = self.lower_bound[here] = 0.0
        self._note(here, logs, stay)
        self.already[here] = True
        self.model_free[here] = self.component[here] >= 0
        return stay

    def _note(self, at: IntArray, logs: _LogDensities, chosen: BoolArray) -> None:
        self.log_density[at], self.log_mixture[at] = logs.largest[chosen], logs.mixture[chosen]
        self.component[at] = logs.component[chosen]

    def _densities(self, points: FloatArray, goal: IntArray) -> _LogDensities:
        """Log densities of points, each with the same bits in any batch."""
        n = len(points)
        logs = _LogDensities(np.full(n, np.nan), np.full(n, np.nan), np.full(n, -1), np.ones(n, dtype=np.bool_))
        for g in distinct(goal):
            density = self.question.densities[g]
            at = np.flatnonzero((goal == g) & np.isfinite(points[:, 0]))
            if density is None or len(at) == 0:
                continue
            each = density.log_components_of(self.question.density_rows(points[at]))
            component = each.argmax(axis=1)
            largest = each[np.arange(len(at)), component]
            logs.largest[at], logs.component[at] = largest, component
            logs.mixture[at] = largest + np.log(np.exp(each - largest[:, None]).sum(axis=1))
            logs.dense[at] = largest >= density.log_threshold_
        return logs

    def start_from(self, other: Answers, goal: int) -> None:
        """Take over the answers to a harder goal: they answer this one too, and only nearer ones are of interest."""
        found = np.flatnonzero(np.isfinite(other.value))
        self.predictions = other.predictions
        self.goal[found] = goal
        for name in (
            "points", "value", "log_density", "log_mixture", "component", "polyhedron", "cone", "model_free", "already",
        ):  # fmt: skip
            getattr(self, name)[found] = getattr(other, name)[found]

    def answer_that_differs(self, earlier: list[Answers]) -> None:
        """Look for the next best answer of every row, different from those it has already."""
        last = earlier[-1]
        found = np.flatnonzero(np.isfinite(last.value))
        self.goal[:], self.predictions = last.goal, last.predictions
        assert self.domain is not None
        for row in found.tolist():
            self.answered[row] = tuple(
                answered_at(
                    self.question.problem, int(last.goal[row]), self.domain.layout, self.rows[row], before.points[row]
                )
                for before in earlier
            )
        if len(found):
            self.pursue(found, last.goal[found])


def _half_spaces(problem: SearchProblem, goal: int) -> tuple[FloatArray, ...]:
    """Half-spaces of a linear model in features, ``x N <= o``, and what sizes their terms have, ``|x| S + c``.

    Regions of several polyhedra give none: models that have them compare numbers one by one, or are too large.
    """
    region, W, w = problem.goals[goal].region, problem.to_model.matrix, problem.to_model.offset
    A, b = region.polyhedron(0) if region.n_polyhedra == 1 else (np.empty((0, len(w))), np.empty(0))
    return (A @ W).T, b - A @ w, (np.abs(A) @ np.abs(W)).T, np.abs(A) @ np.abs(w) + np.abs(b)
