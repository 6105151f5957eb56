"""The best there is: where nothing is as dense as asked, the nearest answer at the highest quantile that works."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import IntArray
from ...density import at_threshold
from ...table.frames import rows_of
from ..solving.answers import Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..solving.question import pose
from .fixed_columns import FixedPart
from .highest_quantile import HighestQuantile

# What is taken over of an answer that is less dense than asked.
_TAKEN = ("log_density", "log_mixture", "component")


def settle_for_densest(answers: Answers, goals: IntArray) -> None:
    """Give rows that are proven to have no answer the nearest one at the highest density quantile that works.

    Parameters
    ----------
    answers : Answers
    goals : int array of shape (n_samples,)
        Which goal each row has, -1 for any class but the present one: the one with the highest quantile is taken.
    """
    question = answers.question
    has_none = ~np.isfinite(answers.value) & np.isposinf(answers.lower_bound) & (answers.goal >= 0)
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
