"""What "optimal" means, and that no bound lies above a distance: over many questions of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from fitted_models import FAMILIES, random_data
from random_tables import KINDS, draw_case

# They have a test of their own, at the end.
WITHOUT_MISSING_INTEGERS = tuple(kind for kind in KINDS if kind != "Int64")


def check(answers: ew.Explanations) -> None:
    """Check statuses, gaps and bounds against each other, exactly."""
    found = answers.found
    distances, bounds, gaps = answers.distances[found], answers.lower_bounds[found], answers.gaps[found]
    assert (bounds <= distances).all(), f"bounds above distances: {(bounds - distances).max()}"
    assert (bounds >= 0).all()
    np.testing.assert_array_equal(gaps, (distances - bounds) / np.where(distances > 0, distances, 1.0))
    np.testing.assert_array_equal(answers.statuses[found], np.where(gaps <= 1e-6, "optimal", "feasible"))
    for answer in answers:
        certificate = answer.certificate
        assert (certificate.lower_bound, answer.distance >= certificate.lower_bound) == (
            answer.lower_bound,
            answer.status != "infeasible",
        )
        proven = answer.status == "optimal" and answer.distance > 0 and answer.nearer == 0
        assert ("No smaller change exists" in answer.sentence) == proven
        assert certificate.valid == (answer.status != "infeasible")


def test_a_gap_between_a_millionth_and_a_thousandth_is_not_optimal():
    X, y = random_data(3, seed=7)
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    # A frame of 32-bit numbers rounds answers to one part in ten million: proofs end a little above a millionth.
    rows = frame.astype(np.float32)
    between = 0
    for model in (LogisticRegression(max_iter=1_000), DecisionTreeClassifier(max_depth=5, random_state=0)):
        explainer = ew.Explainer(model.fit(frame, y)).fit(frame, y)
        for target in (None, "left", "right"):
            answers = explainer.explain(rows, target)
            check(answers)
            between += int(((answers.gaps > 1e-6) & (answers.gaps < 1e-3)).sum())
    assert between > 20, "no gap of this size: the check would say nothing"


@pytest.mark.usefixtures("any_grace")
def test_proofs_that_are_cut_short_keep_bounds_that_hold():
    cut = 0
    for seed in range(3, 15):
        case = draw_case(seed, kinds=WITHOUT_MISSING_INTEGERS, models=("logistic", "tree"), density=seed % 3 > 0)
        hasty, patient = case.explain(time_limit=1e-9), case.explain()
        check(hasty)
        np.testing.assert_array_equal(hasty.statuses == "infeasible", patient.statuses == "infeasible")
        found = patient.found
        assert (hasty.lower_bounds <= patient.distances)[found].all()
        assert (patient.lower_bounds <= hasty.distances)[found].all()
        cut += int((hasty.statuses == "feasible").sum())
    assert cut > 5


@pytest.mark.parametrize("family", FAMILIES, ids=str)
@pytest.mark.parametrize("distance", ["manhattan", "scaled", "mahalanobis"])
def test_no_bound_is_above_a_distance_among_numbers(family, distance):
    model, X, y = family.fitted(seed=2)
    regressor = family.n_classes is None
    target: Any = (float(np.quantile(y, 0.4)), float(np.quantile(y, 0.6))) if regressor else None
    for density in (ew.GaussianMixtureDensity(n_components=2), None):
        explainer = ew.Explainer(model, distance=distance, density=density).fit(X, None if regressor else y)
        answers = explainer.explain(X, target)
        check(answers)
        # Answers as rows: hardly any way to go, and rounding as large as the distance.
        found = answers.counterfactuals[answers.found]
        for rows in (found, np.round(found, 3), X.astype(np.float32).astype(np.float64)):
            check(explainer.explain(rows, target))


@pytest.mark.parametrize("seed", [*range(27), *range(28, 40)])
def test_no_bound_is_above_a_distance_in_tables(seed):
    case = draw_case(seed, kinds=WITHOUT_MISSING_INTEGERS)
    check(case.explain())
    if seed % 4 == 0:
        check(case.explain(n_counterfactuals=3))


def test_large_and_small_units():
    rng = np.random.default_rng(0)
    for unit in (1e-6, 1e6):
        X = rng.normal(size=(90, 3)) * unit
        y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.1 * unit, "yes", "no")
        model = LogisticRegression(max_iter=1_000).fit(X / unit, y)
        model.coef_ /= unit
        check(ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y).explain(X))


def test_a_missing_whole_number_that_changes_is_told():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": pd.array(rng.integers(0, 9, 90), dtype="Int64"), "b": rng.normal(size=90)})
    frame.loc[::7, "a"] = pd.NA
    y = np.where(frame["a"].fillna(4).to_numpy(dtype=float) > 4, "yes", "no")
    encode = make_column_transformer((SimpleImputer(), ["a"]), (StandardScaler(), ["b"]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    answers = ew.Explainer(model, density=None).fit(frame, y).explain(frame.iloc[[0]], "yes")
    check(answers)
    (change,) = answers[0].changes
    assert (change.feature, change.difference) == ("a", None)
    assert pd.isna(change.before)
    assert "with: a " in answers[0].sentence
