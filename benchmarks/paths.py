"""Paths through dense data against FACE's walks over training rows.

FACE (Poyiadzi et al., 2020) walks over a graph of training rows, each joined to its nearest neighbours. An edge costs
its length times how sparse their middle is (:class:`benchmarks.baselines.DensityPaths`). Its corners are real rows,
but its edges cross whatever lies between: here the sparsest place *on the segments* is measured, for both methods in
the same way. Both end in a place that the model decides for and that is as dense as asked of answers.

For each row three questions: which way does FACE find; how long is ours, if every place of it has to be at least as
dense as the sparsest place of FACE's (equal or better bottleneck); and what is ours where nothing is asked.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from .baselines import DensityPaths
from .measure import RESULTS, write
from .peers.page import other_results, replace_block

SLACK = 1e-9
"""Nats our level stays below FACE's bottleneck: often the row itself is the sparsest place, on the edge of its set."""
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Study:
    """A model, its explainer, and rows to ask about."""

    name: str
    explainer: Any
    train: Any
    rows: Any
    targets: Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--german", type=Path, help="CSV file of German credit, with the column default")
    parser.add_argument("--rows", type=int, default=100, help="test rows of each problem")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds for the proof of a path")
    parser.add_argument("--only", help="one problem")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with threadpool_limits(1):
        measured = [measure(study, options.time_limit) for study in studies(options)]
    tables = {
        "At least as dense as FACE's sparsest place": [each[0] for each in measured],
        "Each as it is": [each[1] for each in measured],
    }
    notes = [
        "Bottleneck: share of the training rows that are no denser than the sparsest place on the way, median over "
        "rows; FACE's is measured along its edges, not only at its corners.",
        "no longer: share of the rows that FACE connects on which our way is at most as long as FACE's (relative "
        "rounding 1e-9), at no smaller bottleneck.",
        "connected: FACE finds a walk; we find a way that is nowhere sparser than 99 % of the rows.",
        f"Proofs got at most {options.time_limit:g} s a row; one thread.",
    ]
    write("paths", "Paths", tables, notes, options.out)
    if options.out == RESULTS and not options.only:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_block(page, "paths", other_results(RESULTS / "paths.md", "paths")), encoding="utf-8")


def studies(options: argparse.Namespace) -> list[Study]:
    """Fit the models: two thirds of the rows for training, held-out rows to ask about."""
    import elsewise as ew

    tables = {"wine": load_wine(), "breast cancer": load_breast_cancer(), "digits": load_digits()}
    found = []
    for name, data in tables.items():
        found.append((name, data.data, data.target, {}))
    if options.german:
        X, y = german(options.german)
        found.append(("German credit, three numbers", X, y, {"distance": "scaled"}))
    made = []
    for name, X, y, settings in found:
        if options.only and options.only != name:
            continue
        train, test, y_train, _ = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=y)
        steps = [PCA(32, random_state=0)] if name == "digits" else [StandardScaler()]
        weights = "balanced" if name.startswith("German") else None  # else it hardly ever refuses anybody
        model = make_pipeline(*steps, LogisticRegression(max_iter=5_000, class_weight=weights)).fit(train, y_train)
        explainer = ew.Explainer(model, **settings).fit(train, y_train)
        rng = np.random.default_rng(0)
        rows = test[rng.permutation(len(test))[: options.rows]]
        said = model.predict(rows)
        targets = [rng.choice([label for label in model.classes_ if label != own]) for own in said]
        made.append(Study(name, explainer, train, rows, targets))
    return made


def german(path: Path) -> tuple[Any, Any]:
    """Take the numbers of German credit that vary enough to be called so, as numbers."""
    import pandas as pd

    frame = pd.read_csv(path)
    numbers = ["duration_in_month", "credit_amount", "age"]
    return frame[numbers].to_numpy(dtype=np.float64), frame["default"].to_numpy()


def measure(study: Study, time_limit: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask both methods about every row."""
    import elsewise as ew

    explainer, fitted = study.explainer, study.explainer.fitted_
    land, weights = fitted.landscape(), fitted.distance.weights
    graph = DensityPaths(
        study.train * weights,
        lambda points: land.log_max(fitted.density_rows(points / weights)),
        max_rows=len(study.train),
    )
    said = explainer.model.predict(study.train)
    dense = {
        label: explainer.log_density(study.train, label) >= explainer.densities_[label].log_threshold_
        for label in explainer.classes_
    }
    lines = []
    for row, target in zip(study.rows, study.targets):
        start = time.perf_counter()
        walk = graph.path(row * weights, (said == target) & dense[target])
        line = {"face_seconds": time.perf_counter() - start, "face": walk is not None}
        start = time.perf_counter()
        own = explainer.path(row, target, time_limit=time_limit)
        line |= {"seconds": time.perf_counter() - start, "own": own.status != "infeasible", "status": own.status}
        if line["own"]:
            line |= {"length": own.length, "share": own.bottleneck.share, "gap": own.gap, "steps": len(own)}
        if walk is not None:
            line |= {"face_length": float(np.abs(np.diff(walk, axis=0)).sum()), "face_steps": len(walk) - 1}
            lowest = sparsest(fitted, land, walk / weights)
            line["face_share"] = land.share_no_denser(lowest)
            start = time.perf_counter()
            same = explainer.path(row, target, level=ew.LogDensity(lowest - SLACK), time_limit=time_limit)
            line["same_seconds"] = time.perf_counter() - start
            found = same.status != "infeasible" and not same.enters
            line["same"] = found
            if found:
                line |= {"same_length": same.length, "same_share": same.bottleneck.share, "same_gap": same.gap}
                line["no_longer"] = same.length <= line["face_length"] * (1 + 1e-9)
                line["no_sparser"] = same.bottleneck.log_density >= lowest - SLACK
        lines.append(line)
        print(study.name, line, flush=True)
    return at_equal_bottleneck(study, lines), as_it_is(study, lines)


def sparsest(fitted: Any, land: Any, corners: Any) -> float:
    """Lowest log density on the segments between corners."""
    images = fitted.density_rows(np.ascontiguousarray(corners))
    return min(land.sparsest_between(a, b)[1] for a, b in pairwise(images))


def at_equal_bottleneck(study: Study, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarise the rows that FACE connects."""
    walked = [line for line in lines if line["face"]]
    both = [line for line in walked if line["same"]]
    ratio = [line["same_length"] / line["face_length"] for line in both if line["face_length"] > 0]
    return {
        "problem": study.name,
        "rows FACE connects": f"{len(walked)}/{len(lines)}",
        "we do": f"{len(both)}/{len(walked)}",
        "no longer and no sparser": percent(
            sum(bool(line["no_longer"] and line["no_sparser"]) for line in both), len(walked)
        ),
        "our length / FACE's, median": float(np.median(ratio)),
        "largest": float(np.max(ratio)),
        "bottleneck, FACE": percent(np.median([line["face_share"] for line in both]), 1),
        "ours": percent(np.median([line["same_share"] for line in both]), 1),
        "proven shortest": percent(sum(line["same_gap"] <= 1e-6 for line in both), len(both)),
        "ms, median": 1e3 * float(np.median([line["same_seconds"] for line in both])),
    }


def as_it_is(study: Study, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarise each method by itself."""
    walked = [line for line in lines if line["face"]]
    own = [line for line in lines if line["own"]]
    return {
        "problem": study.name,
        "features": study.train.shape[1],
        "components": len(study.explainer.fitted_.landscape().log_peaks),
        "FACE: connected": percent(len(walked), len(lines)),
        "median length": float(np.median([line["face_length"] for line in walked])),
        "median bottleneck": percent(np.median([line["face_share"] for line in walked]), 1),
        "median ms": 1e3 * float(np.median([line["face_seconds"] for line in lines])),
        "elsewise: connected": percent(len(own), len(lines)),
        "length, median": float(np.median([line["length"] for line in own])),
        "bottleneck, median": percent(np.median([line["share"] for line in own]), 1),
        "steps, median": float(np.median([line["steps"] for line in own])),
        "proven shortest": percent(sum(line["status"] == "optimal" for line in own), len(own)),
        "ms, median": 1e3 * float(np.median([line["seconds"] for line in lines])),
        "ms, 95 %": 1e3 * float(np.quantile([line["seconds"] for line in lines], 0.95)),
    }


def percent(part: float, whole: float) -> str:
    """Write a share with a decimal."""
    return f"{100 * part / whole:.1f} %" if whole else ""


if __name__ == "__main__":
    main()
