"""Rows that are images: before, after, and what changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Explanation, Explanations
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....text.languages import say
from ....text.numbers import rounded_up
from .arguments import DIGITS, outcome, wrapped
from .canvas import INK, MUTED, NAME_SIZE, NOTE_SIZE, AxesArray, axes_given, figure_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows shown as images in one figure: more would be too small, or too large a figure.
MOST_IMAGES = 40
# Pixels of an image beyond which signs in them would be too small to read.
MOST_SIGNED_PIXELS = 1024
# Parts of the largest difference: from the first a pixel has a sign, from the second it is dark and its sign white.
SIGNED_DIFFERENCE, DARK_DIFFERENCE = 0.1, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class ImagesPicture:
    """Images of several rows.

    Attributes
    ----------
    before, after, difference : arrays of shape (n_rows, height, width)
        After and difference are NaN where there is no counterfactual.
    predictions, targets : tuples of str
    notes : tuple of str
        Why there is none; empty if there is one.
    """

    before: FloatArray
    after: FloatArray
    difference: FloatArray
    predictions: tuple[str, ...]
    targets: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def compute(
        cls, explanations: Explanation | Explanations | Sequence[Explanation], shape: tuple[int, int]
    ) -> ImagesPicture:
        """Take from explanations what is drawn."""
        each = [explanations] if isinstance(explanations, Explanation) else _listed(explanations)
        height, width = checked_shape(shape)
        names = each[0].feature_names
        if not each[0].table.is_identity:
            raise InvalidInputError(
                "images: expected rows of nothing but numbers that the model uses, one a pixel; some of these columns "
                "are categories, have missing values, or are not used. Use elsewise.plot.changes instead."
            )
        if height * width != len(names):
            raise InvalidInputError(
                f"shape: {height} x {width} is {height * width} pixels, but the rows have {len(names)} columns."
            )
        before = np.array([item.x for item in each], dtype=np.float64).reshape(-1, height, width)
        after = np.array([item.counterfactual for item in each], dtype=np.float64).reshape(-1, height, width)
        return cls(
            before=before,
            after=after,
            difference=after - before,
            predictions=tuple(outcome(item.prediction) for item in each),
            targets=tuple(outcome(item.target) for item in each),
            notes=tuple("" if item.found else item.reason for item in each),
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw on axes (see :mod:`elsewise.plot`) and return them, array of shape (n_rows, 3)."""
        n = len(self.before)
        axes = self._new_axes() if ax is None else axes_given(ax, (n, 3))
        shown = np.concatenate([self.before, self.after])
        low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
        high = high if high > low else low + 1.0
        most = float(np.nanmax(np.abs(self.difference), initial=0.0)) or 1.0
        for row in range(n):
            left, middle, right = axes[row]
            draw_image(left, self.before[row], "gray_r", low, high)
            left.set_title(
                say("plot.predicted", label=self.predictions[row]), fontsize=NAME_SIZE, color=INK, parse_math=False
            )
            if self.notes[row]:
                self._refuse(row, middle, right)
                continue
            draw_image(middle, self.after[row], "gray_r", low, high)
            middle.set_title(
                say("plot.wanted", label=self.targets[row]), fontsize=NAME_SIZE, color=INK, parse_math=False
            )
            draw_image(right, self.difference[row], "PuOr_r", -most, most)
            right.set_title(say("plot.difference", most=rounded_up(most, DIGITS)), fontsize=NAME_SIZE, color=INK)
            _signs(right, self.difference[row], most)
        return axes

    def _new_axes(self) -> AxesArray:
        n, height, width = self.before.shape
        tall = 1.9 * min(max(height / width, 0.4), 2.5)
        axes: AxesArray = figure_for(6.2, (tall + 0.35) * n + 0.1).subplots(n, 3, squeeze=False)
        return axes

    def _refuse(self, row: int, middle: Axes, right: Axes) -> None:
        """Describe why there is no image."""
        for ax in (middle, right):
            ax.imshow(np.zeros_like(self.before[row]), alpha=0.0)  # as large as the others
            ax.set_axis_off()
        middle.set_title(
            say("plot.wanted none", label=self.targets[row]), fontsize=NAME_SIZE, color=INK, parse_math=False
        )
        reason = middle.text(
            0.0,
            0.95,
            wrapped(self.notes[row], 44, 8),
            transform=middle.transAxes,
            va="top",
            fontsize=NOTE_SIZE,
            color=MUTED,
            parse_math=False,
        )
        reason.set_in_layout(False)  # it may reach into the place of the difference


def _listed(explanations: object) -> list[Explanation]:
    if not isinstance(explanations, Sequence) or not all(isinstance(item, Explanation) for item in explanations):
        raise InvalidInputError(
            f"explanations: expected what explain or explain_one returns, received {type(explanations).__name__}."
        )
    if not 1 <= len(explanations) <= MOST_IMAGES:
        raise InvalidInputError(
            f"explanations: expected 1 to {MOST_IMAGES} of them, received {len(explanations)}. Draw a slice, such as "
            "explanations[:8]."
        )
    return list(explanations)


def checked_shape(shape: object) -> tuple[int, int]:
    """Return (height, width), or say what is wrong with it."""
    sizes = tuple(shape) if isinstance(shape, Sequence) else ()
    if len(sizes) != 2 or not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
        raise InvalidInputError(f"shape: expected (height, width) in pixels, such as (8, 8), received {shape!r}.")
    return int(sizes[0]), int(sizes[1])


def draw_image(ax: Axes, pixels: FloatArray, colours: str, low: float, high: float) -> None:
    """Draw one image without ticks."""
    ax.imshow(pixels, cmap=colours, vmin=low, vmax=high, interpolation="nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color(MUTED)
        spine.set_linewidth(0.6)


def _signs(ax: Axes, difference: FloatArray, most: float) -> None:
    """Mark pixels that rise or fall with their sign: printed in grey, both ends of the colours look alike."""
    if difference.size > MOST_SIGNED_PIXELS:
        return
    side = max(difference.shape)
    for sign, marker in ((1.0, "+"), (-1.0, "_")):
        down, across = np.nonzero(sign * difference > SIGNED_DIFFERENCE * most)
        # White on the dark ends of the colours, dark on the light middle.
        for strong, colour in ((True, "white"), (False, INK)):
            marked = (np.abs(difference[down, across]) > DARK_DIFFERENCE * most) == strong
            ax.scatter(across[marked], down[marked], s=(44.0 / side) ** 2, marker=marker, color=colour, linewidths=0.9)
