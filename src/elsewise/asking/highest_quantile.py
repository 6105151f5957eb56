"""The highest density quantile at which a row has an answer.

Points are cheap, proofs are not: a search of a few nodes finds a point at almost every quantile at which there is one.
So the quantile is narrowed down by such searches, and what they say is proven once, at the end: there is a verified
answer at the quantile, and none one step above. Should they have missed something, every step is proven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import AnyArray, FloatArray
from ..columns.frames import rows_of
from ..search import search_tree
from .answers import Answers
from .constants import FIRST_POINT, NODES_OF_A_TRY, QUANTILE_STEPS
from .question import Question


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
    """

    def __init__(
        self,
        question: Question,
        given: Any,
        row: FloatArray,
        predictions: AnyArray,
        level: Callable[[float], float],
    ) -> None:
        self.question = question.for_any_answer()
        self.given, self.row, self.predictions, self.level = given, row, predictions, level

    def find(self, below: float = 1.0) -> float | None:
        """Find it, to three digits, rounded down; None if there is no answer at any.

        Parameters
        ----------
        below : float
            A quantile at which there is none.
        """
        low = self._likely(min(int(np.ceil(below * QUANTILE_STEPS)), QUANTILE_STEPS))
        works = self._has_answer([low, low + 1])
        if works[0] and not works[1]:
            return low / QUANTILE_STEPS if low else None
        low, high = (low + 1, QUANTILE_STEPS) if works[1] else (0, low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._has_answer([middle])[0] else (low, middle)
        return low / QUANTILE_STEPS if low else None

    def _likely(self, high: int) -> int:
        """Bisect for the highest step at which a short search finds a point; 0 for none."""
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            found = self._try(middle)
            low, high = (min(max(found, middle), high - 1), high) if found else (low, middle)
        return low

    def _try(self, step: int) -> int:
        """Look for a point at a step, not for long: the highest step that it reaches, 0 without one."""
        answers, place = self._answers([step]), np.array([0])
        assert answers.domain is not None
        found = search_tree(
            self.question.problem,
            self.row,
            place,
            replace(answers.domain, widening=answers.widening(place, place)),
            use_region=self.question.use_model,
            time_limit=FIRST_POINT,
            most_nodes=NODES_OF_A_TRY,
            is_eager=True,
        )
        if not np.isfinite(found.value[0]):
            return 0
        logs = answers.verification.densities(found.points, place, place)
        return self._step_of(float(logs.largest[0])) if logs.is_dense[0] else 0

    def _step_of(self, log_density: float) -> int:
        """Find the highest step whose threshold a log density reaches."""
        low, high = 0, QUANTILE_STEPS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._level(middle) <= log_density else (low, middle)
        return low

    def _has_answer(self, steps: list[int]) -> list[bool]:
        """Whether there are answers at steps; there always is at 0, and never at the last."""
        asked = [step for step in steps if 0 < step < QUANTILE_STEPS]
        answers = self._answers(asked)
        answers.reach(np.arange(len(asked)), np.zeros(len(asked), dtype=np.int64))
        found = dict(zip(asked, np.isfinite(answers.value).tolist(), strict=True))
        return [found.get(step, step == 0) for step in steps]

    def _answers(self, steps: list[int]) -> Answers:
        same = np.zeros(len(steps), dtype=np.int64)
        levels = np.array([[self._level(step)] for step in steps]).reshape(-1, 1)
        return Answers(self.question, rows_of(self.given, same), self.row[same], self.predictions[same], levels)

    def _level(self, step: int) -> float:
        return self.level(step / QUANTILE_STEPS)
