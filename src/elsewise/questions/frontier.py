"""The walk along a frontier: one row, the same outcome, one density threshold after the other.

Thresholds are nested: what is dense enough for one is so for all below it, and nothing is nearer than at one below. So
an answer at a high quantile is a start for the lower ones, a bound at a low quantile holds for the higher ones, and
where both ends of a stretch have the same distance, everything between them has the same answer, without a search.
"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, UserData
from .solving.answers import Answers
from .solving.deadline import RowSeconds
from .solving.question import Question

# Relative difference of distances of which nothing more can be proven: neighbours on a frontier have the same answer.
SAME_DISTANCE = 1e-9


def walk(question: Question, given: UserData, row: FloatArray) -> list[Answers]:
    """Answer all goals of a question, of ascending thresholds and alike otherwise, for one row.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)

    Returns
    -------
    list of Answers, one a goal

    Notes
    -----
    All goals share the time limit of the row: a search has an equal share of what is left for those not solved yet.
    """
    n = len(question.outcomes)
    seconds = RowSeconds(question.options.time_limit, 1)
    solved: dict[int, Answers] = {}

    def solve(goal: int, below: Answers | None, above: Answers | None) -> None:
        answers = Answers(question, given, row, None if above is None else above.predictions, seconds)
        if above is not None:
            answers.start_from(above, goal)
        if below is not None and above is not None and below.value[0] >= above.value[0] * (1 - SAME_DISTANCE):
            answers.ledger.settle([0], below.lower_bound)
        else:
            answers.reach(np.array([0]), np.array([goal]), 1.0 / (n - len(solved)))
            if below is not None:
                answers.ledger.raise_bound(below.lower_bound)
        answers.goal[0] = goal
        solved[goal] = answers

    def between(low: int, high: int) -> None:
        if high - low > 1:
            middle = (low + high) // 2
            solve(middle, solved[low], solved[high])
            between(low, middle)
            between(middle, high)

    solve(n - 1, None, None)
    if n > 1:
        solve(0, None, solved[n - 1])
        between(0, n - 1)
    return [solved[goal] for goal in range(n)]
