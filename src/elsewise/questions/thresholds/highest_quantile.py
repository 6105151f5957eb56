"""The highest density quantile at which a row has an answer.

Proofs are expensive, and mostly two will do: a first answer is changed, column by column, as long as it becomes denser;
one step above what it reaches there is then mostly none. Otherwise strides become longer with every answer, and are
halved where there is none.

The best there is: where nothing is as dense as asked, the nearest answer at the highest quantile that works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...arrays import AnyArray, BoolArray, FloatArray, IntArray, UserData
from ...density import at_threshold
from ...search import Domain
from ...search.branch_and_bound.rounding import Rounding
from ...search.constants import MARGINS
from ...table.frames import rows_of
from ..moves import single_moves
from ..solving.answers import Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..solving.question import Question, pose
from .fixed_columns import FixedPart

# Steps in which the highest quantile that works is looked for.
QUANTILE_STEPS = 1000
# Nats that a change must make a point denser by: what is less is rounding.
LEAST_CLIMB = 1e-6
# Answers above what a climb reached after which it is no longer taken for the highest.
ANSWERS_BEFORE_STRIDES = 3


class HighestQuantile:
    """Looks for the highest quantile at which a row has an answer.

    Parameters
    ----------
    question : Question
        With one goal, for rows with thresholds of their own.
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    predictions : array of shape (1,)
        What the model says of the row.
    level : function of a quantile
        The log density that the row asks for at a quantile.
    deadline : Deadline
    """

    def __init__(
        self,
        question: Question,
        given: UserData,
        row: FloatArray,
        predictions: AnyArray,
        level: Callable[[float], float],
        deadline: Deadline,
    ) -> None:
        self.question = question.for_any_answer()
        self.given, self.row, self.predictions, self.level = given, row, predictions, level
        self.deadline = deadline

    def find(self, below: float = 1.0) -> tuple[float | None, FloatArray]:
        """Find it.

        Parameters
        ----------
        below : float
            A quantile at which there is none.

        Returns
        -------
        quantile : float or None
            To three digits, rounded down; None if there is no answer at any.
        points : array of shape (at most 1, n_features)
            What shows it.
        """
        low, high, stride = 0, min(int(np.ceil(below * QUANTILE_STEPS)), QUANTILE_STEPS), 1
        shown, n_found = self.row[:0], 0
        while high - low > 1:
            step = min(low + stride, high - 1)
            answers = self._answers([step])
            answers.reach(np.array([0]), np.array([0]))
            if self.deadline.ends is not None and answers.is_unknown(0):
                raise TimeIsOverError
            if np.isfinite(answers.value[0]):
                reached, shown = self._climb(answers)
                low, n_found = min(max(step, reached), high - 1), n_found + 1
                stride = min(stride if n_found < ANSWERS_BEFORE_STRIDES else 2 * stride, max(1, (high - low) // 2))
            else:
                high, stride = step, max(1, (step - low) // 2)
        return (low / QUANTILE_STEPS if low else None), shown

    def _climb(self, answers: Answers) -> tuple[int, FloatArray]:
        """Change an answer, column by column, as long as it becomes denser: the highest step it reaches, and where."""
        assert answers.domain is not None
        place, question = np.array([0]), self.question
        domain = replace(answers.domain, widening=answers.widening(place, place))
        lattice, row, point = question.lattice, self.row, answers.points
        if lattice is not None:  # as the search sees them
            domain, row, point = lattice.domain(domain, row), lattice.counts(row), lattice.counts(point)
        checks = Rounding(question.searched, row, place, domain, MARGINS[0], question.use_model)
        best = float(answers.log_density[0])

        def log_densities(points: FloatArray) -> FloatArray:
            values = points if lattice is None else lattice.values(points)
            return answers.verification.densities(values, *np.zeros((2, len(points)), dtype=np.int64)).largest

        while True:
            moves = single_moves(point, row, domain, question.searched.coordinates.stretch)
            logs = log_densities(moves)
            better = np.flatnonzero(logs > best + LEAST_CLIMB)
            better = better[np.argsort(-logs[better], kind="stable")]
            better = better[checks.check(np.zeros(len(better), dtype=np.int64), moves[better]).holds]
            if len(better) == 0:
                break
            tries = self._together(point, moves[better], domain)
            logs = log_densities(tries)
            logs[~checks.check(np.zeros(len(tries), dtype=np.int64), tries).holds] = -np.inf
            point, best = tries[[logs.argmax()]], float(logs.max())
        point = point if lattice is None else lattice.points(point, self.row)
        if not question.is_tentative:
            predictions = answers.verification.predict(point, place)
            if not answers.verification.holds(point, place, place, predictions)[0]:
                point, best = answers.points, float(answers.log_density[0])
        return self._step_of(best), point

    def _together(self, point: FloatArray, moves: FloatArray, domain: Domain) -> FloatArray:
        """Make the best move of a column, of the two best columns, and so on; moves are ordered, the best first."""
        column = domain.layout.changed(point, moves).argmax(axis=1)
        _, first = np.unique(column, return_index=True)
        tries = np.repeat(point, len(first), axis=0)
        for place, move in enumerate(np.sort(first).tolist()):
            of_column = domain.layout.column == column[move]
            tries[place:, of_column] = moves[move, of_column]
        return tries

    def _step_of(self, log_density: float) -> int:
        """Find the highest step whose threshold a log density reaches."""
        low, high = 0, QUANTILE_STEPS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._level(middle) <= log_density else (low, middle)
        return low

    def _answers(self, steps: list[int]) -> Answers:
        same = np.zeros(len(steps), dtype=np.int64)
        levels = np.array([[self._level(step)] for step in steps]).reshape(-1, 1)
        question = replace(self.question, options=replace(self.question.options, time_limit=self.deadline.left()))
        given = rows_of(self.given, same)
        return Answers(question, given, self.row[same], self.predictions[same], log_thresholds=levels)

    def _level(self, step: int) -> float:
        return self.level(step / QUANTILE_STEPS)


# What is taken over of an answer that is less dense than asked.
_TAKEN = ("log_density", "log_mixture", "component")


def settle_for_densest(answers: Answers, goals: IntArray, is_proven: BoolArray | None = None) -> None:
    """Answer rows that are proven to have no answer by the nearest one at the highest density quantile that works.

    Parameters
    ----------
    answers : Answers
    goals : int array of shape (n_samples,)
        Which goal each row has, -1 for any class but the present one: the one with the highest quantile is taken.
    is_proven : bool array of shape (n_samples,), optional
        Whether a row is proven to have no answer, where the search of the answers themselves does not prove it.
    """
    question = answers.question
    has_none = ~np.isfinite(answers.value) & np.isposinf(answers.lower_bound) & (answers.goal >= 0)
    has_none = has_none if is_proven is None else has_none & is_proven
    for row in np.flatnonzero(has_none).tolist():
        asked = [int(goals[row])] if goals[row] >= 0 else _other_classes(answers, row)
        left = float(answers.seconds.left[row])
        deadline = Deadline(left if np.isfinite(left) else None)  # for all goals together
        with_density = [goal for goal in asked if question.densities[goal] is not None]
        found = [_densest(answers, row, goal, deadline) for goal in with_density]
        best = max((each for each in found if each is not None), key=lambda each: each[0], default=None)
        if best is not None:
            _take(answers, row, *best)


def _other_classes(answers: Answers, row: int) -> list[int]:
    classes = answers.question.fitted.classes
    assert classes is not None
    return np.flatnonzero(classes != answers.predictions[row]).tolist()


def _densest(answers: Answers, row: int, goal: int, deadline: Deadline) -> tuple[float, int, Answers] | None:
    """Find the highest quantile at which a goal has an answer for a row, and the nearest one there."""
    question = answers.question
    place, density = np.array([row]), question.densities[goal]
    assert density is not None
    own = pose(
        question.fitted,
        [question.outcomes[goal]],
        question.rules,
        options=replace(question.options, n_counterfactuals=1),
        densities=[density],
        use_model=question.use_model,
        branches=True,
        own_thresholds=True,
    )
    given, features, predictions = rows_of(answers.given, place), answers.rows[place], answers.predictions[place]
    part: FixedPart | None = Answers(own, given, features, predictions).fixed_parts[0][0]

    def level(quantile: float) -> float:
        return at_threshold(density, quantile).log_threshold_ if part is None else part.log_threshold(quantile)

    below = 1.0 if density.quantile_ is None else density.quantile_
    for is_tentative in (True, False):  # should the model not agree with the search, every step is checked with it
        asked = replace(own, is_tentative=is_tentative)
        try:
            quantile, _ = HighestQuantile(asked, given, features, predictions, level, deadline).find(below)
            own = replace(own, options=replace(own.options, time_limit=deadline.left()))
        except TimeIsOverError:
            return None
        if quantile is None:
            return None
        nearest = Answers(own, given, features, predictions, log_thresholds=np.array([[level(quantile)]]))
        nearest.reach(np.array([0]), np.array([0]))
        if np.isfinite(nearest.value[0]):
            return quantile, goal, nearest
    return None


def _take(answers: Answers, row: int, quantile: float, goal: int, nearest: Answers) -> None:
    answers.goal[row] = goal
    answers.ledger.adopt([row], nearest.ledger)
    for name in _TAKEN:
        getattr(answers, name)[row] = getattr(nearest, name)[0]
    answers.log_thresholds[row, goal] = nearest.log_thresholds[0, 0]
    answers.fixed_parts[goal][row] = nearest.fixed_parts[0][0]
    answers.highest_quantile[row] = quantile
