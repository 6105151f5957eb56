"""Why not: when rules leave no answer, which of them contradict each other, and what would help.

Everything is asked of the same search that answers. A set of rules contradicts itself, together with the wanted outcome
and the density, if the search proves that nothing satisfies all of it. Such a set is made smallest by leaving out one
rule at a time, as long as the rest still contradicts itself; the Farkas multipliers of the relaxed cells say where to
begin, for most rules have no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..columns.frames import rows_of
from ..constraints import Constraints, Rules
from ..constraints.atomic import FewChanges, Linear, MissingStays
from ..constraints.relaxing import without
from ..density import at_threshold
from ..model import FittedModel
from ..regions import Outcome
from ..search import contradicting
from .answers import Answers
from .constants import FIRST_POINT, QUANTILE_STEPS, QUANTILES_AT_ONCE, SMALLEST_MULTIPLIER
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
    """What an inquiry found; see :class:`~elsewise.WhyNot` for the first four.

    Attributes
    ----------
    reason : "none", "rules", "density" or "model"
    conflict : tuple of str
    highest_quantile : float or None
    reliefs : tuple of Relief
    target : Target
    has_density : bool
        A density was asked for.
    """

    reason: Literal["none", "rules", "density", "model"]
    conflict: tuple[str, ...]
    highest_quantile: float | None
    reliefs: tuple[Relief, ...]
    target: Target
    has_density: bool


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
        self.everything = frozenset(range(len(rules.single)))
        self.density = fitted.density_of(outcome)
        self.target = self._question(self.everything).target(0)
        self.predictions = fitted.predict(row, given)
        self.known = _Known(row)

    def result(self) -> InquiryResult:
        """Look into it."""
        if self._has_answer(self.everything):
            return self._found("none")
        if self.everything and self._has_answer(frozenset()):
            return self._rules_in_the_way()
        highest = self._highest_quantile()
        if highest is None and (self.density is None or not self._has_answer(self.everything, with_density=False)):
            return self._found("model")
        return self._found("density", highest_quantile=highest)

    def _found(
        self,
        reason: Literal["none", "rules", "density", "model"],
        conflict: tuple[str, ...] = (),
        highest_quantile: float | None = None,
        reliefs: tuple[Relief, ...] = (),
    ) -> InquiryResult:
        return InquiryResult(reason, conflict, highest_quantile, reliefs, self.target, self.density is not None)

    def _rules_in_the_way(self) -> InquiryResult:
        distances: dict[int, float] = {}
        conflict = self._smallest_conflict(distances)
        asked = Constraints() if self.constraints is None else self.constraints
        reliefs = []
        for index in conflict:
            if isinstance(self.rules.single[index], MissingStays):
                continue  # no rule of the user's
            distance = distances[index] if index in distances else self._distance_without(index)
            if np.isfinite(distance):
                reliefs.append(Relief(self.rules.names[index], distance, without(asked, self.rules, index)))
        reliefs.sort(key=lambda relief: relief.distance)
        names = tuple(self.rules.names[index] for index in conflict)
        return self._found("rules", names, self._highest_quantile(), tuple(reliefs))

    def _smallest_conflict(self, distances: dict[int, float]) -> list[int]:
        """Leave out rules one at a time as long as the rest contradicts itself.

        A rule without which all others have an answer is part of every conflict: its relief is asked for first, and
        noted in ``distances``.
        """
        suspects = self._suspects()
        kept = sorted(self.everything) if self._has_answer(frozenset(suspects)) else suspects
        for index in list(kept):
            fewer = frozenset(kept) - {index}
            if not self.known.has_answer(fewer, self.rules) and not self.known.is_empty(fewer):
                distances[index] = self._distance_without(index)
            if not self._has_answer(fewer):
                kept = sorted(fewer)
        return kept

    def _suspects(self) -> list[int]:
        """List rules with a part in the Farkas multipliers of an empty cell; a limit on changes always may."""
        question = self._question(self.everything)
        domain = question.domain(self.row)
        assert domain is not None
        answers = self._answers(question)
        place = np.array([0])
        multipliers = contradicting(
            question.problem, 0, self.row, replace(domain, widening=answers.widening(place, place))
        )
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
        """Narrow down the highest threshold quantile at which there is an answer, to three digits, rounded down.

        Several thresholds are asked together: in one search they cost little more than one.
        """
        if self.density is None:
            return None
        question = self._question(self.everything, time_limit=FIRST_POINT)
        low, high = 0, QUANTILE_STEPS  # low works or is untested, high does not
        while high - low > 1:
            steps = np.unique(np.linspace(low, high, QUANTILES_AT_ONCE + 2)[1:-1].astype(np.int64))
            steps = steps[(steps > low) & (steps < high)]
            levels = np.array([self._level(step) for step in steps.tolist()])
            answers = self._answers(question, levels)
            answers.reach(np.arange(len(steps)), np.zeros(len(steps), dtype=np.int64))
            works = np.isfinite(answers.value)
            if works.any():
                low = max(int(steps[works][-1]), self._step_of(float(answers.log_density[works].max())))
            fails = steps[~works & (steps > low)]
            if len(fails):
                high = int(fails[0])
        return low / QUANTILE_STEPS if low else None

    def _level(self, step: int) -> float:
        """Log density threshold of a step in quantiles."""
        assert self.density is not None
        return at_threshold(self.density, step / QUANTILE_STEPS).log_threshold_

    def _step_of(self, log_density: float) -> int:
        """Find the highest step whose threshold a log density reaches."""
        assert self.density is not None
        quantile = self.density.quantile_of(log_density)
        step = min(int((0.0 if quantile is None else quantile) * QUANTILE_STEPS), QUANTILE_STEPS - 1)
        return step if step and self._level(step) <= log_density else max(step - 1, 0)

    def _question(
        self, kept: frozenset[int], *, with_density: bool = True, time_limit: float | None = None
    ) -> Question:
        rules = self.rules.without(sorted(self.everything - kept))
        if not with_density:
            return pose(self.fitted, [self.outcome], rules, densities=[None], differ=True, time_limit=time_limit)
        return pose(self.fitted, [self.outcome], rules, differ=True, own_thresholds=True, time_limit=time_limit)

    def _answers(self, question: Question, levels: FloatArray | None = None) -> Answers:
        """Prepare answers for the row, once for each of the log density thresholds."""
        n = 1 if levels is None else len(levels)
        same = np.zeros(n, dtype=np.int64)
        return Answers(
            question,
            rows_of(self.given, same),
            self.row[same],
            self.predictions[same],
            None if levels is None else levels[:, None],
        )

    def _has_answer(self, kept: frozenset[int], *, with_density: bool = True) -> bool:
        """Whether there is an answer under some of the rules, in whatever distance."""
        if with_density and (self.known.has_answer(kept, self.rules) or self.known.is_empty(kept)):
            return not self.known.is_empty(kept)
        answers = self._answers(self._question(kept, with_density=with_density, time_limit=FIRST_POINT))
        answers.reach(np.array([0]), np.array([0]))
        if with_density:
            self.known.note(kept, answers)
        return bool(np.isfinite(answers.value[0]))

    def _distance_without(self, index: int) -> float:
        """Distance of the answer under all rules but one, infinite without one."""
        kept = self.everything - {index}
        answers = self._answers(self._question(kept))
        answers.reach(np.array([0]), np.array([0]))
        self.known.note(kept, answers)
        return float(answers.value[0])


class _Known:
    """What is known of sets of rules: points that are answers under some of them, and sets that leave none.

    Parameters
    ----------
    row : array of shape (1, n_features)
    """

    def __init__(self, row: FloatArray) -> None:
        self.row = row
        self.points: list[FloatArray] = []
        self.empty: list[frozenset[int]] = []

    def note(self, kept: frozenset[int], answers: Answers) -> None:
        """Note what was found under some of the rules."""
        if np.isfinite(answers.value[0]):
            self.points.append(answers.points[:1])
        else:
            self.empty.append(kept)

    def has_answer(self, kept: frozenset[int], rules: Rules) -> bool:
        """Whether a known point keeps some of the rules."""
        fewer = rules.without([index for index in range(len(rules.single)) if index not in kept])
        return any(not fewer.broken(self.row, point) for point in self.points)

    def is_empty(self, kept: frozenset[int]) -> bool:
        """Whether some of these rules are known to leave nothing."""
        return any(empty <= kept for empty in self.empty)


def _matters(multipliers: FloatArray) -> BoolArray:
    """Which columns of multipliers, one row a cell, are not zero in every cell."""
    if multipliers.size == 0:
        return np.zeros(multipliers.shape[1], dtype=np.bool_)
    size = np.abs(multipliers)
    return np.asarray((size > SMALLEST_MULTIPLIER * size.max(axis=1, keepdims=True)).any(axis=0))
