"""Pictures of explanations, for notebooks, papers and reports.

Every function takes the axes to draw on and returns them; ``ax.figure.savefig(...)`` saves the picture. Needs
matplotlib, which is imported when the first picture is drawn.

Without axes (``ax=None``) a picture is drawn where pyplot would draw it: on the current axes if nothing is on them yet
(those of ``plt.subplot``), on the current figure if it has no axes, else on a new figure, which becomes current.
``plt.savefig``, ``plt.gcf`` and ``plt.show`` then mean this picture, and ``plt.close`` frees it. A program that has not
imported ``matplotlib.pyplot`` gets a figure that pyplot does not know: nothing has to be closed, and no window opens.
(A notebook names its backend before anything is imported, and is served like one that uses pyplot.)

Examples
--------
>>> import elsewise as ew
>>> from sklearn.datasets import load_iris
>>> from sklearn.linear_model import LogisticRegression
>>> data = load_iris()
>>> X, y = data.data, data.target_names[data.target]
>>> explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
>>> answer = explainer.explain_one(X[0], target="virginica")
>>> ew.plot.changes(answer).get_title(loc="left")
'setosa → virginica'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...answers import ChangesFrontier, Explanation, Explanations, Frontier, Ladder, Levers, Path, WhyNot
from ...explainer import Explainer
from ...text.languages import in_its_wording
from ..audit import Audit
from .pictures.audit import AuditPicture
from .pictures.changes import ChangesPicture
from .pictures.distributions import DistributionsPicture
from .pictures.frontier import ChangesFrontierPicture, FrontierPicture
from .pictures.images import ImagesPicture
from .pictures.levers import LeversPicture
from .pictures.path import PathImagesPicture, PathPicture
from .pictures.plane import PlanePicture
from .pictures.proof import ProofPicture
from .pictures.summary import SummaryPicture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .pictures.canvas import AxesArray

__all__ = [
    "audit",
    "changes",
    "distributions",
    "frontier",
    "images",
    "ladder",
    "levers",
    "path",
    "path_images",
    "plane",
    "proof",
    "summary",
]


def audit(audit: Audit, *, ax: AxesArray | None = None) -> AxesArray:
    """Draw what recourse costs each group: a panel a measure, a point a group with its interval.

    Points of groups that differ significantly from all others are in colour.

    Parameters
    ----------
    audit : Audit
        From :func:`elsewise.audit`.
    ax : array of matplotlib Axes, one a measure, optional

    Returns
    -------
    array of matplotlib Axes, one a measure
    """
    return AuditPicture.compute(audit).draw(ax)


@in_its_wording
def changes(explanation: Explanation, *, max_columns: int = 12, ax: Axes | None = None) -> Axes:
    """Draw what changes in one row: a bar for each column as long as its share of the distance, most costly first.

    At the right stand the values before and after, in the user's units. Blue bars with ▲ rise, orange ones with ▼
    fall, hatched green ones with ◆ go to another level.

    Parameters
    ----------
    explanation : Explanation
        With a counterfactual.
    max_columns : int, default=12
        Further columns share one bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    return ChangesPicture.compute(explanation, max_columns=max_columns).draw(ax)


@in_its_wording
def distributions(
    explanation: Explanation,
    explainer: Explainer,
    columns: Sequence[str] | None = None,
    *,
    max_columns: int = 12,
    ax: AxesArray | None = None,
) -> AxesArray:
    """Draw how real rows of the target class are distributed, and where the row is before and after.

    Parameters
    ----------
    explanation : Explanation
        With a counterfactual.
    explainer : Explainer
        The one that made it.
    columns : sequence of column names, optional
        By default those that change, most costly first.
    max_columns : int, default=12
        Only so many of those that change.
    ax : array of as many matplotlib Axes as there are columns, optional

    Returns
    -------
    array of matplotlib Axes, of shape (n_columns,)
    """
    return DistributionsPicture.compute(explanation, explainer, columns, max_columns=max_columns).draw(ax)


@in_its_wording
def plane(
    explainer: Explainer,
    explanation: Explanation,
    features: tuple[str, str] | None = None,
    *,
    resolution: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """Draw a plane through the counterfactual: what the model says there, and where rows are plausible enough.

    Two numeric columns vary, all others are as in the counterfactual. Thick green lines bound the rows that are dense
    enough, thin ones the single components of the density, dashed ones hold other shares of the target's rows out.

    Parameters
    ----------
    explainer : Explainer
        The one that made the explanation.
    explanation : Explanation
        With a counterfactual.
    features : two names of numeric columns, optional
        Across and up; by default the two most costly changes.
    resolution : int, default=200
        Points a side at which model and density are evaluated.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    return PlanePicture.compute(explainer, explanation, features, resolution=resolution).draw(ax)


@in_its_wording
def proof(
    explainer: Explainer,
    explanation: Explanation,
    columns: tuple[str, str] | None = None,
    *,
    resolution: int = 400,
    ax: Axes | None = None,
) -> Axes:
    """Draw why no smaller change exists, in a plane of two numeric columns.

    The dashed shape holds all smaller changes. It touches the region that is both accepted by the model and realistic,
    and holds nothing of it. All other columns are as in the counterfactual.

    Parameters
    ----------
    explainer : Explainer
        The one that made the explanation.
    explanation : Explanation
        With a counterfactual that differs from the row.
    columns : two names of numeric columns, optional
        Across and up; by default the two most costly changes.
    resolution : int, default=400
        Points a side at which model, density and distance are evaluated.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    return ProofPicture.compute(explainer, explanation, columns, resolution=resolution).draw(ax)


@in_its_wording
def images(
    explanations: Explanation | Explanations | Sequence[Explanation],
    shape: tuple[int, int],
    *,
    ax: AxesArray | None = None,
) -> AxesArray:
    """Draw rows that are images: before, after, and the difference.

    Parameters
    ----------
    explanations : Explanation, Explanations or a sequence of explanations
        Up to 40; rows without a counterfactual say why.
    shape : (height, width)
        In pixels; a row's columns are the pixels line by line.
    ax : array of matplotlib Axes, of shape (n_rows, 3), optional

    Returns
    -------
    array of matplotlib Axes, of shape (n_rows, 3)
    """
    return ImagesPicture.compute(explanations, shape).draw(ax)


@in_its_wording
def frontier(frontier: Frontier | ChangesFrontier, *, ax: Axes | None = None) -> Axes:
    """Draw the distance of the nearest answer against how plausible it has to be, or how much may change.

    Parameters
    ----------
    frontier : Frontier or ChangesFrontier
        From ``explainer.frontier(row, target)``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    if isinstance(frontier, ChangesFrontier):
        return ChangesFrontierPicture.compute(frontier).draw(ax)
    return FrontierPicture.compute(frontier).draw(ax)


@in_its_wording
def ladder(ladder: Ladder, *, ax: Axes | None = None) -> Axes:
    """Draw what each better band takes, from the next band to the best.

    Parameters
    ----------
    ladder : Ladder
        From ``explainer.ladder(row, bands)``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    return LeversPicture.of_ladder(ladder).draw(ax)


@in_its_wording
def levers(levers: Levers, *, max_sets: int = 12, ax: Axes | None = None) -> Axes:
    """Draw which sets of columns are enough by themselves, nearest first.

    Parameters
    ----------
    levers : Levers
        From ``explainer.levers(row, target)``.
    max_sets : int, default=12
        Sets that are drawn; the others are counted.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    return LeversPicture.compute(levers, max_sets=max_sets).draw(ax)


@in_its_wording
def path(path: Path, features: tuple[str, str] | None = None, *, ax: AxesArray | None = None) -> AxesArray:
    """Draw a path: how dense and how probable every place of it is, and the walk on the plane of two columns.

    Parameters
    ----------
    path : Path
        From ``explainer.path(row, target)``.
    features : two column names, optional
        Across and up; by default the two that add most to the length.
    ax : array of two matplotlib Axes, optional

    Returns
    -------
    array of matplotlib Axes, of shape (2,)
    """
    return PathPicture.compute(path, features).draw(ax)


@in_its_wording
def path_images(path: Path, shape: tuple[int, int], *, n_images: int = 9, ax: AxesArray | None = None) -> AxesArray:
    """Draw a path whose rows are images: one turns into another, and below each stands how dense it is.

    Parameters
    ----------
    path : Path
        From ``explainer.path(row, target)``.
    shape : (height, width)
        In pixels; a row's columns are the pixels line by line.
    n_images : int, default=9
        Evenly spread over the way, row and answer included.
    ax : array of n_images matplotlib Axes, optional

    Returns
    -------
    array of matplotlib Axes, of shape (n_images,)
    """
    return PathImagesPicture.compute(path, shape, n_images).draw(ax)


@in_its_wording
def summary(
    explanations: Explanations,
    why_not: Mapping[int, WhyNot] | None = None,
    *,
    max_columns: int = 15,
    ax: AxesArray | None = None,
) -> AxesArray:
    """Draw over many rows which columns change how often and how far, and what stands in the way of the others.

    Parameters
    ----------
    explanations : Explanations
        Of several answers a row, the best one counts.
    why_not : mapping of positions of infeasible rows to WhyNot, optional
        What ``explainer.why_not`` says of them: rows are then grouped by the rules that contradict each other.
    max_columns : int, default=15
        Only so many columns, those that change most often.
    ax : array of two matplotlib Axes, three if some rows have no answer, optional

    Returns
    -------
    array of matplotlib Axes, of shape (2,) or (3,)
        How often, how far and, if some rows have no answer, why.
    """
    return SummaryPicture.compute(explanations, why_not, max_columns=max_columns).draw(ax)
