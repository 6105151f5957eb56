"""Record thousands of answers to a file, and compare the answers of later code with them.

``python -m benchmarks.recorded write FILE`` asks every question and writes one line of JSON for each row.
``python -m benchmarks.recorded compare FILE`` asks again and counts what differs. A status may become better:
"unknown" or "feasible" may become "optimal" or "infeasible". Distances of equal statuses agree to 1e-9, relative.
The exit status is 1 if an answer became worse.

No question has a time limit, so answers depend on the code and the installed libraries alone.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import elsewise as ew

# The public API is called here and nowhere else. Options have their first names everywhere else in this file; a name
# that the code under test does not know is replaced by its later one.
LATER_NAMES = {
    "already": "on_satisfied",
    "if_none": "on_infeasible",
    "also": "other_models",
    "differ": "diversity",
    "robust": "robust_radius",
    "density_given": "condition_on_fixed",
}
# By later name, what the settings used in this file are called there.
LATER_SETTINGS: dict[str, dict[str, Any]] = {
    "condition_on_fixed": {"joint": False, "fixed": True},
    "on_satisfied": {"plausible": "move", "stay": "keep"},
    "on_infeasible": {"nothing": "none"},
}
ElsewiseError = ew.ElsewiseError
Constraints, Manhattan, Scaled, Mahalanobis = ew.Constraints, ew.Manhattan, ew.Scaled, ew.Mahalanobis
TrainingQuantile, LogDensity, KernelDensity = ew.TrainingQuantile, ew.LogDensity, ew.KernelDensity
BlackBox = ew.BlackBox


def fit_explainer(model: Any, X: Any, y: Any, settings: dict[str, Any]) -> Any:
    """Return an explainer that is fitted."""
    return ew.Explainer(model, **_as_spelled(ew.Explainer, settings)).fit(X, y)


def ask(explainer: Any, rows: Any, target: Any, options: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the recorded answers of each row."""
    options = {"already": "plausible", **options}  # the default of the code under test may be another
    answers = explainer.explain(rows, target, **_as_spelled(explainer.explain, options))
    found: list[list[dict[str, Any]]] = [[] for _ in range(len(rows))]
    for answer in answers:
        found[answer.row].append(
            {
                "status": answer.status,
                "distance": _plain(answer.distance),
                "lower_bound": _plain(answer.lower_bound),
                "counterfactual": [_plain(value) for value in np.asarray(answer.counterfactual, dtype=object)],
            }
        )
    return found


def _as_spelled(function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    known, spelled = inspect.signature(function).parameters, {}
    for name, value in options.items():
        later = name if name in known else LATER_NAMES.get(name, name)
        settings = LATER_SETTINGS.get(later, {}) if later != name and isinstance(value, str) else {}
        spelled[later] = settings.get(value, value) if settings else value
    return spelled


# The end of the calls to the public API.


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold, with all digits of numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


class Data(NamedTuple):
    """A table and what is asked about it.

    Attributes
    ----------
    X : data frame or array of shape (n_samples, n_columns)
    y : array of shape (n_samples,)
        Labels, or numbers for regressors.
    target : label, or (low, high)
    rules : dict of str to Constraints
    other : fitted model and the outcome it has to predict
    """

    X: Any
    y: Any
    target: Any
    rules: dict[str, Any]
    other: tuple[Any, Any]


def small_table(n_classes: int | None) -> Data:
    """Return a table whose columns have few values each."""
    rng = np.random.default_rng(3)
    n = 160
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n),
            "b": rng.integers(0, 20, n) * 0.25,
            "c": rng.choice(["x", "y", "z"], n),
            "d": rng.random(n) < 0.4,
        }
    )
    score = X.a + 1.5 * X.b - 2.0 * (X.c == "x") + X.a * X.d + rng.normal(0, 0.7, n)
    rules = {
        "rules": Constraints(monotone={"a": "increase"}, allowed={"c": {"x": ["y"]}}, linear=["a + b <= 9"]),
        "few": Constraints(max_changes=2, together=[["a", "b"]], min_change={"a": 2}),
        "implies": Constraints(implies={"a >= 3": "c != 'z'"}, immutable=["d"], step={"b": 0.5}),
    }
    return _with_target(X, score, n_classes, rules)


def mixed_table(n_classes: int | None) -> Data:
    """Return a table with decimals, whole numbers with codes, ordered levels and categories."""
    rng = np.random.default_rng(4)
    n = 200
    count = rng.poisson(4.0, n)
    X = pd.DataFrame(
        {
            "size": rng.normal(2.0, 1.0, n),
            "count": np.where(rng.random(n) < 0.12, -9, count),
            "grade": pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "mid", "top"], ordered=True),
            "kind": rng.choice(["p", "q", "r"], n),
        }
    )
    score = X["size"] * 1.2 + 0.6 * count + X["grade"].cat.codes * (X["kind"] == "q") + rng.normal(0, 0.5, n)
    rules = {
        "rules": Constraints(monotone={"grade": "increase"}, immutable=["kind"], bounds={"size": (-3.0, 7.0)}),
        "few": Constraints(max_changes=1, codes="stay"),
        "implies": Constraints(implies={"kind == 'p'": "grade != 'top'"}, min_change={"size": 0.4}),
    }
    return _with_target(X, score, n_classes, rules)


def number_table(n_classes: int | None) -> Data:
    """Return columns of numbers, from scikit-learn's own data sets."""
    if n_classes is None:
        bunch = load_diabetes()
        X, score = bunch.data[:160, [2, 3, 8]] * 10.0, pd.Series(bunch.target[:160] / 50.0)
        return _with_target(X, score, None, _number_rules())
    bunch = load_iris() if n_classes == 3 else load_wine()
    chosen = bunch.target < n_classes
    X, y = bunch.data[chosen][:, [0, 1, 2]], bunch.target[chosen]
    return Data(X, y, 1, _number_rules(), (LogisticRegression(max_iter=1_000).fit(X, y), 1))


def _number_rules() -> dict[str, Any]:
    return {
        "rules": Constraints(monotone={"x0": "increase"}, linear=["x1 + x2 <= 50"]),
        "few": Constraints(max_changes=2, min_change={"x2": 0.1}),
        "implies": Constraints(step={"x0": 0.1}, range="training"),
    }


def _with_target(X: Any, score: Any, n_classes: int | None, rules: dict[str, Any]) -> Data:
    score = np.asarray(score, dtype=float)
    positive = score - score.min() + 0.5
    low, high = np.quantile(positive, [0.6, 0.95]).tolist()
    if n_classes is None:
        return Data(X, positive, (low, high), rules, (encoded(X, Ridge()).fit(X, positive), (low, None)))
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    y = np.array(["no", "yes", "more"][:n_classes])[np.searchsorted(edges, score)]
    return Data(X, y, "yes", rules, (encoded(X, LogisticRegression(max_iter=1_000)).fit(X, y), "yes"))


def encoded(X: Any, last: Any) -> Any:
    """Return a model that takes the columns of a table."""
    if not hasattr(X, "columns"):
        return make_pipeline(StandardScaler(), last)
    numbers = make_column_selector(dtype_include="number")
    levels = make_column_selector(dtype_exclude="number")
    return make_pipeline(
        make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(sparse_output=False), levels)), last
    )


def _boosted_elsewhere(package: str, name: str) -> Any:
    module = __import__(package)
    settings = {
        "xgboost": {"n_estimators": 6, "max_depth": 3, "n_jobs": 1, "random_state": 0},
        "lightgbm": {"n_estimators": 6, "num_leaves": 6, "n_jobs": 1, "verbose": -1, "random_state": 0},
        "catboost": {
            "iterations": 6, "depth": 3, "verbose": 0, "random_seed": 0, "thread_count": 1, "allow_writing_files": False
        },
    }  # fmt: skip
    return getattr(module, name)(**settings[package])


def network(activation: str, kind: Any = MLPClassifier) -> Any:
    """Return a network of three units."""
    return kind((3,), activation=activation, solver="lbfgs", max_iter=150, alpha=0.01, random_state=0)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=1_000),
    "linear svm": lambda: LinearSVC(max_iter=20_000, random_state=0),
    "lda": LinearDiscriminantAnalysis,
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(6, max_depth=3, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(6, max_depth=3, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=5, random_state=0),
    "ada": lambda: AdaBoostClassifier(n_estimators=5, random_state=0),
    "xgboost": lambda: _boosted_elsewhere("xgboost", "XGBClassifier"),
    "lightgbm": lambda: _boosted_elsewhere("lightgbm", "LGBMClassifier"),
    "catboost": lambda: _boosted_elsewhere("catboost", "CatBoostClassifier"),
    "relu": lambda: network("relu"),
    "tanh": lambda: network("tanh"),
    "gaussian nb": lambda: GaussianNB(var_smoothing=0.05),
    "qda": lambda: QuadraticDiscriminantAnalysis(reg_param=0.3),
    "nearest centroid": NearestCentroid,
    "calibrated": lambda: CalibratedClassifierCV(LogisticRegression(max_iter=1_000), cv=2),
    "voting": lambda: VotingClassifier(
        [("l", LogisticRegression(max_iter=1_000)), ("t", DecisionTreeClassifier(max_depth=3, random_state=0))],
        voting="soft",
    ),
    "one neighbour": lambda: KNeighborsClassifier(1),
    "black box": lambda: LogisticRegression(max_iter=1_000),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "ridge": Ridge,
    "poisson": lambda: PoissonRegressor(max_iter=1_000),
    "gamma": lambda: GammaRegressor(max_iter=1_000),
    "tree": lambda: DecisionTreeRegressor(max_depth=4, random_state=0),
    "forest": lambda: RandomForestRegressor(6, max_depth=3, random_state=0),
    "boosting": lambda: GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0),
    "histogram boosting": lambda: HistGradientBoostingRegressor(max_iter=6, max_leaf_nodes=5, random_state=0),
    "xgboost": lambda: _boosted_elsewhere("xgboost", "XGBRegressor"),
    "lightgbm": lambda: _boosted_elsewhere("lightgbm", "LGBMRegressor"),
    "relu": lambda: network("relu", MLPRegressor),
}
TABLES: dict[str, Callable[[int | None], Data]] = {
    "small": small_table,
    "mixed": mixed_table,
    "numbers": number_table,
}
EXPLAINERS: dict[str, dict[str, Any]] = {
    "default": {},
    "no density": {"density": None},
    "priced": {"density": None, "distance": Scaled(per_change=0.4)},
    "training": {"threshold": TrainingQuantile(0.3), "distance": "manhattan", "learn_rules": False},
    "joint": {"density_given": "joint", "threshold": 0.3, "distance": Manhattan(per_change=0.5)},
    "kernel": {"density": "kernel", "threshold": 0.2},
    "mahalanobis": {"density": None, "distance": "mahalanobis"},
}
# Families whose proofs take long: two classes, and only questions that a search answers quickly.
CURVED = ("tanh", "gaussian nb", "qda", "calibrated", "voting", "relu")
TOO_SLOW: set[tuple[str, str]] = set()
QUICK = ("plain", "rules", "stay", "densest")
QUESTIONS = (
    "plain", "rules", "few", "implies", "three", "apart", "stay", "likely", "also", "densest", "robust", "row errors",
)  # fmt: skip


def options_of(question: str, data: Data) -> dict[str, Any]:
    """Return the options of a question."""
    if question in data.rules:
        return {"constraints": data.rules[question]}
    return {
        "plain": {},
        "three": {"n_counterfactuals": 3},
        "apart": {"n_counterfactuals": 2, "differ": 0.7},
        "stay": {"already": "stay"},
        "likely": {"min_probability": 0.6},
        "also": {"also": [data.other]},
        "densest": {"if_none": "densest", "constraints": data.rules["rules"]},
        "robust": {"robust": 0.05},
        "row errors": {"errors": "row", "constraints": data.rules["few"]},
    }[question]


def fitted_model(family: str, data: Data, make: Callable[[], Any]) -> tuple[Any, Any, Any]:
    """Return a fitted model, its labels and the target; XGBoost takes labels that are counted from 0."""
    y, target = data.y, data.target
    if family == "xgboost" and not isinstance(target, tuple):
        levels = sorted(set(np.asarray(y).tolist()))
        y, target = np.array([levels.index(label) for label in np.asarray(y).tolist()]), levels.index(target)
    n = 24 if family == "one neighbour" else len(y)
    model = encoded(data.X, make()).fit(data.X[:n], y[:n])
    if family == "black box":
        return BlackBox(model.predict, classes=model.classes_), y, target
    return model, y, target


def questions(only: str = "") -> Iterator[tuple[str, Any, Any, Any, dict[str, Any]]]:
    """Yield the name, the explainer or the error that refuses it, rows, target and options of each question."""
    families = [(f"{name} ({n})", make, n) for name, make in CLASSIFIERS.items() for n in (2, 3)]
    families += [(f"{name} (regressor)", make, None) for name, make in REGRESSORS.items()]
    for table_name, table in TABLES.items():
        for place, (name, make, n_classes) in enumerate(families):
            family = name.partition(" (")[0]
            is_slow = family in (*CURVED, "black box") and (n_classes != 2 or table_name == "mixed")
            is_repeated = n_classes == 3 and table_name == "mixed"
            if only not in f"{table_name}, {name}" or is_slow or is_repeated or (table_name, name) in TOO_SLOW:
                continue
            data = table(n_classes)
            model, y, target = fitted_model(family, data, make)
            rows = data.X[-3:] if not hasattr(data.X, "iloc") else data.X.iloc[-3:]
            chosen = list(EXPLAINERS.items())[:: 2 if table_name == "numbers" else 1]
            for turn, (setting, settings) in enumerate(chosen):
                try:
                    explainer = fit_explainer(model, data.X, None if n_classes is None else y, settings)
                except ElsewiseError as error:
                    explainer = error
                # a third of the questions, the others for the next family: all pairs occur in some family
                for question in QUICK if family in CURVED else QUESTIONS[(turn + place) % 3 :: 3]:
                    options = options_of(question, data)
                    if "also" in options and family == "xgboost" and n_classes is not None:
                        options = {"also": [(data.other[0], data.target)]}
                    yield f"{table_name}, {name}, {setting}, {question}", explainer, rows, target, options


def answers_to(only: str = "") -> Iterator[dict[str, Any]]:
    """Yield one record for each row of each question."""
    for name, explainer, rows, target, options in questions(only):
        try:
            if isinstance(explainer, Exception):
                raise explainer
            found = ask(explainer, rows, target, options)
        except ElsewiseError as error:
            found = [[{"status": "refused", "error": type(error).__name__}] for _ in range(len(rows))]
        except Exception as error:
            found = [[{"status": "crashed", "error": f"{type(error).__name__}: {error}"}] for _ in range(len(rows))]
        for row, answers in enumerate(found):
            yield {"question": f"{name}, row {row}", "answers": answers}


RANKS = {
    "crashed": 0,
    "refused": 1,
    "error": 1,
    "unknown": 2,
    "feasible": 3,
    "densest": 4,
    "optimal": 4,
    "infeasible": 4,
}


def judged(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
    """Return what became of the answers of a row, in one word or two."""
    if before == after:
        return "same"
    for old, new in zip(before, after):
        if old["status"] != new["status"]:
            return "better status" if RANKS[old["status"]] < RANKS[new["status"]] <= 4 else "worse status"
        if "distance" in old and not _is_close(old["distance"], new["distance"]):
            is_nearer = old["status"] == "feasible" and new["distance"] < old["distance"]
            return "nearer" if is_nearer else "other distance"
    if len(before) != len(after):
        return "other number of answers"
    bounds = [(float(old.get("lower_bound", 0)), float(new.get("lower_bound", 0))) for old, new in zip(before, after)]
    if any(new < old - 1e-9 * abs(old) for old, new in bounds):
        return "lower bound"
    same_row = all(old.get("counterfactual") == new.get("counterfactual") for old, new in zip(before, after))
    return "last digits" if same_row else "other row, same distance"


BAD = ("worse status", "other distance", "other number of answers", "absent")


def _is_close(old: Any, new: Any) -> bool:
    return str(old) == str(new) or math.isclose(float(old), float(new), rel_tol=1e-9, abs_tol=1e-12)


def compare(path: Path, only: str) -> int:
    """Ask again, and count what differs; 1 if something became worse."""
    records = (json.loads(line) for line in path.read_text().splitlines())
    before = {record["question"]: record["answers"] for record in records if only in record["question"]}
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for record in answers_to(only):
        name, new = record["question"], json.loads(json.dumps(record["answers"]))
        verdict = judged(before.pop(name), new) if name in before else "new question"
        counts[verdict] += 1
        if verdict != "same":
            examples.setdefault(verdict, []).append(f"{name}: {json.dumps(new)[:200]}")
    counts["absent"] += len(before)
    examples["absent"] = list(before)
    for verdict, count in counts.most_common():
        sys.stdout.write(f"{count:7d} {verdict}\n")
        for example in examples.get(verdict, [])[:5]:
            sys.stdout.write(f"          {example}\n")
    return int(any(counts[verdict] for verdict in BAD))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="part of the name of a table and family, such as 'small, tree (2)'")
    arguments = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if arguments.what == "compare":
            return compare(arguments.file, arguments.only)
        start, statuses = time.process_time(), Counter[str]()
        with arguments.file.open("w") as file:
            for record in answers_to(arguments.only):
                statuses.update(answer["status"] for answer in record["answers"])
                file.write(json.dumps(record) + "\n")
                file.flush()
        sys.stdout.write(f"{time.process_time() - start:.0f} CPU seconds, answers: {dict(statuses.most_common())}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
