"""A question: everything a search and the checks after it need, about any rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import AnyArray, FloatArray, UserData
from ...density import ClassDensity
from ...distances import ResolvedDistance, ResolvedMahalanobis, ResolvedManhattan
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...models import Outcome
from ...reasons import Target
from ...rules import Rules
from ...rules.meaningful import LeastChange
from ...search import Domain, Lattice, LeastMoves, SearchProblem
from ...search.constants import FAR_AWAY
from ...table import Table
from ..options import Options
from ..targets import label_of, target_of
from ..thresholds.fixed_columns import FixedPart, fixed_parts


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
        In features.
    searched : SearchProblem
        The same in counts of steps, where columns have steps.
    branches : bool
        Something is whole, a category, ruled, or has to differ from earlier answers: rows have a domain.
    outcomes : tuple of outcomes, one a goal
    densities : tuple of ClassDensity, one a goal; None without a density constraint
    options : Options
    use_model : bool
        False drops the classification constraint: any point will do that is dense enough (Theorem 2).
    relaxes_first : bool
        Nothing but rules that were found in the training rows, and least changes, needs branches. Most answers keep
        them by themselves: rows are searched without them first.
    cones_at : array of shape (n_goals,), or None
        Log densities at which the cones of ``problem`` were made, where rows have thresholds of their own; None where
        these are the thresholds of ``densities``.
    is_tentative : bool
        Answers are what the search says; the model itself is asked later, about many at once. Searches send many nodes
        at once: there is one row.
    any_point : bool
        It is asked only whether there is an answer.
    """

    fitted: FittedModel
    table: Table
    rules: Rules
    problem: SearchProblem
    searched: SearchProblem
    branches: bool
    outcomes: tuple[Outcome, ...]
    densities: tuple[ClassDensity | None, ...]
    options: Options
    use_model: bool
    relaxes_first: bool = False
    cones_at: FloatArray | None = None
    is_tentative: bool = False
    any_point: bool = False

    def may_have(self, goal: int, row: FloatArray) -> bool | None:
        """Whether a row is in the region of a goal; None where only the model tells, which has the last word anyway.

        Parameters
        ----------
        goal : int
        row : array of shape (1, n_features)
        """
        fitted = self.fitted
        if not self.use_model or fitted.training is not None or fitted.further or fitted.robust_radius:
            return None
        depth = self.problem.goals[goal].cover.depth(row, plain=self.problem.coordinates.points(row))
        return bool((depth > 0).any())

    def predict(self, points: FloatArray, given: UserData, rows: FloatArray) -> AnyArray:
        """Ask the model about points as they would be returned for rows; see :meth:`FittedModel.predict`."""
        return self.fitted.predict(points, given, rows, table=self.table)

    def probability(self, points: FloatArray, given: UserData, rows: FloatArray, index: int) -> FloatArray:
        """Ask the model how probable a class is there."""
        return self.fitted.probability(points, given, rows, index=index, table=self.table)

    def target(self, goal: int) -> Target:
        """Return the outcome of a goal as the user did."""
        return target_of(self.outcomes[goal], self.fitted.classes)

    def label(self, goal: int) -> Any:
        """Return the wanted label in the dtype of the model's classes, or the wanted range."""
        return label_of(self.outcomes[goal], self.fitted.classes)

    @property
    def distance(self) -> ResolvedDistance:
        """The distance, in which columns that move together are one change."""
        distance, unit = self.fitted.distance, self.rules.unit
        if not isinstance(distance, ResolvedManhattan) or not distance.per_change or unit is None:
            return distance
        widths = [column.stop - column.start for column in self.fitted.table.columns]
        return replace(distance, unit=np.repeat(unit, widths))

    @property
    def lattice(self) -> Lattice | None:
        """Steps of columns, in which the search counts; None if no column has one."""
        return self.searched.space.lattice

    @property
    def per_change(self) -> float:
        """What every change costs beside its size."""
        distance = self.fitted.distance
        return distance.per_change if isinstance(distance, ResolvedManhattan) else 0.0

    def fixed_parts(self, rows: FloatArray, domain: Domain | None) -> list[list[FixedPart | None]]:
        """Find what cannot change in rows, one list a goal; None where thresholds are the densities' own."""
        if self.cones_at is None:
            return [[None] * len(rows) for _ in self.densities]
        return [fixed_parts(self.fitted, density, rows, domain) for density in self.densities]

    @property
    def log_thresholds(self) -> FloatArray:
        """What the density of each goal has to reach, array of shape (n_goals,); minus infinity without a density."""
        return np.array([-np.inf if item is None else item.log_threshold_ for item in self.densities])

    def for_any_answer(self) -> Question:
        """Ask the same, but only whether there is an answer: the first point ends the search."""
        return replace(self, any_point=True)

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
        clauses, least_moves = rules.clauses(rows), rules.least_moves
        layout = rules.layout
        return Domain(
            layout=layout,
            lower=lower,
            upper=upper,
            integer=rules.integer,
            max_changes=rules.max_changes,
            normals=rules.normals,
            offsets=rules.offsets,
            rules_hold=rules.keeps_linear,
            clauses=None if clauses is None else clauses.within(lower, upper, layout),
            per_change=self.per_change,
            least_moves=LeastMoves.of(rows, least_moves, rules.integer) if least_moves.any() else None,
        )


def pose(
    fitted: FittedModel,
    outcomes: Sequence[Outcome],
    rules: Rules,
    *,
    options: Options,
    densities: Sequence[ClassDensity | None] | None = None,
    use_model: bool = True,
    branches: bool = False,
    own_thresholds: bool = False,
) -> Question:
    """Put together what a search needs.

    Parameters
    ----------
    fitted : FittedModel
    outcomes : sequence of outcomes, one a goal
    rules : Rules
    options : Options
    densities : sequence of ClassDensity or None, optional
        Those of the outcomes unless given.
    use_model : bool
    branches : bool
        Rows have a domain, whether or not anything needs one.
    own_thresholds : bool
        Rows will have density thresholds of their own: the search is made for any. Not of models that are only asked.
    """
    cones_at, lattice = None, rules.lattice
    lattices = [None] if lattice is None else [None, lattice]
    if own_thresholds and fitted.densities and fitted.training is None:  # a model that is only asked has one threshold
        densities = [fitted.density_of(outcome) for outcome in outcomes] if densities is None else densities
        made = [fitted.problem_at_any_threshold(outcomes, item) for item in lattices]
        problems, cones_at = [problem for problem, _ in made], made[0][1]
    elif densities is None:
        problems = [fitted.problem(outcomes, item) for item in lattices]
        densities = [fitted.density_of(outcome) for outcome in outcomes]
    else:
        problems = [fitted.compile(outcomes, densities, item) for item in lattices]
    rules.refuse_equations()
    has_price = isinstance(fitted.distance, ResolvedManhattan) and fitted.distance.per_change > 0
    needed = branches or options.n_counterfactuals > 1 or bool(rules.integer.any()) or fitted.has_categories
    needed |= problems[0].divides or not fitted.table.takes_any_number or has_price or lattice is not None
    needed |= not all(rule.is_found or isinstance(rule, LeastChange) for rule in rules.single)
    needed |= bool(len(rules.offsets))
    branches = needed or bool(rules.single)
    if branches and isinstance(fitted.distance, ResolvedMahalanobis):
        raise InvalidInputError(
            "Rules, whole numbers, several answers a row, sums of trees, networks, Gaussian models, black boxes, least "
            "probabilities of several classes and steps that do not take every number need a distance that is a sum "
            "over columns. Use distance='scaled', 'manhattan' or Manhattan(weights) instead of Mahalanobis."
        )
    discrete = np.asarray(rules.integer | (fitted.table.group >= 0))
    if lattice is not None:
        discrete[lattice.features] = True
    if branches and discrete.any():
        problems = [problem.for_whole_points(discrete) for problem in problems]
    if len(rules.offsets):
        problems = [
            problem.with_rules(problem.space.in_steps(rules.normals), rules.offsets, discrete) for problem in problems
        ]
    return Question(
        fitted=fitted,
        table=fitted.table_under(rules),
        rules=rules,
        problem=problems[0],
        searched=problems[-1],
        branches=branches,
        outcomes=tuple(outcomes),
        densities=tuple(densities),
        options=options,
        use_model=use_model,
        relaxes_first=branches and not needed and cones_at is None,
        cones_at=cones_at,
    )
