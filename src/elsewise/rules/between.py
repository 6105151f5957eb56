"""Rules for what lies between a row and its answer: stages of a plan, and ways, which need limits without gaps."""

from __future__ import annotations

from dataclasses import replace

from ..errors import InvalidInputError
from .implications import Implies
from .learned.found_rules import NumberOrCode, Unseen
from .rules import Rules


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
