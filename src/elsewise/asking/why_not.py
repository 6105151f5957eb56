"""Why not: when rules leave no answer, which of them contradict each other, and what would help.

Everything is asked of the same search that answers. A set of rules contradicts itself, together with the wanted outcome
and the density, if the search proves that nothing satisfies all of it. Such a set is made smallest by leaving out one
rule at a time, as long as the rest still contradicts itself; the Farkas multipliers of the relaxed cells say where to
begin, for most rules have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..constraints import Constraints, Rules
from ..constraints.atomic import FewChanges, Linear, MissingStays
from ..constraints.relaxing import without
from ..density import ClassDensity, at_threshold
from ..model import FittedModel
from ..regions import Outcome
from ..search import contradicting
from .answers import Answers
from .constants import QUANTILE_STEPS, SMALLEST_MULTIPLIER
from .question import Question, pose
from .reasons import Target


@dataclass(frozen=True, slots=True)
class Relief:
    """A rule whose absence allows an answer.

    Attributes
    ----------
    rule : str
        In words.
    distance : float
        Of the nearest answer without it.
    constraints : Constraints
        The user's rules without it.
    """

    rule: str
    distance: float
    constraints: Constraints


@dataclass(frozen=True, slots=True)
class InquiryResult:
    """What an inquiry found; see :class:`~elsewise.WhyNot` for the first four and the last.

    Attributes
    ----------
    reason : "none", "rules", "density" or "model"
    conflict : tuple of str
    highest_quantile : float or None
    reliefs : tuple of Relief
    target : Target
    has_density : bool
        A density was asked for.
    is_proven : bool
    """

    reason: Literal["none", "rules", "density", "model"]
    conflict: tuple[str, ...]
    highest_quantile: float | None
    reliefs: tuple[Relief, ...]
    target: Target
    has_density: bool
    is_proven: bool = True


class Inquiry:
    """Finds out why one row has no answer.

    Parameters
    ----------
    fitted : FittedModel
    outcome : outcome that is wanted
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    constraints : Constraints or None
        The user's rules.
    rules : Rules
        The same, resolved.
    """

    def __init__(
        self,
        fitted: FittedModel,
        outcome: Outcome,
        given: Any,
        row: FloatArray,
        constraints: Constraints | None,
        rules: Rules,
    ) -> None:
        self.fitted, self.outcome, self.given, self.row = fitted, outcome, given, row
        self.constraints, self.rules = constraints, rules
        self.density = fitted.density_of(outcome)
        self.is_proven = True
        self.target = self._question(rules, self.density).target(0)

    def result(self) -> InquiryResult:
        """Look into it."""
        everything = range(len(self.rules.single))
        if np.isfinite(self._distance(self.rules, self.density)):
            return self._found("none")
        if self.rules.single and np.isfinite(self._distance(self.rules.without(everything), self.density)):
            return self._rules_in_the_way()
        highest = self._highest_quantile()
        if highest is None and (self.density is None or not np.isfinite(self._distance(self.rules, None))):
            return self._found("model")
        return self._found("density", highest_quantile=highest)

    def _found(
        self,
        reason: Literal["none", "rules", "density", "model"],
        conflict: tuple[str, ...] = (),
        highest_quantile: float | None = None,
        reliefs: tuple[Relief, ...] = (),
    ) -> InquiryResult:
        has_density = self.density is not None
        return InquiryResult(reason, conflict, highest_quantile, reliefs, self.target, has_density, self.is_proven)

    def _rules_in_the_way(self) -> InquiryResult:
        conflict = self._smallest_conflict()
        asked = Constraints() if self.constraints is None else self.constraints
        reliefs = []
        for index in conflict:
            if isinstance(self.rules.single[index], MissingStays):
                continue  # no rule of the user's
            distance = self._distance(self.rules.without([index]), self.density)
            if np.isfinite(distance):
                reliefs.append(Relief(self.rules.names[index], distance, without(asked, self.rules, index)))
        reliefs.sort(key=lambda relief: relief.distance)
        names = tuple(self.rules.names[index] for index in conflict)
        return self._found("rules", names, self._highest_quantile(), tuple(reliefs))

    def _smallest_conflict(self) -> list[int]:
        """Leave out rules one at a time as long as the rest contradicts itself."""
        everything = list(range(len(self.rules.single)))
        suspects = self._suspects()
        kept = suspects if not np.isfinite(self._distance(self._only(suspects), self.density)) else everything
        for index in list(kept):
            fewer = [other for other in kept if other != index]
            if not np.isfinite(self._distance(self._only(fewer), self.density)):
                kept = fewer
        return kept

    def _only(self, indices: Sequence[int]) -> Rules:
        return self.rules.without([index for index in range(len(self.rules.single)) if index not in indices])

    def _suspects(self) -> list[int]:
        """List rules with a part in the Farkas multipliers of an empty cell; a limit on changes always may."""
        question = self._question(self.rules, self.density)
        domain = question.domain(self.row)
        assert domain is not None
        multipliers = contradicting(question.problem, 0, self.row, domain)
        limits_matter = _matters(multipliers.of_limits)
        rules_matter = _matters(multipliers.of_rules)
        suspects = []
        for index, rule in enumerate(self.rules.single):
            if isinstance(rule, FewChanges):
                suspects.append(index)
            elif isinstance(rule, Linear):
                if rules_matter[self.rules.rule_of_half_space == index].any():
                    suspects.append(index)
            else:
                column = rule.column  # type: ignore[attr-defined]  # all others are about a column
                if limits_matter[column.start : column.stop].any():
                    suspects.append(index)
        return suspects

    def _highest_quantile(self) -> float | None:
        """Bisect for the highest threshold quantile at which there is an answer, to three digits, rounded down."""
        if self.density is None:
            return None
        low, high = 0, QUANTILE_STEPS  # low works or is untested, high does not
        while high - low > 1:
            middle = (low + high) // 2
            density = at_threshold(self.density, middle / QUANTILE_STEPS)
            if np.isfinite(self._distance(self.rules, density)):
                low = middle
            else:
                high = middle
        return low / QUANTILE_STEPS if low else None

    def _question(self, rules: Rules, density: ClassDensity | None) -> Question:
        return pose(self.fitted, [self.outcome], rules, densities=[density], differ=True)

    def _distance(self, rules: Rules, density: ClassDensity | None) -> float:
        """Distance of the answer under rules and a density, infinite without one."""
        answers = Answers(self._question(rules, density), self.given, self.row)
        answers.reach(np.array([0]), np.array([0]))
        if np.isinf(answers.value[0]) and np.isfinite(answers.lower_bound[0]):
            self.is_proven &= self.fitted.exactness != "black box"
        return float(answers.value[0])


def _matters(multipliers: FloatArray) -> BoolArray:
    """Which columns of multipliers, one row a cell, are not zero in every cell."""
    if multipliers.size == 0:
        return np.zeros(multipliers.shape[1], dtype=np.bool_)
    size = np.abs(multipliers)
    return np.asarray((size > SMALLEST_MULTIPLIER * size.max(axis=1, keepdims=True)).any(axis=0))
