"""Images of the user's file: the closest counterfactuals, the paper's way and mixtures of low rank side by side.

The paper's way is that of its digits: the leading principal components, a softmax regression of them, a mixture with
full covariances of each class, and the median density of training rows. The other is a softmax regression of the pixels
with components of low rank for each class, pixels kept in their range, and answers of which the model is as sure as of
half of the training images.

Labelled grey images of one size from a file of the user's: the usual forms in which MNIST is passed on.

- ``.npz``: ``x_train`` and ``y_train`` (with ``x_test`` and ``y_test``, if there), or ``X`` and ``y``.
- ``.csv``, also ``.csv.gz``: one image a line, with or without a line of names; the label is the column ``label`` or
  ``class``, the first one without names.
- the original ``...-images-idx3-ubyte``, also ``.gz``: labels are in ``...-labels-idx1-ubyte`` beside it, or given.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ...arrays import AnyArray, FloatArray, IntArray
from ...density import GaussianMixtureDensity
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...rules import Constraints
from .digits_panel import IMAGE_PENALTY, LOW_RANK, LOW_RANK_COMPONENTS, READER_RANGE, Block, DigitsPanel
from .protocol import PAPER_THRESHOLD
from .table import Section, percent

# Type of an idx file whose values are bytes.
IDX_BYTES = 0x08

_LABELS = ("label", "class", "y", "target")


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """Square grey images with their labels.

    Attributes
    ----------
    X : array of shape (n_images, side * side)
    y : int array of shape (n_images,)
    """

    X: FloatArray
    y: IntArray

    @property
    def side(self) -> int:
        """Pixels of a side."""
        return isqrt(self.X.shape[1])

    @property
    def brightest(self) -> float:
        """The largest value that a pixel has."""
        return float(self.X.max())


def read_images(path: Path, labels: Path | None = None) -> Images:
    """Read images and labels.

    Parameters
    ----------
    path : path of a file in one of the forms above
    labels : path, optional
        Of the labels that belong to an idx file of images.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".npz"):
        X, y = _of_npz(path)
    elif name.endswith(".csv"):
        X, y = _of_csv(path)
    else:
        beside = path.with_name(path.name.replace("images-idx3", "labels-idx1").replace("images.idx3", "labels.idx1"))
        if labels is None and beside == path:
            raise InvalidInputError(
                f"{path}: expected an .npz, a .csv, or a file ...-images-idx3-ubyte with its labels beside it; give "
                "the file of labels with --labels."
            )
        X, y = _of_idx(path), _of_idx(beside if labels is None else labels)
    return _checked(path, X, y)


def _of_npz(path: Path) -> tuple[AnyArray, AnyArray]:
    with np.load(path, allow_pickle=False) as arrays:
        for images, labels in (("x_train", "y_train"), ("X", "y")):
            if images in arrays and labels in arrays:
                tests = [(images.replace("train", "test"), labels.replace("train", "test"))] * (images == "x_train")
                pairs = [(images, labels), *(pair for pair in tests if pair[0] in arrays and pair[1] in arrays)]
                X, y = ([arrays[pair[side]] for pair in pairs] for side in (0, 1))
                return np.concatenate(X), np.concatenate(y)
        raise InvalidInputError(f"{path}: expected arrays x_train and y_train, or X and y, received {arrays.files}.")


def _of_csv(path: Path) -> tuple[AnyArray, AnyArray]:
    import pandas as pd

    with gzip.open(path, "rt") if path.name.endswith(".gz") else path.open() as lines:
        names = [name.strip().strip("\"'") for name in lines.readline().split(",")]
    has_names = not all(name.replace(".", "", 1).isdigit() for name in names)
    table = pd.read_csv(path, header=0 if has_names else None)
    place = next((i for i, name in enumerate(names) if has_names and name.lower() in _LABELS), 0)
    return table.drop(columns=table.columns[place]).to_numpy(), table.iloc[:, place].to_numpy()


def _of_idx(path: Path) -> AnyArray:
    """Read an idx file of bytes: two zeros, the type, the number of dimensions; their sizes; the values."""
    if not path.exists():
        raise InvalidInputError(f"{path}: there is no such file; give the file of labels with --labels.")
    with gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb") as file:
        data = file.read()
    if len(data) < 4 or data[:3] != bytes([0, 0, IDX_BYTES]) or len(data) < 4 + 4 * data[3]:
        raise InvalidInputError(f"{path}: expected an idx file of bytes, received one that begins with {data[:4]!r}.")
    sizes = np.frombuffer(data, dtype=">u4", count=data[3], offset=4).astype(np.int64)
    values = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * data[3])
    if len(values) != sizes.prod():
        raise InvalidInputError(f"{path}: expected {sizes.prod()} values ({sizes.tolist()}), received {len(values)}.")
    return values.reshape(sizes.tolist())


def _checked(path: Path, X: AnyArray, y: AnyArray) -> Images:
    rows = np.asarray(X, dtype=np.float64).reshape(len(X), -1)
    labels = np.asarray(y).reshape(-1)
    if len(rows) != len(labels):
        raise InvalidInputError(f"{path}: expected a label for each of the {len(rows)} images, received {len(labels)}.")
    if isqrt(rows.shape[1]) ** 2 != rows.shape[1]:
        raise InvalidInputError(f"{path}: expected square images, received {rows.shape[1]} pixels an image.")
    if not np.isfinite(rows).all() or rows.min(initial=0.0) < 0.0 or not rows.max(initial=0.0) > 0.0:
        raise InvalidInputError(f"{path}: expected grey values from 0 upwards, some of them above, without gaps.")
    return Images(rows, labels.astype(np.int64))


# Images of a class that models and densities are fitted to, at most: some minutes' work for 28 x 28 pixels.
IMAGES_A_CLASS = 300
# Principal components of the paper's way, and numbers of components tried in its mixtures.
IMAGE_COMPONENTS, MOST_MIXTURES = 40, 5
# The model is as sure of answers as of this share of the training images: digits of 64 pixels then read as requested.
CONFIDENCE = 0.5

CLOSEST, PAPER, SURE = "closest", "plausible,\nthe paper's way", "plausible,\nlow rank, sure"


def images_panel(images: Images, *, n_rows: int, seed: int = 0) -> DigitsPanel:
    """Explain images that were not trained on, show one of each class, and tell how many another classifier reads.

    Parameters
    ----------
    images : Images
    n_rows : int
        How many images are explained, the shown ones among them.
    seed : int
        Of the choice of images and of the wanted classes.
    """
    rng = np.random.default_rng(seed)
    train, test = _divided(images.y, rng, n_rows)
    classes = np.unique(images.y)
    X, y = images.X[train], images.y[train]
    rows, labels = images.X[test], images.y[test]
    targets = classes[(np.searchsorted(classes, labels) + rng.integers(1, len(classes), len(test))) % len(classes)]
    with threadpool_limits(limits=1):
        answers = _answers(images, X, y, rows, targets)
    shown = np.array([np.flatnonzero(labels == label)[0] for label in classes.tolist()])
    blocks = [Block("original", rows[shown], labels[shown])]
    blocks += [Block(kind, points[shown], targets[shown]) for kind, points in answers.items()]
    # Gaussian kernels as wide, relative to the range of the pixels, as those that read the small digits.
    reader = SVC(gamma=READER_RANGE / images.brightest**2 / images.X.shape[1]).fit(X, y)
    return DigitsPanel(tuple(blocks), _readings(reader, rows, answers, targets, labels), images.side, images.brightest)


def _divided(y: IntArray, rng: np.random.Generator, n_rows: int) -> tuple[IntArray, IntArray]:
    """Images to train on, at most so many of each class, and images to explain, one of each class first."""
    order = rng.permutation(len(y))
    of_class = [order[y[order] == label] for label in np.unique(y).tolist()]
    n_first = max(1, n_rows // len(of_class))
    test = np.concatenate([members[:n_first] for members in of_class])
    return np.concatenate([members[n_first : n_first + IMAGES_A_CLASS] for members in of_class]), test


def _answers(images: Images, X: FloatArray, y: IntArray, rows: FloatArray, targets: IntArray) -> dict[str, FloatArray]:
    """Counterfactuals of the rows in every way, NaN where there is none."""
    # One penalty for all images: that of pixels from 0 to 1, and as many of them as there are.
    softmax = LogisticRegression(C=IMAGE_PENALTY / images.brightest**2 / X.shape[1], max_iter=5_000)
    grey = Constraints(bounds={f"x{pixel}": (0.0, images.brightest) for pixel in range(X.shape[1])})
    on_pixels = softmax.fit(X, y)
    closest = Explainer(on_pixels, distance="manhattan", learn_rules=False, density=None).fit(X, y)
    low_rank = GaussianMixtureDensity(covariance_type="low_rank", n_components=LOW_RANK_COMPONENTS, rank=LOW_RANK)

    pca = PCA(min(IMAGE_COMPONENTS, X.shape[1] // 2), svd_solver="full").fit(X)
    behind = make_pipeline(pca, LogisticRegression(max_iter=100_000).fit(pca.transform(X), y))
    full = GaussianMixtureDensity(max_components=MOST_MIXTURES)
    as_paper = Explainer(behind, distance="manhattan", learn_rules=False, density=full, threshold=PAPER_THRESHOLD).fit(
        X, y
    )
    as_read = Explainer(on_pixels, distance="manhattan", learn_rules=False, density=low_rank).fit(X, y)
    return {
        CLOSEST: closest.explain(rows, targets, constraints=grey).counterfactuals,
        PAPER: as_paper.explain(rows, targets, on_satisfied="move").counterfactuals,
        SURE: as_read.explain(
            rows, targets, constraints=grey, confidence=CONFIDENCE, on_satisfied="move"
        ).counterfactuals,
    }


def _readings(
    reader: SVC, rows: FloatArray, answers: Mapping[str, FloatArray], targets: IntArray, labels: IntArray
) -> Section:
    lines: list[tuple[str, ...]] = [
        ("originals", str(len(rows)), "", percent(float(np.mean(reader.predict(rows) == labels))))
    ]
    for kind, points in answers.items():
        found = np.isfinite(points).all(axis=1)
        read = reader.predict(points[found]) if found.any() else np.empty(0, dtype=labels.dtype)
        shares = [float(np.mean(read == wanted[found])) if found.any() else 0.0 for wanted in (targets, labels)]
        lines.append((kind.replace("\n", " "), str(int(found.sum())), *map(percent, shares)))
    title = "Images read by a classifier that had no part in making them, in %"
    return Section(title, ("Images", "found", "as requested", "as the original"), tuple(lines), 1)
