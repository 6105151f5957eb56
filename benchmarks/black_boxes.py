"""Exact families treated as black boxes: how near to the proven optimum, with how many questions; beside DiCE.

Every model is read by elsewise for the optimum, and then only asked: through a class that shows ``predict``, and for
some ``decision_function`` or ``predict_proba``. Data, density and rows are the same.

Run as ``python -m benchmarks.black_boxes [--rows 100] [--dice PYTHON]``: with an interpreter that has dice-ml and the
same scikit-learn, DiCE explains the same rows in the same run.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.lvq import GeneralizedLVQ

FloatArray = NDArray[np.float64]

DATA = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
# Family, the method that shows a score (None: labels alone), and what is to be shown: ratios at the median and at p95.
FAMILIES: dict[str, tuple[Any, str | None, tuple[float, float]]] = {
    "logistic, score": (lambda: LogisticRegression(max_iter=1000), "predict_proba", (1.01, 1.02)),
    "linear SVC, score": (lambda: LinearSVC(random_state=0), "decision_function", (1.01, 1.02)),
    "logistic, labels": (lambda: LogisticRegression(max_iter=1000), None, (np.inf, np.inf)),
    "tree": (lambda: DecisionTreeClassifier(max_depth=5, random_state=0), None, (np.inf, 1.3)),
    "LVQ": (lambda: GeneralizedLVQ(prototypes_per_class=2, random_state=0), None, (np.inf, 1.3)),
    "1-NN": (lambda: KNeighborsClassifier(1), None, (1.1, 1.5)),
    "forest": (lambda: RandomForestClassifier(20, max_depth=4, random_state=0), "predict_proba", (np.inf, np.inf)),
}
# Methods of DiCE, and the share of its rows that each gets: the k-d tree takes a minute a row.
DICE = {"random": 1.0, "genetic": 1.0, "kdtree": 0.2}


class Opaque:
    """A model of which only some methods are shown, and counted."""

    def __init__(self, model: Any, score: str | None) -> None:
        self.model, self.classes_, self.n_features_in_ = model, model.classes_, model.n_features_in_
        self.calls = self.points = 0
        if score is not None:
            setattr(self, score, lambda rows: self._count(getattr(model, score), rows))

    def predict(self, rows: FloatArray) -> NDArray[Any]:
        """Ask for labels."""
        return self._count(self.model.predict, rows)

    def _count(self, method: Any, rows: FloatArray) -> NDArray[Any]:
        self.calls, self.points = self.calls + 1, self.points + len(rows)
        return np.asarray(method(rows))


def measured(data: str, family: str, n_rows: int, density: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Explain rows by a model that is read, and by the same model that is asked; with what DiCE needs."""
    make, score, wanted = FAMILIES[family]
    X, y = DATA[data](return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0)
    model = make().fit(X_train, y_train)
    rows = X_test[:n_rows]
    targets = (model.predict(rows) + 1) % len(model.classes_)
    read = ew.Explainer(model, density=density).fit(X_train, y_train)
    limit = 5.0 if family == "forest" else None
    started = time.perf_counter()
    best = read.explain(rows, target=targets, time_limit=limit)
    read_seconds = time.perf_counter() - started
    opaque = Opaque(model, score)
    asked = ew.Explainer(opaque, density=density).fit(X_train, y_train)
    opaque.calls = opaque.points = 0
    started = time.perf_counter()
    answers = asked.explain(rows, target=targets)
    seconds = time.perf_counter() - started
    found = np.isfinite(answers.distances)
    both = found & np.isfinite(best.distances) & (best.distances > 0)
    ratio = answers.distances[both] / best.distances[both]
    dense = found.copy()
    if density is not None:
        for k in np.flatnonzero(found):
            dense[k] = asked.log_density(answers.counterfactuals[[k]], targets[k])[0] >= answers.log_thresholds[k]
    result = {
        "data": data,
        "family": family,
        "density": density is not None,
        "rows": len(rows),
        "found": int(found.sum()),
        "there are": int(np.isfinite(best.distances).sum()),
        "valid": int((model.predict(answers.counterfactuals[found]) == targets[found]).sum()),
        "dense": int(dense.sum()),
        "proven": int((answers.statuses == "optimal").sum()),
        "median": float(np.median(ratio)),
        "p95": float(np.percentile(ratio, 95)),
        "largest": float(ratio.max()),
        "reached": bool(np.median(ratio) <= wanted[0] and np.percentile(ratio, 95) <= wanted[1]),
        "points a row": opaque.points / len(rows),
        "calls a row": opaque.calls / len(rows),
        "ms a row": 1e3 * seconds / len(rows),
        "ms a row, read": 1e3 * read_seconds / len(rows),
    }
    study = {"model": model, "X": X_train, "y": y_train, "rows": rows, "targets": targets, "optima": best.distances}
    return result, {**study, "read": read}


def beside_dice(python: str, study: dict[str, Any], n_rows: int) -> list[dict[str, Any]]:
    """Let DiCE explain the same rows in an interpreter of its own, and judge what it finds."""
    read, worker = study["read"], Path(__file__).parent / "peers" / "workers" / "dice_any_model.py"
    results = []
    for method, share in DICE.items():
        n = max(int(share * n_rows), 1)
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder) / "given.joblib", Path(folder) / "made.npz"
            handed = {key: study[key] for key in ("model", "X", "y")}
            few = {"rows": study["rows"][:n], "targets": study["targets"][:n]}
            joblib.dump({**handed, **few}, given)
            done = subprocess.run(
                [python, str(worker), method, str(given), str(made)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                results.append({"method": method, "problem": done.stderr.strip().splitlines()[-1]})
                continue
            arrays = np.load(made)
            points, seconds = arrays["points"], arrays["seconds"]
        rows, targets, optima = study["rows"][:n], study["targets"][:n], study["optima"][:n]
        found = np.isfinite(points).all(axis=1)
        valid = found.copy()
        valid[found] = study["model"].predict(points[found]) == targets[found]
        dense = np.zeros(len(rows), dtype=np.bool_)
        for k in np.flatnonzero(valid):
            density = read.densities_.get(targets[k])
            dense[k] = density is not None and density.log_max(points[[k]])[0] >= density.log_threshold_
        both = valid & np.isfinite(optima) & (optima > 0)
        ratio = np.abs(points - rows).sum(axis=1)[both] / optima[both]
        results.append(
            {
                "method": method,
                "rows": len(rows),
                "found": int(found.sum()),
                "valid": int(valid.sum()),
                "dense": int(dense.sum()),
                "median": float(np.median(ratio)) if len(ratio) else None,
                "p95": float(np.percentile(ratio, 95)) if len(ratio) else None,
                "ms a row": 1e3 * float(np.mean(seconds)),
            }
        )
    return results


def in_a_line(result: dict[str, Any]) -> str:
    """Write a result as a line of the table."""
    return (
        f"{result['family']:18s} {result['data']:14s} {'yes' if result['density'] else 'no':4s} "
        f"{result['found']:>3d}/{result['there are']:<3d}{result['valid']:4d}  {result['dense']:4d}  "
        f"{result['proven']:4d}  {result['median']:7.4f} {result['p95']:7.4f} {result['largest']:7.3f} "
        f"{result['points a row']:6.0f} {result['calls a row']:5.1f} {result['ms a row']:6.1f} "
        f"{'' if result['reached'] else '  not reached'}"
    )


def as_table(results: list[dict[str, Any]]) -> str:
    """Write results as a table in Markdown."""
    lines = [
        "| model | data | density | rows | valid and dense | proven | median | p95 | points a row | calls a row |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in results:
        good = min(one["valid"], one["dense"]) / max(one["there are"], 1)
        lines.append(
            f"| {one['family']} | {one['data']} | {'yes' if one['density'] else 'no'} | {one['rows']} | {good:.0%} | "
            f"{one['proven'] / one['rows']:.0%} | {one['median']:.4f} | {one['p95']:.3f} | {one['points a row']:.0f} | "
            f"{one['calls a row']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print a table, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--dice", help="interpreter with dice-ml")
    parser.add_argument("--dice-rows", type=int, default=20)
    parser.add_argument("--only", nargs="*", choices=list(FAMILIES), help="some families")
    parser.add_argument("--data", nargs="*", choices=list(DATA), help="some tables")
    parser.add_argument("--write", type=Path, help="JSON file for the results; a table goes beside it")
    given = parser.parse_args()
    results, peers = [], []
    print(f"Python {platform.python_version()}, elsewise {ew.__version__}")
    print(f"{'family':18s} {'data':14s} dens found valid dense proven  median     p95 largest points calls    ms")
    for family in FAMILIES:
        if given.only and family not in given.only:
            continue
        for data in given.data or DATA:
            for density in (ew.GaussianMixtureDensity(n_components=2), None):
                result, study = measured(data, family, given.rows, density)
                results.append(result)
                print(in_a_line(result), flush=True)
                if given.dice and density is not None and family != "LVQ":  # which scikit-learn alone cannot unpickle
                    for peer in beside_dice(given.dice, study, given.dice_rows):
                        peers.append({"data": data, "family": family, **peer})
                        print("   DiCE", {k: v if not isinstance(v, float) else round(v, 3) for k, v in peer.items()})
    if given.write:
        given.write.write_text(json.dumps({"results": results, "dice": peers}, indent=1) + "\n")
        given.write.with_suffix(".md").write_text(as_table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
