"""A path whose rows are images: one turns into another, every image on the way dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Path
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....text.numbers import percentile
from .arguments import positive
from .canvas import INK, MUTED, NAME_SIZE, NOTE_SIZE, AxesArray, axes_given, figure_for
from .images import checked_shape, draw_image
from .path import walked
from .words import outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        below = f"percentile {percentile(self.shares[place])}" if place == 0 else percentile(self.shares[place])
        ax.set_xlabel(below, fontsize=NOTE_SIZE, color=MUTED)
