"""Models that cannot be explained are refused by name, with what to do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew


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


def test_an_unsupported_model_gets_the_list_of_supported_ones(iris):
    X, y = iris
    bayes = BernoulliNB().fit(X, y)
    for model in (bayes, make_pipeline(StandardScaler(), bayes).fit(X, y)):
        with pytest.raises(ew.UnsupportedModelError, match=r"BernoulliNB is not .*LogisticRegression.*register"):
            ew.Explainer(model).fit(X, y)
    for model in (None, "softmax", 3):
        with pytest.raises(ew.UnsupportedModelError, match="is not a model family elsewise can describe exactly"):
            ew.Explainer(model).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="expected a fitted model, received the class LogisticRegression"):
        ew.Explainer(LogisticRegression).fit(X, y)


def test_unsupported_settings_are_named(iris):
    X, y = iris
    with pytest.raises(ew.UnsupportedSettingError, match="kernel='rbf'"):
        ew.Explainer(SVC().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="n_neighbors of KNeighborsClassifier: expected 1, received 5"):
        ew.Explainer(KNeighborsClassifier().fit(X, y), density=None).fit(X, y)
    for first in (y == "virginica", y):
        both = DecisionTreeClassifier(random_state=0).fit(X, np.column_stack([first, y == "setosa"]))
        with pytest.raises(ew.UnsupportedSettingError, match="predicts 2 outputs at once"):
            ew.Explainer(both, density=None).fit(X, y)


def test_steps_that_are_not_affine_are_named(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), PolynomialFeatures(), LogisticRegression(max_iter=2000)).fit(X, y)
    with pytest.raises(
        ew.UnsupportedModelError, match=r"step 'polynomialfeatures' \(PolynomialFeatures\) is not affine"
    ):
        ew.Explainer(model).fit(X, y)
    columns = ColumnTransformer([("some", StandardScaler(), [0, 1]), ("bins", KBinsDiscretizer(), [2, 3])])
    with pytest.raises(ew.UnsupportedSettingError, match=r"step 'columns__bins' \(KBinsDiscretizer\).*'x2', 'x3'"):
        ew.Explainer(Pipeline([("columns", columns), ("last", LogisticRegression())]).fit(X, y)).fit(X, y)
    clipped = make_pipeline(MinMaxScaler(clip=True), LogisticRegression()).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match=r"step 'minmaxscaler' .*clip=True"):
        ew.Explainer(clipped).fit(X, y)
