"""Principal reasons: the fewest columns of which one has to change, or there is no answer.

A set R of columns holds the reasons if every answer changes one of them: the question with the columns of R held is
infeasible. A smallest such R is found as a smallest hitting set of the changed columns of answers that are known so
far: hold its columns, and either nothing is left, which proves it, or there is a further answer, which changes none of
them, and the next hitting set has to hit it, too.

Where density thresholds depend on what is held, "nothing is left" is asked at the threshold of the row, at the one
given R, and for every one or two other columns, given all the rest: what :meth:`~elsewise.Explainer.explain` says with
R immutable, and :meth:`~elsewise.Explainer.levers`, does not contradict the reasons.

R is empty exactly where the row has no answer at all or is one itself; and as R is smallest, each of its columns is
changed by an answer that leaves the rest of R as it is.

Smallest sets that share an element with each of several sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from ...answers.principal_reasons import Responsiveness
from ...arrays import BoolArray, FloatArray, IntArray
from ..one_row import RowQuestion
from ..solving.answers import Answers
from ..solving.deadline import TimeIsOverError
from ..solving.question import Question
from .levers import LeverSets, ask_sets
from .responsiveness import responsiveness


def smallest_hitting_set(sets: Iterable[Set[int]], order: Sequence[int]) -> frozenset[int]:
    """Find a smallest set that shares an element with every one of ``sets``, none of which is empty.

    By iterative deepening: a set that is not hit yet, the smallest of them, has to lose one of its elements.

    Parameters
    ----------
    sets : sets of int
    order : sequence of int
        Elements that come first are tried first: of several smallest sets, one with early elements is found.
    """
    bit = {element: 1 << place for place, element in enumerate(order)}
    minimal: list[int] = []  # each a sum of bits, smallest sets first
    for mask in sorted((sum(bit[element] for element in each) for each in sets), key=int.bit_count):
        if not any(smaller & mask == smaller for smaller in minimal):
            minimal.append(mask)
    most, found = 0, None
    while found is None:
        found = _hit(0, minimal, most)
        most += 1
    return frozenset(element for element, one in bit.items() if found & one)


def _hit(chosen: int, left: Sequence[int], room: int) -> int | None:
    """Find a hitting set of what is left with at most ``room`` elements beside those chosen; None if there is none."""
    if not left:
        return chosen
    if room < _disjoint(left):
        return None
    elements = left[0]
    while elements:
        element = elements & -elements
        found = _hit(chosen | element, [each for each in left if not each & element], room - 1)
        if found is not None:
            return found
        elements ^= element
    return None


def _disjoint(sets: Sequence[int]) -> int:
    """Count disjoint sets, picked greedily: each needs an element of its own."""
    taken = count = 0
    for each in sets:
        if not each & taken:
            taken |= each
            count += 1
    return count


# Hitting sets that are tried before the smallest one is given up.
MOST_HITTING_SETS = 200

Direction = Literal["too high", "too low", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class FoundReason:
    """One column that is in the way.

    Attributes
    ----------
    column : int
        Position in the table.
    direction : "too high", "too low" or "other"
        "other": a level, or a special code, that would have to be another one.
    answers : Answers
    place : int
        The nearest answer in ``answers`` that changes this column alone, where there is one, else none of the other
        reasons.
    is_alone : bool
        Its change alone is enough.
    distance_without : float
        No answer that leaves this column as it is is nearer than this; infinite if it is proven that there is none.
    responsiveness : Responsiveness
    """

    column: int
    direction: Direction
    answers: Answers
    place: int
    is_alone: bool
    distance_without: float
    responsiveness: Responsiveness

    @property
    def rank(self) -> tuple[bool, float, int]:
        """What sorts reasons: first those that are enough alone, nearest first, then those hardest to do without."""
        worth = float(self.answers.value[self.place]) if self.is_alone else -self.distance_without
        return not self.is_alone, worth, self.column


@dataclass(frozen=True, slots=True, eq=False)
class ReasonSet:
    """The reasons of a row.

    Attributes
    ----------
    status : "proven", "no recourse", "has outcome" or "unknown"
        "proven": no answer leaves all these columns as they are, and of every smaller set some known answer does. "no
        recourse": it is proven that there is no answer. "unknown": time or the model's kind ended the search.
    reasons : list of FoundReason
        Most important first.
    """

    status: Literal["proven", "no recourse", "has outcome", "unknown"]
    reasons: list[FoundReason]


def find_reasons(asked: RowQuestion) -> ReasonSet:
    """Find the smallest set of columns one of which every answer changes, and describe each of them."""
    if asked.has_outcome():
        return ReasonSet("has outcome", [])
    question = asked.question()
    try:
        everything = np.ones((1, len(asked.names)), dtype=np.bool_)
        first = asked.reached(question.for_any_answer(), everything)
        if np.isinf(first.value[0]):
            return ReasonSet("no recourse" if np.isinf(first.lower_bound[0]) else "unknown", [])
        search = _ReasonSearch(asked, question, first)
        columns = search.smallest()
        return ReasonSet("unknown", []) if columns is None else ReasonSet("proven", search.described(columns))
    except TimeIsOverError:
        return ReasonSet("unknown", [])


class _ReasonSearch:
    """The search for the reasons of one row.

    Parameters
    ----------
    asked : RowQuestion
    question : Question
    first : Answers
        With any answer, all columns being free.
    """

    def __init__(self, asked: RowQuestion, question: Question, first: Answers) -> None:
        self.asked, self.question = asked, question
        self.log_thresholds = first.log_thresholds
        self.movable = frozenset(np.flatnonzero(asked.can_change(question)).tolist())
        self.known: dict[frozenset[int], tuple[Answers, int]] = {}  # answers by the columns that they change
        self.not_enough: set[tuple[int, ...]] = set()  # columns that are proven not to be enough, whatever is held
        self.threshold_of: dict[tuple[int, ...], float] = {}
        self._shrink(self._learn(first)[0], self.log_thresholds)

    def smallest(self) -> frozenset[int] | None:
        """Find a smallest set without which there is no answer; None if that cannot be proven."""
        self._learn(self._reached([{column} for column in sorted(self.movable)]))
        for _ in range(MOST_HITTING_SETS):
            held = smallest_hitting_set(self.known, self._by_share())
            answers = self._reached([self.movable - held])
            if np.isfinite(answers.value[0]):
                self._shrink(self._learn(answers)[0], self.log_thresholds)
            elif np.isfinite(answers.lower_bound[0]):
                return None
            elif not self._has_thresholds_of_its_own():
                return held
            else:
                is_left = self._is_left(self.movable - held)
                if not is_left:
                    return held if is_left is False else None
        return None

    def _has_thresholds_of_its_own(self) -> bool:
        """Whether density thresholds depend on what is held."""
        return self.question.cones_at is not None and self.asked.fitted.condition_on_fixed

    def _is_left(self, free: frozenset[int]) -> bool | None:
        """Whether columns are enough, together or one or two alone, at the thresholds given the others; None: unknown.

        Answers are learnt; they need not be nearest.
        """
        question = self.question.for_any_answer()
        together = self.asked.reached(question, self._masks([free]))
        if np.isfinite(together.value[0]):
            self._shrink(self._learn(together)[0], together.log_thresholds)
            return True
        if np.isfinite(together.lower_bound[0]):
            return None
        # fewer columns have no answer at these thresholds, or at higher ones
        proven = min(float(self.log_thresholds[0, 0]), float(together.log_thresholds[0, 0]))
        is_known = True
        for size in (1, 2):
            sets = [each for each in combinations(sorted(free), size) if each not in self.not_enough]
            self._learn_thresholds(sets)
            found = LeverSets([], [], [], ())
            ask_sets(self.asked, question, [each for each in sets if self.threshold_of[each] < proven], found)
            for _, answers, place in found.enough:
                self._learn(answers, place)
            self.not_enough.update(found.not_enough)
            if found.enough:
                return True
            is_known &= not found.unknown
        return False if is_known else None

    def _learn_thresholds(self, sets: list[tuple[int, ...]]) -> None:
        """Compute the thresholds given all columns but those of each set, once a row."""
        new = [each for each in sets if each not in self.threshold_of]
        if new:
            answers = self.asked.answers(self.question.for_any_answer(), self._masks([set(each) for each in new]))
            self.threshold_of.update(zip(new, answers.log_thresholds[:, 0].tolist(), strict=True))

    def _shrink(self, changed: frozenset[int], log_thresholds: FloatArray) -> None:
        """Learn answers that change ever fewer of these columns: each is a stronger condition on the reasons."""
        question = self.question.for_any_answer()
        while len(changed) > 1:
            smaller = [changed - {column} for column in sorted(changed)]
            answers = self.asked.reached(question, self._masks(smaller), log_thresholds=log_thresholds)
            found = self._learn(answers)
            if not found:
                return
            changed = min(found, key=len)

    def described(self, columns: frozenset[int]) -> list[FoundReason]:
        """Describe reasons, the most important first."""
        listed = sorted(columns)
        alone = self.asked.reached(self.question, self._masks([{column} for column in listed]))
        near = self._near([self.movable - (columns - {column}) for column in listed])
        without = self._near([self.movable - {column} for column in listed])
        shares = responsiveness(self.asked, self.question, alone, listed)
        reasons = []
        for place, column in enumerate(listed):
            answers, at = alone, place
            if np.isinf(alone.value[place]):
                answers, at = (near, place) if np.isfinite(near.value[place]) else self._witness(columns, column)
            direction = self._direction(column, answers.points[at])
            is_alone, bound = answers is alone, float(min(without.value[place], without.lower_bound[place]))
            reasons.append(FoundReason(column, direction, answers, at, is_alone, bound, shares[place]))
        return sorted(reasons, key=lambda reason: reason.rank)

    def _witness(self, columns: frozenset[int], column: int) -> tuple[Answers, int]:
        """Find the nearest known answer that changes one of the reasons alone: there is one, for they are fewest."""
        known = [pair for changed, pair in self.known.items() if changed & columns == {column}]
        return min(known, key=lambda pair: float(pair[0].value[pair[1]]))

    def _reached(self, free: Sequence[Set[int]]) -> Answers:
        """Find any answers at the density threshold of the row, under sets of columns that may change."""
        question = self.question.for_any_answer()
        return self.asked.reached(question, self._masks(free), log_thresholds=self.log_thresholds)

    def _near(self, free: Sequence[Set[int]]) -> Answers:
        """Find answers that are near, and bounds of their distances, with little work."""
        masks, thresholds = self._masks(free), self.log_thresholds
        return self.asked.reached(self.question, masks, log_thresholds=thresholds, effort="quick")

    def _masks(self, sets: Sequence[Set[int]]) -> BoolArray:
        masks = np.zeros((len(sets), len(self.asked.names)), dtype=np.bool_)
        for place, columns in enumerate(sets):
            members: IntArray = np.array(sorted(columns), dtype=np.int64)
            masks[place, members] = True
        return masks

    def _learn(self, answers: Answers, only: int | None = None) -> list[frozenset[int]]:
        """Keep answers, or the one at a place, by the columns that they change; return these columns."""
        found = np.flatnonzero(np.isfinite(answers.value)) if only is None else np.array([only])
        changed = self.asked.fitted.table.changed(answers.rows[found], answers.points[found])
        sets = [frozenset(np.flatnonzero(row).tolist()) for row in changed]
        for columns, place in zip(sets, found.tolist(), strict=True):
            self.known.setdefault(columns, (answers, place))
        return sets

    def _by_share(self) -> list[int]:
        """Order columns by how many known answers change them, most first."""
        counts = np.zeros(len(self.asked.names))
        for changed in self.known:
            counts[list(changed)] += 1.0
        order: list[int] = np.argsort(-counts, kind="stable").tolist()
        return order

    def _direction(self, column: int, point: FloatArray) -> Direction:
        """Describe what is wrong with a column, given an answer in features."""
        own = self.question.table.columns[column]
        if own.kind == "category":
            return "other"
        before, after = float(self.asked.row[0, own.start]), float(point[own.start])
        if before in own.codes or after in own.codes:
            return "other"
        return "too high" if after < before else "too low"
