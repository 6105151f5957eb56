"""Rows with missing values, for models that take them: they stay missing, and go where the library sends them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.ensemble import IsolationForest, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import elsewise as ew
from bits import assert_same_bits
from elsewise.errors import InvalidInputError
from elsewise.models import Label, region_of
from elsewise.models.trees import one_tree_region
from search.relaxations.tree_sums.small_ensembles import classifier, numbers

TAKING = ["forest", "extra trees", "histograms", "xgboost", "lightgbm", "bagging", "catboost"]


def some_missing(seed, share=0.25, n_classes=2):
    X, y, score = numbers(seed, n_classes)
    X = X / X.std(axis=0)
    return X, np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X), y, score


def model_of(name, seed):
    if name == "tree":
        return DecisionTreeClassifier(max_depth=3, random_state=seed)
    if name == "extra tree":
        return ExtraTreeClassifier(max_depth=3, random_state=seed)
    return classifier(name, seed)


def cuts_of(model):
    region = one_tree_region(model, Label(1)) if hasattr(model, "tree_") else region_of(model, Label(1))
    return region.trees.cuts()


def nearest_with_gaps(model, x, target, weights):
    """The smallest distance over all cells of the values that are there."""
    values = []
    for cuts, value in zip(cuts_of(model), x):
        if np.isnan(value):
            values.append([np.nan])
        else:
            low = np.concatenate([[-np.inf], np.nextafter(cuts, np.inf)])
            values.append(np.clip(value, low, np.concatenate([cuts, [np.inf]])))
    points = np.array(list(itertools.product(*values)))
    distances = np.nansum(np.abs(points - x) * weights, axis=1)
    return distances[np.ravel(model.predict(points)) == target].min(initial=np.inf)


@pytest.mark.parametrize("trained", ["with missing values", "without"])
@pytest.mark.parametrize("name", [*TAKING, "tree", "extra tree"])
def test_answers_against_the_list_of_all(name, trained):
    X, gaps, y, _ = some_missing(0)
    train = gaps if trained == "with missing values" else X
    model = model_of(name, 0).fit(train, y)
    explainer = ew.Explainer(model, density=None).fit(train, y)
    unwanted = gaps[np.ravel(model.predict(gaps)) == 0]
    has_gap = np.isnan(unwanted).any(axis=1)
    assert has_gap.any()
    rows = np.concatenate([unwanted[has_gap][:8], unwanted[~has_gap][:4]])
    answers = explainer.explain(rows, 1)
    for x, answer in zip(rows, answers):
        nearest = nearest_with_gaps(model, x, 1, explainer.distance_.weights)
        if np.isinf(nearest):
            assert answer.status == "infeasible"
            assert answer.lower_bound == np.inf
            continue
        assert answer.status == "optimal"
        # single trees are projected onto, which keeps a margin of 1e-9 from the sides of boxes
        np.testing.assert_allclose(answer.distance, nearest, rtol=2e-9 if "tree" in name.split() else 1e-9)
        assert answer.lower_bound <= nearest * (1 + 1e-12)
        np.testing.assert_array_equal(np.isnan(answer.counterfactual), np.isnan(x))
        assert np.ravel(model.predict(answer.counterfactual[None]))[0] == 1
        assert not answer.changed[np.isnan(x)].any()


@pytest.mark.parametrize("name", ["histograms", "forest"])
def test_a_row_has_the_same_bits_alone_and_in_a_batch(name):
    _, gaps, y, _ = some_missing(1)
    model = classifier(name).fit(gaps, y)
    explainer = ew.Explainer(model, density=None).fit(gaps, y)
    rows = gaps[model.predict(gaps) == 0][:9]
    together = explainer.explain(rows, 1)
    np.testing.assert_array_equal(together.rows, np.arange(9))
    for place in range(9):
        assert_same_bits(together[place : place + 1], explainer.explain(rows[place : place + 1], 1))
    threads = ew.Explainer(model, density=None, n_jobs=2).fit(gaps, y).explain(rows, 1)
    assert_same_bits(together, threads)


def table_with_gaps(seed=0, n=250):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": pd.array(rng.integers(20, 40, n), dtype="Int64"),
            "income": rng.normal(size=n).round(2),
            "colour": pd.Categorical(rng.choice(["blue", "green", "red"], n)),
        }
    )
    score = (
        frame.age.astype(float) / 6 + frame.income + frame.colour.map({"blue": 0, "green": 1, "red": -1}).astype(float)
    )
    y = (score > score.median()).to_numpy().astype(int)
    for name in frame.columns:
        frame.loc[rng.random(n) < 0.15, name] = None
    return frame, y


@pytest.mark.parametrize("name", ["histograms", "xgboost", "lightgbm"])
def test_a_frame_with_gaps_in_every_column(name):
    frame, y = table_with_gaps()
    model = classifier(name, n_trees=8)
    if name == "xgboost":
        model.set_params(enable_categorical=True, max_cat_to_onehot=2)
    if name == "lightgbm":
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2)
    model.fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[model.predict(frame) == 0][:25]
    assert (rows.isna().any(axis=1)).sum() > 6
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(step="any", min_change="any"))
    assert set(answers.statuses) <= {"optimal", "infeasible"}
    found = answers.counterfactuals[answers.found]
    assert len(found) > 20
    assert (model.predict(found.astype(frame.dtypes)) == 1).all()
    pd.testing.assert_frame_equal(found.isna(), rows[answers.found].isna())
    table = explainer.table_
    ages, incomes = np.arange(10, 51), np.unique(np.concatenate(cuts_of(model)[1:2]))
    incomes = np.concatenate([incomes, np.nextafter(incomes, np.inf), rows.income.dropna()])
    for place in range(len(rows)):
        row = rows.iloc[[place]]
        values = [
            [row.age.iloc[0]] if row.age.isna().iloc[0] else ages,
            [row.income.iloc[0]] if row.income.isna().iloc[0] else incomes,
            [row.colour.iloc[0]] if row.colour.isna().iloc[0] else ["blue", "green", "red"],
        ]
        listed = pd.DataFrame(list(itertools.product(*values)), columns=frame.columns).astype(frame.dtypes)
        good = listed[model.predict(listed) == 1]
        if len(good) == 0:
            assert answers[place].status == "infeasible"
            continue
        nearest = explainer.distance_(table.encode(good), table.encode(row)).min()
        np.testing.assert_allclose(answers[place].distance, nearest, rtol=1e-9)


def test_rules_are_not_about_what_is_missing():
    _, gaps, y, _ = some_missing(2)
    model = classifier("histograms", n_trees=10).fit(gaps, y)
    explainer = ew.Explainer(model, density=None).fit(gaps, y)
    rows = gaps[(model.predict(gaps) == 0) & np.isnan(gaps[:, 0])][:6]
    plain = explainer.explain(rows, 1)
    # no number lies in these bounds
    bound = explainer.explain(rows, 1, constraints=ew.Constraints(bounds={"x0": (900.0, 901.0)}))
    assert_same_bits(plain, bound)
    with_number = gaps[~np.isnan(gaps[:, 0])][:6]
    toward = explainer.explain(with_number, 1, constraints=ew.Constraints(bounds={"x0": (900.0, 901.0)}))
    assert (toward.counterfactuals[toward.found, 0] >= with_number[toward.found, 0]).all()
    others = explainer.explain(rows, 1, constraints=ew.Constraints(monotone={"x1": "increase"}, max_changes=1))
    moved = others.counterfactuals[others.found] - rows[others.found]
    assert (moved[:, 1] >= 0)[~np.isnan(moved[:, 1])].all()
    assert (others.changed.sum(axis=1) <= 1).all()


def test_a_linear_rule_needs_its_numbers():
    _, gaps, y, _ = some_missing(2)
    model = classifier("histograms", n_trees=4).fit(gaps, y)
    explainer = ew.Explainer(model, density=None).fit(gaps, y)
    rule = ew.Constraints(linear=["x1 + x2 <= 3"])
    rows = gaps[(model.predict(gaps) == 0)]
    lacking = rows[np.isnan(rows[:, 1])][:1]
    with pytest.raises(InvalidInputError, match="needs a number in column 'x1', which is missing in a row"):
        explainer.explain(lacking, 1, constraints=rule)
    enough = rows[np.isnan(rows[:, 0]) & ~np.isnan(rows[:, 1:]).any(axis=1) & (rows[:, 1:].sum(axis=1) < 2)][:3]
    answers = explainer.explain(enough, 1, constraints=rule)
    assert answers.found.any()
    assert (answers.counterfactuals[answers.found][:, 1:].sum(axis=1) <= 3).all()


def whole_numbers(seed, n=400):
    """A table with few enough points to list: three whole numbers, two of them dependent, and a category."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 6, n)
    frame = pd.DataFrame(
        {
            "low": low,
            "high": np.clip(low + rng.integers(-1, 4, n), 0, 9),
            "free": rng.integers(0, 8, n),
            "colour": pd.Categorical(rng.choice(["blue", "green", "red"], n, p=[0.6, 0.3, 0.1])),
        }
    )
    score = frame.low + 0.7 * frame.free - 2.0 * (frame.colour == "red") + rng.normal(0, 0.5, n)
    y = (score > score.median()).to_numpy().astype(int)
    gaps = frame.astype({"low": float, "high": float, "free": float})
    for name in ("low", "high", "free"):
        gaps.loc[rng.random(n) < 0.2, name] = np.nan
    return gaps, y


def log_density_of_seen(mixture, points, codes=()):
    """Log of the largest component at the numbers that are there, the same of all points, by SciPy."""
    seen, logs = np.flatnonzero(~np.isnan(points[0])), []
    for j, (mean, covariance) in enumerate(zip(mixture.means_, mixture.covariances_)):
        own = np.full(len(points), np.log(mixture.weights_[j]))
        if len(seen):
            own += multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)]).logpdf(points[:, seen])
        logs.append(own + sum(table[j, code] for table, code in zip(mixture.log_probabilities_, codes)))
    return np.max(logs, axis=0)


@pytest.mark.parametrize(("name", "seed"), [("histograms", 0), ("xgboost", 1), ("lightgbm", 2), ("forest", 3)])
def test_dense_answers_against_the_list_of_all(name, seed):
    gaps, y = whole_numbers(seed)
    model = classifier(name, n_trees=6)
    if name == "xgboost":
        model.set_params(enable_categorical=True, max_cat_to_onehot=2)
    if name == "forest":
        numbers_only = ["low", "high", "free"]
        gaps = gaps[numbers_only]
    model.fit(gaps, y)
    kinds = dict.fromkeys(["low", "high", "free"], "integer")
    explainer = ew.Explainer(model, columns=kinds, learn_rules=False).fit(gaps, y)
    rows = gaps[(np.ravel(model.predict(gaps)) == 0) & gaps.isna().any(axis=1)][:8]
    anything = ew.Constraints(step="any", min_change="any")
    answers = explainer.explain(rows, 1, constraints=anything)
    mixture, n_infeasible = explainer.densities_[1].mixture_, 0
    for place, answer in enumerate(answers):
        row = rows.iloc[place]
        values = [[row[n]] if np.isnan(row[n]) else np.arange(-2.0, 12.0) for n in ("low", "high", "free")]
        if "colour" in gaps:
            values.append(["blue", "green", "red"])
        listed = pd.DataFrame(list(itertools.product(*values)), columns=gaps.columns).astype(gaps.dtypes)
        codes = [listed.colour.cat.codes.to_numpy()] if "colour" in gaps else []
        points = listed[["low", "high", "free"]].to_numpy()
        logs = log_density_of_seen(mixture, points, codes)
        np.testing.assert_allclose(explainer.log_density(listed[:20], 1), logs[:20], rtol=1e-9)
        good = listed[(np.ravel(model.predict(listed)) == 1) & (logs >= answer.log_threshold)]
        if len(good) == 0:
            n_infeasible += 1
            assert answer.status == "infeasible"
            continue
        table = explainer.table_
        nearest = explainer.distance_(table.encode(good), table.encode(rows.iloc[[place]])).min()
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-9)
        assert answer.log_density >= answer.log_threshold
    assert n_infeasible < len(rows) / 2


def test_as_many_new_rows_as_asked_reach_the_threshold_whatever_is_missing():
    rng = np.random.default_rng(0)

    def draw(n):
        group = rng.integers(0, 2, n)
        X = rng.normal(size=(n, 4)) @ np.array([[1, 0.8, 0, 0], [0, 1, 0.5, 0], [0, 0, 1, -0.7], [0, 0, 0, 1]])
        return X + 4.0 * group[:, None] * [1, 0, 1, 0]

    X, fresh = draw(1500), draw(4000)
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    y = rng.integers(0, 2, len(X))  # both classes are alike
    model = classifier("histograms", n_trees=4).fit(gaps, y)
    explainer = ew.Explainer(model).fit(gaps, y)
    for missing in ([], [0], [1, 3], [0, 1, 2]):
        rows = fresh.copy()
        rows[:, missing] = np.nan
        own = explainer.fitted_.where_missing(np.isin(np.arange(4), missing))
        share = (explainer.log_density(rows, 1) >= own.densities[1].log_threshold_).mean()
        assert 0.45 < share < 0.55


def test_other_questions_about_rows_with_gaps(tmp_path):
    gaps, y = whole_numbers(5)
    model = classifier("histograms", n_trees=6).fit(gaps, y)
    explainer = ew.Explainer(model).fit(gaps, y)
    row = gaps[(model.predict(gaps) == 0) & gaps.low.isna() & ~gaps.free.isna()].iloc[0]
    levels = [0.1, 0.5, 0.7]
    frontier = explainer.frontier(row, 1, levels)
    distances = frontier.explanations.distances
    assert (np.diff(distances[np.isfinite(distances)]) >= 0).all()
    answer = explainer.explain_one(row, 1)
    np.testing.assert_allclose(answer.distance, distances[1])
    assert np.isnan(answer.counterfactual["low"])
    assert explainer.plan(answer).steps
    why = explainer.why_not(row, 1, ew.Constraints(immutable=["high", "free", "colour"]))
    assert why.reason == "rules"
    explainer.save(tmp_path / "gaps.ew")
    loaded = ew.load(tmp_path / "gaps.ew")
    rows = gaps[model.predict(gaps) == 0][:9]
    assert_same_bits(loaded.explain(rows, 1), explainer.explain(rows, 1))
    together = explainer.explain(rows, 1)
    for place in range(9):
        assert_same_bits(together[place : place + 1], explainer.explain(rows[place : place + 1], 1))


def test_rows_with_gaps_of_a_model_that_saw_none():
    X, gaps, y, _ = some_missing(0)
    model = classifier("histograms").fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    rows = gaps[(model.predict(gaps) == 0) & np.isnan(gaps).any(axis=1)][:6]
    answers = explainer.explain(rows, 1)
    assert answers.found.any()
    mixture = explainer.densities_[1].mixture_
    mixture.log_probabilities_ = ()
    for answer in [one for one in answers if one.found]:
        expected = log_density_of_seen(mixture, answer.counterfactual[None])[0]
        np.testing.assert_allclose(answer.log_density, expected, rtol=1e-9)
        assert answer.log_density >= answer.log_threshold


def test_densities_that_take_no_gaps_say_so():
    X, gaps, y, _ = some_missing(0)
    model = classifier("histograms").fit(gaps, y)
    with pytest.raises(InvalidInputError, match=r"which KernelDensity does not take. Use 'auto' or Mixed"):
        ew.Explainer(model, density="kernel").fit(gaps, y)
    explainer = ew.Explainer(model, density="kernel").fit(X, y)
    with pytest.raises(InvalidInputError, match=r"cannot leave columns out .* Use density='auto'"):
        explainer.explain(gaps[np.isnan(gaps).any(axis=1)][:2], 1)


def test_models_that_take_none_refuse_as_before():
    X, gaps, y, _ = some_missing(0)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    with pytest.raises(InvalidInputError, match="must be finite"):
        explainer.explain(gaps, 1)
    boosting = ew.Explainer(classifier("boosting").fit(X, y), density=None).fit(X, y)
    with pytest.raises(InvalidInputError, match="must be finite"):
        boosting.explain(gaps, 1)
    with pytest.raises(InvalidInputError, match="must be finite"):
        ew.Explainer(classifier("forest").fit(X, y), density=None).fit(np.where(X > 2, np.inf, X), y)


def test_behind_a_scaler_and_behind_an_imputer():
    _, gaps, y, _ = some_missing(3)
    scaled = make_pipeline(StandardScaler(), classifier("histograms")).fit(gaps, y)
    explainer = ew.Explainer(scaled, density=None).fit(gaps, y)
    rows = gaps[scaled.predict(gaps) == 0][:10]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (scaled.predict(answers.counterfactuals) == 1).all()
    np.testing.assert_array_equal(np.isnan(answers.counterfactuals), np.isnan(rows))
    np.testing.assert_allclose(explainer.to_model_space(rows), scaled[0].transform(rows), rtol=1e-12)
    imputed = make_pipeline(SimpleImputer(), classifier("histograms")).fit(gaps, y)
    behind = ew.Explainer(imputed, density=None).fit(gaps, y)
    assert not behind.table_.keeps_missing
    assert (imputed.predict(behind.explain(rows, 1).counterfactuals) == 1).all()


def test_intervals_several_answers_files_and_reasons(tmp_path):
    _, gaps, _, score = some_missing(4)
    model = RandomForestRegressor(6, max_depth=3, random_state=0).fit(gaps, score)
    explainer = ew.Explainer(model, density=None).fit(gaps)
    low, high = np.quantile(model.predict(gaps), [0.6, 0.9])
    rows = gaps[model.predict(gaps) < low][:8]
    answers = explainer.explain(rows, (low, high), n_counterfactuals=2)
    predicted = model.predict(answers.counterfactuals[answers.found])
    assert ((predicted >= low) & (predicted <= high)).all()
    np.testing.assert_array_equal(
        np.isnan(answers.counterfactuals[answers.found]), np.isnan(rows[answers.rows[answers.found]])
    )
    best = explainer.explain(rows, (low, high))
    explainer.save(tmp_path / "gaps.ew")
    assert_same_bits(ew.load(tmp_path / "gaps.ew").explain(rows, (low, high)), best)
    lacking = rows[np.isnan(rows).any(axis=1)][0]
    held = ew.Constraints(immutable=["x0", "x1", "x2"])
    why = explainer.why_not(lacking, (low, high), held)
    assert why.reason == "rules"
    assert not any("missing" in rule for rule in why.conflict)
    tree = DecisionTreeRegressor(max_depth=3).fit(gaps, score)
    found = ew.Explainer(tree, density=None).fit(gaps).explain(rows, (low, high))
    predicted = tree.predict(found.counterfactuals[found.found])
    assert ((predicted >= low) & (predicted <= high)).all()


def test_scales_come_from_the_values_that_are_there():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "n": rng.integers(0, 9, 300), "empty": np.full(300, np.nan)})
    gaps = frame.copy()
    gaps.loc[rng.random(300) < 0.7, "a"] = np.nan
    y = (frame.a > 0).astype(int)
    model = classifier("forest").fit(gaps, y)
    weights = ew.Explainer(model, density=None).fit(gaps, y).distance_.weights
    there = gaps.a.dropna()
    np.testing.assert_allclose(1 / weights[0], np.median(np.abs(there - np.median(there))))
    assert weights[2] == 1.0


def test_an_isolation_forest_by_itself():
    X, _, _, _ = some_missing(0)
    model = IsolationForest(n_estimators=8, max_samples=16, random_state=0).fit(X)
    explainer = ew.Explainer(model, density=None).fit(X)
    np.testing.assert_array_equal(explainer.classes_, [-1, 1])
    rows = 1.5 * X[model.predict(1.5 * X) == -1][:5]
    answers = explainer.explain(rows[model.predict(rows) == -1], 1)
    assert len(answers) > 2
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()
