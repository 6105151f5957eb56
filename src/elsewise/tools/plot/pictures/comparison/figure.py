"""Several counterfactuals of one row compared: what changes, and where that leads.

Which features change, before and after, against where real rows of the target class lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gaussian_kde

from .....answers import Explanation
from .....arrays import FloatArray
from .....explainer import Explainer
from .....text.numbers import number, two_numbers
from ..arguments import CURVE_POINTS, outcome, row_and_points, short
from ..canvas import INK, MUTED, OTHER_FILL, ROW_STYLE, TARGET_FILL, answer_styles, new_figure, plain_axes
from .plane import draw_plane, plane_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch


# Rows from which a curve of their density is drawn.
FEWEST_FOR_CURVE = 3

# Of a line's height: half a curve, and the distance between two answers.
_CURVE_HEIGHT, _SPREAD = 0.40, 0.24


@dataclass(frozen=True, slots=True, eq=False)
class ChangesView:
    """The changed features of one row under several answers, in standard deviations of the target class.

    Attributes
    ----------
    features : tuple of str
        Those any of the answers changes, largest change first.
    answers : tuple of str
    target : str
    row : array of shape (n_changed,)
    points : array of shape (n_answers, n_changed)
        Row and answers, as standard deviations from the mean of the target's rows.
    row_values, point_values : arrays of shape (n_changed,), (n_answers, n_changed)
        The same in the features' own units.
    curve_at, curve : arrays of shape (n_changed, n_curve)
        Kernel density of the target's rows along each feature, its highest point 1.
    """

    features: tuple[str, ...]
    answers: tuple[str, ...]
    target: str
    row: FloatArray
    points: FloatArray
    row_values: FloatArray
    point_values: FloatArray
    curve_at: FloatArray
    curve: FloatArray


def changes_view(answers: Mapping[str, Explanation], target_rows: ArrayLike, *, max_features: int = 10) -> ChangesView:
    """Compute the view of one row.

    Parameters
    ----------
    answers : mapping of names to explanations of the same row and target
    target_rows : array of shape (n_samples, n_features)
        Real rows of the target class.
    max_features : int, default=10
        Only so many features, those with the largest changes.
    """
    row, points = row_and_points(answers)
    explanations = list(answers.values())
    real = np.asarray(target_rows, dtype=np.float64)
    mean, deviation = real.mean(axis=0), real.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    change = np.abs((points - row) / deviation)
    order = [i for i in np.argsort(-change.max(axis=0), kind="stable") if change[:, i].any()][:max_features]
    scaled = (real[:, order] - mean[order]) / deviation[order]
    curves = [_curve(column) for column in scaled.T]
    return ChangesView(
        features=tuple(explanations[0].feature_names[i] for i in order),
        answers=tuple(answers),
        target=str(explanations[0].target),
        row=(row[order] - mean[order]) / deviation[order],
        points=(points[:, order] - mean[order]) / deviation[order],
        row_values=row[order],
        point_values=points[:, order],
        curve_at=np.array([places for places, _ in curves]).reshape(len(order), -1),
        curve=np.array([height for _, height in curves]).reshape(len(order), -1),
    )


def draw_changes(view: ChangesView, ax: Axes | None = None) -> Axes:
    """Draw the view on axes (new ones, unknown to pyplot, by default) and return them."""
    if ax is None:
        ax = new_figure(7.0, 1.2 + 0.5 * len(view.features)).add_subplot()
    styles = answer_styles(view.answers)
    lines = np.arange(len(view.features))
    for line in lines:
        half = _CURVE_HEIGHT * view.curve[line]
        ax.fill_between(view.curve_at[line], line - half, line + half, color=TARGET_FILL, alpha=0.35, linewidth=0)
    # Answers lie a little above and below their line, so that none hides another.
    offsets = _SPREAD * (np.arange(len(view.answers)) - (len(view.answers) - 1) / 2)
    for name, points, offset in zip(view.answers, view.points, offsets):
        moved = points != view.row
        heights = lines[moved] + offset
        ax.hlines(heights, view.row[moved], points[moved], color=styles[name].colour, linewidth=1.8, zorder=3)
        ax.plot(points[moved], heights, linestyle="", label=name, zorder=4, **styles[name].marker_options())
    ax.plot(view.row, lines, linestyle="", label="now", zorder=5, **ROW_STYLE.marker_options())
    ax.set_yticks(lines, [short(name) for name in view.features], parse_math=False)
    ax.set_ylim(len(view.features) - 0.4, -0.6)
    ax.set_xlabel(f"standard deviations from the mean of real {view.target} rows", color=INK, parse_math=False)
    plain_axes(ax)
    ax.tick_params(axis="y", length=0)
    _write_values(view, ax)
    return ax


def _write_values(view: ChangesView, ax: Axes) -> None:
    """Write the values before and after in columns beside the axes."""
    styles = answer_styles(view.answers)
    columns = [("now", ROW_STYLE.colour, [number(value) for value in view.row_values.tolist()])]
    for name, values in zip(view.answers, view.point_values):
        pairs = zip(view.row_values.tolist(), values.tolist())
        texts = [two_numbers(now, value)[1] if value != now else "same" for now, value in pairs]
        columns.append((name, styles[name].colour, texts))
    for column, (name, colour, texts) in enumerate(columns):
        across = 1.14 + 0.22 * column
        ax.text(across, 1.0, name, transform=ax.transAxes, ha="right", va="bottom", color=colour, fontweight="bold")
        for line, text in enumerate(texts):
            shade = MUTED if text == "same" else colour
            ax.text(across, line, text, transform=ax.get_yaxis_transform(), ha="right", va="center", color=shade)


def _curve(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Kernel density of one feature over its range; a flat line if there is nothing to estimate."""
    places = np.linspace(column.min() - 0.4, column.max() + 0.4, CURVE_POINTS)
    if len(column) < FEWEST_FOR_CURVE or np.ptp(column) == 0.0:
        return places, np.full(CURVE_POINTS, 0.05)
    height: FloatArray = gaussian_kde(column)(places)
    return places, height / height.max()


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
