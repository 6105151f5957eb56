"""Linear rules of a table: names become features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from ...errors import InvalidInputError
from .. import words
from ..atomic import Linear
from ..words import few, is_boolean
from .linear import HalfSpace, LinearRule

if TYPE_CHECKING:
    from ...table.column import Column


def linear_rule(rule: LinearRule, n_features: int, column_of: Callable[[str, str], Column]) -> Linear:
    """Resolve a rule.

    Parameters
    ----------
    rule : LinearRule
    n_features : int
    column_of : function of a name and of what names it
        Finds a column.
    """
    normals, offsets, comparisons = [], [], []
    features: dict[str, int | None] = {}
    for half_space, comparison in zip(rule.half_spaces, rule.comparisons):
        normal = _normal(half_space, rule, n_features, column_of)
        if normal.any():
            normals.append(normal)
            offsets.append(half_space.bound)
            comparisons.append(comparison)
            # a column that cancels counts as nothing, and leaves no rounding behind
            features |= dict.fromkeys(comparison.names() - features.keys())
            features |= {name: _feature(name, rule, column_of) for name, _ in half_space.coefficients}
        elif half_space.bound < 0:
            raise InvalidInputError(
                f"linear: the rule {rule.text!r} never holds: without its columns, which cancel or are not there, "
                f"it says 0 <= {words.number(half_space.bound)}."
            )
    return Linear(
        rule.text,
        np.array(normals).reshape(len(normals), n_features),
        np.array(offsets, dtype=np.float64),
        tuple(comparisons),
        features,
    )


def _normal(
    half_space: HalfSpace, rule: LinearRule, n_features: int, column_of: Callable[[str, str], Column]
) -> FloatArray:
    normal = np.zeros(n_features)
    for name, coefficient in half_space.coefficients:
        feature = _feature(name, rule, column_of)
        if feature is not None:
            normal[feature] = coefficient
    return normal


def _feature(name: str, rule: LinearRule, column_of: Callable[[str, str], Column]) -> int | None:
    """Feature that is a column's value in a linear rule, None where it is always 0.

    A column of True and False counts as 1 where it is True, as 0 elsewhere, "never seen" included.
    """
    column = column_of(name, f"linear rule {rule.text!r}")
    if column.kind in ("number", "integer"):
        return column.start
    if is_boolean(column):
        return next((column.start + place for place, level in enumerate(column.levels) if level), None)
    what = "ordered levels" if column.kind == "ordinal" else "a category"
    raise InvalidInputError(
        f"linear: the rule {rule.text!r} uses {name!r}, which is {what} ({few(column.levels)}) and not a number. "
        "Linear rules take numbers and columns of True and False; for levels use allowed or bounds."
    )
