"""The frontier: how far one has to go for how plausible an answer.

Thresholds are nested: what is dense enough for one is so for all below it, and nothing is nearer than at one below. So
an answer at a high quantile is a start for the lower ones, a bound at a low quantile holds for the higher ones, and
where both ends of a stretch have the same distance, everything between them has the same answer, without a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..asking.answers import Answers
from ..asking.question import Question
from ..text import headline_of_frontier, html_of_frontier, text_of_frontier
from .explanation import Explanations

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """Nearest answers of one row at several density thresholds.

    Attributes
    ----------
    quantiles : array of shape (n,)
        Ascending. An answer at ``q`` is as dense as the share ``q`` of the target's training rows, at least.
    log_thresholds : array of shape (n,)
    explanations : Explanations
        One a quantile. Distances never fall with the quantile; the plain closest counterfactual is below them all.
    """

    quantiles: NDArray[np.float64]
    log_thresholds: NDArray[np.float64]
    explanations: Explanations

    @property
    def distances(self) -> NDArray[np.float64]:
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


def walk(question: Question, given: Any, row: NDArray[np.float64], n: int) -> list[Answers]:
    """Answer the ``n`` goals of a question, of ascending thresholds and alike otherwise, for one row."""
    solved: dict[int, Answers] = {}

    def solve(place: int, below: Answers | None, above: Answers | None) -> None:
        answers = Answers(question, given, row)
        if above is not None:
            answers.start_from(above, place)
        settled = below is not None and above is not None and below.value[0] >= above.value[0] * (1 - 1e-9)
        if not settled:
            answers.pursue(np.array([0]), np.array([place]))
        answers.goal[0] = place
        if below is not None:
            known = below.lower_bound if not settled else np.minimum(below.lower_bound, answers.value)
            answers.lower_bound[:] = known if settled else np.maximum(answers.lower_bound, known)
        solved[place] = answers

    def between(low: int, high: int) -> None:
        if high - low > 1:
            middle = (low + high) // 2
            solve(middle, solved[low], solved[high])
            between(low, middle)
            between(middle, high)

    solve(n - 1, None, None)
    if n > 1:
        solve(0, None, solved[n - 1])
        between(0, n - 1)
    return [solved[place] for place in range(n)]
