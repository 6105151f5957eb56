"""Categories that models encode themselves: codes are the model's own, missing values and values never seen, too."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import elsewise as ew
from elsewise.errors import InvalidInputError
from elsewise.models import Label, region_of
from search.relaxations.tree_sums.small_ensembles import classifier
from unread import reason_unread

NATIVE = ["histograms", "xgboost", "lightgbm"]


def native(name, n_trees=8, depth=3):
    model = classifier(name, n_trees=n_trees, depth=depth)
    if name == "xgboost":
        model.set_params(enable_categorical=True, max_cat_to_onehot=2)
    if name == "lightgbm":
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2)
    return model


def colours(seed=0, n=300, levels=("blue", "green", "grey", "red", "white")):
    """Rows with a category whose levels have no order, in a dtype of another order that has one level more."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(levels), n)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "c": pd.Categorical(np.array(levels)[codes], categories=[*levels[::-1], "never"]),
            "n": rng.integers(0, 9, n),
        }
    )
    y = (frame.x + 2 * np.sin(3 * codes) + frame.n / 9 > 0.5).astype(int).to_numpy()
    return frame, y


def nearest_listed(explainer, model, row, levels):
    cuts = np.unique(np.concatenate(region_of(model, Label(1)).trees.cuts()))
    numbers = np.unique([row.x.iloc[0], *cuts, *np.nextafter(cuts, np.inf)])
    choices = levels if not row.c.isna().iloc[0] else [row.c.iloc[0]]
    listed = pd.DataFrame(list(itertools.product(numbers, choices, np.arange(-3, 13))), columns=row.columns)
    listed = listed.astype(row.dtypes)
    good = listed[model.predict(listed) == 1]
    return explainer.distance_(explainer.table_.encode(good), explainer.table_.encode(row)).min(initial=np.inf)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", NATIVE)
def test_frames_with_category_columns(name, missing):
    frame, y = colours()
    if missing:
        frame.loc[::6, "c"] = np.nan
    model = native(name).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    column = explainer.table_.columns[1]
    assert column.kind == "category"
    assert [level for level in column.levels if level is not None] == ["white", "red", "grey", "green", "blue"]
    # what the trees see, scored by them, is what the model says
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(frame))
    np.testing.assert_array_equal(region_of(model, Label(1)).accepts(seen), model.predict(frame) == 1)
    rows = frame[model.predict(frame) == 0][:10]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (answers.counterfactuals.c.isna() == rows.c.isna()).all()  # what is missing stays so, and nothing else is
    assert (model.predict(answers.counterfactuals.astype(frame.dtypes)) == 1).all()
    for place in range(len(rows)):
        nearest = nearest_listed(explainer, model, rows.iloc[[place]], list(column.levels[:5]))
        np.testing.assert_allclose(answers[place].distance, nearest, rtol=1e-9)
        assert answers[place].lower_bound <= nearest * (1 + 1e-12)


@pytest.mark.parametrize("name", NATIVE)
def test_arrays_with_codes(name):
    frame, y = colours()
    X = np.column_stack([frame.x, frame.c.cat.codes, frame.n]).astype(float)
    model = native(name)
    if name == "histograms":
        model.set_params(categorical_features=[False, True, False]).fit(X, y)
    elif name == "xgboost":
        model.set_params(feature_types=["q", "c", "q"]).fit(X, y)
    else:
        model.fit(X, y, categorical_feature=[1])
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert [column.kind for column in explainer.table_.columns] == ["number", "category", "number"]
    rows = X[model.predict(X) == 0][:10]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert set(answers.counterfactuals[:, 1]) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_histogram_boosting_by_names_and_behind_an_encoder():
    frame, y = colours()
    frame["c"] = frame.c.astype(object)
    codes = make_column_transformer((OrdinalEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(codes, classifier("histograms", n_trees=8).set_params(categorical_features=[0])).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[model.predict(frame) == 0][:8]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()
    numbers = frame.assign(c=pd.Categorical(frame.c).codes)
    by_name = HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=5, categorical_features=["c"]).fit(
        numbers, frame.x
    )
    other = ew.Explainer(by_name, density=None).fit(numbers)
    assert other.table_.columns[1].kind == "category"
    low = float(np.quantile(by_name.predict(numbers), 0.8))
    found = other.explain(numbers[by_name.predict(numbers) < low][:5], (low, None))
    assert (by_name.predict(found.counterfactuals) >= low).all()


@pytest.mark.parametrize("name", ["histograms", "lightgbm"])
def test_values_never_seen_are_missing_ones_to_the_model(name):
    frame, y = colours()
    model = native(name).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[:30].assign(c=pd.Categorical(["never"] * 30, categories=frame.c.cat.categories))
    rows = rows[model.predict(rows) == 0]
    answers = explainer.explain(rows, 1)
    assert (model.predict(answers.counterfactuals[answers.found].astype(frame.dtypes)) == 1).all()
    assert answers.found.any()


def test_xgboost_refuses_values_never_seen():
    frame, y = colours()
    explainer = ew.Explainer(native("xgboost").fit(frame, y), density=None).fit(frame, y)
    rows = frame[:3].assign(c=pd.Categorical(["never"] * 3, categories=frame.c.cat.categories))
    with pytest.raises(InvalidInputError, match="must hold known categories"):
        explainer.explain(rows, 1)


def test_xgboost_with_names_that_are_not_ascii():
    frame, y = colours(levels=("bläu", "grün", "grau", "röt", "weiß"))
    model = native("xgboost").fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(frame))
    np.testing.assert_array_equal(region_of(model, Label(1)).accepts(seen), model.predict(frame) == 1)


def test_what_is_refused_of_lightgbm():
    frame, y = colours()
    ordered = frame.assign(c=frame.c.cat.as_ordered())
    model = native("lightgbm").fit(ordered, y)
    assert re.search("'c' is an ordered category, whose codes LightGBM takes", reason_unread(model, ordered, y))
    plain = native("lightgbm").fit(frame, y)
    codes = frame.assign(c=frame.c.cat.codes).to_numpy(dtype=float)
    with pytest.raises(ew.InvalidInputError, match=r"does not predict the rows of X: .*category columns"):
        ew.Explainer(plain, density=None).fit(codes, y)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_bare_boosters_of_frames(library, tmp_path):
    frame, y = colours()
    model = native(library).fit(frame, y)
    bare = model.get_booster() if library == "xgboost" else model.booster_
    explainer = ew.Explainer(bare, density=None).fit(frame, y)
    np.testing.assert_array_equal(explainer.classes_, [0, 1])
    rows = frame[model.predict(frame) == 0][:8]
    answers = explainer.explain(rows, 1, min_probability=0.6)
    wrapped = ew.Explainer(model, density=None).fit(frame, y).explain(rows, 1, min_probability=0.6)
    np.testing.assert_array_equal(answers.distances, wrapped.distances)
    found = answers.counterfactuals[answers.found].astype(frame.dtypes)
    assert (model.predict_proba(found)[:, 1] >= 0.6).all()
    explainer.save(tmp_path / "bare.ew")
    np.testing.assert_array_equal(
        ew.load(tmp_path / "bare.ew").explain(rows, 1).distances, explainer.explain(rows, 1).distances
    )


@pytest.mark.parametrize("name", NATIVE)
def test_rules_that_need_projections(name):
    frame, y = colours(n=150)
    frame.loc[::7, "c"] = np.nan
    model = native(name, n_trees=3, depth=2).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[(model.predict(frame) == 0) & (frame.x + frame.n < 9)][:6]
    cuts = np.unique(np.concatenate(region_of(model, Label(1)).trees.cuts()))
    table = explainer.table_
    for constraints in (ew.Constraints(max_changes=1), ew.Constraints(linear=["x + n <= 9"])):
        answers = explainer.explain(rows, 1, constraints=constraints)
        for place in range(len(rows)):
            row = rows.iloc[[place]]
            numbers = np.unique([row.x.iloc[0], *cuts, *np.nextafter(cuts, np.inf)])
            is_missing = row.c.isna().iloc[0]
            levels = [row.c.iloc[0]] if is_missing else ["blue", "green", "grey", "red", "white"]
            listed = pd.DataFrame(list(itertools.product(numbers, levels, np.arange(-3, 13))), columns=row.columns)
            listed = listed.astype(row.dtypes)
            if constraints.max_changes is not None:
                same_level = np.full(len(listed), True) if is_missing else (listed.c == row.c.iloc[0]).to_numpy()
                changes = (listed.x != row.x.iloc[0]).to_numpy().astype(int) + (listed.n != row.n.iloc[0]) + ~same_level
                listed = listed[changes <= 1]
            else:
                listed = listed[listed.x + listed.n <= 9]
            good = listed[model.predict(listed) == 1]
            if len(good) == 0:
                assert answers[place].status == "infeasible"
                continue
            nearest = explainer.distance_(table.encode(good), table.encode(row)).min()
            # numbers that are projected keep a margin from cuts
            np.testing.assert_allclose(answers[place].distance, nearest, rtol=1e-6)
            assert answers[place].lower_bound <= nearest * (1 + 1e-9)


@pytest.mark.parametrize("name", NATIVE)
def test_a_density_of_numbers_and_categories(name):
    frame, y = colours(n=150)
    model = native(name, n_trees=3, depth=2).fit(frame, y)
    explainer = ew.Explainer(model, threshold=0.2).fit(frame, y)
    rows = frame[model.predict(frame) == 0][:4]
    answers = explainer.explain(rows, 1)
    found = answers.counterfactuals[answers.found].astype(frame.dtypes)
    assert len(found) > 0
    assert (model.predict(found) == 1).all()
    assert (explainer.log_density(found, 1) >= explainer.densities_[1].log_threshold_).all()
