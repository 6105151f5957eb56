"""From what was found to answers: ladders, levers, reasons, monotone columns and ranges in the user's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import comb
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...answers.explanation import Explanation
from ...answers.principal_reasons import PrincipalReason, PrincipalReasons
from ...answers.records import OPTIMAL_GAP, value_in
from ...answers.recourse import Band, Ladder, LadderStep, Lever, Levers, Monotone
from ...arrays import UserTarget, UserValue
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...models import Interval, Label, Outcome
from ...reasons import Target
from ...table.wording import Wording
from ...text.words import range_in_words
from ..explain import one_question, row_question
from ..one_row import RowQuestion
from ..options import Options
from ..presentation import explanations_of
from ..targets import interval_outcome, label_of, label_outcome, target_of
from .becoming_missing import bands_with_losses, constraints_with_losses, levers_with_losses, without_losses
from .levers import LeverSets, climb, find_lever_sets
from .monotone import MonotoneResult, find_monotone
from .principal_reasons import FoundReason, ReasonSet, find_reasons
from .reason_codes import Codes, check_codes

# Sets of columns that levers are looked for in: some minutes for boosting.
MOST_LEVER_SETS = 20_000


def _ladder(
    names: Sequence[str], targets: Sequence[Target], found: Sequence[Explanation], current: int, wording: Wording
) -> Ladder:
    """Present answers to bands, from the worst to the best: a step is a band or a better one.

    The row is in the band at ``current``, -1 for none; only better ones count.
    """
    bands = tuple(Band(name, target) for name, target in zip(names, targets, strict=True))
    steps: list[LadderStep] = []
    nearest, lowest = -1, float("inf")
    for place in range(len(names) - 1, current, -1):
        one = found[place]
        if one.found and (nearest < 0 or one.distance < found[nearest].distance):
            nearest = place
        lowest = min(lowest, one.lower_bound)
        best = found[nearest] if nearest >= 0 else one
        reaches = names[nearest] if nearest >= 0 else ""
        steps.insert(0, LadderStep(bands[place], _with_bound(best, lowest, nearest >= 0), reaches))
    return Ladder(bands, None if current < 0 else bands[current], tuple(steps), wording)


def _with_bound(one: Explanation, bound: float, is_found: bool) -> Explanation:
    """Return an explanation with the bound and the status that it has among several bands."""
    if not is_found:
        return replace(one, lower_bound=bound, status="infeasible" if np.isposinf(bound) else "unknown")
    bound = min(bound, one.distance)
    gap = (one.distance - bound) / (one.distance if one.distance > 0 else 1.0)
    return replace(one, lower_bound=bound, gap=gap, status="optimal" if gap <= OPTIMAL_GAP else "feasible")


def read_bands(fitted: FittedModel, bands: Any, target: UserTarget) -> tuple[list[str], list[Outcome]]:
    """Read bands as the user gave them, from the worst to the best: their names and outcomes.

    Raises
    ------
    InvalidInputError
        Bands that overlap, are in no order, or are not of the model's kind.
    """
    if isinstance(bands, (str, bytes)) or not isinstance(bands, (Mapping, Sequence, np.ndarray)) or len(bands) == 0:
        raise InvalidInputError(
            f"bands: expected a list, or a mapping of names to bands, from the worst to the best; received {bands!r}."
        )
    values = list(bands.values()) if isinstance(bands, Mapping) else list(bands)
    if fitted.classes is None:
        if target is not None:
            raise InvalidInputError("target: a regressor's bands are ranges (low, high); leave target out.")
        outcomes: list[Outcome] = list(_intervals(values))
    elif target is None:
        outcomes = [label_outcome(value, fitted.classes, None) for value in values]
        if len(set(outcomes)) < len(outcomes):
            raise InvalidInputError(f"bands: a label occurs twice in {values!r}.")
    else:
        outcomes = list(_probabilities(fitted, values, target))
    if isinstance(bands, Mapping):
        return [str(name) for name in bands], outcomes
    return [_name(outcome, value) for outcome, value in zip(outcomes, values, strict=True)], outcomes


def _intervals(values: list[UserValue]) -> list[Interval]:
    """Read ranges that rise or fall from one to the next without overlapping, or the numbers at which they begin."""
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        values = _from_starts([float(value) for value in values])
    intervals = [interval_outcome(value) for value in values]
    pairs = list(pairwise(intervals))
    rises = all(first.high <= second.low for first, second in pairs)
    falls = all(second.high <= first.low for first, second in pairs)
    if not (rises or falls):
        raise InvalidInputError(
            f"bands: expected ranges that do not overlap, in rising or in falling order, received {values!r}."
        )
    return intervals


def _from_starts(starts: list[float]) -> list[UserValue]:
    """Return the ranges that begin at numbers, each to the next, the last to infinity; downwards, if numbers fall."""
    rises = all(first < second for first, second in pairwise(starts))
    if not rises and not all(first > second for first, second in pairwise(starts)):
        raise InvalidInputError(
            f"bands: expected numbers at which bands begin, all rising or all falling, received {starts!r}."
        )
    ends = [*starts[1:], None]
    return [(low, high) if rises else (high, low) for low, high in zip(starts, ends, strict=True)]


def _probabilities(fitted: FittedModel, values: list[UserValue], target: UserTarget) -> list[Label]:
    """Read least probabilities of a label, which rise."""
    is_number = [isinstance(value, Real) and 0 < float(value) < 1 for value in values]  # True and False are not
    if not all(is_number) or any(first >= second for first, second in pairwise(values)):
        raise InvalidInputError(
            f"bands: expected least probabilities of {target!r} between 0 and 1 in rising order, received {values!r}."
        )
    assert fitted.classes is not None
    return [label_outcome(target, fitted.classes, float(value)) for value in values]


def _name(outcome: Outcome, value: UserValue) -> str:
    if isinstance(outcome, Label):
        return str(value) if outcome.min_probability is None else f"{outcome.min_probability:g}"
    return range_in_words(outcome.low, outcome.high)


def _levers(asked: RowQuestion, max_size: int, found: LeverSets | None) -> Levers:
    """Present what was found; None for a row that has the outcome."""
    target, names = asked.question(has_density=False).target(0), asked.names
    if found is None:
        return Levers(target, max_size, (), (), (), (), has_outcome=True, wording=asked.fitted.table.wording)
    not_enough, unknown = (
        tuple(tuple(names[c] for c in each) for each in sets) for sets in (found.not_enough, found.unknown)
    )
    everything: dict[int, Any] = {}
    for _, answers, _ in found.enough:
        if id(answers) not in everything:
            goals = np.zeros(len(answers.rows), dtype=np.int64)
            everything[id(answers)] = explanations_of(answers, goals, np.arange(len(goals)), blank=False)
    enough = tuple(
        Lever(tuple(names[c] for c in columns), everything[id(answers)][place])
        for columns, answers, place in found.enough
    )
    fixed = tuple(names[c] for c in found.fixed)
    return Levers(target, max_size, enough, not_enough, unknown, fixed, wording=asked.fitted.table.wording)


def _monotone(column: str, direction: str, target: UserTarget, found: MonotoneResult, wording: Wording) -> Monotone:
    """Present what was found."""
    return Monotone(column, direction, target, found.status, found.rows, found.scores, wording)


def _reasons(asked: RowQuestion, found: ReasonSet, at_most: int, codes: Codes | None) -> PrincipalReasons:
    """Present what was found."""
    columns = tuple(asked.names[reason.column] for reason in found.reasons)
    reasons = tuple(_presented(asked, reason, codes) for reason in found.reasons[:at_most])
    target = asked.question(has_density=False).target(0)
    return PrincipalReasons(target, found.status, reasons, columns, asked.fitted.table.wording)


def _presented(asked: RowQuestion, reason: FoundReason, codes: Codes | None) -> PrincipalReason:
    first = np.zeros(1, dtype=np.int64)
    own = reason.answers.of_rows(first + reason.place)
    explanation = explanations_of(own, first, first, blank=False)[0]
    table = explanation.table
    column = table.columns[reason.column]
    return PrincipalReason(
        column.name,
        reason.direction,
        value_in(table, column, explanation.x),
        value_in(table, column, explanation.counterfactual),
        reason.is_alone,
        explanation,
        reason.distance_without,
        reason.responsiveness,
        None if codes is None else codes[column.name, reason.direction],
    )


def find_levers(fitted: FittedModel, x: ArrayLike, target: UserTarget, max_size: int, options: Options) -> Levers:
    """See :meth:`elsewise.Explainer.levers`."""
    _check_count("max_size", max_size)
    n_columns = len(fitted.table.columns)
    n_sets = sum(comb(n_columns, n) for n in range(1, min(max_size, n_columns) + 1))
    if n_sets > MOST_LEVER_SETS:
        raise InvalidInputError(
            f"max_size={max_size} of {n_columns} columns are {n_sets:,} sets; at most {MOST_LEVER_SETS:,} are "
            "asked about. Lower max_size."
        )
    outcome = one_question(fitted, x, target, options)[2]
    stated = constraints_with_losses(fitted, outcome, options)
    asked = row_question(fitted, x, target, options if stated is None else without_losses(options, stated))
    if asked.has_outcome():
        return _levers(asked, max_size, None)
    if stated is None:
        return _levers(asked, max_size, find_lever_sets(asked, max_size))
    sets = levers_with_losses(fitted, asked, target, max_size, options, stated)
    levers = (Lever(each, one) for each, one in sets if one is not None and one.found)
    enough = sorted(levers, key=lambda lever: lever.distance)
    not_enough = tuple(each for each, one in sets if one is not None and one.status == "infeasible")
    known = {*not_enough, *(lever.columns for lever in enough)}
    unknown = tuple(each for each, _ in sets if each not in known)
    fixed = tuple(name for name in asked.names if not any(name in each for each, _ in sets))
    return Levers(
        target_of(outcome, fitted.classes),
        max_size,
        tuple(enough),
        not_enough,
        unknown,
        fixed,
        wording=fitted.table.wording,
    )


def find_principal_reasons(
    fitted: FittedModel,
    x: ArrayLike,
    target: UserTarget,
    at_most: int,
    codes: Codes | None,
    options: Options,
) -> PrincipalReasons:
    """See :meth:`elsewise.Explainer.reasons`."""
    _check_count("at_most", at_most)
    asked = row_question(fitted, x, target, options)
    if codes is not None:
        check_codes(asked, codes)
    return _reasons(asked, find_reasons(asked), at_most, codes)


def find_ladder(fitted: FittedModel, x: ArrayLike, bands: Any, target: UserTarget, options: Options) -> Ladder:
    """See :meth:`elsewise.Explainer.ladder`."""
    names, outcomes = read_bands(fitted, bands, target)
    targets = [target_of(outcome, fitted.classes) for outcome in outcomes]
    found: Sequence[Explanation]
    if constraints_with_losses(fitted, outcomes[0], options) is not None:
        found = bands_with_losses(fitted, x, outcomes, options)
        current = max((place for place, one in enumerate(found) if one.found and not one.changes), default=-1)
    else:
        asked = row_question(fitted, x, label_of(outcomes[0], fitted.classes), options)
        answers, current = climb(asked, outcomes)
        places = np.arange(len(outcomes))
        found = explanations_of(answers, places, places, blank=False)
    return _ladder(names, targets, found, current, fitted.table.wording)


def judge_monotone(fitted: FittedModel, column: str, direction: str, target: UserTarget) -> Monotone:
    """See :meth:`elsewise.Explainer.monotone`."""
    names = [one.name for one in fitted.table.columns]
    if column not in names:
        raise InvalidInputError(f"column: expected one of {', '.join(map(repr, names))}, received {column!r}.")
    number = names.index(column)
    if fitted.table.columns[number].kind == "category":
        raise InvalidInputError(f"column: {column!r} is a category, whose levels have no order.")
    if direction not in ("increase", "decrease"):
        raise InvalidInputError(f"direction: expected 'increase' or 'decrease', received {direction!r}.")
    if (target is None) != (fitted.classes is None):
        raise InvalidInputError("target: expected a label of a classifier, and nothing for a regressor.")
    label = None if fitted.classes is None else label_outcome(target, fitted.classes, None)
    sign = 1.0 if direction == "increase" else -1.0
    return _monotone(column, direction, target, find_monotone(fitted, number, sign, label), fitted.table.wording)


def _check_count(name: str, count: object) -> None:
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise InvalidInputError(f"{name} must be a whole number >= 1, received {count!r}.")
