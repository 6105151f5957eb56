"""Made-up tables of the kinds people have: credit applications, credit scores with special codes, people.

Seeded; mixed columns, rare levels, missing levels, codes for "no number". They stand in for real files everywhere.
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def _levels(rng: np.random.Generator, names: list[str], n: int, tilt: np.ndarray) -> np.ndarray:
    """Draw levels, later ones more often where ``tilt`` is high; the last one is rare."""
    weights = np.linspace(1.0, 0.4, len(names))
    weights[-1] = 0.05
    score = np.log(weights) + np.outer(tilt, np.linspace(-0.6, 0.6, len(names))) + rng.gumbel(size=(n, len(names)))
    return np.array(names, dtype=object)[score.argmax(axis=1)]


def credit(n: int = 900, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Twelve columns, seven of them categories with rare and missing levels; 1 is a default."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "months": np.clip(rng.poisson(np.exp(3.0 - 0.25 * worth)), 4, 72),
            "amount": np.round(np.exp(7.8 - 0.3 * worth + 0.5 * rng.normal(size=n))).astype(int),
            "rate": rng.integers(1, 5, n),
            "age": np.clip(np.round(36 + 4 * worth + 10 * rng.normal(size=n)), 19, 75).astype(int),
            "loans": 1 + rng.poisson(0.4, n),
            "account": _levels(rng, ["overdrawn", "small", "none", "large"], n, worth),
            "history": _levels(rng, ["late", "paid", "critical", "first", "abroad"], n, worth),
            "purpose": _levels(rng, ["car", "radio", "house", "school", "holiday"], n, 0.2 * worth),
            "savings": _levels(rng, ["little", "some", "much", "unknown"], n, worth),
            "housing": _levels(rng, ["rent", "own", "free"], n, worth),
            "job": _levels(rng, ["unskilled", "skilled", "expert", "seasonal"], n, 0.5 * worth),
            "foreign": _levels(rng, ["yes", "no", "unclear"], n, 0.1 * worth),
        }
    )
    risk = 0.04 * frame.months + 0.0002 * frame.amount - 0.02 * frame.age - worth + rng.logistic(size=n)
    return frame, (risk > np.quantile(risk, 0.7)).astype(int)


def scores(n: int = 1200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Nine columns of whole numbers in which -9, -8 and -7 stand for no number; "Good" is wanted."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "estimate": np.round(70 + 8 * worth + 4 * rng.normal(size=n)),
            "oldest": np.round(np.exp(5.0 + 0.2 * worth + 0.4 * rng.normal(size=n))),
            "newest": rng.poisson(np.exp(1.8 + 0.1 * worth)),
            "file": np.round(75 + 15 * worth + 25 * rng.normal(size=n)),
            "satisfied": rng.poisson(np.exp(2.9 + 0.15 * worth)),
            "never_late": np.clip(np.round(92 + 4 * worth + 8 * rng.normal(size=n)), 0, 100),
            "inquiries": rng.poisson(np.exp(0.3 - 0.3 * worth)),
            "burden": np.clip(np.round(35 - 12 * worth + 20 * rng.normal(size=n)), 0, 150),
            "with_balance": np.clip(np.round(66 - 8 * worth + 18 * rng.normal(size=n)), 0, 100),
        }
    ).astype(np.int64)
    for column, code, share in (("newest", -7, 0.08), ("burden", -8, 0.06), ("inquiries", -7, 0.03)):
        frame.loc[rng.random(n) < share, column] = code
    frame.loc[rng.random(n) < 0.03, :] = -9  # no file at all
    good = 0.9 * worth - 0.01 * np.clip(frame["burden"], 0, None) + rng.logistic(0, 0.5, n) > -0.3
    return frame, np.where(good, "Good", "Bad")


def people(n: int = 1200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Eight columns, four of them categories of which one has missing values; 1 is wanted."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "age": np.clip(np.round(38 + 6 * worth + 12 * rng.normal(size=n)), 17, 90).astype(int),
            "years_of_school": np.clip(np.round(10 + 1.5 * worth + 2 * rng.normal(size=n)), 1, 16).astype(int),
            "hours": np.clip(np.round(40 + 4 * worth + 9 * rng.normal(size=n)), 1, 80).astype(int),
            "gain": np.where(rng.random(n) < 0.1 + 0.05 * (worth > 0), rng.integers(100, 9000, n), 0),
            "work": _levels(rng, ["private", "state", "own firm", "none"], n, 0.3 * worth),
            "status": _levels(rng, ["single", "married", "divorced", "widowed"], n, 0.5 * worth),
            "sex": _levels(rng, ["female", "male", "other"], n, 0.1 * worth),
            "origin": _levels(rng, ["here", "north", "south", "island"], n, 0.1 * worth),
        }
    )
    frame.loc[rng.random(n) < 0.05, "work"] = "?"
    income = worth + 0.02 * frame.hours + 0.1 * frame.years_of_school + rng.logistic(0, 0.7, n)
    return frame, (income > np.quantile(income, 0.7)).astype(int)
