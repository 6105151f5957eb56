"""What a saved explainer holds: no training rows, unless something is made of rows."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.impute import KNNImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import elsewise as ew
from elsewise.tools.files.explainers import held_rows, read_header


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
    explainer = ew.Explainer(model, distance=distance, condition_on_fixed=False).fit(X, y)
    assert not holds_rows_of(explainer, X)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    named = ew.Explainer(LogisticRegression().fit(frame, y), condition_on_fixed=False).fit(frame, y)
    assert not holds_rows_of(named, X)


def test_what_is_made_of_rows_keeps_them(clouds):
    X, y = clouds
    given = ew.Explainer(LogisticRegression().fit(X, y), condition_on_fixed=True).fit(X, y)
    kernel = ew.Explainer(LogisticRegression().fit(X, y), density="kernel", condition_on_fixed=False).fit(X, y)
    asked = ew.Explainer(SVC().fit(X, y), condition_on_fixed=False).fit(X, y)
    neighbours = ew.Explainer(KNeighborsClassifier(1).fit(X, y), condition_on_fixed=False).fit(X, y)
    assert all(holds_rows_of(each, X) for each in (given, kernel, asked, neighbours))


def _told(explainer, path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explainer.save(path)
    messages = [str(each.message) for each in caught]
    assert [each.filename for each in caught] == [__file__] * len(caught)
    held = read_header(path).training_rows
    assert all(part in message for message in messages for part in held)
    assert len(messages) == bool(held)
    return " ".join(messages)


def test_saving_says_which_rows_are_held_and_what_keeps_none(clouds, tmp_path):
    X, y = clouds
    model, path = LogisticRegression().fit(X, y), tmp_path / "e.ew"
    joint = {"condition_on_fixed": False}
    assert _told(ew.Explainer(model, **joint).fit(X, y), path) == ""
    given = _told(ew.Explainer(model).fit(X, y), path)
    assert "e.ew holds training rows: 300 for thresholds given what cannot change" in given
    assert "condition_on_fixed=False keeps none" in given
    kernel = ew.KernelDensity(bandwidth=0.5)
    for density, count in (("kernel", 300), (kernel, 300), ({0: kernel, 1: "auto"}, (y == 0).sum())):
        explainer = ew.Explainer(model, density=density, **joint).fit(X, y)
        assert f"{count} of the kernel density" in _told(explainer, path)
    asked = ew.Explainer(SVC().fit(X, y), **joint).fit(X, y)
    assert len(asked.fitted_.training.anchors) == 300
    assert "300 near which answers of a black box" in _told(asked, path)
    assert "the model itself keeps (SVC)" in _told(asked, path)
    assert "the model itself keeps (KNeighborsClassifier)" in _told(
        ew.Explainer(KNeighborsClassifier(1).fit(X, y), **joint).fit(X, y), path
    )
    inside = make_pipeline(KNNImputer(), LogisticRegression()).fit(X, y)
    assert "KNNImputer" in _told(ew.Explainer(inside, **joint).fit(X, y), path)


def test_what_is_told_is_what_is_held(clouds, tmp_path):
    X, y = clouds
    for model in (LogisticRegression(), KNeighborsClassifier(1), SVC(), SVC(kernel="linear"), GaussianNB()):
        for density in ("auto", "kernel", None):
            for given in (True, False):
                explainer = ew.Explainer(model.fit(X, y), density=density, condition_on_fixed=given).fit(X, y)
                assert bool(held_rows(explainer.fitted_, density)) == holds_rows_of(explainer, X)
