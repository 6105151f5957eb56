"""A made-up table like that of a bank's campaign: sixteen columns, seven numbers, nine categories."""

from __future__ import annotations

import numpy as np
import pandas as pd


def bank(n: int = 1500, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw customers; "yes" is wanted."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n)

    def level(names: str, tilt: float) -> np.ndarray:
        levels = names.split()
        score = tilt * np.outer(worth, np.linspace(-1, 1, len(levels))) + rng.gumbel(size=(n, len(levels)))
        return np.array(levels, dtype=object)[score.argmax(axis=1)]

    frame = pd.DataFrame(
        {
            "age": np.clip(np.round(41 + 3 * worth + 10 * rng.normal(size=n)), 18, 90).astype(int),
            "job": level("services worker admin student retired manager", 0.5),
            "marital": level("divorced married single", 0.3),
            "education": level("primary secondary tertiary", 0.6),
            "default": level("yes no", 0.4),
            "balance": np.round(np.exp(6.5 + 0.5 * worth + 0.9 * rng.normal(size=n)), 2),
            "housing": level("yes no", 0.5),
            "loan": level("yes no", 0.4),
            "contact": level("unknown telephone cellular", 0.4),
            "day": rng.integers(1, 32, n),
            "month": level("may jul nov apr oct mar", 0.4),
            "duration": np.round(np.exp(5.2 + 0.4 * worth + 0.7 * rng.normal(size=n))).astype(int),
            "campaign": 1 + rng.poisson(np.exp(0.6 - 0.3 * worth)),
            "pdays": np.round(np.exp(4.5 + 0.6 * rng.normal(size=n)), 1),
            "previous": rng.poisson(np.exp(-0.3 + 0.3 * worth)),
            "poutcome": level("failure other unknown success", 0.6),
        }
    )
    score = worth + 0.003 * frame["duration"] + 0.3 * (frame["poutcome"] == "success") + rng.logistic(0, 0.7, n)
    return frame, np.where(score > np.quantile(score, 0.75), "yes", "no")
