"""Explainers to explore without data of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ....arrays import IntArray, UserData, UserTarget
from ....errors import InvalidInputError, MissingDependencyError
from ....explainer import Explainer
from ....fitted.fitting import with_column_names

# Rows that a demo holds out to be looked at, as a share of all.
HELD_OUT = 0.25

NAMES = ("breast_cancer", "digits", "german")


@dataclass(frozen=True, slots=True)
class Demo:
    """An explainer with rows to pick from.

    Attributes
    ----------
    title : str
    explainer : Explainer
    rows : data frame or array of shape (n_rows, n_columns), or None
        Of a demo those held out from training.
    image_shape : (height, width) or None
    target : label or None
        What the page asks for first.
    """

    title: str
    explainer: Explainer
    rows: UserData
    image_shape: tuple[int, int] | None = None
    target: UserTarget = None


def breast_cancer() -> Demo:
    """Tumours of the Breast Cancer Wisconsin data: 30 measurements, benign or malignant."""
    data = load_breast_cancer()
    train, test = _split(len(data.data))
    labels = data.target_names[data.target]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data[train], labels[train])
    explainer = Explainer(model, distance="scaled").fit(data.data[train], labels[train])
    explainer.fitted_ = with_column_names(explainer.fitted_, [str(name) for name in data.feature_names])
    return Demo("Breast cancer", explainer, data.data[test], target="benign")


def digits() -> Demo:
    """Handwritten digits of 8 x 8 pixels."""
    data = load_digits()
    train, test = _split(len(data.data))
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(data.data[train], data.target[train])
    explainer = Explainer(model, distance="manhattan").fit(data.data[train], data.target[train])
    explainer.fitted_ = with_column_names(explainer.fitted_, list(data.feature_names))
    return Demo("Handwritten digits", explainer, data.data[test], (8, 8))


def german(path: Path) -> Demo:
    """German credit data, from a CSV file with the label ``default`` (0 or 1)."""
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError(
            "The German credit demo needs pandas. Install it with: pip install 'elsewise[frames]'"
        ) from error
    from sklearn.compose import make_column_selector, make_column_transformer

    table = pandas.read_csv(path)
    if "default" not in table.columns:
        raise InvalidInputError(f"{path}: expected a column 'default' with 0 or 1, there are {list(table.columns)}.")
    labels = np.where(table.pop("default") == 1, "bad", "good")
    train, test = _split(len(table))
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include="number")),
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        ),
        LogisticRegression(max_iter=1000),
    ).fit(table.iloc[train], labels[train])
    explainer = Explainer(model).fit(table.iloc[train], labels[train])
    return Demo("German credit", explainer, table.iloc[test], target="good")


def load(name: str, path: Path | None = None) -> Demo:
    """Make a demo by its name; ``path`` is for those whose data are in a file."""
    if name == "german":
        if path is None:
            raise InvalidInputError("The demo german needs the path of its CSV file: --demo german PATH.")
        return german(path)
    return {"breast_cancer": breast_cancer, "digits": digits}[name]()


def _split(n: int) -> tuple[IntArray, IntArray]:
    """Positions of rows to learn from, and of those to look at."""
    order, n_held_out = np.random.default_rng(0).permutation(n), int(n * HELD_OUT)
    return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])
