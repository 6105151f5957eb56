"""Labelled grey images of one size from a file of the user's: the usual forms in which MNIST is passed on.

- ``.npz``: ``x_train`` and ``y_train`` (with ``x_test`` and ``y_test``, if there), or ``X`` and ``y``.
- ``.csv``, also ``.csv.gz``: one image a line, with or without a line of names; the label is the column ``label`` or
  ``class``, the first one without names.
- the original ``...-images-idx3-ubyte``, also ``.gz``: labels are in ``...-labels-idx1-ubyte`` beside it, or given.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

import numpy as np

from ...arrays import AnyArray, FloatArray, IntArray
from ...errors import InvalidInputError

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
