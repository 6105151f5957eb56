"""The search through the explainer's door: tables of every kind, rows at odd places, threads, several answers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from bits import assert_same_bits

GRADES = ["low", "fair", "good", "best"]


def customers(seed: int = 0, n: int = 160) -> tuple[pd.DataFrame, np.ndarray]:
    """Whole numbers, a number, ordered levels, a boolean and a category that all have a say."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.5
    grade = np.clip(rng.integers(0, 3, size=n) + good, 0, 3)
    frame = pd.DataFrame({
        "years": rng.poisson(np.where(good, 6, 3)),
        "income": np.round(rng.normal(np.where(good, 4.0, 2.5), 0.8), 3),
        "grade": pd.Categorical.from_codes(grade, GRADES, ordered=True),
        "member": rng.random(n) < np.where(good, 0.7, 0.3),
        "colour": np.where(rng.random(n) < np.where(good, 0.6, 0.2), "red", rng.choice(["green", "blue", "white"], n)),
    })  # fmt: skip
    return frame, np.where(good, "yes", "no")


def pipeline(model=None, *, unknown: str = "error", frame: pd.DataFrame | None = None, y=None):
    encode = make_column_transformer(
        (StandardScaler(), ["years", "income"]),
        (OrdinalEncoder(categories=[GRADES]), ["grade"]),
        (OneHotEncoder(handle_unknown=unknown), ["member", "colour"]),
    )
    return make_pipeline(encode, LogisticRegression() if model is None else model).fit(frame, y)


def fitted(model=None, *, unknown: str = "error", **options) -> tuple[ew.Explainer, pd.DataFrame]:
    """An explainer, and rows the model says no to."""
    frame, y = customers()
    made = pipeline(model, unknown=unknown, frame=frame, y=y)
    mixture = ew.MixedMixtureDensity(n_components=2, random_state=0)
    options = {"density": mixture, "condition_on_fixed": False, **options}
    rows = customers(1)[0]
    return ew.Explainer(made, **options).fit(frame, y), rows[made.predict(rows) == "no"].iloc[:12]


def tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=5, random_state=0)


MODELS = {"logistic": LogisticRegression, "tree": tree}


def same(left: ew.Explanations, right: ew.Explanations) -> None:
    """The same answers bit for bit; columns of rows that are not there widen the dtypes of the others."""
    assert_same_bits(left, right, skip=("x", "counterfactuals"))
    for name in ("x", "counterfactuals"):
        pd.testing.assert_frame_equal(getattr(left, name), getattr(right, name), check_exact=True, check_dtype=False)


def n_changes(answers: ew.Explanations, rows: pd.DataFrame) -> np.ndarray:
    """How many cells differ in each line that has an answer; 0 in others."""
    found = answers.found
    count = np.zeros(len(rows), dtype=int)
    after, before = answers.counterfactuals[found], rows[found]
    differ = [after[name].to_numpy(dtype=object) != before[name].to_numpy(dtype=object) for name in rows]
    count[found] = np.sum(differ, axis=0)
    return count


def check(explainer: ew.Explainer, answers: ew.Explanations, target="yes") -> None:
    """Every answer is predicted so and dense enough as returned."""
    found = answers.counterfactuals[answers.found]
    assert len(found)
    assert (explainer.model.predict(found) == target).all()
    if explainer.densities_:
        assert (explainer.log_density(found, target) >= explainer.densities_[target].log_threshold_).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rules", [{}, {"max_changes": 2}, {"linear": ["years <= 3 * income"]}], ids=str)
def test_same_bits_alone_in_a_batch_and_on_any_number_of_threads(model, rules):
    explainer, rows = fitted(MODELS[model]())
    rules = ew.Constraints(**rules)
    together = explainer.explain(rows, "yes", constraints=rules)
    check(explainer, together)
    for n_jobs in (2, 3, -1):
        explainer.set_params(n_jobs=n_jobs)
        same(explainer.explain(rows, "yes", constraints=rules), together)
    explainer.set_params(n_jobs=None)
    for i in range(len(rows)):
        alone = explainer.explain(rows.iloc[[i]], "yes", constraints=rules)
        same(alone, together[i : i + 1])
    back = explainer.explain(rows.iloc[::-1], "yes", constraints=rules)
    np.testing.assert_array_equal(back.distances[::-1], together.distances)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_several_answers_have_the_same_bits_in_any_batch(n_jobs):
    explainer, rows = fitted(tree(), n_jobs=n_jobs)
    together = explainer.explain(rows, "yes", n_counterfactuals=3)
    for i in range(len(rows)):
        alone = explainer.explain(rows.iloc[[i]], "yes", n_counterfactuals=3)
        same(alone, together.take(np.flatnonzero(together.rows == i)))


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_gives_verified_points_and_valid_bounds():
    explainer, rows = fitted(tree(), threshold=0.3)
    whole, hurried = explainer.explain(rows, "yes"), explainer.explain(rows, "yes", time_limit=1e-7)
    check(explainer, hurried)
    assert (whole.statuses != "feasible").all()
    assert (hurried.statuses == "feasible").any()
    found = whole.statuses == "optimal"
    np.testing.assert_array_equal(hurried.found, found)
    assert (hurried.lower_bounds[found] <= whole.distances[found] * (1 + 1e-9)).all()
    assert (hurried.distances[found] >= whole.distances[found] * (1 - 1e-9)).all()
    gap = (hurried.distances - hurried.lower_bounds)[found] / hurried.distances[found]
    np.testing.assert_allclose(hurried.gaps[found], gap, atol=1e-12)
    assert all("time limit" in hurried.reasons[i] for i in np.flatnonzero(hurried.statuses == "feasible"))


def listed(explainer: ew.Explainer, row: pd.Series, years: range, incomes=None) -> tuple[pd.DataFrame, np.ndarray]:
    """Every row of the customers' table with the row's income, and its distance."""
    frame = customers()[0]
    ways = list(itertools.product(years, GRADES, [False, True], sorted(set(frame["colour"]))))
    rows = pd.DataFrame(ways, columns=["years", "grade", "member", "colour"])
    rows.insert(1, "income", float(row["income"]))
    rows["grade"] = pd.Categorical(rows["grade"], GRADES, ordered=True)
    years_scale = np.median(np.abs(frame["years"] - frame["years"].median()))
    ranks = frame["grade"].cat.codes
    grade_scale = np.median(np.abs(ranks - ranks.median()))
    distance = (rows["years"] - row["years"]).abs() / years_scale
    distance += (rows["grade"].cat.codes - GRADES.index(row["grade"])).abs() / grade_scale
    distance += (rows["member"] != row["member"]).astype(float) + (rows["colour"] != row["colour"]).astype(float)
    return rows[list(frame.columns)], distance.to_numpy()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("density", ["none", "one component"])
def test_further_answers_are_the_next_best_that_differ(model, density):
    """Everything but the income is discrete, and the income is kept: the list of all rows gives each next answer."""
    made = None if density == "none" else ew.MixedMixtureDensity(n_components=1)
    explainer, rows = fitted(MODELS[model](), density=made, threshold=0.1)
    rules = ew.Constraints(immutable=["income"], bounds={"years": (0, 14)})
    answers = explainer.explain(rows.iloc[:5], "yes", constraints=rules, n_counterfactuals=4, diversity="columns")
    check(explainer, answers)
    n_further = 0
    for i in range(5):
        row = rows.iloc[i]
        everything, distance = listed(explainer, row, range(15))
        good = explainer.model.predict(everything) == "yes"
        if explainer.densities_:
            good &= explainer.log_density(everything, "yes") >= explainer.densities_["yes"].log_threshold_
        everything, distance = everything[good], distance[good]
        changed = np.array([everything[name] != row[name] for name in everything]).T
        mine = answers.take(np.flatnonzero(answers.rows == i))
        taken: list[np.ndarray] = []
        for k in range(4):
            # One of the columns that an earlier answer changes is left alone.
            new = np.ones(len(everything), dtype=bool)
            for columns in taken:
                new &= ~changed[:, columns].all(axis=1)
            if not new.any():
                assert len(mine) == k or (mine.statuses == "infeasible").all()
                break
            assert mine.statuses[k] == "optimal"
            np.testing.assert_allclose(mine.distances[k], distance[new].min(), rtol=1e-6)
            returned = mine.counterfactuals.iloc[[k]]
            at = np.flatnonzero(
                (everything.astype(object).to_numpy() == returned.astype(object).to_numpy()).all(axis=1)
            )
            assert len(at) == 1
            assert new[at[0]]
            taken.append(changed[at[0]])
            n_further += k > 0
        assert (np.diff(mine.distances) >= -1e-9).all()
    assert n_further


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_max_changes_is_kept_and_costs_distance(model, most):
    explainer, rows = fitted(MODELS[model](), threshold=0.2)
    free = explainer.explain(rows, "yes")
    few = explainer.explain(rows, "yes", constraints=ew.Constraints(max_changes=most))
    found = few.found
    differ = n_changes(few, rows)
    assert (differ[found] <= most).all()
    np.testing.assert_array_equal(few.changed[found].sum(axis=1), differ[found])
    assert (few.distances[found] >= free.distances[found] * (1 - 1e-9)).all()
    if most == 0:
        assert not found.any()


def test_one_change_is_the_best_of_all_columns_by_themselves():
    explainer, rows = fitted(threshold=0.1)
    one = explainer.explain(rows, "yes", constraints=ew.Constraints(max_changes=1))
    names = list(rows.columns)
    each = [
        explainer.explain(
            rows, "yes", constraints=ew.Constraints(immutable=[other for other in names if other != name])
        )
        for name in names
    ]
    best = np.min([np.where(single.statuses == "infeasible", np.inf, single.distances) for single in each], axis=0)
    np.testing.assert_allclose(np.where(one.statuses == "infeasible", np.inf, one.distances), best, rtol=1e-6)
    assert np.isfinite(best).any()


def test_a_value_that_is_not_whole_may_stay_but_moves_to_whole_ones():
    frame, y = customers()
    numbers = frame[["years", "income"]].astype(float)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, y)
    explainer = ew.Explainer(model, density=None).fit(numbers, y)
    row = pd.DataFrame({"years": [2.5], "income": [2.0]})
    rules = {"integer": ["years"]}
    answer = explainer.explain_one(row.iloc[0], "yes", constraints=ew.Constraints(**rules, immutable=["income"]))
    assert answer.counterfactual["years"] == np.ceil(answer.counterfactual["years"])
    below = row.assign(years=answer.counterfactual["years"] - 1)
    assert explainer.model.predict(below)[0] == "no"
    stays = explainer.explain_one(row.iloc[0], "yes", constraints=ew.Constraints(**rules, immutable=["years"]))
    assert stays.counterfactual["years"] == 2.5
    assert stays.status == "optimal"


def test_leaves_that_rule_the_own_level_out():
    frame = pd.DataFrame(
        {"colour": np.repeat(["red", "green", "blue", "white"], 20), "size": np.tile(np.arange(20.0), 4)}
    )
    y = np.where(frame["colour"].isin(["green", "blue"]) & (frame["size"] > 9), "yes", "no")
    encode = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0)).fit(frame, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(), learn_rules=False).fit(frame, y)
    answers = explainer.explain(pd.DataFrame({"colour": ["red", "red", "green"], "size": [15.0, 3.0, 3.0]}), "yes")
    check(explainer, answers)
    np.testing.assert_allclose(answers.distances, [1.0, 1.0 + 6.5, 6.5], rtol=1e-6)
    assert set(answers.counterfactuals["colour"]) <= {"green", "blue"}


@pytest.mark.parametrize("density", ["none", "mixed"])
def test_rows_may_start_at_a_level_never_seen_but_none_goes_there(density):
    made = None if density == "none" else ew.MixedMixtureDensity(n_components=2, random_state=0)
    explainer, rows = fitted(unknown="ignore", density=made, threshold=0.2)
    rows = rows.assign(colour=["violet"] * 6 + list(rows["colour"][6:]))
    answers = explainer.explain(rows, "yes")
    check(explainer, answers)
    seen = {"red", "green", "blue", "white"}
    for i in np.flatnonzero(answers.found):
        after = answers.counterfactuals["colour"].iloc[i]
        assert after in seen or (i < 6 and after == "violet")
    fixed = explainer.explain(rows, "yes", constraints=ew.Constraints(immutable=["colour"]))
    for i in np.flatnonzero(fixed.found):
        assert fixed.counterfactuals["colour"].iloc[i] == rows["colour"].iloc[i]
    if density == "none":
        assert (fixed.statuses == "optimal").all()
        assert (fixed.distances >= answers.distances * (1 - 1e-9)).all()


def test_missing_numbers_stand_for_what_the_imputer_puts():
    frame, y = customers()
    rng = np.random.default_rng(3)
    frame = frame.assign(income=frame["income"].mask(rng.random(len(frame)) < 0.2))
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["years", "income"]),
        (OneHotEncoder(), ["colour", "member"]),
    )
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1), threshold=0.2).fit(frame, y)
    rows = frame[model.predict(frame) == "no"].iloc[:20]
    answers = explainer.explain(rows, "yes")
    check(explainer, answers)
    fill = float(frame["income"].median())
    filled = explainer.explain(rows.fillna({"income": fill}), "yes")
    np.testing.assert_array_equal(answers.distances, filled.distances)
    missing = rows["income"].isna().to_numpy()
    assert missing.any()
    for i in np.flatnonzero(missing & answers.found):
        after, other = answers.counterfactuals["income"].iloc[i], filled.counterfactuals["income"].iloc[i]
        assert (np.isnan(after) and other == fill) or after == other
    kept = explainer.explain(rows, "yes", constraints=ew.Constraints(immutable=["income"]))
    at = missing & kept.found
    assert kept.counterfactuals["income"][at].isna().all()


@pytest.mark.parametrize("baseline", [False, True], ids=["all levels", "baseline"])
def test_one_hot_groups_stay_one_hot(baseline):
    frame, y = customers()
    dummies = pd.get_dummies(frame["colour"], prefix="colour", dtype=float)
    members = list(dummies.columns[1:]) if baseline else list(dummies.columns)
    plain = pd.concat([frame[["years", "income"]], dummies[members]], axis=1)
    group = ew.OneHot(columns=members, baseline=dummies.columns[0] if baseline else None)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(plain, y)
    explainer = ew.Explainer(model, columns={"colour": group}, density=None).fit(plain, y)
    rows = plain[model.predict(plain) == "no"].iloc[:15]
    answers = explainer.explain(rows, "yes")
    check(explainer, answers)
    after = answers.counterfactuals[members]
    assert set(np.unique(after)) <= {0.0, 1.0}
    total = after.sum(axis=1)
    assert ((total <= 1) if baseline else (total == 1)).all()
    # The same model behind an encoder has the same answers.
    named = frame[["years", "income", "colour"]]
    encode = make_column_transformer(
        (StandardScaler(), ["years", "income"]),
        (make_pipeline(OneHotEncoder(drop="first" if baseline else None), StandardScaler(with_mean=False)), ["colour"]),
        sparse_threshold=0,
    )
    other = make_pipeline(encode, LogisticRegression()).fit(named, y)
    other[-1].coef_, other[-1].intercept_ = (
        model[-1].coef_,
        model[-1].intercept_ - (model[-1].coef_[0, 2:] @ (model[0].mean_ / model[0].scale_)[2:]),
    )
    twin = ew.Explainer(other, density=None).fit(named, y)
    np.testing.assert_allclose(twin.explain(named.loc[rows.index], "yes").distances, answers.distances, rtol=1e-6)


def test_ordered_levels_move_by_rank():
    explainer, rows = fitted(density=None, distance=ew.Manhattan())
    only = ew.Constraints(immutable=[name for name in rows if name != "grade"])
    answers = explainer.explain(rows, "yes", constraints=only)
    for i, (_, row) in enumerate(rows.iterrows()):
        ways = pd.DataFrame([row] * 4).assign(grade=pd.Categorical(GRADES, GRADES, ordered=True)).astype(rows.dtypes)
        good = np.flatnonzero(explainer.model.predict(ways) == "yes")
        apart = np.abs(good - GRADES.index(row["grade"]))
        assert (answers.statuses[i] == "infeasible") == (len(good) == 0)
        if len(good):
            assert answers.distances[i] == apart.min()
    assert (answers.statuses == "optimal").any()


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("model", MODELS)
def test_tables_of_categories_alone(model, density):
    frame, y = customers(n=300)
    frame = frame[["member", "colour"]].assign(grade=frame["grade"].astype(str))
    made = make_pipeline(OneHotEncoder(), MODELS[model]()).fit(frame, y)
    if density is not None:
        density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(made, density=density).fit(frame, y)
    ways = pd.DataFrame(list(itertools.product(*(sorted(set(frame[name])) for name in frame))), columns=frame.columns)
    good = made.predict(ways) == "yes"
    if density is not None:
        good &= explainer.log_density(ways, "yes") >= explainer.densities_["yes"].log_threshold_
    answers = explainer.explain(ways, "yes", on_satisfied="move")
    check(explainer, answers)
    apart = (ways.to_numpy()[:, None, :] != ways[good].to_numpy()[None]).sum(axis=2)
    np.testing.assert_allclose(answers.distances, apart.min(axis=1))
    assert (answers.statuses == "optimal").all()


def test_regressors_of_tables_hit_their_interval():
    frame, _ = customers()
    value = 2.0 * frame["income"] + frame["years"] + 3.0 * (frame["colour"] == "red") + frame["member"]
    encode = make_column_transformer((OneHotEncoder(), ["member", "colour"]), remainder="passthrough")
    model = make_pipeline(encode, LinearRegression()).fit(frame.drop(columns="grade"), value)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1), threshold=0.2)
    explainer.fit(frame.drop(columns="grade"))
    rows = frame.drop(columns="grade").iloc[:15]
    answers = explainer.explain(rows, (14.0, 15.0))
    found = answers.counterfactuals[answers.found]
    assert len(found) > 5
    predictions = model.predict(found)
    assert ((predictions >= 14.0) & (predictions <= 15.0)).all()
    assert (found["years"] == found["years"].round()).all()


@pytest.mark.parametrize("level", list("bcd"))
@pytest.mark.parametrize("side", ["low", "high"])
def test_rows_exactly_at_the_end_of_an_interval_are_answers(level, side):
    frame = pd.DataFrame({"c": ["a", "b", "c", "d"] * 10})
    y = np.tile([-1.08, 0.3, 0.7, 1.9], 10) + 0.3 * np.random.default_rng(0).normal(size=40)
    model = make_pipeline(OneHotEncoder(), LinearRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame)
    at = model.predict(pd.DataFrame({"c": [level]}))[0]
    answer = explainer.explain_one(frame.iloc[0], (at, at + 0.1) if side == "low" else (at - 0.1, at))
    assert (answer.status, answer.distance) == ("optimal", 1.0)
    assert answer.counterfactual["c"] == level


def test_whole_numbers_with_a_gaussian_and_a_kernel_density():
    frame, y = customers()
    numbers = frame[["years", "income"]]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, y)
    for density in ("kernel", ew.GaussianMixtureDensity(n_components=2)):
        explainer = ew.Explainer(model, density=density, threshold=0.3).fit(numbers, y)
        rows = numbers[model.predict(numbers) == "no"].iloc[:10]
        answers = explainer.explain(rows, "yes")
        check(explainer, answers)
        assert (answers.statuses == "optimal").all()
        assert (answers.counterfactuals["years"] == answers.counterfactuals["years"].round()).all()
        loose = explainer.explain(rows, "yes", constraints=ew.Constraints(integer=[]))
        assert (loose.distances <= answers.distances * (1 + 1e-9)).all()


def test_densities_for_numbers_are_refused_for_categories():
    frame, y = customers()
    made = pipeline(frame=frame, y=y)
    for density in ("kernel", "gaussian_mixture", ew.GaussianMixtureDensity()):
        with pytest.raises(ew.InvalidInputError, match="about numbers, but the table has categories"):
            ew.Explainer(made, density=density).fit(frame, y)


def test_mahalanobis_and_whole_numbers_are_refused_together():
    frame, y = customers()
    numbers = frame[["years", "income"]]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, y)
    explainer = ew.Explainer(model, distance="mahalanobis", density=None).fit(numbers, y)
    with pytest.raises(ew.InvalidInputError, match="need a distance that is a sum over columns"):
        explainer.explain(numbers.iloc[:2], "yes")


def test_arrays_with_declared_columns_have_the_answers_of_frames():
    frame, y = customers()
    plain = np.column_stack([frame["years"], frame["income"], frame["member"], frame["grade"].cat.codes]).astype(float)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(plain, y)
    declared = {"x0": "integer", "x2": "boolean", "x3": "ordinal"}
    explainer = ew.Explainer(model, columns=declared, density=None).fit(plain, y)
    rows = plain[model.predict(plain) == "no"][:15]
    answers = explainer.explain(rows, "yes")
    check(explainer, answers)
    after = np.asarray(answers.counterfactuals, dtype=float)
    assert (after[:, [0, 2, 3]] == np.round(after[:, [0, 2, 3]])).all()
    assert set(after[:, 2]) <= {0.0, 1.0}
    assert set(after[:, 3]) <= {0.0, 1.0, 2.0, 3.0}
    named = pd.DataFrame(plain, columns=["x0", "x1", "x2", "x3"])
    twin = ew.Explainer(
        make_pipeline(StandardScaler(), LogisticRegression()).fit(named, y), columns=declared, density=None
    )
    np.testing.assert_allclose(
        twin.fit(named, y).explain(pd.DataFrame(rows, columns=named.columns), "yes").distances, answers.distances
    )


def test_special_codes_stay_and_are_not_entered():
    frame, y = customers()
    rng = np.random.default_rng(5)
    frame = frame[["years", "income", "colour"]].assign(years=frame["years"].where(rng.random(len(frame)) < 0.8, -9))
    encode = make_column_transformer((StandardScaler(), ["years", "income"]), (OneHotEncoder(), ["colour"]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=2, random_state=0), threshold=0.2)
    explainer.fit(frame, y)
    rows = frame[model.predict(frame) == "no"].iloc[:40]
    answers = explainer.explain(rows, "yes", constraints=ew.Constraints(special=[-9]))
    check(explainer, answers)
    found = answers.found
    before, after = rows["years"].to_numpy()[found], answers.counterfactuals["years"].to_numpy()[found]
    assert (before == -9).any()
    assert (after[before == -9] == -9).all()
    assert (after[before != -9] >= 0).all()


@pytest.mark.parametrize("probability", [0.6, 0.9])
def test_least_probability_is_that_of_the_row_as_returned(probability):
    explainer, rows = fitted(density=None)
    answers = explainer.explain(rows, "yes", min_probability=probability)
    index = explainer.classes_.tolist().index("yes")
    assert (explainer.model.predict_proba(answers.counterfactuals)[:, index] >= probability).all()
    plain = explainer.explain(rows, "yes")
    assert (answers.distances >= plain.distances * (1 - 1e-9)).all()
    assert (answers.statuses == "optimal").all()


def test_without_a_target_the_nearest_other_class_is_found():
    frame, _ = customers()
    y = np.where(frame["income"] < 2.5, "low", np.where(frame["years"] + 3 * frame["member"] > 6, "high", "middle"))
    made = pipeline(tree(), frame=frame, y=y)
    explainer = ew.Explainer(made, density=ew.MixedMixtureDensity(n_components=1), threshold=0.1).fit(frame, y)
    rows = customers(2)[0].iloc[:15]
    nearest, present = explainer.explain(rows), made.predict(rows)
    every = {label: explainer.explain(rows, label) for label in explainer.classes_}
    for i in range(len(rows)):
        others = {
            label: answers.distances[i]
            for label, answers in every.items()
            if label != present[i] and answers.statuses[i] != "infeasible"
        }
        assert (nearest.statuses[i] == "infeasible") == (not others)
        if others:
            np.testing.assert_allclose(nearest.distances[i], min(others.values()), rtol=1e-6)
            assert nearest.targets[i] != present[i]
            assert made.predict(nearest.counterfactuals.iloc[[i]])[0] == nearest.targets[i]
