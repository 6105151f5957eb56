"""Why not: when rules leave no answer, which of them contradict each other, and what would help.

Everything is asked of the same search that answers. A set of rules contradicts itself, together with the wanted outcome
and the density, if the search proves that nothing satisfies all of it. Such a set is made smallest by leaving out one
rule at a time, as long as the rest still contradicts itself; the Farkas multipliers of the relaxed cells say where to
begin, for most rules have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...answers.why_not import Relief, WhyNot
from ...arrays import BoolArray, FloatArray, UserData
from ...density import at_threshold
from ...fitted import FittedModel
from ...models import Outcome
from ...rules import Constraints, Rules
from ...rules.atomic import FewChanges, Linear, MissingStays
from ...rules.implications import Implies
from ...rules.learned.derived_ranges import DerivedRange
from ...rules.learned.found_rules import Ranges, Unseen
from ...rules.relaxing import dropped_with, split, without
from ...search import contradicting
from ...table.frames import rows_of
from ...text.languages import speaking
from ..moves import answer_nearby
from ..options import Options
from ..solving.answers import Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..solving.question import Question, pose
from ..thresholds.highest_quantile import HighestQuantile
from ..verification import Verification
from .known_sets import KnownSets, says_only_limits, side_by_side

# Relative size of a Farkas multiplier below which its constraint has no part in a contradiction.
SMALLEST_MULTIPLIER = 1e-7
# Latest answers under other rules near which one is looked for before a search: for three in five sets of rules that
# leave an answer it is there; more of them cost more time than they save.
POINTS_TO_START_FROM = 2


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
        given: UserData,
        row: FloatArray,
        rules: Rules,
        options: Options,
    ) -> None:
        self.deadline = Deadline(options.time_limit)
        self.outcome, self.given, self.row, self.options = outcome, given, row, options
        self.predictions = fitted.predict(row, given)
        self.is_tentative = True
        self._begin(rules, fitted)
        question = self._question(self.everything)
        self.target = question.target(0)
        asked = Answers(question, given, row, self.predictions)
        # Rules are left out at the density that the row asks for under all of them: fewer rules then never leave less.
        self.fixed_part, self.log_thresholds = asked.fixed_parts[0][0], asked.log_thresholds

    def _begin(self, rules: Rules, fitted: FittedModel) -> None:
        """Begin with nothing known, with or without a density."""
        self.fitted, self.density = fitted, fitted.density_of(self.outcome)
        self.rules, self.everything = rules, frozenset(range(len(rules.single)))
        self.known = KnownSets(self.row, rules)
        self.reason = "unknown"
        # where regions are smaller than what lasts, "none" is about what is found so
        self.is_proven = fitted.is_exactly_robust([self.outcome])
        self.conflict: list[int] = []  # contradict each other, as far as is known
        self.is_smallest = True
        self.reliefs: list[Relief] = []
        self.quantile: float | None = None

    def result(self) -> WhyNot:
        """Look into it: first by what the search says, then, should the model not agree with it, point by point."""
        with speaking(self.fitted.table.wording):  # rules that are split get words of their own
            return self._result()

    def _result(self) -> WhyNot:
        rules, fitted = self.rules, self.fitted
        is_finished = self._look()
        points = np.concatenate([self.row[:0], *self.known.points, *self.known.shown])
        if not self._model_agrees(points):
            self.is_tentative = False
            self._begin(rules, fitted)
            is_finished = self._look()
        return self._found(is_finished)

    def _model_agrees(self, points: FloatArray) -> bool:
        """Whether the model itself decides so for points, asked about all of them at once."""
        if not len(points):
            return True
        same, question = np.zeros(len(points), dtype=np.int64), self._question(frozenset())
        verification = Verification(question, rows_of(self.given, same), self.row[same], self.predictions[same])
        places = np.arange(len(points))
        return bool(verification.holds(points, same, places, verification.predict(points, places)).all())

    def _look(self) -> bool:
        """Find out what is in the way, as far as time allows; tell whether it did."""
        try:
            if self._has_answer(self.everything):
                self.reason = "none"
            elif self.everything and self._has_answer(frozenset()):
                self.reason, self.conflict, self.is_smallest = "rules", sorted(self.everything), False
                self._find_reliefs()
                self._find_highest_quantile()
            elif self.density is None:
                self.reason = "model"
            else:
                return self._look_at_lower_densities()
        except TimeIsOverError:
            return False
        return True

    def _look_at_lower_densities(self) -> bool:
        """Find out whether the density is in the way, or, however low it may be, the rules or the model."""
        self._find_highest_quantile()
        if self.quantile is None:
            density, fitted = self.density, self.fitted
            self._begin(self.rules, fitted.without_density())
            is_finished = self._look()
            if self.reason != "none":
                return is_finished
            self.density, self.fitted = density, fitted
        self.reason = "density"
        return True

    def _found(self, is_finished: bool) -> WhyNot:
        return WhyNot(
            self.reason,
            tuple(self.rules.names[index] for index in self.conflict),
            self.quantile,
            tuple(sorted(self.reliefs, key=lambda relief: relief.distance)),
            self.target,
            self.density is not None,
            is_finished,
            self.is_proven,
            self.is_smallest,
            self.fitted.table.wording,
        )

    def _find_reliefs(self) -> None:
        """Make the conflict smallest, and find the rules whose absence helps."""
        self._shrink_conflict()
        many = [index for index in self.conflict if len(self.rules.single[index].split()) > 1]
        if many:  # which of the columns or pairs it is about
            self.rules = split(self.rules, many)
            self.everything = frozenset(range(len(self.rules.single)))
            self.known.renumber(self.rules)
            self.conflict, self.is_smallest = sorted(self.everything), False
            self._shrink_conflict()
        asked = self.fitted.constraints_of(self.options.constraints, self.outcome) or Constraints()
        # what is missing stays so by no rule of the user's
        indices = [index for index in self.conflict if not isinstance(self.rules.single[index], MissingStays)]
        sets = [self.everything - frozenset(dropped_with(self.rules, index)) for index in indices]
        nearest = self._nearest_under(sets)
        for index, kept in zip(indices, sets, strict=True):
            if kept in nearest:
                value, points = nearest[kept]
            else:
                answers = self._reached(self._question(kept), at_its_own=True)
                value, points = float(answers.value[0]), answers.points
            if np.isfinite(value):
                self.known.shown.append(points)
                self.reliefs.append(Relief(self.rules.names[index], value, without(asked, self.rules, index)))

    def _shrink_conflict(self) -> None:
        """Leave out rules, from the first on, as long as the rest contradicts itself."""
        suspects = self._suspects()
        rest = sorted(self.everything) if self._has_answer(frozenset(suspects)) else suspects
        conflict: list[int] = []
        while rest and self._has_answer(frozenset(conflict)):
            # the longest beginning of the rest that can be left out: the rule after it is part of the conflict
            low, high = 0, len(rest)
            longest = high - 1
            while high - low > 1:
                if self._has_answer(frozenset([*conflict, *rest[longest:]])):
                    high = longest
                else:
                    low = longest
                longest = (low + high) // 2
            conflict.append(rest[low])
            rest = rest[low + 1 :]
        self.conflict, self.is_smallest = conflict, True

    def _nearest_under(self, sets: Sequence[frozenset[int]]) -> dict[frozenset[int], tuple[float, FloatArray]]:
        """Look for the nearest answers under several sets of rules at once, as far as one search can do so.

        Returns
        -------
        dict of (float, array of shape (1, n_features))
            By set: distance of the answer, infinite if it is proven that there is none, and the answer. Without the
            sets that have to be asked about alone.
        """
        limits = frozenset(index for index, rule in enumerate(self.rules.single) if says_only_limits(rule))
        groups: dict[frozenset[int], list[frozenset[int]]] = {}
        for kept in sets if self.fitted.exactness != "black box" else ():
            groups.setdefault(kept - limits, []).append(kept)
        found = {}
        for group in (group for group in groups.values() if len(group) > 1):
            left = self.deadline.left()
            options = replace(self.options, time_limit=None if left is None else left / len(group))
            common = replace(self._question(frozenset.intersection(*group)), options=options)
            questions = [self._question(kept) for kept in group]
            answers = side_by_side(common, questions, self.given, self.row, self.predictions)
            answers.reach(np.arange(len(group)), np.zeros(len(group), dtype=np.int64))
            breaks = self.known.broken_by(answers.points)
            for place, kept in enumerate(group):
                value = float(answers.value[place])
                is_answer = np.isfinite(value) and not breaks[place, list(kept)].any()
                if is_answer or np.isinf(answers.lower_bound[place]):
                    found[kept] = value, answers.points[[place]]
        return found

    def _suspects(self) -> list[int]:
        """List rules with a part in the Farkas multipliers of an empty cell; a limit on changes always may."""
        question, place = self._question(self.everything), np.array([0])
        answers = self._answers(question)
        assert answers.domain is not None
        domain = replace(answers.domain, widening=answers.widening(place, place))
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
            elif isinstance(rule, DerivedRange) and not len(rule.offsets):
                suspects.append(index)
            elif isinstance(rule, Linear | DerivedRange):
                if rules_matter[self.rules.rule_of_half_space == index].any():
                    suspects.append(index)
            else:
                column = rule.column  # type: ignore[attr-defined]  # all others are about a column
                if limits_matter[column.start : column.stop].any():
                    suspects.append(index)
        return suspects

    def _find_highest_quantile(self) -> None:
        """Find the highest threshold quantile at which there is an answer under all rules."""
        density = self.density
        if density is None:
            return
        highest = HighestQuantile(
            self._question(self.everything),
            self.given,
            self.row,
            self.predictions,
            self._level,
            self.deadline,
        )
        self.quantile, points = highest.find(1.0 if density.quantile_ is None else density.quantile_)
        self.known.shown.append(points)

    def _question(self, kept: frozenset[int]) -> Question:
        """Ask under some of the rules."""
        rules = self.rules.without(sorted(self.everything - kept))
        question = pose(self.fitted, [self.outcome], rules, options=self.options, branches=True, own_thresholds=True)
        return replace(question, is_tentative=self.is_tentative)

    def _level(self, quantile: float) -> float:
        """Log density that the row asks for at a quantile, under all rules."""
        if self.fixed_part is not None:
            return self.fixed_part.log_threshold(quantile)
        assert self.density is not None
        return at_threshold(self.density, quantile).log_threshold_

    def _answers(self, question: Question, *, at_its_own: bool = False) -> Answers:
        """Prepare answers at the row's density threshold, or at that of another question."""
        levels = None if at_its_own or self.density is None else self.log_thresholds
        return Answers(question, self.given, self.row, self.predictions, log_thresholds=levels)

    def _reached(self, question: Question, *, at_its_own: bool = False) -> Answers:
        question = replace(question, options=replace(question.options, time_limit=self.deadline.left()))
        answers = self._answers(question, at_its_own=at_its_own)
        answers.reach(np.array([0]), np.array([0]))
        if self.deadline.ends is not None and answers.is_unknown(0):
            raise TimeIsOverError
        if np.isinf(answers.value[0]) and np.isfinite(answers.lower_bound[0]):
            self.is_proven = False  # rounding, or the limits of a search: not found is not proven to be none
        return answers

    def _has_answer(self, kept: frozenset[int]) -> bool:
        """Whether there is an answer under some of the rules, in whatever distance."""
        if self.known.has_answer(kept):
            return True
        if self.known.is_empty(kept):
            return False
        question = self._question(kept).for_any_answer()
        latest = self.known.points[-POINTS_TO_START_FROM:]
        nearby = answer_nearby(self._answers(question), latest) if self.is_tentative and latest else None
        if nearby is not None:
            self.known.add_point(nearby)
            return True
        answers = self._reached(question)
        if np.isinf(answers.value[0]):
            self.known.add_empty(kept)
            return False
        self.known.add_point(answers.points)
        return True


def _matters(multipliers: FloatArray) -> BoolArray:
    """Which columns of multipliers, one row a cell, are not zero in every cell."""
    if multipliers.size == 0:
        return np.zeros(multipliers.shape[1], dtype=np.bool_)
    size = np.abs(multipliers)
    return np.asarray((size > SMALLEST_MULTIPLIER * size.max(axis=1, keepdims=True)).any(axis=0))
