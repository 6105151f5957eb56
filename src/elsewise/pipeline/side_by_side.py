"""Members of a wrapper that transform the data each in its own way: what all of them see, side by side.

Folds of a calibration scale each by its own rows, members of a vote have pipelines of their own. One union of all their
transformers makes the columns of every member, and each member looks at its own part of them: a linear model has no
weights on the others, a tree asks for none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.tree import BaseDecisionTree

from ..arrays import Estimator, FloatArray, UserData
from ..errors import UnsupportedModelError
from ..models.linear import coefficients
from ..models.wrappers import members_of, with_members
from .affine import AffineMap
from .columnwise import dense

# Columns are affine functions of others up to this share of what is added up: rounding of a least-squares solution.
AFFINE_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """A transformer that gives what each of several sequences of steps makes of the same rows.

    Attributes
    ----------
    parts : tuple of sequences of (name, transformer)
        Without steps, rows as they are.
    width : int
        Columns of the first part.
    """

    parts: tuple[Sequence[tuple[str, Estimator]], ...]
    width: int

    def transform(self, rows: UserData) -> FloatArray:
        """Return the columns of all parts, array of shape (n_samples, n_columns)."""
        made = []
        for steps in self.parts:
            of_part = rows
            for _, transformer in steps:
                of_part = transformer.transform(of_part)
            made.append(dense(of_part))
        return np.hstack(made)


def side_by_side(
    model: Estimator, taken_apart: Sequence[tuple[Sequence[tuple[str, Estimator]], Any]]
) -> tuple[SideBySide, Any]:
    """Put the transformers of a wrapper's members into one.

    Parameters
    ----------
    model : fitted wrapper
    taken_apart : sequence of (steps, estimator)
        Its members; steps are names and transformers. Those with the same steps share their columns, and those of trees
        come first.

    Returns
    -------
    together : SideBySide
        What members see.
    estimator : estimator
        The wrapper around members that see all of it.

    Raises
    ------
    UnsupportedModelError
        A member does not know which columns are its own.
    """
    keys = [joblib.hash([transformer for _, transformer in steps]) for steps, _ in taken_apart]
    own = dict(zip(keys, taken_apart))
    of_trees = {key for key, (_, estimator) in zip(keys, taken_apart) if isinstance(estimator, BaseDecisionTree)}
    order = sorted(own, key=lambda key: key not in of_trees)
    widths = [int(own[key][1].n_features_in_) for key in order]
    starts, total = dict(zip(order, np.cumsum([0, *widths]).tolist())), sum(widths)
    if not all(_can_look(estimator, starts[key]) for key, (_, estimator) in zip(keys, taken_apart)):
        kind = type(model).__name__
        raise UnsupportedModelError(
            f"The pipelines inside of {kind} transform the data each in its own way; expected the same for all, or "
            "linear models behind them, and trees behind one of them. Put the transformers before it: "
            f"make_pipeline(transformer, {kind}(...))."
        )
    together = SideBySide(tuple(own[key][0] for key in order), widths[0])
    members = [
        _rewritten(estimator, _widened(starts[key], total), total) for key, (_, estimator) in zip(keys, taken_apart)
    ]
    return together, _of_width(with_members(model, members), total)


def _can_look(estimator: Estimator, start: int) -> bool:
    """Whether an estimator accepts that its columns are those from ``start`` on."""
    members = members_of(estimator)
    if members:
        return all(_can_look(member, start) for member in members)
    return "coef_" in vars(estimator) or (isinstance(estimator, BaseDecisionTree) and start == 0)


def _rewritten(estimator: Estimator, change: Callable[[Any], Any], width: int) -> Any:
    """Return a copy of an estimator of ``width`` columns whose linear models, itself or inside of it, are changed."""
    members = members_of(estimator)
    if members:
        made = with_members(estimator, [_rewritten(member, change, width) for member in members])
    else:
        made = copy(estimator) if isinstance(estimator, BaseDecisionTree) else change(copy(estimator))
    return _of_width(made, width)


def _widened(start: int, total: int) -> Callable[[Any], Any]:
    """Let a linear model's columns be those from ``start`` on, of ``total`` in all."""

    def change(model: Estimator) -> Any:
        weights = coefficients(model)
        model.coef_ = np.zeros((*weights.shape[:-1], total))
        model.coef_[..., start : start + weights.shape[-1]] = weights
        return model

    return change


def in_first_part(estimator: Estimator, together: SideBySide, to_model: AffineMap) -> tuple[Any, AffineMap]:
    """Write an estimator that sees several parts as one that sees the first: scaled otherwise, all say the same.

    A density of the columns of all parts would count everything several times.

    Parameters
    ----------
    estimator : estimator
        Sees ``together``.
    together : SideBySide
    to_model : AffineMap
        From features to all of its columns.

    Returns
    -------
    estimator, to_model
        As they were where some column is no affine function of those of the first part.
    """
    width = together.width
    matrix, offset, first = to_model.matrix, to_model.offset, to_model.matrix[:width]
    units = np.maximum(np.abs(first).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)  # features may differ widely
    weights = np.linalg.lstsq((first / units).T, (matrix / units).T, rcond=None)[0].T
    weights[:width] = np.eye(width)
    size = np.abs(weights) @ np.abs(first) + np.abs(matrix)
    if (np.abs(weights @ first - matrix) > AFFINE_ROUNDING * size).any():
        return estimator, to_model
    constants = offset - weights @ offset[:width]

    def change(model: Estimator) -> Any:
        own = coefficients(model)
        model.coef_, model.intercept_ = own @ weights, model.intercept_ + own @ constants
        return model

    return _rewritten(estimator, change, width), AffineMap(matrix[:width], offset[:width])


def _of_width(estimator: Estimator, total: int) -> Any:
    """Note on a copy how many columns it sees."""
    if "n_features_in_" in vars(estimator):
        estimator.n_features_in_ = total
    if hasattr(estimator, "estimators_features_"):
        estimator.estimators_features_ = [np.arange(total) for _ in estimator.estimators_]
    return estimator
