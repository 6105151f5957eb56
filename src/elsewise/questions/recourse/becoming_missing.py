"""Levers and ladders where numbers may become missing: each set of columns, and each band, is a question of its own.

``explain`` chooses among the variants of a row (:mod:`..solving.becoming_missing`); here it is asked set by set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ...answers.explanation import Explanation
from ...arrays import UserTarget
from ...fitted import FittedModel
from ...models import Interval, Outcome
from ...rules import Constraints
from ...rules.becoming_missing import checked_prices
from ..explain import explain_rows
from ..one_row import RowQuestion
from ..options import Options
from ..solving.deadline import Deadline, TimeIsOverError
from ..targets import label_of


def constraints_with_losses(fitted: FittedModel, outcome: Outcome, options: Options) -> Constraints | None:
    """Return the rules of a question if numbers may become missing by them; None if none may."""
    if not fitted.rules(options.constraints, outcome).may_become_missing:
        return None
    return fitted.constraints_of(options.constraints, outcome)


def without_losses(options: Options, stated: Constraints) -> Options:
    """Ask the same, but nothing may become missing."""
    return replace(options, constraints=replace(stated, may_become_missing={}))


def levers_with_losses(
    fitted: FittedModel, asked: RowQuestion, target: UserTarget, max_size: int, options: Options, stated: Constraints
) -> list[tuple[tuple[str, ...], Explanation | None]]:
    """Ask about every set of columns that contains no smaller one that is enough; None where time was over.

    A column of the set may become missing if the rules say so; all others stay as they are. ``asked`` is the question
    in which nothing may.
    """
    is_there = ~fitted.table.missing(asked.given)[0]
    may_move = asked.can_change(asked.question(has_density=False))
    movable = [
        column.name
        for column, moves in zip(fitted.table.columns, may_move.tolist(), strict=True)
        if moves or (column.name in stated.may_become_missing and is_there[column.start])
    ]
    deadline, prices = Deadline(options.time_limit), checked_prices(stated.may_become_missing)
    found: list[tuple[tuple[str, ...], Explanation | None]] = []
    for size in range(1, min(max_size, len(movable)) + 1):
        enough = [set(columns) for columns, one in found if one is not None and one.found]
        for columns in combinations(movable, size):
            if any(smaller <= set(columns) for smaller in enough):
                continue
            losses = {name: price for name, price in prices.items() if name in columns}
            held = [column.name for column in fitted.table.columns if column.name not in columns]
            rules = replace(stated, may_become_missing=losses) & Constraints(immutable=held)
            try:
                own = replace(options, constraints=rules, time_limit=deadline.left())
                found.append((columns, explain_rows(fitted, asked.given, target, own)[0]))
            except TimeIsOverError:
                found.append((columns, None))
    return found


def bands_with_losses(
    fitted: FittedModel, x: ArrayLike, outcomes: Sequence[Outcome], options: Options
) -> list[Explanation]:
    """Answer for each band, from the worst to the best."""
    row = fitted.table.own_columns(fitted.table.one_row(x) if np.ndim(x) == 1 else x)
    answers = []
    for outcome in outcomes:
        own = options if isinstance(outcome, Interval) else replace(options, min_probability=outcome.min_probability)
        answers.append(explain_rows(fitted, row, label_of(outcome, fitted.classes), own)[0])
    return answers
