"""Distance against plausibility: what a more plausible answer costs.

Distance against the number of changes: what fewer changes cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....answers import ChangesFrontier, Frontier
from ....arrays import FloatArray, IntArray
from ....errors import InvalidInputError
from ....reasons import WITHOUT_ANSWER
from ....text.languages import say
from ....text.numbers import percent, percent_down
from .arguments import outcome, rows_of_target
from .canvas import AFTER_STYLE, FAINT, INK, MUTED, NOTE_SIZE, axes_for, headline, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class FrontierPicture:
    """The frontier of one row.

    Attributes
    ----------
    quantiles : array of shape (n,)
    distances : array of shape (n,)
        NaN where there is no answer.
    lower_bounds : array of shape (n,)
        Proven: no answer is nearer. Infinite where it is proven that there is none.
    statuses : array of str of shape (n,)
    title : str
    rows : str
        What the training rows are called, such as "real good cases".
    """

    quantiles: FloatArray
    distances: FloatArray
    lower_bounds: FloatArray
    statuses: NDArray[np.str_]
    title: str
    rows: str

    @classmethod
    def compute(cls, frontier: Frontier) -> FrontierPicture:
        """Take from a frontier what is drawn."""
        if not isinstance(frontier, Frontier):
            raise InvalidInputError(
                f"frontier: expected what explainer.frontier(row, target) returns, received {type(frontier).__name__}."
            )
        first = frontier.explanations[0]
        return cls(
            quantiles=frontier.quantiles,
            distances=frontier.distances,
            lower_bounds=frontier.explanations.lower_bounds,
            statuses=frontier.explanations.statuses,
            title=f"{outcome(first.prediction)} → {outcome(first.target)}",
            rows=rows_of_target(first.target),
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        ax = axes_for(ax, 6.4, 4.0)
        headline(ax, self.title, say("plot.frontier"))
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        found = ~np.isin(self.statuses, WITHOUT_ANSWER)
        reached, distances = self.quantiles[found], self.distances[found]
        if found.any():
            # Between two quantiles the distance lies between theirs: it never falls.
            ax.fill_between(
                reached,
                distances,
                np.append(distances[1:], distances[-1:]),
                step="post",
                color=FAINT,
                label=say("plot.frontier between"),
            )
            ax.plot(reached, distances, color=MUTED, linewidth=1.2, zorder=2)
        self._draw_points(ax)
        self._draw_infeasible(ax, self.quantiles[self.statuses == "infeasible"])
        ax.set_xlim(0.0, 1.0)
        top = float(distances.max(initial=0.0)) or 1.0
        ax.set_ylim(0.0, 1.12 * top)
        ax.xaxis.set_major_formatter(lambda share, _: percent_down(share))
        ax.set_xlabel(say("plot.frontier axis", rows=self.rows), color=INK)
        ax.xaxis.label.set_parse_math(False)
        ax.set_ylabel(say("plot.nearest"), color=INK)
        if not found.any():
            ax.set_yticks([])
        handles, names = ax.get_legend_handles_labels()
        if len(handles) > 1:
            # The curve never falls: the upper left is free unless it begins high.
            free = "upper left" if distances[:1].sum() < 0.6 * top else "lower left"
            ax.legend(handles, names, loc=free, frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
        return ax

    def _draw_points(self, ax: Axes) -> None:
        optimal, feasible = self.statuses == "optimal", self.statuses == "feasible"
        style = AFTER_STYLE.marker_options()
        if optimal.any():
            quantiles, distances = self.quantiles[optimal], self.distances[optimal]
            ax.plot(quantiles, distances, linestyle="", label=say("plot.proven"), zorder=4, **style)
        if feasible.any():
            quantiles, distances = self.quantiles[feasible], self.distances[feasible]
            ax.vlines(quantiles, self.lower_bounds[feasible], distances, color=AFTER_STYLE.colour)
            open_style = {**style, "markerfacecolor": "white", "markeredgecolor": AFTER_STYLE.colour}
            open_style["markeredgewidth"] = 1.4
            ax.plot(
                quantiles,
                distances,
                linestyle="",
                label=say("plot.frontier bound"),
                zorder=4,
                **open_style,
            )

    def _draw_infeasible(self, ax: Axes, quantiles: FloatArray) -> None:
        """Shade from the lowest quantile without an answer: above it there is none either."""
        if len(quantiles) == 0:
            return
        first = float(quantiles[0])
        ax.axvspan(first, 1.0, facecolor="#f4f4f4", edgecolor="#bdbdbd", hatch="///", linewidth=0, zorder=0)
        ground = np.zeros(len(quantiles))
        ax.plot(
            quantiles, ground, linestyle="", marker="x", color=INK, clip_on=False, zorder=5, label=say("plot.no answer")
        )
        text = ax.text(
            0.5 * (first + 1.0),
            0.5,
            say("plot.no answer"),
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="center",
            rotation=90 if first > 0.8 else 0,
            fontsize=NOTE_SIZE,
            color=INK,
        )
        text.set_bbox({"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": "none"})


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
            title=f"{outcome(first.prediction)} → {outcome(first.target)}",
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        ax = axes_for(ax, 6.4, 4.0)
        headline(ax, self.title, say("plot.few changes"))
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        found = np.isfinite(self.distances)
        counts, distances = self.max_changes[found], self.distances[found]
        ax.plot(counts, distances, color=MUTED, linewidth=1.2, zorder=2)
        is_proven = self.statuses[found] == "optimal"
        style = AFTER_STYLE.marker_options()
        ax.plot(counts[is_proven], distances[is_proven], linestyle="", label=say("plot.proven"), zorder=4, **style)
        if not is_proven.all():
            open_style = {**style, "markerfacecolor": "white", "markeredgecolor": AFTER_STYLE.colour}
            ax.plot(
                counts[~is_proven], distances[~is_proven], linestyle="", label=say("plot.found"), zorder=4, **open_style
            )
        for count, distance, share in zip(counts, distances, self.plausibilities[found]):
            if np.isfinite(share):
                ax.annotate(percent(share), (count, distance), (6, 6), textcoords="offset points", fontsize=NOTE_SIZE)
        none = self.max_changes[~found]
        if len(none):
            ax.plot(none, 0 * none, linestyle="", marker="x", color=INK, clip_on=False, label=say("plot.no answer"))
        ax.set_xlim(0.5, self.max_changes[-1] + 0.5)
        ax.set_ylim(0.0, 1.15 * (float(distances.max(initial=0.0)) or 1.0))
        ax.set_xticks(np.arange(1, self.max_changes[-1] + 1))
        ax.set_xlabel(say("plot.few changes axis"), color=INK)
        ax.set_ylabel(say("plot.nearest"), color=INK)
        ax.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)
        return ax
