"""Paths: dense all along, within the rules, valid at the end, and no longer than proven."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from odd_region import Ring


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y), X


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    return ew.Explainer(model, distance="scaled").fit(X, y), X


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    return ew.Explainer(model).fit(X, y), X


def other(explainer, row):
    said = explainer.model.predict(row)[0]
    return next(label for label in explainer.classes_[::-1] if label != said)


def check(explainer, path, target):
    """Everything a found path claims, from its points alone."""
    fitted = explainer.fitted_
    land = fitted.landscape()
    assert path.status in ("optimal", "feasible")
    assert path.lower_bound <= path.length
    assert path.gap == pytest.approx((path.length - path.lower_bound) / path.length)
    assert (path.status == "optimal") == (path.gap <= 1e-6)
    steps = np.asarray(path.steps, dtype=float)
    assert steps == pytest.approx(path.features)
    given = path.steps[-1:] if isinstance(path.steps, pd.DataFrame) else steps[-1:]
    assert explainer.model.predict(given)[0] == target
    density = fitted.densities[target]
    assert explainer.log_density(given, target)[0] >= density.log_threshold_
    first = 1 if path.enters else 0
    shares = np.linspace(0, 1, 50)[:, None]
    lowest = np.inf
    for a, b in zip(path.features[first:-1], path.features[first + 1 :]):
        between = a + shares * (b - a)
        heights = land.log_max(fitted.density_rows(between))
        assert heights.min() >= path.log_level - 1e-9  # the sampled point itself is rounded
        lowest = min(lowest, heights.min())
    assert path.bottleneck.log_density >= path.log_level
    assert path.bottleneck.log_density <= lowest + 1e-9
    at = land.log_max(fitted.density_rows(path.bottleneck.features[None]))[0]
    assert at == pytest.approx(path.bottleneck.log_density, abs=1e-9)
    assert path.bottleneck.share == land.share_no_denser(path.bottleneck.log_density)
    assert path.level == land.share_no_denser(path.log_level)
    if path.enters:
        assert land.log_max(fitted.density_rows(path.features[:1]))[0] < path.log_level
    assert path.lengths.sum() == pytest.approx(path.length)
    assert path.profile.positions[[0, -1]] == pytest.approx([0.0, 1.0])
    assert path.profile.log_densities == pytest.approx(land.log_max(fitted.density_rows(path.profile.features)))


@pytest.mark.parametrize("data", ["iris", "wine", "cancer"])
def test_everything_a_path_claims_holds(data, request):
    explainer, X = request.getfixturevalue(data)
    rng = np.random.default_rng(0)
    n_found = 0
    for i in rng.choice(len(X), 12, replace=False):
        row = X.iloc[[i]] if isinstance(X, pd.DataFrame) else X[i : i + 1]
        target = other(explainer, row)
        path = explainer.path(row, target)
        if path.status == "infeasible":
            assert path.reason
            continue
        n_found += 1
        check(explainer, path, target)
        straight = explainer.explain_one(row, target, constraints=ew.Constraints(step="any", min_change="any"))
        assert path.length >= straight.lower_bound * (1 - 1e-9)
    assert n_found >= 4


def test_no_dense_way_leads_from_setosa_to_versicolor(iris):
    explainer, X = iris
    path = explainer.path(X[0], 1)
    assert path.status == "infeasible"
    assert np.isnan(path.length)
    assert np.isinf(path.lower_bound)
    assert path.reason.startswith("No path to where the model would predict 1 stays realistic: even the best passes")
    assert len(path) == 0
    assert path.steps.shape == (1, 4)
    # and there is one, through empty space, for whoever asks for that
    sparse = explainer.path(X[0], 1, level=ew.LogDensity(path.log_highest - 0.1))
    assert sparse.status == "optimal"
    assert sparse.level == 0.0
    # the saddle is exact: a little above it there is none
    assert explainer.path(X[0], 1, level=ew.LogDensity(path.log_highest + 1e-6)).status == "infeasible"


def test_nothing_is_as_dense_as_asked(iris):
    explainer, X = iris
    path = explainer.path(X[99], 2, level=ew.LogDensity(100.0))
    assert path.status == "infeasible"
    assert path.reason.endswith("stays as typical as required.")
    assert np.isinf(path.lower_bound)


def test_the_highest_level_of_an_asked_one_is_the_rows_own_way(iris):
    """What the reason tells of the best way is about all components, not only those as dense as asked."""
    explainer, X = iris
    best = explainer.path(X[0], 1)
    asked = explainer.path(X[0], 1, level=0.02)
    assert asked.status == "infeasible"
    assert asked.log_highest == pytest.approx(best.log_highest)
    assert asked.reason == best.reason


def test_digits_behind_pca_have_dense_ways():
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(PCA(16, random_state=0), LogisticRegression(max_iter=3000)).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    path = explainer.path(X[0], 9, time_limit=5)
    check(explainer, path, 9)


def test_a_way_that_is_straight_is_the_nearest_answer(cancer):
    explainer, X = cancer
    path = explainer.path(X[146], 1)
    assert len(path) == 1
    straight = explainer.explain_one(X[146], 1)
    assert path.length == pytest.approx(straight.distance, rel=1e-6)


def test_a_sparse_row_first_steps_to_where_data_are_dense(cancer):
    explainer, X = cancer
    path = explainer.path(X[446], 1, level=0.6)
    assert path.enters
    assert path.components[0] == -1
    assert path.level == pytest.approx(0.6, abs=0.01)
    check(explainer, path, 1)
    land, fitted = explainer.fitted_.landscape(), explainer.fitted_
    # nothing of that level is nearer: compare with places around the row
    rng = np.random.default_rng(0)
    sizes = path.lengths[0] * rng.uniform(0, 0.999, size=(500, 1))
    around = rng.normal(size=(500, X.shape[1])) * X.std(axis=0)
    around = X[446] + sizes * around / np.abs(around).sum(axis=1, keepdims=True)
    assert (land.log_max(fitted.density_rows(around)) < path.log_level).all()


def test_a_higher_level_is_never_a_shorter_way(cancer):
    explainer, X = cancer
    levels, rules = (0.05, 0.15, 0.25, 0.3), ew.Constraints(range="any")
    paths = [explainer.path(X[446], 1, level=ew.TrainingQuantile(level), constraints=rules) for level in levels]
    assert not any(path.enters for path in paths)
    for lower, higher in pairwise(paths):
        assert lower.lower_bound <= higher.length
    assert paths[-1].length > paths[0].length


def test_rules_hold_at_every_corner(wine):
    explainer, X = wine
    row = X.iloc[[97]]
    rules = ew.Constraints(
        immutable=["hue"],
        monotone={"proline": "increase", "alcohol": "increase"},
        bounds={"magnesium": (70, 120)},
        linear=["ash <= 0.3 * alcohol"],
    )
    free = explainer.path(row, 0)
    path = explainer.path(row, 0, constraints=rules)
    check(explainer, path, 0)
    assert path.length >= free.lower_bound * (1 - 1e-6) or path.log_level < free.log_level
    steps = path.steps
    assert (steps["hue"] == row["hue"].iloc[0]).all()
    assert (np.diff(steps["proline"]) >= 0).all()
    assert (np.diff(steps["alcohol"]) >= 0).all()
    assert steps["magnesium"].between(70, 120).all()
    assert (steps["ash"].iloc[1:] <= 0.3 * steps["alcohol"].iloc[1:]).all()


def test_few_changes_hold_at_every_corner(iris):
    explainer, X = iris
    path = explainer.path(X[99], 2, constraints=ew.Constraints(max_changes=2), level=0.05)
    check(explainer, path, 2)
    assert ((path.steps != X[99]).any(axis=0)).sum() <= 2


def test_contradicting_rules_say_so(wine):
    explainer, X = wine
    names = list(X.columns)
    path = explainer.path(X.iloc[[97]], 0, constraints=ew.Constraints(immutable=names))
    assert path.status == "infeasible"
    assert "rules" in path.reason


def test_trees_and_prototypes_have_paths_too():
    X, y = load_wine(return_X_y=True)
    explainer = ew.Explainer(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), distance="scaled").fit(X, y)
    path = explainer.path(X[97], 0)
    check(explainer, path, 0)


def test_regions_of_any_shape_have_paths_to_their_nearest_answer():
    X = np.random.default_rng(0).normal(scale=2, size=(300, 2))
    model = Ring(inner=1.5, outer=2.5, centre=(0.5, -0.3)).fit(X)
    explainer = ew.Explainer(model, threshold=0.2).fit(X, model.predict(X))
    outside = X[model.predict(X) == "out"]
    n_found = 0
    for row in outside[:8]:
        path = explainer.path(row, "in", time_limit=5)
        if path.status == "infeasible":
            continue
        n_found += 1
        check(explainer, path, "in")
        straight = explainer.explain_one(row, "in")
        assert path.length >= straight.lower_bound * (1 - 1e-6)
        if path.status == "feasible":
            assert "only paths to the nearest answer were searched" in path.reason
    assert n_found >= 4


def test_short_floats_stay_short_and_the_gap_is_told():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.astype(np.float32)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    explainer = ew.Explainer(model, distance="scaled").fit(X, y)
    for i, target in ((97, 2), (20, 2), (60, 0)):
        path = explainer.path(X.iloc[[i]], target)
        assert set(path.steps.dtypes) == {np.dtype(np.float32)}
        assert model.predict(path.steps.iloc[[-1]])[0] == target
        assert path.gap < 1e-4
        assert (path.status == "feasible") == ("rounding" in path.reason)


def test_whole_numbers_can_be_taken_for_numbers_and_missing_ones_stay():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X["proline"] = X["proline"].astype(int)
    X["unused"] = "x"
    used = [name for name in X.columns if name != "unused"]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X[used], y)
    explainer = ew.Explainer(model).fit(X, y)
    path = explainer.path(X.iloc[[97]], 0, constraints=ew.Constraints(integer=[]))
    assert path.status == "optimal"
    assert model.predict(path.steps[used].iloc[[-1]])[0] == 0
    assert not float(path.steps["proline"].iloc[-1]).is_integer()
    gaps = X[used].mask(np.random.default_rng(0).random((len(X), len(used))) < 0.05)
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000)).fit(gaps, y)
    explainer = ew.Explainer(model, distance="scaled").fit(gaps, y)
    rules = ew.Constraints(integer=[])
    row = gaps[gaps.isna().any(axis=1)].iloc[[3]]
    target = other(explainer, row)
    path = explainer.path(row, target, constraints=rules)
    assert model.predict(path.steps.iloc[[-1]])[0] == target
    still = path.features[0] == path.features[-1]
    missing = row.isna().to_numpy()[0]
    assert path.steps.iloc[-1].isna().to_numpy()[still & missing].all()


def test_a_regressor_has_paths():
    X = load_iris().data
    explainer = ew.Explainer(LinearRegression().fit(X[:, :3], X[:, 3])).fit(X[:, :3])
    path = explainer.path(X[60, :3], (1.5, None))
    assert path.status == "optimal"
    assert explainer.model.predict(path.steps[-1:])[0] >= 1.5
    land = explainer.fitted_.landscape()
    for a, b in zip(path.features[:-1], path.features[1:]):
        assert land.log_max(a + np.linspace(0, 1, 30)[:, None] * (b - a)).min() >= path.log_level - 1e-9
    assert path.profile.probabilities is None


def test_mahalanobis_lengths_are_roots(iris):
    X = iris[1]
    explainer = ew.Explainer(iris[0].model, distance="mahalanobis").fit(X, load_iris().target)
    path = explainer.path(X[60], 2)
    check(explainer, path, 2)
    each = explainer.distance_(path.features[1:], path.features[:-1])
    assert path.length == pytest.approx(np.sqrt(each).sum())
    # a chain of two is never shorter than the straight way
    assert path.length**2 >= explainer.explain_one(X[60], 2).lower_bound * (1 - 1e-6)


def test_a_row_that_is_its_own_answer_stays(iris):
    explainer, X = iris
    dense = X[np.argmax(explainer.log_density(X[:50], 0))]
    path = explainer.path(dense, 0)
    assert (path.status, path.length, len(path)) == ("optimal", 0.0, 0)
    assert "Nothing has to change" in path.sentence


def test_what_a_path_cannot_be_asked_for(iris):
    explainer, X = iris
    with pytest.raises(ew.InvalidInputError, match="Expected a target"):
        explainer.path(X[0], None)
    with pytest.raises(ew.InvalidInputError, match="strictly between 0 and 1"):
        explainer.path(X[0], 1, level=1.5)
    plain = ew.Explainer(explainer.model, density=None).fit(X, load_iris().target)
    with pytest.raises(ew.InvalidInputError, match="density=None"):
        plain.path(X[0], 1)
    with pytest.raises(ew.InvalidInputError, match="whole"):
        explainer.path(X[99], 2, constraints=ew.Constraints(integer=["x0"]))
    table = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 3, "x", "y")})
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    encode = make_column_transformer((OneHotEncoder(), ["b"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(table, load_iris().target)
    mixed = ew.Explainer(model).fit(table, load_iris().target)
    with pytest.raises(ew.InvalidInputError, match="other columns: 'b'"):
        mixed.path(table.iloc[[0]], 1)


def test_a_time_limit_leaves_an_honest_gap():
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(PCA(24, random_state=0), LogisticRegression(max_iter=3000)).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    path = explainer.path(X[994], 7, time_limit=0.3)
    if path.status == "feasible":
        assert path.gap > 1e-6
        assert "time limit" in path.reason
        assert path.lower_bound > 0
    else:
        assert path.status == "optimal"


def test_words_text_and_html(iris):
    explainer, X = iris
    path = explainer.path(X[99], 2)
    assert path.sentence.startswith("The model predicts 1. It would predict 2 after ")
    assert "No shorter path is as typical (proven)." in path.sentence
    assert str(path).count("\n") == len(path) + 1
    assert repr(path) == f"<Path 1 -> 2: optimal, {len(path)} steps, length {path.length:.6g}>".replace(
        "1 steps", "1 step"
    )
    page = path._repr_html_()
    assert page.startswith('<div class="elsewise">')
    assert page.count("<tr>") == len(path) + 1
    assert page.count("<circle") == len(path) + 1  # a dot a corner
    assert f"the lowest is {int(100 * path.bottleneck.share)}." in page
    frame = path.to_frame()
    assert list(frame.columns) == ["position", "x0", "x1", "x2", "x3"]
    assert frame["position"].iloc[-1] == pytest.approx(1.0)
    for changes, before, after in zip(path.changes, path.steps[:-1], path.steps[1:]):
        for change in changes:
            column = int(change.feature[1:])
            assert (change.before, change.after) == (before[column], after[column])


def test_names_are_escaped():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["<script>", "b", "c", "d"]
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    page = explainer.path(X.iloc[99], 2)._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_way_to_a_least_probability():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    path = explainer.path(X[60], 2, min_probability=0.99)
    assert model.predict_proba(path.steps[-1:])[0, 2] >= 0.99
    assert path.min_probability == 0.99
    assert "The model predicts 1. It would give 2 a probability of at least 0.99 after" in path.sentence
    assert explainer.path(X[60], 2, min_probability=0.3).length < path.length
    assert "A probability" not in explainer.path(X[60], 2).sentence
