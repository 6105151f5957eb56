"""Why not: when rules leave no answer, which of them contradict each other, and what would help.

Everything is asked of the same search that answers. A set of rules contradicts itself, together with the wanted outcome
and the density, if the search proves that nothing satisfies all of it. Such a set is made smallest by leaving out one
rule at a time, as long as the rest still contradicts itself; the Farkas multipliers of the relaxed cells say where to
begin, for most rules have no part in it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..constraints import Constraints, Rules
from ..constraints.atomic import FewChanges, Linear, MissingStays
from ..constraints.found_rules import Ranges, Unseen
from ..constraints.implications import Implies
from ..constraints.relaxing import dropped_with, split, without
from ..density import ClassDensity, at_threshold
from ..model import FittedModel
from ..regions import Outcome
from ..search import contradicting
from .answers import Answers
from .constants import QUANTILE_STEPS, SMALLEST_MULTIPLIER, SMALLEST_TIME_LIMIT
from .options import Options
from .question import Question, pose
from .reasons import Target

Grounds = Literal["none", "rules", "density", "model", "unknown"]


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
    """What an inquiry found; see :class:`~elsewise.WhyNot` for the first four.

    Attributes
    ----------
    reason : "none", "rules", "density", "model" or "unknown"
    conflict : tuple of str
    highest_quantile : float or None
    reliefs : tuple of Relief
    target : Target
    has_density : bool
        A density was asked for.
    is_finished : bool
        False if the time limit ended the inquiry.
    """

    reason: Grounds
    conflict: tuple[str, ...]
    highest_quantile: float | None
    reliefs: tuple[Relief, ...]
    target: Target
    has_density: bool
    is_finished: bool = True


class _TimeIsOverError(Exception):
    """No more can be found out."""


class Inquiry:
    """Finds out why one row has no answer.

    Parameters
    ----------
    fitted : FittedModel
    outcome : outcome that is wanted
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    rules : Rules
        The user's rules, resolved.
    options : Options
        What is asked, the user's rules as they were given among it; the time limit is for all of it.
    """

    def __init__(
        self,
        fitted: FittedModel,
        outcome: Outcome,
        given: Any,
        row: FloatArray,
        rules: Rules,
        options: Options,
    ) -> None:
        self.ends = np.inf if options.time_limit is None else time.perf_counter() + options.time_limit
        self.conflict: list[int] = []  # contradict each other, as far as is known
        self.reliefs: list[Relief] = []
        self.quantile_that_works = 0
        self.fitted, self.outcome, self.given, self.row = fitted, outcome, given, row
        self.rules, self.options = rules, options
        self.density = fitted.density_of(outcome)
        self.target = self._question(rules, self.density).target(0)

    def result(self) -> InquiryResult:
        """Look into it, as far as time allows."""
        try:
            reason = self._grounds()
        except _TimeIsOverError:
            return self._found("density" if self.quantile_that_works else "unknown", is_finished=False)
        try:
            if reason == "rules":
                self._find_reliefs()
                self._find_highest_quantile()
        except _TimeIsOverError:
            return self._found(reason, is_finished=False)
        return self._found(reason)

    def _grounds(self) -> Grounds:
        """Find out what is in the way."""
        if np.isfinite(self._distance(self.rules, self.density)):
            return "none"
        everything = range(len(self.rules.single))
        if self.rules.single and np.isfinite(self._distance(self.rules.without(everything), self.density)):
            self.conflict = list(everything)
            return "rules"
        self._find_highest_quantile()
        if self.quantile_that_works:
            return "density"
        return "density" if self.density is not None and np.isfinite(self._distance(self.rules, None)) else "model"

    def _found(self, reason: Grounds, *, is_finished: bool = True) -> InquiryResult:
        self.reliefs.sort(key=lambda relief: relief.distance)
        return InquiryResult(
            reason,
            tuple(self.rules.names[index] for index in self.conflict),
            self.quantile_that_works / QUANTILE_STEPS if self.quantile_that_works else None,
            tuple(self.reliefs),
            self.target,
            self.density is not None,
            is_finished,
        )

    def _find_reliefs(self) -> None:
        """Make the conflict smallest, and find the rules whose absence helps."""
        self._shrink_conflict()
        many = [index for index in self.conflict if len(self.rules.single[index].split()) > 1]
        if many:  # which of the columns or pairs it is about
            self.rules = split(self.rules, many)
            self.conflict = list(range(len(self.rules.single)))
            self._shrink_conflict()
        asked = Constraints() if self.options.constraints is None else self.options.constraints
        for index in self.conflict:
            if isinstance(self.rules.single[index], MissingStays):
                continue  # no rule of the user's
            distance = self._distance(self.rules.without(dropped_with(self.rules, index)), self.density)
            if np.isfinite(distance):
                self.reliefs.append(Relief(self.rules.names[index], distance, without(asked, self.rules, index)))

    def _shrink_conflict(self) -> None:
        """Leave out rules one at a time as long as the rest contradicts itself."""
        suspects = self._suspects()
        if not np.isfinite(self._distance(self._only(suspects), self.density)):
            self.conflict = suspects
        self._leave_out(self.conflict)

    def _leave_out(self, candidates: list[int]) -> None:
        """Leave out candidates, all of them if that will do, else by halves: few have a part in a conflict."""
        fewer = [index for index in self.conflict if index not in candidates]
        if not np.isfinite(self._distance(self._only(fewer), self.density)):
            self.conflict = fewer
        elif len(candidates) > 1:
            middle = len(candidates) // 2
            for half in (candidates[:middle], candidates[middle:]):
                self._leave_out(half)

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
            if isinstance(rule, (FewChanges, Implies, Unseen)):
                suspects.append(index)
            elif isinstance(rule, Ranges):
                if limits_matter[rule.features].any():
                    suspects.append(index)
            elif isinstance(rule, Linear):
                if rules_matter[self.rules.rule_of_half_space == index].any():
                    suspects.append(index)
            else:
                column = rule.column  # type: ignore[attr-defined]  # all others are about a column
                if limits_matter[column.start : column.stop].any():
                    suspects.append(index)
        return suspects

    def _find_highest_quantile(self) -> None:
        """Bisect for the highest threshold quantile at which there is an answer, to three digits, rounded down."""
        if self.density is None:
            return
        high = QUANTILE_STEPS  # does not work; the other end does, or is untested
        while high - self.quantile_that_works > 1:
            middle = (self.quantile_that_works + high) // 2
            density = at_threshold(self.density, middle / QUANTILE_STEPS)
            if np.isfinite(self._distance(self.rules, density)):
                self.quantile_that_works = middle
            else:
                high = middle

    def _question(self, rules: Rules, density: ClassDensity | None) -> Question:
        left = None if np.isinf(self.ends) else max(self.ends - time.perf_counter(), SMALLEST_TIME_LIMIT)
        options = replace(self.options, time_limit=left)
        return pose(self.fitted, [self.outcome], rules, options=options, densities=[density], branches=True)

    def _distance(self, rules: Rules, density: ClassDensity | None) -> float:
        """Distance of the answer under rules and a density, infinite without one."""
        if time.perf_counter() > self.ends:
            raise _TimeIsOverError
        answers = Answers(self._question(rules, density), self.given, self.row)
        answers.reach(np.array([0]), np.array([0]))
        value = float(answers.value[0])
        if np.isinf(value) and self.ends < np.inf and answers.timed_out[0] and np.isfinite(answers.lower_bound[0]):
            raise _TimeIsOverError
        return value


def _matters(multipliers: FloatArray) -> BoolArray:
    """Which columns of multipliers, one row a cell, are not zero in every cell."""
    if multipliers.size == 0:
        return np.zeros(multipliers.shape[1], dtype=np.bool_)
    size = np.abs(multipliers)
    return np.asarray((size > SMALLEST_MULTIPLIER * size.max(axis=1, keepdims=True)).any(axis=0))
