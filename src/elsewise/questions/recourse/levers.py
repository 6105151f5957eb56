"""Levers: which small sets of columns are enough by themselves, and which are proven not to be.

A set is asked exactly as :meth:`elsewise.Explainer.explain` would be with all other columns immutable, density
thresholds included. All sets of one size are rows of one search. Sets are first asked without a density: what the model
refuses there it refuses everywhere, and fewer sets are left for the search with one.

Ladders: what each better band takes, from the worst band to the best.

Every band is asked by itself, all of them in one search. A step of the ladder is a band *or a better one*: its nearest
answer is the nearest among this band's and those above, and its proven bound the smallest of theirs. So a harder step
is never nearer than an easier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...arrays import BoolArray, IntArray
from ...models import Outcome
from ...table.frames import rows_of
from ..one_row import RowQuestion
from ..solving.answers import Answers
from ..solving.deadline import TimeIsOverError
from ..solving.question import Question, pose
from ..verification import Verification


@dataclass(frozen=True, slots=True, eq=False)
class LeverSets:
    """Answers of one row under sets of columns that may change.

    Attributes
    ----------
    enough : list of (columns, Answers, place)
        Positions of the columns, and where the answer is; nearest first.
    not_enough : list of tuples of int
        Sets that are proven to leave no answer.
    unknown : list of tuples of int
        Sets of which neither is known.
    fixed : tuple of int
        Columns that cannot change at all.
    """

    enough: list[tuple[tuple[int, ...], Answers, int]]
    not_enough: list[tuple[int, ...]]
    unknown: list[tuple[int, ...]]
    fixed: tuple[int, ...]


def find_lever_sets(asked: RowQuestion, max_size: int) -> LeverSets:
    """Ask about every set of at most ``max_size`` columns that contains no smaller set that is enough."""
    question = asked.question()
    can_change = asked.can_change(question)
    movable = np.flatnonzero(can_change).tolist()
    found = LeverSets([], [], [], tuple(np.flatnonzero(~can_change).tolist()))
    for size in range(1, min(max_size, len(movable)) + 1):
        smaller = [set(columns) for columns, _, _ in found.enough]
        sets = [each for each in combinations(movable, size) if not any(known <= set(each) for known in smaller)]
        try:
            ask_sets(asked, question, sets, found)
        except TimeIsOverError:
            found.unknown.extend(sets)
    found.enough.sort(key=lambda lever: (lever[1].value[lever[2]], lever[0]))
    return found


def ask_sets(asked: RowQuestion, question: Question, sets: list[tuple[int, ...]], found: LeverSets) -> None:
    """Ask about sets of columns; add what is found."""
    if question.densities[0] is not None and sets:
        relaxed = asked.reached(asked.question(has_density=False).for_any_answer(), as_masks(asked, sets))
        is_empty = np.isinf(relaxed.value) & np.isinf(relaxed.lower_bound)
        found.not_enough.extend(sets[place] for place in np.flatnonzero(is_empty).tolist())
        sets = [sets[place] for place in np.flatnonzero(~is_empty).tolist()]
    if not sets:
        return
    answers = asked.reached(question, as_masks(asked, sets))
    for place, columns in enumerate(sets):
        if np.isfinite(answers.value[place]):
            found.enough.append((columns, answers, place))
        elif np.isinf(answers.lower_bound[place]):
            found.not_enough.append(columns)
        else:
            found.unknown.append(columns)


def as_masks(asked: RowQuestion, sets: list[tuple[int, ...]]) -> BoolArray:
    """Return sets of columns as a bool array of shape (n_sets, n_columns)."""
    masks = np.zeros((len(sets), len(asked.names)), dtype=np.bool_)
    for place, columns in enumerate(sets):
        members: IntArray = np.array(columns, dtype=np.int64)
        masks[place, members] = True
    return masks


def climb(asked: RowQuestion, outcomes: Sequence[Outcome]) -> tuple[Answers, int]:
    """Find what each band takes.

    Parameters
    ----------
    asked : RowQuestion
        Its own outcome does not matter.
    outcomes : sequence of outcomes
        One a band, from the worst to the best.

    Returns
    -------
    answers : Answers
        One row a band; those of bands that are no better than the current one are left open.
    current : int
        The best band that the row is in already; -1 for none.
    """
    n = len(outcomes)
    question = pose(asked.fitted, outcomes, asked.rules, options=asked.options, branches=True, own_thresholds=True)
    same, goals = np.zeros(n, dtype=np.int64), np.arange(n)
    rows, given, predictions = asked.row[same], rows_of(asked.given, same), asked.predictions[same]
    is_in = Verification(question, given, rows, predictions).holds(rows, goals, goals, predictions)
    current = int(np.flatnonzero(is_in).max(initial=-1))
    answers = Answers(question, given, rows, predictions)
    better = np.arange(current + 1, n)
    answers.reach(better, better)
    return answers, current
