"""Ladders: what each better band takes, from the worst band to the best.

Every band is asked by itself, all of them in one search. A step of the ladder is a band *or a better one*: its nearest
answer is the nearest among this band's and those above, and its proven bound the smallest of theirs. So a harder step
is never nearer than an easier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray, IntArray
from ...models import Outcome
from ...table.frames import rows_of
from ..one_row import RowQuestion
from ..solving.answers import Answers
from ..solving.question import pose
from ..verification import Verification


@dataclass(frozen=True, slots=True, eq=False)
class LadderSteps:
    """Answers of one row to bands, from the worst to the best.

    Attributes
    ----------
    answers : Answers
        One row a band.
    band : int array of shape (n_bands,)
        The band whose answer is the nearest that reaches each band or a better one; -1 if none is known.
    lower_bound : array of shape (n_bands,)
        No answer that reaches the band or a better one is nearer; infinite if it is proven that there is none.
    current : int
        The best band that the row is in already; -1 for none.
    """

    answers: Answers
    band: IntArray
    lower_bound: FloatArray
    current: int


def climb(asked: RowQuestion, outcomes: Sequence[Outcome]) -> LadderSteps:
    """Find what each band takes.

    Parameters
    ----------
    asked : RowQuestion
        Its own outcome does not matter.
    outcomes : sequence of outcomes
        One a band, from the worst to the best.
    """
    n = len(outcomes)
    question = pose(asked.fitted, outcomes, asked.rules, options=asked.options, branches=True, own_thresholds=True)
    same, goals = np.zeros(n, dtype=np.int64), np.arange(n)
    rows, given, predictions = asked.row[same], rows_of(asked.given, same), asked.predictions[same]
    is_in = Verification(question, given, rows, predictions).holds(rows, goals, goals, predictions)
    current = int(np.flatnonzero(is_in).max(initial=-1))
    answers = Answers(question, given, rows, predictions)
    better = np.arange(current + 1, n)
    answers.reach(better, better)
    band, bounds = np.full(n, -1), np.full(n, np.inf)
    nearest, lowest = -1, np.inf
    for place in range(n - 1, current, -1):
        if np.isfinite(answers.value[place]) and (nearest < 0 or answers.value[place] < answers.value[nearest]):
            nearest = place
        lowest = min(lowest, float(answers.lower_bound[place]))
        band[place], bounds[place] = nearest, lowest
    return LadderSteps(answers, band, bounds, current)
