"""CatBoost with category columns: its trees over levels are the model itself, and answers are those of enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import elsewise as ew
from unread import reason_unread

catboost = pytest.importorskip("catboost")

CATEGORIES = ["town", "grade", "owner", "job"]
SETTINGS = {
    "one-hot": {"one_hot_max_size": 20},
    "single": {"one_hot_max_size": 2, "max_ctr_complexity": 1},
    "combinations": {"one_hot_max_size": 3, "max_ctr_complexity": 4, "depth": 5},
    "other statistics": {"simple_ctr": ["Borders", "Counter", "Buckets"], "max_ctr_complexity": 1},
    "mean values": {"simple_ctr": ["BinarizedTargetMeanValue"], "max_ctr_complexity": 1},
    "ordered": {"boosting_type": "Ordered"},
    "leaf by leaf": {"grow_policy": "Lossguide", "one_hot_max_size": 2},
    "several classes": {"loss_function": "MultiClass", "one_hot_max_size": 2},
}


def table(seed=0, n=300):
    """Rows whose categories matter together; two of them are whole numbers and booleans."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "town": rng.choice(["Gera", "Jena", "Suhl", "Zwickau"], n),
            "years": rng.integers(0, 6, n),
            "grade": rng.integers(0, 5, n),
            "owner": rng.random(n) < 0.5,
            "job": rng.choice(["none", "part", "full"], n),
        }
    )
    is_odd = rows.town.isin(["Gera", "Jena"]) ^ (rows.grade % 2 == 0)
    y = ((is_odd & (rows.job != "none")) | (rows.years + rng.normal(size=n) > 4)).astype(int)
    return rows, y.to_numpy()


def fitted(make=catboost.CatBoostClassifier, several=False, seed=0, **settings):
    rows, y = table(seed)
    y = y + (rows.years > 2).to_numpy() if several else y
    common = {"iterations": 15, "depth": 4, "random_seed": 0, "thread_count": 1}
    model = make(**{**common, **settings}, verbose=0, logging_level=None, allow_writing_files=False)
    return model.fit(rows, y, cat_features=CATEGORIES), rows, y


def every_row(rows):
    """All combinations of the levels of all columns, years a little beyond those seen."""
    values = [sorted(set(rows[name])) if name != "years" else list(range(-2, 8)) for name in rows]
    return pd.DataFrame(list(itertools.product(*values)), columns=rows.columns).astype(rows.dtypes)


@pytest.mark.parametrize("name", SETTINGS)
def test_every_combination_of_levels(name):
    model, rows, y = fitted(several=name == "several classes", **SETTINGS[name])
    explainer = ew.Explainer(model, density=None).fit(rows, y)
    assert explainer.exactness_ == "exact"
    every = every_row(rows)
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(every))
    sums = explainer.fitted_.estimator.trees.scores(seen)
    np.testing.assert_array_equal(sums, np.reshape(model.predict(every, prediction_type="RawFormulaVal"), sums.shape))
    predicted = model.predict(every).ravel()
    for outcome in explainer.fitted_.labels:
        is_label = predicted == explainer.classes_[outcome.index]
        np.testing.assert_array_equal(explainer.fitted_.region(outcome).accepts(seen), is_label)


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("name", ["one-hot", "combinations", "leaf by leaf"])
def test_answers_are_those_of_enumeration(name, density):
    model, rows, y = fitted(seed=1, **SETTINGS[name])
    given = {} if density == "auto" else {"density": density}
    explainer = ew.Explainer(model, learn_rules=False, **given).fit(rows, y)
    every = every_row(rows)
    good = model.predict(every) == 1
    if density is not None:
        good &= explainer.log_density(every, 1) >= explainer.densities_[1].log_threshold_
    codes = explainer.table_.encode(every[good])
    asked = rows[model.predict(rows) == 0][:8]
    answers = explainer.explain(asked, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals.astype(rows.dtypes.to_dict())) == 1).all()
    nearest = [explainer.distance_(codes, explainer.table_.encode(asked[k : k + 1])).min() for k in range(len(asked))]
    np.testing.assert_allclose(answers.distances, nearest, rtol=1e-6)


def test_values_that_the_model_does_not_know():
    model, rows, y = fitted(**SETTINGS["combinations"])
    explainer = ew.Explainer(model, density=None).fit(rows, y)
    strange = rows[:40].assign(town="Ulm", job="night")
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(strange))
    sums = explainer.fitted_.estimator.trees.scores(seen)[:, 0]
    np.testing.assert_array_equal(sums, model.predict(strange, prediction_type="RawFormulaVal"))


def test_rows_that_lack_levels_the_model_knows():
    model, rows, y = fitted(**SETTINGS["combinations"])
    few = (rows.town != "Suhl").to_numpy()
    explainer = ew.Explainer(model, density=None).fit(rows[few], y[few])
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(rows[few]))
    sums = explainer.fitted_.estimator.trees.scores(seen)[:, 0]
    np.testing.assert_array_equal(sums, model.predict(rows[few], prediction_type="RawFormulaVal"))
    # its statistics of Suhl are not those of a value it does not know
    with pytest.raises(ew.InvalidInputError, match="Suhl"):
        explainer.explain(rows[~few][:1], 1)


def test_numbers_missing_or_part_of_a_combination():
    rng = np.random.default_rng(0)
    rows, y = table(2, 400)
    rows["income"] = np.where(rng.random(400) < 0.1, np.nan, rng.normal(size=400)).round(2)
    y = y ^ (rows.income > 0.3).to_numpy()
    settings = {"iterations": 40, "max_ctr_complexity": 4, "one_hot_max_size": 2, "nan_mode": "Max", "random_seed": 0}
    model = catboost.CatBoostClassifier(**settings, verbose=0, allow_writing_files=False, thread_count=1)
    model.fit(rows, y, cat_features=CATEGORIES)
    explainer = ew.Explainer(model, density=None).fit(rows, y)
    kinds = [one["combination_element"] for one in _elements(explainer.fitted_.estimator.reader.written)]
    assert "float_feature" in kinds
    trees = explainer.fitted_.estimator.trees
    encoded = explainer.fitted_.in_model_space(explainer.table_.encode(rows))
    encoded[rows.income.isna(), 5] = np.nan
    np.testing.assert_array_equal(trees.scores(encoded)[:, 0], model.predict(rows, prediction_type="RawFormulaVal"))


def _elements(written):
    return [element for one in written["features_info"]["ctrs"] for element in one["elements"]]


def test_regressors_cut_offs_and_columns_in_another_order():
    model, rows, y = fitted(catboost.CatBoostRegressor, **SETTINGS["single"])
    turned = rows[rows.columns[::-1]]
    for given in (rows, turned):
        answers = ew.Explainer(model, density=None).fit(given, y).explain(given[:5], (0.6, None))
        assert (model.predict(answers.counterfactuals.astype(rows.dtypes.to_dict())[rows.columns]) >= 0.6).all()
        assert set(answers.statuses) == {"optimal"}
    inner, rows, y = fitted(**SETTINGS["single"])
    cut = FixedThresholdClassifier(FrozenEstimator(inner), threshold=0.7).fit(rows, y)
    explainer = ew.Explainer(cut, density=None).fit(rows, y)
    assert explainer.exactness_ == "exact"
    every = every_row(rows)
    seen = explainer.fitted_.in_model_space(explainer.table_.encode(every))
    region = explainer.fitted_.region(explainer.fitted_.labels[1])
    np.testing.assert_array_equal(region.accepts(seen), cut.predict(every) == 1)


def test_behind_other_steps_it_is_asked():
    inner, rows, y = fitted(**SETTINGS["single"])
    model = make_pipeline(FunctionTransformer(), inner)
    assert "other steps are before it" in reason_unread(model, rows, y)
