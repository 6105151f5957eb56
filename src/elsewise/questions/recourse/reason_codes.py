"""Codes of reasons: what a column and a direction are called elsewhere, checked before any search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...rules import Constraints
from ...table import Column
from ..one_row import RowQuestion
from .principal_reasons import Direction

Codes = Mapping[tuple[str, str], Any]
DIRECTIONS: tuple[str, ...] = get_args(Direction)


def check_codes_of_fit(fitted: FittedModel, codes: Codes) -> None:
    """Raise if a code is about nothing, or if a reason that is possible for any row under the stored rules has none."""
    columns = fitted.table_under(fitted.rules(None)).columns
    rules = fitted.constraints or Constraints()
    possible = [
        (column.name, direction)
        for column in columns
        if column.name not in rules.immutable
        for direction in _directions_of(column, rules)
    ]
    _check_keys(codes, columns)
    _check_lacking(codes, possible)


def check_codes(asked: RowQuestion, codes: Codes) -> None:
    """Raise if a code is about nothing, or if a reason that is possible for the row has none."""
    _check_keys(codes, asked.question(has_density=False).table.columns)
    _check_lacking(codes, _possible(asked))


def _check_keys(codes: Codes, columns: Sequence[Column]) -> None:
    by_name = {column.name: column for column in columns}
    for key in codes:
        if not isinstance(key, tuple) or len(key) != 2 or key[0] not in by_name or key[1] not in DIRECTIONS:
            raise InvalidInputError(
                f"codes: expected pairs (column, direction) as keys, with a column of the table and a direction out of "
                f"{', '.join(map(repr, DIRECTIONS))}; received {key!r}."
            )
        if by_name[key[0]].kind == "category" and key[1] != "other":
            raise InvalidInputError(f"codes: {key!r} matches nothing: a category is never {key[1]}, but 'other'.")


def _check_lacking(codes: Codes, possible: Iterable[tuple[str, str]]) -> None:
    lacking = [pair for pair in possible if pair not in codes]
    if lacking:
        listed = ", ".join(repr(pair) for pair in lacking[:5]) + (" ..." if len(lacking) > 5 else "")
        raise InvalidInputError(
            f"codes: {len(lacking)} possible reasons have no code: {listed}. Give each a code, or rule it out with "
            "monotone or immutable."
        )


def _directions_of(column: Column, rules: Constraints) -> list[str]:
    """List the directions in which a column could be wrong in any row."""
    if column.kind == "category":
        return ["other"]
    way = rules.monotone.get(column.name)
    directions = [name for name, other in (("too high", "increase"), ("too low", "decrease")) if way != other]
    return [*directions, "other"] if column.codes else directions


def _possible(asked: RowQuestion) -> list[tuple[str, str]]:
    """List the columns and directions that could be reasons of the row."""
    question = asked.question(has_density=False)
    domain, can_change = asked.domain(question), asked.can_change(question)
    pairs = []
    for place, column in enumerate(question.table.columns):
        if not can_change[place]:
            continue
        pairs += [(column.name, direction) for direction in _directions(column, asked, domain.lower, domain.upper)]
    return pairs


def _directions(column: Column, asked: RowQuestion, lower: Any, upper: Any) -> list[str]:
    if column.kind == "category":
        return ["other"]
    own, start = asked.row[0, column.start], column.start
    directions = [
        name for name, moves in (("too high", lower[0, start] < own), ("too low", upper[0, start] > own)) if moves
    ]
    return [*directions, "other"] if column.codes else directions
