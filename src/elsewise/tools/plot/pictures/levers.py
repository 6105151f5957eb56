"""Which sets of columns are enough by themselves, and how far away their answers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Levers
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....text.languages import plural, say
from ....text.numbers import number, percent
from ....text.sentence import changes_in_short
from ....text.words import plain
from .arguments import DIGITS, LONGEST_CHANGE, named, outcome, positive, short
from .canvas import BLUE, INK, MUTED, NOTE_SIZE, axes_for, headline, line_names, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class LeversPicture:
    """The levers of one row, nearest first.

    Attributes
    ----------
    names : tuple of str
        Columns of each set.
    changes : tuple of str
        What they become.
    distances, plausibilities : arrays of shape (n_sets,)
    title, note : str
    """

    names: tuple[str, ...]
    changes: tuple[str, ...]
    distances: FloatArray
    plausibilities: FloatArray
    title: str
    note: str

    @classmethod
    def compute(cls, levers: Levers, *, max_sets: int = 12) -> LeversPicture:
        """Take from levers what is drawn."""
        if not isinstance(levers, Levers):
            raise InvalidInputError(
                f"levers: expected what explainer.levers(row, target) returns, received {type(levers).__name__}."
            )
        kept = levers.enough[: positive(max_sets, "max_sets")]
        return cls(
            names=tuple(say("and", first="", last="").join(named(name) for name in lever.columns) for lever in kept),
            changes=tuple(short(plain(changes_in_short(one.explanation, " → ")), LONGEST_CHANGE) for one in kept),
            distances=np.array([lever.distance for lever in kept], dtype=np.float64),
            plausibilities=np.array([lever.plausibility for lever in kept], dtype=np.float64),
            title=say("plot.levers", target=outcome(levers.target.value)),
            note=_note(levers, len(kept)),
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        n = len(self.names)
        ax = axes_for(ax, 8.0, 1.5 + 0.36 * max(n, 1))
        headline(ax, self.title, self.note)
        plain_axes(ax)
        if n == 0:
            ax.text(0.5, 0.5, say("plot.levers none"), transform=ax.transAxes, ha="center", va="center", color=INK)
            ax.set_axis_off()
            return ax
        longest = float(self.distances.max()) or 1.0
        for line, (distance, share) in enumerate(zip(self.distances, self.plausibilities, strict=True)):
            ax.barh(line, distance, height=0.62, color=BLUE, linewidth=0)
            typical = f" ({percent(share)})" if np.isfinite(share) else ""
            text = f"{number(float(distance), DIGITS)}{typical}"
            ax.text(distance + 0.012 * longest, line, text, va="center", fontsize=NOTE_SIZE, color=INK)
        line_names(ax, self.names, right=self.changes)
        ax.set_xlim(0.0, 1.45 * longest)  # room for the number beside the longest bar
        ax.axvline(0.0, color=MUTED, linewidth=0.8)
        is_typical = np.isfinite(self.plausibilities).any()
        ax.set_xlabel(say("plot.nearest, typical" if is_typical else "plot.nearest"), color=INK)
        return ax


def _note(levers: Levers, n_shown: int) -> str:
    """Count the sets that are not drawn."""
    counts = {"not enough": len(levers.not_enough), "unknown": len(levers.unknown)}
    counts["more"] = len(levers.enough) - n_shown
    return "; ".join(plural(f"plot.levers {key}", n, n=number(n)) for key, n in counts.items() if n)
