"""Nearest training rows where a class has fewer rows than are asked for, against sorting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import elsewise as ew
from elsewise import theory


def data() -> tuple[np.ndarray, np.ndarray]:
    """Many rows of two classes and three of a third."""
    rng = np.random.default_rng(0)
    X = np.vstack(
        [rng.normal([0.0, 0.0], 0.4, (20, 2)), rng.normal([5.0, 0.0], 0.4, (20, 2)), [[0, 6], [1, 6], [2, 6]]]
    )
    return X, np.repeat(["left", "right", "top"], [20, 20, 3])


def expected(explainer, rows, X, y, n_neighbors):
    """By hand: positions of the nearest rows of each class, and whether all of them are classified correctly."""
    predicted = explainer.model.predict(X)
    indices = np.full((len(rows), 3, n_neighbors), -1)
    correct = np.ones((len(rows), 3), dtype=bool)
    for i, row in enumerate(rows):
        for c, label in enumerate(explainer.classes_):
            mine = sorted(np.flatnonzero(y == label), key=lambda k: np.abs(X[k] - row).sum())[:n_neighbors]
            indices[i, c, : len(mine)] = mine
            correct[i, c] = all(predicted[k] == y[k] for k in mine)
    return indices, correct


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 4, 10, 50])
@pytest.mark.parametrize("wrong", ["nothing", "last of all", "last of few", "first of few", "last of many"])
def test_classes_of_few_rows(wrong, n_neighbors):
    X, y = data()
    # A model that remembers the rows it was trained on: one label is wrong.
    remembered = y.copy()
    order = np.arange(len(X))
    if wrong == "last of few":
        remembered[42] = "left"
    elif wrong == "first of few":
        remembered[40] = "left"
    elif wrong == "last of many":
        remembered[39] = "left"
    elif wrong == "last of all":  # the last training row is of another class than the few
        order = np.r_[20:43, 0:20]
        remembered[19] = "right"
    X, y, remembered = X[order], y[order], remembered[order]
    model = KNeighborsClassifier(n_neighbors=1).fit(X, remembered)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = np.array([[0.1, 5.0], [4.0, 1.0], [-0.2, 0.3], [1.9, 6.2]])
    found = theory.nearest_training_rows_correct(explainer, rows, X, y, n_neighbors=n_neighbors)
    indices, correct = expected(explainer, rows, X, y, n_neighbors)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.correct, correct)
    np.testing.assert_array_equal(found.holds, correct.all(axis=1))
    if wrong == "last of all" and n_neighbors > 3:
        assert found.correct[:, 2].all()  # what is not there is not wrong
    if wrong == "last of few" and n_neighbors >= 3:
        assert not found.correct[:, 2].any()


def test_a_class_without_rows_has_nothing_wrong():
    X, y = data()
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    found = theory.nearest_training_rows_correct(explainer, X[:4], X[:40], y[:40], n_neighbors=2)
    assert (found.indices[:, 2] == -1).all()
    assert found.correct[:, 2].all()
