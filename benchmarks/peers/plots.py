"""One picture: every method on every problem, in four measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .methods import METHODS

PANELS = (
    ("both", "rows with a valid and\ndense answer", "linear"),
    ("to_nearest", "distance / nearest\n(valid answers)", "log"),
    ("kde_difference", "KDE log density minus\nthat of elsewise", "symlog"),
    ("ms_median", "milliseconds a row", "log"),
)
COLOURS = {"softmax": "#1f77b4", "tree": "#d95f02"}


def draw(found: dict[str, Any], directory: Path) -> None:
    """Write ``benchmarks-peers.png``: a dot for each problem, a line for each method."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullFormatter

    methods = [m for m in METHODS if any(p["methods"].get(m.key, {}).get("rows") for p in found["problems"])]
    figure, axes = plt.subplots(1, len(PANELS), figsize=(11.5, 0.34 * len(methods) + 1.5), sharey=True)
    for axis, (key, title, scale) in zip(axes, PANELS):
        axis.set_xscale(scale, **({"linthresh": 3.0} if scale == "symlog" else {}))
        axis.xaxis.set_minor_formatter(NullFormatter())
        for y, method in enumerate(methods):
            for problem in found["problems"]:
                value = problem["methods"].get(method.key, {}).get(key)
                if value is None or not problem["methods"][method.key]["rows"]:
                    continue
                model = problem["name"].rsplit(", ", 1)[1]
                shift = -0.15 if model == "softmax" else 0.15
                axis.plot(value, y + shift, "o", ms=4.5, alpha=0.75, mew=0, color=COLOURS[model])
        axis.set_title(title, fontsize=9)
        axis.grid(axis="x", lw=0.4, alpha=0.6)
        axis.tick_params(labelsize=8)
        for spine in ("top", "right"):
            axis.spines[spine].set_visible(False)
    axes[0].set_xlim(-0.05, 1.05)
    axes[0].set_yticks(range(len(methods)), [m.label for m in methods], fontsize=8)
    axes[0].invert_yaxis()
    axes[2].axvline(0.0, color="0.4", lw=0.8)
    axes[2].set_xticks([-100, -10, 0, 10, 100], ["−100", "−10", "0", "10", "100"])
    handles = [plt.Line2D([], [], marker="o", ls="", color=colour, label=name) for name, colour in COLOURS.items()]
    figure.legend(handles=handles, loc="lower left", ncols=2, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(directory / "benchmarks-peers.png", dpi=110)
    plt.close(figure)
