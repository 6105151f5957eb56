"""A table of four columns whose every possible row can be listed, and one of six with numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd


def small_table(n: int = 400, seed: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw rows; "good" is wanted."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "years": rng.integers(0, 5, n),
            "loans": rng.integers(0, 4, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "member": rng.choice(["no", "yes"], n),
        }
    )
    score = frame["years"] - frame["loans"] + (frame["colour"] == "red") + 1.5 * (frame["member"] == "yes")
    return frame, np.where(score + rng.normal(size=n) > 2.5, "good", "bad")


def listed(row: pd.Series, weights: dict[str, float]) -> tuple[pd.DataFrame, np.ndarray]:
    """All rows of the small table, and their distances."""
    ways = itertools.product(range(5), range(4), ["red", "green", "blue"], ["no", "yes"])
    rows = pd.DataFrame(list(ways), columns=["years", "loans", "colour", "member"])
    return rows, between(rows, row, weights)


def between(rows: pd.DataFrame, row: pd.Series, weights: dict[str, float]) -> np.ndarray:
    """Distances of rows from one, in the small table's columns."""
    away = sum(weights[name] * (rows[name] - row[name]).abs() for name in ("years", "loans"))
    return np.asarray(
        away + sum(weights[name] * (rows[name] != row[name]) for name in ("colour", "member")), dtype=float
    )


def mixed_table(n: int = 300, seed: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw rows with two numbers, two whole numbers and two categories; "good" is wanted."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "income": np.round(np.exp(3 + 0.3 * worth + 0.3 * rng.normal(size=n)), 2),
            "debt": np.round(np.exp(2 - 0.3 * worth + 0.4 * rng.normal(size=n)), 2),
            "years": rng.poisson(np.exp(1 + 0.3 * worth)),
            "age": np.clip(np.round(40 + 5 * worth + 8 * rng.normal(size=n)), 18, 80).astype(int),
            "housing": np.where(worth + rng.normal(size=n) > 0, "own", "rent"),
            "job": rng.choice(["clerk", "nurse", "smith"], n),
        }
    )
    return frame, np.where(worth + 0.5 * rng.normal(size=n) > 0.5, "good", "bad")
