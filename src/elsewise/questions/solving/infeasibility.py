"""Why no point at all reaches an outcome: the model never says so, or only where data are too sparse.

Answers that last, where some that do may have been overlooked: what is proven of all answers is proven of these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...answers.explanations import Explanations
from ...answers.records import OPTIMAL_GAP
from ...density.base import ClassDensity, log_peaks
from ...reasons import (
    NeverPredicted,
    NoFurther,
    NoneThatLasts,
    NotFound,
    NothingWithin,
    ProofUnfinished,
    Target,
    TooSparse,
)
from ...search import Cover
from .question import Question


def why_infeasible(question: Question, goal: int) -> NeverPredicted | TooSparse | NotFound | NothingWithin:
    """Find out why no row reaches a goal of a question."""
    target, density = question.target(goal), question.densities[goal]
    is_plain = question.relaxes_first or _has_found_steps_alone(question)
    if is_plain and question.problem.goals[goal].cover.n_parts == 0:
        return NeverPredicted(target)
    if question.branches and not (is_plain and is_empty_for_all(question, goal) and density is not None):
        is_found = [rule.is_found for rule in question.rules.single]
        return NothingWithin(
            target, has_rules=not all(is_found), has_density=density is not None, has_found_rules=any(is_found)
        )
    cover = question.problem.goals[goal].cover
    if cover.n_parts == 0 or density is None:
        return NeverPredicted(target)
    best = densest_log_density(cover, density)
    if not np.isfinite(best):
        return NeverPredicted(target)
    if best >= density.log_threshold_:
        return NotFound(target)
    return TooSparse(target, density.log_threshold_, best, density.quantile_of(best), question.branches)


def _has_found_steps_alone(question: Question) -> bool:
    """Whether nothing but rules that were found, steps among them, is asked of numbers."""
    rules, table = question.rules, question.fitted.table
    is_number = not rules.integer.any() and not (table.group >= 0).any()
    return is_number and question.cones_at is None and all(rule.is_found for rule in rules.single)


def is_empty_for_all(question: Question, goal: int) -> bool:
    """Whether no point at all, whatever the row, makes the model decide so and is dense enough."""
    cover, density = question.problem.goals[goal].cover, question.densities[goal]
    if cover.n_parts == 0 or density is None:
        return True  # nothing but the search knows of a region without a density
    return densest_log_density(cover, density) < density.log_threshold_


def densest_log_density(cover: Cover, density: ClassDensity) -> float:
    """Highest component-wise maximum density (logarithm) the region holds; minus infinity if the region is empty."""
    # Far below every peak all components have a cone: their squared radii are 2 (peak - threshold).
    low = float(log_peaks(density.mixture_).min()) - 1.0
    everything: Any = density.with_threshold(low).cones()
    needed = cover.squared_radii_needed(everything)
    return float(np.max(low + 0.5 * (everything.radii**2 - needed), initial=-np.inf))


def with_bounds_of(answers: Explanations, plain: Explanations) -> Explanations:
    """Put the bounds of plain answers, one a row, in place of those of answers that last.

    A search that keeps away from boundaries overlooks what lasts but is not known to; the bounds of the search that
    does not hold for everything: for every answer of a row, but not for those that are less dense than asked. Nothing
    proves that no further answer lasts.
    """
    place = np.searchsorted(plain.rows, answers.rows)
    found, bounds = answers.found, plain.lower_bounds[place]
    bounds = np.where(answers.statuses == "densest", 0.0, bounds)
    bounds = np.where(found, np.minimum(bounds, answers.distances), bounds)
    gaps = np.full(len(answers), np.nan)
    gaps[found] = (answers.distances - bounds)[found] / np.where(
        answers.distances[found] > 0, answers.distances[found], 1
    )
    is_empty = ~found & np.isposinf(bounds)
    statuses = np.where(
        found, np.where(gaps <= OPTIMAL_GAP, "optimal", "feasible"), np.where(is_empty, "infeasible", "unknown")
    )
    statuses = np.where(answers.statuses == "densest", "densest", statuses)
    causes = list(answers.causes)
    is_other = statuses != answers.statuses
    for row in np.flatnonzero(is_other & ~found).tolist():
        target = Target(answers.targets[row])
        causes[row] = plain.causes[place[row]] if is_empty[row] else NoneThatLasts(target, float(bounds[row]))
    for row in np.flatnonzero(found).tolist():
        before, unfinished = causes[row], None if statuses[row] == "optimal" else ProofUnfinished("lasting")
        if isinstance(before, NoFurther):
            causes[row] = replace(before, is_proven=False, own=unfinished if is_other[row] else before.own)
        elif is_other[row]:
            causes[row] = unfinished
    return replace(
        answers,
        lower_bounds=bounds,
        gaps=gaps,
        statuses=statuses,
        causes=tuple(causes),
        model_free=answers.model_free & (statuses == "optimal"),
    )
