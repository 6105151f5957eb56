"""What cannot be explained is refused by name, with what to do; models that cannot be read are asked."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from unread import reason_unread


def test_an_unfitted_explainer_says_so(iris, iris_explainer):
    X, _ = iris
    explainer = ew.Explainer(iris_explainer.model)
    for ask in (explainer.explain, explainer.explain_one, explainer.to_model_space):
        with pytest.raises(NotFittedError, match="This Explainer instance is not fitted yet"):
            ask(X[:1])


def test_a_failed_fit_leaves_the_explainer_unfitted(iris, iris_explainer):
    X, y = iris
    explainer = ew.Explainer(iris_explainer.model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="no rows in X"):
        explainer.fit(X[50:], y[50:])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        explainer.explain(X[:1])


@pytest.mark.parametrize(
    "model", [LogisticRegression(), DecisionTreeClassifier(), make_pipeline(StandardScaler(), LogisticRegression())]
)
def test_an_unfitted_model_says_so(iris, model):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ew.Explainer(model).fit(*iris)


def test_what_is_no_model_is_refused(iris):
    X, y = iris
    for model in (None, "softmax", 3, make_pipeline(StandardScaler(), "passthrough").fit(X, y)):
        with pytest.raises(ew.UnsupportedModelError, match=r"is not a model: expected .*BlackBox\("):
            ew.Explainer(model).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="expected a fitted model, received the class LogisticRegression"):
        ew.Explainer(LogisticRegression).fit(X, y)
    with pytest.raises(ew.UnsupportedModelError, match=r"KMeans does not say .*BlackBox\(model.predict, classes="):
        ew.Explainer(KMeans(2, n_init=1).fit(X)).fit(X, y)


def test_models_of_several_outputs_are_refused(iris):
    X, y = iris
    for first in (y == "virginica", y):
        both = DecisionTreeClassifier(random_state=0).fit(X, np.column_stack([first, y == "setosa"]))
        with pytest.raises(ew.UnsupportedSettingError, match="predicts 2 outputs at once"):
            ew.Explainer(both, density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="KNeighborsRegressor gave 292 answers for 146 rows; expected one"):
        ew.Explainer(KNeighborsRegressor().fit(X, X[:, :2])).fit(X[:147])


def test_models_that_are_not_read_are_asked_and_the_reason_is_kept(iris):
    X, y = iris
    assert "BernoulliNB is not a model family" in reason_unread(BernoulliNB().fit(X, y), X, y)
    assert "BernoulliNB is not a model family" in reason_unread(
        make_pipeline(StandardScaler(), BernoulliNB()).fit(X, y), X, y
    )
    assert "kernel='rbf'" in reason_unread(SVC().fit(X, y), X, y)
    assert "n_neighbors of KNeighborsClassifier: expected 1" in reason_unread(KNeighborsClassifier().fit(X, y), X, y)
    model = make_pipeline(StandardScaler(), PolynomialFeatures(3), LogisticRegression(max_iter=2000)).fit(X, y)
    assert "step 'polynomialfeatures' (PolynomialFeatures) is not affine" in reason_unread(model, X, y)
    rounded = ("rounded", FunctionTransformer(np.rint), [2, 3])
    columns = ColumnTransformer([("some", StandardScaler(), [0, 1]), rounded])
    assert "'columns__rounded'" in reason_unread(
        Pipeline([("columns", columns), ("last", LogisticRegression())]).fit(X, y), X, y
    )
    model = make_pipeline(MinMaxScaler(clip=True), KNeighborsClassifier(1)).fit(X, y)
    assert "clip=True" in reason_unread(model, X, y)
