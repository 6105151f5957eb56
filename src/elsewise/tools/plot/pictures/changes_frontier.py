"""Distance against the number of changes: what fewer changes cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....answers import ChangesFrontier
from ....arrays import FloatArray, IntArray
from ....text.numbers import percent
from .canvas import AFTER_STYLE, INK, MUTED, NOTE_SIZE, axes_for, headline, plain_axes
from .words import outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class ChangesFrontierPicture:
    """The frontier of one row over the number of changes.

    Attributes
    ----------
    max_changes : int array of shape (n,)
    distances, plausibilities : arrays of shape (n,)
        NaN where there is no answer.
    statuses : array of str of shape (n,)
    title : str
    """

    max_changes: IntArray
    distances: FloatArray
    plausibilities: FloatArray
    statuses: NDArray[np.str_]
    title: str

    @classmethod
    def compute(cls, frontier: ChangesFrontier) -> ChangesFrontierPicture:
        """Take from a frontier what is drawn."""
        first = frontier.explanations[0]
        return cls(
            max_changes=frontier.max_changes,
            distances=frontier.distances,
            plausibilities=frontier.explanations.plausibilities,
            statuses=frontier.explanations.statuses,
            title=f"Predicted {outcome(first.prediction)}, wanted {outcome(first.target)}",
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        ax = axes_for(ax, 6.4, 4.0)
        headline(ax, self.title, "what fewer changes cost")
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        found = np.isfinite(self.distances)
        counts, distances = self.max_changes[found], self.distances[found]
        ax.plot(counts, distances, color=MUTED, linewidth=1.2, zorder=2)
        is_proven = self.statuses[found] == "optimal"
        style = AFTER_STYLE.marker_options()
        ax.plot(counts[is_proven], distances[is_proven], linestyle="", label="proven nearest", zorder=4, **style)
        if not is_proven.all():
            open_style = {**style, "markerfacecolor": "white", "markeredgecolor": AFTER_STYLE.colour}
            ax.plot(counts[~is_proven], distances[~is_proven], linestyle="", label="found", zorder=4, **open_style)
        for count, distance, share in zip(counts, distances, self.plausibilities[found]):
            if np.isfinite(share):
                ax.annotate(percent(share), (count, distance), (6, 6), textcoords="offset points", fontsize=NOTE_SIZE)
        none = self.max_changes[~found]
        if len(none):
            ax.plot(none, 0 * none, linestyle="", marker="x", color=INK, clip_on=False, label="no answer")
        ax.set_xlim(0.5, self.max_changes[-1] + 0.5)
        ax.set_ylim(0.0, 1.15 * (float(distances.max(initial=0.0)) or 1.0))
        ax.set_xticks(np.arange(1, self.max_changes[-1] + 1))
        ax.set_xlabel("columns that may change; the numbers at the points say how plausible", color=INK)
        ax.set_ylabel("distance of the nearest answer", color=INK)
        ax.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
        return ax
