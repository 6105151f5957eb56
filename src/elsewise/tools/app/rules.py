"""Rules of a request as :class:`~elsewise.Constraints`, and relaxed constraints as rules of a request again."""

from __future__ import annotations

from typing import Any

from ...arrays import JsonObject, UserValue
from ...errors import InvalidInputError
from ...rules import Constraints
from ...rules.joining import joined
from ...table import Table
from ...text.languages import say
from ...text.words import column_word, listed
from .json_rows import JsonRows
from .schemas import RulesBody


def constraints_from(rules: RulesBody, row: JsonObject, json_rows: JsonRows) -> Constraints | None:
    """Turn rules into constraints; None if there are none.

    A range is about the answer: where the row itself lies outside of it, it becomes a linear rule, which rows need not
    keep (a bound they must).
    """
    if rules == RulesBody():
        return None
    locked = [json_rows.column(name, "locked").name for name in rules.locked]
    bounds: dict[str, tuple[Any, Any]] = {}
    linear: list[Any] = []
    for name, ends in rules.ranges.items():
        column = json_rows.column(name, "ranges")
        if column.kind == "category":
            raise InvalidInputError(f"ranges: column {name!r} is a category; use allowed to choose levels.")
        read = json_rows.level if column.kind == "ordinal" else json_rows.number
        low, high = (None if end is None else read(column, end, "ranges") for end in ends)
        if column.kind == "ordinal":
            bounds[name] = (low, high)
            continue
        if low is not None and high is not None and low > high:
            raise InvalidInputError(f"ranges: {name!r} from {low!r} to {high!r}: the low end is above the high end.")
        value = row.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and low is not None and value < low:  # type: ignore[operator]
            linear.append(({name: 1.0}, ">=", float(low)))
            low = None
        if is_number and high is not None and value > high:  # type: ignore[operator]
            linear.append(({name: 1.0}, "<=", float(high)))
            high = None
        if (low, high) != (None, None):
            bounds[name] = (low, high)
    allowed = {}
    for name, levels in rules.allowed.items():
        column = json_rows.column(name, "allowed")
        if column.kind != "category":
            raise InvalidInputError(f"allowed: column {name!r} is no category; use ranges.")
        allowed[name] = [json_rows.level(column, level, "allowed") for level in levels]
    directions = {json_rows.column(name, "directions").name: way for name, way in rules.directions.items()}
    return Constraints(
        immutable=locked,
        bounds=bounds,
        linear=linear,
        allowed=allowed,
        monotone=directions,
        max_changes=rules.max_changes,
    )


def joined_with(stored: Constraints | None, page: Constraints | None, table: Table) -> Constraints | None:
    """Join the rules that are stored with those of the page; None if there are neither."""
    if stored is None or page is None:
        return page if stored is None else stored
    return joined(stored, page, {column.name: column.levels for column in table.columns if column.levels})


def relaxed(rules: RulesBody, asked: Constraints, left: Constraints) -> RulesBody:
    """Find the rules that are left of a page's where one rule was dropped.

    Parameters
    ----------
    rules : RulesBody
        Of the page.
    asked : Constraints
        The same as constraints.
    left : Constraints
        With one rule dropped, and perhaps others added that are not the page's.
    """
    ranges = {name: list(ends) for name, ends in rules.ranges.items()}
    for name in set(asked.bounds) - set(left.bounds):
        low, high = asked.bounds[name]
        ranges[name] = [None if low is not None else ranges[name][0], None if high is not None else ranges[name][1]]
    kept = list(left.linear)
    for rule in asked.linear:
        if rule in kept:
            kept.remove(rule)
            continue
        factors, sign, _ = rule
        ranges[next(iter(factors))][0 if sign == ">=" else 1] = None
    return RulesBody(
        locked=[name for name in rules.locked if name in left.immutable],
        ranges={name: ends for name, ends in ranges.items() if ends != [None, None]},
        allowed={name: levels for name, levels in rules.allowed.items() if name in left.allowed},
        directions={name: way for name, way in rules.directions.items() if name in left.monotone},
        max_changes=None if left.max_changes is None else rules.max_changes,
    )


def broken_by(rules: RulesBody, row: JsonObject, after: JsonObject, json_rows: JsonRows) -> list[str | None]:
    """List the columns whose rules an answer breaks; None among them is the limit on the number of changes.

    Parameters
    ----------
    rules : RulesBody
    row : {column: value}
    after : {column: value}
        Columns that change, and what they become.
    json_rows : JsonRows
    """
    broken: list[str | None] = []
    for name, value in {**row, **after}.items():
        levels = json_rows.column(name, "row").levels

        def rank(level: UserValue, levels: tuple[UserValue, ...] = levels) -> Any:
            return levels.index(level) if level in levels else level

        low, high = rules.ranges.get(name, (None, None))
        outside = value is not None and (
            (low is not None and rank(value) < rank(low)) or (high is not None and rank(value) > rank(high))
        )
        moved = name in after and (
            name in rules.locked
            or (name in rules.allowed and value not in rules.allowed[name])
            or (
                name in rules.directions
                and row[name] is not None
                and (rank(value) > rank(row[name])) != (rules.directions[name] == "increase")
            )
        )
        if outside or moved:
            broken.append(name)
    if rules.max_changes is not None and len(after) > rules.max_changes:
        broken.append(None)
    return broken


def dropped(rules: RulesBody, broken: list[str | None]) -> RulesBody:
    """Drop the rules about some columns, and the limit on changes if None is among them."""
    return RulesBody(
        locked=[name for name in rules.locked if name not in broken],
        ranges={name: ends for name, ends in rules.ranges.items() if name not in broken},
        allowed={name: levels for name, levels in rules.allowed.items() if name not in broken},
        directions={name: way for name, way in rules.directions.items() if name not in broken},
        max_changes=None if None in broken else rules.max_changes,
    )


def in_words(broken: list[str | None], most: int = 4) -> str:
    """Name the rules about some columns."""
    names = [column_word(name).text for name in broken if name is not None]
    said = []
    if len(names) > most + 1:
        said.append(say("app.rules of", columns=f"{', '.join(names[:most])} {say('and more', n=len(names) - most)}"))
    elif names:
        said.append(say("app.rules of", columns=listed(names, "and")))
    if None in broken:
        said.append(say("app.limit of changes"))
    return listed(said, "and")
