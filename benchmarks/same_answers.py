"""Whether a change of the code changes any answer: ask some thousand questions, keep every bit, ask again later.

``python -m benchmarks.same_answers record FILE`` asks and keeps, ``compare FILE`` asks again, lists every difference,
and exits with 1 if there is one. Only the public API is used, and all that it returns is kept as plain Python values.
The real tables take part if they are in ``../shared/data`` beside the repository, or in the folder ``ELSEWISE_DATA``.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor
from threadpoolctl import threadpool_limits

import elsewise as ew
from elsewise import theory
from elsewise.lvq import GeneralizedLVQ, GeneralizedMatrixLVQ

DATA = Path(os.environ.get("ELSEWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
REAL_TABLES = {
    "german_credit": ("default", 0, 600, 60),
    "heloc": ("RiskPerformance", "Good", 1_500, 60),
    "adult": ("income", 1, 2_000, 100),
}
"""Column of the label, the label that people want, training rows, rows to explain for each model."""

OF_ONE = [
    "target", "prediction", "status", "distance", "lower_bound", "gap", "log_density", "log_density_mixture",
    "log_threshold", "plausibility", "component", "model_free", "reason", "changed", "shares", "nearer",
    "feature_names", "sentence",
]  # fmt: skip
OF_MANY = [
    "targets", "predictions", "statuses", "distances", "lower_bounds", "gaps", "log_densities",
    "log_densities_mixture", "log_thresholds", "plausibilities", "components", "model_free", "reasons",
    "n_projections", "changed", "shares", "rows", "nearer", "feature_names",
]  # fmt: skip
THREE = ["left", "right", "up"]


class Record:
    """Questions and their answers.

    Attributes
    ----------
    answers : dict
        Of the name of each question, a dict of the fields of its answer.
    """

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any]] = {}

    def ask(self, name: str, ask: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Ask one question and keep the answer, or the error it ends with."""
        try:
            answer = ask(*arguments, **options)
        except ew.ElsewiseError as error:
            self._keep(name, {"error": f"{type(error).__name__}: {error}"})
            return
        if isinstance(answer, ew.Frontier):
            of_all = {
                "quantiles": plain(answer.quantiles),
                "log_thresholds": plain(answer.log_thresholds),
                "distances": plain(answer.distances),
                **of_frame(answer.to_frame()),
                **in_words(answer),
            }
            self._keep(name, of_all)
            self._explanations(name, answer.explanations)
        elif isinstance(answer, ew.Explanations):
            self._explanations(name, answer)
        elif isinstance(answer, ew.Explanation):
            self._keep(name, of_one(answer))
        elif isinstance(answer, ew.WhyNot):
            self._keep(name, of_why_not(answer))
        else:
            self._keep(name, {"value": plain(answer)})

    def _explanations(self, name: str, answers: ew.Explanations) -> None:
        self._keep(f"{name}, all", of_many(answers))
        for place, answer in enumerate(answers):
            self._keep(f"{name}, answer {place}", of_one(answer))

    def _keep(self, name: str, fields: dict[str, Any]) -> None:
        if name in self.answers:
            raise ValueError(f"two questions are called {name!r}")
        self.answers[name] = fields


def plain(value: Any) -> Any:
    """Write a value in Python's own types, with all bits of numbers: what is unpickled needs no library."""
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value] if value.dtype == object else value.tolist()
    if isinstance(value, (pd.Series, pd.Index)):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def of_one(answer: ew.Explanation) -> dict[str, Any]:
    """Fields of one explanation."""
    certificate = answer.certificate
    frame = answer.to_frame()
    return {
        "counterfactual": plain(answer.counterfactual),
        **{name: plain(getattr(answer, name)) for name in OF_ONE},
        **{
            f"certificate {name}": plain(getattr(certificate, name))
            for name in ("valid", "dense", "lower_bound", "gap", "n_projections")
        },
        "changes": [
            plain([change.feature, change.before, change.after, change.difference, change.cost, str(change)])
            for change in answer.changes
        ],
        **of_frame(frame),
        **in_words(answer),
    }


def of_many(answers: ew.Explanations) -> dict[str, Any]:
    """Fields of many explanations."""
    returned = answers.counterfactuals
    dtypes = [str(dtype) for dtype in returned.dtypes] if hasattr(returned, "dtypes") else str(returned.dtype)
    return {
        "dtypes": dtypes,
        **{name: plain(getattr(answers, name)) for name in OF_MANY},
        **of_frame(answers.to_frame()),
        **in_words(answers),
    }


def of_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Values, dtypes and names of a frame."""
    return {
        "to_frame values": [plain(frame[name]) for name in frame],
        "to_frame dtypes": [str(dtype) for dtype in frame.dtypes],
        "to_frame names": [plain(frame.columns), plain(frame.index)],
    }


def in_words(answer: Any) -> dict[str, str]:
    """Give what people read."""
    return {"str": str(answer), "repr": repr(answer), "html": answer._repr_html_()}


def of_why_not(answer: ew.WhyNot) -> dict[str, Any]:
    """Fields of the reasons why there is no answer."""
    reliefs = [[each.rule, each.distance, each.constraints.to_mapping()] for each in answer.reliefs]
    fields = {name: plain(getattr(answer, name)) for name in ("reason", "conflict", "highest_quantile", "sentence")}
    return {**fields, "reliefs": plain(reliefs), "html": answer._repr_html_()}


def numbers(seed: int, n_classes: int | None, n_features: int = 4) -> tuple[Any, Any, Any]:
    """Training rows, their labels or values, and rows to explain."""
    rng = np.random.default_rng(seed)
    n_groups = n_classes or 2
    group = np.arange(30 * n_groups) % n_groups
    scale = rng.uniform(0.5, 2.0, size=n_features)
    X = (rng.normal(scale=1.5, size=(n_groups, n_features))[group] + rng.normal(size=(len(group), n_features))) * scale
    X += 3.0
    rows = X[rng.permutation(len(X))[:24]] + 0.3 * rng.normal(size=(24, n_features))
    if n_classes is None:
        return X, np.exp(0.3 * (X[:, 0] - X[:, 1]) / scale[0] + 0.1 * rng.normal(size=len(X))), rows
    return X, np.array(THREE)[group], rows


CLASSIFIERS: dict[str, tuple[Callable[[], Any], int]] = {
    "logistic": (lambda: LogisticRegression(max_iter=1_000), 3),
    "logistic of two": (lambda: LogisticRegression(max_iter=1_000), 2),
    "linear svc": (lambda: LinearSVC(max_iter=50_000, random_state=0), 3),
    "svc": (lambda: SVC(kernel="linear"), 2),
    "lda": (LinearDiscriminantAnalysis, 3),
    "ridge classifier": (RidgeClassifier, 3),
    "sgd": (lambda: SGDClassifier(random_state=0), 3),
    "perceptron": (lambda: Perceptron(random_state=0), 3),
    "tree": (lambda: DecisionTreeClassifier(random_state=0), 3),
    "extra tree": (lambda: ExtraTreeClassifier(max_depth=5, random_state=0), 3),
    "centroids": (NearestCentroid, 3),
    "neighbour": (lambda: KNeighborsClassifier(n_neighbors=1), 2),
    "glvq": (lambda: GeneralizedLVQ(prototypes_per_class=2, random_state=0), 3),
    "gmlvq": (lambda: GeneralizedMatrixLVQ(prototypes_per_class=2, random_state=0), 3),
    "scaled logistic": (lambda: make_pipeline(StandardScaler(), LogisticRegression()), 3),
    "scaled tree": (lambda: make_pipeline(MinMaxScaler(), DecisionTreeClassifier(max_depth=4, random_state=0)), 3),
    "pca logistic": (lambda: make_pipeline(RobustScaler(), PCA(3, random_state=0), LogisticRegression()), 3),
    "pca tree": (lambda: make_pipeline(PCA(2, random_state=0), DecisionTreeClassifier(max_depth=4, random_state=0)), 3),
    "svd svc": (lambda: make_pipeline(TruncatedSVD(3, random_state=0), LinearSVC(max_iter=50_000, random_state=0)), 3),
    "selected": (lambda: make_pipeline(MaxAbsScaler(), SelectKBest(k=3), LogisticRegression()), 2),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "least squares": LinearRegression,
    "ridge": Ridge,
    "lasso": lambda: Lasso(alpha=0.05),
    "elastic net": lambda: ElasticNet(alpha=0.05),
    "poisson": lambda: PoissonRegressor(max_iter=1_000),
    "gamma": lambda: GammaRegressor(max_iter=1_000),
    "tweedie": lambda: TweedieRegressor(max_iter=1_000),
    "regression tree": lambda: DecisionTreeRegressor(max_depth=4, random_state=0),
    "extra regression tree": lambda: ExtraTreeRegressor(max_depth=4, random_state=0),
    "scaled ridge": lambda: make_pipeline(StandardScaler(), Ridge()),
}
DENSITIES: dict[str, Any] = {
    "auto": "auto",
    "kernel": "kernel",
    "one": ew.GaussianMixtureDensity(n_components=1),
    "two": ew.GaussianMixtureDensity(n_components=2, covariance_type="diag"),
    "none": None,
}
DISTANCES: dict[str, Any] = {
    "manhattan": "manhattan",
    "weighted": ew.Manhattan([1.0, 0.5, 3.0, 10.0]),
    "scaled": "scaled",
    "scaled and weighted": ew.Scaled([1.0, 0.5, 3.0, 10.0]),
    "mahalanobis": "mahalanobis",
    "euclid": ew.Mahalanobis(np.eye(4)),
}
RULES_FOR_NUMBERS: dict[str, dict[str, Any]] = {
    "immutable": {"immutable": ["x0"]},
    "monotone": {"monotone": {"x1": "increase", "x2": "decrease"}},
    "bounds": {"bounds": {"x0": (-50.0, 50.0), "x3": (None, 60.0)}},
    "integer": {"integer": ["x0", "x2"]},
    "linear": {"linear": ["x0 + x1 <= 9", ({"x2": 1.0, "x3": -0.5}, ">=", -4.0)]},
    "changes": {"max_changes": 2},
    "all": {
        "immutable": ["x3"],
        "monotone": {"x0": "increase"},
        "bounds": {"x1": (-50.0, 50.0)},
        "linear": ["x0 + x2 <= 12"],
        "max_changes": 2,
    },
    "impossible": {"immutable": ["x0", "x1", "x2"], "linear": ["x3 >= 900"]},
}


def ask_about_numbers(record: Record) -> None:
    """Tables of plain numbers: every family, density, distance and rule."""
    for name, (make, n_classes) in CLASSIFIERS.items():
        X, y, rows = numbers(len(name), n_classes)
        model = make().fit(X, y)
        explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
        record.ask(f"{name}: right", explainer.explain, rows, "right")
        record.ask(f"{name}: any", explainer.explain, rows[:12])
        labels = [THREE[i % n_classes] for i in range(8)]
        record.ask(f"{name}: a target a row", explainer.explain, rows[:8], labels)
        record.ask(f"{name}: three", explainer.explain, rows[:4], "left", n_counterfactuals=3)
        if hasattr(model, "predict_proba") and "tree" not in name and "neighbour" not in name:
            record.ask(f"{name}: likely", explainer.explain, rows[:8], "left", min_probability=0.8)
        record.ask(f"{name}: frontier", explainer.frontier, rows[1], "right")
        rules = RULES_FOR_NUMBERS["all"]
        record.ask(f"{name}: rules", explainer.explain, rows[:8], "left", constraints=ew.Constraints(**rules))
        plain_explainer = ew.Explainer(model, density=None).fit(X, y)
        record.ask(f"{name}: no density", plain_explainer.explain, rows[:12], "left")
    for name, make in REGRESSORS.items():
        X, y, rows = numbers(len(name), None)
        explainer = ew.Explainer(make().fit(X, y)).fit(X)
        low, middle, high = np.quantile(y, [0.3, 0.5, 0.9]).tolist()
        record.ask(f"{name}: range", explainer.explain, rows, (middle, high))
        record.ask(f"{name}: below", explainer.explain, rows[:8], (None, low))
        each = [(low, middle), (middle, None), (None, low)]
        record.ask(f"{name}: a range a row", explainer.explain, rows[:3], each)
        record.ask(f"{name}: three", explainer.explain, rows[:3], (middle, high), n_counterfactuals=3)
        record.ask(f"{name}: frontier", explainer.frontier, rows[0], (middle, high))
        record.ask(f"{name}: never", explainer.explain_one, rows[0], (-2e6, -1e6))
        record.ask(f"{name}: why never", explainer.why_not, rows[0], (-2e6, -1e6))
    X, y, rows = numbers(7, 3)
    names = [f"x{i}" for i in range(4)]
    models = {
        "logistic": LogisticRegression(max_iter=1_000).fit(X, y),
        "tree": DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y),
    }
    mixtures = {label: GaussianMixture(2, random_state=0).fit(X[y == label]) for label in THREE}
    densities = DENSITIES | {"fitted": mixtures}
    for model_name, model in models.items():
        for name, density in densities.items():
            explainer = ew.Explainer(model, density=density).fit(X, y)
            record.ask(f"{model_name}, density {name}", explainer.explain, rows[:12], "up")
        for name, distance in DISTANCES.items():
            explainer = ew.Explainer(model, distance=distance).fit(X, y)
            record.ask(f"{model_name}, distance {name}", explainer.explain, rows[:12], "up")
            record.ask(f"{model_name}, distance {name}: any", explainer.explain, rows[:6])
        for threshold in (0.05, 0.9, 0.999, ew.LogDensity(-12.0), ew.LogDensity(5.0)):
            explainer = ew.Explainer(model, threshold=threshold).fit(X, y)
            record.ask(f"{model_name}, threshold {threshold}", explainer.explain, rows[:6], "up")
            record.ask(f"{model_name}, threshold {threshold}: one", explainer.explain_one, rows[0], "up")
            record.ask(f"{model_name}, threshold {threshold}: why", explainer.why_not, rows[0], "up")
            rules = ew.Constraints(immutable=["x0", "x1"], monotone={"x2": "increase"}, max_changes=1)
            record.ask(f"{model_name}, threshold {threshold}: which", explainer.why_not, rows[0], "up", rules)
        explainer = ew.Explainer(model).fit(X, y)
        for name, given in RULES_FOR_NUMBERS.items():
            rules = ew.Constraints(**given)
            record.ask(f"{model_name}, rules {name}", explainer.explain, rows[:8], "up", constraints=rules)
            record.ask(f"{model_name}, rules {name}: why", explainer.why_not, rows[0], "up", rules)
            record.ask(f"{model_name}, rules {name}: any", explainer.explain, rows[:3], constraints=rules)
        short = pd.DataFrame(rows, columns=names).astype(np.float32)
        framed = ew.Explainer(model).fit(X.astype(np.float32), y)
        record.ask(f"{model_name}, 32 bits", framed.explain, short.to_numpy(), "left")
        with_names = type(model)(**model.get_params()).fit(pd.DataFrame(X, columns=names), y)
        framed = ew.Explainer(with_names).fit(pd.DataFrame(X, columns=names), y)
        record.ask(f"{model_name}, frame of 32 bits", framed.explain, short, "left")
        record.ask(f"{model_name}, frame of 32 bits: any", framed.explain, short)
        ask_about_theory(record, model_name, explainer, X, y, rows)
        ask_other_ways(record, model_name, explainer, rows)


def ask_about_theory(record: Record, name: str, explainer: Any, X: Any, y: Any, rows: Any) -> None:
    """Theorem 2 and its relatives."""
    label = explainer.classes_.tolist()[0]
    record.ask(f"{name}, theory: applies", theory.model_free_theorem_applies, explainer, rows, label)
    free = theory.model_free_counterfactuals(explainer, rows, label)
    for field in ("points", "distances", "lower_bounds", "log_densities", "classified_as_target"):
        value = getattr(free, field)
        value = [plain(value[column]) for column in value] if hasattr(value, "columns") else value
        record.ask(f"{name}, theory: model-free {field}", np.asarray, value)
    perfect = theory.is_locally_sufficient_perfect(explainer, rows)
    for field in ("holds", "prediction_agrees", "likeliest", "log_joint_densities", "classified_as_target"):
        record.ask(f"{name}, theory: perfect {field}", np.asarray, getattr(perfect, field))
    nearest = theory.nearest_training_rows_correct(explainer, rows, X, y, n_neighbors=3)
    for field in ("holds", "correct", "indices"):
        record.ask(f"{name}, theory: nearest {field}", np.asarray, getattr(nearest, field))


def ask_other_ways(record: Record, name: str, explainer: Any, rows: Any) -> None:
    """One at a time, on threads, and with an explainer that was saved and read again."""
    label = explainer.classes_.tolist()[-1]
    for i in range(6):
        row = rows.iloc[i] if hasattr(rows, "iloc") else rows[i]
        record.ask(f"{name}, alone: {i}", explainer.explain_one, row, label)
    record.ask(f"{name}, log densities", explainer.log_density, rows, label)
    record.ask(f"{name}, model space", explainer.to_model_space, rows)
    threads = type(explainer)(**{**explainer.get_params(deep=False), "n_jobs": 2})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "explainer.ew")
        explainer.save(path)
        loaded = ew.load(path)
    record.ask(f"{name}, loaded", loaded.explain, rows, label)
    loaded.n_jobs = threads.n_jobs
    record.ask(f"{name}, threads", loaded.explain, rows, label)


def mixed(seed: int, n: int = 200) -> tuple[pd.DataFrame, Any]:
    """Numbers, whole numbers with codes, ordered levels, booleans, categories and missing values, and three classes."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, size=n)
    months = rng.integers(0, 40, size=n) + 10 * group
    months[rng.random(n) < 0.12] = -8
    months[rng.random(n) < 0.12] = -9
    colour = np.array(["red", "green", "blue", "white"])[np.clip(rng.integers(0, 3, size=n) + (group == 1), 0, 3)]
    debts = rng.normal(10.0 * group, 8.0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(group, 1.0),
            "debts": np.where(rng.random(n) < 0.1, np.nan, debts),
            "count": rng.poisson(2.0 + group),
            "months": months,
            "grade": pd.Categorical.from_codes(
                np.clip(rng.integers(0, 3, size=n) + (group == 2), 0, 3), ["low", "fair", "good", "best"], ordered=True
            ),
            "member": rng.random(n) < 0.2 + 0.3 * group,
            "colour": np.where(rng.random(n) < 0.03, "rare", colour),
        }
    )
    return frame, np.array(["a", "b", "c"])[group]


RULES_FOR_TABLES: dict[str, dict[str, Any]] = {
    "free": {},
    "immutable": {"immutable": ["colour", "size"]},
    "monotone": {"monotone": {"count": "increase", "grade": "increase", "member": "decrease"}},
    "bounds": {"bounds": {"count": (0, 30), "grade": ("low", "best"), "size": (-9.0, None)}},
    "integer": {"integer": []},
    "whole debts": {"integer": ["debts", "count"]},
    "allowed": {"allowed": {"colour": {"red": ["green"], "green": ["red", "blue"]}, "member": [True]}},
    "linear": {"linear": ["size + 0.5 * count <= 4.5", "0 <= months - count <= 60", "2 * member + size >= 0.5"]},
    "changes": {"max_changes": 2},
    "one change": {"max_changes": 1},
    "codes": {"special": [-9, -8]},
    "codes of a column": {"special": {"months": [-9]}, "max_changes": 3},
    "all": {
        "immutable": ["member"],
        "monotone": {"months": "increase"},
        "bounds": {"count": (0, 40)},
        "allowed": {"colour": ["red", "green", "blue"]},
        "linear": ["size <= 6"],
        "special": [-9, -8],
        "max_changes": 4,
    },
    "impossible": {"immutable": ["size", "count", "grade", "colour"], "bounds": {"count": (0, 50)}, "max_changes": 1},
    "nothing": {"max_changes": 0, "monotone": {"size": "decrease"}, "linear": ["size >= 90", "count <= 3"]},
}


def ask_about_tables(record: Record) -> None:
    """Made-up tables of all kinds of columns under all kinds of rules."""
    frame, y = mixed(0)
    rows = mixed(1, 16)[0]
    rows.index = pd.Index([f"row {i}" for i in range(16)], name="key")
    one_hot, ordinal = (
        OneHotEncoder(handle_unknown="ignore"),
        OrdinalEncoder(categories=[list(frame["grade"].cat.categories)]),
    )
    filled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())

    def steps(encoder: Any) -> ColumnTransformer:
        return ColumnTransformer(
            [
                ("number", StandardScaler(), ["size", "count", "months"]),
                ("filled", filled, ["debts"]),
                ("ordinal", ordinal, ["grade"]),
                ("category", encoder, ["member", "colour"]),
            ]
        )

    models = {
        "logistic": make_pipeline(steps(one_hot), LogisticRegression(max_iter=2_000)),
        "svm": make_pipeline(steps(OneHotEncoder(drop="first")), LinearSVC(max_iter=50_000, random_state=0)),
        "tree": make_pipeline(steps(one_hot), DecisionTreeClassifier(max_depth=5, random_state=0)),
        "target": make_pipeline(steps(TargetEncoder(random_state=0)), LogisticRegression(max_iter=2_000)),
    }
    for model_name, model in models.items():
        model.fit(frame, y)
        explainer = ew.Explainer(model).fit(frame, y)
        for name, given in RULES_FOR_TABLES.items():
            rules = ew.Constraints(**given)
            title = f"table, {model_name}, {name}"
            record.ask(title, explainer.explain, rows, "c", constraints=rules)
            record.ask(f"{title}: any", explainer.explain, rows[:4], constraints=rules)
            record.ask(f"{title}: alone", explainer.explain_one, rows.iloc[0], "c", constraints=rules)
            record.ask(f"{title}: why", explainer.why_not, rows.iloc[1], "c", rules)
            if model_name in ("logistic", "tree"):
                record.ask(f"{title}: three", explainer.explain, rows[:3], "a", constraints=rules, n_counterfactuals=3)
                some = (0.1, 0.5, 0.9)
                record.ask(f"{title}: frontier", explainer.frontier, rows.iloc[2], "c", some, constraints=rules)
        other = ew.Explainer(
            model, density=None, distance=ew.Scaled({"size": 2.0, "colour": 0.5}), columns={"count": "number"}
        ).fit(frame, y)
        record.ask(f"table, {model_name}, no density", other.explain, rows, "b")
        thin = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1), threshold=0.9).fit(frame, y)
        record.ask(f"table, {model_name}, one component", thin.explain, rows, "b")
        if model_name == "logistic":
            record.ask(f"table, {model_name}, likely", explainer.explain, rows, "a", min_probability=0.7)
            ask_about_theory(record, "table", explainer, frame, y, rows)
            ask_other_ways(record, "table", explainer, rows)
    value = 3.0 * frame["size"] + 0.5 * frame["count"] + 2.0 * (frame["colour"] == "red")
    for model_name, last in {
        "ridge": Ridge(),
        "regression tree": DecisionTreeRegressor(max_depth=4, random_state=0),
    }.items():
        model = make_pipeline(steps(one_hot), last).fit(frame, value)
        explainer = ew.Explainer(model).fit(frame)
        for name in ("free", "monotone", "changes", "all", "nothing"):
            rules = ew.Constraints(**RULES_FOR_TABLES[name])
            record.ask(f"table, {model_name}, {name}", explainer.explain, rows[:8], (6.0, 8.0), constraints=rules)
            record.ask(f"table, {model_name}, {name}: why", explainer.why_not, rows.iloc[0], (6.0, 8.0), rules)
    ask_about_groups(record)


def ask_about_groups(record: Record) -> None:
    """0/1 columns that belong together, ordered levels that are declared, and whole numbers in frames of few bits."""
    frame, y = mixed(5)
    numeric = frame[["size", "count"]].astype({"size": np.float32, "count": np.int16})
    for level in ("red", "green", "blue", "white"):
        numeric[level] = (frame["colour"] == level).astype(np.int8)
    numeric["grade"] = frame["grade"].cat.codes.astype(np.int32)
    kinds = {"colour": ew.OneHot(["red", "green", "blue", "white"]), "grade": ew.Ordinal([0, 1, 2, 3])}
    keep = numeric[["red", "green", "blue", "white"]].sum(axis=1) == 1
    numeric, y = numeric[keep], y[keep]
    for name, model in {
        "logistic": LogisticRegression(max_iter=2_000),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "neighbour": KNeighborsClassifier(n_neighbors=1),
    }.items():
        n = 40 if name == "neighbour" else len(numeric)
        explainer = ew.Explainer(model.fit(numeric[:n], y[:n]), columns=kinds).fit(numeric[:n], y[:n])
        record.ask(f"groups, {name}", explainer.explain, numeric[:12], "c")
        rules = ew.Constraints(max_changes=2, immutable=["colour"])
        record.ask(f"groups, {name}, rules", explainer.explain, numeric[:12], "a", constraints=rules)
        record.ask(f"groups, {name}, three", explainer.explain, numeric[:3], "b", n_counterfactuals=3)


def ask_about_real_numbers(record: Record) -> None:
    """Ask about data sets that come with scikit-learn."""
    for name, load in {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}.items():
        X, y = load(return_X_y=True)
        for model_name, make in {
            "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
            "tree": lambda: DecisionTreeClassifier(max_depth=6, random_state=0),
            "glvq": lambda: make_pipeline(StandardScaler(), GeneralizedLVQ(prototypes_per_class=2, random_state=0)),
        }.items():
            explainer = ew.Explainer(make().fit(X, y)).fit(X, y)
            record.ask(f"{name}, {model_name}", explainer.explain, X[::5], 1)
            record.ask(f"{name}, {model_name}: any", explainer.explain, X[1::20])


RULES_FOR_REAL_TABLES: dict[str, dict[str, Any]] = {
    "german_credit": {
        "immutable": ["personal_status_sex", "foreign_worker"],
        "monotone": {"age": "increase"},
        "allowed": {"housing": {"rent": ["own"]}},
        "linear": [({"credit_amount": 1.0, "duration_in_month": -250.0}, "<=", 4_000.0)],
        "max_changes": 4,
    },
    "heloc": {
        "immutable": ["ExternalRiskEstimate"],
        "monotone": {"MSinceOldestTradeOpen": "increase"},
        "special": [-9, -8, -7],
    },
    "adult": {"immutable": ["race", "gender"], "monotone": {"age": "increase"}, "max_changes": 3},
}


def ask_about_real_tables(record: Record) -> None:
    """German credit, HELOC and Adult, where the files are."""
    for name, (label, target, n_train, n_rows) in REAL_TABLES.items():
        path = DATA / f"{name}.csv"
        if not path.exists():
            print(f"without {name}: no {path}", file=sys.stderr)
            continue
        frame = pd.read_csv(path)
        y = frame.pop(label)
        train, test, y_train, _ = train_test_split(frame, y, train_size=n_train, random_state=0, stratify=y)
        numeric = [column for column in frame if frame[column].dtype.kind in "iuf"]
        others = [column for column in frame if column not in numeric]
        steps = [("num", StandardScaler(), numeric), ("cat", OneHotEncoder(handle_unknown="ignore"), others)]
        for model_name, last in {
            "logistic": LogisticRegression(max_iter=5_000),
            "svm": LinearSVC(max_iter=50_000, random_state=0),
            "tree": DecisionTreeClassifier(max_depth=5, min_samples_leaf=10, random_state=0),
        }.items():
            model = make_pipeline(ColumnTransformer(steps if others else steps[:1]), last).fit(train, y_train)
            explainer = ew.Explainer(model).fit(train, y_train)
            rows = test[model.predict(test) != target][:n_rows]
            rules = ew.Constraints(**RULES_FOR_REAL_TABLES[name])
            title = f"{name}, {model_name}"
            record.ask(title, explainer.explain, rows, target)
            record.ask(f"{title}, rules", explainer.explain, rows[: n_rows // 2], target, constraints=rules)
            if (name, model_name) != ("heloc", "tree"):  # takes minutes
                record.ask(f"{title}, three", explainer.explain, rows[:3], target, n_counterfactuals=3)
            record.ask(f"{title}, frontier", explainer.frontier, rows.iloc[0], target, (0.1, 0.5, 0.8))
            few = ew.Constraints(immutable=numeric[:3], max_changes=1)
            record.ask(f"{title}, why", explainer.why_not, rows.iloc[0], target, few)


def ask_everything() -> dict[str, dict[str, Any]]:
    """Ask all questions on one thread of the numerical libraries."""
    record = Record()
    parts: Sequence[Callable[[Record], None]] = (
        ask_about_numbers,
        ask_about_tables,
        ask_about_real_numbers,
        ask_about_real_tables,
    )
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in parts:
            start = time.perf_counter()
            part(record)
            print(f"{part.__name__}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return record.answers


def same(before: Any, after: Any) -> bool:
    """Whether two plain values agree, types and all bits of floats included."""
    if type(before) is not type(after):
        return False
    if isinstance(before, float):
        return bool(before.hex() == after.hex())  # tells 0.0 from -0.0, and NaN is NaN
    if isinstance(before, list):
        return len(before) == len(after) and all(map(same, before, after))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(same(before[key], after[key]) for key in before)
    return bool(before == after)


def differences(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> Iterable[tuple[str, str, Any, Any]]:
    """Each difference: question, field, value before and value after."""
    nothing: dict[str, Any] = {}
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, nothing), after.get(name, nothing)
        for field in dict.fromkeys([*old, *new]):
            if field not in old or field not in new or not same(old[field], new[field]):
                yield name, field, old.get(field, "(absent)"), new.get(field, "(absent)")


def first_apart(before: Any, after: Any) -> tuple[str, Any, Any]:
    """Where two values begin to differ: long ones are not for reading."""
    if type(before) is type(after) is list and len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            if not same(old, new):
                where, old, new = first_apart(old, new)
                return f"[{place}]{where}", old, new
    if type(before) is type(after) is str and max(len(before), len(after)) > 160:
        place = next((i for i, (old, new) in enumerate(zip(before, after)) if old != new), min(len(before), len(after)))
        start = max(place - 40, 0)
        return f" from character {start}", before[start : start + 120], after[start : start + 120]
    return "", before, after


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    print(f"asking {Path(ew.__file__).parent}", file=sys.stderr)
    answers = ask_everything()
    n_fields = sum(map(len, answers.values()))
    if options.what == "record":
        options.file.write_bytes(pickle.dumps(answers))
        print(f"{len(answers)} questions, {n_fields} fields recorded")
        return 0
    count, fields = 0, dict[str, int]()
    for name, field, old, new in differences(pickle.loads(options.file.read_bytes()), answers):
        count += 1
        fields[field] = fields.get(field, 0) + 1
        where, old, new = first_apart(old, new)
        print(f"{name} | {field}{where}\n    before {old!r}\n    after  {new!r}")
    for field, n in sorted(fields.items(), key=lambda item: -item[1]):
        print(f"{n:6d} of {field}")
    print(f"{len(answers)} questions, {n_fields} fields, {count} differences")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
