"""Tables, models and rows of unusual forms: each is answered, or refused in words."""

import itertools
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from elsewise.fitted.caching import cached


def mixed(n=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "k": rng.choice(["a", "b", "c"], n)})
    return frame, ((frame["x"] + (frame["k"] == "a") + 0.3 * frame["z"]) > 0.4).astype(int).to_numpy()


def encoded(frame, labels):
    encoder = make_column_transformer((OneHotEncoder(), ["k"]), remainder="passthrough")
    return make_pipeline(encoder, LogisticRegression()).fit(frame, labels)


def numbers(n=200, seed=0):
    frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(n, 3)), columns=["a", "b", "my col"])
    return frame, (frame.sum(axis=1) > 0).astype(int).to_numpy()


def test_a_forest_over_categories_alone_answers_as_enumeration_does():
    rng = np.random.default_rng(3)
    levels = {"a": ["p", "q", "r"], "b": ["s", "t"], "c": ["u", "v", "w"]}
    frame = pd.DataFrame({name: rng.choice(values, 150) for name, values in levels.items()})
    labels = ((frame["a"] == "p").astype(int) + (frame["b"] == "s") + (frame["c"] == "u") > 1).astype(int).to_numpy()
    model = make_pipeline(OneHotEncoder(), RandomForestClassifier(10, random_state=0)).fit(frame, labels)
    explainer = ew.Explainer(model, learn_rules=False).fit(frame, labels)
    every = pd.DataFrame(list(itertools.product(*levels.values())), columns=list(levels))
    said = model.predict(every)
    rows = frame.head(12)
    targets = 1 - model.predict(rows)
    answers = explainer.explain(rows, targets)
    assert set(answers.statuses) == {"optimal"}
    for place, target in enumerate(targets.tolist()):
        log_density = explainer.log_density(every, target)
        dense = log_density >= explainer.densities_[target].log_threshold_
        changes = (every.to_numpy() != rows.iloc[place].to_numpy()).sum(axis=1)  # a change of category costs 1
        assert answers.distances[place] == pytest.approx(changes[dense & (said == target)].min())


def test_further_models_of_a_black_box_are_read():
    frame, labels = mixed()
    model = encoded(frame, labels)
    further = encoded(frame, (frame["z"] > -0.5).astype(int).to_numpy())
    explainer = ew.Explainer(ew.BlackBox(model.predict, classes=[0, 1])).fit(frame, labels)
    answers = explainer.explain(frame.head(4), 1, other_models=[(further, 1)], time_limit=2)
    found = np.isin(answers.statuses, ["optimal", "feasible"])
    assert found.all()
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert (further.predict(answers.counterfactuals) == 1).all()


def test_names_in_backticks_may_begin_a_condition():
    frame, labels = numbers()
    explainer = ew.Explainer(LogisticRegression().fit(frame, labels)).fit(frame, labels)
    rules = ew.Constraints(implies={"`my col` > 0": "`my col` < 9 and a > -3"})
    answers = explainer.explain(frame.head(5), 1, constraints=rules)
    found = answers.counterfactuals
    assert (answers.statuses == "optimal").all()
    assert ((found["my col"] <= 0) | ((found["my col"] < 9) & (found["a"] > -3))).all()


def test_an_array_is_answered_by_an_array_and_a_frame_by_a_frame():
    frame, labels = numbers()
    explainer = ew.Explainer(LogisticRegression().fit(frame, labels)).fit(frame, labels)
    row = frame.iloc[0].to_numpy()
    target = 1 - labels[0]
    assert isinstance(explainer.explain_one(row, target).counterfactual, np.ndarray)
    assert isinstance(explainer.explain_one(frame.iloc[0], target).counterfactual, pd.Series)
    several = explainer.explain_one(row, target, n_counterfactuals=3)
    assert isinstance(several.counterfactuals, np.ndarray)
    assert isinstance(explainer.explain(frame.head(1), target, n_counterfactuals=3).counterfactuals, pd.DataFrame)
    assert isinstance(explainer.explain(frame.to_numpy()[:1], target).counterfactuals, np.ndarray)


def test_threads_that_share_a_small_cache_get_their_values():
    kept, errors = {}, []

    def ask(start):
        try:
            for number in range(start, start + 3000):
                key = number % 7
                assert cached(kept, key, lambda key=key: f"value {key}", 2) == f"value {key}"
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(kept) <= 2 + len(threads)


def boosted(library, frame, labels):
    if library == "xgboost":
        module = pytest.importorskip("xgboost")
        return module.XGBClassifier(n_estimators=6, max_depth=3, enable_categorical=True).fit(frame, labels)
    module = pytest.importorskip("lightgbm")
    return module.LGBMClassifier(n_estimators=6, verbose=-1).fit(frame, labels)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("fitted_on", ["category", object])
def test_text_is_taken_where_a_model_has_categories_of_its_own(library, fitted_on):
    frame, labels = mixed()
    frame = frame.astype({"k": "category"})
    model = boosted(library, frame, labels)
    explainer = ew.Explainer(model).fit(frame.astype({"k": fitted_on}), labels)
    rows = frame.head(4)
    expected = explainer.explain(rows, 1).distances
    for dtype in ("str", object):
        text = rows.astype({"k": dtype})
        answers = explainer.explain(text, 1)
        np.testing.assert_array_equal(answers.distances, expected)
        assert answers.counterfactuals["k"].dtype == text["k"].dtype
        assert (model.predict(answers.counterfactuals.astype({"k": frame["k"].dtype})) == 1).all()
        np.testing.assert_array_equal(explainer.explain(text, 1, errors="row").distances, expected)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_further_models_may_have_categories_of_their_own(library):
    frame, labels = mixed()
    frame = frame.astype({"k": "category"})
    model = boosted(library, frame, labels)
    further = boosted(library, frame, ((frame["z"] > -0.3) | (frame["k"] == "b")).astype(int).to_numpy())
    explainer = ew.Explainer(model, density=None).fit(frame, labels)
    answers = explainer.explain(frame.head(5), 1, other_models=[(further, 1)])
    assert (answers.statuses == "optimal").all()
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert (further.predict(answers.counterfactuals) == 1).all()


def test_rows_may_be_dicts():
    frame, labels = mixed()
    explainer = ew.Explainer(encoded(frame, labels)).fit(frame, labels)
    target, rows = 1 - int(explainer.model.predict(frame.head(1))[0]), frame.head(2).to_dict("records")
    expected = explainer.explain(frame.head(2), target)
    one = explainer.explain_one(rows[0], target)
    assert one.distance == expected.distances[0]
    np.testing.assert_array_equal(explainer.explain(rows, target).distances, expected.distances)
    assert explainer.frontier(rows[0], target, quantiles=[0.5]).explanations.distances[0] == one.distance
    with pytest.raises(ew.InvalidInputError, match="missing"):
        explainer.explain_one({"x": 1.0}, target)


def test_pandas_na_among_objects_is_a_missing_value():
    frame, labels = mixed()
    frame = frame[["x", "z"]]
    gaps = frame.astype({"x": object})
    gaps.iloc[:6, 0] = pd.NA
    model = HistGradientBoostingClassifier(max_iter=5).fit(gaps.apply(pd.to_numeric), labels)
    explainer = ew.Explainer(model, density=None).fit(gaps, labels)
    plain = frame.copy()
    plain.iloc[:6, 0] = np.nan
    expected = explainer.explain(plain.head(8), 1)
    np.testing.assert_array_equal(explainer.explain(gaps.head(8), 1).distances, expected.distances)
    np.testing.assert_equal(explainer.explain_one(gaps.iloc[0], 1).distance, expected.distances[0])


def test_text_in_one_row_does_not_keep_others_from_a_model_that_takes_numbers_alone():
    frame, labels = mixed()
    frame = frame[["x", "z"]]
    explainer = ew.Explainer(boosted("lightgbm", frame, labels), density=None).fit(frame, labels)
    wrong = frame.head(5).astype({"x": object})
    wrong.iloc[2, 0] = "oops"
    answers, expected = explainer.explain(wrong, 1, errors="row"), explainer.explain(frame.head(5), 1)
    assert answers.statuses[2] == "error"
    right = [0, 1, 3, 4]
    np.testing.assert_array_equal(answers.distances[right], expected.distances[right])
    with pytest.raises(ew.InvalidInputError, match="oops"):
        explainer.explain(wrong, 1)
