"""Monotone: whether more of a column can ever lower the score of an outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..table.wording import Wording
from ..text import sentence_of_monotone


@dataclass(frozen=True, slots=True, eq=False)
class Monotone:
    """Whether more, or less, of a column can ever lower the score of an outcome.

    Attributes
    ----------
    column : str
    direction : "increase" or "decrease"
    target : label, or None for a regressor
    status : "proven", "refuted" or "unknown"
        "proven": for all rows, up to rounding; of several classes, the lead of the target over each other class never
        falls. "refuted": ``rows`` show the contrary. "unknown": neither was found.
    rows : data frame or array of shape (2, n_columns), or None
        Two rows that differ in the column alone: the score of the second, which is farther in the direction, is lower.
    scores : tuple of two floats, or None
        Their scores by the model itself: a probability, a decision value or a prediction.
    wording : Wording or None
        How people call columns and outcomes; None: as they are in the data.
    """

    kind: ClassVar[str] = "monotone"
    column: str
    direction: str
    target: Any
    status: str
    rows: Any = None
    scores: tuple[float, float] | None = None
    wording: Wording | None = field(default=None, repr=False, compare=False)

    @property
    def is_proven(self) -> bool:
        """Whether it is proven that the score never falls."""
        return self.status == "proven"

    @property
    def sentence(self) -> str:
        """All of it for people."""
        return sentence_of_monotone(self)

    def __str__(self) -> str:
        return self.sentence
