"""The best answers of every row: the nearest first, then those that differ from all before.

Order of several answers of a row: nearest first, with proofs that hold in that order.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...answers.explanations import SAME_DISTANCE, Explanations
from ...arrays import BoolArray, FloatArray, IntArray, UserData
from ...proofs import Proof
from ...reasons import ProofUnfinished
from .answers import Answers
from .question import Question

# Seconds of a time limit from which on a model that is read is not timed first: its predict takes a few milliseconds a
# call, and a call more is a fourth of what a row takes that is easy.
TIME_TO_SPARE = 1.0


def answers_of(question: Question, given: UserData, rows: FloatArray, goals: IntArray) -> list[Answers]:
    """Answer for a chunk of rows.

    Parameters
    ----------
    question : Question
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came, to be echoed.
    rows : array of shape (n_samples, n_features)
        The same in features.
    goals : int array of shape (n_samples,)
        Which goal each row has; -1 asks for the nearest class other than the present one.

    Returns
    -------
    list of Answers
        The best ones of every row, then the second best, and so on: as many as asked for, as far as any differ;
        those after the last that differs say whether it is proven that there is none.
    """
    answers = Answers(question, given, rows)
    if _must_time_model(question):
        answers.ask_first()
    n_answers = question.options.n_counterfactuals
    share = 1.0 / n_answers  # of a row's time for each answer; what one leaves, the others have
    chosen = np.flatnonzero(goals >= 0)
    if len(chosen):
        answers.reach(chosen, goals[chosen], share)
    open_choice = np.flatnonzero(goals < 0)
    if len(open_choice):
        answers = _nearest_other_class(answers, open_choice, share)
    everything = [answers]
    while len(everything) < n_answers:
        further = Answers(question, given, rows, answers.predictions, answers.seconds)
        further.differ_from(everything, 1.0 / (n_answers - len(everything)))
        everything.append(further)
        if not np.isfinite(further.value).any():
            break
    return everything


def _nearest_other_class(answers: Answers, rows: IntArray, share: float) -> Answers:
    """Search all classes but the present one of rows; give the answers, which may be others than those begun with."""
    question = answers.question
    assert question.fitted.classes is not None
    likely = None if answers.verification.knows_predictions else _likely_goal(question, answers.rows)
    if likely is not None:  # the model is asked about the row and its answer together
        answers.reach(rows, np.array([likely]), share)
        if answers.predictions[0] != question.fitted.classes[likely]:
            return answers
        answers = Answers(question, answers.given, answers.rows, answers.predictions, answers.seconds)
    predictions, classes_left = answers.predictions, len(question.fitted.classes) - 1
    for goal, label in enumerate(question.fitted.classes):
        others = rows[predictions[rows] != label]
        if len(others):
            answers.reach(others, np.full(len(others), goal), share / max(classes_left - goal, 1))
    return answers


def _likely_goal(question: Question, rows: FloatArray) -> int | None:
    """Return which of two classes a single row is not of, by the region of the first; None where regions do not tell.

    The model itself has the last word: rounding may have it otherwise.
    """
    if len(rows) != 1 or len(question.problem.goals) != 2 or question.options.min_probability is not None:
        return None
    is_first = question.may_have(0, rows)
    return None if is_first is None else int(is_first)


def _must_time_model(question: Question) -> bool:
    """Whether what the model takes to judge a row may matter to the time that is left for a search."""
    limit, fitted = question.options.time_limit, question.fitted
    if limit is None or fitted.has_categories:  # encoders may not know what to do with one row whose level is missing
        return False
    return limit < TIME_TO_SPARE or fitted.training is not None


def repeated(answers: Sequence[Answers]) -> BoolArray:
    """Whether answers change all columns of a nearer one that was found later, shape (n_answers, n_samples).

    That happens where the search for an earlier answer ended early. Answers that keep a distance differ both ways.
    """
    values = np.array([each.value for each in answers])
    repeats = np.zeros(values.shape, dtype=np.bool_)
    domain = answers[0].domain
    if domain is None or answers[0].question.options.least_distance is not None:
        return repeats
    for early, late in itertools.combinations(range(len(answers)), 2):
        for row in np.flatnonzero(values[late] < values[early]).tolist():
            before = domain.layout.changed_units(answers[early].rows[row], answers[early].points[row])
            now = domain.layout.changed_units(answers[late].rows[row], answers[late].points[row])
            repeats[early, row] |= np.isfinite(values[early, row]) and bool(before[now].all())
    return repeats


def nearest_first(explanations: Explanations) -> Explanations:
    """Sort the answers of every row by distance, as found where distances are equal; rows keep their order.

    An answer is proven against rows that differ from all answers found before it. If the search for an earlier one
    ended early, a later one may be nearer: what the earlier one excluded may hold a nearer row, so its lower bound
    is a bound for the later one, too.

    Parameters
    ----------
    explanations : Explanations
        Several answers of a row follow each other in the order in which they were found.
    """
    distances, bounds = explanations.distances, explanations.lower_bounds.copy()
    found = explanations.found
    for row in np.unique(explanations.rows):
        places = np.flatnonzero((explanations.rows == row) & found)
        for rank, place in enumerate(places):
            farther = places[:rank][distances[places[:rank]] > distances[place]]
            bounds[place] = min(bounds[place], *explanations.lower_bounds[farther]) if len(farther) else bounds[place]
    lowered = bounds < explanations.lower_bounds
    if lowered.any():
        explanations = _with_bounds(explanations, bounds, lowered)
    order = np.lexsort((np.where(found, distances, np.inf), explanations.rows))
    return explanations if (order == np.arange(len(order))).all() else explanations.take(order)


def _with_bounds(explanations: Explanations, bounds: FloatArray, lowered: BoolArray) -> Explanations:
    distances = explanations.distances
    gaps = np.where(lowered, (distances - bounds) / np.where(distances > 0, distances, 1.0), explanations.gaps)
    is_open = lowered & (gaps > SAME_DISTANCE) & (explanations.statuses == "optimal")
    statuses = np.where(is_open, "feasible", explanations.statuses)
    causes = tuple(
        ProofUnfinished("time") if opened else cause for opened, cause in zip(is_open.tolist(), explanations.causes)
    )
    late = Proof(reason="an answer that was found later is nearer: what is proven is about other rows")
    proofs = tuple(late if low else proof for low, proof in zip(lowered.tolist(), explanations.proofs))
    return replace(explanations, lower_bounds=bounds, gaps=gaps, statuses=statuses, causes=causes, proofs=proofs)
