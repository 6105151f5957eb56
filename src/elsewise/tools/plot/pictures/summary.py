"""Many rows: which columns change how often and how far, and what stands in the way of rows without an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Explanations, WhyNot
from ....arrays import FloatArray, IntArray
from ....errors import InvalidInputError
from ....reasons import for_everyone
from ....table import Column
from ....text.languages import plural, say
from ....text.numbers import percent, signed
from ....text.reasons import obstacle_in_words
from .arguments import DIGITS, LONGEST_LEVEL, is_numeric, level_text, named, positive, wrapped
from .canvas import (
    AFTER_STYLE,
    BLUE,
    INK,
    MUTED,
    NOTE_SIZE,
    ORANGE,
    AxesArray,
    axes_given,
    figure_for,
    headline,
    line_names,
    plain_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Reasons with a bar of their own, where rows have no answer.
MOST_OBSTACLES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """What stands in the way of a group of rows.

    Attributes
    ----------
    reason : str
    count : int
        Rows it holds up.
    """

    reason: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class SummaryPicture:
    """Many rows at once; of several answers a row, the best one counts.

    Attributes
    ----------
    n_rows, n_answered : int
    columns : tuple of str
        Those that change in some row, most often first.
    shares : array of shape (n_columns,)
        Share of the answered rows in which each changes.
    costs : array of shape (n_columns, 3)
        Lower quartile, median and upper quartile of what it adds to the distance where it changes.
    typical : tuple of str
        The usual change in the user's units: median size of numbers, most frequent new level of others.
    n_others : int
        Further columns that change, left out.
    obstacles : tuple of Obstacle
        Most rows first.
    """

    n_rows: int
    n_answered: int
    columns: tuple[str, ...]
    shares: FloatArray
    costs: FloatArray
    typical: tuple[str, ...]
    n_others: int
    obstacles: tuple[Obstacle, ...]

    @classmethod
    def compute(
        cls,
        explanations: Explanations,
        why_not: Mapping[int, WhyNot] | None = None,
        *,
        max_columns: int = 15,
    ) -> SummaryPicture:
        """Count and measure."""
        if not isinstance(explanations, Explanations):
            raise InvalidInputError(
                f"explanations: expected what explainer.explain returns, received {type(explanations).__name__}."
            )
        if len(explanations) == 0:
            raise InvalidInputError("explanations: expected at least one, received none.")
        best = np.unique(explanations.rows, return_index=True)[1].astype(np.int64)
        table = explanations.table
        found = best[explanations.found[best]]
        changed, costs = explanations.changed[found], explanations.shares[found]
        counts = changed.sum(axis=0)
        order = [place for place in np.argsort(-counts, kind="stable").tolist() if counts[place]]
        most = positive(max_columns, "max_columns")
        kept = order if len(order) <= most + 1 else order[:most]
        before, after = explanations.row_features[found], explanations.features[found]
        quartiles = [np.quantile(costs[changed[:, place], place], [0.25, 0.5, 0.75]) for place in kept]
        return cls(
            n_rows=len(best),
            n_answered=len(found),
            columns=tuple(table.columns[place].name for place in kept),
            shares=counts[kept] / max(len(found), 1),
            costs=np.array(quartiles).reshape(-1, 3),
            typical=tuple(
                _typical(table.columns[place], before[changed[:, place]], after[changed[:, place]]) for place in kept
            ),
            n_others=len(order) - len(kept),
            obstacles=_obstacles(explanations, best, why_not or {}),
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw on axes (see :mod:`elsewise.plot`) and return them: shares, costs and, if there are any, obstacles."""
        n = 2 + bool(self.obstacles)
        axes = self._new_axes() if ax is None else axes_given(ax, (n,))
        self._draw_shares(axes[0])
        self._draw_costs(axes[1])
        if self.obstacles:
            self._draw_obstacles(axes[2])
        return axes

    def _new_axes(self) -> AxesArray:
        """Make two axes above and, if needed, one below."""
        tops = 1.5 + 0.32 * max(len(self.columns), 1)
        bottoms = 0.9 + 0.75 * len(self._obstacles_drawn()) if self.obstacles else 0.0
        figure = figure_for(10.0, tops + bottoms)
        heights = [tops, bottoms] if self.obstacles else [tops]
        places = figure.add_gridspec(len(heights), 2, height_ratios=heights, wspace=0.04, hspace=0.06)
        axes = np.empty(2 + bool(self.obstacles), dtype=object)
        axes[0], axes[1] = figure.add_subplot(places[0, 0]), figure.add_subplot(places[0, 1])
        if self.obstacles:
            axes[2] = figure.add_subplot(places[1, :])
        return axes

    def _draw_shares(self, ax: Axes) -> None:
        headline(ax, say("plot.how often"), plural("plot.how often note", self.n_answered))
        plain_axes(ax)
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
        if not self.columns:
            said = say("plot.nothing" if self.n_answered else "plot.no row")
            ax.text(0.5, 0.5, said, transform=ax.transAxes, ha="center", va="center", color=INK)
            ax.set_yticks([])
            return
        ax.barh(range(len(self.columns)), self.shares, height=0.66, color=BLUE)
        for line, share in enumerate(self.shares.tolist()):
            ax.annotate(
                percent(share),
                xy=(share, line),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=NOTE_SIZE,
                color=INK,
            )
        ax.set_xlim(0.0, 1.18 * float(self.shares.max()))
        ax.axvline(0.0, color=MUTED, linewidth=0.8)
        line_names(ax, [named(name, 28) for name in self.columns])
        if self.n_others:
            ax.set_xlabel(plural("plot.more columns", self.n_others), color=MUTED, fontsize=NOTE_SIZE, loc="left")

    def _draw_costs(self, ax: Axes) -> None:
        headline(ax, say("plot.how far"), say("plot.how far note"))
        plain_axes(ax)
        if not self.columns:
            ax.set_axis_off()
            return
        lines = np.arange(len(self.columns))
        ax.hlines(lines, self.costs[:, 0], self.costs[:, 2], color=MUTED, linewidth=3.0, zorder=2)
        ax.plot(self.costs[:, 1], lines, linestyle="", zorder=3, **AFTER_STYLE.marker_options())
        line_names(ax, [""] * len(lines), right=self.typical)
        low, high = min(0.0, float(self.costs.min())), float(self.costs.max())
        ax.set_xlim(low, high + 0.06 * ((high - low) or 1.0))
        ax.grid(axis="x", color="#e5e5e5", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.set_xlabel(say("plot.how far axis"), color=INK)

    def _draw_obstacles(self, ax: Axes) -> None:
        n = self.n_rows - self.n_answered
        headline(ax, say("plot.obstacles"), say("plot.obstacles note", n=n, total=self.n_rows))
        plain_axes(ax)
        drawn = self._obstacles_drawn()
        counts = [obstacle.count for obstacle in drawn]
        lines = np.arange(len(drawn)) + 0.3
        ax.barh(lines, counts, height=0.26, color=ORANGE, hatch="\\\\\\", edgecolor="white", linewidth=0)
        for line, obstacle in zip(lines.tolist(), drawn):
            for text, point, offset, base in (
                (plural("report.rows", obstacle.count), (obstacle.count, line), (4, 0), "center"),
                (wrapped(obstacle.reason, 110, 2), (0.0, line - 0.16), (2, 1), "bottom"),
            ):
                ax.annotate(
                    text,
                    xy=point,
                    xytext=offset,
                    textcoords="offset points",
                    va=base,
                    fontsize=NOTE_SIZE,
                    color=INK,
                    parse_math=False,
                )
        ax.set_xlim(0.0, 1.1 * max(counts))
        ax.set_ylim(len(drawn) - 0.45, -0.4)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines["bottom"].set_visible(False)
        ax.axvline(0.0, color=MUTED, linewidth=0.8)

    def _obstacles_drawn(self) -> list[Obstacle]:
        kept, rest = list(self.obstacles[:MOST_OBSTACLES]), self.obstacles[MOST_OBSTACLES:]
        if len(rest) == 1:
            return [*kept, *rest]
        if rest:
            kept.append(Obstacle(plural("report.other reasons", len(rest)), sum(obstacle.count for obstacle in rest)))
        return kept


def _obstacles(explanations: Explanations, best: IntArray, why_not: Mapping[int, WhyNot]) -> tuple[Obstacle, ...]:
    """Count rows without an answer by their reason: by the rules in conflict, where these are known."""
    infeasible = best[~explanations.found[best]].tolist()
    known = {int(explanations.rows[place]) for place in infeasible}
    for row, why in why_not.items():
        if row not in known or not isinstance(why, WhyNot):
            raise InvalidInputError(
                "why_not: expected a mapping of positions of infeasible rows to what explainer.why_not says of them, "
                f"received {type(why).__name__} for row {row!r}; infeasible are {sorted(known)[:10]}."
            )
    reasons = []
    for place in infeasible:
        why_of_row = why_not.get(int(explanations.rows[place]))
        cause = for_everyone(explanations.causes[place]) if why_of_row is None else why_of_row
        reasons.append(obstacle_in_words(cause))
    return tuple(Obstacle(reason, count) for reason, count in Counter(reasons).most_common())


def _typical(column: Column, before: FloatArray, after: FloatArray) -> str:
    """Put the usual change of a column in words, from rows of features in which it changes."""
    if is_numeric(column):
        difference = after[:, column.start] - before[:, column.start]
        rises = difference > 0
        same_way = rises if rises.mean() >= 0.5 else ~rises
        return f"{signed(float(np.median(difference[same_way])), DIGITS)}{_share_of(float(same_way.mean()))}"
    if column.kind == "ordinal":
        new = after[:, column.start].astype(np.int64)
    else:
        new = after[:, column.features].argmax(axis=1)
    level, count = Counter(new.tolist()).most_common(1)[0]
    name = level_text(column.name, column.levels[level], LONGEST_LEVEL)
    return f"→ {name}{_share_of(count / len(new))}"


def _share_of(share: float) -> str:
    return "" if share == 1.0 else f" ({percent(share)})"
