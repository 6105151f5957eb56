"""What LiCE's repository keeps of its study, read without running anything of it: tables, densities and answers.

Pickles are read by an unpickler that makes arrays of NumPy and, of every other class, an object that only holds what
was saved. The sum-product networks are evaluated here; the study checks that against the published thresholds.
"""

from __future__ import annotations

import importlib
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp

FOLDS = 5
TABLES = ("credit", "adult", "gmsc")
LEAST_DENSITY = 1e-15
"""What SPFlow gives where a histogram has nothing; checked by the published thresholds."""
LEAST_SPREAD = 1e-6
"""Least median absolute deviation of a column that their distance divides by."""
_NUMPY = {
    "numpy": ("ndarray", "dtype"),
    "numpy.core.multiarray": ("_reconstruct", "scalar"),
}


class Kept:
    """An object of a class that is not imported: its attributes, and the arguments it was made with."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _NUMPY.get(module, ()):
            return getattr(importlib.import_module(module.replace("numpy.core", "numpy._core")), name)
        return type(name, (Kept,), {})


def read(path: Path) -> Any:
    """Return what a pickle holds."""
    with path.open("rb") as file:
        return _Reader(file).load()


@dataclass(frozen=True)
class Column:
    """A column as LiCE describes it: levels, or ends of its range; how it may move; what a change costs."""

    name: str
    levels: tuple[Any, ...]
    low: float
    high: float
    is_whole: bool
    is_ordered: bool
    direction: str
    is_fixed: bool
    spread: NDArray[Any]

    @property
    def is_category(self) -> bool:
        """Whether it has levels."""
        return len(self.levels) > 0

    def codes(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return positions of levels, or the numbers themselves."""
        if not self.is_category:
            return np.asarray(values, dtype=np.float64)
        return pd.Index(self.levels).get_indexer(pd.Index(values)).astype(np.float64)

    def encoded(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what the network sees: a number between 0 and 1, one of two levels as 0 or 1, or indicators."""
        codes = self.codes(values)
        if not self.is_category:
            return ((codes - self.low) / (self.high - self.low))[:, None]
        if len(self.levels) == 2:
            return codes[:, None]
        return (codes[:, None] == np.arange(len(self.levels))).astype(np.float64)


@dataclass(frozen=True)
class Fold:
    """One fold of one table."""

    columns: tuple[Column, ...]
    causes: tuple[tuple[str, str], ...]
    labels: tuple[Any, Any]
    training: pd.DataFrame
    training_labels: pd.Series
    rows: pd.DataFrame
    network: bytes
    likelihood: Likelihood

    def distances(self, rows: pd.DataFrame, answers: pd.DataFrame) -> NDArray[Any]:
        """Return their distance: changes of encoded numbers, each divided by its deviation."""
        total = np.zeros(len(rows))
        for column in self.columns:
            change = column.encoded(rows[column.name].to_numpy()) - column.encoded(answers[column.name].to_numpy())
            total += np.abs(change) @ (1.0 / np.maximum(column.spread, LEAST_SPREAD))
        return total

    def likelihoods(self, rows: pd.DataFrame, labels: NDArray[Any]) -> NDArray[Any]:
        """Return their log likelihoods of rows with labels, positions in ``labels`` of the fold."""
        codes = [column.codes(rows[column.name].to_numpy()) for column in self.columns]
        return self.likelihood(np.column_stack([*codes, labels]))


class Likelihood:
    """A sum-product network of histograms."""

    def __init__(self, root: Kept) -> None:
        self.root = root

    def __call__(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return log likelihoods, array of shape (n_samples,), of rows of numbers and positions of levels."""
        found: dict[int, NDArray[Any]] = {}

        def value(node: Any) -> NDArray[Any]:
            if id(node) not in found:
                found[id(node)] = evaluate(node)
            return found[id(node)]

        def evaluate(node: Any) -> NDArray[Any]:
            if type(node).__name__ == "Histogram":
                breaks, densities = np.asarray(node.breaks), np.asarray(node.densities)
                x = codes[:, node.scope[0]]
                place = np.searchsorted(breaks, x, side="right") - 1
                inside = (x >= breaks[0]) & (x < breaks[-1])
                return np.log(np.maximum(np.where(inside, densities[np.where(inside, place, 0)], 0.0), LEAST_DENSITY))
            children = np.stack([value(child) for child in node.children])
            if type(node).__name__ == "Product":
                return children.sum(axis=0)
            return np.asarray(logsumexp(children, axis=0, b=np.asarray(node.weights)[:, None]))

        return value(self.root)


def fold(folder: Path, table: str, number: int) -> Fold:
    """Read one fold; its training rows are the test rows of the others."""
    home = folder / "results" / "real_data" / table
    handler = vars(read(home / str(number) / "models" / "dhandler.pickle"))
    columns = tuple(_column(vars(one)) for one in handler["_DataHandler__input_features"])
    target = vars(handler["_DataHandler__target_feature"])
    others = [home / str(k) / "data" for k in range(FOLDS) if k != number]
    names = [column.name for column in columns]
    csv = {"index_col": 0, "keep_default_na": False}
    training = pd.concat([pd.read_csv(one / "X_test.csv", **csv)[names] for one in others])
    labels = pd.concat([pd.read_csv(one / "y_test.csv", **csv).iloc[:, 0] for one in others])
    order = training.index.argsort()
    spn = vars(read(home / str(number) / "models" / "spn.pickle"))
    return Fold(
        columns=columns,
        causes=tuple(
            (vars(cause)["_Feature__name"], vars(effect)["_Feature__name"])
            for cause, effect in handler["_DataHandler__causal_inc"]
        ),
        labels=(target["_Binary__negative_val"], target["_Binary__positive_val"]),
        training=training.iloc[order].reset_index(drop=True),
        training_labels=labels.iloc[order].reset_index(drop=True),
        rows=pd.read_csv(home / str(number) / "data" / "X_subtest.csv", **csv)[names],
        network=(home / str(number) / "models" / "nn.onnx").read_bytes(),
        likelihood=Likelihood(spn["_SPN__mspn"]),
    )


def published(folder: Path, table: str, number: int, variant: str) -> dict[Any, dict[str, Any]]:
    """Return what one of its variants answered: per row answers, seconds and the threshold."""
    return dict(read(folder / "results" / "real_data" / table / str(number) / "CEs" / f"{variant}.pickle"))


def _column(kept: dict[str, Any]) -> Column:
    levels: tuple[Any, ...] = ()
    low = high = 0.0
    if "_Contiguous__bounds" in kept:
        low, high = (float(end) for end in kept["_Contiguous__bounds"])
    elif "_Categorical__value_names" in kept:
        levels = tuple(kept["_Categorical__value_names"])
    else:
        levels = (kept["_Binary__negative_val"], kept["_Binary__positive_val"])
    return Column(
        name=kept["_Feature__name"],
        levels=levels,
        low=low,
        high=high,
        is_whole=bool(kept.get("_Contiguous__discrete", False)),
        is_ordered=kept.get("_Categorical__ordering") is not None,
        direction=kept["_Feature__monotone"].arguments[1],
        is_fixed=not kept["_Feature__modifiable"],
        spread=np.asarray(kept["_MAD"], dtype=np.float64),
    )
