"""Numbers that may become missing: a row is asked about as it came, and without each set of them; the nearest counts.

An answer without some numbers is an answer of the row in which they are missing, and costs their price more. Every set
of numbers is a question with a bound of its own; the smallest of these, each with its price, is one for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ...answers.explanations import Explanations
from ...answers.ranges import ValueRange, ValueRanges
from ...answers.records import OPTIMAL_GAP, value_in
from ...arrays import BoolArray, FloatArray, IntArray
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...projection.distance import ResolvedDistance, ResolvedManhattan
from ...reasons import OutOfTime, ProofUnfinished
from ...rules import Constraints, Rules
from ...table import Table
from ...table.frames import is_frame, row_of, rows_of
from ..options import Options


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """Rows as they came, and each without some of its numbers.

    Attributes
    ----------
    source : int array of shape (n_variants,)
        Position of the row that each is made of; the rows as they came are the first variants.
    lost : bool array of shape (n_variants, n_features)
        Features that are missing in a variant, though not in the row.
    given : data frame or array of shape (n_variants, n_columns)
    """

    source: IntArray
    lost: BoolArray
    given: Any

    def shared(self, options: Options) -> Options:
        """Divide the time of a row among its variants."""
        if options.time_limit is None:
            return options
        return replace(options, time_limit=options.time_limit / int(np.bincount(self.source).max(initial=1)))

    def by_number(self, places: IntArray) -> list[IntArray]:
        """Divide variants by how many numbers they lack."""
        counts = self.n_lost[places]
        return [places[counts == count] for count in np.unique(counts)]

    @property
    def n_lost(self) -> IntArray:
        """How many numbers of the row each lacks, shape (n_variants,)."""
        return np.asarray(self.lost.sum(axis=1))


def variants_of(table: Table, rules: Rules, given: Any, missing: BoolArray) -> Variants:
    """Make the variants of rows, with features ``missing`` of shape (n_samples, n_features)."""
    everyone, most = np.arange(len(missing)), rules.max_changes
    sources, lost, parts = [everyone], [np.zeros_like(missing)], [given]
    for features in _sets(list(rules.may_become_missing)):
        chosen = everyone[~missing[:, features].any(axis=1)]
        if len(chosen) == 0 or (most is not None and len(features) > most):
            continue
        without = np.zeros((len(chosen), missing.shape[1]), dtype=np.bool_)
        without[:, features] = True
        sources.append(chosen)
        lost.append(without)
        parts.append(table.lacking(rows_of(given, chosen), without))
    return Variants(np.concatenate(sources), np.concatenate(lost), _joined(parts))


def _sets(features: list[int]) -> Iterator[list[int]]:
    for size in range(1, len(features) + 1):
        yield from (list(each) for each in combinations(features, size))


def _joined(parts: list[Any]) -> Any:
    if not is_frame(parts[0]):
        return np.concatenate(parts)
    import pandas

    return pandas.concat(parts)


def refuse_options(options: Options, distance: ResolvedDistance, goal: IntArray) -> None:
    """Refuse options that are about more than the nearest answer, and targets that depend on the row."""
    asked = {
        "n_counterfactuals": options.n_counterfactuals > 1,
        "certificate": options.certificate,
        "robust_radius": options.robust_radius > 0,
        "on_infeasible='densest'": options.on_infeasible == "densest",
        "the Mahalanobis distance": not isinstance(distance, ResolvedManhattan),
        "no target of a model with three classes or more": bool((goal < 0).any()),
    }
    for name, is_asked in asked.items():
        if is_asked:
            raise InvalidInputError(f"may_become_missing and {name} do not go together. Leave one of them out.")


def refuse_rules(rules: Rules) -> None:
    """Refuse rules by which a number may become missing, in a question that does not ask for that."""
    if rules.may_become_missing:
        raise InvalidInputError(
            "may_become_missing is for explain, levers and ladder; other questions are about values that are there. "
            "Ask them with rules without it."
        )


def prices_of_losses(fitted: FittedModel, constraints: Constraints | None, lost: BoolArray) -> FloatArray:
    """Return what it costs that numbers became missing, shape (n_samples, n_columns); NaN where the rules forbid it.

    Parameters
    ----------
    fitted : FittedModel
    constraints : Constraints or None
        The rules that answers were made under.
    lost : bool array of shape (n_samples, n_features)
    """
    starts = [column.start for column in fitted.table.columns]
    prices = _prices(fitted.rules(constraints), fitted.distance, lost.shape[1])
    return np.asarray(np.where(lost[:, starts], prices[starts], 0.0))


def _prices(rules: Rules, distance: ResolvedDistance, n_features: int) -> FloatArray:
    """Return what it costs that each feature becomes missing; NaN where it may not."""
    prices = np.full(n_features, np.nan)
    for feature, price in rules.may_become_missing.items():
        prices[feature] = price + (distance.per_change if isinstance(distance, ResolvedManhattan) else 0.0)
    return prices


def nearest_variants(
    found: Explanations, variants: Variants, rules: Rules, distance: ResolvedDistance, given: Any, numbers: IntArray
) -> Explanations:
    """Choose the nearest answer of each row among those of its variants.

    Parameters
    ----------
    found : Explanations
        One a variant, in their order.
    variants : Variants
    rules : Rules
    distance : resolved distance
    given : data frame or array of shape (n_samples, n_columns)
        The rows as they came.
    numbers : int array of shape (n_samples,)
        Of these rows in the batch.
    """
    starts = [column.start for column in found.table.columns]
    prices = np.nan_to_num(_prices(rules, distance, variants.lost.shape[1]))
    n = len(np.unique(variants.source))
    extra = variants.lost @ prices
    far = np.where(found.found, found.distances + extra, np.inf)
    bounds = np.minimum(found.lower_bounds + extra, far)
    best, lowest = (_smallest(values, variants.source) for values in (far, bounds))
    is_found, nearest, bound = found.found[best], far[best], bounds[lowest]
    gaps = np.full(n, np.nan)
    gaps[is_found] = (nearest[is_found] - bound[is_found]) / np.where(nearest > 0, nearest, 1.0)[is_found]
    statuses = np.where(np.isposinf(bound), "infeasible", "unknown")
    statuses = np.where(is_found, np.where(gaps <= OPTIMAL_GAP, "optimal", "feasible"), statuses)
    base, chosen, lost = replace(found.take(np.arange(n)), x=given), found.take(best), variants.lost[best]
    is_lost = np.logical_or.reduceat(lost, starts, axis=1)
    ranges = [
        None if each is None else _with_missing(each, base, chosen, place, is_lost[place])
        for place, each in enumerate(chosen.ranges)
    ]
    return replace(
        chosen,
        x=given,
        counterfactuals=_as_given(chosen.counterfactuals, given),
        predictions=base.predictions,
        row_features=base.row_features,
        rows=numbers,
        statuses=statuses,
        distances=np.where(is_found, nearest, np.nan),
        lower_bounds=bound,
        gaps=gaps,
        changed=chosen.changed | is_lost,
        shares=np.where(is_lost, prices[starts], chosen.shares),
        causes=tuple(
            _cause(status, [found.causes[each] for each in (row, best[row], lowest[row])], not lost[row].any())
            for row, status in enumerate(statuses.tolist())
        ),
        ranges=tuple(ranges),
    )


def _as_given(written: Any, given: Any) -> Any:
    """Return whole numbers to their type where none of them is missing."""
    if not is_frame(given):
        return written
    written = written.copy()
    for place, dtype in enumerate(given.dtypes):
        column = written.iloc[:, place]
        if isinstance(dtype, np.dtype) and dtype.kind in "iu" and not column.isna().any():
            written.isetitem(place, column.astype(dtype))
    return written


def _smallest(values: FloatArray, source: IntArray) -> IntArray:
    """Return the place of the smallest value of each source, of several the first one."""
    order = np.lexsort((np.arange(len(values)), values, source))
    return np.asarray(order[np.unique(source[order], return_index=True)[1]])


def _cause(status: str, said: Sequence[Any], is_base: bool) -> Any:
    """Say why an answer is not simply optimal, given what is said of the row, of its best and least proven variant."""
    of_base, of_best, of_lowest = said
    if status == "infeasible":
        return of_base
    if status == "unknown":
        return of_lowest
    if status == "optimal":
        return of_best if is_base else None
    if isinstance(of_lowest, OutOfTime):
        return ProofUnfinished(of_lowest.cause)
    return of_lowest if isinstance(of_lowest, ProofUnfinished) else ProofUnfinished("rounding")


def _with_missing(
    ranges: ValueRanges, base: Explanations, chosen: Explanations, place: int, is_lost: BoolArray
) -> ValueRanges:
    """Add the columns that became missing to the ranges of an answer."""
    row, answer = (row_of(rows, place, base.x) for rows in (base.x, chosen.counterfactuals))
    columns = [column for column, lost in zip(chosen.table.columns, is_lost) if lost]
    gone = [
        ValueRange(
            column.name,
            value_in(chosen.table, column, row),
            *(None, None, None, None, False, False),
            (value_in(chosen.table, column, answer),),
        )
        for column in columns
    ]
    return replace(ranges, ranges=(*ranges, *gone))
