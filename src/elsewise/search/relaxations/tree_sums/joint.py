"""Several sums of trees that decide together: one sum over all their scores, each with a decision of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....arrays import BoolArray, FloatArray
from .decisions import Decision
from .trees import TreeSum

# A sum of trees over its own scores, and what is wanted of them.
Member = tuple[TreeSum, Decision]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """All members decide so.

    Attributes
    ----------
    members : tuple of Member
        Over features of one model space.
    """

    members: tuple[Member, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no scores will do."""
        return any(decision.is_empty for _, decision in self.members)

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether all of them decide so at points of model space, by their own arithmetic; shape (n_samples,)."""
        return np.asarray(
            np.logical_and.reduce([decision.holds(trees.scores(points)) for trees, decision in self.members])
        )


def members_of(trees: TreeSum, decision: Decision | Joint) -> tuple[Member, ...]:
    """List the decisions, and the trees each is about."""
    return decision.members if isinstance(decision, Joint) else ((trees, decision),)


def joined(members: Sequence[tuple[TreeSum, Decision | Joint]]) -> tuple[TreeSum, Joint]:
    """Put sums of trees side by side: features of model space after each other, and scores.

    Parameters
    ----------
    members : sequence of (TreeSum, decision)
        Each over a model space of its own.
    """
    first = np.cumsum([0, *(trees.n_features for trees, _ in members)])
    n_features = int(first[-1])
    moved = [
        (replace(one, n_features=n_features, feature=np.where(one.feature < 0, -1, one.feature + start)), wanted)
        for (trees, decision), start in zip(members, first.tolist())
        for one, wanted in members_of(trees, decision)
    ]
    ends = np.cumsum([0, *(trees.n_scores for trees, _ in moved)])
    wide = []
    for (trees, _), start, end in zip(moved, ends, ends[1:]):
        value, base = np.zeros((len(trees.value), ends[-1])), np.zeros(ends[-1])
        value[:, start:end], base[start:end] = trees.value, trees.base
        wide.append(replace(trees, value=value, base=base))
    base = np.sum([one.base for one in wide], axis=0)
    return replace(wide[0].joined(wide[1:]), base=base), Joint(tuple(moved))
