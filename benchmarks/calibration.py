"""Thresholds: how many held-out rows reach them, and how much nearer answers are than at quantiles of training rows.

Ten random splits of each table, seven tenths to learn from (large tables: of a sample of rows). For the quantiles .25,
.5 and .75 of every class, the share of the held-out rows of the class that reach the threshold, which should be .75, .5
and .25; beside it the same with ``TrainingQuantile``, the paper's definition. Then answers for held-out rows at the
median.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

from .measure import RESULTS, write
from .tables import LABELS

QUANTILES = (0.25, 0.5, 0.75)
LOADERS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
DIGITS_COMPONENTS = 60
N_ASKED = 50
"""Held-out rows of the first split whose answers are compared."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in LABELS:
        parser.add_argument(f"--{name}", type=Path, help=f"CSV file with the column {LABELS[name][0]}")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sample", type=int, default=3000, help="rows of a table that are used, at most")
    parser.add_argument("--only", nargs="+", default=None, help="names of tables")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    names = [*LOADERS, *(name for name in LABELS if getattr(options, name))]
    reached, nearer = [], []
    for name in names if options.only is None else options.only:
        X, y = _read(name, options)
        shares = [found for split in range(options.splits) for found in _shares(X, y, name, split, options.sample)]
        reached.append(_summary(name, pd.DataFrame(shares)))
        nearer.append({"table": name, **_distances(X, y, name, options.sample)})
        print(reached[-1], nearer[-1], flush=True)
    notes = [
        "Reached at q: share of held-out rows at least as dense as the quantile q, all classes; it should be 1 - q. "
        "Training: the same with TrainingQuantile(q).",
        "Off: points between the share and 1 - q, the most over the quantiles; for all rows, and for the worst class, "
        "each over all splits.",
        "Nearer: median distance of the answers at 0.5, beside that at TrainingQuantile(0.5), over the rows that have "
        "both; found: rows with an answer.",
    ]
    tables = {"Held-out rows that reach a threshold": reached, "Answers at the median": nearer}
    write("calibration", "Calibration of thresholds", tables, notes, options.out)


def _read(name: str, options: argparse.Namespace) -> tuple[Any, Any]:
    if name in LOADERS:
        return LOADERS[name](return_X_y=True)
    frame = pd.read_csv(getattr(options, name))
    labels = frame.pop(LABELS[name][0])
    return frame, labels.to_numpy()


def _fitted(X: Any, y: Any, name: str, split: int, sample: int) -> tuple[Any, Any, Any]:
    """Explainer of a split, and its held-out rows with their labels."""
    drawn = np.sort(np.random.default_rng(split).permutation(len(y))[:sample])
    train, test = train_test_split(drawn, test_size=0.3, random_state=split, stratify=y[drawn])
    if isinstance(X, pd.DataFrame):
        numeric = [column for column in X if X[column].dtype.kind in "fiu"]
        steps = [("numbers", StandardScaler(), numeric)]
        if len(numeric) < X.shape[1]:
            rest = [column for column in X if column not in numeric]
            steps.append(("categories", OneHotEncoder(handle_unknown="ignore"), rest))
        encode: Any = ColumnTransformer(steps)
        X_train, X_test = X.iloc[train], X.iloc[test]
        if name == "heloc":  # every column is a number
            encode = StandardScaler()
        known = _levels_known(X_train, X_test)
        X_test, test = X_test[known], test[known]
    else:
        encode = PCA(DIGITS_COMPONENTS, svd_solver="full") if name == "digits" else StandardScaler()
        X_train, X_test = X[train], X[test]
    model = make_pipeline(encode, LogisticRegression(max_iter=10_000)).fit(X_train, y[train])
    return ew.Explainer(model).fit(X_train, y[train]), X_test, y[test]


def _levels_known(train: pd.DataFrame, test: pd.DataFrame) -> Any:
    """Held-out rows without a level that no training row has."""
    known = np.ones(len(test), dtype=bool)
    for column in train:
        if train[column].dtype.kind not in "fiu":
            known &= test[column].isin(train[column].unique()).to_numpy()
    return known


def _shares(X: Any, y: Any, name: str, split: int, sample: int) -> Iterator[dict[str, Any]]:
    explainer, X_test, y_test = _fitted(X, y, name, split, sample)
    for label in explainer.classes_.tolist():
        logs = explainer.log_density(X_test[y_test == label], label)
        for kind in (float, ew.TrainingQuantile):
            for q in QUANTILES:
                threshold = explainer.with_threshold(kind(q)).densities_[label].log_threshold_
                share = float(np.mean(logs >= threshold))
                yield {"kind": kind.__name__, "q": q, "label": label, "rows": len(logs), "share": share}


def _summary(name: str, shares: pd.DataFrame) -> dict[str, Any]:
    shares["count"] = shares["share"] * shares["rows"]
    total = shares.groupby(["kind", "q"])[["count", "rows"]].sum()
    overall = total["count"] / total["rows"]
    by_class = shares[shares["kind"] == "float"].groupby(["label", "q"])[["count", "rows"]].sum()
    of_class = by_class["count"] / by_class["rows"]
    line: dict[str, Any] = {"table": name}
    for q in QUANTILES:
        line[f"reached at {q}"] = float(overall["float", q])
        line[f"training {q}"] = float(overall["TrainingQuantile", q])
    line["off, all"] = 100 * max(abs(float(overall["float", q]) - (1 - q)) for q in QUANTILES)
    line["off, worst class"] = 100 * float(np.max(np.abs(of_class - 1 + of_class.index.get_level_values("q"))))
    return line


def _distances(X: Any, y: Any, name: str, sample: int) -> dict[str, Any]:
    explainer, X_test, _ = _fitted(X, y, name, 0, sample)
    rows = X_test[:N_ASKED]
    predicted = explainer.model.predict(rows).tolist()
    classes = explainer.classes_.tolist()
    targets = [classes[(classes.index(label) + 1) % len(classes)] for label in predicted]
    found = {}
    for kind in (0.5, ew.TrainingQuantile(0.5)):
        found[kind] = explainer.with_threshold(kind).explain(rows, targets, time_limit=120.0).distances
    both = np.isfinite(found[0.5]) & np.isfinite(found[ew.TrainingQuantile(0.5)])
    medians = [float(np.median(distances[both])) if both.any() else None for distances in found.values()]
    return {
        "rows": len(rows),
        "distance at 0.5": medians[0],
        "distance at TrainingQuantile(0.5)": medians[1],
        "nearer by, %": None if medians[0] is None or not medians[1] else 100 * (1 - medians[0] / medians[1]),
        "found at 0.5": int(np.isfinite(found[0.5]).sum()),
        "found at TrainingQuantile(0.5)": int(np.isfinite(found[ew.TrainingQuantile(0.5)]).sum()),
    }


if __name__ == "__main__":
    main()
