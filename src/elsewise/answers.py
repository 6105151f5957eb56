"""From rows and wanted outcomes to verified answers.

The search works on closed cells in floating point; the model decides with its own arithmetic and strict inequalities.
So every point is put to the model itself and to the density afresh, exactly as it will be returned, and that is the
last thing that happens to it. A point that fails is searched again with a wider margin; a polyhedron whose points fail
at every margin (two equal prototypes of different classes, say) is left out, and the bound keeps counting it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .density.base import ClassDensity
from .distances import ResolvedMahalanobis, ResolvedManhattan
from .explanation import Explanations
from .infeasibility import why_infeasible
from .projection.coordinates import row_product
from .regions.base import Interval, Label, Outcome
from .rows import FloatArray
from .search import Found, SearchProblem, best_first, distinct

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Relative margins tried in turn; the first keeps the gap far below 1e-6.
MARGINS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
# A relative gap up to this counts as proven optimal.
OPTIMAL_GAP = 1e-6
# Polyhedra a row may find unreachable in floating point before it gives up.
_MOST_BANS = 25


@dataclass(frozen=True, slots=True)
class Question:
    """All that is needed to answer for any row; goals are numbered.

    Attributes
    ----------
    predict : function of rows
        The model's own.
    probability : function of rows and a class's position
        The model's own.
    problem : SearchProblem
    outcomes : tuple of outcomes, one a goal
    densities : tuple of ClassDensity, one a goal; None without a density constraint
    distance : resolved distance
    classes : array of labels, None for a regressor
    feature_names : tuple of str
    time_limit : seconds a row, or None
    use_model : bool
        False drops the classification constraint: any point will do that is dense enough (Theorem 2).
    """

    predict: Callable[[FloatArray], NDArray[Any]]
    probability: Callable[[FloatArray, int], FloatArray]
    problem: SearchProblem
    outcomes: tuple[Outcome, ...]
    densities: tuple[ClassDensity | None, ...]
    distance: ResolvedManhattan | ResolvedMahalanobis
    classes: NDArray[Any] | None
    feature_names: tuple[str, ...]
    time_limit: float | None
    use_model: bool = True

    def holds(self, points: FloatArray, goal: IntArray, predictions: NDArray[Any]) -> BoolArray:
        """Whether the model itself decides for each point's goal, given what it predicts there."""
        if not self.use_model:
            return np.ones(len(points), dtype=np.bool_)
        if self.classes is None:
            ends = np.array([(item.low, item.high) for item in self.outcomes if isinstance(item, Interval)])
            return np.asarray((predictions >= ends[goal, 0]) & (predictions <= ends[goal, 1]))
        labels = [item for item in self.outcomes if isinstance(item, Label)]
        valid = np.asarray(predictions == self.classes[[item.index for item in labels]][goal])
        for g, item in enumerate(labels):
            if item.min_probability is not None:
                at = np.flatnonzero(valid & (goal == g))
                if len(at):
                    valid[at] = self.probability(points[at], item.index) >= item.min_probability
        return valid

    def label(self, goal: int) -> Any:
        """Give the outcome as the user did."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return (outcome.low, outcome.high)
        assert self.classes is not None
        return self.classes[outcome.index]

    def in_words(self, goal: int) -> str:
        """Put the outcome as the end of a sentence."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return f"predict a value from {outcome.low:g} to {outcome.high:g}"
        assert self.classes is not None
        with_probability = "" if outcome.min_probability is None else f" with probability {outcome.min_probability:g}"
        return f"predict {self.classes.tolist()[outcome.index]!r}{with_probability}"

    def why_not(self, goal: int) -> str:
        """Why no point reaches the outcome."""
        region = self.problem.goals[goal].region
        return why_infeasible(region, self.densities[goal], self.problem.to_model, self.in_words(goal))


@dataclass(frozen=True, slots=True)
class _LogDensities:
    """Log densities of points under their goal's mixture; NaN and -1 without a density."""

    largest: FloatArray
    mixture: FloatArray
    component: IntArray
    dense: BoolArray


class _Answers:
    """Answers under construction, arrays over the rows of a chunk."""

    def __init__(self, question: Question, rows: FloatArray) -> None:
        n = len(rows)
        self.question, self.rows = question, rows
        self.predictions: NDArray[Any] | None = None
        self.goal = np.full(n, -1)
        self.points = np.full_like(rows, np.nan)
        self.value = np.full(n, np.inf)  # as the search counts it
        self.lower_bound = np.full(n, np.inf)
        self.log_density = np.full(n, np.nan)
        self.log_mixture = np.full(n, np.nan)
        self.component = np.full(n, -1)
        self.model_free = np.zeros(n, dtype=np.bool_)
        self.already = np.zeros(n, dtype=np.bool_)
        self.n_projections = np.zeros(n, dtype=np.int64)
        self.timed_out = np.zeros(n, dtype=np.bool_)

    def pursue(self, at: IntArray, goal: IntArray) -> None:
        """Search the goals of the rows ``at``; keep what is verified and nearer than what they hold."""
        fresh = self.goal[at] < 0
        self.goal[at[fresh]] = goal[fresh]
        most = max((mine.n_polyhedra for mine in self.question.problem.goals), default=0)
        banned = np.zeros((len(at), most), dtype=np.bool_)
        banned_bound = np.full(len(at), np.inf)
        step = 0
        while len(at):
            found = best_first(
                self.question.problem,
                self.rows[at],
                goal,
                cutoff=self.value[at],
                margin=MARGINS[step],
                banned=banned if banned.any() else None,
                use_region=self.question.use_model,
                time_limit=self.question.time_limit,
            )
            self.n_projections[at] += found.n_projections
            self.timed_out[at] |= found.timed_out
            failed = self._take(at, goal, found, banned_bound)
            if step == 0:
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

    def _take(self, at: IntArray, goal: IntArray, found: Found, banned_bound: FloatArray) -> BoolArray:
        """Verify what the search found for the rows ``at`` and keep it; tell which have to be searched again."""
        coordinates = self.question.problem.coordinates
        has_point = np.isfinite(found.value)
        points = self.rows[at] + coordinates.differences(found.difference)
        logs = self._densities(points, goal)
        good = has_point & logs.dense
        if (has_point & ~good).any():
            self._refine(at, goal, found, points, has_point & ~good)
            logs = self._densities(points, goal)
            good = has_point & logs.dense
        if good.any() or self.predictions is None:
            good[good] = self.question.holds(points[good], goal[good], self._predict(points[good]))
        settled = good | ~has_point
        bound = np.minimum(np.minimum(self.lower_bound[at], found.lower_bound), banned_bound)
        self.lower_bound[at[settled]] = bound[settled]
        better = at[good]
        self.goal[better], self.points[better], self.value[better] = goal[good], points[good], found.value[good]
        self._note(better, logs, good)
        self.model_free[better] = found.model_free[good]
        return ~settled

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

    def _predict(self, points: FloatArray) -> NDArray[Any]:
        """Ask the model about points, and the first time about the rows too: a call costs more than its rows."""
        if self.predictions is not None:
            return self.question.predict(points)
        both = self.question.predict(np.concatenate([self.rows, points]))
        self.predictions = both[: len(self.rows)]
        return both[len(self.rows) :]

    def _leave_as_is(self, at: IntArray, goal: IntArray) -> BoolArray:
        """Answer rows by themselves for which the model decides so already and which are dense enough; tell which."""
        assert self.predictions is not None
        stay = self.question.holds(self.rows[at], goal, self.predictions[at])
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
        n, problem = len(points), self.question.problem
        logs = _LogDensities(np.full(n, np.nan), np.full(n, np.nan), np.full(n, -1), np.ones(n, dtype=np.bool_))
        Z = row_product(points, problem.to_model.matrix.T) + problem.to_model.offset
        for g in distinct(goal):
            density = self.question.densities[g]
            if density is None:
                continue
            at = np.flatnonzero(goal == g)
            each = density.log_components_of(Z[at])
            component = each.argmax(axis=1)
            largest = each[np.arange(len(at)), component]
            logs.largest[at], logs.component[at] = largest, component
            logs.mixture[at] = largest + np.log(np.exp(each - largest[:, None]).sum(axis=1))
            logs.dense[at] = largest >= density.log_threshold_
        return logs


def answer(question: Question, given: NDArray[Any], rows: FloatArray, goal: IntArray) -> Explanations:
    """Answer for a chunk of rows.

    Parameters
    ----------
    question : Question
    given : array of shape (n_samples, n_features)
        The rows as they came, to be echoed.
    rows : array of shape (n_samples, n_features)
        The same as clean float64.
    goal : int array of shape (n_samples,)
        Which goal each row has; -1 asks for the nearest class other than the present one.
    """
    answers = _Answers(question, rows)
    chosen = np.flatnonzero(goal >= 0)
    if len(chosen):
        answers.pursue(chosen, goal[chosen])
    open_choice = np.flatnonzero(goal < 0)
    if len(open_choice):
        assert question.classes is not None
        if answers.predictions is None:
            answers.predictions = question.predict(rows)
        for g, label in enumerate(question.classes):
            others = open_choice[answers.predictions[open_choice] != label]
            if len(others):
                answers.pursue(others, np.full(len(others), g))
    return _explanations(question, given, goal, answers)


def _explanations(question: Question, given: NDArray[Any], wanted: IntArray, answers: _Answers) -> Explanations:
    if answers.predictions is None:
        answers.predictions = question.predict(answers.rows)
    feasible = np.isfinite(answers.value)
    distances = np.full(len(given), np.nan)
    if feasible.any():
        distances[feasible] = question.distance(answers.points[feasible], answers.rows[feasible])
    lower_bounds = np.where(feasible, np.minimum(answers.lower_bound, distances), answers.lower_bound)
    gaps = np.full(len(given), np.nan)
    gaps[feasible] = (distances - lower_bounds)[feasible] / np.where(distances[feasible] > 0, distances[feasible], 1.0)
    optimal = feasible & (gaps <= OPTIMAL_GAP)
    thresholds = np.array([-np.inf if item is None else item.log_threshold_ for item in question.densities] + [-np.inf])
    labels = [question.label(g) for g in range(len(question.outcomes))] + [None]
    return Explanations(
        x=given.copy(),
        counterfactuals=answers.points,
        targets=tuple(labels[g] for g in answers.goal.tolist()),
        predictions=answers.predictions,
        statuses=np.where(optimal, "optimal", np.where(feasible, "feasible", "infeasible")),
        distances=distances,
        lower_bounds=lower_bounds,
        gaps=gaps,
        log_densities=answers.log_density,
        log_densities_mixture=answers.log_mixture,
        log_thresholds=thresholds[answers.goal],
        components=answers.component,
        model_free=answers.model_free & feasible,
        reasons=_reasons(question, wanted, answers, feasible, optimal),
        feature_names=question.feature_names,
        n_projections=answers.n_projections,
    )


def _reasons(
    question: Question, wanted: IntArray, answers: _Answers, feasible: BoolArray, optimal: BoolArray
) -> tuple[str, ...]:
    """Write a sentence for every row that is not simply optimal."""
    reasons = [""] * len(wanted)
    why_not: dict[int, str] = {}
    for row in np.flatnonzero(~optimal | answers.already).tolist():
        goal = int(answers.goal[row])
        if goal < 0:
            reasons[row] = "The model knows no other class."
        elif answers.already[row]:
            dense = " and the row is dense enough" if answers.component[row] >= 0 else ""
            reasons[row] = (
                f"The model does {question.in_words(goal)} for the row already{dense}: nothing has to change."
            )
        elif feasible[row]:
            cause = "the time limit ended it" if answers.timed_out[row] else "rounding limits it"
            reasons[row] = f"The proof of optimality is not finished: {cause}."
        elif np.isfinite(answers.lower_bound[row]):  # cells are left that are not proven empty
            reasons[row] = (
                f"No point at which the model would {question.in_words(goal)} was confirmed: at every candidate its "
                "own predict, or the density evaluated afresh, said otherwise. It is not proven that there is none."
            )
        else:
            if goal not in why_not:
                why_not[goal] = question.why_not(goal)
            reasons[row] = ("No other class can be reached. " if wanted[row] < 0 else "") + why_not[goal]
    return tuple(reasons)
