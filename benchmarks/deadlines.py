"""Time limits: how much longer than asked for a row takes, by kind of model and kind of question.

``time_limit`` is a deadline, from the first thing done for a row to the last: a first point, a proof that there is
none, several answers, or why there is none. Most questions here would take longer than their limit; each is asked
several times, about a row at a time. What is allowed beyond the limit is a fifth of it, or 50 ms where that is more.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import elsewise as ew

from .measure import RESULTS, write

# What a row may take beyond its limit: a share of it, or so many seconds.
ALLOWED_SHARE, ALLOWED_SECONDS = 0.2, 0.05
# Columns of the table of whole numbers, and its rows.
N_COLUMNS, N_ROWS = 14, 400
MODELS: dict[str, Any] = {
    "logistic": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(100, random_state=0),
    "network": make_pipeline(StandardScaler(), MLPClassifier((50, 50), max_iter=60, random_state=0)),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.2),
    "nearest neighbour": KNeighborsClassifier(1),
    "black box": make_pipeline(StandardScaler(), SVC()),
}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="rows of each question (default: %(default)s)")
    parser.add_argument("--seconds", type=float, nargs="*", default=[0.05, 0.3], help="limits (default: %(default)s)")
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results (default: %(default)s)")
    parser.add_argument("--busy", action="store_true", help="count all time in CPU seconds, on a busy machine")
    given = parser.parse_args()
    if given.busy:
        time.perf_counter = time.process_time
    found = []
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, model in MODELS.items():
            if given.only in name:
                for table, questions in _questions(model).items():
                    for what, ask in questions.items():
                        for limit in given.seconds:
                            row = _measured(ask, limit, given.times)
                            found.append({"model": name, "table": table, "question": what, "limit s": limit} | row)
                            print(found[-1], flush=True)
    kept = float(np.mean([row["median s"] <= row["allowed s"] for row in found]))
    notes = [f"medians within what is allowed: {kept:.0%}", "time is " + ("CPU time" if given.busy else "by the clock")]
    write("deadlines", "Time limits", {"how long rows take": found}, notes, given.out)


def _measured(ask: Callable[[int, float], Any], limit: float, times: int) -> dict[str, Any]:
    taken = []
    for place in range(times):
        started = time.perf_counter()
        ask(place, limit)
        taken.append(time.perf_counter() - started)
    allowed = limit + max(ALLOWED_SHARE * limit, ALLOWED_SECONDS)
    return {
        "median s": float(np.median(taken)),
        "longest s": max(taken),
        "allowed s": allowed,
        "kept": f"{np.mean(np.array(taken) <= allowed):.0%}",
    }


def _questions(model: Any) -> dict[str, dict[str, Callable[[int, float], Any]]]:
    """Questions about numbers, with a density, and about whole numbers, with rules that none of them keeps."""
    X, y = load_breast_cancer(return_X_y=True)
    of_both = clone(model).fit(X, y), clone(model)
    numbers, rows = ew.Explainer(of_both[0]).fit(X, y), X[of_both[0].predict(X) == 0]
    of_numbers = {
        "nearest": lambda k, limit: numbers.explain(rows[[k]], target=1, time_limit=limit),
        "five answers": lambda k, limit: numbers.explain(rows[[k]], target=1, n_counterfactuals=5, time_limit=limit),
    }
    frame, labels, odd = _whole_numbers()
    whole = ew.Explainer(of_both[1].fit(frame, labels)).fit(frame, labels)
    some = frame[of_both[1].predict(frame) == 0].reset_index(drop=True)
    of_whole = {
        "nearest": lambda k, limit: whole.explain(some.iloc[[k]], target=1, time_limit=limit),
        "no answer": lambda k, limit: whole.explain(some.iloc[[k]], target=1, constraints=odd, time_limit=limit),
        "why not": lambda k, limit: whole.why_not(some.iloc[k], 1, odd, time_limit=limit),
    }
    return {"breast cancer": of_numbers, "whole numbers": of_whole}


def _whole_numbers() -> tuple[pd.DataFrame, Any, ew.Constraints]:
    """Make rows of whole numbers, labels, and rules that no whole numbers keep: twice a sum of them would be odd."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 50, size=(N_ROWS, N_COLUMNS)), columns=[f"c{i}" for i in range(N_COLUMNS)])
    labels = (frame.sum(axis=1) + rng.normal(0, 20, N_ROWS) > 25 * N_COLUMNS).astype(int).to_numpy()
    terms, odd = " + ".join(f"2 * c{i}" for i in range(N_COLUMNS)), 50 * N_COLUMNS + 1
    return frame, labels, ew.Constraints(linear=[f"{terms} <= {odd + 0.5}", f"{terms} >= {odd - 0.5}"])


if __name__ == "__main__":
    main()
