"""The five data sets of the paper, raw as it used them."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml, load_breast_cancer, load_digits, load_iris, load_wine

from ...arrays import FloatArray, IntArray
from ...errors import InvalidInputError

# Least price of a house of class 1, in thousands of dollars: "1 if the price is greater or equal to 20k$".
LEAST_HIGH_PRICE = 20.0

# As OpenML and the UCI repository name the columns of the Boston house prices.
_FEATURES = ("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT")
_PRICE = "MEDV"


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """Rows, labels and how many principal components the paper keeps.

    Attributes
    ----------
    name, title : str
        As in options and files, and as in the table.
    X : array of shape (n_samples, n_features)
    y : int array of shape (n_samples,)
    n_components : int or None
        None is no PCA.
    """

    name: str
    title: str
    X: FloatArray
    y: IntArray
    n_components: int | None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A data set that could not be had, and why."""

    name: str
    reason: str


# Title, loader in scikit-learn and principal components of each data set.
_BUNDLED: dict[str, tuple[str, Callable[..., tuple[FloatArray, IntArray]], int | None]] = {
    "iris": ("Iris", load_iris, None),
    "digits": ("Digits", load_digits, 40),
    "wine": ("Wine", load_wine, 8),
    "breast_cancer": ("Breast cancer", load_breast_cancer, 5),
}
NAMES = (*_BUNDLED, "house_prices")
TITLES = {**{name: title for name, (title, _, _) in _BUNDLED.items()}, "house_prices": "House prices"}


def load(
    names: Sequence[str] = NAMES, house_prices: Path | None = None
) -> tuple[tuple[DataSet, ...], tuple[Skipped, ...]]:
    """Load data sets; house prices come from a file or, without one, from OpenML.

    Parameters
    ----------
    names : sequence of str
        Some of ``NAMES``.
    house_prices : Path, optional
        CSV with the columns CRIM to LSTAT and MEDV.

    Returns
    -------
    data sets, and those skipped because they are neither in a file nor reachable
    """
    loaded: list[DataSet] = []
    skipped: list[Skipped] = []
    for name in dict.fromkeys(names):
        if name in _BUNDLED:
            title, loader, n_components = _BUNDLED[name]
            X, y = loader(return_X_y=True)
            loaded.append(DataSet(name, title, np.asarray(X, dtype=np.float64), y.astype(np.int64), n_components))
        elif name == "house_prices":
            found = _from_openml() if house_prices is None else _from_file(house_prices)
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                loaded.append(found)
        else:
            raise InvalidInputError(f"Unknown data set {name!r}: expected some of {', '.join(NAMES)}.")
    return tuple(loaded), tuple(skipped)


def _house_prices(columns: dict[str, FloatArray]) -> DataSet:
    X = np.column_stack([columns[name] for name in _FEATURES])
    return DataSet("house_prices", "House prices", X, (columns[_PRICE] >= LEAST_HIGH_PRICE).astype(np.int64), 10)


def _from_file(path: Path) -> DataSet:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        missing = [name for name in (*_FEATURES, _PRICE) if name not in (reader.fieldnames or ())]
        if missing:
            raise InvalidInputError(
                f"{path}: expected a CSV file with the columns {', '.join((*_FEATURES, _PRICE))}; it has no "
                f"{', '.join(missing)}."
            )
        lines = list(reader)
    columns = {}
    for name in (*_FEATURES, _PRICE):
        try:
            columns[name] = np.array([float(line[name]) for line in lines])
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"{path}: column {name} has a value that is not a number ({error}).") from error
        if not np.isfinite(columns[name]).all():
            raise InvalidInputError(f"{path}: column {name} has a value that is not finite. Drop such rows first.")
    return _house_prices(columns)


def _from_openml() -> DataSet | Skipped:
    remedy = "Give a CSV file with --house-prices FILE."
    try:
        import pandas  # noqa: F401  (OpenML stores two of the columns as categories, whose values only a frame keeps)
    except ImportError:
        return Skipped(
            "house_prices", f"fetching it from OpenML needs pandas (pip install 'elsewise[frames]'). {remedy}"
        )
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred", category=UserWarning)
            frame = fetch_openml(name="boston", version=1, as_frame=True, parser="liac-arff", n_retries=1).frame
    except (OSError, HTTPException) as error:  # no route, no name, refused, timed out, or cut short
        return Skipped("house_prices", f"OpenML cannot be reached ({error}). {remedy}")
    return _house_prices({name: frame[name].to_numpy().astype(np.float64) for name in (*_FEATURES, _PRICE)})
