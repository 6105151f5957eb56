"""Paths: from a row to an answer through dense data all along, shortest, with proof.

The level is how dense every place of the path has to be, in the mixture of all training rows (the *landscape*). Each
segment lies in the set where one component alone reaches the level, which is convex: a segment with both ends in it is
dense everywhere. Where nothing else is asked, the level is the highest at which row and answers are connected, but no
higher than the row itself, nor than what is asked of answers: a path need not lead over summits. A row that is sparser
than nearly all others has no say in it; it first steps to the nearest place that is not.

What the search finds counts only after the last check, on the points as they would be returned: every corner by the
rules, every segment by the components at both its ends, the end by the model's own ``predict`` and its class's density.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import FloatArray, IntArray, UserData, UserValue
from ...density import Landscape, widest_paths
from ...distances import ResolvedManhattan
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...models import Label, Outcome
from ...reasons import NoDenseWay, NotFound, NothingToChange, ProofUnfinished, Reason, Unconfirmed
from ...rules import Rules
from ...search import FoundPath
from ..options import Options
from ..solving.deadline import Deadline
from ..solving.infeasibility import why_infeasible
from ..solving.question import pose
from ..verification import Verification
from .setting import PathSetting

# A path with a place sparser than all but this share of the training rows is not called dense, and a row that is so
# itself has no say in how dense its path is.
SPARSEST_PATH = 0.01
# Nats that a path's level stays below the highest: there, sets meet in a single point. A hundredth of a density.
ROOM_AT_SADDLES = 1e-2
# Halvings in which the highest level under rules is looked for.
HIGHER_LEVELS = 4


@dataclass(frozen=True, slots=True, eq=False)
class DensePath:
    """A path from a row to an answer, or the reason why there is none.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
        The row, corners, and the answer; the row alone without a path.
    components : int array of shape (n_points - 1,)
        The component of the landscape in whose set each segment lies; -1 for the first step of a row that is itself
        sparser than the level.
    level : float
        How dense every place is, apart from that first step; the highest level that was looked at without a path.
    highest : float
        No path at a higher level leads from where it begins, or enters dense data, to an answer.
    length, lower_bound : float
        In the explainer's distance, its root for Mahalanobis. No path at this level is shorter than the bound.
    cause : Reason or None
    """

    points: FloatArray
    components: IntArray
    level: float
    highest: float
    length: float
    lower_bound: float
    cause: Reason | None

    @property
    def is_found(self) -> bool:
        """Whether there is a path."""
        return bool(np.isfinite(self.length))


def find_dense_path(
    fitted: FittedModel,
    outcome: Outcome,
    given: UserData,
    row: FloatArray,
    rules: Rules,
    options: Options,
    *,
    level: UserValue = None,
) -> DensePath:
    """Find the shortest dense path of one row.

    Parameters
    ----------
    fitted : FittedModel
    outcome : outcome that is wanted
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    rules : Rules
    options : Options
    level : float in (0, 1), LogDensity or None
        A quantile of the training rows' densities, or absolute; None for the highest that connects row and answers.
    """
    rules = rules.of_all_numbers()  # a path passes all numbers
    _refuse_what_is_no_number(fitted, rules)
    landscape = fitted.landscape()
    search = _PathSearch(fitted, landscape, outcome, given, row, rules, options)
    if search.is_answer():
        path = search.nothing(None if level is None else landscape.level(level))
        return replace(path, length=0.0, lower_bound=0.0, cause=NothingToChange(search.target, is_dense=True))
    return search.at_highest() if level is None else search.at(landscape.level(level))


class _PathSearch:
    def __init__(
        self,
        fitted: FittedModel,
        landscape: Landscape,
        outcome: Outcome,
        given: UserData,
        row: FloatArray,
        rules: Rules,
        options: Options,
    ) -> None:
        self.fitted, self.landscape, self.outcome, self.given, self.row = fitted, landscape, outcome, given, row
        self.rules, self.options = rules, options
        self.deadline = Deadline(options.time_limit)
        density = fitted.density_of(outcome)
        assert density is not None
        self.density = density
        label = None if fitted.classes is None else fitted.classes.tolist()[_index(outcome)]
        position = landscape.labels.index(label)
        self.share = float(landscape.log_shares[position])
        self.first = landscape.first_component[label]
        self.own = landscape.log_components(fitted.density_rows(row))[0]
        self.question = pose(fitted, [outcome], rules, options=options)
        self.target = self.question.target(0)
        self.verification = Verification(self.question, given, row)

    def is_answer(self) -> bool:
        """Whether the row is its own answer."""
        zero, place = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        if not self.verification.densities(self.row, zero, place).is_dense[0]:
            return False
        return bool(self.verification.holds(self.row, zero, place, self.verification.predictions)[0])

    def nothing(self, level: float | None, cause: Reason | None = None, highest: float = np.nan) -> DensePath:
        """No path, or none that is needed."""
        return DensePath(
            points=self.row,
            components=np.empty(0, dtype=np.int64),
            level=float(self.own.max()) if level is None else level,
            highest=highest,
            length=np.inf,
            lower_bound=np.inf,
            cause=cause,
        )

    def at_highest(self) -> DensePath:
        """Find the path at the highest level at which there is one."""
        landscape = self.landscape
        floor = landscape.level(SPARSEST_PATH)
        asked = self.share + self.density.log_threshold_
        sparse = bool(self.own.max() < floor)
        cap = min(floor if sparse else float(self.own.max()) - ROOM_AT_SADDLES, asked)
        setting = self._setting(cap)
        if not setting.has_start or not setting.terminals:
            return self._no_answer(setting, np.nan)
        reached = widest_paths(landscape.saddles, setting.start_levels())[0][setting.terminal_components()]
        highest = float(reached.max())
        level = min(cap, highest - ROOM_AT_SADDLES)
        if level < min(floor, asked) - ROOM_AT_SADDLES:
            return self.nothing(highest, self._too_sparse(highest), highest)
        path = self.at(level, highest, setting if level == cap else None)
        if path.is_found or not self.rules.single or not np.isinf(path.lower_bound):
            return path
        return self._lower(level, min(floor, asked) - ROOM_AT_SADDLES, highest)

    def _lower(self, failed: float, lowest: float, highest: float) -> DensePath:
        """Bisect for a level at which there is a path under rules; saddles do not know of these."""
        best = self.at(lowest, highest)
        if not best.is_found:
            return best
        works = lowest
        for _ in range(HIGHER_LEVELS):
            if self.deadline.is_over:
                break
            middle = 0.5 * (works + failed)
            path = self.at(middle, highest)
            if path.is_found:
                works, best = middle, path
            else:
                failed = middle
        return best

    def at(self, level: float, highest: float | None = None, setting: PathSetting | None = None) -> DensePath:
        """Find the shortest path at a level, in a setting of it if that is at hand."""
        setting = self._setting(level) if setting is None else setting
        if not setting.has_start or not setting.terminals:
            return self._no_answer(setting, np.nan if highest is None else highest)
        if highest is None:
            reached = widest_paths(self.landscape.saddles, setting.start_levels())[0]
            highest = float(reached[setting.terminal_components()].max())
            if highest < level:
                return self.nothing(level, self._too_sparse(highest), highest)
        found, points = setting.search(self.deadline.limit())
        if found.corners is None:
            cause: Reason = NoDenseWay(self.target, self._share_denser(level), bool(self.rules.single), is_best=False)
            if not np.isinf(found.bound):
                cause = NotFound(self.target) if found.timed_out else Unconfirmed(self.target)
            return replace(self.nothing(level, cause, highest), lower_bound=setting.first_step + found.bound)
        return self._told(setting, found, points, highest)

    def _setting(self, level: float) -> PathSetting:
        needed = max(self.density.log_threshold_, level - self.share)
        question = self.question
        is_one_end = question.problem.goals[0].divides or self.rules.max_changes is not None
        if is_one_end and needed > self.density.log_threshold_:  # that one should be as dense as the path to it
            densities = [self.density.with_threshold(needed)]
            question = pose(self.fitted, [self.outcome], self.rules, options=self.options, densities=densities)
        # half of what is left is for the nearest answer, where the path ends in it; the path itself has the rest
        question = replace(question, options=replace(self.options, time_limit=self.deadline.limit(0.5)))
        own = float(self.own.max())
        return PathSetting(self.landscape, question, self.given, self.row, level, self.first, self.share, own)

    def _told(self, setting: PathSetting, found: FoundPath, points: FloatArray, highest: float) -> DensePath:
        """Put a path in features, with its length in the explainer's distance."""
        every = np.concatenate([self.row, points])
        components = setting.cones.component[found.sequence]
        if setting.enters:
            components = np.concatenate([[-1], components])
        each = self.fitted.distance(every[1:], every[:-1])
        length = float(each.sum() if isinstance(self.fitted.distance, ResolvedManhattan) else np.sqrt(each).sum())
        bound = min(setting.first_step + found.bound, length)
        cause = None
        if found.timed_out:
            cause = ProofUnfinished("size" if self.options.time_limit is None else "time")
        elif setting.is_one_end:
            cause = ProofUnfinished("end")
        return DensePath(every, components, setting.level, highest, length, bound, cause)

    def _no_answer(self, setting: PathSetting, highest: float) -> DensePath:
        """Describe why there is no place to begin, or none to end; what is not proven has no bound."""
        cause: Reason
        if setting.terminals or not setting.has_start:
            share = self._share_denser(setting.level)
            cause = NoDenseWay(self.target, share, bool(self.rules.single), is_best=False)
            cause = cause if setting.is_start_proven else NotFound(self.target)
        else:
            cause = why_infeasible(setting.question, 0)
        path = self.nothing(setting.level, cause, highest)
        return replace(path, lower_bound=0.0) if isinstance(cause, NotFound) else path

    def _too_sparse(self, highest: float) -> Reason:
        return NoDenseWay(self.target, self._share_denser(highest), bool(self.rules.single), is_best=True)

    def _share_denser(self, level: float) -> float:
        return 1.0 - self.landscape.share_no_denser(level)


def _index(outcome: Outcome) -> int:
    assert isinstance(outcome, Label)
    return outcome.index


def _refuse_what_is_no_number(fitted: FittedModel, rules: Rules) -> None:
    others = [column.name for column in fitted.table.columns if column.kind in ("category", "ordinal")]
    if others:
        names = ", ".join(repr(name) for name in others[:3])
        raise InvalidInputError(
            f"A path leads through numbers, but the table has other columns: {names}"
            f"{', ...' if len(others) > 3 else ''}. explainer.plan(explanation) says in which order to make the "
            "changes of any table."
        )
    stepped = rules.lattice
    if stepped is not None:
        names = ", ".join(repr(column.name) for column in fitted.table.columns if column.start in stepped.features)
        raise InvalidInputError(
            f"A path passes all numbers between its corners, but {names} moves in steps. Leave the step out; "
            "explainer.plan(explanation) keeps it."
        )
    if rules.integer.any():
        whole = [column.name for column in fitted.table.columns if rules.integer[column.start]]
        names = ", ".join(repr(name) for name in whole[:3])
        raise InvalidInputError(
            f"A path passes all numbers between its corners, but {names} {'is' if len(whole) == 1 else 'are'} whole. "
            "Constraints(integer=[]) takes them for numbers like any others; explainer.plan(explanation) keeps them "
            "whole."
        )
