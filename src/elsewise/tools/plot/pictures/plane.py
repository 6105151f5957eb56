"""A plane through a counterfactual: two columns vary, all others are as in the answer.

Unlike a projection, every point of the plane is a row of its own. So the regions are what the model says, and the
dotted set is where the density of the target reaches the threshold: the slices of the cones of its components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter

from ....answers import Explanation
from ....arrays import AnyArray, BoolArray, FloatArray, IntArray
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....table import Column
from ....table.frames import rows_of
from ....text.languages import plural, say
from ....text.numbers import number, percent
from .arguments import (
    MOST_NAMES,
    answered,
    fitted,
    is_numeric,
    named,
    outcome,
    places,
    plain_label,
    positive,
    same_columns,
    short,
)
from .canvas import AFTER_STYLE, GREEN, INK, MUTED, NOTE_SIZE, ROW_STYLE, TARGET_FILL, axes_for, headline, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Components of a density beyond which their single outlines would cover a plane.
MOST_CONES = 8
# Shares of the target's rows whose densities are outlined in a plane.
OUTLINED_SHARES = (0.1, 0.5, 0.9)
# Percentiles of the training rows that a plane reaches from and to: single far rows would make all others small.
SHOWN_PERCENTILES = (1, 99)

# "solid" is said, for by default lines of negative values are dashed.
_THICK = {"linewidths": 1.8, "linestyles": "solid", "zorder": 2}
_THIN = {"linewidths": 0.7, "linestyles": "solid", "zorder": 2}
_OTHER_FILLS = ("#f6f6f6", "#e9e9e9", "#fbfbfb", "#efefef")


@dataclass(frozen=True, slots=True, eq=False)
class PlanePicture:
    """A plane of two numeric columns.

    Attributes
    ----------
    columns : two names
        Across and up.
    grid : pair of arrays of shapes (n_across,), (n_up,)
        Whole numbers for whole columns.
    regions : int array of shape (n_up, n_across)
        Position in ``outcomes`` of what the model says at each point.
    outcomes : tuple of str
    wanted : int
        Position of the target.
    log_density : array of shape (n_up, n_across) or None
        Component-wise maximum of the target's density; None if no density was asked for.
    log_components : array of shape (m, n_up, n_across)
        The components themselves, if they are few and more than one; else m = 0.
    log_threshold : float
    log_quantiles : dict
        Log densities that shares of the target's training rows stay below.
    row, counterfactual : arrays of shape (2,)
    n_other_changes : int
        Further columns that differ between the two: the row itself lies off the plane if there are any.
    title : str
    """

    columns: tuple[str, str]
    grid: tuple[FloatArray, FloatArray]
    regions: IntArray
    outcomes: tuple[str, ...]
    wanted: int
    log_density: FloatArray | None
    log_components: FloatArray
    log_threshold: float
    log_quantiles: dict[float, float]
    row: FloatArray
    counterfactual: FloatArray
    n_other_changes: int
    title: str

    @classmethod
    def compute(
        cls,
        explainer: Explainer,
        explanation: Explanation,
        features: tuple[str, str] | None = None,
        *,
        resolution: int = 200,
        spans: Sequence[tuple[float, float]] | None = None,
    ) -> PlanePicture:
        """Evaluate model and density on a grid of up to ``resolution`` points a side.

        The grid reaches over ``spans``, across and up; by default over nearly all of the training rows.
        """
        answered(explanation)
        fitted(explainer)
        same_columns(explainer, explanation.table)
        if positive(resolution, "resolution") < 2:
            raise InvalidInputError(f"resolution: expected at least 2 points a side, received {resolution}.")
        table = explainer.table_
        chosen = chosen_columns(explanation, explainer, features)
        columns = [table.columns[place] for place in chosen]
        pick = [column.start for column in columns]
        row, point = explanation.row_features[pick], explanation.features[pick]
        across, up = (
            _ticks(column, spans[i] if spans else _span(explainer, explanation, place, row[i], point[i]), resolution)
            for i, (column, place) in enumerate(zip(columns, chosen))
        )
        points = _on_plane(explanation, pick, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
        shape = (len(up), len(across))
        regions, outcomes, wanted = _regions(explainer, explanation, _said(explainer, explanation, points))
        label = None if explainer.classes_ is None else plain_label(explanation.target)
        density = explainer.densities_.get(label) if np.isfinite(explanation.log_threshold) else None
        log_density, components, quantiles = None, np.empty((0, *shape)), {}
        if density is not None:
            rows = explainer.fitted_.density_rows(points)
            log_density = density.log_max(rows).reshape(shape)
            if 1 < len(density.mixture_.weights_) <= MOST_CONES:
                components = density.log_components(rows).T.reshape(-1, *shape)
            quantiles = {share: float(np.quantile(density.log_densities_, share)) for share in OUTLINED_SHARES}
        return cls(
            columns=(columns[0].name, columns[1].name),
            grid=(across, up),
            regions=regions.reshape(shape),
            outcomes=outcomes,
            wanted=wanted,
            log_density=log_density,
            log_components=components,
            log_threshold=explanation.log_threshold,
            log_quantiles=quantiles,
            row=row,
            counterfactual=point,
            n_other_changes=int(np.delete(explanation.changed, chosen).sum()),
            title=f"{outcome(explanation.prediction)} → {outcome(explanation.target)}",
        )

    def accepted_at(self, explainer: Explainer, explanation: Explanation, places: FloatArray) -> BoolArray:
        """Whether the model gives the target at places of the plane, array of shape (n, 2), rounded where whole."""
        chosen = [explainer.table_.columns[place] for place in chosen_columns(explanation, explainer, self.columns)]
        places = np.where([column.kind == "integer" for column in chosen], np.round(places), places)
        points = _on_plane(explanation, [column.start for column in chosen], places)
        return np.asarray(_regions(explainer, explanation, _said(explainer, explanation, points))[0] == self.wanted)

    @property
    def realistic(self) -> BoolArray:
        """Where the density reaches its threshold, array of shape (n_up, n_across); everywhere without a density."""
        if self.log_density is None:
            return np.ones(self.regions.shape, dtype=np.bool_)
        return np.asarray(self.log_density >= self.log_threshold)

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        ax = axes_for(ax, 6.4, 5.2)
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        headline(ax, self.title, self._note())
        self._draw_regions(ax)
        self._draw_density(ax)
        self._draw_points(ax)
        across, up = self.grid
        ax.set_xlim(across[0], across[-1])
        ax.set_ylim(up[0], up[-1])
        ax.locator_params(axis="x", nbins=6)
        ax.set_xlabel(named(self.columns[0], 48), color=INK, parse_math=False)
        ax.set_ylabel(named(self.columns[1], 40), color=INK, parse_math=False)
        return ax

    def _note(self) -> str:
        said = say("plot.plane")
        dotted = self.log_density is not None and bool((self.log_density >= self.log_threshold).any())
        if dotted:
            said += f"; {say('plot.plane dotted')}"
        if self.n_other_changes:
            said += f"\n{plural('plot.plane others', self.n_other_changes)}"
        if self.log_density is not None and not dotted:
            said += f"\n{say('plot.plane spot')}"
        return said

    def _draw_regions(self, ax: Axes) -> None:
        """Fill the regions, draw their borders, and write their names where they are widest."""
        from matplotlib.colors import ListedColormap

        others = [_OTHER_FILLS[k % len(_OTHER_FILLS)] for k in range(len(self.outcomes))]
        fills = [TARGET_FILL + "80" if k == self.wanted else fill for k, fill in enumerate(others)]
        ax.pcolormesh(
            *self.grid,
            self.regions,
            cmap=ListedColormap(fills),
            vmin=-0.5,
            vmax=len(fills) - 0.5,
            shading="nearest",
            rasterized=True,
            zorder=0,
        )
        present = np.unique(self.regions).tolist()
        for k in present[:-1] if len(present) > 1 else []:
            # A border between zeros and ones runs in steps; the filter smooths them, and moves it by less than a step.
            inside = gaussian_filter((self.regions == k).astype(np.float64), 0.8, mode="nearest")
            ax.contour(*self.grid, inside, levels=[0.5], colors=[MUTED], linewidths=1.1, zorder=1)
        along = np.linspace(self.row, self.counterfactual, 24)
        dotted = np.zeros(self.regions.shape, dtype=np.bool_)
        if self.log_density is not None:
            dotted = self.log_density >= self.log_threshold
        for k in present:
            inside = self.regions == k
            place = room_for(self.outcomes[k], inside & ~dotted, self.grid, along)
            place = room_for(self.outcomes[k], inside, self.grid, along) if place is None else place
            if place is None:
                continue
            text = ax.text(
                *place,
                self.outcomes[k],
                ha="center",
                va="center",
                fontsize=NOTE_SIZE,
                fontstyle="italic",
                color=INK,
                parse_math=False,
                zorder=3,
            )
            text.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.6, "edgecolor": "none"})

    def _draw_density(self, ax: Axes) -> None:
        """Dot the set that is dense enough; thin lines are its cones, dashed ones other shares of real rows."""
        values = self.log_density
        if values is None:
            return
        low, high = float(values.min()), float(values.max())
        if low < self.log_threshold < high:
            dots = ax.contourf(
                *self.grid, values, levels=[self.log_threshold, np.inf], colors=["none"], hatches=["..."], zorder=1
            )
            dots.set_edgecolor(GREEN)
            dots.set_linewidth(0.0)
            ax.contour(*self.grid, values, levels=[self.log_threshold], colors=[GREEN], **_THICK)
        for component in self.log_components:
            if float(component.min()) < self.log_threshold < float(component.max()):
                ax.contour(*self.grid, component, levels=[self.log_threshold], colors=[GREEN], **_THIN)
        shares = {
            level: percent(share)
            for share, level in self.log_quantiles.items()
            if low < level < high and abs(level - self.log_threshold) > 0.02 * (high - low)
        }
        if shares:
            levels = sorted(shares)
            lines = ax.contour(
                *self.grid, values, levels=levels, colors=[GREEN], linewidths=0.9, linestyles="dashed", zorder=2
            )
            ax.clabel(lines, fmt=shares, fontsize=8)

    def _draw_points(self, ax: Axes) -> None:
        hollow = {"markerfacecolor": "white", "markeredgecolor": INK, "markeredgewidth": 1.6}
        row_options = ROW_STYLE.marker_options() | (hollow if self.n_other_changes else {})
        if (self.row != self.counterfactual).any():
            ax.annotate(
                "",
                xy=(self.counterfactual[0], self.counterfactual[1]),
                xytext=(self.row[0], self.row[1]),
                arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 5, "shrinkB": 6},
                zorder=4,
            )
        span = [ticks[-1] - ticks[0] for ticks in self.grid]
        close = bool((np.abs(self.row - self.counterfactual) < 0.15 * np.array(span)).all())
        for name, point, options in (
            ("now", self.row, row_options),
            ("then", self.counterfactual, AFTER_STYLE.marker_options()),
        ):
            ax.plot(*point, linestyle="", label=say(f"head.{name}"), zorder=5, clip_on=False, **options)
            side = self._side(point) if name == "then" or not close else -self._side(self.counterfactual)
            text = ax.annotate(
                say(f"head.{name}"),
                xy=(point[0], point[1]),
                xytext=(10 * side[0], 10 * side[1]),
                textcoords="offset points",
                ha="left" if side[0] > 0.3 else "right" if side[0] < -0.3 else "center",
                va="bottom" if side[1] > 0.3 else "top" if side[1] < -0.3 else "center",
                fontsize=NOTE_SIZE,
                fontweight="bold",
                color=INK if name == "now" else AFTER_STYLE.colour,
                zorder=6,
            )
            text.set_bbox({"boxstyle": "round,pad=0.12", "facecolor": "white", "alpha": 0.8, "edgecolor": "none"})

    def _side(self, point: FloatArray) -> FloatArray:
        """Direction of a point's name: across the arrow, which leads on into the plausible rows, and inwards."""
        span = np.array([ticks[-1] - ticks[0] for ticks in self.grid])
        middle = np.array([0.5 * (ticks[-1] + ticks[0]) for ticks in self.grid])
        arrow = (self.counterfactual - self.row) / span
        length = float(np.hypot(*arrow))
        across = np.array([-arrow[1], arrow[0]]) / length if length else np.array([0.0, 1.0])
        return across if across @ ((middle - point) / span) >= 0.0 else -across


def chosen_columns(explanation: Explanation, explainer: Explainer, features: object) -> list[int]:
    """Positions of the two columns: those asked for, or the most costly numeric changes, then other numeric columns."""
    columns = explainer.table_.columns
    if features is None:
        numeric = [place for place, column in enumerate(columns) if is_numeric(column)]
        if len(numeric) < 2:
            raise InvalidInputError(f"A plane needs two numeric columns, this table has {len(numeric)}.")
        numeric.sort(key=lambda place: (not explanation.changed[place], -explanation.shares[place], place))
        return numeric[:2]
    chosen = places(explainer.table_, features, argument="features")
    if len(chosen) != 2:
        raise InvalidInputError(f"features: expected two column names, received {len(chosen)}.")
    for place in chosen:
        if not is_numeric(columns[place]):
            raise InvalidInputError(
                f"features: the plane is of numbers, but column {columns[place].name!r} is "
                f"{'a category' if columns[place].kind == 'category' else 'of ordered levels'}. Choose two of "
                f"{[short(column.name) for column in columns if is_numeric(column)][:MOST_NAMES]}."
            )
    return chosen


def _span(
    explainer: Explainer, explanation: Explanation, place: int, before: float, after: float
) -> tuple[float, float]:
    """Return what the plane shows of a column: nearly all of the training rows, and both points, with a margin."""
    ends = [float(before), float(after)]
    for label in (None, plain_label(explanation.target)):
        if label is None or (not isinstance(label, tuple) and label in explainer.profiles_):
            ends += explainer.profiles_[label][place].percentiles[list(SHOWN_PERCENTILES)].tolist()
    low, high = min(ends), max(ends)
    margin = 0.06 * (high - low) if high > low else 0.05 * abs(low) + 1e-3 * (low == 0.0)
    return low - margin, high + margin


def _ticks(column: Column, span: tuple[float, float], resolution: int) -> FloatArray:
    if column.kind != "integer":
        return np.linspace(*span, resolution)
    low, high = np.floor(span[0]), np.ceil(span[1])
    count = int(min(high - low + 1, resolution)) if high > low else 2
    return np.unique(np.round(np.linspace(low, max(high, low + 1), max(count, 2))))


def _on_plane(explanation: Explanation, pick: list[int], places: FloatArray) -> FloatArray:
    """Return rows in features: at places of the plane, and elsewhere as in the answer."""
    points = np.tile(explanation.features, (len(places), 1))
    points[:, pick] = places
    return points


def _said(explainer: Explainer, explanation: Explanation, points: FloatArray) -> AnyArray:
    """Ask the model."""
    table, same = explainer.table_, np.zeros(len(points), dtype=np.int64)
    given, rows = rows_of(table.one_row(explanation.counterfactual), same), explanation.features[None][same]
    return explainer.fitted_.predict(points, given, rows, table=table)


def _regions(explainer: Explainer, explanation: Explanation, said: AnyArray) -> tuple[IntArray, tuple[str, ...], int]:
    """Position of the outcome at each point, the outcomes' names, and the position of the wanted one."""
    target = explanation.target
    if explainer.classes_ is not None:
        classes = explainer.classes_.tolist()
        regions = (said[:, None] == explainer.classes_[None, :]).argmax(axis=1)
        return regions, tuple(outcome(label) for label in classes), classes.index(plain_label(target))
    low, high = target
    regions = 1 - (said < low).astype(np.int64) + (said > high).astype(np.int64)
    return (
        regions,
        (
            say("plot.below", number=number(float(low))),
            outcome(target),
            say("plot.above", number=number(float(high))),
        ),
        1,
    )


def room_for(
    name: str, inside: BoolArray, grid: tuple[FloatArray, FloatArray], points: FloatArray
) -> tuple[float, float] | None:
    """Where in a region a name has most room, away from its border and from points; None if it does not fit."""
    # Half the height and width of the name, as parts of the axes of a figure of usual size, are the unit.
    steps = (1.0 / (0.035 * inside.shape[0]), 1.0 / ((0.02 + 0.0085 * len(name)) * inside.shape[1]))
    room = distance_transform_edt(np.pad(inside, 1), sampling=steps)[1:-1, 1:-1]
    for point in points:
        across, up = ((ticks - coordinate) / (ticks[1] - ticks[0]) for ticks, coordinate in zip(grid, point))
        room = np.minimum(room, np.hypot(steps[1] * across[None, :], steps[0] * up[:, None]))
    up_at, across_at = np.unravel_index(int(room.argmax()), room.shape)
    if room[up_at, across_at] < 1.0:
        return None
    return float(grid[0][across_at]), float(grid[1][up_at])
