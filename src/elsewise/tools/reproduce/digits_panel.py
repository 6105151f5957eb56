"""Figure 1: digits, their closest counterfactuals and their plausible ones, under two models.

Whether a picture reads as the requested digit is for the reader of the figure to say. A second opinion for all held-out
rows comes from a classifier that had no part in making them: a support vector machine with a Gaussian kernel on the
pixels of the training rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ...arrays import FloatArray, IntArray
from ...density import GaussianMixtureDensity
from ...explainer import Explainer
from ..plot.pictures.canvas import INK, MUTED, new_figure
from .data import DataSet, load
from .protocol import MODELS, PAPER_THRESHOLD, Fold, Protocol, prepare_fold
from .table import Section, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sklearn.base import BaseEstimator
    from sklearn.mixture import GaussianMixture


# Kernel width of the support vector machine that reads digits, for pixels from 0 to 16: the value in scikit-learn's own
# example for these data.
READER_GAMMA = 0.001

# ---- images of the user's file ----

# Inverse of the penalty of the softmax regression on pixels, for pixels from 0 to 1 and one pixel; and the same of the
# reader's kernel width. For digits of 64 pixels from 0 to 16 they are 0.01, and the 0.001 above.
IMAGE_PENALTY, READER_RANGE = 0.01 * 16.0**2 * 64, READER_GAMMA * 16.0**2 * 64

# ---- the authors' program ----


# Components of a digit's mixture of low rank, and the directions of each: several handwritings, each with little of its
# own. Found by looking at digits: held-out likelihood would take one component of rank 16, whose counterfactuals keep
# more of the original.
LOW_RANK_COMPONENTS, LOW_RANK = 10, 2

_MODELS = ("softmax", "tree")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Pictures with their labels: their own ones, or those requested.

    Attributes
    ----------
    title : str
    pictures : array of shape (n_pictures, side * side)
    labels : int array of shape (n_pictures,)
    """

    title: str
    pictures: FloatArray
    labels: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class DigitsPanel:
    """The figure, and how many of all held-out counterfactuals another classifier reads as requested.

    Attributes
    ----------
    blocks : tuple of Block
    readings : Section
    side : int
        Pixels of a side.
    brightest : float
        What is drawn in black.
    """

    blocks: tuple[Block, ...]
    readings: Section
    side: int = 8
    brightest: float = 16.0

    def draw(self) -> Figure:
        """Draw all pictures and return the ``matplotlib.figure.Figure``."""
        n = len(self.blocks[0].labels)
        figure = new_figure(0.85 * n + 1.7, 1.12 * len(self.blocks) + 0.1)
        axes = figure.subplots(len(self.blocks), n, squeeze=False)
        for block, row in zip(self.blocks, axes):
            for picture, label, ax in zip(block.pictures, block.labels.tolist(), row):
                square = picture.reshape(self.side, self.side)
                ax.imshow(square, cmap="gray_r", vmin=0.0, vmax=self.brightest, interpolation="bilinear")
                ax.set(xticks=[], yticks=[])
                ax.set_xlabel(str(label), color=INK, fontsize=11, labelpad=2)
                for spine in ax.spines.values():
                    spine.set_color(MUTED)
            row[0].set_ylabel(block.title, rotation=0, ha="right", va="center", color=INK, fontsize=10)
        return figure


def digits_panel(seed: int = 0) -> DigitsPanel:
    """Explain the held-out digits, with the estimators of the authors' program, and show one of each.

    The one is drawn, with the seed, among those that both models call by their label; nobody chose it.

    Parameters
    ----------
    seed : int
        Of the folds, the targets and the choice of rows.
    """
    (data,), _ = load(["digits"])
    protocol = Protocol(seed=seed, estimators="published")
    train, test = protocol.split(data, 0)
    targets = protocol.targets(data)[test]
    with threadpool_limits(limits=1):
        fold = prepare_fold(data, protocol, train)
        models = {name: make_pipeline(fold.pca, MODELS[name][1]().fit(fold.Z, fold.y)) for name in _MODELS}
        densities = {
            "closest": None,
            "plausible": fold.mixtures,
            "plausible, default mixtures": _mixtures(fold, GaussianMixtureDensity()),
            # Many round components stay nearer to the training rows than few long ones.
            "plausible, spherical mixtures": _mixtures(
                fold, GaussianMixtureDensity(covariance_type="spherical", max_components=20)
            ),
            "plausible, low-rank mixtures": _mixtures(
                fold,
                GaussianMixtureDensity(covariance_type="low_rank", n_components=LOW_RANK_COMPONENTS, rank=LOW_RANK),
            ),
        }
        answers = {
            kind: {name: _explain(model, density, fold, data.X[test], targets) for name, model in models.items()}
            for kind, density in densities.items()
        }
        shown = _one_of_each(data, test, models, seed)
        blocks = [Block("original", data.X[test[shown]], data.y[test[shown]])]
        for kind in ("closest", "plausible", "plausible, spherical mixtures", "plausible, low-rank mixtures"):
            for name in _MODELS:
                title = f"{kind},\n{MODELS[name][0].lower()}"
                blocks.append(Block(title, answers[kind][name][shown], targets[shown]))
        return DigitsPanel(tuple(blocks), _readings(fold, answers, targets, data.y[test]))


def _explain(
    model: BaseEstimator, density: dict[int, GaussianMixture] | None, fold: Fold, X: FloatArray, targets: IntArray
) -> FloatArray:
    """Counterfactuals of rows under one model and density, NaN where there is none."""
    explainer = Explainer(
        model, distance="manhattan", learn_rules=False, density=density, threshold=PAPER_THRESHOLD
    ).fit(fold.X, fold.y)
    points: FloatArray = explainer.explain(X, targets, on_satisfied="move").counterfactuals
    return points


def _mixtures(fold: Fold, estimator: GaussianMixtureDensity) -> dict[int, GaussianMixture]:
    """Mixture of every class by another estimator than the panel's."""
    return {label: estimator.fit(fold.Z[fold.y == label]).mixture_ for label in np.unique(fold.y).tolist()}


def _one_of_each(data: DataSet, test: IntArray, models: Mapping[str, BaseEstimator], seed: int) -> IntArray:
    """Positions in ``test`` of one row of every digit that all models get right, int array of shape (10,)."""
    X, y = data.X[test], data.y[test]
    correct = np.all([model.predict(X) == y for model in models.values()], axis=0)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(correct))
    return np.array([next(i for i in order if y[i] == digit) for digit in range(10)])


def _readings(
    fold: Fold, answers: Mapping[str, Mapping[str, FloatArray]], targets: IntArray, labels: IntArray
) -> Section:
    reader = SVC(gamma=READER_GAMMA).fit(fold.X, fold.y)
    rows = []
    for kind, by_model in answers.items():
        for name, points in by_model.items():
            found = np.isfinite(points).all(axis=1)
            read = reader.predict(points[found])
            shares = [float(np.mean(read == wanted[found])) for wanted in (targets, labels)]
            rows.append((kind, name, str(int(found.sum())), *(percent(share) for share in shares)))
    title = "Digits read by a classifier that had no part in making them, in %"
    return Section(title, ("Counterfactuals", "Model", "rows", "as requested", "as the original"), tuple(rows))
