"""Two sets of rules as one that says what both say.

What one of them leaves at its default the other decides. Where both speak of the same thing, the stricter holds: the
narrower bounds, the smaller number of changes, the levels that both allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from numbers import Real
from typing import Any

from ..errors import InvalidInputError
from . import words
from .constraints import Constraints, way_and_most

Levels = Mapping[str, Sequence[Any]]


def joined(first: Constraints, second: Constraints, levels: Levels | None = None) -> Constraints:
    """Join two sets of rules; see :class:`~elsewise.Constraints`.

    Parameters
    ----------
    first, second : Constraints
    levels : {column: levels in their order}, optional
        Of a table. Without them, bounds that are levels, and transitions of which one is a list and the other says
        from where, cannot be joined if both sets have them for the same column.
    """
    defaults, both = Constraints(), {}
    for item in fields(Constraints):
        one, other = getattr(first, item.name), getattr(second, item.name)
        default = getattr(defaults, item.name)
        if one in (default, other) or other == default:
            both[item.name] = other if one == default else one
        elif item.name in _WITH_LEVELS:
            both[item.name] = _WITH_LEVELS[item.name](one, other, levels or {})
        else:
            both[item.name] = _JOIN.get(item.name, _either(item.name))(one, other)
    return Constraints(**_settled(both, first, second))


def _settled(both: dict[str, Any], first: Constraints, second: Constraints) -> dict[str, Any]:
    """Let columns stay that may move neither way, and say no more of columns that stay than that."""
    ways = [
        name
        for name, direction in first.monotone.items()
        if way_and_most(second.monotone.get(name, direction))[0] != way_and_most(direction)[0]
    ]
    stay = list(dict.fromkeys([*both["immutable"], *ways]))
    stated = {
        kind: {name: value for name, value in both[kind].items() if name not in stay}
        for kind in ("monotone", "allowed", "may_become_missing")
    }
    return {**both, **stated, "immutable": stay}


def _union(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    return [*one, *(item for item in other if item not in one)]


def _by_key(join: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Join mappings: what both have is joined, the rest is taken."""
    return lambda one, other: {
        **one,
        **{key: join(one[key], value) if key in one else value for key, value in other.items()},
    }


def _bounds(one: Mapping[str, Any], other: Mapping[str, Any], levels: Levels) -> dict[str, Any]:
    def narrower(name: str, ends: tuple[Any, Any], others: tuple[Any, Any]) -> tuple[Any, Any]:
        order = {words.level(level): place for place, level in enumerate(levels.get(name, ()))}

        def chosen(end: Any, another: Any, sign: int) -> Any:
            if end is None or another is None or end == another:
                return another if end is None else end
            places = [order.get(words.level(each), each) for each in (end, another)]
            if not all(isinstance(place, Real) for place in places):
                raise _apart("bounds", name, "Give the bounds of a column with levels once")
            return end if sign * places[0] > sign * places[1] else another

        return chosen(ends[0], others[0], 1), chosen(ends[1], others[1], -1)

    return {**one, **{name: narrower(name, one[name], ends) if name in one else ends for name, ends in other.items()}}


def _allowed(one: Mapping[str, Any], other: Mapping[str, Any], levels: Levels) -> dict[str, Any]:
    def narrower(name: str, targets: Any, others: Any) -> Any:
        if isinstance(targets, Mapping) != isinstance(others, Mapping):
            if name not in levels:
                raise _apart("allowed", name, "Say for both from which levels it may go where")
            targets, others = (
                each if isinstance(each, Mapping) else dict.fromkeys(levels[name], each) for each in (targets, others)
            )
        if not isinstance(targets, Mapping):
            return _common(targets, others)
        mine, theirs = ({words.level(level): (level, to) for level, to in each.items()} for each in (targets, others))
        joint = {
            key: (level, _common(to, theirs[key][1]) if key in theirs else to) for key, (level, to) in mine.items()
        }
        return dict((theirs | joint).values())

    return {**one, **{name: narrower(name, one[name], to) if name in one else to for name, to in other.items()}}


def _common(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """Levels of both, by how they are written: keys and values of files may be text where the table has numbers."""
    written = {words.level(level).casefold() for level in other}
    return [level for level in one if words.level(level).casefold() in written]


def _least_changes(one: Any, other: Any) -> dict[str, float]:
    one, other = ({} if each == "any" else each for each in (one, other))
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        raise _apart("min_change", "auto", "Name the columns and sizes in both")
    return dict(_by_key(max)(one, other))


def _special(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping) != isinstance(other, Mapping):
        raise _apart("special", "a list of codes", "Give the codes of each column in both")
    return _by_key(_union)(one, other) if isinstance(one, Mapping) else _union(one, other)


def _range(one: Any, other: Any) -> Any:
    if "training" in (one, other):
        return "training"
    return _union(*((() if each == "any" else each) for each in (one, other)))


def _either(name: str) -> Callable[[Any, Any], Any]:
    """Join what has no stricter of two: they must agree."""

    def agreed(one: Any, other: Any) -> Any:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            for key in one:
                if other.get(key, one[key]) != one[key]:
                    raise _apart(name, str(key), "Leave it out of one of them")
            return {**one, **other}
        raise _apart(name, f"{one!r} and {other!r}", "Leave it out of one of them")

    return agreed


def _apart(kind: str, what: str, advice: str) -> InvalidInputError:
    return InvalidInputError(f"{kind}: two sets of rules cannot be joined where both speak of {what!r}. {advice}.")


# How values of parameters are joined that both sets give; others must agree.
_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "immutable": _union,
    "monotone": _by_key(lambda one, other: min(one, other, key=lambda way: way_and_most(way)[1])),
    "integer": _union,
    "linear": _union,
    "max_changes": min,
    "min_change": _least_changes,
    "together": _union,
    "special": _special,
    "range": _range,
    "may_become_missing": lambda one, other: {
        name: max(price, other[name]) for name, price in one.items() if name in other
    },
    "implies": _by_key(lambda one, other: one if one == other else f"({one}) and ({other})"),
}
_WITH_LEVELS: dict[str, Callable[[Any, Any, Levels], Any]] = {"bounds": _bounds, "allowed": _allowed}
