"""Networks, naive Bayes, quadratic discriminants: CPU time a row, share of rows that are proven; networks against SCIP.

Breast cancer (30 columns, 2 classes) and wine (13, 3), behind a scaler, at the density of the library's default. Each
held-out row is asked for another class than its own. SCIP gets the mixed-integer problem of the tests' own reference,
``tests/network_reference.py``, for the same rows: one binary a unit, bounds of units from the distance that the library
found, which it is told. Time is CPU time, of SCIP inside the solver alone.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew
from elsewise.models import Label

from .measure import RESULTS, write

TABLES = {"breast cancer": load_breast_cancer, "wine": load_wine}
NETWORKS = ((20,), (50,), (100,), (50, 50))
OTHERS = {"naive Bayes": GaussianNB(), "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1)}
# An answer is proven within this relative gap.
PROVEN = 1e-6


@dataclass(frozen=True, slots=True)
class Asked:
    """A row, what was wanted, and what the library said of it."""

    x: Any
    index: int
    distance: float
    gap: float
    seconds: float


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=30, help="rows a model (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a row (default: %(default)s)")
    parser.add_argument("--scip-rows", type=int, default=5, help="rows for SCIP, 0 for none (default: %(default)s)")
    parser.add_argument("--scip-seconds", type=float, default=60.0, help="SCIP's limit a row (default: %(default)s)")
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results (default: %(default)s)")
    parser.add_argument("--busy", action="store_true", help="count time limits in CPU seconds, on a busy machine")
    given = parser.parse_args()
    if given.busy:
        time.perf_counter = time.process_time
    models = {f"network {hidden}": MLPClassifier(hidden, max_iter=600, random_state=0) for hidden in NETWORKS} | OTHERS
    ours, against = [], []
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for table, load in TABLES.items():
            for name, model in models.items():
                if given.only not in name:
                    continue
                is_network = name.startswith("network")
                limit = given.seconds if is_network else min(given.seconds, 3.0)
                explainer, asked = _asked(load, model, given.rows, limit)
                ours.append({"table": table, "model": name} | _summary(asked))
                print(ours[-1], flush=True)
                if is_network and given.scip_rows:
                    against.append({"table": table, "model": name} | _against_scip(explainer, asked, given))
                    print(against[-1], flush=True)
    notes = [
        "A row is proven if its gap is at most 1e-6. Seconds are CPU seconds, everything included.",
        "Rows that the model accepts at the nearest dense point (Theorem 2) are not asked of SCIP.",
        "Speed: SCIP's seconds divided by the library's, geometric mean over rows that both prove.",
    ]
    tables = {"The library": ours} | ({"Against SCIP": against} if against else {})
    write("networks", "Networks and other sums of units", tables, notes, given.out)


def _asked(load: Any, model: Any, n_rows: int, seconds: float) -> tuple[ew.Explainer, list[Asked]]:
    """Fit on most rows, ask about others one by one."""
    X, y = load(return_X_y=True)
    train, test, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    pipeline = make_pipeline(StandardScaler(), model).fit(train, y_train)
    explainer = ew.Explainer(pipeline, distance="scaled").fit(train, y_train)
    rng, classes = np.random.default_rng(0), explainer.classes_
    asked = []
    for x, own in zip(test[:n_rows], pipeline.predict(test[:n_rows])):
        target = rng.choice(classes[classes != own])
        started = time.process_time()
        answer = explainer.explain(x[None], target=target, time_limit=seconds)
        spent = time.process_time() - started
        index = classes.tolist().index(target)
        gap = 0.0 if answer.model_free[0] else float(answer.gaps[0])
        asked.append(Asked(x, -1 if answer.model_free[0] else index, float(answer.distances[0]), gap, spent))
    return explainer, asked


def _summary(asked: list[Asked]) -> dict[str, Any]:
    seconds, gaps = np.array([one.seconds for one in asked]), np.array([one.gap for one in asked])
    proven = gaps <= PROVEN
    return {
        "rows": len(asked),
        "median ms": float(np.median(seconds) * 1e3),
        "p90 ms": float(np.quantile(seconds, 0.9) * 1e3),
        "proven in 1 s": f"{(proven & (seconds <= 1)).mean():.0%}",
        "proven": f"{proven.mean():.0%}",
        "median gap": float(np.median(gaps)),
        "largest gap": float(gaps.max()),
    }


def _against_scip(explainer: ew.Explainer, asked: list[Asked], given: Any) -> dict[str, Any]:
    reference = _reference()
    hard = [one for one in asked if one.index >= 0 and np.isfinite(one.distance)][: given.scip_rows]
    ratios, apart, n_both, n_scip = [], [], 0, 0
    for one in hard:
        found = reference.distance_by_scip(
            explainer, one.x, Label(one.index), reach=one.distance, seconds=given.scip_seconds
        )
        is_proven = bool(np.isfinite(found.value) and found.value - found.bound <= 1e-5 * found.value)
        n_scip += is_proven
        if is_proven and one.gap <= PROVEN:
            n_both += 1
            ratios.append(found.seconds / one.seconds)
            apart.append(abs(found.value / one.distance - 1))
    return {
        "rows": len(hard),
        "SCIP proves": n_scip,
        "both prove": n_both,
        "speed": float(np.exp(np.mean(np.log(ratios)))) if ratios else None,
        "least speed": float(min(ratios)) if ratios else None,
        "largest difference": float(max(apart)) if apart else None,
    }


def _reference() -> Any:
    """Load the reference that the tests use."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    return importlib.import_module("network_reference")


if __name__ == "__main__":
    main()
