"""A path: how dense and how probable each place of it is, and the walk itself on the plane of two columns.

A path whose rows are images: one turns into another, every image on the way dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Path
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....text.languages import plural, say
from ....text.numbers import percent, percentile
from .arguments import named, outcome, places, positive
from .canvas import (
    AFTER_STYLE,
    BLUE,
    GREEN,
    INK,
    MUTED,
    NAME_SIZE,
    NOTE_SIZE,
    ROW_STYLE,
    AxesArray,
    axes_given,
    figure_for,
    headline,
    plain_axes,
)
from .images import checked_shape, draw_image

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def walked(path: object) -> Path:
    """Return a path that leads somewhere, or say why there is nothing to draw."""
    if not isinstance(path, Path):
        raise InvalidInputError(
            f"path: expected what explainer.path(row, target) returns, received {type(path).__name__}."
        )
    if path.status == "infeasible" or path.profile is None:
        raise InvalidInputError(f"There is no way to draw. {path.reason}".strip())
    return path


@dataclass(frozen=True, slots=True, eq=False)
class PathPicture:
    """One path.

    Attributes
    ----------
    positions : array of shape (n,)
        Share of the way before each place.
    shares : array of shape (n,)
        Share of all real rows that are no denser there.
    probabilities : array of shape (n,) or None
        Of the target.
    corners : array of shape (n_corners,)
        Positions of the row, the corners and the answer.
    level : float
        What every place reaches.
    lowest : (float, float)
        Position and share of the sparsest place.
    first : int
        The first place that counts: where a sparse row has stepped to.
    columns : two names
    walk : array of shape (n_corners, 2)
        The corners on the plane of these columns.
    title : str
    target : str
    """

    positions: FloatArray
    shares: FloatArray
    probabilities: FloatArray | None
    corners: FloatArray
    level: float
    lowest: tuple[float, float]
    first: int
    columns: tuple[str, str]
    walk: FloatArray
    title: str
    target: str

    @classmethod
    def compute(cls, path: Path, features: tuple[str, str] | None = None) -> PathPicture:
        """Take from a path what is drawn."""
        path = walked(path)
        assert path.profile is not None
        assert path.bottleneck is not None
        chosen = _chosen(path, features)
        columns = [path.table.columns[place] for place in chosen]
        ends = np.append(0.0, np.cumsum(path.lengths))
        corners = ends / ends[-1]
        return cls(
            positions=path.profile.positions,
            shares=path.profile.shares,
            probabilities=path.profile.probabilities,
            corners=corners,
            level=path.level,
            lowest=(path.bottleneck.position, path.bottleneck.share),
            first=int(np.searchsorted(path.profile.positions, corners[1])) if path.enters else 0,
            columns=(columns[0].name, columns[-1].name),
            walk=path.features[:, [column.start for column in columns]],
            title=f"{outcome(path.prediction)} → {outcome(path.target)}",
            target=outcome(path.target),
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw on axes (see :mod:`elsewise.plot`) and return them, array of shape (2,)."""
        axes = figure_for(9.6, 3.9).subplots(1, 2, width_ratios=[3, 2]) if ax is None else axes_given(ax, (2,))
        self._draw_profile(axes[0])
        self._draw_walk(axes[1])
        made: AxesArray = axes
        return made

    def _draw_profile(self, ax: Axes) -> None:
        n = len(self.corners) - 1
        headline(ax, self.title, say("plot.path note", steps=plural("steps", n)))
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        counted = slice(self.first, None)
        ax.axhline(self.level, color=GREEN, linestyle=":", linewidth=1.2)
        ax.plot(
            self.positions[counted], self.shares[counted], color=GREEN, linewidth=2.0, label=say("plot.path typical")
        )
        if self.first:
            before = slice(None, self.first + 1)
            ax.plot(self.positions[before], self.shares[before], color=GREEN, linewidth=1.2, linestyle="dashed")
        if self.probabilities is not None:
            name = say("plot.path probability", target=self.target)
            (line,) = ax.plot(self.positions, self.probabilities, color=BLUE, linewidth=1.6, linestyle="dashdot")
            line.set_label(name if not name.startswith("_") else f" {name}")
        for corner in self.corners:
            ax.axvline(corner, color=MUTED, linewidth=0.6, zorder=0)
        at = np.interp(self.corners, self.positions, self.shares)
        ax.plot(self.corners[:1], at[:1], linestyle="", zorder=5, clip_on=False, **ROW_STYLE.marker_options())
        ax.plot(self.corners[1:-1], at[1:-1], linestyle="", marker="o", color=GREEN, markersize=6, zorder=5)
        ax.plot(self.corners[-1:], at[-1:], linestyle="", zorder=5, clip_on=False, **AFTER_STYLE.marker_options())
        ax.annotate(
            say("plot.path lowest", share=percentile(self.lowest[1])),
            xy=self.lowest,
            xytext=(6, -14),
            textcoords="offset points",
            fontsize=NOTE_SIZE,
            color=INK,
        )
        ax.plot(*self.lowest, linestyle="", marker="v", color=INK, markersize=6, zorder=6, clip_on=False)
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(-0.02, 1.04)
        ax.yaxis.set_major_formatter(lambda share, _: percent(max(share, 0.0)))
        ax.xaxis.set_major_formatter(lambda share, _: percent(max(share, 0.0)))
        ax.set_xlabel(say("plot.path axis"), color=INK)
        legend = ax.legend(loc="best", frameon=True, framealpha=0.9, edgecolor="none", fontsize=NOTE_SIZE)
        for text in legend.get_texts():
            text.set_parse_math(False)

    def _draw_walk(self, ax: Axes) -> None:
        headline(ax, say("plot.path plane"), say("plot.path plane note"))
        plain_axes(ax)
        ax.spines["left"].set_visible(True)
        ax.plot(*self.walk.T, color=MUTED, linewidth=1.4, zorder=2)
        for here, there in zip(self.walk[:-1], self.walk[1:]):
            middle = 0.5 * (here + there)
            ax.annotate(
                "",
                xy=tuple(middle),
                xytext=tuple(here),
                arrowprops={"arrowstyle": "-|>", "color": MUTED, "lw": 1.2},
                zorder=2,
            )
        ax.plot(*self.walk[:1].T, linestyle="", zorder=5, label=say("head.now"), **ROW_STYLE.marker_options())
        ax.plot(
            *self.walk[1:-1].T,
            linestyle="",
            marker="o",
            color=GREEN,
            markersize=6,
            zorder=4,
            label=say("plot.path corners"),
        )
        ax.plot(*self.walk[-1:].T, linestyle="", zorder=5, label=say("head.then"), **AFTER_STYLE.marker_options())
        ax.margins(0.15)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlabel(named(self.columns[0], 40), color=INK, parse_math=False)
        ax.set_ylabel(named(self.columns[1], 40), color=INK, parse_math=False)
        ax.legend(loc="best", frameon=True, framealpha=0.9, edgecolor="none", fontsize=NOTE_SIZE)


def _chosen(path: Path, features: object) -> list[int]:
    """Positions of two columns: those asked for, or those that add most to the length."""
    if features is None:
        order = np.argsort(-path.shares.sum(axis=0), kind="stable").tolist()
        return [order[0], order[1] if len(order) > 1 else order[0]]
    chosen = places(path.table, features, argument="features")
    if len(chosen) != 2:
        raise InvalidInputError(f"features: expected two column names, received {len(chosen)}.")
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class PathImagesPicture:
    """Images along a path.

    Attributes
    ----------
    images : array of shape (n_images, height, width)
        Evenly spread over the way, the row first and the answer last.
    shares : array of shape (n_images,)
        Share of all real rows that are no denser.
    probabilities : array of shape (n_images,) or None
    prediction, target : str
    """

    images: FloatArray
    shares: FloatArray
    probabilities: FloatArray | None
    prediction: str
    target: str

    @classmethod
    def compute(cls, path: Path, shape: tuple[int, int], n_images: int = 9) -> PathImagesPicture:
        """Take from a path what is drawn."""
        path = walked(path)
        assert path.profile is not None
        height, width = checked_shape(shape)
        count = positive(n_images, "n_images")
        if count < 2:
            raise InvalidInputError(f"n_images: expected at least 2, the row and the answer, received {n_images}.")
        if not path.table.is_identity or height * width != len(path.table.names):
            raise InvalidInputError(
                f"shape: {height} x {width} is {height * width} pixels, but the rows have {len(path.table.names)} "
                "columns; every column has to be a number that the model uses."
            )
        profile, wanted = path.profile, np.linspace(0.0, 1.0, count)
        # the profile's own places, which were evaluated: nothing in between is drawn
        places = np.abs(profile.positions[None, :] - wanted[:, None]).argmin(axis=1)
        places[-1] = len(profile.positions) - 1
        return cls(
            images=profile.features[places].reshape(-1, height, width),
            shares=profile.shares[places],
            probabilities=None if profile.probabilities is None else profile.probabilities[places],
            prediction=outcome(path.prediction),
            target=outcome(path.target),
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw on axes (see :mod:`elsewise.plot`) and return them, array of shape (n_images,)."""
        n, height, width = self.images.shape
        tall = 1.1 * min(max(height / width, 0.4), 2.5)
        axes = (
            figure_for(1.15 * n, tall + 0.75).subplots(1, n, squeeze=False)[0] if ax is None else axes_given(ax, (n,))
        )
        low, high = float(self.images[0].min()), float(self.images[0].max())  # of the row: the scale of real images
        high = high if high > low else low + 1.0
        for place, each in enumerate(axes):
            draw_image(each, self.images[place], "gray_r", low, high)
            self._name(each, place)
        made: AxesArray = axes
        return made

    def _name(self, ax: Axes, place: int) -> None:
        if place == 0:
            ax.set_title(self.prediction, fontsize=NAME_SIZE, color=INK, fontweight="bold", parse_math=False)
        if place == len(self.images) - 1:
            ax.set_title(self.target, fontsize=NAME_SIZE, color=INK, fontweight="bold", parse_math=False)
        below = percentile(self.shares[place])
        below = say("plot.percentile", share=below) if place == 0 else below
        ax.set_xlabel(below, fontsize=NOTE_SIZE, color=MUTED)
