"""Sums of trees with a density and rules: against all cells one by one, and against lists of all whole points."""

from __future__ import annotations

import itertools

import clarabel
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from elsewise.models import Label, region_of
from elsewise.search.relaxations.tree_sums.splits import split_of
from search.relaxations.tree_sums.small_ensembles import LIBRARIES, classifier, numbers

CONES = {
    "one": ew.GaussianMixtureDensity(n_components=1, random_state=0),
    "two": ew.GaussianMixtureDensity(n_components=2, random_state=0),
}

# What the other solver's distances are good for: cuts and radii are met to about this.
ACCURACY = 2e-8


def project(x, weights, low, high, factor, centre, radius):
    """Distance to ``||factor (z - centre)|| <= radius`` within a box, by another solver; infinite if there is none."""
    n = len(x)
    eye, zero = sparse.eye(n), sparse.csc_matrix((n, n))
    finite_low, finite_high = np.isfinite(low), np.isfinite(high)
    A = sparse.vstack(
        [
            sparse.hstack([eye, -eye]),
            sparse.hstack([-eye, -eye]),
            sparse.hstack([-eye, zero]).tocsr()[finite_low],
            sparse.hstack([eye, zero]).tocsr()[finite_high],
            sparse.csc_matrix((1, 2 * n)),
            sparse.hstack([-sparse.csc_matrix(factor), zero]),
        ]
    ).tocsc()
    b = np.concatenate([x, -x, -low[finite_low], high[finite_high], [radius], -factor @ centre])
    n_linear = 2 * n + finite_low.sum() + finite_high.sum()
    cones = [clarabel.NonnegativeConeT(int(n_linear)), clarabel.SecondOrderConeT(len(factor) + 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cost = np.concatenate([np.zeros(n), weights])
    solution = clarabel.DefaultSolver(sparse.csc_matrix((2 * n, 2 * n)), cost, A, b, cones, settings).solve()
    return solution.obj_val if str(solution.status).endswith("Solved") else np.inf


def nearest_of_cells(explainer, model, x, target):
    """Distance of the nearest point that is accepted and dense, cell by cell and cone by cone."""
    cuts, density, nearest = region_of(model, Label(target)).trees.cuts(), explainer.densities_[target], np.inf
    mixture, weights = density.mixture_, explainer.distance_.weights
    ends = [
        [(-np.inf, c[0]), *zip(np.nextafter(c[:-1], np.inf), c[1:]), (np.nextafter(c[-1], np.inf), np.inf)]
        for c in cuts
    ]
    for cell in itertools.product(*ends):
        low, high = np.array(cell).T
        if model.predict(np.where(np.isfinite(high), high, low)[None])[0] != target:
            continue
        for k in range(len(mixture.weights_)):
            factor = mixture.precisions_cholesky_[k].T
            constant = np.log(mixture.weights_[k]) + np.log(np.diag(factor)).sum() - len(x) / 2 * np.log(2 * np.pi)
            if constant < density.log_threshold_:
                continue
            radius = np.sqrt(2 * (constant - density.log_threshold_))
            nearest = min(nearest, project(x, weights, low, high, factor, mixture.means_[k], radius))
    return nearest


@pytest.mark.parametrize("density", CONES)
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(3))
def test_numbers_with_a_density_against_all_cells(name, density, seed):
    X, y, _ = numbers(seed)
    X, target = X[:, :2], seed % 2
    model = classifier(name, seed, n_trees=4).fit(X, y)
    explainer = ew.Explainer(model, density=CONES[density], threshold=0.3).fit(X, y)
    rows = X[model.predict(X) != target][:3]
    for x, answer in zip(rows, explainer.explain(rows, target)):
        nearest = nearest_of_cells(explainer, model, x, target)
        if np.isinf(nearest):
            assert answer.status == "infeasible"
            continue
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-6, atol=ACCURACY)
        assert answer.lower_bound <= nearest * (1 + 1e-7) + ACCURACY
        assert model.predict(answer.counterfactual[None])[0] == target
        assert (
            explainer.log_density(answer.counterfactual[None], target)[0] >= explainer.densities_[target].log_threshold_
        )


@pytest.fixture(scope="module")
def whole():
    """A table of small whole numbers and a category, with a list of all of its rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.binomial(9, 0.5, 300),
            "b": rng.binomial(7, 0.4, 300),
            "c": rng.choice(["u", "v", "w"], 300, p=[0.5, 0.3, 0.2]),
        }
    )
    y = (frame.a + 2 * frame.b - 3 * (frame.c == "u") + rng.normal(0, 1, 300) > 8).astype(int).to_numpy()
    everything = pd.DataFrame(list(itertools.product(range(10), range(8), ["u", "v", "w"])), columns=frame.columns)
    return frame, y, everything.astype(frame.dtypes)


RULES = {
    "none": (ew.Constraints(), lambda some, row: some.a == some.a),
    "linear": (ew.Constraints(linear=["a + b <= 9"]), lambda some, row: some.a + some.b <= 9),
    "max_changes": (ew.Constraints(max_changes=1), lambda some, row: (some != row).sum(axis=1) <= 1),
    "monotone": (ew.Constraints(monotone={"a": "increase"}), lambda some, row: some.a >= row.a),
    "allowed": (
        ew.Constraints(allowed={"c": ["u", "w"]}),
        lambda some, row: some.c.isin(["u", "w"]) | (some.c == row.c),
    ),
    "several": (
        ew.Constraints(linear=["a - b <= 5"], max_changes=2),
        lambda some, row: (some.a - some.b <= 5) & ((some != row).sum(axis=1) <= 2),
    ),
}


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("name", ["forest", "xgboost"])
def test_whole_tables_with_a_density_and_rules_against_the_list(whole, name, kind):
    frame, y, everything = whole
    encoder = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(encoder, classifier(name, n_trees=8, depth=3)).fit(frame, y)
    explainer = ew.Explainer(model, threshold=0.4).fit(frame, y)
    constraints, keep = RULES[kind]
    rows = frame[(model.predict(frame) == 0) & (frame.a + frame.b <= 9) & (frame.a - frame.b <= 5)][:6]
    dense = explainer.log_density(everything, 1) >= explainer.densities_[1].log_threshold_
    good = everything[(model.predict(everything) == 1) & dense]
    answers = explainer.explain(rows, 1, constraints=constraints)
    for number, answer in enumerate(answers):
        kept = good[keep(good, rows.iloc[number])]
        if len(kept) == 0:
            assert answer.status == "infeasible"
            assert np.isinf(answer.lower_bound)
            continue
        distances = explainer.distance_(explainer.table_.encode(kept), explainer.table_.encode(rows.iloc[[number]]))
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)
        assert answer.lower_bound <= distances.min() * (1 + 1e-9)


def test_several_answers_with_a_density_differ_and_are_each_the_nearest_left(whole):
    frame, y, everything = whole
    encoder = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(encoder, classifier("forest", n_trees=8, depth=3)).fit(frame, y)
    explainer = ew.Explainer(model, threshold=0.4, density=ew.MixedMixtureDensity(n_components=1, random_state=0)).fit(
        frame, y
    )
    rows = frame[model.predict(frame) == 0][:4]
    answers = explainer.explain(rows, 1, n_counterfactuals=3, diversity="columns")
    dense = explainer.log_density(everything, 1) >= explainer.densities_[1].log_threshold_
    good = everything[(model.predict(everything) == 1) & dense]
    for number in range(len(rows)):
        row, left = rows.iloc[number], good
        own = [answers[int(place)] for place in np.flatnonzero(answers.rows == number)]
        for answer in own:
            distances = explainer.distance_(explainer.table_.encode(left), explainer.table_.encode(rows.iloc[[number]]))
            np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)
            changed = [name for name in frame if answer.counterfactual[name] != row[name]]
            left = left[(left[changed] == row[changed]).any(axis=1)]  # one cone: another one leaves a column alone
        if len(own) < 3:
            assert len(left) == 0


def test_a_diagonal_split_leaves_no_negative_eigenvalue():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 12, 30):
        for spread in (0.0, 3.0, 6.0):
            factor = rng.normal(size=(n, n)) * 10 ** rng.uniform(-spread / 2, spread / 2, n)
            split = split_of(factor)
            assert split is not None
            assert (split.D >= 0).all()
            scale = 1 / np.sqrt(np.diag(split.P))
            assert np.linalg.eigvalsh((split.P - np.diag(split.D)) * np.outer(scale, scale))[0] > 0
            if n == 1:
                np.testing.assert_allclose(split.D, np.diag(split.P), rtol=1e-2)
    assert split_of(np.array([[1.0, 1.0], [1.0, 1.0]])) is None
