"""What was once said of a row, judged anew: a counterfactual, ranges, reasons, or that there is no recourse.

Another model may have been fitted since. A claim is "true" if it is proven, or the model itself says so; "false" if a
row contradicts it; "unknown" otherwise.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np

from ...arrays import FloatArray
from ..one_row import RowQuestion
from ..solving.answers import Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..verification import Verification
from .box_proof import BoxProof
from .ranges import is_confirmed

Verdict = Literal["true", "false", "unknown"]


def judge_point(asked: RowQuestion, point: FloatArray) -> Verdict:
    """Judge a point of shape (n_features,): the model decides for the outcome there, and all rules are kept."""
    question, first = asked.question(has_density=False), np.array([0])
    verification = Verification(question, asked.given, asked.row, asked.predictions)
    points = verification.as_returned(point[None], first, np.ones(1, dtype=np.bool_))
    holds = verification.holds(points, first, first, verification.predict(points, first))
    return "true" if bool(holds[0]) else "false"


def is_typical(asked: RowQuestion, point: FloatArray) -> bool | None:
    """Whether a point is as typical as the explainer asks now; None without a density."""
    question, first = asked.question(), np.array([0])
    if question.densities[0] is None:
        return None
    answers = Answers(question, asked.given, asked.row, asked.predictions)
    return bool(answers.verification.densities(point[None], first, first).is_dense[0])


def judge_box(asked: RowQuestion, point: FloatArray, lower: FloatArray, upper: FloatArray) -> Verdict:
    """Judge a box of features: the model decides for the outcome in all of it, and all rules are kept.

    Parameters
    ----------
    asked : RowQuestion
    point, lower, upper : arrays of shape (n_features,)
        The counterfactual, and the ends of the box.
    """
    answers = Answers(asked.question(has_density=False), asked.given, asked.row, asked.predictions)
    answers.goal[0] = 0
    if not is_confirmed(answers, 0, point, lower, upper):
        return "false"
    is_number = asked.fitted.table.group < 0
    if (upper == point).all() and (lower == point)[is_number].all():  # a single row, which was asked about
        return "true"
    start = np.where(is_number, np.clip(point, lower, upper), point)
    proof = BoxProof(answers, 0, start, Deadline(asked.options.time_limit))
    return "true" if proof.is_possible and proof.holds(lower, upper) else "unknown"


def judge_reasons(asked: RowQuestion, columns: Collection[str]) -> Verdict:
    """Judge that every realistic change of the row changes one of these columns; with no column, that there is none."""
    question = asked.question()
    free = asked.can_change(question) & np.array([name not in columns for name in asked.names])
    try:
        found = asked.reached(question, free[None])
    except TimeIsOverError:
        return "unknown"
    if np.isfinite(found.value[0]):
        return "false"
    return "true" if np.isinf(found.lower_bound[0]) else "unknown"
