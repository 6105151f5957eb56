"""The user's rules without one of them.

Rules for what lies between a row and its answer: stages of a plan, and ways, which need limits without gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InvalidInputError
from .atomic import Codes, FewChanges, Linear, OneWay, Stays, Transitions, Whole, Within
from .constraints import Constraints
from .implications import Implies
from .learned.derived_ranges import DerivedRange
from .learned.found_rules import NumberOrCode, Ranges, Unseen
from .meaningful import LeastChange
from .rules import Rules
from .steps import OnSteps


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
    if isinstance(rule, Unseen):
        return replace(constraints, unseen="allow")
    if isinstance(rule, Implies):
        place = sum(isinstance(other, Implies) for other in rules.single[:index])
        return replace(
            constraints, implies=dict(pair for k, pair in enumerate(constraints.implies.items()) if k != place)
        )
    if isinstance(rule, Ranges | DerivedRange):
        return replace(constraints, range=_kept_ranges(rules, rule))
    if isinstance(rule, NumberOrCode):
        left = [other for other in rules.single if isinstance(other, (Codes, NumberOrCode)) and other is not rule]
        return replace(constraints, special={other.column.name: other.codes.tolist() for other in left})
    if isinstance(rule, FewChanges):
        return replace(constraints, max_changes=None)
    if isinstance(rule, Linear) and rule.bounded:
        return replace(constraints, bounds=_dropped(constraints.bounds, rule.bounded))
    if isinstance(rule, Linear):
        place = sum(isinstance(other, Linear) and not other.bounded for other in rules.single[:index])
        return replace(constraints, linear=[*constraints.linear[:place], *constraints.linear[place + 1 :]])
    name = rule.column.name  # type: ignore[attr-defined]  # all others are about a column
    if isinstance(rule, Stays):
        return replace(constraints, immutable=[item for item in constraints.immutable if item != name])
    if isinstance(rule, LeastChange):
        sizes = {item.column.name: item.least for item in rules.single if isinstance(item, LeastChange)}
        return replace(constraints, min_change={**sizes, name: 0.0})
    if isinstance(rule, OnSteps):
        given = constraints.step if isinstance(constraints.step, Mapping) else {}
        return replace(constraints, step={**given, name: None})
    if isinstance(rule, Within):
        return replace(constraints, bounds=_dropped(constraints.bounds, name))
    if isinstance(rule, Whole):
        return replace(constraints, integer=[item for item in constraints.integer or () if item != name])
    if isinstance(rule, Codes):
        others = [other for other in rules.single if isinstance(other, (Codes, NumberOrCode)) and other is not rule]
        return replace(constraints, special={other.column.name: other.codes.tolist() for other in others} or None)
    if isinstance(rule, OneWay):
        return replace(constraints, monotone=_dropped(constraints.monotone, name))
    return _without_transition(constraints, rules, index, name)


def _kept_ranges(rules: Rules, dropped: Ranges | DerivedRange) -> list[str]:
    """Names of the columns that other rules keep in the range of the training rows."""
    kept = [name for rule in rules.single if isinstance(rule, Ranges) and rule is not dropped for name in rule.columns]
    kept += [rule.bounded for rule in rules.single if isinstance(rule, DerivedRange) and rule is not dropped]
    return [*kept, *(rule.column.name for rule in rules.single if isinstance(rule, NumberOrCode))]


def split(rules: Rules, indices: Sequence[int]) -> Rules:
    """Split rules about many columns at some positions into single ones; these come last."""
    parts = [part for index in indices for part in rules.single[index].split()]
    return replace(rules, single=(*rules.without(indices).single, *parts))


def dropped_with(rules: Rules, index: int) -> list[int]:
    """Positions of the rules that a relief from one of them drops: the user can allow unseen pairs only together."""
    if not isinstance(rules.single[index], Unseen):
        return [index]
    return [place for place, rule in enumerate(rules.single) if isinstance(rule, Unseen)]


def _without_transition(constraints: Constraints, rules: Rules, index: int, name: str) -> Constraints:
    """Drop one of the rules about a column's levels: that of ``monotone`` is the first, those of ``allowed`` follow."""
    about_column = [
        place for place, rule in enumerate(rules.single) if isinstance(rule, Transitions) and rule.column.name == name
    ]
    order = about_column.index(index)
    if name in constraints.monotone and not any(
        isinstance(rule, OneWay) and rule.column.name == name for rule in rules.single
    ):
        if order == 0:
            return replace(constraints, monotone=_dropped(constraints.monotone, name))
        order -= 1
    targets = constraints.allowed[name]
    if not isinstance(targets, Mapping) or len(targets) == 1:
        return replace(constraints, allowed=_dropped(constraints.allowed, name))
    kept = {level: reached for place, (level, reached) in enumerate(targets.items()) if place != order}
    return replace(constraints, allowed={**constraints.allowed, name: kept})


def _dropped(mapping: Any, name: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != name}


def for_stages(rules: Rules) -> Rules:
    """Leave out what is never seen together: changes that only make sense together are made one after the other."""
    return replace(rules, single=tuple(rule for rule in rules.single if not isinstance(rule, Unseen)))


def for_ways(rules: Rules) -> Rules:
    """Leave out what is never seen together, which ways know nothing of, and refuse other rules with alternatives."""
    for rule in rules.single:
        if isinstance(rule, Implies) or (isinstance(rule, NumberOrCode) and not rule.stays):
            raise InvalidInputError(
                f"A path passes all numbers between its corners and cannot keep the rule {rule.name!r}, which has "
                "alternatives. Leave it out, or use codes='stay'."
            )
    return for_stages(rules)


def by_derived_ranges(rules: Rules, E: FloatArray) -> list[tuple[IntArray, Rules]]:
    """Return places of rows that are outside of the same derived ranges, and their rules: no search keeps to these.

    Parameters
    ----------
    rules : Rules
    E : array of shape (n_samples, n_features)
    """
    ranges = {k: rule for k, rule in enumerate(rules.single) if isinstance(rule, DerivedRange) and len(rule.offsets)}
    outside = np.zeros((len(E), len(ranges)), dtype=np.bool_)
    for place, rule in enumerate(ranges.values()):
        outside[:, place] = rule.outside(E)
    if not outside.any():
        return [(np.arange(len(E)), rules)]
    groups = []
    for pattern in np.unique(outside, axis=0):
        left_out = {k: rule.without_search() for (k, rule), is_out in zip(ranges.items(), pattern.tolist()) if is_out}
        single = tuple(left_out.get(k, rule) for k, rule in enumerate(rules.single))
        groups.append((np.flatnonzero((outside == pattern).all(axis=1)), replace(rules, single=single)))
    return groups
