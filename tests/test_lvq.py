import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from elsewise.errors import InvalidInputError
from elsewise.lvq import GeneralizedLVQ, GeneralizedMatrixLVQ, cost_and_gradients

BOTH = pytest.mark.parametrize("LVQ", [GeneralizedLVQ, GeneralizedMatrixLVQ])


def reference_cost(W, Omega, Z, y, labels):
    """Evaluate the definition sample by sample."""
    total = 0.0
    for z, label in zip(Z, y, strict=True):
        distances = [float((z - w) @ Omega.T @ Omega @ (z - w)) for w in W]
        d_plus = min(d for d, k in zip(distances, labels, strict=True) if k == label)
        d_minus = min(d for d, k in zip(distances, labels, strict=True) if k != label)
        total += 1 / (1 + np.exp(-(d_plus - d_minus) / (d_plus + d_minus)))
    return total


@pytest.fixture(name="problem")
def make_problem():
    rng = np.random.default_rng(3)
    Z, y = rng.normal(size=(40, 4)), np.arange(40) % 3
    labels = np.array([0, 0, 1, 2, 2])
    return rng.normal(size=(5, 4)), rng.normal(size=(2, 4)), Z, y, labels


@BOTH
def test_scikit_learn_estimator_contract(LVQ):
    check_estimator(LVQ(), on_skip=None)


def test_cost_is_the_definition(problem):
    W, Omega, Z, y, labels = problem
    own = y[:, None] == labels
    assert cost_and_gradients(W, Omega, Z, own)[0] == pytest.approx(reference_cost(W, Omega, Z, y, labels), rel=1e-12)
    assert cost_and_gradients(W, None, Z, own)[0] == pytest.approx(
        reference_cost(W, np.eye(4), Z, y, labels), rel=1e-12
    )


def test_gradient_agrees_with_finite_differences(problem):
    W, Omega, Z, y, labels = problem

    def of_prototypes(theta):
        return reference_cost(theta.reshape(W.shape), Omega, Z, y, labels)

    def of_euclidean_prototypes(theta):
        return reference_cost(theta.reshape(W.shape), np.eye(4), Z, y, labels)

    def of_matrix(theta):
        return reference_cost(W, theta.reshape(Omega.shape), Z, y, labels)

    own = y[:, None] == labels
    _, W_gradient, Omega_gradient = cost_and_gradients(W, Omega, Z, own)
    np.testing.assert_allclose(W_gradient.ravel(), approx_fprime(W.ravel(), of_prototypes), atol=1e-5)
    np.testing.assert_allclose(Omega_gradient.ravel(), approx_fprime(Omega.ravel(), of_matrix), atol=1e-5)
    _, W_gradient, Omega_gradient = cost_and_gradients(W, None, Z, own)
    np.testing.assert_allclose(W_gradient.ravel(), approx_fprime(W.ravel(), of_euclidean_prototypes), atol=1e-5)
    assert Omega_gradient is None


def test_cost_does_not_depend_on_the_scale_of_the_matrix(problem):
    W, Omega, Z, y, labels = problem
    own = y[:, None] == labels
    value, _, gradient = cost_and_gradients(W, Omega, Z, own)
    assert cost_and_gradients(W, 7.0 * Omega, Z, own)[0] == pytest.approx(value, rel=1e-12)
    assert np.sum(gradient * Omega) == pytest.approx(0.0, abs=1e-10)


def test_sample_on_both_of_its_prototypes_counts_as_undecided():
    W = np.zeros((2, 3))
    own = np.array([[True, False]])
    value, W_gradient, Omega_gradient = cost_and_gradients(W, np.eye(3), np.zeros((1, 3)), own)
    assert value == 0.5
    assert not W_gradient.any()
    assert not Omega_gradient.any()


@pytest.mark.parametrize("n_prototypes", [1, 3])
@pytest.mark.parametrize(
    ("LVQ", "load", "least"),
    [
        (GeneralizedLVQ, load_iris, 0.86),
        (GeneralizedMatrixLVQ, load_iris, 0.93),
        (GeneralizedLVQ, load_wine, 0.92),
        (GeneralizedMatrixLVQ, load_wine, 0.94),
    ],
)
def test_accuracy_on_held_out_rows(LVQ, load, least, n_prototypes):
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), LVQ(prototypes_per_class=n_prototypes, random_state=0))
    assert cross_val_score(model, X, y, cv=4).mean() >= least


def scaled_iris():
    X, y = load_iris(return_X_y=True)
    Z = X - X.mean(axis=0)
    return Z / np.sqrt(np.mean(Z**2)), y


@BOTH
def test_fit_ends_at_a_stationary_point_where_the_cost_is_smooth(LVQ):
    Z, y = scaled_iris()
    model = LVQ(tol=1e-6).fit(Z, y)
    Omega = getattr(model, "omega_", np.eye(4))
    distances = np.sort([[np.sum((Omega @ (z - w)) ** 2) for w in model.prototypes_] for z in Z], axis=1)
    assert np.diff(distances, axis=1).min() > 1e-6  # no sample is tied, so the gradient tells the truth
    _, *gradients = cost_and_gradients(model.prototypes_, Omega, Z, y[:, None] == model.prototype_labels_)
    learned = gradients if LVQ is GeneralizedMatrixLVQ else gradients[:1]
    # omega_ is a rescaled Omega, and the gradient scales inversely: allow a factor of 10
    assert max(np.abs(gradient).max() for gradient in learned) / len(Z) <= 1e-5


@BOTH
@pytest.mark.parametrize("n_prototypes", [1, 2, 3])
def test_fit_lowers_the_cost_of_its_start(LVQ, n_prototypes):
    Z, y = scaled_iris()
    model = LVQ(prototypes_per_class=n_prototypes, random_state=0).fit(Z, y)
    centres = [KMeans(n_prototypes, n_init=10, random_state=0).fit(Z[y == c]).cluster_centers_ for c in range(3)]
    start = reference_cost(np.vstack(centres), np.eye(4), Z, y, np.repeat(range(3), n_prototypes))
    Omega = getattr(model, "omega_", np.eye(4))
    assert reference_cost(model.prototypes_, Omega, Z, y, model.prototype_labels_) < start - 0.1


@BOTH
def test_predict_is_the_label_of_the_nearest_prototype(LVQ):
    X, codes = make_blobs(120, n_features=3, centers=4, cluster_std=3.0, random_state=1)
    y = np.array(["north", "east", "south", "west"])[codes]
    model = LVQ(prototypes_per_class=2, random_state=0).fit(X, y)
    assert model.prototypes_.shape == (8, 3)
    assert model.prototype_labels_.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    for x, label in zip(X, model.predict(X), strict=True):
        distances = [(x - w) @ model.relevance_ @ (x - w) for w in model.prototypes_]
        assert label == model.classes_[model.prototype_labels_[np.argmin(distances)]]


def test_relevance_has_trace_one_and_the_rank_asked_for():
    X, y = load_wine(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    full = GeneralizedMatrixLVQ().fit(Z, y)
    assert full.omega_.shape == (13, 13)
    low = GeneralizedMatrixLVQ(rank=2).fit(Z, y)
    assert low.omega_.shape == (2, 13)
    assert np.linalg.matrix_rank(low.relevance_) == 2
    for model in (full, low):
        np.testing.assert_allclose(model.relevance_, model.omega_.T @ model.omega_)
        assert np.trace(model.relevance_) == pytest.approx(1.0)
    np.testing.assert_array_equal(GeneralizedLVQ().fit(Z, y).relevance_, np.eye(13))


def test_matrix_finds_the_feature_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 2] > 0
    assert np.diag(GeneralizedMatrixLVQ().fit(X, y).relevance_).argmax() == 2


@BOTH
def test_moving_and_scaling_the_data_moves_the_prototypes_alike(LVQ):
    X, y = load_iris(return_X_y=True)
    model, moved = LVQ(tol=1e-6).fit(X, y), LVQ(tol=1e-6).fit(64.0 * X + 2.0**16, y)
    np.testing.assert_array_equal(moved.predict(64.0 * X + 2.0**16), model.predict(X))
    np.testing.assert_allclose((moved.prototypes_ - 2.0**16) / 64.0, model.prototypes_, atol=1e-3)


@BOTH
def test_same_seed_same_bits(LVQ):
    X, y = load_iris(return_X_y=True)
    model = LVQ(prototypes_per_class=3, random_state=5)
    np.testing.assert_array_equal(model.fit(X, y).prototypes_, clone(model).fit(X, y).prototypes_)


@BOTH
def test_class_with_few_distinct_rows_gets_as_many_prototypes(LVQ):
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0], [7.0, 7.0]])
    y = [0, 0, 0, 1, 1, 1, 1]
    model = LVQ(prototypes_per_class=3, random_state=0).fit(X, y)
    assert model.prototype_labels_.tolist() == [0, 0, 1, 1, 1]
    assert model.predict(X).tolist() == y


@BOTH
def test_identical_rows_do_not_break_the_fit(LVQ):
    model = LVQ().fit(np.full((4, 2), 3.0), [0, 0, 1, 1])
    assert np.isfinite(model.prototypes_).all()
    assert np.isfinite(model.relevance_).all()


@BOTH
def test_warns_when_iterations_run_out(LVQ):
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1\).*Raise max_iter"):
        model = LVQ(max_iter=1).fit(X, y)
    assert model.n_iter_ == 1


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prototypes_per_class": 0}, "prototypes_per_class of Generalized.*expected a positive integer, received 0"),
        ({"prototypes_per_class": 1.5}, "prototypes_per_class of Generalized.*received 1.5"),
        ({"max_iter": True}, "max_iter of Generalized.*expected a positive integer, received True"),
        ({"tol": -1.0}, "tol of Generalized.*expected a positive number, received -1.0"),
    ],
)
def test_refuses_wrong_parameters_by_name(LVQ, parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        LVQ(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("rank", "message"), [(3, "at most the number of features, 2"), (0, "received 0")])
def test_refuses_an_impossible_rank(rank, message):
    with pytest.raises(InvalidInputError, match=f"rank of GeneralizedMatrixLVQ.*{message}"):
        GeneralizedMatrixLVQ(rank=rank).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


@BOTH
def test_refuses_a_single_class(LVQ):
    with pytest.raises(InvalidInputError, match="at least 2 classes in y, received 1 class"):
        LVQ().fit([[0.0], [1.0]], ["a", "a"])
