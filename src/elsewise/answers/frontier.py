"""The frontier: how far one has to go for how plausible an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrays import FloatArray
from ..text import headline_of_frontier, html_of_frontier, text_of_frontier
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
