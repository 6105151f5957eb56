"""Tables, models and rules whose answers are certified."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

RULES = {
    "none": None,
    "few changes": ew.Constraints(immutable=["age"], monotone={"kids": "increase"}, max_changes=2),
    "alternatives": ew.Constraints(
        bounds={"income": (0, 5000)},
        linear=["debt <= 4 * income"],
        min_change={"income": 100},
        implies={"job == 'a'": "kids >= 1"},
    ),
    "steps": ew.Constraints(step={"income": 50}, together=[["income", "debt"]], max_changes=2),
}


def numbers(seed, n=200, d=4, n_classes=3):
    """Rows of numbers with classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    scores = X @ rng.normal(size=(d, n_classes)) + np.abs(X[:, :1]) + 0.3 * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


def mixed(seed, n=300):
    """A table of numbers, whole numbers and categories, with two classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.normal(3000, 600, n).round(2).clip(500, 4900),
            "debt": rng.exponential(1500, n).round(2).clip(0, 1900),
            "kids": rng.integers(0, 5, n),
            "job": rng.choice(["a", "b", "c", "d"], n),
            "home": rng.choice(["own", "rent"], n),
        }
    )
    score = X.income / 800 - X.debt / 1500 + (X.job == "a") - 0.7 * (X.home == "rent") + X.kids / 10 - X.age / 100
    return X, (score + rng.normal(0, 0.5, n) > score.mean()).astype(int).to_numpy()


def of_table(estimator):
    """A pipeline over the mixed table."""
    encoder = make_column_transformer(
        (OneHotEncoder(), ["job", "home"]), (StandardScaler(), ["age", "income", "debt", "kids"])
    )
    return make_pipeline(encoder, estimator)


LINEAR, TREE = "linear", "tree"


def estimator(name):
    """A small model."""
    return LogisticRegression() if name == LINEAR else DecisionTreeClassifier(max_depth=5, random_state=0)
