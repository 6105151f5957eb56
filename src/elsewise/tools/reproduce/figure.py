"""Density against distance: what the constraint costs and what it buys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from ..plot.pictures.canvas import INK, MUTED, answer_styles, new_figure
from .data import TITLES
from .protocol import MODELS
from .runner import Results
from .summary import TABLE_1, answers_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def density_against_distance(results: Results, models: Sequence[str]) -> Figure:
    """Draw every answer of the definition, and the medians; return the ``matplotlib.figure.Figure``.

    Parameters
    ----------
    results : results of :func:`~elsewise.tools.reproduce.runner.run`
    models : sequence of str
        A row of panels each.
    """
    names = list(dict.fromkeys(data for data, _ in results))
    styles = answer_styles(("closest", "plausible"))
    figure = new_figure(2.9 * len(names) + 0.6, 2.7 * len(models) + 0.9)
    axes = figure.subplots(len(models), len(names), squeeze=False)
    for i, model in enumerate(models):
        for j, data in enumerate(names):
            ax = axes[i, j]
            for name, style in styles.items():
                x, y = _points(results, data, model, name == "plausible")
                ax.plot(x, y, ".", color=style.colour, alpha=0.35, markersize=3, markeredgewidth=0)
                if len(x):
                    ax.plot(np.median(x), np.median(y), linestyle="", label=name, zorder=3, **style.marker_options())
            _paper(ax, data, model)
            ax.set_xscale("symlog", linthresh=1.0)
            ax.set_yscale("symlog", linthresh=10.0)
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(colors=MUTED, labelcolor=INK, labelsize=8)
            if i == 0:
                ax.set_title(TITLES[data], color=INK, fontsize=11)
            if j == 0:
                ax.set_ylabel(f"{MODELS[model][0]}\nKDE log density", color=INK)
            if i == len(models) - 1:
                ax.set_xlabel("Manhattan distance", color=INK)
    entries: dict[str, Artist] = {}
    for ax in axes.flat:
        entries |= dict(zip(*reversed(ax.get_legend_handles_labels())))
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=len(entries), frameon=False)
    return figure


def _points(results: Results, data: str, model: str, constrained: bool) -> tuple[FloatArray, FloatArray]:
    """Distances and log densities of all rows that count."""
    parts = [answers_of(fold, "defined", constrained) for fold in results[data, model]]
    distance = np.concatenate([answers.distance[counts] for answers, counts in parts])
    return distance, np.concatenate([answers.log_density[counts] for answers, counts in parts])


def _paper(ax: Axes, data: str, model: str) -> None:
    line = TABLE_1.get((data, model))
    if line is not None:
        x, y = (line.closest_distance, line.plausible_distance), (line.closest_log_density, line.plausible_log_density)
        ax.plot(x, y, "x", color=INK, markersize=7, markeredgewidth=1.6, label="medians in the paper", zorder=4)
