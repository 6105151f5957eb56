"""What recourse costs each group: a panel a measure, a point a group with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....arrays import BoolArray, FloatArray
from ....errors import InvalidInputError
from ....text.languages import say, speaking
from ....text.numbers import number
from ....text.words import column_word
from ...audit import Audit
from ...audit.words import MEASURES, SHARES, group_in_words, measure_in_words
from .arguments import short
from .canvas import AFTER_STYLE, INK, MUTED, NAME_SIZE, AxesArray, axes_given, figure_for, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class AuditPicture:
    """An audit, ready to be drawn.

    Attributes
    ----------
    groups : tuple of str
        With their numbers of rows.
    measures : tuple of str
        In words; those that are known of some group.
    values : array of shape (n_measures, n_groups, 3)
        Value, low and high end of its interval.
    significant : bool array of shape (n_measures, n_groups)
    shares : tuple of bool
        Measures that are shares of one.
    title : str
    """

    groups: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    significant: BoolArray
    shares: tuple[bool, ...]
    title: str

    @classmethod
    def compute(cls, audit: Audit) -> AuditPicture:
        """Take from an audit what is drawn."""
        if not isinstance(audit, Audit):
            raise InvalidInputError(f"audit: expected what elsewise.audit returns, received {type(audit).__name__}.")
        certain = {(each.group, each.measure) for each in audit.significant}
        known = [name for name in MEASURES if any(audit.value(group, name).n for group in audit.groups)]
        values = [
            [(each.value, each.low, each.high) for each in (audit.value(group, name) for group in audit.groups)]
            for name in known
        ]
        with speaking(audit.wording):
            groups = [
                f"{short(group_in_words(each, audit.by))} ({number(audit.counts[each])})" for each in audit.groups
            ]
            measures = tuple(map(measure_in_words, known))
            title = say("plot.audit", column=short(str(column_word(audit.by))))
        return cls(
            groups=tuple(groups),
            measures=measures,
            values=np.array(values, dtype=np.float64).reshape(len(known), len(audit.groups), 3),
            significant=np.array([[(group, name) in certain for group in audit.groups] for name in known]),
            shares=tuple(name in SHARES for name in known),
            title=title,
        )

    def draw(self, ax: AxesArray | None = None) -> AxesArray:
        """Draw on axes, one a measure, and return them."""
        n = len(self.measures)
        if ax is None:
            figure = figure_for(2.8 * n + 1.2, 1.4 + 0.4 * len(self.groups))
            axes = np.empty(n, dtype=object)
            axes[:] = np.atleast_1d(figure.subplots(1, n, sharey=True))
            figure.suptitle(self.title, x=0.01, ha="left", fontsize=NAME_SIZE + 2, color=INK)
        else:
            axes = axes_given(ax, (n,)).reshape(n)
        for place in range(n):
            self._draw_measure(axes[place], place)
        return axes

    def _draw_measure(self, ax: Axes, place: int) -> None:
        plain_axes(ax)
        rows = np.arange(len(self.groups))
        for row, (value, low, high) in enumerate(self.values[place]):
            colour = AFTER_STYLE.colour if self.significant[place, row] else INK
            ax.plot([low, high], [row, row], color=colour, linewidth=1.6, solid_capstyle="butt")
            ax.plot([value], [row], marker="o", color=colour, markersize=6, clip_on=False)
        ax.set_yticks(rows, self.groups)
        ax.set_ylim(len(self.groups) - 0.5, -0.5)
        ax.tick_params(labelsize=NAME_SIZE, colors=MUTED)
        ax.tick_params(axis="y", length=0, pad=8)
        ax.set_xlabel(self.measures[place], fontsize=NAME_SIZE, color=INK)
        ax.set_xlim(left=0.0, right=1.0 if self.shares[place] else None)
