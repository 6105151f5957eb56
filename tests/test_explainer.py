"""The explainer itself: conventions of scikit-learn, determinism, time limits and progress."""

from __future__ import annotations

import copy
import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise.models
from bits import assert_same_bits
from elsewise.models import Label
from fitted_models import FAMILIES, PIPELINES, assert_certified, measured_transform, random_data, reference_distance

# --- conventions -----------------------------------------------------------------------------------------------------


def test_parameters_can_be_read_and_set(iris_explainer):
    assert set(iris_explainer.get_params(deep=False)) == {
        "model", "columns", "distance", "density", "threshold", "condition_on_fixed", "learn_rules", "n_jobs",
        "constraints", "rules", "labels", "outcomes", "language", "reason_codes", "robust_to",
    }  # fmt: skip
    copied = clone(iris_explainer).set_params(threshold=0.3, distance="mahalanobis", n_jobs=2)
    assert (copied.threshold, copied.distance, copied.n_jobs) == (0.3, "mahalanobis", 2)
    assert iris_explainer.threshold == 0.5
    with pytest.raises(ValueError, match="Invalid parameter 'treshold' for estimator Explainer"):
        copied.set_params(treshold=0.3)


def test_a_clone_is_unfitted_but_keeps_the_fitted_model(iris, iris_explainer):
    copied = clone(iris_explainer)
    assert copied.model is iris_explainer.model
    assert not hasattr(copied, "densities_")
    assert_same_bits(copied.fit(*iris).explain(iris[0][::20]), iris_explainer.explain(iris[0][::20]))


def test_init_only_stores():
    names = (
        "model",
        "columns",
        "distance",
        "density",
        "threshold",
        "condition_on_fixed",
        "learn_rules",
        "constraints",
        "rules",
        "labels",
        "outcomes",
        "language",
        "reason_codes",
        "robust_to",
        "n_jobs",
    )
    stored = {**{name: number for number, name in enumerate(names)}, "model": None}
    assert ew.Explainer(**stored).get_params(deep=False) == stored


def test_it_has_a_representation(iris_explainer):
    assert repr(iris_explainer).startswith("Explainer(")
    assert "LogisticRegression" in repr(iris_explainer)
    assert "Explainer" in repr(ew.Explainer(LogisticRegression()))
    assert "Explainer" in iris_explainer._repr_html_()


@pytest.mark.parametrize(
    "duplicate", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
@pytest.mark.parametrize("family", FAMILIES[::4], ids=str)
def test_copies_explain_the_same(family, duplicate):
    model, X, y = family.fitted()
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
    target = None if family.n_classes else (1.0, 2.0)
    assert_same_bits(duplicate(explainer).explain(X[:8], target), explainer.explain(X[:8], target))


def test_answers_can_be_pickled(iris, iris_explainer):
    answers = iris_explainer.explain(iris[0][:5])
    assert_same_bits(pickle.loads(pickle.dumps(answers)), answers)
    one = pickle.loads(pickle.dumps(answers[2]))
    np.testing.assert_array_equal(one.counterfactual, answers.counterfactuals[2])


def test_learned_attributes(iris, iris_explainer):
    X, y = iris
    assert iris_explainer.n_features_in_ == 4
    assert not hasattr(iris_explainer, "feature_names_in_")
    assert iris_explainer.classes_.tolist() == sorted(set(y))
    assert list(iris_explainer.densities_) == sorted(set(y))
    for label, density in iris_explainer.densities_.items():
        assert isinstance(density.mixture_, GaussianMixture)
        assert density.mixture_.n_components == 2
        largest = density.mixture_._estimate_weighted_log_prob(X[y == label]).max(axis=1)
        np.testing.assert_allclose(density.training_log_densities_, np.sort(largest), rtol=1e-9)
        np.testing.assert_allclose(density.log_threshold_, np.median(density.log_densities_), rtol=1e-9)
    assert iris_explainer.fit.__self__ is iris_explainer
    assert clone(iris_explainer).set_params(density=None).fit(X, y).densities_ == {}


def test_fit_returns_itself_and_can_be_repeated(iris, iris_explainer):
    X, y = iris
    explainer = clone(iris_explainer)
    assert explainer.fit(X[::2], y[::2]) is explainer
    halved = explainer.explain(X[:5])
    assert not np.array_equal(halved.distances, iris_explainer.explain(X[:5]).distances)
    assert_same_bits(explainer.fit(X, y).explain(X[:5]), iris_explainer.explain(X[:5]))


def test_explaining_changes_nothing(iris, iris_explainer):
    X, _ = iris
    before = pickle.dumps(iris_explainer)
    iris_explainer.explain(X[:3])
    iris_explainer.explain_one(X[60], "setosa", time_limit=1.0)
    assert pickle.dumps(iris_explainer) == before


@pytest.mark.parametrize("family", PIPELINES, ids=str)
def test_model_space_is_what_the_final_estimator_sees(family):
    model, X, y = family.fitted()
    explainer = ew.Explainer(model, density=None).fit(X, y)
    Z = explainer.to_model_space(X)
    np.testing.assert_allclose(Z, measured_transform(model)(X), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(Z[3:4], explainer.to_model_space(X[3:4]))


def test_names_of_features_come_from_the_fit():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(3)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None).fit(frame, y)
    assert explainer.feature_names_in_.tolist() == list("abcd")
    assert {change.feature for change in explainer.explain_one(X[0]).changes} <= set("abcd")
    # names the model has seen are known even if the rows have none, and frames are held to them
    unnamed = ew.Explainer(explainer.model, density=None).fit(X, y)
    assert unnamed.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(unnamed.explain(frame[list("badc")]).x, X)
    with pytest.raises(ew.InvalidInputError, match=r"missing \['c'\]"):
        unnamed.explain(frame[list("bad")])


def test_log_density_is_what_answers_are_held_to(iris, iris_explainer, loans):
    X, _ = iris
    mixture = iris_explainer.densities_["setosa"].mixture_
    largest = mixture._estimate_weighted_log_prob(X).max(axis=1)
    np.testing.assert_allclose(iris_explainer.log_density(X, "setosa"), largest, rtol=1e-9)
    answers = loans.explainer.explain(loans.frame[:20], "yes")
    np.testing.assert_array_equal(loans.explainer.log_density(answers.counterfactuals, "yes"), answers.log_densities)
    with pytest.raises(ew.InvalidInputError, match=r"no density for 'rose'; there are \['setosa'"):
        iris_explainer.log_density(X, "rose")


def test_fitted_mixtures_are_taken_as_they_are(iris, iris_explainer):
    X, y = iris
    given = {label: density.mixture_ for label, density in iris_explainer.densities_.items()}
    explainer = ew.Explainer(iris_explainer.model, density=given).fit(X, y)
    assert all(explainer.densities_[label].mixture_ is given[label] for label in given)
    # Who fitted a mixture knows which rows it has seen: quantiles are those of the rows that are given.
    of_training = iris_explainer.with_threshold(ew.TrainingQuantile(0.5)).explain(X[::20])
    answers = explainer.explain(X[::20])
    assert_same_bits(answers, of_training, skip=["plausibilities", "quantiles"])
    assert (answers.quantiles == 0.5).all()
    assert np.isnan(of_training.quantiles).all()  # half of new rows would not reach it


def test_a_regressor_takes_one_mixture():
    X, y = random_data(None)
    mixture = GaussianMixture(2, random_state=0).fit(X)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=mixture).fit(X)
    assert explainer.densities_[None].mixture_ is mixture
    answers = explainer.explain(X[:10], (2.0, None))
    assert_certified(explainer, X[:10], answers)
    assert (answers.statuses == "optimal").all()


def test_a_family_of_ones_own():
    class Stump:
        """Decides by the first feature alone; neither fitted nor an estimator."""

        classes_ = np.array(["low", "high"])

        def predict(self, X):
            return self.classes_[(np.asarray(X)[:, 0] > 3).astype(int)]

    @elsewise.models.register(Stump)
    def stump_region(model, outcome):
        sign = -1.0 if outcome.index == 1 else 1.0
        return elsewise.models.polyhedron([[sign, 0.0]], [3.0 * sign])

    try:
        explainer = ew.Explainer(Stump(), density=None).fit(np.array([[0.0, 0.0], [9.0, 9.0]]))
        one = explainer.explain_one([1.0, 5.0], "high")
        assert one.status == "optimal"
        np.testing.assert_allclose(one.distance, 2.0, rtol=1e-6)
        assert one.counterfactual[1] == 5.0
    finally:
        elsewise.models.families.pop(Stump)


# --- the same bits, however it is asked ------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)])
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_alone_in_a_batch_and_on_threads(family, density, distance):
    model, X, y = family.fitted(seed=11)
    explainer = ew.Explainer(model, distance=distance, density=density).fit(X, y)
    target = None if family.n_classes else tuple(np.quantile(y, [0.6, 0.8]).tolist())
    rows = X[:30]
    together = explainer.explain(rows, target)
    order = np.random.default_rng(0).permutation(30)
    shuffled = explainer.explain(rows[order], target)
    threads = clone(explainer).set_params(n_jobs=2).fit(X, y).explain(rows, target)
    # A regressor's own prediction of the row may differ in the last bit between batches: it is echoed, not used.
    skip = () if family.n_classes else ("predictions",)
    assert_same_bits(threads, together, skip=skip)
    assert_same_bits(shuffled, together.take(order), skip=skip)
    for i in range(0, 30, 5):
        assert_same_bits(explainer.explain(rows[i : i + 1], target), together[i : i + 1], skip=skip)
        np.testing.assert_array_equal(
            explainer.explain_one(rows[i], target).counterfactual, together.counterfactuals[i]
        )


def test_real_rows_in_chunks_and_on_threads():
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(PCA(10, random_state=0), DecisionTreeClassifier(max_depth=7, random_state=0)).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=3, covariance_type="diag")
    explainer = ew.Explainer(model, density=density).fit(X, y)
    together = explainer.explain(X[:600])
    assert_same_bits(explainer.explain(X[550:600]), together[550:])
    assert_same_bits(clone(explainer).set_params(n_jobs=2).fit(X, y).explain(X[:600]), together)
    assert_certified(explainer, X[:50], together[:50])


# --- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", [None, "kernel", ew.GaussianMixtureDensity(n_components=3)])
@pytest.mark.parametrize(
    "model", [KNeighborsClassifier(n_neighbors=1), DecisionTreeClassifier(random_state=0)], ids=["1-nn", "tree"]
)
@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_gives_verified_points_with_proven_bounds(model, density, distance):
    X, y = random_data(3, seed=12)
    explainer = ew.Explainer(model.fit(X, y), density=density, distance=distance).fit(X, y)
    rows = X[::10]
    hurried = explainer.explain(rows, "up", time_limit=1e-9)
    patient = explainer.explain(rows, "up")
    assert_certified(explainer, rows, hurried)
    assert set(hurried.statuses) <= {"feasible", "optimal"}
    assert (patient.statuses == "optimal").all()
    assert (hurried.lower_bounds <= patient.distances).all()
    assert (hurried.distances >= patient.lower_bounds).all()
    assert (hurried.n_projections <= patient.n_projections).all()
    for one in hurried:
        if one.status == "feasible":
            assert one.gap > 1e-6
            assert one.reason == "Not proven smallest: the time limit was reached."
            assert one.certificate.valid
    if density is None:
        for x, bound in zip(rows, hurried.lower_bounds):
            assert bound <= reference_distance(explainer, x, Label(2)) * (1 + 1e-9) + 1e-9


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_ends_some_proofs_and_a_generous_one_none():
    X, y = random_data(3, seed=13, n_features=6)
    explainer = ew.Explainer(KNeighborsClassifier(n_neighbors=1).fit(X, y), density="kernel").fit(X, y)
    assert (explainer.explain(X, time_limit=1e-9).statuses == "feasible").any()
    assert_same_bits(explainer.explain(X[:9], time_limit=60.0), explainer.explain(X[:9]))


# --- progress --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_callback_is_told_of_progress(iris, iris_explainer, n_jobs):
    calls = []
    explainer = clone(iris_explainer).set_params(n_jobs=n_jobs).fit(*iris)
    answers = explainer.explain(iris[0], progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (150, 150)
    done = [count for count, _ in calls]
    assert done == sorted(done)
    assert {total for _, total in calls} == {150}
    assert_same_bits(answers, iris_explainer.explain(iris[0]))


def test_a_bar_shows_progress(iris, iris_explainer, capsys):
    pytest.importorskip("tqdm")
    answers = iris_explainer.explain(iris[0], progress=True)
    shown = capsys.readouterr().err
    assert "150/150" in shown
    assert f"{int((answers.statuses == 'optimal').sum())} proven" in shown


def test_silence_by_default(iris, iris_explainer, capfd):
    iris_explainer.explain(iris[0][:5])
    assert capfd.readouterr() == ("", "")


def test_an_error_in_the_callback_gets_through(iris, iris_explainer):
    def stop(done, total):
        raise KeyboardInterrupt("enough")

    with pytest.raises(KeyboardInterrupt, match="enough"):
        iris_explainer.explain(iris[0], progress=stop)


def test_missing_optional_libraries_are_named(iris, iris_explainer, monkeypatch):
    import sys

    answers = iris_explainer.explain(iris[0][:2])
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ew.MissingDependencyError, match=r"progress=True needs tqdm.*elsewise\[progress\]"):
        iris_explainer.explain(iris[0][:2], progress=True)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ew.MissingDependencyError, match=r"to_frame needs pandas.*elsewise\[frames\]"):
        answers.to_frame()


def test_it_is_quick(iris):
    X, y = iris
    started = time.perf_counter()
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    assert explainer.explain_one(X[0]).status == "optimal"
    assert time.perf_counter() - started < 3
