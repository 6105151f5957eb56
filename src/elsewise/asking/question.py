"""A question: everything a search and the checks after it need, about any rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..arrays import AnyArray, FloatArray
from ..columns import Table
from ..constraints import Rules
from ..density import ClassDensity
from ..distances import ResolvedMahalanobis
from ..errors import InvalidInputError
from ..model import FittedModel
from ..regions import Interval, Outcome
from ..search import Domain, Layout, SearchProblem
from ..search.constants import FAR_AWAY
from .reasons import Target


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked, about any rows.

    Attributes
    ----------
    fitted : FittedModel
    table : Table
        In which answers are written.
    rules : Rules
    problem : SearchProblem
    branches : bool
        Something is whole, a category, ruled, or has to differ from earlier answers: rows have a domain.
    outcomes : tuple of outcomes, one a goal
    densities : tuple of ClassDensity, one a goal; None without a density constraint
    time_limit : seconds a row, or None
    use_model : bool
        False drops the classification constraint: any point will do that is dense enough (Theorem 2).
    """

    fitted: FittedModel
    table: Table
    rules: Rules
    problem: SearchProblem
    branches: bool
    outcomes: tuple[Outcome, ...]
    densities: tuple[ClassDensity | None, ...]
    time_limit: float | None
    use_model: bool

    def predict(self, points: FloatArray, given: Any, rows: FloatArray) -> AnyArray:
        """Ask the model about points as they would be returned for rows; see :meth:`FittedModel.predict`."""
        return self.fitted.predict(points, given, rows, table=self.table)

    def probability(self, points: FloatArray, given: Any, rows: FloatArray, index: int) -> FloatArray:
        """Ask the model how probable a class is there."""
        return self.fitted.probability(points, given, rows, index=index, table=self.table)

    def target(self, goal: int) -> Target:
        """Give the outcome of a goal as the user did."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return Target((outcome.low, outcome.high))
        assert self.fitted.classes is not None
        return Target(self.fitted.classes.tolist()[outcome.index], outcome.min_probability)

    def label(self, goal: int) -> Any:
        """Give the wanted label in the dtype of the model's classes, or the wanted range."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return (outcome.low, outcome.high)
        assert self.fitted.classes is not None
        return self.fitted.classes[outcome.index]

    def domain(self, rows: FloatArray) -> Domain | None:
        """Find what rows, of shape (n_samples, n_features), may become; None where anything is allowed."""
        if not self.branches:
            return None
        rules, table = self.rules, self.fitted.table
        lower, upper = rules.limits(rows)
        least, most = table.dtype_limits()
        least = np.minimum(np.maximum(least, -FAR_AWAY), rows)  # a row's own value may stay
        most = np.maximum(np.minimum(most, FAR_AWAY), rows)
        lower = np.where(rules.integer, np.maximum(lower, least), lower)
        upper = np.where(rules.integer, np.minimum(upper, most), upper)
        taken = table.step_limits()
        if taken is not None:
            lower, upper = np.maximum(lower, taken[0]), np.minimum(upper, taken[1])
        upper[~rules.reachable(rows)] = 0.0
        return Domain(
            layout=_layout(table),
            lower=lower,
            upper=upper,
            integer=rules.integer,
            max_changes=rules.max_changes,
            normals=rules.normals,
            offsets=rules.offsets,
            rules_hold=rules.keeps_linear,
        )


def pose(
    fitted: FittedModel,
    outcomes: Sequence[Outcome],
    rules: Rules,
    *,
    densities: Sequence[ClassDensity | None] | None = None,
    time_limit: float | None = None,
    use_model: bool = True,
    differ: bool = False,
) -> Question:
    """Put together what a search needs.

    Parameters
    ----------
    fitted : FittedModel
    outcomes : sequence of outcomes, one a goal
    rules : Rules
    densities : sequence of ClassDensity or None, optional
        Those of the outcomes unless given.
    time_limit : float, optional
    use_model : bool
    differ : bool
        Further answers will be asked for, which have to differ from those before.
    """
    seconds: object = time_limit
    if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
        raise InvalidInputError(f"time_limit must be a positive number of seconds or None, received {time_limit!r}.")
    if densities is None:
        problem, densities = fitted.problem(outcomes), [fitted.density_of(outcome) for outcome in outcomes]
    else:
        problem = fitted.compile(outcomes, densities)
    rules.refuse_equations()
    has_limits = fitted.table.step_limits() is not None
    branches = bool(
        differ or rules.single or rules.integer.any() or fitted.has_categories or problem.divides or has_limits
    )
    if branches and isinstance(fitted.distance, ResolvedMahalanobis):
        raise InvalidInputError(
            "Rules, whole numbers, several answers a row, sums of trees, black boxes, least probabilities of several "
            "classes and steps that do not take every number need a distance that is a sum over columns. "
            "Use distance='scaled', 'manhattan' or Manhattan(weights) instead of Mahalanobis."
        )
    discrete = np.asarray(rules.integer | (fitted.table.group >= 0))
    if branches and discrete.any():
        problem = problem.for_whole_points(discrete)
    if len(rules.offsets):
        problem = problem.with_rules(rules.normals, rules.offsets, discrete)
    return Question(
        fitted=fitted,
        table=fitted.table_under(rules),
        rules=rules,
        problem=problem,
        branches=branches,
        outcomes=tuple(outcomes),
        densities=tuple(densities),
        time_limit=time_limit,
        use_model=use_model,
    )


def _layout(table: Table) -> Layout:
    widths = [column.stop - column.start for column in table.columns]
    return Layout(np.repeat(np.arange(len(widths)), widths), len(widths), table.group)
