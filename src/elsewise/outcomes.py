"""From rows and wanted outcomes to verified answers.

The search works on closed cells in floating point; the model decides with its own arithmetic and strict inequalities.
So every point is put to the model itself and to the density afresh, exactly as it will be returned, and that is the last
thing that happens to it. A point that fails is searched again with a wider margin; a polyhedron whose points fail at
every margin (two equal prototypes of different classes, say) is left out, and the bound keeps counting it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from .search import SearchProblem, best_first

# Relative margins tried in turn; the first keeps the gap far below 1e-6.
MARGINS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
# A relative gap up to this counts as proven optimal.
OPTIMAL_GAP = 1e-6
# Polyhedra a row may find unreachable in floating point before giving up.
_MOST_BANS = 25


@dataclass(frozen=True, slots=True)
class Question:
    """All that is needed to answer for any row.

    Attributes
    ----------
    predict : function of rows, the model's own
    probability : function of rows and a class's position, the model's own
    problems : compiled search problem of every outcome
    densities : density of every outcome, None without a density constraint
    distance : resolved distance
    classes : labels of the model, None for a regressor
    feature_names : tuple of str
    time_limit : seconds a row, or None
    """

    predict: Callable[[FloatArray], NDArray[Any]]
    probability: Callable[[FloatArray, int], FloatArray]
    problems: Mapping[Outcome, SearchProblem]
    densities: Mapping[Outcome, ClassDensity | None]
    distance: ResolvedManhattan | ResolvedMahalanobis
    classes: NDArray[Any] | None
    feature_names: tuple[str, ...]
    time_limit: float | None

    def holds(self, points: FloatArray, outcome: Outcome, predictions: NDArray[Any] | None = None) -> NDArray[np.bool_]:
        """Whether the model itself decides for the outcome at each point."""
        predicted = self.predict(points) if predictions is None else predictions
        if isinstance(outcome, Interval):
            return np.asarray((predicted >= outcome.low) & (predicted <= outcome.high))
        assert self.classes is not None
        valid = np.asarray(predicted == self.classes[outcome.index])
        if outcome.min_probability is not None and valid.any():
            valid[valid] = self.probability(points[valid], outcome.index) >= outcome.min_probability
        return valid

    def label(self, outcome: Outcome) -> Any:
        """The outcome as the user gave it."""
        if isinstance(outcome, Interval):
            return (outcome.low, outcome.high)
        assert self.classes is not None
        return self.classes[outcome.index]

    def in_words(self, outcome: Outcome) -> str:
        """The outcome as the end of a sentence."""
        if isinstance(outcome, Interval):
            return f"predict a value from {outcome.low:g} to {outcome.high:g}"
        assert self.classes is not None
        with_probability = "" if outcome.min_probability is None else f" with probability {outcome.min_probability:g}"
        return f"predict {self.classes.tolist()[outcome.index]!r}{with_probability}"


class Answers:
    """Answers under construction, arrays over the rows of a chunk."""

    def __init__(self, rows: FloatArray) -> None:
        n = len(rows)
        self.points = np.full_like(rows, np.nan)
        self.value = np.full(n, np.inf)  # as the search counts it
        self.lower_bound = np.full(n, np.inf)
        self.log_density = np.full(n, np.nan)
        self.log_mixture = np.full(n, np.nan)
        self.component = np.full(n, -1)
        self.model_free = np.zeros(n, dtype=np.bool_)
        self.finished = np.ones(n, dtype=np.bool_)
        self.n_projections = np.zeros(n, dtype=np.int64)
        self.outcome: list[Outcome | None] = [None] * n
        self.already = np.zeros(n, dtype=np.bool_)


def answer(
    question: Question, given: NDArray[Any], rows: FloatArray, wanted: Sequence[Outcome | None]
) -> Explanations:
    """Answer for a chunk of rows.

    Parameters
    ----------
    question : Question
    given : array of shape (n_samples, n_features)
        The rows as they came, to be echoed.
    rows : array of shape (n_samples, n_features)
        The same as clean float64.
    wanted : sequence of outcomes, None for the nearest other class
    """
    predictions = question.predict(rows)
    answers = Answers(rows)
    for outcome in question.problems:
        mine = np.array([item == outcome for item in wanted], dtype=np.bool_)
        if isinstance(outcome, Label) and outcome.min_probability is None:
            assert question.classes is not None
            open_choice = np.array([item is None for item in wanted], dtype=np.bool_)
            mine |= open_choice & (predictions != question.classes[outcome.index])
        at = np.flatnonzero(mine)
        if len(at):
            _answer_outcome(question, outcome, rows, predictions, at, answers)
    return _explanations(question, given, rows, wanted, predictions, answers)


def _answer_outcome(
    question: Question, outcome: Outcome, rows: FloatArray, predictions: NDArray[Any], at: NDArray[Any], answers: Answers
) -> None:
    """Search one outcome for the rows ``at``, keep what is verified and nearer than what they hold."""
    problem, density = question.problems[outcome], question.densities[outcome]
    for row in at:
        if answers.outcome[row] is None:
            answers.outcome[row] = outcome

    # Rows the model already decides for: the row itself, if it is dense enough.
    already = question.holds(rows[at], outcome, predictions[at])
    if already.any():
        inside = at[already]
        logs = _densities(problem, density, rows[inside])
        dense = np.ones(len(inside), dtype=np.bool_) if density is None else logs.largest >= density.log_threshold_
        here = inside[dense]
        answers.points[here], answers.value[here], answers.lower_bound[here] = rows[here], 0.0, 0.0
        answers.log_density[here], answers.log_mixture[here] = logs.largest[dense], logs.mixture[dense]
        answers.component[here], answers.already[here] = logs.component[dense], True
        answers.model_free[here] = density is not None
        at = np.setdiff1d(at, here)

    banned = np.zeros((len(rows), problem.region.n_polyhedra), dtype=np.bool_)
    bans = np.zeros(len(rows), dtype=np.int64)
    banned_bound = np.full(len(rows), np.inf)
    step = 0
    while len(at):
        found = best_first(
            problem,
            rows[at],
            cutoff=answers.value[at],
            margin=MARGINS[step],
            banned=banned[at] if banned[at].any() else None,
            time_limit=question.time_limit,
        )
        answers.n_projections[at] += found.n_projections
        points = rows[at] + problem.coordinates.differences(found.difference)
        has_point = np.isfinite(found.value)
        logs = _densities(problem, density, np.where(has_point[:, None], points, rows[at]))
        good = has_point.copy()
        if density is not None:
            good &= logs.largest >= density.log_threshold_
        if good.any():
            good[good] = question.holds(points[good], outcome)
        settled = good | ~has_point
        bound = np.minimum(found.lower_bound, banned_bound[at])
        answers.lower_bound[at[settled]] = np.minimum(answers.lower_bound[at], bound)[settled]
        answers.finished[at[settled]] &= (found.finished & ~banned[at].any(axis=1))[settled]
        better = at[good]
        answers.points[better], answers.value[better] = points[good], found.value[good]
        answers.log_density[better], answers.log_mixture[better] = logs.largest[good], logs.mixture[good]
        answers.component[better], answers.model_free[better] = logs.component[good], found.model_free[good]
        for row in better:
            answers.outcome[row] = outcome
        failed = ~settled
        if step + 1 < len(MARGINS):
            step += 1
        elif failed.any():
            stuck = at[failed]
            banned[stuck, found.polyhedron[failed]] = True
            banned_bound[stuck] = np.minimum(banned_bound[stuck], found.lower_bound[failed])
            bans[stuck] += 1
            given_up = failed & (bans[at] > _MOST_BANS)
            answers.lower_bound[at[given_up]] = np.minimum(answers.lower_bound[at], banned_bound[at])[given_up]
            answers.finished[at[given_up]] = False
            failed &= ~given_up
        at = at[failed]


@dataclass(frozen=True, slots=True)
class _LogDensities:
    largest: FloatArray
    mixture: FloatArray
    component: NDArray[np.int64]


def _densities(problem: SearchProblem, density: ClassDensity | None, points: FloatArray) -> _LogDensities:
    """Log densities of points, each with the same bits in any batch."""
    if density is None:
        nothing = np.full(len(points), np.nan)
        return _LogDensities(nothing, nothing, np.full(len(points), -1))
    Z = row_product(points, problem.to_model.matrix.T) + problem.to_model.offset
    logs = density.log_components(Z)
    component = logs.argmax(axis=1)
    largest = logs[np.arange(len(Z)), component]
    mixture = largest + np.log(np.exp(logs - largest[:, None]).sum(axis=1))
    return _LogDensities(largest, mixture, component.astype(np.int64))


def _explanations(
    question: Question,
    given: NDArray[Any],
    rows: FloatArray,
    wanted: Sequence[Outcome | None],
    predictions: NDArray[Any],
    answers: Answers,
) -> Explanations:
    feasible = np.isfinite(answers.value)
    distances = np.full(len(rows), np.nan)
    if feasible.any():
        distances[feasible] = question.distance(answers.points[feasible], rows[feasible])
    lower_bounds = np.where(feasible, np.minimum(answers.lower_bound, distances), answers.lower_bound)
    gaps = np.full(len(rows), np.nan)
    gaps[feasible] = (distances - lower_bounds)[feasible] / np.where(distances[feasible] > 0, distances[feasible], 1.0)
    optimal = feasible & (gaps <= OPTIMAL_GAP)
    statuses = np.where(optimal, "optimal", np.where(feasible, "feasible", "infeasible"))
    reasons = [""] * len(rows)
    sentences: dict[Outcome, str] = {}
    for row in np.flatnonzero(~optimal | answers.already):
        outcome = answers.outcome[row]
        if outcome is None:
            reasons[row] = "The model knows no other class."
        elif answers.already[row]:
            dense = "" if question.densities[outcome] is None else " and the row is dense enough"
            reasons[row] = f"The model already does {question.in_words(outcome)}{dense}: nothing has to change."
        elif feasible[row]:
            reasons[row] = (
                "The proof of optimality is not finished: "
                + ("the time limit ended it." if question.time_limit is not None else "rounding in the model limits it.")
            )
        else:
            if outcome not in sentences:
                problem = question.problems[outcome]
                sentences[outcome] = why_infeasible(
                    problem.region, question.densities[outcome], problem.to_model, question.in_words(outcome)
                )
            reasons[row] = sentences[outcome]
            if wanted[row] is None:
                reasons[row] = "No other class can be reached. " + reasons[row]
    thresholds = [
        -np.inf if outcome is None or (density := question.densities[outcome]) is None else density.log_threshold_
        for outcome in answers.outcome
    ]
    labels = [None if outcome is None else question.label(outcome) for outcome in answers.outcome]
    return Explanations(
        x=given.copy(),
        counterfactuals=answers.points,
        targets=labels,
        predictions=predictions,
        statuses=statuses,
        distances=distances,
        lower_bounds=lower_bounds,
        gaps=gaps,
        log_densities=answers.log_density,
        log_densities_mixture=answers.log_mixture,
        log_thresholds=np.array(thresholds),
        components=answers.component,
        model_free=answers.model_free & feasible,
        reasons=tuple(reasons),
        feature_names=question.feature_names,
        n_projections=answers.n_projections,
    )
