"""What is known of sets of rules: points that are answers under some of them, and sets that leave none.

A point is an answer under every set of rules of which it breaks none; a set that leaves none leaves none with more
rules, too.

One row under several sets of rules at once: a search of many rows costs little more than one of a single row.

Sets can be asked side by side if they differ only in rules that say, column by column, where a row may go: all else is
the same for every row of a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import AnyArray, BoolArray, FloatArray, UserData
from ...rules import Rules
from ...rules.atomic import Codes, MissingStays, OneWay, Rule, Stays, Transitions, Within
from ...rules.learned.found_rules import Ranges
from ...search import Domain
from ...table.frames import rows_of
from ..solving.answers import Answers
from ..solving.question import Question


class KnownSets:
    """What is known of sets of rules, for one row.

    Parameters
    ----------
    row : array of shape (1, n_features)
    rules : Rules
        Sets are of positions in ``rules.single``.

    Attributes
    ----------
    points : list of arrays of shape (1, n_features)
        Answers, each under some of the rules.
    shown : list of arrays of shape (at most 1, n_features)
        Answers at other thresholds.
    """

    def __init__(self, row: FloatArray, rules: Rules) -> None:
        self.row, self.rules = row, rules
        self.points: list[FloatArray] = []
        self.shown: list[FloatArray] = []
        self.breaks: list[BoolArray] = []
        self.empty: list[frozenset[int]] = []

    def renumber(self, rules: Rules) -> None:
        """Go on with the same rules, divided into others: only points stay known."""
        self.rules = rules
        self.empty.clear()
        self.breaks = [self.broken_by(point)[0] for point in self.points]

    def broken_by(self, points: FloatArray) -> BoolArray:
        """Which rules points of shape (n, n_features) break, array of shape (n, n_rules)."""
        rows = np.repeat(self.row, len(points), axis=0)
        return np.column_stack(
            [np.zeros((len(points), 0), dtype=np.bool_), *(rule.breaks(rows, points) for rule in self.rules.single)]
        )

    def add_point(self, point: FloatArray) -> None:
        """Note an answer under the rules that it keeps."""
        self.points.append(point)
        self.breaks.append(self.broken_by(point)[0])

    def add_empty(self, kept: frozenset[int]) -> None:
        """Note that some rules leave no answer."""
        self.empty.append(kept)

    def has_answer(self, kept: frozenset[int]) -> bool:
        """Whether a known point keeps some of the rules."""
        asked = list(kept)
        return any(not breaks[asked].any() for breaks in self.breaks)

    def is_empty(self, kept: frozenset[int]) -> bool:
        """Whether some of these rules are known to leave nothing."""
        return any(empty <= kept for empty in self.empty)


_ONLY_LIMITS = (Codes, MissingStays, OneWay, Ranges, Stays, Transitions, Within)


def says_only_limits(rule: Rule) -> bool:
    """Whether a rule only says where single columns of a row may go."""
    return isinstance(rule, _ONLY_LIMITS)


def side_by_side(
    common: Question,
    questions: Sequence[Question],
    given: UserData,
    row: FloatArray,
    predictions: AnyArray,
) -> Answers:
    """Prepare the answers of one row to several questions, one a row.

    Parameters
    ----------
    common : Question
        Under the rules that all have in common.
    questions : sequence of Question
        Under further rules, each of which says only limits.
    given : data frame or array of shape (1, n_columns)
    row : array of shape (1, n_features)
    predictions : array of shape (1,)
        What the model says of the row.
    """
    same = np.zeros(len(questions), dtype=np.int64)
    domain = _together(common, [question.domain(row) for question in questions], row[same])
    return Answers(common, rows_of(given, same), row[same], predictions[same], domain=domain)


def _together(common: Question, domains: Sequence[Domain | None], rows: FloatArray) -> Domain:
    """Make one domain of those of single rows."""
    domain = common.domain(rows)
    assert domain is not None
    lower = np.concatenate([each.lower for each in domains if each is not None])
    upper = np.concatenate([each.upper for each in domains if each is not None])
    clauses = common.rules.clauses(rows)
    clauses = None if clauses is None else clauses.within(lower, upper, domain.layout)
    return replace(domain, lower=lower, upper=upper, clauses=clauses)
