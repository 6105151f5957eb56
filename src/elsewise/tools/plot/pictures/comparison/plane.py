r"""Two features: real rows, the density of each class there, the row and its counterfactuals.

The marginal of a Gaussian mixture along two features is a Gaussian mixture. With ``z = W x + w`` and ``W`` invertible,
``x = W^{-1} (z - w)``, so component ``j`` has mean ``S W^{-1} (mu_j - w)`` and covariance
``S W^{-1} Sigma_j W^{-T} S'``, where ``S`` picks the two features. A map that loses dimensions has no such marginal,
and no density is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import multivariate_normal

from .....answers import Explanation
from .....arrays import FloatArray, UserValue
from .....density.base import ClassDensity
from .....errors import InvalidInputError
from .....explainer import Explainer
from ..arguments import GRID_POINTS, plain_label, row_and_points, short
from ..canvas import INK, MUTED, OTHER_FILL, ROW_STYLE, TARGET_FILL, answer_styles, new_figure, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Outlines hold these shares of a class's real rows.
HELD_SHARES = (0.9, 0.5)
# Condition number of the map to model space up to which densities are carried back through its inverse.
WORST_CONDITION = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class ClassCloud:
    """Real rows of one class in the plane, and its density on a grid.

    Attributes
    ----------
    label : str
    rows : array of shape (n_samples, 2)
    density : array of shape (n_grid, n_grid) or None
        Marginal of the mixture, first axis along the second feature.
    levels : array of shape (2,) or None
        Densities that 90 % and 50 % of the rows reach.
    """

    label: str
    rows: FloatArray
    density: FloatArray | None
    levels: FloatArray | None


@dataclass(frozen=True, slots=True, eq=False)
class PlaneView:
    """A plane of two features.

    Attributes
    ----------
    features : two names
    target, others : ClassCloud, tuple of ClassCloud
    row : array of shape (2,)
    answers : tuple of str
    points : array of shape (n_answers, 2)
    grid : pair of arrays of shape (n_grid,)
    """

    features: tuple[str, str]
    target: ClassCloud
    others: tuple[ClassCloud, ...]
    row: FloatArray
    answers: tuple[str, ...]
    points: FloatArray
    grid: tuple[FloatArray, FloatArray]


def plane_view(
    explainer: Explainer,
    answers: Mapping[str, Explanation],
    X: ArrayLike,
    y: ArrayLike,
    *,
    features: tuple[int, int] | None = None,
) -> PlaneView:
    """Compute the view of one row.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier
    answers : mapping of names to explanations of the same row and target
    X : array of shape (n_samples, n_features)
        Real rows.
    y : array of labels of shape (n_samples,)
    features : two positions of features, optional
        Across and up. By default the largest change of the first answer, and the largest other one of the last, in
        standard deviations.
    """
    row, points = row_and_points(answers)
    explanations = list(answers.values())
    rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if rows.shape[1] < 2:
        raise InvalidInputError("A plane needs two features, the rows have one.")
    across, up = _main_features(row, points, rows.std(axis=0)) if features is None else features
    pick = [across, up]
    shown = np.vstack([rows[:, pick], row[pick], points[:, pick]])
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = 0.06 * np.where(high > low, high - low, 1.0)
    horizontal, vertical = (np.linspace(a, b, GRID_POINTS) for a, b in zip(low - margin, high + margin))
    clouds = {}
    for label in np.unique(labels).tolist():
        of_label = rows[labels == label][:, pick]
        clouds[label] = _cloud(explainer, label, of_label, pick, (horizontal, vertical))
    target = plain_label(explanations[0].target)
    return PlaneView(
        features=(explanations[0].feature_names[across], explanations[0].feature_names[up]),
        target=clouds[target],
        others=tuple(cloud for label, cloud in clouds.items() if label != target),
        row=row[pick],
        answers=tuple(answers),
        points=points[:, pick],
        grid=(horizontal, vertical),
    )


def draw_plane(view: PlaneView, ax: Axes | None = None) -> Axes:
    """Draw the view on axes (new ones, unknown to pyplot, by default) and return them."""
    if ax is None:
        ax = new_figure(6.0, 5.0).add_subplot()
    styles = answer_styles(view.answers)
    for cloud, colour, marker in [(other, OTHER_FILL, "x") for other in view.others] + [
        (view.target, TARGET_FILL, ".")
    ]:
        ax.plot(*cloud.rows.T, linestyle="", marker=marker, markersize=4, color=colour, alpha=0.55, zorder=1)
        if cloud.density is not None and cloud.levels is not None:
            top = max(float(cloud.density.max()), float(cloud.levels[-1]) * (1 + 1e-9))
            ax.contourf(*view.grid, cloud.density, levels=[*cloud.levels, top], colors=[colour], alpha=0.22, zorder=0)
            ax.contour(*view.grid, cloud.density, levels=cloud.levels, colors=[colour], linewidths=1.0, zorder=2)
    for name, point in zip(view.answers, view.points):
        style = styles[name]
        ax.annotate(
            "",
            xy=point,
            xytext=(view.row[0], view.row[1]),
            arrowprops={"arrowstyle": "-|>", "color": style.colour, "lw": 1.6, "shrinkA": 5, "shrinkB": 6},
            zorder=3,
        )
        ax.plot(*point, linestyle="", label=name, zorder=5, **style.marker_options())
    ax.plot(*view.row, linestyle="", label="now", zorder=5, **ROW_STYLE.marker_options())
    _name_points(view, ax)
    if view.target.levels is not None:
        outlines = "outlines hold 50 % and 90 % of a class's rows"
        ax.text(0.99, 0.02, outlines, transform=ax.transAxes, ha="right", va="bottom", color=MUTED, fontsize=9)
    across, up = view.grid
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    ax.set_xlabel(short(view.features[0]), color=INK, parse_math=False)
    ax.set_ylabel(short(view.features[1]), color=INK, parse_math=False)
    plain_axes(ax)
    ax.spines["left"].set_visible(True)
    return ax


def _name_points(view: PlaneView, ax: Axes) -> None:
    """Write the names beside the points, on the side away from the row."""
    styles = answer_styles(view.answers)
    middle = view.points.mean(axis=0)
    for name, point, style, other in [
        ("now", view.row, ROW_STYLE, middle),
        *((name, point, styles[name], view.row) for name, point in zip(view.answers, view.points)),
    ]:
        up = point[1] >= other[1]
        text = ax.annotate(
            name,
            xy=point,
            xytext=(0, 8 if up else -8),
            textcoords="offset points",
            ha="center",
            va="bottom" if up else "top",
            color=style.colour,
            fontweight="bold",
            zorder=6,
        )
        text.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.75, "edgecolor": "none"})


def _main_features(row: FloatArray, points: FloatArray, deviation: FloatArray) -> tuple[int, int]:
    """Largest change of the first answer, and the largest one of another feature of the last."""
    change = np.abs(points - row) / np.where(deviation > 0, deviation, 1.0)
    across = int(change[0].argmax())
    rest = change[-1].copy()
    rest[across] = -1.0
    return across, int(rest.argmax())


def _cloud(
    explainer: Explainer, label: UserValue, rows: FloatArray, pick: list[int], grid: tuple[FloatArray, FloatArray]
) -> ClassCloud:
    density = explainer.densities_.get(label)
    W = explainer.fitted_.to_density.matrix
    if density is None or W.shape[0] != W.shape[1] or np.linalg.cond(W) > WORST_CONDITION:
        return ClassCloud(str(label), rows, None, None)
    points = np.stack(np.meshgrid(*grid), axis=-1)
    values = _marginal(density, W, explainer.fitted_.to_density.offset, pick, points)
    reached = _marginal(density, W, explainer.fitted_.to_density.offset, pick, rows)
    levels = np.quantile(reached, [1.0 - share for share in HELD_SHARES])
    return ClassCloud(str(label), rows, values, levels if levels[0] < levels[1] else None)


def _marginal(density: ClassDensity, W: FloatArray, w: FloatArray, pick: list[int], points: FloatArray) -> FloatArray:
    """Marginal density of a mixture along two features (see the module docstring) at points of shape (..., 2)."""
    mixture = density.mixture_
    back = np.linalg.inv(W)[pick]
    total = np.zeros(points.shape[:-1])
    for j, (weight, mean) in enumerate(zip(mixture.weights_, mixture.means_)):
        covariance = back @ _covariance(mixture, j) @ back.T
        total += weight * multivariate_normal(back @ (mean - w), covariance).pdf(points)
    return total


def _covariance(mixture: Any, j: int) -> FloatArray:
    """Covariance of one component as a full matrix."""
    q = mixture.means_.shape[1]
    if mixture.covariance_type == "tied":
        return np.asarray(mixture.covariances_, dtype=np.float64)
    covariance = np.asarray(mixture.covariances_[j], dtype=np.float64)
    return covariance if covariance.ndim == 2 else covariance * np.eye(q)
