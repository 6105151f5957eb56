"""How sure a model is of real rows: quantiles of its own probabilities, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import AnyArray, FloatArray, IntArray
from ..table.frames import rows_of

if TYPE_CHECKING:
    from .fitted_model import FittedModel

# Training rows of a class that are asked about: quantiles are then known to half a percent.
MOST_ROWS = 10_000
# Quantiles that are kept, evenly from 0 to 1.
N_QUANTILES = 1001


def sureness_of(fitted: FittedModel, given: Any, rows: FloatArray, y: AnyArray | None) -> dict[int, FloatArray]:
    """Compute quantiles of the probability that the model gives training rows of a class, for that class.

    Parameters
    ----------
    fitted : FittedModel
    given : data frame or array of shape (n_samples, n_columns)
        Training rows.
    rows : array of shape (n_samples, n_features)
        The same in features.
    y : array of shape (n_samples,), or None

    Returns
    -------
    dict of int to array of shape (N_QUANTILES,)
        By the position of the class. Empty without probabilities or labels, for models that are only asked, which
        costs, and for those that do not choose the class to which they give more than one half.
    """
    classes = fitted.classes
    if fitted.training is not None or not hasattr(fitted.model, "predict_proba"):
        return {}
    if classes is None or y is None or y.shape != (len(rows),):
        return {}
    labels = classes.tolist()
    chosen = np.concatenate([_evenly(np.flatnonzero(y == label)) for label in labels])
    if len(chosen) == 0:
        return {}
    written = fitted.as_model_input(rows[chosen], rows_of(given, chosen), rows[chosen], None)
    probabilities = np.asarray(fitted.model.predict_proba(written), dtype=np.float64)
    if probabilities.shape != (len(chosen), len(classes)):
        return {}
    is_clear = probabilities.max(axis=1) > 0.5
    if (classes[probabilities.argmax(axis=1)] != fitted.predict_written(written))[is_clear].any():
        return {}
    is_of_class = [y[chosen] == label for label in labels]
    quantiles = np.linspace(0.0, 1.0, N_QUANTILES)
    return {
        index: np.quantile(probabilities[own, index], quantiles) for index, own in enumerate(is_of_class) if own.any()
    }


def _evenly(places: IntArray) -> IntArray:
    """Pick at most so many places, evenly."""
    return places[np.linspace(0, len(places) - 1, min(len(places), MOST_ROWS)).astype(np.int64)]
