"""Figures without global state, and the few colours and markers all pictures share.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; shapes tell the same again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MissingDependencyError

INK = "#222222"
MUTED = "#6b6b6b"
TARGET_FILL = "#56B4E9"
OTHER_FILL = "#999999"


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
_ANSWER_STYLES = (Style("#D55E00", "D", 7.5), Style("#0072B2", "s", 7.5), Style("#009E73", "^", 8.5))


def answer_styles(names: Sequence[str]) -> dict[str, Style]:
    """Style of each answer, in order; beyond three they repeat."""
    return {name: _ANSWER_STYLES[i % len(_ANSWER_STYLES)] for i, name in enumerate(names)}


def new_figure(width: float, height: float) -> Any:
    """Make a ``matplotlib.figure.Figure`` of a size in inches, unknown to pyplot."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            "drawing needs matplotlib. Install it with: pip install 'elsewise[plot]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def plain_axes(ax: Any) -> None:
    """Leave only what carries information."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelcolor=INK, length=3)
