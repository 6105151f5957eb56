"""Several counterfactuals of one row compared: what changes, and where that leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .....answers import Explanation
from .....explainer import Explainer
from ..arguments import row_and_points
from ..canvas import INK, OTHER_FILL, TARGET_FILL, new_figure
from ..words import outcome
from .changes import changes_view, draw_changes
from .plane import draw_plane, plane_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch


def counterfactual_figure(
    explainer: Explainer, answers: Mapping[str, Explanation], X: ArrayLike, y: ArrayLike, *, title: str = ""
) -> Figure:
    """Draw the counterfactuals of one row and return the ``matplotlib.figure.Figure``, ready for ``savefig``.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier
    answers : mapping of names to explanations of the same row and target
        Such as the closest counterfactual and the plausible one.
    X : array of shape (n_samples, n_features)
        Real rows, to show what is usual.
    y : array of labels of shape (n_samples,)
    title : str, optional
    """
    row_and_points(answers)  # says what is wrong with them
    rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    target = next(iter(answers.values())).target
    changes = changes_view(answers, rows[labels == target])
    plane = plane_view(explainer, answers, rows, labels)
    figure = new_figure(13.0, 5.4)
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    draw_changes(changes, left)
    draw_plane(plane, right)
    left.set_title("What changes", loc="left", color=INK, fontsize=11)
    right.set_title("Where that leads", loc="left", color=INK, fontsize=11)
    if title:
        figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=14, fontweight="bold")
    handles = dict(zip(*reversed(left.get_legend_handles_labels())))
    now = handles.pop("now")
    others = plane.others[0].label if len(plane.others) == 1 else "other"
    patches = _patches({f"real {outcome(target)} rows": TARGET_FILL, f"real {outcome(others)} rows": OTHER_FILL})
    entries = {"now": now, **handles, **patches}
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=len(entries), frameon=False)
    return figure


def _patches(colours: Mapping[str, str]) -> dict[str, Patch]:
    from matplotlib.patches import Patch

    return {name: Patch(facecolor=colour, alpha=0.5) for name, colour in colours.items()}
