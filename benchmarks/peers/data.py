"""The data sets of the comparison: the paper's five, and HELOC."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import problems

FloatArray = NDArray[np.float64]

HELOC_TEST_ROWS = 2_000


def load(
    house_prices: Path | None, heloc: Path | None, *, quick: bool = False
) -> tuple[list[problems.Problem], list[str]]:
    """Make all problems; the second value says what was left out and why."""
    left_out = []
    found = list(_bundled())
    if house_prices is None:
        left_out.append("house prices: left out, give the file with --house-prices (columns CRIM to LSTAT, and MEDV)")
    else:
        X, y = read_house_prices(house_prices)
        found += [problems.build("house prices", X, y, model, n_components=10) for model in problems.MODELS]
    if heloc is None:
        left_out.append("HELOC: left out, give the file with --heloc (numeric columns, and RiskPerformance)")
    else:
        X, y = read_heloc(heloc)
        test_size = 200 if quick else HELOC_TEST_ROWS
        found += [problems.build("HELOC", X, y, model, test_size=test_size) for model in problems.MODELS]
    return found, left_out


def _bundled() -> Iterator[problems.Problem]:
    for data in problems.DATA:
        for model in problems.MODELS:
            yield problems.load(data, model)


def read_house_prices(path: Path) -> tuple[FloatArray, NDArray[np.int64]]:
    """Features, and whether the price is at least 20,000 dollars (the paper's label)."""
    columns, values = _read(path)
    price = columns.index("MEDV")
    numbers = np.array(values, dtype=np.float64)
    return np.delete(numbers, price, axis=1), (numbers[:, price] >= 20.0).astype(np.int64)


def read_heloc(path: Path) -> tuple[FloatArray, NDArray[np.int64]]:
    """Features as they are, special codes included, and whether the risk performance is good."""
    columns, values = _read(path)
    label = columns.index("RiskPerformance")
    good = np.array([row[label] == "Good" for row in values], dtype=np.int64)
    return np.array([row[:label] + row[label + 1 :] for row in values], dtype=np.float64), good


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    return lines[0], lines[1:]
