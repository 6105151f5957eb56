"""What trees see of the features of a certificate, and what is said of one that proves nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


class RefutedError(AssertionError):
    """The certificate proves nothing."""


def require(holds: Any, what: str) -> None:
    """Refute the certificate unless something holds."""
    if not holds:
        raise RefutedError(what)


@dataclass
class View:
    """What trees see of a certificate's features.

    Attributes
    ----------
    codes : dict of int to (int, float)
        Of indicators that trees see as codes: the column of the model, and the code.
    columns : dict of int to int
        Of numbers that are in another column of the model: which.
    steps : dict of int to Fraction
        Of numbers that are counted in steps: the step.
    """

    codes: dict[int, tuple[int, float]] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    steps: dict[int, Fraction] = field(default_factory=dict)

    def column(self, feature: int) -> int:
        """The column of the model that a feature is seen in."""
        return self.codes[feature][0] if feature in self.codes else self.columns.get(feature, feature)

    def level(self, feature: int, asked: int) -> float:
        """What a column of the model is at the level of an indicator."""
        return self.codes[feature][1] if feature in self.codes else float(feature == asked)

    def number(self, feature: int, count: float) -> float:
        """What a number is as the model sees it."""
        if feature not in self.steps or not math.isfinite(count):
            return count
        return float(Fraction(count) * self.steps[feature])
