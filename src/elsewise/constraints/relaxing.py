"""The user's rules without one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .atomic import Codes, FewChanges, Linear, Stays, Whole, Within
from .constraints import Constraints
from .rules import Rules


def without(constraints: Constraints, rules: Rules, index: int) -> Constraints:
    """Drop from the user's rules what became the rule at a position of ``rules.names``.

    Parameters
    ----------
    constraints : Constraints
    rules : Rules
        Resolved from ``constraints``.
    index : int
    """
    rule = rules.single[index]
    if isinstance(rule, FewChanges):
        return replace(constraints, max_changes=None)
    if isinstance(rule, Linear):
        place = sum(isinstance(other, Linear) for other in rules.single[:index])
        return replace(constraints, linear=[*constraints.linear[:place], *constraints.linear[place + 1 :]])
    name = rule.column.name  # type: ignore[attr-defined]  # all others are about a column
    if isinstance(rule, Stays):
        return replace(constraints, immutable=[item for item in constraints.immutable if item != name])
    if isinstance(rule, Within):
        return replace(constraints, bounds=_dropped(constraints.bounds, name))
    if isinstance(rule, Whole):
        return replace(constraints, integer=[item for item in constraints.integer or () if item != name])
    if isinstance(rule, Codes):
        by_column = isinstance(constraints.special, Mapping)
        return replace(constraints, special=_dropped(constraints.special, name) if by_column else None)
    if name in constraints.monotone:
        return replace(constraints, monotone=_dropped(constraints.monotone, name))
    return replace(constraints, allowed=_dropped(constraints.allowed, name))


def _dropped(mapping: Any, name: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != name}
