"""The frontier: how far one has to go for how plausible an answer.

The frontier over changes: how far one has to go with how few changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrays import FloatArray, IntArray
from ..text import (
    headline_of_changes_frontier,
    headline_of_frontier,
    html_of_changes_frontier,
    html_of_frontier,
    text_of_changes_frontier,
    text_of_frontier,
)
from .explanations import Explanations

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """Nearest answers of one row at several density thresholds.

    Attributes
    ----------
    quantiles : array of shape (n,)
        Ascending. An answer at ``q`` is as dense as the share ``q`` of the target's rows, at least.
    log_thresholds : array of shape (n,)
    explanations : Explanations
        One a quantile. Distances never fall with the quantile; the plain closest counterfactual is below them all.
    """

    quantiles: FloatArray
    log_thresholds: FloatArray
    explanations: Explanations

    @property
    def distances(self) -> FloatArray:
        """Distance of the nearest answer at each quantile, NaN where there is none; array of shape (n,)."""
        return self.explanations.distances

    def __len__(self) -> int:
        return len(self.quantiles)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per quantile: threshold, status, distance, bound, then the counterfactual's columns."""
        frame = self.explanations.to_frame().reset_index(drop=True)
        frame.insert(0, "quantile", self.quantiles)
        return frame

    def __repr__(self) -> str:
        return f"<Frontier: {headline_of_frontier(self)}>"

    def __str__(self) -> str:
        return text_of_frontier(self)

    def _repr_html_(self) -> str:
        return html_of_frontier(self)


@dataclass(frozen=True, slots=True, eq=False)
class ChangesFrontier:
    """Nearest answers of one row with at most one, two, ... changes, up to the nearest answer of all.

    Attributes
    ----------
    max_changes : int array of shape (n,)
        Ascending. The last number is that from which on more changes bring nothing nearer.
    explanations : Explanations
        One a number of changes, each with its own proof. Distances never rise with the number.
    """

    max_changes: IntArray
    explanations: Explanations

    @property
    def distances(self) -> FloatArray:
        """Distance of the nearest answer with so many changes, NaN where there is none; array of shape (n,)."""
        return self.explanations.distances

    def __len__(self) -> int:
        return len(self.max_changes)

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per number of changes: status, distance, bound, then the counterfactual's columns."""
        frame = self.explanations.to_frame().reset_index(drop=True)
        frame.insert(0, "max_changes", self.max_changes)
        return frame

    def __repr__(self) -> str:
        return f"<ChangesFrontier: {headline_of_changes_frontier(self)}>"

    def __str__(self) -> str:
        return text_of_changes_frontier(self)

    def _repr_html_(self) -> str:
        return html_of_changes_frontier(self)
