"""Which sets of columns are enough by themselves, or what each better band takes: a bar an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....answers import Explanation, Ladder, Levers
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....text.languages import plural, say
from ....text.numbers import number, percent
from ....text.sentence import changes_in_short
from ....text.words import plain, status_word
from .arguments import DIGITS, LONGEST_CHANGE, named, outcome, positive, short
from .canvas import BLUE, INK, MUTED, NOTE_SIZE, axes_for, headline, line_names, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class LeversPicture:
    """The levers of one row, nearest first, or the steps of its ladder.

    Attributes
    ----------
    names : tuple of str
        Columns of each set, or bands.
    changes : tuple of str
        What becomes of the columns, or why there is no answer.
    distances, plausibilities : arrays of shape (n_sets,)
        NaN where there is no answer.
    title, note, nothing : str
        ``nothing`` is said where there is no bar.
    """

    names: tuple[str, ...]
    changes: tuple[str, ...]
    distances: FloatArray
    plausibilities: FloatArray
    title: str
    note: str
    nothing: str

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
            changes=tuple(_in_lines(lever.explanation) for lever in kept),
            distances=np.array([lever.distance for lever in kept], dtype=np.float64),
            plausibilities=np.array([lever.plausibility for lever in kept], dtype=np.float64),
            title=say("plot.levers", target=outcome(levers.target.value)),
            note=_note(levers, len(kept)),
            nothing=say("plot.levers none"),
        )

    @classmethod
    def of_ladder(cls, ladder: Ladder) -> LeversPicture:
        """Take from a ladder what is drawn."""
        if not isinstance(ladder, Ladder):
            raise InvalidInputError(
                f"ladder: expected what explainer.ladder(row, bands) returns, received {type(ladder).__name__}."
            )
        answers = [step.explanation for step in ladder.steps]
        return cls(
            names=tuple(named(step.band.name) for step in ladder.steps),
            changes=tuple(_in_lines(one) if one.found else status_word(one.status) for one in answers),
            distances=np.array([one.distance for one in answers], dtype=np.float64),
            plausibilities=np.array([one.plausibility if one.found else np.nan for one in answers], dtype=np.float64),
            title=say("plot.ladder"),
            note=str(ladder).partition("\n")[0],
            nothing=say("plot.ladder top"),
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        n = len(self.names)
        n_lines = sum(max(change.count("\n") + 1, 1.6) for change in self.changes)
        ax = axes_for(ax, 9.5, 1.5 + 0.22 * max(n_lines, 1.6))
        headline(ax, self.title, self.note)
        plain_axes(ax)
        if n == 0:
            ax.text(0.5, 0.5, self.nothing, transform=ax.transAxes, ha="center", va="center", color=INK)
            ax.set_axis_off()
            return ax
        longest = float(np.nanmax(self.distances, initial=0.0)) or 1.0
        for line, (distance, share) in enumerate(zip(self.distances, self.plausibilities, strict=True)):
            if not np.isfinite(distance):
                continue
            ax.barh(line, distance, height=0.62, color=BLUE, linewidth=0)
            typical = f" ({percent(share)})" if np.isfinite(share) else ""
            text = f"{number(float(distance), DIGITS)}{typical}"
            ax.text(distance + 0.012 * longest, line, text, va="center", fontsize=NOTE_SIZE, color=INK)
        line_names(ax, self.names, right=self.changes)
        ax.set_xlim(0.0, 1.6 * longest)  # room for the number beside the longest bar
        ax.axvline(0.0, color=MUTED, linewidth=0.8)
        is_typical = np.isfinite(self.plausibilities).any()
        ax.set_xlabel(say("plot.nearest, typical" if is_typical else "plot.nearest"), color=INK)
        return ax


def _in_lines(one: Explanation) -> str:
    """Write the two most costly changes, one a line, and count the others."""
    lines = [short(change, LONGEST_CHANGE) for change in plain(changes_in_short(one, " → ")).split(", ")[:2]]
    more = len(one.changes) - 2
    if more > 0:
        lines[1] += f" {say('and more', n=more)}"
    return "\n".join(lines)


def _note(levers: Levers, n_shown: int) -> str:
    """Count the sets that are not drawn."""
    counts = {"not enough": len(levers.not_enough), "unknown": len(levers.unknown)}
    counts["more"] = len(levers.enough) - n_shown
    return "; ".join(plural(f"plot.levers {key}", n, n=number(n)) for key, n in counts.items() if n)
