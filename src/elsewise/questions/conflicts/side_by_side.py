"""One row under several sets of rules at once: a search of many rows costs little more than one of a single row.

Sets can be asked side by side if they differ only in rules that say, column by column, where a row may go: all else is
the same for every row of a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import AnyArray, FloatArray
from ...rules.atomic import Codes, MissingStays, OneWay, Rule, Stays, Transitions, Within
from ...rules.learned.found_rules import Ranges
from ...search import Domain
from ...table.frames import rows_of
from ..solving.answers import Answers
from ..solving.question import Question

_ONLY_LIMITS = (Codes, MissingStays, OneWay, Ranges, Stays, Transitions, Within)


def says_only_limits(rule: Rule) -> bool:
    """Whether a rule only says where single columns of a row may go."""
    return isinstance(rule, _ONLY_LIMITS)


def side_by_side(
    common: Question,
    questions: Sequence[Question],
    given: Any,
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
