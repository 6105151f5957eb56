"""Regions that are kept away from: where a model decides so at a point, and at every row near it.

``within(A)`` tells how much linear forms ``A x`` of features may change on the way to any row near. A half-space is
moved in by that: of a single polyhedron nothing is lost. Of several, a point is kept inside of one of them, though its
surroundings might be shared by two. A sum of trees is kept up by the worst leaf of each tree that a row near may fall
into; no row near is worse, though none may be as bad in all trees at once. So these two are safe, but may be smaller
than the largest such region: :func:`is_exact` tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..arrays import FloatArray
from ..errors import UnsupportedSettingError
from ..search import Region
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from ..search.relaxations.tree_sums.decisions import Decision, Largest, Mean, Range
from ..search.relaxations.tree_sums.indexed import conditions_of
from ..search.relaxations.tree_sums.joint import Joint, Member, members_of
from .trees import EnsembleRegion
from .trees.worst_leaves import worst_leaves

# Half-spaces of regions that keep away from boundaries, so many may be written out.
MOST_HALFSPACES_WRITTEN_OUT = 200_000
# Share by which changes of rows that are near are taken for larger than they are: rounding of products and sums.
CHANGE_ROUNDING = 1e-9

# How much linear forms of features, shape (n, n_features), may change: array of shape (n,).
Within = Callable[[FloatArray], FloatArray]


def is_exact(region: Region) -> bool:
    """Whether all of the region that rows near leave, and nothing else, is lost."""
    return isinstance(region, PolyhedronUnion) and region.n_polyhedra <= 1


def hardened(region: Region, matrix: FloatArray, within: Within) -> Region:
    """Keep a region away from its boundary.

    Parameters
    ----------
    region : Region
        In model space.
    matrix : array of shape (n_model_features, n_features)
        From features to model space.
    within : function of linear forms
    """
    if isinstance(region, PolyhedronUnion):
        return _moved_in(region, matrix, within)
    if isinstance(region, EnsembleRegion):
        return _kept_up(region, within(matrix) * (1 + CHANGE_ROUNDING))
    raise UnsupportedSettingError(
        f"robust_radius: how far rows near an answer may go is not known for a region of this kind "
        f"({type(region).__name__}). It is for linear models, trees, prototypes, forests and boosting, without a least "
        "probability among several classes."
    )


def _moved_in(region: PolyhedronUnion, matrix: FloatArray, within: Within) -> PolyhedronUnion:
    """Move the half-spaces of every polyhedron in."""
    n_halfspaces = int((region.spans[:, 1] - region.spans[:, 0]).sum())
    if n_halfspaces > MOST_HALFSPACES_WRITTEN_OUT:
        raise UnsupportedSettingError(
            f"robust_radius: the model has {n_halfspaces:,} half-spaces, more than the {MOST_HALFSPACES_WRITTEN_OUT:,} "
            "that are moved one by one. Use fewer prototypes."
        )
    moved = []
    for place in range(region.n_polyhedra):
        A, b = region.polyhedron(place)
        moved.append((A, b - within(A @ matrix) * (1 + CHANGE_ROUNDING)))
    return union(moved, n_features=region.normals.shape[1])


def _kept_up(region: EnsembleRegion, radius: FloatArray) -> EnsembleRegion:
    """Ask for what is needed of the worst leaves within radii of model space, of shape (n_model_features,)."""
    made: list[Member] = []
    for trees, decision in members_of(region.trees, region.decision):
        moves = (trees.feature >= 0) & (radius[np.maximum(trees.feature, 0)] > 0)
        if (trees.is_by_table & moves).any():
            raise UnsupportedSettingError(
                "robust_radius: the model splits numbers by sets of codes, or takes zeros for missing values; how far "
                "rows near an answer may go is not known then. Train it with plain thresholds for numbers."
            )
        weights, least = _needed(trees.n_scores, decision)
        least = least * trees.divisor - weights @ trees.base
        slack = least - conditions_of(trees, decision)[1]
        for row, needed in zip(weights, least + slack):
            made.append((worst_leaves(trees, trees.value @ row, radius), Range(float(needed), np.inf)))
    if not made:  # everything is accepted
        return region
    return EnsembleRegion(*made[0]) if len(made) == 1 else _beside(made)


def _beside(members: list[Member]) -> EnsembleRegion:
    """Put sums of trees over the same features together."""
    values = []
    for place, (trees, _) in enumerate(members):
        value = np.zeros((len(trees.value), len(members)))
        value[:, place] = trees.value[:, 0]
        values.append(value)
    base = np.zeros(len(members))
    wide = [replace(trees, value=value, base=base) for (trees, _), value in zip(members, values)]
    return EnsembleRegion(wide[0].joined(wide[1:]), Joint(tuple(members)))


def _needed(n_scores: int, decision: Decision) -> tuple[FloatArray, FloatArray]:
    """Linear conditions on scores that are enough for a decision, but for ties."""
    if isinstance(decision, Largest) and decision.least_log_odds > -np.inf:
        raise UnsupportedSettingError(
            "robust_radius: a least probability among several classes is no linear condition on the scores of trees. "
            "Leave min_probability out, or ask for it without robust_radius."
        )
    if isinstance(decision, Mean):
        raise UnsupportedSettingError(
            "robust_radius: a mean of calibrated scores, a soft vote or a stack is no linear condition on the scores "
            "of trees. Ask for it without robust_radius, or explain one of the members."
        )
    return decision.rows(n_scores)
