"""Verified answers in the user's form: columns and dtypes, distances and gaps, a reason where one is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..answers.explanations import Explanations, concatenate
from ..answers.records import OPTIMAL_GAP
from ..arrays import BoolArray, FloatArray, IntArray
from ..distances import ResolvedDistance, ResolvedManhattan
from ..models import Label
from ..projection.distance import row_product
from ..reasons import (
    STATUSES,
    LessDense,
    NoClassReachable,
    NoFurther,
    NoOtherClass,
    NothingToChange,
    OutOfTime,
    ProofUnfinished,
    Reason,
    Unconfirmed,
)
from ..search import distinct
from ..table import Table
from ..table.frames import blanked
from ..table.small_frames import copied
from .recourse.ranges import ranges_of
from .solving.answers import Answers
from .solving.certificates import proofs_of
from .solving.infeasibility import why_infeasible
from .solving.several_answers import repeated

_STATUSES = np.array(STATUSES)
_OPTIMAL, _FEASIBLE, _DENSEST, _INFEASIBLE, _UNKNOWN, _ = range(len(STATUSES))


def in_turn(answers: Sequence[Answers], goals: IntArray, numbers: IntArray) -> Explanations:
    """Present best, second best and further answers of rows with ascending numbers, row by row."""
    best = explanations_of(answers[0], goals, numbers)
    if len(answers) == 1:
        return best
    found, repeats = np.isfinite([each.value for each in answers]), repeated(answers)
    chosen = found & ~repeats
    chosen[0] |= ~found[0]  # rows without an answer say so once
    # dtypes of further answers are those of the rows, for none is missing
    every = [best, *(explanations_of(each, goals, numbers, blank=False) for each in answers[1:])]
    joined = concatenate([each.take(np.flatnonzero(rows)) for each, rows in zip(every, chosen)])
    turn = np.repeat(np.arange(len(answers)), chosen.sum(axis=1))
    joined = joined.take(np.lexsort((turn, joined.rows)))
    return _with_ends(joined, answers, numbers, found.sum(axis=0), repeats.sum(axis=0))


def _with_ends(
    joined: Explanations, answers: Sequence[Answers], numbers: IntArray, n_searched: IntArray, n_repeats: IntArray
) -> Explanations:
    """Say of the last answer of rows with fewer than were asked for whether it is proven that there is no other.

    A repeated answer excludes nothing that the nearer one does not, so a proof that nothing differs from all stays.
    Nobody looked for others that are less dense than asked.
    """
    n_asked, causes = answers[0].question.options.n_counterfactuals, list(joined.causes)
    for place, number in enumerate(numbers.tolist()):
        n_answers, n_repeated = int(n_searched[place]), int(n_repeats[place])
        is_open = n_answers == len(answers)  # the last search found one, too
        if n_answers == 0 or n_answers - n_repeated == n_asked or (is_open and not n_repeated):
            continue
        last = int(np.flatnonzero(joined.rows == number)[-1])
        own = causes[last]
        if own is None or isinstance(own, (ProofUnfinished, LessDense)):
            is_proven = not (is_open or isinstance(own, LessDense))
            is_proven = is_proven and bool(np.isposinf(answers[n_answers].lower_bound[place]))
            causes[last] = NoFurther(n_answers - n_repeated, n_asked, is_proven, own)
    return replace(joined, causes=tuple(causes))


def explanations_of(answers: Answers, goals: IntArray, numbers: IntArray, *, blank: bool = True) -> Explanations:
    """Put verified answers in the user's form.

    Parameters
    ----------
    answers : Answers
    goals : int array of shape (n_samples,)
        Goals asked for, -1 for any other class.
    numbers : int array of shape (n_samples,)
        Which rows of the batch they are about.
    blank : bool, default=True
        Rows without an answer are blanked; else they echo the row.
    """
    question, given = answers.question, answers.given
    table, distance = question.table, question.distance
    found = np.isfinite(answers.value)
    distances = np.full(len(found), np.nan)
    shares = np.zeros((len(found), len(table.columns)))
    if found.any():
        before, after = answers.rows[found], answers.points[found]
        distances[found] = distance(after, before)
        shares[found] = shares_of(table, distance, before, after)
    lower_bounds = np.where(found, np.minimum(answers.lower_bound, distances), answers.lower_bound)
    gaps = np.full(len(found), np.nan)
    gaps[found] = (distances - lower_bounds)[found] / np.where(distances[found] > 0, distances[found], 1.0)
    optimal = found & (gaps <= OPTIMAL_GAP)
    thresholds = np.where(
        answers.goal < 0, -np.inf, answers.log_thresholds[np.arange(len(found)), np.maximum(answers.goal, 0)]
    )
    labels = [question.label(goal) for goal in range(len(question.outcomes))] + [None]
    points = answers.points if found.all() else np.where(found[:, None], answers.points, answers.rows)
    quantiles = _quantiles(answers)
    written = answers.verification.written(points)
    return Explanations(
        x=copied(given),
        counterfactuals=blanked(written, ~found & blank),
        predictions=answers.predictions,
        targets=tuple(labels[goal] for goal in answers.goal.tolist()),
        statuses=_statuses(answers, found, optimal, lower_bounds),
        quantiles=quantiles,
        given=_given(answers, found),
        distances=distances,
        lower_bounds=lower_bounds,
        gaps=gaps,
        log_densities=answers.log_density,
        log_thresholds=np.where(_is_excused(answers, thresholds), -np.inf, thresholds),
        plausibilities=_plausibilities(answers, quantiles),
        model_free=answers.model_free & found,
        causes=_causes(answers, goals, found, optimal),
        log_densities_mixture=answers.log_mixture,
        components=answers.component,
        n_projections=answers.n_projections,
        changed=table.changed(answers.rows, points),
        shares=shares,
        row_features=answers.rows,
        features=points,
        rows=numbers,
        table=table,
        min_probabilities=_least_probabilities(answers),
        robust_radius=np.full(len(found), question.fitted.robust_radius),
        ranges=ranges_of(answers, found, shares, written) if question.options.ranges else (),
        proofs=proofs_of(answers, goals) if question.options.certificate else (),
    )


def _statuses(answers: Answers, found: BoolArray, optimal: BoolArray, lower_bounds: FloatArray) -> NDArray[np.str_]:
    """Name what is known of each row."""
    without = np.where(np.isposinf(lower_bounds), _INFEASIBLE, _UNKNOWN)
    said = np.where(optimal, _OPTIMAL, np.where(found, _FEASIBLE, without))
    said[np.isfinite(answers.highest_quantile)] = _DENSEST
    return _STATUSES[said]


def _is_excused(answers: Answers, thresholds: FloatArray) -> BoolArray:
    """Return which rows stay with the outcome they have though they are not dense enough: none is asked of them."""
    return np.asarray(answers.already & (answers.log_density < thresholds))


def _quantiles(answers: Answers) -> FloatArray:
    """Return the density quantile that each answer is held to; NaN where none was asked for."""
    asked = [
        np.nan if item is None or item.quantile_ is None else item.quantile_ for item in answers.question.densities
    ]
    quantiles = np.array([*asked, np.nan])[answers.goal]
    return np.where(np.isfinite(answers.highest_quantile), answers.highest_quantile, quantiles)


def _given(answers: Answers, found: BoolArray) -> BoolArray:
    """Return where the density is about what may change, given what cannot."""
    if answers.question.cones_at is None:
        return np.zeros(len(found), dtype=np.bool_)
    goals = answers.goal.tolist()
    parts = [goal >= 0 and answers.fixed_parts[goal][row] is not None for row, goal in enumerate(goals)]
    return np.asarray(np.array(parts, dtype=np.bool_) & found)


def _least_probabilities(answers: Answers) -> FloatArray:
    """Return what was asked for the goal of each answer; NaN for none."""
    asked = [item.min_probability if isinstance(item, Label) else None for item in answers.question.outcomes]
    return np.asarray(np.array([np.nan if least is None else least for least in (*asked, None)])[answers.goal])


def _plausibilities(answers: Answers, quantiles: FloatArray) -> FloatArray:
    """Compute the share of the target's training rows that are no denser than each answer; NaN without a density.

    A quantile between two rows is reached by an answer that only the lower one is no denser than: the share of rows
    would then fall short of the quantile by less than one row, and contradict it.

    ``quantiles`` are those that answers are held to.
    """
    shares = np.full(len(answers.goal), np.nan)
    for goal in distinct(answers.goal[answers.goal >= 0]):
        density = answers.question.densities[goal]
        if density is not None and len(density.log_densities_):
            dense = np.flatnonzero((answers.goal == goal) & np.isfinite(answers.log_density))
            below = np.searchsorted(density.log_densities_, answers.log_density[dense], side="right")
            shares[dense] = below / len(density.log_densities_)
            for row in dense.tolist() if answers.question.cones_at is not None else ():
                part = answers.fixed_parts[goal][row]
                shares[row] = shares[row] if part is None else part.share_no_denser(float(answers.log_density[row]))
            if density.quantile_ is not None:
                reached = dense[answers.log_density[dense] >= answers.log_thresholds[dense, goal]]
                shares[reached] = np.maximum(shares[reached], quantiles[reached])
    return shares


def shares_of(table: Table, distance: ResolvedDistance, before: FloatArray, after: FloatArray) -> FloatArray:
    """Compute what each column adds to the distance, array of shape (n_samples, n_columns)."""
    difference = after - before
    if isinstance(distance, ResolvedManhattan):
        each = distance.shares(difference)
    else:
        each = difference * row_product(difference, distance.omega)  # the same bits in any batch
    if table.is_identity:
        return np.asarray(each)
    return np.asarray(np.add.reduceat(each, [column.start for column in table.columns], axis=1))


def _causes(answers: Answers, goals: IntArray, found: BoolArray, optimal: BoolArray) -> tuple[Reason | None, ...]:
    """Return a reason for every row that is not simply optimal."""
    question = answers.question
    causes: list[Reason | None] = [None] * len(goals)
    ended = question.options.ended_by
    infeasible = {
        goal: why_infeasible(question, goal)
        for goal in distinct(answers.goal[~found & np.isposinf(answers.lower_bound) & (answers.goal >= 0)])
    }
    for row in np.flatnonzero(~optimal | answers.already | np.isfinite(answers.highest_quantile)).tolist():
        goal = int(answers.goal[row])
        if np.isfinite(answers.highest_quantile[row]):
            density = question.densities[goal]
            asked = None if density is None else density.quantile_
            causes[row] = LessDense(question.target(goal), float(answers.highest_quantile[row]), asked)
            continue
        if goal < 0:
            causes[row] = NoOtherClass()
        elif answers.already[row]:
            density = question.densities[goal]
            is_dense = density is not None and bool(answers.log_density[row] >= answers.log_thresholds[row, goal])
            causes[row] = NothingToChange(question.target(goal), is_dense)
        elif found[row]:
            causes[row] = _why_unfinished(answers, row)
        elif np.isfinite(answers.lower_bound[row]):  # cells are left that are not proven empty
            target = question.target(goal)
            bound = float(answers.lower_bound[row])
            causes[row] = OutOfTime(target, bound, ended) if answers.timed_out[row] else Unconfirmed(target)
        else:
            causes[row] = NoClassReachable(infeasible[goal]) if goals[row] < 0 else infeasible[goal]
    return tuple(causes)


def _why_unfinished(answers: Answers, row: int) -> ProofUnfinished:
    """Return what ended the proof of a row's answer."""
    question = answers.question
    if answers.timed_out[row]:
        return ProofUnfinished(question.options.ended_by)
    return ProofUnfinished("black box" if question.fitted.exactness == "black box" else "rounding")
