"""Single decision trees inside of wrappers, as sums of one."""

from __future__ import annotations

from typing import Any

from sklearn.tree import BaseDecisionTree

from ..trees import TreeAsSum
from .members import members_of, passes_rows_on, seen_through, with_members


def with_trees_as_sums(model: Any) -> Any:
    """Put a sum of one in place of a single tree, wherever it is inside; others, and several trees, as they are."""
    model = seen_through(model)
    if isinstance(model, BaseDecisionTree):
        return TreeAsSum(model)
    members = members_of(model)
    if len(members) != 1 or not passes_rows_on(model):
        return model
    return with_members(model, [with_trees_as_sums(members[0])])
