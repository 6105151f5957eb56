"""Wrong proofs where units are decades apart: random problems, judged by points that are known to be answers.

    python -m benchmarks.unit_spans [--rows 20000] [--decades 16] [--seed 0]

Columns of random data are measured in units up to so many decades apart, in front of random pipelines, models,
distances and densities. What is known to be an answer is found without the search: training rows, and the answers of an
explainer that has seen the same data in ordinary units, as far as the model's own ``predict`` and the density accept
them, and points on the way to them. A proof is wrong if a row has such a point and is called infeasible, or if its
lower bound exceeds the point's distance. Rows without an answer although there is one are counted too: that is no wrong
proof, but no help either.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.lvq import GeneralizedLVQ

FloatArray = NDArray[np.float64]

_MODELS = {
    "logistic": lambda: LogisticRegression(C=10.0),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "prototypes": lambda: GeneralizedLVQ(prototypes_per_class=2, random_state=0),
    "neighbour": lambda: KNeighborsClassifier(1),
    "ridge": lambda: Ridge(alpha=1e-3),
    "lasso": lambda: Lasso(alpha=1e-3),
}
_STEPS = {
    "standard": lambda n: [StandardScaler()],
    "robust": lambda n: [RobustScaler()],
    "minmax": lambda n: [MinMaxScaler()],
    "pca": lambda n: [StandardScaler(), PCA(max(1, n - 1))],
    "whiten": lambda n: [StandardScaler(), PCA(whiten=True)],
}
_DISTANCES = ("manhattan", "scaled", "mahalanobis")
_DENSITIES = ("auto", "kernel", None)
# A bound may exceed a known point's distance by the rounding of both.
_ROUNDING = 1e-9
# Points tried on the way from a row to a known answer, and answers tried for each row.
_SHARES, _NEAREST = np.linspace(0.3, 1.0, 8), 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--decades", type=float, default=16.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="name the problems with wrong proofs or missed rows")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    seed = arguments.seed
    while counts["rows"] < arguments.rows:
        found, name = judge(seed, arguments.decades)
        counts += found
        counts["problems"] += 1
        if arguments.verbose and (found["wrong proofs"] or found["invalid"] or found["missed"]):
            print(seed, name, dict(found), flush=True)
        seed += 1
    for key, count in counts.items():
        print(f"{key}: {count:,}")
    return int(counts["wrong proofs"] + counts["invalid"] > 0)


def judge(seed: int, decades: float) -> tuple[Counter[str], str]:
    """Explain the rows of one random problem; count what is wrong with the answers, and name the problem."""
    rng = np.random.default_rng(seed)
    family, step = rng.choice(list(_MODELS)), rng.choice(list(_STEPS))
    distance, density = rng.choice(_DISTANCES), _DENSITIES[rng.integers(len(_DENSITIES))]
    n_features = int(rng.integers(2, 6))
    X, y = _data(rng, n_features, n_classes=int(rng.integers(2, 4)), is_regression=family in ("ridge", "lasso"))
    units = 10.0 ** _spread(rng, n_features, decades * rng.uniform(0.5, 1.0))
    # A rule that rules nothing out sends rows to the search for tables, which has the Manhattan distances alone.
    rules = ew.Constraints(max_changes=n_features) if distance != "mahalanobis" and rng.random() < 0.3 else None
    name = f"{family}, {step}, {distance}, density {density}, {'a rule, ' if rules else ''}units {units}"
    recipe = (_MODELS[family], _STEPS[step], density)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        odd, plain = _explainer(*recipe, str(distance), X * units, y), _explainer(*recipe, "scaled", X, y)
        target = _target(rng, y, odd.classes_)
        chosen = rng.choice(len(X), 60, replace=False)
        rows = X[chosen] * units
        answers = odd.explain(rows, target=target, constraints=rules)
        known = np.concatenate([X, _points(plain.explain(X[chosen], target=target))]) * units
        known = known[_accepted(odd, known, target)]
        return _verdict(odd, rows, target, answers, known), name


def _explainer(model: Any, steps: Any, density: Any, distance: str, X: FloatArray, y: FloatArray) -> ew.Explainer:
    fitted = make_pipeline(*steps(X.shape[1]), model()).fit(X, y)
    return ew.Explainer(fitted, distance=distance, density=density).fit(X, y)


def _data(
    rng: np.random.Generator, n_features: int, n_classes: int, is_regression: bool
) -> tuple[FloatArray, FloatArray]:
    """Clouds of rows, some columns rounded so that rows share values."""
    centres = 2.0 * rng.normal(size=(n_classes, n_features))
    label = rng.integers(n_classes, size=150)
    X = centres[label] + rng.normal(size=(150, n_features)) @ (np.eye(n_features) + 0.5 * rng.normal(size=n_features))
    rounded = rng.random(n_features) < 0.3
    X[:, rounded] = np.round(X[:, rounded], int(rng.integers(0, 3)))
    X += rng.choice([0.0, 5.0], size=n_features)
    y = X @ rng.normal(size=n_features) + rng.normal(size=150) if is_regression else label.astype(np.float64)
    return X, y


def _spread(rng: np.random.Generator, n_features: int, decades: float) -> FloatArray:
    """Exponents that are so many decades apart."""
    exponents = rng.uniform(-decades / 2, decades / 2, size=n_features)
    ends = rng.choice(n_features, 2, replace=False)
    exponents[ends] = -decades / 2, decades / 2
    return exponents


def _target(rng: np.random.Generator, y: FloatArray, classes: Any) -> Any:
    if classes is not None:
        return classes[rng.integers(len(classes))]
    low, high = np.sort(rng.choice(y, 2, replace=False))
    return (float(low), float(high))


def _points(answers: ew.Explanations) -> FloatArray:
    points = np.asarray(answers.counterfactuals, dtype=np.float64)
    return points[np.isfinite(points).all(axis=1)]


def _accepted(explainer: ew.Explainer, points: FloatArray, target: Any) -> NDArray[np.bool_]:
    """Whether points are answers: by the model's own ``predict``, one row at a time, and by the density."""
    if len(points) == 0:
        return np.zeros(0, dtype=np.bool_)
    predicted = np.concatenate([explainer.model.predict(point[None]) for point in points])
    if explainer.classes_ is None:
        label, good = None, (predicted >= target[0]) & (predicted <= target[1])
    else:
        label, good = target, predicted == target
    if explainer.densities_:
        good &= explainer.log_density(points, label) >= explainer.densities_[label].log_threshold_
    return np.asarray(good)


def _verdict(
    explainer: ew.Explainer, rows: FloatArray, target: Any, answers: ew.Explanations, known: FloatArray
) -> Counter[str]:
    counts = Counter({"rows": len(rows), "wrong proofs": 0, "invalid": 0, "missed": 0})
    found = answers.statuses != "infeasible"
    counts["optimal"] = int((answers.statuses == "optimal").sum())
    counts["answers"] = int(found.sum())
    counts["proven infeasible"] = int(np.isinf(answers.lower_bounds).sum())
    points = np.asarray(answers.counterfactuals, dtype=np.float64)
    counts["invalid"] = int((~_accepted(explainer, points[found], target)).sum())
    for row, has_answer, bound in zip(rows, found, answers.lower_bounds):
        nearest = _nearest_known(explainer, row, target, known)
        if not np.isfinite(nearest):
            continue
        counts["judged"] += 1
        counts["wrong proofs"] += int(bound > nearest * (1 + _ROUNDING))
        counts["missed"] += int(not has_answer)
    return counts


def _nearest_known(explainer: ew.Explainer, row: FloatArray, target: Any, known: FloatArray) -> float:
    """Distance of the nearest point that is known to be an answer, infinite without any."""
    if len(known) == 0:
        return np.inf
    distances = explainer.distance_(known, row)
    near = known[np.argsort(distances)[:_NEAREST]]
    tried = np.concatenate([row + share * (near - row) for share in _SHARES[:-1]])
    tried = tried[_accepted(explainer, tried, target)]
    return float(min(distances.min(), explainer.distance_(tried, row).min(initial=np.inf)))


if __name__ == "__main__":
    raise SystemExit(main())
