"""Before and after, held against how real rows of the target class are distributed, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ....answers import Explanation
from ....answers.ranges import ValueRange
from ....arrays import FloatArray, UserValue
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....fitted.summaries import ColumnProfile
from ....table.frames import is_missing_value
from ....text.languages import say
from ....text.numbers import percent, percentile
from .arguments import (
    LONGEST_LEVEL,
    answered,
    fitted,
    label_held_against,
    level_text,
    named,
    pair_texts,
    places,
    positive,
    rows_of_target,
    same_columns,
)
from .canvas import (
    AFTER_STYLE,
    INK,
    MUTED,
    NOTE_SIZE,
    ROW_STYLE,
    TARGET_FILL,
    AxesArray,
    axes_given,
    figure_for,
    headline,
    plain_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Levels of a column with a bar of their own.
MOST_LEVELS = 10

# Parts of the axes that the names of levels and the longest bar take.
_NAMES, _BAR = 0.42, 0.26


@dataclass(frozen=True, slots=True, eq=False)
class ColumnDistribution:
    """One column of the target's training rows, and the row before and after.

    Attributes
    ----------
    name, kind : str
    before, after : number or level
    shares : array of shape (n_bins,) or (n_levels,)
        Share of the target's rows in each bin or at each level.
    edges : array of shape (n_bins + 1,)
        Of numbers; empty for levels.
    levels : tuple
        As the user writes them, None for a missing value; empty for numbers.
    positions : pair of floats or None
        Where before and after lie: for numbers the share of the target's rows that are no higher (None if the value is
        missing), for levels the share of the target's rows at that level.
    range : ValueRange or None
        How far the answer may vary in this column.
    """

    name: str
    kind: str
    before: UserValue
    after: UserValue
    shares: FloatArray
    edges: FloatArray
    levels: tuple[UserValue, ...]
    positions: tuple[float | None, float | None]
    range: ValueRange | None


@dataclass(frozen=True, slots=True, eq=False)
class DistributionsPicture:
    """Columns of one row against the target class.

    Attributes
    ----------
    columns : tuple of ColumnDistribution
    rows : str
        What the training rows are called, such as "real good cases".
    """

    columns: tuple[ColumnDistribution, ...]
    rows: str

    @classmethod
    def compute(
        cls,
        explanation: Explanation,
        explainer: Explainer,
        columns: Sequence[str] | None = None,
        *,
        max_columns: int = 12,
    ) -> DistributionsPicture:
        """Take from explanation and explainer what is drawn; by default the most costly columns that change."""
        answered(explanation)
        fitted(explainer)
        same_columns(explainer, explanation.table)
        if columns is None:
            changes = explanation.changes[: positive(max_columns, "max_columns")]
            columns = [change.feature for change in changes]
            if not columns:
                raise InvalidInputError("Nothing has to change in this row. Name the columns to draw: columns=[...].")
        chosen = places(explanation.table, columns)
        if not chosen:
            raise InvalidInputError("columns: expected at least one column name, received none.")
        label = label_held_against(explainer, explanation.target)
        profiles = explainer.profiles_[label]
        ranges = {each.column: each for each in explanation.ranges or ()}
        return cls(
            columns=tuple(
                _distribution(profiles[place], *_values(explanation, place), ranges.get(profiles[place].name))
                for place in chosen
            ),
            rows=rows_of_target(label),
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw each column on axes of its own (see :mod:`elsewise.plot`); return them, array of shape (n_columns,)."""
        n = len(self.columns)
        axes = _grid([_height(column) for column in self.columns]) if ax is None else axes_given(ax, (n,))
        for each, column in zip(axes, self.columns):
            if len(column.edges):
                _draw_numbers(column, self.rows, each)
            else:
                _draw_levels(column, self.rows, each)
        return axes


def _values(explanation: Explanation, place: int) -> tuple[Any, Any]:
    change = explanation.change_of(explanation.table.columns[place])
    return change.before, change.after


def _distribution(
    profile: ColumnProfile, before: UserValue, after: UserValue, span: ValueRange | None
) -> ColumnDistribution:
    shares = profile.counts / max(int(profile.counts.sum()), 1)
    levels = profile.levels
    positions: list[float | None] = []
    for value in (before, after):
        if profile.kind in ("number", "integer"):
            positions.append(None if is_missing_value(value) else profile.share_at_most(float(value)))
        else:
            place = place_of_level(levels, value)
            if place is None:  # a value never seen in training: nobody has it
                levels, shares = (*levels, value), np.append(shares, 0.0)
            positions.append(0.0 if place is None else float(shares[place]))
    return ColumnDistribution(
        name=profile.name,
        kind=profile.kind,
        before=before,
        after=after,
        shares=np.asarray(shares, dtype=np.float64),
        edges=profile.edges,
        levels=levels,
        positions=(positions[0], positions[1]),
        range=span,
    )


def place_of_level(levels: Sequence[UserValue], value: UserValue) -> int | None:
    """Position of a level; None and NaN are the same missing value."""
    missing = is_missing_value(value)
    for place, level in enumerate(levels):
        if (missing and is_missing_value(level)) or (not missing and level == value):
            return place
    return None


def _height(column: ColumnDistribution) -> float:
    return 2.2 if len(column.edges) else 1.0 + 0.26 * min(len(column.levels), MOST_LEVELS + 1)


def _grid(heights: Sequence[float]) -> AxesArray:
    """Make axes in rows of up to three, and no empty ones."""
    across = min(len(heights), 2 if len(heights) in (2, 4) else 3)
    rows = [heights[start : start + across] for start in range(0, len(heights), across)]
    tall = [max(row) for row in rows]
    figure = figure_for(4.2 * across, sum(tall) + 0.2)
    places = figure.add_gridspec(len(rows), across, height_ratios=tall, hspace=0.12, wspace=0.06)
    axes = np.empty(len(heights), dtype=object)
    for i in range(len(heights)):
        axes[i] = figure.add_subplot(places[i // across, i % across])
    return axes


def _draw_numbers(column: ColumnDistribution, rows: str, ax: Axes) -> None:
    """Draw a histogram, and the values as lines that end in their markers."""
    first, second = pair_texts(column.before, column.after, is_level=False)
    said = [first if first == second else f"{first} → {second}"]
    where = [percentile(share) for share in column.positions if share is not None]
    if len(where) == 2:
        said.append(say("plot.percentile of", shares=where[0] if first == second else " → ".join(where), rows=rows))
    span = column.range
    headline(ax, named(column.name), "; ".join(said) if span is None else str(span))
    plain_axes(ax)
    ax.stairs(column.shares, column.edges, fill=True, color=TARGET_FILL, alpha=0.55)
    ax.stairs(column.shares, column.edges, color=TARGET_FILL, linewidth=0.8)
    top = float(column.shares.max()) or 1.0
    known = [float(value) for value in (column.before, column.after) if not is_missing_value(value)]
    low, high = min(column.edges[0], *known), max(column.edges[-1], *known)
    margin = 0.04 * ((high - low) or 1.0)
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(0.0, 1.32 * top)
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=6)
    if span is not None and isinstance(span.low, Real) and isinstance(span.high, Real):
        ax.axvspan(float(span.low), float(span.high), ymax=1.12 / 1.32, color=AFTER_STYLE.colour, alpha=0.18, zorder=0)
    # The names of the two go away from each other.
    after_is_right = len(known) < 2 or known[1] >= known[0]
    for name, value, style, line, side in (
        (say("head.now"), column.before, ROW_STYLE, (0, (3, 2)), "right" if after_is_right else "left"),
        (say("head.then"), column.after, AFTER_STYLE, "-", "left" if after_is_right else "right"),
    ):
        if is_missing_value(value):
            continue
        ax.plot([float(value)] * 2, [0.0, 1.12 * top], color=style.colour, linewidth=1.6, linestyle=line, zorder=3)
        ax.plot(float(value), 1.12 * top, linestyle="", zorder=4, **style.marker_options())
        ax.annotate(
            name,
            xy=(float(value), 1.12 * top),
            xytext=(-6 if side == "right" else 6, 1),
            textcoords="offset points",
            ha=side,
            va="bottom",
            fontsize=NOTE_SIZE,
            color=style.colour,
        )


def _draw_levels(column: ColumnDistribution, rows: str, ax: Axes) -> None:
    """Draw a bar for each level, its name at the left; the two that matter are marked."""
    before, after = place_of_level(column.levels, column.before), place_of_level(column.levels, column.after)
    assert before is not None
    assert after is not None
    order = _order(column, before, after)
    names = [level_text(column.name, column.levels[place], LONGEST_LEVEL) for place in order]
    shares = [float(column.shares[place]) for place in order]
    if len(order) < len(column.levels):
        names.append(say("plot.others", n=len(column.levels) - len(order)))
        shares.append(max(0.0, 1.0 - sum(shares)))
    where = [percent(share) for share in column.positions if share is not None]
    headline(
        ax,
        named(column.name),
        say("plot.share of", shares=where[0] if before == after else " → ".join(where), rows=rows),
    )
    plain_axes(ax)
    # Names are inside: then axes of levels and of numbers have the same size in a grid.
    lengths = _BAR * np.array(shares) / max(*shares, 1e-9)
    ax.barh(range(len(shares)), lengths, height=0.68, color=TARGET_FILL, alpha=0.55, edgecolor=TARGET_FILL)
    ax.set_xlim(0.0 - _NAMES, 1.0 - _NAMES)
    # In axes with room for many more levels the bars would be blocks.
    inches = float(ax.bbox.height / ax.figure.dpi)
    ax.set_ylim(max(len(shares), 0.8 * inches / 0.3) - 0.4, -0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines["bottom"].set_visible(False)
    ax.plot([0.0, 0.0], [-0.5, len(shares) - 0.5], color=MUTED, linewidth=0.8)
    for line, (name, share, length) in enumerate(zip(names, shares, lengths.tolist())):
        place = order[line] if line < len(order) else None
        signs = [f"● {say('head.now')}"] * (place == before) + [f"◆ {say('head.then')}"] * (place == after)
        if column.range is not None and place not in (None, before, after):  # another level that works
            signs += ["◇"] * (place_of_level(column.range.levels, column.levels[place]) is not None)
        colour = MUTED if not signs else AFTER_STYLE.colour if place == after != before else INK
        for text, left, offset, side in (
            (name, 0.0, -4, "right"),
            ("  ".join([percent(share), *signs]), length, 4, "left"),
        ):
            ax.annotate(
                text,
                xy=(left, line),
                xytext=(offset, 0),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=NOTE_SIZE,
                color=INK if text == name else colour,
                parse_math=False,
            )


def _order(column: ColumnDistribution, before: int, after: int) -> list[int]:
    """Levels to draw: ordered ones in their order, others from the most frequent; of many, the two that matter stay."""
    order = list(range(len(column.levels)))
    if column.kind != "ordinal":
        order.sort(key=lambda place: (-column.shares[place], place))
    if len(order) <= MOST_LEVELS + 1:
        return order
    frequent = sorted(order, key=lambda place: (place not in (before, after), -column.shares[place], place))
    kept = set(frequent[:MOST_LEVELS])
    return [place for place in order if place in kept]
