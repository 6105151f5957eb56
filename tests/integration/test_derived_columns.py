"""Columns that follow from others: answers against enumeration of a small table, in pairs with other options."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

SOURCES = ("loan", "price", "a", "b")
FORMULAS = {"total": "a + b", "ltv": "loan / price", "area": "a * b"}
# Every value of the sources that the training rows have: answers are within these ranges, and whole.
EVERYTHING = list(itertools.product(range(1, 9), range(2, 9), range(5), range(5)))


def table(decimals=2):
    """Every combination of a small table once, with its derived columns, in a random order."""
    order = np.random.default_rng(0).permutation(len(EVERYTHING))
    X = pd.DataFrame(np.array(EVERYTHING)[order], columns=list(SOURCES))
    ltv = X.loan / X.price
    X = X.assign(total=X.a + X.b, ltv=ltv if decimals is None else np.round(ltv, decimals), area=X.a * X.b)
    y = ((X.ltv < 0.9) & (X.total + 0.4 * X.area > 6)).astype(int)
    return X, y.to_numpy()


MODELS = {
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(6, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=8, max_depth=3, random_state=0),
}
RULES = {
    "none": {},
    "few changes": {"max_changes": 2},
    "steps": {"step": {"loan": 2, "b": 2}},
    "together": {"together": [["a", "b"]], "max_changes": 1},
    "bounds of a ratio": {"bounds": {"ltv": (0.35, 0.66)}},
    "bounds of a sum": {"bounds": {"total": (None, 6)}},
    "a linear rule": {"linear": ["loan <= price - 1"]},
    "one way": {"monotone": {"a": "increase"}, "immutable": ["price"]},
}
N_ROWS = 6


def asked(explainer, X, model):
    return X[model.predict(X) == 0].head(N_ROWS)


def keeps(rules, X, row):
    """Whether rows of a table keep rules, judged by hand; bool array."""
    moved = np.array([X[name] != row[name] for name in SOURCES])
    kept = np.ones(len(X), dtype=bool)
    for name, step in rules.get("step", {}).items():
        kept &= (X[name] % step == 0) | (X[name] == row[name])
    for name, (low, high) in rules.get("bounds", {}).items():
        kept &= (X[name] >= (-np.inf if low is None else low)) & (X[name] <= (np.inf if high is None else high))
    if "linear" in rules:
        kept &= X.loan <= X.price - 1
    if "monotone" in rules:
        kept &= (X.a >= row.a) & (X.price == row.price)
    units = moved if "together" not in rules else np.array([moved[0], moved[1], moved[2] | moved[3]])
    return np.asarray(kept & (units.sum(axis=0) <= rules.get("max_changes", 9)))


def nearest(explainer, model, X, row, rules, weights, per_change=0.0):
    """Distance of the nearest row of the whole table that the model takes, is dense enough and keeps the rules."""
    taken = (model.predict(X) == 1) & keeps(rules, X, row)
    if explainer.densities_:
        features = explainer.table_.encode(X)
        taken &= explainer.fitted_.log_density(features, 1) >= explainer.densities_[1].log_threshold_
    moves = np.abs(X[list(SOURCES)].to_numpy(float) - row[list(SOURCES)].to_numpy(float))
    distances = moves @ weights + per_change * (moves > 0).sum(axis=1)
    return distances[taken].min(initial=np.inf)


def check(explainer, model, X, rules, per_change=0.0):
    rows = asked(explainer, X, model)
    answers = explainer.explain(rows, target=1)
    weights = explainer.distance_.weights
    for place in range(len(rows)):
        best = nearest(explainer, model, X, rows.iloc[place], rules, weights, per_change)
        answer = answers[place]
        assert answer.status == ("optimal" if np.isfinite(best) else "infeasible")
        if answer.found:
            assert answer.distance == pytest.approx(best, rel=1e-9)
            written = X[(X[list(SOURCES)] == answer.counterfactual[list(SOURCES)]).all(axis=1)].iloc[0]
            assert (written == answer.counterfactual).all()  # derived columns as the table has them
            assert model.predict(answer.counterfactual.to_frame().T)[0] == 1


def explainer_of(model, X, y, rules, **options):
    constraints = ew.Constraints(derive=FORMULAS, min_change="any", **{"step": "any", **rules})
    options = {"density": None, "rules": None, "condition_on_fixed": False, **options}
    return ew.Explainer(model, constraints=constraints, **options).fit(X, y)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("family", MODELS)
def test_answers_are_those_of_enumeration(family, rules):
    X, y = table()
    model = MODELS[family].fit(X, y)
    check(explainer_of(model, X, y, RULES[rules]), model, X, RULES[rules])


@pytest.mark.parametrize("rules", ["none", "few changes", "steps", "bounds of a ratio"])
@pytest.mark.parametrize("family", MODELS)
def test_dense_answers_are_those_of_enumeration(family, rules):
    X, y = table()
    model = MODELS[family].fit(X, y)
    check(explainer_of(model, X, y, RULES[rules], density="auto"), model, X, RULES[rules])


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("family", MODELS)
def test_prices_of_changes(family, density):
    X, y = table(decimals=None)
    model = MODELS[family].fit(X, y)
    explainer = explainer_of(model, X, y, {}, density=density, distance=ew.Scaled(per_change=0.4))
    check(explainer, model, X, {}, per_change=0.4)


def test_numbers_that_are_not_whole_are_proven_too():
    rng = np.random.default_rng(1)
    loan, price = rng.uniform(1, 9, 300), rng.uniform(2, 9, 300)
    X = pd.DataFrame({"loan": loan, "price": price, "ltv": loan / price})
    y = ((X.ltv < 0.7) & (X.price > 4)).astype(int)
    for model in (LogisticRegression().fit(X, y), RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)):
        constraints = ew.Constraints(min_change="any")
        explainer = ew.Explainer(model, density=None, constraints=constraints).fit(X, y)
        assert explainer.derived_ == {"ltv": "loan / price"}
        rows = X[model.predict(X) == 0].head(5)
        answers = explainer.explain(rows, target=1)
        assert (answers.statuses == "optimal").all()
        found = answers.counterfactuals
        assert (found.ltv == found.loan / found.price).all()
        grid = np.array(np.meshgrid(np.linspace(*loan_range(X.loan), 201), np.linspace(*loan_range(X.price), 201)))
        points = pd.DataFrame(grid.reshape(2, -1).T, columns=["loan", "price"]).assign(ltv=lambda x: x.loan / x.price)
        taken = points[model.predict(points) == 1]
        for place in range(len(rows)):
            moves = np.abs(taken[["loan", "price"]].to_numpy() - rows.iloc[place, :2].to_numpy())
            on_grid = (moves @ explainer.distance_.weights).min()
            coarse = explainer.distance_.weights @ (np.ptp(grid.reshape(2, -1), axis=1) / 200)
            assert answers[place].distance - 1e-9 <= on_grid <= answers[place].distance + 2 * coarse


def loan_range(values):
    return values.min(), values.max()


@pytest.mark.parametrize("family", ["linear", "forest"])
def test_ratios_in_32_bits(family):
    X, y = table(decimals=None)
    X["ltv"] = X.ltv.astype(np.float32).astype(np.float64)  # as files of other programs have them
    model = MODELS[family].fit(X, y)
    explainer = explainer_of(model, X, y, {})
    assert explainer.exactness_ == "exact"
    check(explainer, model, X, {})
    constraints = ew.Constraints(min_change="any")
    found = ew.Explainer(model, density=None, rules=None, constraints=constraints).fit(X, y)
    assert found.derived_["ltv"] == "loan / price"


def test_a_regressor_of_a_ratio():
    X, _ = table(decimals=None)
    y = 3.0 * X.ltv + 0.1 * X.a
    model = LinearRegression().fit(X, y)
    explainer = explainer_of(model, X, y, {})
    row = X[(X.ltv > 1.5) & (X.a == 2)].iloc[0]
    answer = explainer.explain_one(row, target=(None, 1.0))
    inside = X[model.predict(X) <= 1.0]
    moves = np.abs(inside[list(SOURCES)].to_numpy(float) - row[list(SOURCES)].to_numpy(float))
    assert answer.status == "optimal"
    assert answer.distance == pytest.approx((moves @ explainer.distance_.weights).min(), rel=1e-9)


def test_large_forests_are_not_expected_to_be_proven():
    X, y = table()
    model = RandomForestClassifier(100, min_samples_leaf=4, random_state=0).fit(X, y)
    explainer = explainer_of(model, X, y, {})
    assert explainer.exactness_ == "bounded"
    row = asked(explainer, X, model).iloc[0]
    answer = explainer.explain_one(row, 1, time_limit=0.5)
    best = nearest(explainer, model, X, row, {}, explainer.distance_.weights)
    assert answer.lower_bound <= best * (1 + 1e-9)
    assert not answer.found or answer.distance >= best * (1 - 1e-9)


def test_other_models_keep_the_columns_but_are_not_proven():
    X, y = table()
    model = MLPClassifier((4,), solver="lbfgs", max_iter=5000, random_state=0).fit(X, y)
    explainer = explainer_of(model, X, y, {})
    assert explainer.exactness_ == "black box"
    answers = explainer.explain(asked(explainer, X, model), target=1)
    found = answers.counterfactuals[[answer.found for answer in answers]]
    assert len(found)
    assert (found.total == found.a + found.b).all()
    assert (found.ltv == np.round(found.loan / found.price, 2)).all()
    assert (found.area == found.a * found.b).all()


def test_changes_name_what_follows_and_cost_nothing_for_it():
    X, y = table()
    model = MODELS["tree"].fit(X, y)
    explainer = explainer_of(model, X, y, {})
    answer = explainer.explain_one(asked(explainer, X, model).iloc[0], target=1)
    follows = {change.feature: change for change in answer.changes if change.feature in FORMULAS}
    assert follows
    assert all(change.cost == 0 for change in follows.values())
    assert all(change.after == answer.counterfactual[name] for name, change in follows.items())
    assert answer.distance == pytest.approx(sum(change.cost for change in answer.changes))


def test_a_first_step_that_derives_is_followed():
    X, y = table(decimals=None)
    plain = X[list(SOURCES)]
    for model in (LogisticRegression(max_iter=1000), RandomForestClassifier(5, max_depth=4, random_state=0)):
        whole = make_pipeline(ew.derived(FORMULAS), StandardScaler(), model).fit(plain, y)
        for density in (None, "auto"):
            options = {"density": density, "rules": None, "condition_on_fixed": False}
            constraints = ew.Constraints(min_change="any", step="any")
            explainer = ew.Explainer(whole, constraints=constraints, **options).fit(plain, y)
            assert explainer.exactness_ == "exact"
            rows = plain[whole.predict(plain) == 0].head(4)
            answers = explainer.explain(rows, target=1)
            for place in range(len(rows)):
                best = nearest(explainer, whole, plain, rows.iloc[place], {}, explainer.distance_.weights)
                assert answers[place].status == "optimal"
                assert answers[place].distance == pytest.approx(best, rel=1e-9)


def test_an_explainer_with_derived_columns_is_saved_and_read(tmp_path):
    X, y = table()
    model = MODELS["forest"].fit(X, y)
    explainer = explainer_of(model, X, y, {}, density="auto")
    rows = asked(explainer, X, model)
    explainer.save(tmp_path / "one.ew")
    again = ew.load(tmp_path / "one.ew")
    assert again.derived_ == FORMULAS
    np.testing.assert_array_equal(again.explain(rows, target=1).distances, explainer.explain(rows, target=1).distances)


def test_whole_columns_that_follow_are_whole_in_what_is_said_of_them():
    X, y = table()
    model = MODELS["tree"].fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(asked(explainer, X, model), 1)
    totals = [change for answer in answers for change in answer.changes if change.feature in ("total", "area")]
    assert totals  # beside columns of decimals, which make floats of a row's whole numbers
    assert all(type(value) is int for change in totals for value in (change.before, change.after))
    assert not any(".0" in str(value) for change in totals for value in (change.before, change.after))


def test_models_are_not_asked_about_rows_that_divide_by_zero() -> None:
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame({"credit": rng.integers(60, 480, n) * 100, "income": rng.integers(0, 60, n) * 100 + 100})
    frame["months"] = rng.choice([24, 36, 48, 60, 72], n)
    frame["rate"] = (frame["credit"] / frame["months"]).round(2)
    frame["share"] = (frame["rate"] / frame["income"]).round(3)
    y = frame["share"] < 0.05
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(frame, y)
    formulas = {"rate": "credit / months", "share": "rate / income"}
    rules = ew.Constraints(bounds={"income": (0, None)}, range="any", immutable=["credit", "months"], derive=formulas)
    explainer = ew.Explainer(model, rules=None, density=None, constraints=rules).fit(frame, y)
    assert explainer.derived_ == formulas
    row = frame.assign(income=0, share=0.9).iloc[[0]].assign(rate=lambda t: (t["credit"] / t["months"]).round(2))
    region = explainer.fitted_.region(explainer.fitted_.labels[1])
    assert not region.accepts(explainer.fitted_.table.encode(row)).any()
    for answer in explainer.explain(frame[~model.predict(frame)].head(4), True):
        assert not answer.found or np.isfinite(answer.counterfactual["share"])
