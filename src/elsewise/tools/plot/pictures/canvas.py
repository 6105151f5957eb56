"""Figures and axes to draw on, and the few colours and markers all pictures share.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes tell the same again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....arrays import JsonObject
from ....errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AxesArray = NDArray[np.object_]

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

    def marker_options(self) -> JsonObject:
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


def new_figure(width: float, height: float) -> Figure:
    """Make a ``matplotlib.figure.Figure`` of a size in inches, unknown to pyplot."""
    figure: Figure = _matplotlib().figure.Figure(figsize=(width, height), layout="constrained")
    return figure


def figure_for(width: float, height: float) -> Figure:
    """Return the figure to draw on where no axes are given, without axes yet.

    For those who use pyplot it is the current one: if that has axes already, a new one. For others it is new and
    unknown to pyplot, which would keep it for ever. Its size in inches is the one asked for, unless the user chose one.
    """
    pyplot = _pyplot()
    if pyplot is None:
        return new_figure(width, height)
    if not pyplot.get_fignums() or pyplot.gcf().axes:
        new: Figure = pyplot.figure(figsize=(width, height), layout="constrained")
        return new
    figure: Figure = pyplot.gcf()
    if figure.get_layout_engine() is None:  # names beside the axes need room
        figure.set_layout_engine("constrained")
    if figure.get_size_inches().tolist() == list(pyplot.rcParams["figure.figsize"]):  # nobody chose it
        figure.set_size_inches(width, height)
    return figure


def axes_for(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes given; or pyplot's current ones, if nothing is on them; or new ones (see ``figure_for``)."""
    if ax is None:
        return _empty_current_axes() or figure_for(width, height).add_subplot()
    if not hasattr(ax, "transAxes"):
        raise InvalidInputError(
            f"ax: expected matplotlib Axes, such as those of plt.subplots(), or None, received {type(ax).__name__}."
        )
    return ax


def _empty_current_axes() -> Axes | None:
    """Return the axes that ``plt.subplot`` or ``plt.subplots`` has made ready, if there are any."""
    pyplot = _pyplot()
    if pyplot is None or not pyplot.get_fignums() or not pyplot.gcf().axes:
        return None
    ax: Axes = pyplot.gca()
    is_empty = not (ax.has_data() or ax.texts or ax.child_axes) and ax.name == "rectilinear"
    return ax if is_empty else None


def axes_given(ax: object, shape: tuple[int, ...]) -> AxesArray:
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


def plain_axes(ax: Axes) -> None:
    """Leave only what carries information."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelcolor=INK, length=3)


def headline(ax: Axes, title: str, note: str = "") -> None:
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


def line_names(ax: Axes, names: Sequence[str], *, right: Sequence[str] = ()) -> None:
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


def _matplotlib() -> ModuleType:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise MissingDependencyError(
            "drawing needs matplotlib. Install it with: pip install 'elsewise[plot]'"
        ) from error
    return matplotlib


def _pyplot() -> ModuleType | None:
    """Return pyplot for those who use it: it is imported already, or a notebook shows what it knows."""
    _matplotlib()
    # a notebook's kernel sets the variable
    if "matplotlib.pyplot" not in sys.modules and os.environ.get("MPLBACKEND", "agg").lower() in _SILENT:
        return None
    return import_module("matplotlib.pyplot")
