"""The proof in a plane: all smaller changes, and the rows that are both accepted and realistic, touch in one point.

Two columns vary, all others are as in the counterfactual. What is shown is a slice: the proof is about all columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ....answers import Explanation
from ....arrays import BoolArray, FloatArray
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....text.languages import plural, say
from ....text.numbers import number, rounded_down
from .arguments import named
from .canvas import AFTER_STYLE, BLUE, INK, NOTE_SIZE, ROW_STYLE, axes_for, headline, plain_axes
from .plane import PlanePicture, chosen_columns, room_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What is shown around the row and the counterfactual, in half widths of the ball.
AROUND_ROW, AROUND_COUNTERFACTUAL = 1.15, 1.6
# Doublings until the ball ends along a column, and halvings that find where.
MOST_DOUBLINGS, N_HALVINGS = 60, 60

_ACCEPTED, _REALISTIC, _BOTH = "#dbeaf5", "#fbf0d9", "#a8d9c5"
_OCHRE = "#9a6a00"


@dataclass(frozen=True, slots=True, eq=False)
class ProofPicture:
    """A plane of two numeric columns with the ball of all smaller changes.

    Attributes
    ----------
    plane : PlanePicture
        What the model says and how dense rows are on a grid.
    distances : array of shape (n_up, n_across)
        From the row to each point of the grid.
    radius : float
        Of the ball: no counterfactual is nearer. The distance itself if that is proven, else the lower bound.
    is_proven : bool
        The counterfactual is proven nearest: the ball reaches it.
    """

    plane: PlanePicture
    distances: FloatArray
    radius: float
    is_proven: bool

    @classmethod
    def compute(
        cls,
        explainer: Explainer,
        explanation: Explanation,
        columns: tuple[str, str] | None = None,
        *,
        resolution: int = 400,
        around: Literal["ball", "rows"] = "ball",
    ) -> ProofPicture:
        """Evaluate model, density and distance on a grid of up to ``resolution`` points a side.

        The grid reaches around the ball, or over nearly all training rows.
        """
        if not explanation.found or explanation.distance == 0.0:
            raise InvalidInputError("The picture of a proof needs an explanation with a counterfactual that differs.")
        is_proven = explanation.status == "optimal"
        radius = explanation.distance if is_proven else explanation.lower_bound
        chosen = chosen_columns(explanation, explainer, columns)
        starts = [explainer.table_.columns[place].start for place in chosen]
        spans = None if around == "rows" else [_span(explainer, explanation, start, radius) for start in starts]
        plane = PlanePicture.compute(explainer, explanation, columns, resolution=resolution, spans=spans)
        across, up = plane.grid
        points = np.tile(explanation.features, (len(across) * len(up), 1))
        points[:, starts] = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        distances = _distances(explainer, points - explanation.row_features)
        return cls(plane, distances.reshape(len(up), len(across)), radius, is_proven)

    @property
    def accepted(self) -> BoolArray:
        """Where the model gives the target, array of shape (n_up, n_across)."""
        return np.asarray(self.plane.regions == self.plane.wanted)

    @property
    def realistic(self) -> BoolArray:
        """Where the density reaches its threshold, array of shape (n_up, n_across); everywhere without a density."""
        return self.plane.realistic

    @property
    def caption(self) -> str:
        """The proof in a sentence."""
        both = "both" if self.plane.log_density is not None else "accepted"
        if self.is_proven:
            return say(f"plot.proof {both}")
        return say(f"plot.proof open {both}", radius=rounded_down(self.radius))

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        ax = axes_for(ax, 7.2, 5.6)
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        headline(ax, say("plot.proof" if self.is_proven else "plot.proof open"), self._note())
        self._draw_regions(ax)
        self._draw_ball(ax)
        self._draw_names(ax)
        self._draw_points(ax)
        across, up = self.plane.grid
        ax.set_xlim(across[0], across[-1])
        ax.set_ylim(up[0], up[-1])
        ax.set_xlabel(named(self.plane.columns[0], 48), color=INK, parse_math=False)
        ax.set_ylabel(named(self.plane.columns[1], 40), color=INK, parse_math=False)
        return ax

    def _note(self) -> str:
        others = self.plane.n_other_changes
        return self.caption + (f"\n{plural('plot.proof slice', others)}" if others else "")

    def _draw_regions(self, ax: Axes) -> None:
        from matplotlib.colors import ListedColormap

        kind = self.accepted + 2 * self.realistic
        ax.pcolormesh(
            *self.plane.grid,
            kind,
            cmap=ListedColormap(["#ffffff", _ACCEPTED, _REALISTIC, _BOTH]),
            vmin=-0.5,
            vmax=3.5,
            shading="nearest",
            rasterized=True,
            zorder=0,
        )
        if self.accepted.any() and not self.accepted.all():
            ax.contour(*self.plane.grid, self.accepted, levels=[0.5], colors=[BLUE], linewidths=1.2, zorder=2)
        density, threshold = self.plane.log_density, self.plane.log_threshold
        if density is not None and float(density.min()) < threshold < float(density.max()):
            style = {"linewidths": 1.4, "linestyles": "solid", "zorder": 2}
            ax.contour(*self.plane.grid, density, levels=[threshold], colors=["#d9a21b"], **style)

    def _draw_ball(self, ax: Axes) -> None:
        inside = np.where(self.distances <= self.radius, 1.0, np.nan)
        from matplotlib.colors import ListedColormap

        ax.pcolormesh(
            *self.plane.grid,
            inside,
            cmap=ListedColormap([INK]),
            alpha=0.06,
            shading="nearest",
            rasterized=True,
            zorder=1,
        )
        ax.contour(
            *self.plane.grid,
            self.distances,
            levels=[self.radius],
            colors=[INK],
            linewidths=1.6,
            linestyles="dashed",
            zorder=3,
        )

    def _draw_names(self, ax: Axes) -> None:
        inside = self.distances <= self.radius
        busy = np.concatenate([np.linspace(self.plane.row, self.plane.counterfactual, 12), np.stack(self._labels())])
        points = np.concatenate([busy, self._edge()])
        target = self.plane.outcomes[self.plane.wanted]
        names = [
            (say("plot.proof smaller" if self.is_proven else "plot.proof excluded"), inside, INK),
            (say("plot.predicted", label=target), self.accepted & ~self.realistic, BLUE),
            (say("plot.proof realistic"), self.realistic & ~self.accepted, _OCHRE),
            (say("plot.proof region"), self.realistic & self.accepted, "#00664a"),
        ]
        if self.plane.log_density is None:
            names = [names[0], (say("plot.predicted", label=target), self.accepted, "#00664a")]
        for name, where, colour in names:
            place = room_for(name, where, self.plane.grid, points)
            place = room_for(name, where, self.plane.grid, busy) if place is None else place
            if place is not None:
                text = ax.text(*place, name, ha="center", va="center", color=colour, parse_math=False, zorder=4)
                text.set(fontsize=NOTE_SIZE + 0.5, fontstyle="italic")

    def _labels(self) -> list[FloatArray]:
        """Places that the names of the two points cover, beyond the ends of the arrow."""
        row, point = self.plane.row, self.plane.counterfactual
        reach = np.array([0.06 * (ticks[-1] - ticks[0]) for ticks in self.plane.grid])
        away = np.sign(point - row) * reach
        return [row - away, row - 2 * away * [1, 0], point + away, point + 2 * away * [1, 0]]

    def _edge(self) -> FloatArray:
        """Points along the edge of the ball, of shape (n, 2), that no name should cross."""
        is_inside = self.distances <= self.radius
        neighbours = [np.roll(is_inside, step, axis) for axis in (0, 1) for step in (-1, 1)]
        up, across = np.nonzero(is_inside & ~np.logical_and.reduce(neighbours))
        edge = np.stack([self.plane.grid[0][across], self.plane.grid[1][up]], axis=1)
        return edge[:: max(len(edge) // 60, 1)]

    def _draw_points(self, ax: Axes) -> None:
        row, point = self.plane.row, self.plane.counterfactual
        arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.5, "shrinkA": 6, "shrinkB": 7}
        ax.annotate("", xy=tuple(point), xytext=tuple(row), arrowprops=arrow, zorder=4)
        for name, place, style in (("now", row, ROW_STYLE), ("then", point, AFTER_STYLE)):
            ax.plot(*place, linestyle="", label=say(f"head.{name}"), zorder=6, clip_on=False, **style.marker_options())
            values = ", ".join(number(float(value), 3) for value in place)
            side = np.sign((point - row) * (1.0 if name == "then" else -1.0))
            text = ax.annotate(
                say("plot.point", name=say(f"head.{name}"), values=values),
                xy=tuple(place),
                xytext=(9 * side[0], 11 * (side[1] or 1.0)),
                textcoords="offset points",
                ha="left" if side[0] > 0 else "right" if side[0] < 0 else "center",
                va="center",
                fontsize=NOTE_SIZE,
                fontweight="bold",
                color=INK if name == "now" else AFTER_STYLE.colour,
                zorder=7,
            )
            text.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.8, "edgecolor": "none"})


def _distances(explainer: Explainer, differences: FloatArray) -> FloatArray:
    """Return the distance that each row of differences, array of shape (n, n_features), is worth."""
    return explainer.fitted_.distance(differences, np.zeros_like(differences))


def _span(explainer: Explainer, explanation: Explanation, start: int, radius: float) -> tuple[float, float]:
    """Return what is shown of a feature: the ball and what is around the counterfactual."""
    before, after = float(explanation.row_features[start]), float(explanation.features[start])
    half = _half_width(explainer, len(explanation.features), start, radius)
    low = min(before - AROUND_ROW * half, after - AROUND_COUNTERFACTUAL * half)
    high = max(before + AROUND_ROW * half, after + AROUND_COUNTERFACTUAL * half)
    return low, high


def _half_width(explainer: Explainer, n_features: int, start: int, radius: float) -> float:
    """Return how far a single feature goes at a cost."""
    difference = np.zeros((1, n_features))

    def cost(step: float) -> float:
        difference[0, start] = step
        return float(_distances(explainer, difference)[0])

    high = 1.0
    for _ in range(MOST_DOUBLINGS):
        if cost(high) >= radius:
            break
        high *= 2.0
    low = 0.0
    for _ in range(N_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if cost(middle) < radius else (low, middle)
    return high
