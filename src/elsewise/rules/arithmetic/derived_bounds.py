"""Bounds of derived columns, as linear rules between what these are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import TYPE_CHECKING

from ...errors import InvalidInputError
from ...search.relaxations.derived import DerivedForm
from ...table.derived import DerivedColumn, Form
from ..atomic import Linear
from .expressions import Expression, Inequality, Number, Operation, Variable
from .linear import HalfSpace, LinearRule
from .linear_rules import linear_rule

if TYPE_CHECKING:
    from ...table.column import Column


def bounds_of_derived(
    column: DerivedColumn, ends: tuple[float, float], text: str, n_features: int, find: Callable[[str, str], Column]
) -> Linear:
    """Make the rule that a sum, difference or ratio lies between two ends, as it is written and rounded.

    Parameters
    ----------
    column : DerivedColumn
    ends : (low, high)
        Infinite where open.
    text : str
        The rule in words.
    n_features : int
    find : function of a name and of what names it
        Finds a column.
    """
    forms = column.forms
    if forms.symbol == "*":
        raise InvalidInputError(
            f"bounds: {column.name!r} is {column.text}, a product, whose bounds are no linear rule. Limit its sources."
        )
    second: Form = forms.second or {"": Fraction(1)}
    form = DerivedForm(0, 0, 0, True, column.decimals if column.is_rounded else None, 1.0, 0.0)
    low, high = form.before_rounding(*form.on_grid(*ends))
    sign = -1 if column.is_below else 1  # both sides are multiplied by what is divided by
    half_spaces, comparisons = [], []
    for end, symbol, side in ((low, ">=", -1), (high, "<=", 1)):
        if not isfinite(end):
            continue
        names = {name for name in (*forms.first, *second) if name}
        factor = {
            n: sign * side * float(forms.first.get(n, 0) - Fraction(end) * second.get(n, 0)) for n in (*names, "")
        }
        coefficients = tuple((name, value) for name, value in factor.items() if name and value)
        half_spaces.append(HalfSpace(coefficients, -factor[""] + 0.0))
        left, right = _written(forms.first), Operation("*", Number(end), _written(second))
        turned = {"<=": ">=", ">=": "<="}[symbol] if sign < 0 else symbol
        comparisons.append(Inequality(left, turned, right))
    rule = linear_rule(LinearRule(text, tuple(half_spaces), tuple(comparisons)), n_features, find)
    return replace(rule, bounded=column.name)


def _written(form: Form) -> Expression:
    """Write a form as a sum of products."""
    terms: list[Expression] = [
        Operation("*", Number(float(factor)), Variable(name)) if name else Number(float(factor))
        for name, factor in form.items()
        if factor
    ]
    return reduce(lambda left, right: Operation("+", left, right), terms) if terms else Number(0.0)
