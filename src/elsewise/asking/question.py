"""What is asked: everything a search and the checks after it need, about any rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..arrays import FloatArray
from ..columns import Table
from ..constraints import Rules
from ..density import ClassDensity
from ..distances import ResolvedMahalanobis, ResolvedManhattan
from ..regions.base import Interval, Outcome
from ..search import Domain, SearchProblem
from .infeasibility import densest_log_density, why_infeasible


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, about any rows.

    Attributes
    ----------
    table : Table
    rules : Rules
    predict : function of features, their rows as given, and those rows' features
        The model's own, on the rows as they would be returned.
    probability : the same and a class's position
        The model's own.
    density_rows : function of features
        What the density is a density of.
    problem : SearchProblem
    domain : function of rows in features, or None
        What rows may become; None where nothing is whole, a category, or ruled.
    outcomes : tuple of outcomes, one a goal
    densities : tuple of ClassDensity, one a goal; None without a density constraint
    distance : resolved distance
    classes : array of labels, None for a regressor
    time_limit : seconds a row, or None
    use_model : bool
        False drops the classification constraint: any point will do that is dense enough (Theorem 2).
    """

    table: Table
    rules: Rules
    predict: Callable[[FloatArray, Any, FloatArray], NDArray[Any]]
    probability: Callable[[FloatArray, Any, FloatArray, int], FloatArray]
    density_rows: Callable[[FloatArray], FloatArray]
    problem: SearchProblem
    domain: Callable[[FloatArray], Domain] | None
    outcomes: tuple[Outcome, ...]
    densities: tuple[ClassDensity | None, ...]
    distance: ResolvedManhattan | ResolvedMahalanobis
    classes: NDArray[Any] | None
    time_limit: float | None
    use_model: bool = True

    def label(self, goal: int) -> Any:
        """Give the outcome as the user did."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return (outcome.low, outcome.high)
        assert self.classes is not None
        return self.classes[outcome.index]

    def in_words(self, goal: int) -> str:
        """Put the outcome as the end of a sentence."""
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return f"predict a value from {outcome.low:g} to {outcome.high:g}"
        assert self.classes is not None
        with_probability = "" if outcome.min_probability is None else f" with probability {outcome.min_probability:g}"
        return f"predict {self.classes.tolist()[outcome.index]!r}{with_probability}"

    def is_empty(self, goal: int) -> bool:
        """Whether no point at all, whatever the row, makes the model decide so and is dense enough."""
        mine, density = self.problem.goals[goal], self.densities[goal]
        if mine.n_polyhedra == 0 or density is None:
            return True  # nothing but the search knows of a region without a density
        return densest_log_density(mine.region, density, self.problem.to_model) < density.log_threshold_

    def why_not(self, goal: int) -> str:
        """Why no point reaches the outcome."""
        mine = self.problem.goals[goal]
        if self.domain is not None:
            return (
                f"No row that makes the model {self.in_words(goal)} is both dense enough and within the rules. "
                "explainer.why_not(row, target, constraints) says which rules contradict each other."
            )
        return why_infeasible(mine.region, self.densities[goal], self.problem.to_model, self.in_words(goal))
