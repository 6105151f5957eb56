"""Products of two columns before linear models: taken together with the model, as one estimator."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from ...arrays import FloatArray
from ...errors import UnsupportedModelError
from ...models import is_linear_model
from ...models.unit_sums import BehindProducts
from ..affine import AffineMap
from ..columnwise import dense
from ..constants import MAP_TOLERANCE
from ..registry import AffineEntry, entry_of
from ..steps import Step


def with_products(steps: Sequence[Step], estimator: Any) -> tuple[list[Step], Any, list[Step]]:
    """Put products of two columns, and affine steps behind them, into the linear model that follows.

    Returns
    -------
    steps : list of Step
        Those before the products.
    estimator : estimator
        With the products; as it was if there are none, or another kind of model or step follows.
    inside : list of Step
        The steps that became part of it.
    """
    places = [place for place, step in enumerate(steps) if _has_products(step.transformer)]
    unchanged = list(steps), estimator, list[Step]()
    if not places or not is_linear_model(estimator):
        return unchanged
    place = places[-1]
    behind = [entry_of(step.transformer) for step in steps[place + 1 :]]
    powers = np.asarray(steps[place].transformer.powers_)
    if powers.sum(axis=1).max() > 2 or not all(isinstance(entry, AffineEntry) for entry in behind):
        return unchanged
    so_far = AffineMap(np.eye(len(powers)), np.zeros(len(powers)))
    for step, entry in zip(steps[place + 1 :], behind):
        assert isinstance(entry, AffineEntry)
        so_far = so_far.then(entry.build(step.transformer, len(so_far.offset)))
    made = BehindProducts(estimator, powers, so_far.matrix, so_far.offset)
    return list(steps[:place]), made, list(steps[place:])


def check_products(estimator: Any, inside: Sequence[Step], seen: FloatArray) -> None:
    """Compare products with what the steps themselves make of rows of shape (n_samples, n_features)."""
    if not isinstance(estimator, BehindProducts) or len(seen) == 0:
        return
    expected: Any = seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the steps say of columns without names
        for _, transformer in inside:
            expected = transformer.transform(expected)
    expected, found = dense(expected), estimator.columns(seen)
    size = np.prod(np.abs(seen)[:, None] ** estimator.powers, axis=2) @ np.abs(estimator.matrix).T
    off = np.abs(found - expected) > MAP_TOLERANCE * (size + np.abs(estimator.offset))
    if off.any():
        raise UnsupportedModelError(
            f"{inside[0].in_words} and the steps behind it do not do what their types promise; apply them to the data "
            "before the pipeline."
        )


def _has_products(transformer: Any) -> bool:
    if not isinstance(transformer, PolynomialFeatures):
        return False
    return bool((np.asarray(transformer.powers_) > 0).sum(axis=1).max(initial=0) > 1)
