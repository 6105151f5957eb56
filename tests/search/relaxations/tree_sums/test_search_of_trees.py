"""The search of sums of trees against lists of all answers, over all libraries."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from bits import assert_same_bits
from elsewise.models import Interval, Label, region_of
from search.relaxations.tree_sums.small_ensembles import (
    LEVELS,
    LIBRARIES,
    OVER_TREES,
    classifier,
    encoded_by,
    nearest_of_numbers,
    numbers,
    regressor,
    table,
)


def check_numbers(model, X, y, outcome, target, rows, rtol=1e-9):
    """Answers for rows are valid, no farther than the nearest cell of all, and no bound is above it."""
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(rows, target)
    cuts = region_of(model, outcome).trees.cuts()
    weights = explainer.distance_.weights

    def wanted(points):
        predicted = model.predict(points)
        if isinstance(outcome, Interval):
            return (predicted >= outcome.low) & (predicted <= outcome.high)
        if outcome.min_probability is not None:
            return model.predict_proba(points)[:, outcome.index] >= outcome.min_probability
        return predicted == target

    for answer, x in zip(answers, rows):
        nearest = nearest_of_numbers(cuts, x, weights, wanted)
        assert nearest.n_listed > 10
        if np.isinf(nearest.distance):
            assert answer.status == "infeasible"
            continue
        assert answer.status in ("optimal", "unchanged", "already"), answer.status
        assert wanted(np.asarray(answer.counterfactual, dtype=float)[None])[0]
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=rtol, atol=1e-15)
        assert answer.lower_bound <= nearest.distance * (1 + 1e-12)


@pytest.mark.parametrize("name", LIBRARIES + OVER_TREES)
@pytest.mark.parametrize("seed", range(10))
def test_numbers_against_the_list(name, seed):
    n_classes = 3 if seed % 4 == 3 else 2
    X, y, _ = numbers(seed, n_classes)
    model = classifier(name, seed).fit(X, y)
    target = seed % n_classes
    others = np.flatnonzero(model.predict(X) != target)[:4]
    check_numbers(model, X, y, Label(target), target, X[others])


@pytest.mark.parametrize("name", LIBRARIES)
def test_rows_exactly_on_a_cut(name):
    X, y, _ = numbers(0)
    model = classifier(name).fit(X, y)
    cuts = region_of(model, Label(1)).trees.cuts()
    rows = X[model.predict(X) == 0][:3].copy()
    for j in range(3):
        rows[j, j] = cuts[j][len(cuts[j]) // 2]
    rows = rows[model.predict(rows) == 0]
    check_numbers(model, X, y, Label(1), 1, rows)


@pytest.mark.parametrize("name", LIBRARIES)
def test_intervals_of_regressors_against_the_list(name):
    X, _, score = numbers(2)
    model = regressor(name).fit(X, score)
    predicted = model.predict(X)
    low, high = (float(end) for end in np.quantile(predicted, [0.6, 0.8]))
    rows = X[(predicted < low) | (predicted > high)][:5]
    check_numbers(model, X, None, Interval(low, high), (low, high), rows)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("share", [0.4, 0.9])
def test_a_least_probability_against_the_list(share, name, n_classes):
    X, y, _ = numbers(4, n_classes)
    model = classifier(name, n_trees=8).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    said = model.predict_proba(X)[:, 1]
    p = float(np.quantile(said, share)) * 0.999
    rows = X[said < p][:8]
    answers = explainer.explain(rows, 1, min_probability=p)
    cuts = region_of(model, Label(1)).trees.cuts()
    for answer, x in zip(answers, rows):
        nearest = nearest_of_numbers(
            cuts,
            x,
            explainer.distance_.weights,
            lambda Z: model.predict_proba(Z)[:, 1] >= p,
        )
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)
        assert answer.lower_bound <= nearest.distance * (1 + 1e-12)


def test_scaled_numbers_keep_a_margin_from_cuts():
    X, y, _ = numbers(0)
    plain, scaled = classifier("forest").fit(X, y), make_pipeline(StandardScaler(), classifier("forest")).fit(X, y)
    rows = X[scaled.predict(X) == 0][:10]
    answers = ew.Explainer(scaled, density=None).fit(X, y).explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (scaled.predict(answers.counterfactuals) == 1).all()
    assert plain.n_features_in_ == 3
    # the same forest grown on scaled values, searched without a pipeline
    Z = scaled[0].transform(X)
    inner = ew.Explainer(scaled[-1], density=None, distance=ew.Manhattan(np.ones(3))).fit(Z, y)
    outer = ew.Explainer(scaled, density=None, distance=ew.Manhattan(1 / scaled[0].scale_)).fit(X, y)
    np.testing.assert_allclose(
        outer.explain(rows, 1).distances, inner.explain(scaled[0].transform(rows), 1).distances, rtol=1e-6
    )


@pytest.mark.parametrize("encoder", ["one-hot", "ordinal"])
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(3))
def test_whole_numbers_and_categories_against_the_list(name, encoder, seed):
    frame, y = table(seed, 3 if seed == 2 else 2)
    model = encoded_by(encoder, classifier(name, seed)).fit(frame, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) == 0][:5]
    answers = explainer.explain(rows, 1)
    everything = list_of_rows(explainer, frame, rows)
    good = everything[model.predict(everything) == 1]
    for number, answer in enumerate(answers):
        row = rows.iloc[[number]]
        distances = explainer.distance_(explainer.table_.encode(good), explainer.table_.encode(row))
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)
        assert answer.lower_bound <= distances.min() * (1 + 1e-12)
        assert model.predict(answer.counterfactual.to_frame().T.astype(frame.dtypes))[0] == 1


def list_of_rows(explainer, frame, rows):
    """All rows with a whole age, an income that is one of the rows' or just beyond a cut, and any colour."""
    cuts = np.unique(np.concatenate(region_of(explainer.model[-1], Label(1)).trees.cuts()))
    incomes = np.unique(np.concatenate([rows.income.to_numpy(), cuts, np.nextafter(cuts, np.inf)]))
    ages = np.unique(np.concatenate([np.arange(15, 46), rows.age.to_numpy()]))
    listed = pd.DataFrame(list(itertools.product(ages, incomes, LEVELS)), columns=frame.columns)
    return listed.astype(frame.dtypes)


RULES = {
    "immutable": (ew.Constraints(immutable=["colour"]), lambda some, row: some.colour == row.colour),
    "monotone": (ew.Constraints(monotone={"age": "increase"}), lambda some, row: some.age >= row.age),
    "bounds": (ew.Constraints(bounds={"age": (22, 36)}), lambda some, row: some.age.between(22, 36)),
    "max_changes": (ew.Constraints(max_changes=1), lambda some, row: (some != row).sum(axis=1) <= 1),
    "linear": (ew.Constraints(linear=["age + 2 * income <= 33"]), lambda some, row: some.age + 2 * some.income <= 33),
}


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("name", ["forest", "boosting"])
def test_rules_against_the_list(name, kind):
    frame, y = table(5)
    model = encoded_by("one-hot", classifier(name, 5, n_trees=4)).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[(model.predict(frame) == 0) & frame.age.between(22, 33) & (frame.age + 2 * frame.income < 32)][:5]
    constraints, keep = RULES[kind]
    answers = explainer.explain(rows, 1, constraints=constraints)
    everything = list_of_rows(explainer, frame, rows)
    good = everything[model.predict(everything) == 1]
    for number, answer in enumerate(answers):
        row = rows.iloc[number]
        kept = good[keep(good, row)]
        if len(kept) == 0:
            assert answer.status == "infeasible"
            continue
        distances = explainer.distance_(explainer.table_.encode(kept), explainer.table_.encode(rows.iloc[[number]]))
        assert answer.status == "optimal"
        # numbers that are projected keep a margin from cuts
        np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-6)
        assert answer.lower_bound <= distances.min() * (1 + 1e-9)
        written = answer.counterfactual.to_frame().T.astype(frame.dtypes)
        assert model.predict(written)[0] == 1
        assert keep(written, row).all()


@pytest.mark.parametrize("name", ["forest", "lightgbm"])
def test_a_density_on_top(name):
    X, y, _ = numbers(0)
    model = classifier(name, n_trees=4).fit(X, y)
    plain = ew.Explainer(model, density=None).fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1, random_state=0)).fit(X, y)
    rows = X[model.predict(X) == 0][:5]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) <= {"optimal", "feasible"}
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert (explainer.log_density(answers.counterfactuals, 1) >= explainer.densities_[1].log_threshold_).all()
    assert (answers.distances >= plain.explain(rows, 1).lower_bounds * (1 - 1e-9)).all()
    dense = X[(model.predict(X) == 1) & (explainer.log_density(X, 1) >= explainer.densities_[1].log_threshold_)]
    for x, answer in zip(rows, answers):
        nearest = explainer.distance_(dense, x[None]).min()
        assert answer.distance <= nearest * (1 + 1e-9)
        assert answer.lower_bound <= nearest * (1 + 1e-9)


def test_mixed_columns_go_through_projections():
    from sklearn.decomposition import PCA

    X, y, _ = numbers(0)
    X = X / X.std(axis=0)
    model = make_pipeline(PCA(2), classifier("forest", n_trees=3)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:3]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_row_has_the_same_bits_alone_in_a_batch_and_on_threads(name):
    X, y, _ = numbers(6)
    model = classifier(name, n_trees=30, depth=3).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:12]
    together = explainer.explain(rows, 1)
    assert_same_bits(together, ew.Explainer(model, density=None, n_jobs=2).fit(X, y).explain(rows, 1))
    for place in range(0, 12, 5):
        assert_same_bits(together[place : place + 1], explainer.explain(rows[place : place + 1], 1))


def test_several_answers_the_frontier_of_nothing_and_files(tmp_path):
    X, y, _ = numbers(6)
    model = classifier("forest", n_trees=4).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:3]
    several = explainer.explain(rows, 1, n_counterfactuals=2, diversity="columns")
    assert (model.predict(several.counterfactuals) == 1).all()
    best = explainer.explain(rows, 1)
    np.testing.assert_allclose(
        several.distances[np.flatnonzero(np.diff(several.rows, prepend=-1))], best.distances, rtol=1e-6
    )
    explainer.save(tmp_path / "forest.ew")
    assert_same_bits(ew.load(tmp_path / "forest.ew").explain(rows, 1), best)


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_leaves_a_point_and_an_honest_bound():
    X, y, _ = numbers(6, n=400)
    model = classifier("forest", n_trees=60, depth=6).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:6]
    hurried, patient = explainer.explain(rows, 1, time_limit=1e-9), explainer.explain(rows, 1)
    assert (model.predict(hurried.counterfactuals) == 1).all()
    assert (hurried.lower_bounds <= patient.distances * (1 + 1e-9)).all()
    assert (hurried.distances >= patient.lower_bounds * (1 - 1e-9)).all()


def test_a_class_that_is_never_predicted_is_infeasible():
    X, y, _ = numbers(0)
    model = classifier("forest").fit(X, np.where(np.arange(len(X)) == 0, 2, y))
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[1:4], 2)
    assert set(answers.statuses) == {"infeasible"}
    assert np.isinf(answers.lower_bounds).all()
