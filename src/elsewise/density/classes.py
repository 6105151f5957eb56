"""The densities of all classes of a model, from what the user asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

from ..arrays import FloatArray
from ..errors import InvalidInputError
from .base import ClassDensity
from .gaussian_mixture import GaussianMixtureDensity
from .kernel import KernelDensity
from .mixed_mixture_density import MixedMixtureDensity
from .threshold import LogDensity, class_density, log_threshold


def fit_class_densities(
    density: Any,
    threshold: Any,
    Z: FloatArray,
    y: ArrayLike | None,
    classes: NDArray[Any] | None,
    n_levels: Sequence[int] = (),
) -> dict[Any, ClassDensity]:
    """Fit the density of every class, with its threshold.

    Parameters
    ----------
    density : str, density object, fitted mixture, mapping of label to one of these, or None
        See :class:`~elsewise.Explainer`.
    threshold : float in (0, 1) or LogDensity
    Z : array of shape (n_samples, n_features)
        Training rows in model space; with categories ``[numbers | codes]``.
    y : array of shape (n_samples,), or None for a regressor
    classes : array of labels, or None for a regressor
    n_levels : sequence of int
        Levels of each category; empty without categories.

    Returns
    -------
    dict
        Label to density, the only key None for a regressor; empty without a density.
    """
    if density is None:
        return {}
    if classes is None:
        return {None: _one_class(density, threshold, None, Z, n_levels)}
    if y is None:
        raise InvalidInputError("fit needs y, the labels of the training rows: densities are those of the classes.")
    labels = np.asarray(y)
    if labels.shape != (len(Z),):
        raise InvalidInputError(f"y: expected one label for each of the {len(Z)} rows, received shape {labels.shape}.")
    unknown = [label for label in np.unique(labels).tolist() if label not in classes.tolist()]
    if unknown:
        raise InvalidInputError(f"y has labels the model does not know: {unknown[:5]}; it knows {classes.tolist()}.")
    densities = {}
    for label in classes.tolist():
        mine = Z[labels == label]
        if len(mine) == 0:
            raise InvalidInputError(
                f"Class {label!r} has no rows in X: its density cannot be learned. Pass rows of every class of the "
                "model, or density=None."
            )
        densities[label] = _one_class(density, threshold, label, mine, n_levels)
    return densities


def at_threshold(density: ClassDensity, threshold: Any) -> ClassDensity:
    """Return a density with another threshold, a quantile of its training rows or a LogDensity."""
    if isinstance(threshold, LogDensity):
        return density.with_threshold(threshold.value)
    value = log_threshold(threshold, density.log_densities_)
    # A quantile is the density of a training row: rounding in another arithmetic must not shut that row out.
    return density.with_threshold(value - 1e-12 * (1.0 + abs(value)))


def _one_class(density: Any, threshold: Any, label: Any, Z: FloatArray, n_levels: Sequence[int]) -> ClassDensity:
    return at_threshold(class_density(_estimator(density, label, n_levels), Z, threshold), threshold)


def _estimator(density: Any, label: Any, n_levels: Sequence[int]) -> Any:
    """Find the density of one label among what the user gave, and fit it to the kind of table."""
    if isinstance(density, Mapping):
        if label not in density:
            raise InvalidInputError(f"density: the mapping has no mixture for label {label!r}; it has {list(density)}.")
        mine = density[label]
    else:
        mine = density
        if isinstance(mine, GaussianMixture) and label is not None:
            raise InvalidInputError(
                "density: one fitted GaussianMixture cannot serve several classes. Pass a mapping {label: mixture}."
            )
    if isinstance(mine, str):
        mine = _named(mine, with_categories=len(n_levels) > 0)
    if len(n_levels) == 0:
        return mine
    if isinstance(mine, (GaussianMixture, GaussianMixtureDensity, KernelDensity)):
        raise InvalidInputError(
            f"density: {type(mine).__name__} is about numbers, but the table has categories. Use 'auto' or "
            "MixedMixtureDensity."
        )
    if isinstance(mine, MixedMixtureDensity):
        return clone(mine).set_params(n_levels=tuple(n_levels))
    return mine


def _named(name: str, *, with_categories: bool) -> Any:
    named: dict[str, Any] = {
        "auto": MixedMixtureDensity() if with_categories else GaussianMixtureDensity(),
        "gaussian_mixture": GaussianMixtureDensity(),
        "kernel": KernelDensity(),
    }
    if name not in named:
        raise InvalidInputError(
            f"density: expected one of {sorted(named)}, a density object, fitted mixtures or None, received {name!r}."
        )
    return named[name]
