"""Models in files: predictions are the library's own to the bit, answers those of the fitted model, without it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from elsewise.models.dumps.category_hash import category_hashes

N = 500


def table(seed=0, n_classes=2):
    """Numbers with missing values, category columns, labels."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(N, 3))
    colours, sizes = rng.choice(["red", "green", "blue", "dark grey"], N), rng.choice(["s", "m", "l"], N)
    score = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + (colours == "red") - (sizes == "s")
    score = score + 0.3 * rng.normal(size=N)
    numbers[rng.random((N, 3)) < 0.1] = np.nan
    frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
    frame["colour"], frame["size"] = pd.Categorical(colours), pd.Categorical(sizes)
    return frame, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)), score


def rows_of(frame, kind):
    return frame if kind == "categories" else frame[["a", "b", "c"]]


def fitted(library, frame, y):
    """A classifier or, for fractions, a regressor."""
    is_of_classes = y.dtype.kind != "f"
    names = [name for name in frame if name in ("colour", "size")]
    if library == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        kind = xgboost.XGBClassifier if is_of_classes else xgboost.XGBRegressor
        return kind(n_estimators=12, max_depth=4, learning_rate=0.4, enable_categorical=True, n_jobs=1).fit(frame, y)
    if library == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        kind = lightgbm.LGBMClassifier if is_of_classes else lightgbm.LGBMRegressor
        return kind(n_estimators=12, num_leaves=9, learning_rate=0.4, n_jobs=1, verbose=-1).fit(frame, y)
    catboost = pytest.importorskip("catboost")
    kind = catboost.CatBoostClassifier if is_of_classes else catboost.CatBoostRegressor
    model = kind(
        iterations=12, depth=4, one_hot_max_size=3, thread_count=1, verbose=0, allow_writing_files=False, random_seed=0
    )
    return model.fit(frame.astype(dict.fromkeys(names, "str")), y, cat_features=names)


def saved(library, model, folder):
    """The model read from its file."""
    path = folder / {"xgboost": "model.ubj", "lightgbm": "model.txt", "catboost": "model.json"}[library]
    if library == "xgboost":
        model.save_model(path)
        return ew.read_xgboost(path)
    if library == "lightgbm":
        model.booster_.save_model(path)
        return ew.read_lightgbm(str(path))
    model.save_model(str(path), format="json")
    return ew.read_catboost(path.read_bytes())


def raw(library, model, rows):
    if library == "xgboost":
        return model.predict(rows, output_margin=True)
    if library == "lightgbm":
        return model.predict(rows, raw_score=True)
    return model.predict(rows, prediction_type="RawFormulaVal")


def around_cuts(model, frame, rng):
    """Rows whose numbers are on the thresholds of trees or the next number to them."""
    sides = frame.copy()
    trees = getattr(model.source, "trees", None)
    for name, cuts in zip("abc", trees.cuts() if trees is not None else ([], [], [])):
        if len(cuts):
            sides[name] = rng.choice(np.concatenate([cuts, np.nextafter(cuts, np.inf)]), len(sides))
    return pd.concat([frame, sides], ignore_index=True).astype(frame.dtypes)


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("n_classes", [2, 3, None])
@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_predictions_are_the_librarys(library, n_classes, kind, tmp_path):
    frame, y, score = table(0, n_classes or 2)
    frame = rows_of(frame, kind)
    model = fitted(library, frame, score if n_classes is None else y)
    read = saved(library, model, tmp_path)
    rows = around_cuts(read, frame, np.random.default_rng(1))
    if library == "catboost" and kind == "categories":
        rows = rows.astype({"colour": "str", "size": "str"})
        rows.loc[0, "colour"] = "never seen"
    np.testing.assert_array_equal(read.scores(rows), np.reshape(raw(library, model, rows), (len(rows), -1)))
    if n_classes is None:
        np.testing.assert_array_equal(read.predict(rows), np.ravel(model.predict(rows)))
        return
    np.testing.assert_array_equal(read.predict(rows), np.ravel(model.predict(rows)))
    unit = np.finfo(np.float32 if library == "xgboost" else np.float64).eps
    np.testing.assert_allclose(read.predict_proba(rows), model.predict_proba(rows), rtol=8 * unit, atol=unit)


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_answers_are_those_of_the_fitted_model(library, kind, tmp_path):
    frame, y, _ = table(1)
    frame = rows_of(frame, kind).dropna().reset_index(drop=True)
    y = y[: len(frame)]
    model = fitted(library, frame, y)
    read = saved(library, model, tmp_path)
    if library == "catboost" and kind == "categories":
        frame = frame.astype({"colour": "str", "size": "str"})
    asked = frame[np.ravel(model.predict(frame)) == 0][:4]
    expected = ew.Explainer(model, density=None, rules=None).fit(frame, y).explain(asked, 1)
    explainer = ew.Explainer(pickle.loads(pickle.dumps(read)), density=None, rules=None).fit(frame, y)
    answers = explainer.explain(asked, 1)
    assert explainer.exactness_ == "exact"
    assert set(answers.statuses.tolist()) == {"optimal"}
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-9)
    assert (np.ravel(model.predict(answers.counterfactuals)) == 1).all()


def test_rows_with_missing_values_are_explained(tmp_path):
    frame, y, _ = table(2)
    frame = rows_of(frame, "numbers")
    model = fitted("lightgbm", frame, y)
    asked = frame[frame.isna().any(axis=1) & (model.predict(frame) == 0)][:3]
    models = (model, saved("lightgbm", model, tmp_path))
    expected, answers = (ew.Explainer(one, density=None, rules=None).fit(frame, y).explain(asked, 1) for one in models)
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-9)
    pd.testing.assert_frame_equal(answers.counterfactuals.isna(), asked.isna())


@pytest.mark.parametrize("name", ["model.json", "model.ubj"])
def test_best_iterations_labels_and_missing_codes_of_xgboost(name, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    frame, y, _ = table(3)
    X = rows_of(frame, "numbers").fillna(-9.0).to_numpy()
    model = xgboost.XGBClassifier(n_estimators=60, learning_rate=0.5, early_stopping_rounds=3, missing=-9.0, n_jobs=1)
    model.fit(X, y, eval_set=[(X, np.random.default_rng(0).permutation(y))], verbose=False)
    model.save_model(tmp_path / name)
    read = ew.read_xgboost(tmp_path / name, classes=["no", "yes"], missing=-9.0)
    np.testing.assert_array_equal(read.predict(X), np.where(model.predict(X) == 1, "yes", "no"))
    np.testing.assert_array_equal(read.scores(X)[:, 0], model.predict(X, output_margin=True))
    every = ew.read_xgboost(tmp_path / name, n_rounds=model.get_booster().num_boosted_rounds(), missing=-9.0)
    margin = model.get_booster().predict(xgboost.DMatrix(X, missing=-9.0), output_margin=True)
    np.testing.assert_array_equal(every.scores(X)[:, 0], margin)


@pytest.mark.parametrize("objective", ["count:poisson", "reg:gamma", "reg:logistic"])
def test_links_of_xgboost(objective, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    frame, _, score = table(4)
    X = rows_of(frame, "numbers").to_numpy()
    model = xgboost.XGBRegressor(objective=objective, n_estimators=8, n_jobs=1).fit(X, 1 / (1 + np.exp(-score)))
    model.save_model(tmp_path / "model.json")
    read = ew.read_xgboost(tmp_path / "model.json")
    np.testing.assert_array_equal(read.scores(X)[:, 0], model.predict(X, output_margin=True))
    np.testing.assert_allclose(read.predict(X), model.predict(X), rtol=1.2e-7)


def test_zeros_that_are_missing_averages_and_links_of_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    frame, y, score = table(5)
    X = rows_of(frame, "numbers").to_numpy(copy=True)
    X[::5] = np.where(np.isnan(X[::5]), np.nan, 0.0)
    forest = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}
    cases = [
        ({"objective": "binary", "zero_as_missing": True}, y),
        ({"objective": "binary", "use_missing": False}, y),
        ({"objective": "multiclass", "num_class": 2, **forest}, y),
        ({"objective": "poisson"}, np.exp(score)),
        ({"objective": "binary", "sigmoid": 2.0}, y),
    ]
    for parameters, target in cases:
        parameters = {"verbose": -1, "num_threads": 1, **parameters}
        booster = lightgbm.train(parameters, lightgbm.Dataset(X, target), num_boost_round=6)
        read = ew.read_lightgbm(booster.model_to_string().encode())
        own = booster.predict(X)
        predicted = read.predict_proba(X) if hasattr(read, "predict_proba") else read.predict(X)
        np.testing.assert_array_equal(predicted if own.ndim == 2 or predicted.ndim == 1 else predicted[:, 1], own)


def test_labels_and_thresholds_of_catboost(tmp_path):
    catboost = pytest.importorskip("catboost")
    frame, y, _ = table(6)
    X = rows_of(frame, "numbers")
    model = catboost.CatBoostClassifier(
        iterations=10, depth=3, grow_policy="Lossguide", thread_count=1, verbose=0, allow_writing_files=False
    ).fit(X, np.array(["no", "yes"])[y])
    model.set_probability_threshold(0.3)
    read = saved("catboost", model, tmp_path)
    assert read.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(read.predict(X), model.predict(X))


def test_hashes_of_categories_of_every_length(tmp_path):
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcé Xyz09"), size)) for size in [*range(1, 70), 100, 127, 128, 129, 300]]
    pool = catboost.Pool([[text] for text in texts], label=np.arange(len(texts)) % 2, cat_features=[0])
    model = catboost.CatBoostClassifier(iterations=2, thread_count=1, verbose=0, allow_writing_files=False).fit(pool)
    path = tmp_path / "model.json"
    model.save_model(str(path), format="json", pool=pool)
    known = json.loads(path.read_text())["features_info"]["cat_features_hash"]
    assert len(known) == len(set(texts))
    expected = [int(one["hash"]) for one in known]
    assert category_hashes([one["value"] for one in known]).tolist() == expected


def test_files_need_no_library_of_their_own(tmp_path):
    frame, y, _ = table(7)
    X = rows_of(frame, "numbers").dropna()
    y = y[: len(X)]
    saved("xgboost", fitted("xgboost", X, y), tmp_path)
    saved("lightgbm", fitted("lightgbm", X, y), tmp_path)
    saved("catboost", fitted("catboost", X, y), tmp_path)
    np.save(tmp_path / "X.npy", X.to_numpy())
    np.save(tmp_path / "y.npy", y)
    program = f"""
import sys
for name in ("xgboost", "lightgbm", "catboost", "pandas", "onnx"):
    sys.modules[name] = None
import numpy as np
import elsewise as ew
folder = {str(tmp_path)!r}
X, y = np.load(folder + "/X.npy"), np.load(folder + "/y.npy")
for read, name in ((ew.read_xgboost, "model.ubj"), (ew.read_lightgbm, "model.txt"), (ew.read_catboost, "model.json")):
    model = read(folder + "/" + name)
    row = X[model.predict(X) == 0][:1]
    answer = ew.Explainer(model, density=None).fit(X, y).explain(row, 1)
    assert answer.statuses.tolist() == ["optimal"], answer.statuses
    assert model.predict(answer.counterfactuals).tolist() == [1]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_refused(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    frame, y, _ = table(8)
    X = rows_of(frame, "numbers").to_numpy()
    dart = xgboost.XGBClassifier(booster="dart", rate_drop=0.5, n_estimators=6, n_jobs=1).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="trained with dropout"):
        ew.read_xgboost(bytes(dart.get_booster().save_raw("json")))
    linear = xgboost.XGBClassifier(booster="gblinear", n_estimators=2, n_jobs=1).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="which has no trees"):
        ew.read_xgboost(bytes(linear.get_booster().save_raw("ubj")))
    with pytest.raises(ew.InvalidInputError, match=r"dump_model leaves out"):
        ew.read_xgboost(b"{}")
    with pytest.raises(ew.InvalidInputError, match="no JSON that xgboost writes"):
        ew.read_xgboost(b"binf")
    with pytest.raises(ew.InvalidInputError, match="ends in the middle"):
        ew.read_xgboost(bytes(linear.get_booster().save_raw("ubj"))[:90])
    with pytest.raises(ew.InvalidInputError, match="no model of LightGBM"):
        ew.read_lightgbm(b"hello")
    with pytest.raises(ew.InvalidInputError, match="format='json'"):
        ew.read_catboost(b"{}")
    frame, y, _ = table(9)
    model = xgboost.XGBClassifier(n_estimators=3, enable_categorical=True, n_jobs=1).fit(frame, y)
    read = ew.read_xgboost(bytes(model.get_booster().save_raw("json")))
    with pytest.raises(ew.InvalidInputError, match="'size' is not among those"):
        read.predict(frame.drop(columns="size"))
    with pytest.raises(ew.InvalidInputError, match="'colour' has the value 'pink'; the model in this file knows"):
        read.predict(frame.astype({"colour": "str"}).assign(colour="pink"))
    with pytest.raises(ew.InvalidInputError, match="expected 2 labels, received 3"):
        ew.read_xgboost(bytes(model.get_booster().save_raw("json")), classes=[1, 2, 3])
