"""From rows to verified answers: search, check what was found as it will be returned, and widen where needed.

The search works in exact arithmetic's name; the model and the density have the last word. A point counts only after it
is written in the user's own columns and dtypes, the model's own ``predict`` decides for the outcome there, its density,
evaluated afresh, reaches the threshold, and every rule is kept. Where the model disagrees by rounding, the search is
repeated with a wider margin, and without the point itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Table
from .columns.frames import blanked, is_frame, rows_of
from .constraints import Rules
from .density import ClassDensity
from .distances import ResolvedMahalanobis, ResolvedManhattan
from .explanation import Explanations, concatenate
from .infeasibility import why_infeasible
from .projection.coordinates import row_product
from .regions.base import Interval, Label, Outcome
from .search import Answered, Domain, Found, SearchProblem, best_first, branch_and_bound, distinct

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Relative margins, widened step by step until model and density agree.
MARGINS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
# Polyhedra given up for a row before the row is.
_MOST_BANS = 20
# An answer whose relative gap is at most this is called optimal.
OPTIMAL_GAP = 1e-6


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, about any rows.

    Attributes
    ----------
    table : Table
    rules : Rules
    predict : function of features, their rows as given, and those rows' features
        The model's own, on the rows as they would be returned.
    probability : the same and a class's position
        The model's own.
    density_rows : function of features
        What the density is a density of.
    problem : SearchProblem
    domain : function of rows in features, or None
        What rows may become; None where nothing is whole, a category, or ruled.
    outcomes : tuple of outcomes, one a goal
    densities : tuple of ClassDensity, one a goal; None without a density constraint
    distance : resolved distance
    classes : array of labels, None for a regressor
    time_limit : seconds a row, or None
    use_model : bool
        False drops the classification constraint: any point will do that is dense enough (Theorem 2).
    """

    table: Table
    rules: Rules
    predict: Callable[[FloatArray, Any, FloatArray], NDArray[Any]]
    probability: Callable[[FloatArray, Any, FloatArray, int], FloatArray]
    density_rows: Callable[[FloatArray], FloatArray]
    problem: SearchProblem
    domain: Callable[[FloatArray], Domain] | None
    outcomes: tuple[Outcome, ...]
    densities: tuple[ClassDensity | None, ...]
    distance: ResolvedManhattan | ResolvedMahalanobis
    classes: NDArray[Any] | None
    time_limit: float | None
    use_model: bool = True

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
        mine = self.problem.goals[goal]
        if self.domain is not None:
            return (
                f"No row that makes the model {self.in_words(goal)} is both dense enough and within the rules. "
                "explainer.why_not(row, target, constraints) says which rules contradict each other."
            )
        return why_infeasible(mine.region, self.densities[goal], self.problem.to_model, self.in_words(goal))


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

    def pursue(self, at: IntArray, goal: IntArray) -> None:
        """Search the goals of the rows ``at``; keep what is verified and nearer than what they hold."""
        fresh = self.goal[at] < 0
        self.goal[at[fresh]] = goal[fresh]
        most = max((mine.n_polyhedra for mine in self.question.problem.goals), default=0)
        banned = np.zeros((len(at), most), dtype=np.bool_)
        banned_bound = np.full(len(at), np.inf)
        step = 0
        while len(at):
            found = self._search(at, goal, MARGINS[step], banned if banned.any() else None)
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
        if not is_frame(self.given) or not has_point.any():
            return points
        table, here = self.question.table, at[has_point]
        written = table.decode(points[has_point], rows_of(self.given, here), encoded=self.rows[here])
        back = points.copy()
        back[has_point] = table.encode(written)
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

        The model decides for the goal, and no rule is broken.
        """
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
        for row in range(len(self.rows)):
            answered = []
            for before in earlier:
                if np.isfinite(before.value[row]):
                    columns = np.flatnonzero(self.question.table.changed(self.rows[[row]], before.points[[row]])[0])
                    answered.append(Answered(columns, int(before.polyhedron[row]), int(before.cone[row])))
            self.answered[row] = tuple(answered)
        if len(found):
            self.pursue(found, last.goal[found])


def answer(
    question: Question, given: Any, rows: FloatArray, goal: IntArray, n_counterfactuals: int = 1
) -> Explanations:
    """Answer for a chunk of rows.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came, to be echoed.
    rows : array of shape (n_samples, n_features)
        The same in features.
    goal : int array of shape (n_samples,)
        Which goal each row has; -1 asks for the nearest class other than the present one.
    n_counterfactuals : int
        So many answers a row, best first, as far as there are any that differ.
    """
    answers = Answers(question, given, rows)
    chosen = np.flatnonzero(goal >= 0)
    if len(chosen):
        answers.pursue(chosen, goal[chosen])
    open_choice = np.flatnonzero(goal < 0)
    if len(open_choice):
        assert question.classes is not None
        predictions = answers.predict_rows()
        for g, label in enumerate(question.classes):
            others = open_choice[predictions[open_choice] != label]
            if len(others):
                answers.pursue(others, np.full(len(others), g))
    everything = [answers]
    while len(everything) < n_counterfactuals:
        further = Answers(question, given, rows)
        further.answer_that_differs(everything)
        if not np.isfinite(further.value).any():
            break
        everything.append(further)
    if n_counterfactuals == 1:
        return explanations_of(question, goal, answers, np.arange(len(rows)))
    return _in_turn([explanations_of(question, goal, each, np.arange(len(rows))) for each in everything])


def _in_turn(rounds: list[Explanations]) -> Explanations:
    """All answers of the first row, then those of the second, and so on; only the first round has infeasible ones."""
    joined = concatenate(rounds)
    n = len(rounds[0])
    turn = np.arange(len(joined)) // n
    keep = np.flatnonzero((turn == 0) | (joined.statuses != "infeasible"))
    return joined.take(keep[np.lexsort((turn[keep], joined.rows[keep]))])


def explanations_of(question: Question, wanted: IntArray, answers: Answers, numbers: IntArray) -> Explanations:
    """Put verified answers in the user's form; ``numbers`` say which rows of the batch they are about."""
    predictions, given = answers.predict_rows(), answers.given
    feasible = np.isfinite(answers.value)
    distances = np.full(len(feasible), np.nan)
    shares = np.zeros((len(feasible), len(question.table.columns)))
    if feasible.any():
        before, after = answers.rows[feasible], answers.points[feasible]
        distances[feasible] = question.distance(after, before)
        shares[feasible] = _shares(question, before, after)
    lower_bounds = np.where(feasible, np.minimum(answers.lower_bound, distances), answers.lower_bound)
    gaps = np.full(len(feasible), np.nan)
    gaps[feasible] = (distances - lower_bounds)[feasible] / np.where(distances[feasible] > 0, distances[feasible], 1.0)
    optimal = feasible & (gaps <= OPTIMAL_GAP)
    thresholds = np.array([-np.inf if item is None else item.log_threshold_ for item in question.densities] + [-np.inf])
    labels = [question.label(g) for g in range(len(question.outcomes))] + [None]
    points = np.where(feasible[:, None], answers.points, answers.rows)
    return Explanations(
        x=rows_of(given, np.arange(len(feasible))),
        counterfactuals=blanked(question.table.decode(points, given, encoded=answers.rows), ~feasible),
        changed=question.table.changed(answers.rows, points),
        targets=tuple(labels[g] for g in answers.goal.tolist()),
        predictions=predictions,
        statuses=np.where(optimal, "optimal", np.where(feasible, "feasible", "infeasible")),
        distances=distances,
        lower_bounds=lower_bounds,
        gaps=gaps,
        log_densities=answers.log_density,
        log_densities_mixture=answers.log_mixture,
        log_thresholds=thresholds[answers.goal],
        plausibilities=_plausibilities(question, answers),
        components=answers.component,
        model_free=answers.model_free & feasible,
        reasons=_reasons(question, wanted, answers, feasible, optimal),
        n_projections=answers.n_projections,
        shares=shares,
        rows=numbers,
        table=question.table,
    )


def _plausibilities(question: Question, answers: Answers) -> FloatArray:
    """Compute the share of the target's training rows that are no denser than each answer; NaN without a density."""
    shares = np.full(len(answers.goal), np.nan)
    for g in distinct(answers.goal):
        density = question.densities[g] if g >= 0 else None
        if density is not None and len(density.log_densities_):
            at = np.flatnonzero((answers.goal == g) & np.isfinite(answers.log_density))
            below = np.searchsorted(density.log_densities_, answers.log_density[at], side="right")
            shares[at] = below / len(density.log_densities_)
    return shares


def _shares(question: Question, before: FloatArray, after: FloatArray) -> FloatArray:
    """Compute what each column adds to the distance, array of shape (n_samples, n_columns)."""
    difference, distance = after - before, question.distance
    if isinstance(distance, ResolvedManhattan):
        each = np.abs(difference) * distance.weights
    else:
        each = difference * row_product(difference, distance.omega)  # the same bits in any batch
    starts = [column.start for column in question.table.columns]
    return np.asarray(np.add.reduceat(each, starts, axis=1))


def _reasons(
    question: Question, wanted: IntArray, answers: Answers, feasible: BoolArray, optimal: BoolArray
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
            cause = "rounding limits it"
            if answers.timed_out[row]:
                cause = "the search grew too large" if question.time_limit is None else "the time limit ended it"
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
