"""Least probabilities among several classes: from margins ahead of all rivals to their soft minimum."""

from __future__ import annotations

import math
from dataclasses import replace

from ...errors import InvalidInputError, UnsupportedSettingError
from ...search.region import Probability
from ...search.relaxations.unit_sums.units import Sums


def of_least_probability(name: str, ahead: Sums, wanted: Probability) -> Sums:
    """Ask for a probability of a softmax, given the margins of a class ahead of each rival.

    Parameters
    ----------
    name : str
        Of the model, for messages.
    ahead : Sums
        One row for each rival.
    wanted : Probability
    """
    if wanted.high < 1:
        raise UnsupportedSettingError(
            f"{name}: where one of several classes has at most a probability is not supported. Ask for a least "
            "probability of another class."
        )
    if wanted.low >= 1:  # rounding alone would decide
        raise InvalidInputError(
            f"min_probability of {name} must be a number p with 0 < p < 1 (a softmax never reaches 1), received "
            f"{wanted.low!r}."
        )
    return replace(ahead, log_odds=math.log1p(-wanted.low) - math.log(wanted.low))
