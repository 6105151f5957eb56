"""Confidence: how sure a model has to be of an answer, in terms of how sure it is of real rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import InvalidInputError
from ..fitted import FittedModel
from .options import Options

# A class with more than one half is the one that is predicted.
MORE_THAN_HALF = float(np.nextafter(0.5, 1.0))


def with_confidence(fitted: FittedModel, options: Options) -> Options:
    """Return options in which a confidence has become the least probability of every class.

    The least probability of a class is the quantile of the probabilities that the model gives to training rows of that
    class, and more than one half, so that the model predicts the class.
    """
    if options.confidence is None:
        return options
    if fitted.classes is None:
        raise InvalidInputError("confidence is for classifiers; a regressor has target=(low, high).")
    if not hasattr(fitted.model, "predict_proba"):
        name = type(fitted.model).__name__
        raise InvalidInputError(f"confidence needs a model with predict_proba, and {name} has none. Leave it out.")
    if fitted.training is not None:
        raise InvalidInputError(
            "confidence needs a model that is read, and this one is only asked. Use min_probability."
        )
    if len(fitted.sureness) < len(fitted.classes):
        raise InvalidInputError(
            "confidence needs training rows of every class with their labels, and a model that predicts the class to "
            "which its predict_proba gives more than one half; at least one of them was missing at the fit. Use "
            "min_probability."
        )
    places = np.linspace(0.0, 1.0, len(fitted.sureness[0]))
    least = [float(np.interp(options.confidence, places, fitted.sureness[i])) for i in range(len(fitted.classes))]
    least_of_each = tuple(max(p, MORE_THAN_HALF) for p in least)  # one a class, where users give one for all
    return replace(options, confidence=None, min_probability=least_of_each)  # type: ignore[arg-type]
