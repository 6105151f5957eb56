"""Which parts of an explainer are training rows, for whoever keeps or sends its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...density import KernelDensity
from ...fitted import FittedModel
from .values import MOST_NAMES

# Attributes in which scikit-learn's estimators keep rows they were fitted to: neighbours and imputers by them, support
# vectors, Gaussian processes, kernel ridges.
ROWS_OF_MODELS = ("_fit_X", "support_vectors_", "X_train_", "X_fit_")


def held_rows(fitted: FittedModel, density: Any) -> list[str]:
    """List in words what of a fitted model is made of training rows, and what to do about it; empty if nothing is.

    Parameters
    ----------
    fitted : FittedModel
    density : the explainer's parameter
    """
    held = []
    if fitted.references:
        # Quantiles of scores given fixed columns: which columns these are only a question tells, and the score of a
        # row given any of them takes all of the row. No smaller statistic gives the same thresholds for every question.
        count = sum(len(rows) for rows in fitted.references.values())
        held.append(f"{count:,} for thresholds given what cannot change (condition_on_fixed=False keeps none)")
    given = density if isinstance(density, Mapping) else dict.fromkeys(fitted.densities, density)
    kernels = [label for label, each in given.items() if _is_kernel(each)]
    if kernels:
        count = sum(len(fitted.densities[label].mixture_.means_) for label in kernels)
        held.append(f"{count:,} of the kernel density, which is made of them (a mixture keeps none)")
    if fitted.training is not None:
        count = len(fitted.training.anchors)
        held.append(f"{count:,} near which answers of a black box are looked for (a model that is read needs none)")
    names = list(dict.fromkeys(_keepers(fitted.model, set())))
    if names:
        listed = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        held.append(f"those that the model itself keeps ({listed})")
    return held


def _is_kernel(density: object) -> bool:
    return isinstance(density, KernelDensity) or (isinstance(density, str) and density == "kernel")


def _keepers(value: Any, seen: set[int]) -> Iterator[str]:
    """Names of the estimators in a model that keep the rows they were fitted to."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _keepers(part, seen)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _keepers(part, seen)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        if any(name in vars(value) for name in ROWS_OF_MODELS):
            yield type(value).__name__
        for part in vars(value).values():
            yield from _keepers(part, seen)
