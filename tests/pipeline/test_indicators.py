"""Imputers that tell the model what was missing: answers are those with filled columns and flags that cannot change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

MODELS = {
    "linear": lambda: LogisticRegression(C=100.0),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(8, max_depth=4, random_state=0),
}


def holes(n=240):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    missing = rng.random((n, 2)) < 0.25
    y = (X.a + X.b - X.c + 1.5 * missing[:, 0] - missing[:, 1] > 0).astype(int).to_numpy()
    X.loc[missing[:, 0], "a"] = np.nan
    X.loc[missing[:, 1], "b"] = np.nan
    return X, y


TOLD = {
    "imputer": lambda: SimpleImputer(add_indicator=True),
    "union": lambda: make_union(SimpleImputer(), MissingIndicator()),
    "columns": lambda: make_column_transformer((SimpleImputer(), [0, 1, 2]), (MissingIndicator(), [0, 1])),
}


@pytest.mark.parametrize("as_frame", [True, False], ids=["frame", "array"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("told", TOLD)
def test_answers_are_those_with_flags_of_their_own(name, as_frame, told):
    X, y = holes()
    given = X if as_frame else X.to_numpy()
    model = make_pipeline(TOLD[told](), MODELS[name]()).fit(given, y)
    settings = {"density": None, "distance": "manhattan", "learn_rules": False, "rules": None}
    explainer = ew.Explainer(model, **settings).fit(given, y)
    assert explainer.exactness_ == "exact"
    filled = pd.DataFrame(model[0].transform(given), columns=["a", "b", "c", "no a", "no b"])
    flagged = ew.Explainer(model[1], **settings).fit(filled.to_numpy(), y)
    refused = np.flatnonzero(model.predict(given) == 0)
    patterns = set()
    for place in refused[:24]:
        gone = X.iloc[place].isna().to_numpy()
        locked = [f"x{k}" for k in np.flatnonzero(gone)] + ["x3", "x4"]
        mine = explainer.explain(given.iloc[[place]] if as_frame else given[[place]], 1)
        theirs = flagged.explain(filled.to_numpy()[[place]], 1, constraints=ew.Constraints(immutable=locked))
        assert mine.statuses[0] == theirs.statuses[0]
        if mine.found[0]:
            np.testing.assert_allclose(mine.distances, theirs.distances, rtol=1e-6)
            assert model.predict(mine.counterfactuals)[0] == 1
            assert (np.isnan(np.asarray(mine.counterfactuals, dtype=float))[0] == gone).all()
        patterns.add((*gone.tolist(), mine.statuses[0]))
    assert len(patterns) >= 4


def test_behind_a_scaler_with_categories_a_density_and_another_model():
    X, y = holes()
    X["k"] = np.random.default_rng(0).choice(["p", "q", None], len(X)).astype(object)
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    levels = make_pipeline(OneHotEncoder())
    columns = make_column_transformer((numbers, ["a", "b", "c"]), (levels, ["k"]))
    model = make_pipeline(columns, LogisticRegression()).fit(X, y)
    network = make_pipeline(columns, MLPClassifier((3,), max_iter=2000, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, rules=None).fit(X, y)
    rows = X[(model.predict(X) == 0)][:12]
    answers = explainer.explain(rows, 1, other_models=[(network, 1)])
    assert answers.found.any()
    assert (model.predict(answers.counterfactuals[answers.found]) == 1).all()
    assert (network.predict(answers.counterfactuals[answers.found]) == 1).all()
    assert set(answers.statuses.tolist()) <= {"optimal", "infeasible"}
    plain = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "c"]), (levels, ["k"])
    )
    other = make_pipeline(plain, LogisticRegression()).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="sees the columns in another way"):
        explainer.explain(rows, 1, other_models=[(other, 1)])


def test_before_steps_that_are_not_affine_it_is_asked():
    X, y = holes()
    steps = make_pipeline(SimpleImputer(add_indicator=True), FunctionTransformer(np.arctan))
    model = make_pipeline(steps, RandomForestClassifier(5, max_depth=3, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    assert explainer.exactness_ == "black box"
    assert "add_indicator=True, or MissingIndicator), and a step behind it" in explainer.fitted_.training.reason


def test_an_indicator_of_levels_and_one_without_an_imputer():
    X, y = holes()
    X["k"] = np.random.default_rng(0).choice(["p", "q", "?"], len(X)).astype(object)
    levels = make_union(OneHotEncoder(), MissingIndicator(missing_values="?"))
    columns = make_column_transformer((SimpleImputer(), ["a", "b", "c"]), (levels, ["k"]))
    model = make_pipeline(columns, LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    assert explainer.exactness_ == "exact"
    answers = explainer.explain(X[model.predict(X) == 0][:12], 1)
    assert (answers.statuses == "optimal").all()
    assert (model.predict(answers.counterfactuals) == 1).all()
    alone = make_union(FunctionTransformer(), MissingIndicator())
    model = make_pipeline(alone, HistGradientBoostingClassifier(max_iter=5)).fit(X[["a", "b"]], y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X[["a", "b"]], y)
    assert "no imputer puts a number for them" in explainer.fitted_.training.reason
