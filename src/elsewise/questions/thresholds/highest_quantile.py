"""The highest density quantile at which a row has an answer.

Proofs are dear, and as a rule two will do: a first answer is changed, column by column, as long as it becomes denser;
one step above what it reaches there is then mostly none. Otherwise strides become longer with every answer, and are
halved where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import AnyArray, FloatArray
from ...search import Domain
from ...search.branch_and_bound.rounding import Rounding
from ...search.constants import MARGINS
from ...table.frames import rows_of
from ..moves import single_moves
from ..solving.answers import Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..solving.question import Question

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
        given: Any,
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
