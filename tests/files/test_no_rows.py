"""What a saved explainer holds: no training rows, unless something is made of rows."""

from __future__ import annotations

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import elsewise as ew


def arrays_in(value, seen=None):
    """All arrays that can be reached from an object, by its attributes and items."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return []
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return [value]
    parts = []
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    elif is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, item.name) for item in fields(value)]
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        parts = list(vars(value).values())
    return [array for part in parts for array in arrays_in(part, seen)]


def holds_rows_of(explainer, X):
    """Whether some array of a saved explainer has a training row for a row."""
    again = pickle.loads(pickle.dumps(explainer))
    rows = {row.tobytes() for row in X}
    tables = [each for each in arrays_in(again.fitted_) if each.ndim == 2 and each.shape[1] == X.shape[1]]
    return any(row.tobytes() in rows for each in tables for row in np.ascontiguousarray(each, dtype=np.float64))


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    return rng.normal(size=(300, 4)) + 2.0 * y[:, None], y


@pytest.mark.parametrize("distance", ["manhattan", "scaled"])
def test_joint_thresholds_of_mixtures_keep_no_rows(clouds, distance):
    X, y = clouds
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, distance=distance, density_given="joint").fit(X, y)
    assert not holds_rows_of(explainer, X)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    named = ew.Explainer(LogisticRegression().fit(frame, y), density_given="joint").fit(frame, y)
    assert not holds_rows_of(named, X)


def test_what_is_made_of_rows_keeps_them(clouds):
    X, y = clouds
    given = ew.Explainer(LogisticRegression().fit(X, y), density_given="fixed").fit(X, y)
    kernel = ew.Explainer(LogisticRegression().fit(X, y), density="kernel", density_given="joint").fit(X, y)
    asked = ew.Explainer(SVC().fit(X, y), density_given="joint").fit(X, y)
    neighbours = ew.Explainer(KNeighborsClassifier(1).fit(X, y), density_given="joint").fit(X, y)
    assert all(holds_rows_of(each, X) for each in (given, kernel, asked, neighbours))
