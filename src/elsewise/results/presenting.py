"""Verified answers in the user's form: columns and dtypes, distances and gaps, a sentence where one is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..asking.answers import Answers
from ..asking.question import Question
from ..columns.frames import blanked, rows_of
from ..distances import ResolvedManhattan
from ..projection.coordinates import row_product
from .explanation import Explanations, concatenate

# An answer whose relative gap is at most this is called optimal.
OPTIMAL_GAP = 1e-6


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
    first = explanations_of(question, goal, answers, np.arange(len(rows)))
    later = [_found_only(question, goal, each) for each in everything[1:]]
    joined = concatenate([first, *later])
    turn = np.repeat(np.arange(len(everything)), [len(first), *(len(each) for each in later)])
    return joined.take(np.lexsort((turn, joined.rows)))


def _found_only(question: Question, goal: IntArray, answers: Answers) -> Explanations:
    """Present the rows that have an answer; dtypes are those of the rows, for nothing is missing."""
    found = np.flatnonzero(np.isfinite(answers.value))
    return explanations_of(question, goal, answers, np.arange(len(goal)), blank=False).take(found)


def explanations_of(
    question: Question, wanted: IntArray, answers: Answers, numbers: IntArray, *, blank: bool = True
) -> Explanations:
    """Put verified answers in the user's form.

    Parameters
    ----------
    question : Question
    wanted : int array of shape (n_samples,)
        Goals asked for, -1 for any other class.
    answers : Answers
    numbers : int array of shape (n_samples,)
        Which rows of the batch they are about.
    blank : bool, default=True
        Rows without an answer are blanked; else they echo the row.
    """
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
        counterfactuals=blanked(question.table.decode(points, given, encoded=answers.rows), ~feasible & blank),
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
    for g in np.unique(answers.goal[answers.goal >= 0]).tolist():
        density = question.densities[g]
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
