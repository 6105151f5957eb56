"""The densities of all classes of a model, from what the user asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.mixture import GaussianMixture

from ..arrays import AnyArray, FloatArray, UserValue, is_missing
from ..errors import InvalidInputError
from .base import ClassDensity
from .mixtures.gaussian_mixture import GaussianMixtureDensity
from .mixtures.kernel import KernelDensity
from .mixtures.mixed_mixture_density import MixedMixtureDensity
from .threshold import LogDensity, Threshold, TrainingQuantile, class_density, log_threshold
from .units import QUANTILE_ROUNDING

# What a user may give for the density of a class: a name, settings to fit, or a fitted mixture.
DensityOfClass: TypeAlias = str | BaseEstimator


def fit_class_densities(
    density: DensityOfClass | Mapping[UserValue, DensityOfClass] | None,
    threshold: Threshold,
    Z: FloatArray,
    y: ArrayLike | None,
    classes: AnyArray | None,
    n_levels: Sequence[int] = (),
    tell: Callable[[int], None] = lambda count: None,
) -> dict[UserValue, ClassDensity]:
    """Fit the density of every class, with its threshold.

    Parameters
    ----------
    density : str, density object, fitted mixture, mapping of label to one of these, or None
        See :class:`~elsewise.Explainer`.
    threshold : float in (0, 1), TrainingQuantile or LogDensity
    Z : array of shape (n_samples, n_features)
        Training rows in model space; with categories ``[numbers | codes]``. NaN where a number is missing.
    y : array of shape (n_samples,), or None for a regressor
    classes : array of labels, or None for a regressor
    n_levels : sequence of int
        Levels of each category; empty without categories.
    tell : function of int
        Told how many more training rows are done, after each class.

    Returns
    -------
    dict
        Label to density, the only key None for a regressor; empty without a density.
    """
    labels = None if y is None or classes is None else _checked_labels(y, classes, len(Z))
    if density is None:
        return {}
    if classes is None:
        only = {None: _one_class(density, threshold, None, Z, n_levels)}
        tell(len(Z))
        return only
    if labels is None:
        raise InvalidInputError("fit needs y, the labels of the training rows: densities are those of the classes.")
    unknown = [label for label in dict.fromkeys(labels.tolist()) if label not in classes.tolist()]
    if unknown:
        raise InvalidInputError(f"y has labels the model does not know: {unknown[:5]}; it knows {classes.tolist()}.")
    densities = {}
    for label in classes.tolist():
        rows_of_label = Z[labels == label]
        if len(rows_of_label) == 0:
            raise InvalidInputError(
                f"Class {label!r} has no rows in X: its density cannot be learned. Pass rows of every class of the "
                "model, or density=None."
            )
        densities[label] = _one_class(density, threshold, label, rows_of_label, n_levels)
        tell(len(rows_of_label))
    return densities


def _checked_labels(y: ArrayLike, classes: AnyArray, n_samples: int) -> AnyArray:
    """Return one label a row, as an array of shape (n_samples,), none of them missing and all of one type."""
    expected = f"expected the labels of the {n_samples} rows, of the model's classes {classes.tolist()}"
    labels = np.asarray(y)
    if labels.dtype.kind in "US" and not isinstance(y, np.ndarray):
        labels = np.array(y, dtype=object)  # numpy makes text of all in a list that has some
    if labels.shape != (n_samples,):
        raise InvalidInputError(
            f"y: expected one label for each of the {n_samples} rows, received shape {labels.shape}."
        )
    missing = np.ma.getmaskarray(y) if isinstance(y, np.ma.MaskedArray) else is_missing(labels)
    if missing.any():
        row, kind = int(np.argmax(missing)), "masked" if isinstance(y, np.ma.MaskedArray) else "missing"
        raise InvalidInputError(
            f"y: {expected}, received {int(missing.sum())} {kind} (the first in row {row}). Drop these rows from X and "
            "y: a density is learned from rows whose class is known."
        )
    texts = np.array([isinstance(label, str) for label in labels.tolist()])
    if texts.any() and not texts.all():
        mixed = [labels.tolist()[int(np.argmax(texts))], labels.tolist()[int(np.argmin(texts))]]
        raise InvalidInputError(
            f"y: {expected}, received text and other labels mixed, such as {mixed[0]!r} in row {int(np.argmax(texts))} "
            f"and {mixed[1]!r} in row {int(np.argmin(texts))}. Write all of them as the model's classes are."
        )
    return labels


def at_threshold(density: ClassDensity, threshold: Threshold) -> ClassDensity:
    """Return a density with another threshold: a quantile, a TrainingQuantile or a LogDensity."""
    if isinstance(threshold, LogDensity):
        return density.with_threshold(threshold.value)
    value = log_threshold(threshold, density.log_densities_, density.training_log_densities_)
    quantile = None if isinstance(threshold, TrainingQuantile) else float(threshold)
    return density.with_threshold(value - QUANTILE_ROUNDING * (1.0 + abs(value)), quantile)


def _one_class(
    density: DensityOfClass | Mapping[UserValue, DensityOfClass],
    threshold: Threshold,
    label: UserValue,
    Z: FloatArray,
    n_levels: Sequence[int],
) -> ClassDensity:
    estimator = _estimator(density, label, n_levels, bool(np.isnan(Z).any()))
    return at_threshold(class_density(estimator, Z, threshold), threshold)


def _estimator(
    density: DensityOfClass | Mapping[UserValue, DensityOfClass],
    label: UserValue,
    n_levels: Sequence[int],
    lacks_values: bool,
) -> BaseEstimator:
    """Find the density of one label among what the user gave, and tell it the table's categories."""
    if isinstance(density, Mapping):
        if label not in density:
            raise InvalidInputError(f"density: the mapping has no mixture for label {label!r}; it has {list(density)}.")
        chosen = density[label]
    else:
        chosen = density
        if isinstance(chosen, GaussianMixture) and label is not None:
            raise InvalidInputError(
                "density: one fitted GaussianMixture cannot serve several classes. Pass a mapping {label: mixture}."
            )
    if isinstance(chosen, str):
        chosen = _named(chosen, mixed=len(n_levels) > 0 or lacks_values)
    if len(n_levels) == 0:
        return chosen
    if isinstance(chosen, (GaussianMixture, GaussianMixtureDensity, KernelDensity)):
        raise InvalidInputError(
            f"density: {type(chosen).__name__} is about numbers, but the table has categories. Use 'auto' or "
            "MixedMixtureDensity."
        )
    if isinstance(chosen, MixedMixtureDensity):
        return clone(chosen).set_params(n_levels=tuple(n_levels))
    return chosen


def _named(name: str, *, mixed: bool) -> BaseEstimator:
    named: dict[str, BaseEstimator] = {
        "auto": MixedMixtureDensity() if mixed else GaussianMixtureDensity(),
        "gaussian_mixture": GaussianMixtureDensity(),
        "kernel": KernelDensity(),
    }
    if name not in named:
        raise InvalidInputError(
            f"density: expected one of {sorted(named)}, a density object, fitted mixtures or None, received {name!r}."
        )
    return named[name]
