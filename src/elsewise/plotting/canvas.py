"""Figures without global state, and the few colours and markers all pictures share.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes tell the same again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError, MissingDependencyError

INK = "#222222"
MUTED = "#6b6b6b"
FAINT = "#d9d9d9"
TARGET_FILL = "#56B4E9"
OTHER_FILL = "#999999"
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILION = "#D55E00"

NAME_SIZE, NOTE_SIZE = 10, 9

# Backends that write files and show nothing.
_SILENT = {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}


@dataclass(frozen=True, slots=True)
class Style:
    """How one point is drawn."""

    colour: str
    marker: str
    size: float

    def marker_options(self) -> dict[str, Any]:
        """Keywords for ``Axes.plot``; a white edge keeps neighbours apart."""
        return {
            "marker": self.marker,
            "markersize": self.size,
            "color": self.colour,
            "markeredgecolor": "white",
            "markeredgewidth": 0.8,
        }


ROW_STYLE = Style(INK, "o", 7.5)
AFTER_STYLE = Style(VERMILION, "D", 7.5)
_ANSWER_STYLES = (AFTER_STYLE, Style(BLUE, "s", 7.5), Style(GREEN, "^", 8.5))


def answer_styles(names: Sequence[str]) -> dict[str, Style]:
    """Style of each answer, in order; beyond three they repeat."""
    return {name: _ANSWER_STYLES[i % len(_ANSWER_STYLES)] for i, name in enumerate(names)}


def new_figure(width: float, height: float) -> Any:
    """Make a ``matplotlib.figure.Figure`` of a size in inches, unknown to pyplot."""
    return _matplotlib().figure.Figure(figsize=(width, height), layout="constrained")


def shown_figure(width: float, height: float) -> Any:
    """Make a figure that a notebook or window shows by itself.

    Only where there is one: pyplot keeps the figures it knows, and without a screen nobody would ever close them.
    """
    matplotlib = _matplotlib()
    backend = os.environ.get("MPLBACKEND", "agg")  # a notebook's kernel sets it
    if "matplotlib.pyplot" in sys.modules:
        backend = matplotlib.get_backend()
    if backend.lower() in _SILENT:
        return new_figure(width, height)
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Return the axes given, or new ones in a figure of a size in inches."""
    if ax is None:
        return shown_figure(width, height).add_subplot()
    if not hasattr(ax, "transAxes"):
        raise InvalidInputError(
            f"ax: expected matplotlib Axes, such as those of plt.subplots(), or None, received {type(ax).__name__}."
        )
    return ax


def axes_given(ax: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return several axes that were given as an array of a shape; single axes will do where one is needed."""
    axes = np.empty(1, dtype=object)
    axes[0] = ax
    if not hasattr(ax, "transAxes"):
        axes = np.array(ax, dtype=object)
    if axes.size != int(np.prod(shape)) or not all(hasattr(each, "transAxes") for each in axes.flat):
        wanted = " x ".join(str(n) for n in shape)
        raise InvalidInputError(
            f"ax: expected {wanted} matplotlib Axes, such as those of plt.subplots(), or None, received "
            f"{axes.size} {'object' if axes.size == 1 else 'objects'} of type "
            f"{type(axes.flat[0]).__name__ if axes.size else 'nothing'}."
        )
    return axes.reshape(shape)


def plain_axes(ax: Any) -> None:
    """Leave only what carries information."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelcolor=INK, length=3)


def headline(ax: Any, title: str, note: str = "") -> None:
    """Write a title above axes, and a quieter line below it."""
    lines = note.count("\n") + 1 if note else 0
    ax.set_title(
        title,
        loc="left",
        color=INK,
        fontsize=11,
        fontweight="bold",
        pad=6 + 13 * lines,
        parse_math=False,
    )
    if note:
        ax.annotate(
            note,
            xy=(0, 1),
            xycoords="axes fraction",
            xytext=(0, 5),
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=NOTE_SIZE,
            color=MUTED,
            parse_math=False,
            annotation_clip=False,
        )


def line_names(ax: Any, names: Sequence[str], *, right: Sequence[str] = ()) -> None:
    """Name the lines 0, 1, ... of axes from the top down, at the left and, in a second column, at the right."""
    places = np.arange(len(names))
    ax.set_yticks(places, names, parse_math=False, fontsize=NAME_SIZE, color=INK)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if len(right):
        second = ax.secondary_yaxis("right")
        second.set_yticks(places, right, parse_math=False, fontsize=NAME_SIZE, color=INK)
        second.tick_params(axis="y", length=0)
        second.spines["right"].set_visible(False)


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise MissingDependencyError(
            "drawing needs matplotlib. Install it with: pip install 'elsewise[plot]'"
        ) from error
    return matplotlib
