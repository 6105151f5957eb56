"""What each column adds to the distance between a row and its counterfactual, in the user's units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....answers import Change, Explanation
from ....arrays import FloatArray, UserValue
from ....text.languages import say
from ....text.numbers import number
from ....text.sentence import plausibility_words, proof_in_words
from .arguments import DIGITS, LONGEST_CHANGE, answered, in_a_line, named, outcome, pair_texts, positive
from .canvas import BLUE, FAINT, GREEN, INK, MUTED, NOTE_SIZE, ORANGE, axes_for, headline, line_names, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour and hatch, and the sign before the cost, say twice which way a column goes.
_LOOKS = {
    "rises": (BLUE, "", "▲"),
    "falls": (ORANGE, "", "▼"),
    "level": (GREEN, "////", "◆"),
    "others": (FAINT, "", ""),
}


@dataclass(frozen=True, slots=True, eq=False)
class ChangesPicture:
    """The changes of one row, most costly first.

    Attributes
    ----------
    columns : tuple of str
        The user's names.
    before, after : tuples of values
    directions : tuple of "rises", "falls" or "level"
    costs : array of shape (n_columns,)
        What each change adds to the distance. With a Mahalanobis distance one may be negative.
    starts : array of shape (n_columns,)
        Where each bar begins: the sum of the costs before it.
    n_others : int
        Further columns that change, left out.
    others_cost : float
        What they add together.
    distance : float
    title, note : str
    """

    columns: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    directions: tuple[str, ...]
    costs: FloatArray
    starts: FloatArray
    n_others: int
    others_cost: float
    distance: float
    title: str
    note: str

    @classmethod
    def compute(cls, explanation: Explanation, *, max_columns: int = 12) -> ChangesPicture:
        """Take from one explanation what is drawn."""
        answered(explanation)
        every, most = explanation.changes, positive(max_columns, "max_columns")
        kept = every if len(every) <= most + 1 else every[:most]  # a bar for one other would save nothing
        costs = np.array([change.cost for change in kept], dtype=np.float64)
        return cls(
            columns=tuple(change.feature for change in kept),
            before=tuple(change.before for change in kept),
            after=tuple(change.after for change in kept),
            directions=tuple(_direction(change) for change in kept),
            costs=costs,
            starts=np.cumsum(costs) - costs,
            n_others=len(every) - len(kept),
            others_cost=float(sum(change.cost for change in every[len(kept) :])),
            distance=explanation.distance,
            title=f"{outcome(explanation.prediction)} → {outcome(explanation.target)}",
            note=_note(explanation),
        )

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on axes (see :mod:`elsewise.plot`) and return them."""
        bars = self._bars()
        wide = 8.5 if any("\n" in bar[1] for bar in bars) else 7.5
        ax = axes_for(ax, wide, 1.5 + 0.36 * max(len(bars), 1))
        headline(ax, self.title, self.note)
        plain_axes(ax)
        if not bars:
            ax.text(0.5, 0.5, say("plot.nothing"), transform=ax.transAxes, ha="center", va="center", color=INK)
            ax.set_axis_off()
            return ax
        sums = [edge for _, _, start, cost, _ in bars for edge in (start, start + cost)]
        low, high = min(0.0, *sums), max(0.0, *sums)
        for line, (_, _, start, cost, direction) in enumerate(bars):
            colour, hatch, sign = _LOOKS[direction]
            ax.barh(line, cost, left=start, height=0.62, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
            ax.text(
                max(start, start + cost) + 0.012 * (high - low),
                line,
                f"{sign} {number(cost, DIGITS)}".strip(),
                va="center",
                fontsize=NOTE_SIZE,
                color=INK,
            )
            ends = [line, line + 1] if line + 1 < len(bars) else [line, line + 0.31]
            ax.plot([start + cost] * 2, ends, color=MUTED, linewidth=0.8, zorder=0)
        line_names(ax, [bar[0] for bar in bars], right=[bar[1] for bar in bars])
        ax.set_xlim(low, high + 0.14 * (high - low))
        ax.axvline(0.0, color=MUTED, linewidth=0.8)
        ax.set_xlabel(say("plot.adds", distance=number(self.distance)), color=INK)
        return ax

    def _bars(self) -> list[tuple[str, str, float, float, str]]:
        """Name, change in words, start, cost and direction of every bar."""
        bars = []
        for i, name in enumerate(self.columns):
            words = _change_in_words(name, self.before[i], self.after[i], is_level=self.directions[i] == "level")
            bars.append((named(name), words, float(self.starts[i]), float(self.costs[i]), self.directions[i]))
        if self.n_others:
            bars.append((say("plot.others", n=self.n_others), "", float(self.costs.sum()), self.others_cost, "others"))
        return bars


def _direction(change: Change) -> str:
    if change.difference is None:
        return "level"
    return "rises" if change.difference > 0 else "falls"


def _change_in_words(column: str, before: UserValue, after: UserValue, *, is_level: bool) -> str:
    first, second = pair_texts(before, after, is_level=is_level, longest=LONGEST_CHANGE, column=column)
    return f"{first} → {second}" if len(first) + len(second) <= LONGEST_CHANGE else f"{first}\n→ {second}"


def _note(explanation: Explanation) -> str:
    """Describe what is proven and how plausible the answer is, in the words of its sentence."""
    parts = [proof_in_words(explanation), in_a_line(plausibility_words(explanation))]
    return "\n".join(filter(None, parts))
