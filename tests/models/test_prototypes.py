import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.neighbors import BallTree, KNeighborsClassifier, NearestCentroid, NearestNeighbors

from elsewise.errors import InvalidInputError, UnsupportedSettingError
from elsewise.lvq import GeneralizedLVQ, GeneralizedMatrixLVQ
from elsewise.models import Interval, Label, region_of

NAMES = np.array(["pear", "apple", "quince", "medlar"])

MODELS = {
    "lvq": GeneralizedLVQ(),
    "lvq-3": GeneralizedLVQ(prototypes_per_class=3, random_state=0),
    "matrix": GeneralizedMatrixLVQ(),
    "matrix-3": GeneralizedMatrixLVQ(prototypes_per_class=3, random_state=0),
    "matrix-rank-1": GeneralizedMatrixLVQ(rank=1, prototypes_per_class=2, random_state=0),
    "centroid": NearestCentroid(),
    "centroid-shrunken": NearestCentroid(shrink_threshold=0.4),
    "centroid-empirical": NearestCentroid(priors="empirical"),
    "centroid-priors": NearestCentroid(priors=[0.7, 0.1, 0.1, 0.1]),
    "centroid-priors-shrunken": NearestCentroid(priors=[0.7, 0.1, 0.1, 0.1], shrink_threshold=0.4),
    "neighbour": KNeighborsClassifier(n_neighbors=1),
    "neighbour-brute": KNeighborsClassifier(n_neighbors=1, algorithm="brute"),
    "neighbour-weights": KNeighborsClassifier(n_neighbors=1, weights="distance", metric="euclidean", p=1),
    "neighbour-squared": KNeighborsClassifier(n_neighbors=1, metric="sqeuclidean"),
    "neighbour-l2": KNeighborsClassifier(n_neighbors=1, metric="l2"),
}


def training_data():
    """Four overlapping classes of different sizes and very different spreads by feature."""
    X, codes = make_blobs([60, 30, 20, 10], n_features=3, centers=None, cluster_std=4.0, random_state=2)
    return X * [1.0, 0.2, 3.0], NAMES[codes]


def fitted(name):
    return clone(MODELS[name]).fit(*training_data())


def assert_region_is_where_the_model_decides(model, Z):
    predicted = model.predict(Z)
    for index, label in enumerate(model.classes_):
        region = region_of(model, Label(index))
        slack = region.slacks(Z).max(axis=1, initial=-np.inf)
        clear = np.abs(slack) > 1e-9
        assert clear.mean() > 0.99
        np.testing.assert_array_equal(region.accepts(Z)[clear], (predicted == label)[clear])


@pytest.mark.parametrize("name", MODELS)
def test_region_agrees_with_predict_on_random_points(name):
    model = fitted(name)
    X, _ = training_data()
    Z = np.random.default_rng(0).uniform(X.min(axis=0) - 5, X.max(axis=0) + 5, size=(3000, 3))
    assert len(np.unique(model.predict(Z))) == 4
    assert_region_is_where_the_model_decides(model, Z)


@pytest.mark.parametrize("name", MODELS)
def test_each_polyhedron_compares_one_prototype_with_those_of_other_classes(name):
    model = fitted(name)
    regions = [region_of(model, Label(index)) for index in range(4)]
    n_prototypes = sum(region.n_polyhedra for region in regions)
    for region in regions:
        A, b = region.polyhedron(0)
        assert A.shape == (n_prototypes - region.n_polyhedra, 3)
        assert b.shape == (len(A),)
        assert (region.spans == [0, len(A)]).all()


def test_rows_are_differences_of_squared_distances():
    model = fitted("matrix-3")
    region = region_of(model, Label(1))
    own, other = model.prototypes_[model.prototype_labels_ == 1], model.prototypes_[model.prototype_labels_ != 1]
    z = np.random.default_rng(1).normal(size=3)

    def distance(w):
        return (z - w) @ model.relevance_ @ (z - w)

    assert region.n_polyhedra == len(own)
    for i, w in enumerate(own):
        A, b = region.polyhedron(i)
        np.testing.assert_allclose(A @ z - b, [distance(w) - distance(v) for v in other], atol=1e-10)


def test_rows_keep_their_precision_far_from_the_origin():
    rng = np.random.default_rng(4)
    W, y = rng.normal(size=(30, 3)) + 1e7, np.arange(30) % 3
    Z = rng.normal(size=(200, 3)) + 1e7
    exact_Z, exact_W = Z.astype(np.longdouble), W.astype(np.longdouble)
    distances = ((exact_Z[:, None] - exact_W) ** 2).sum(axis=2)
    region = region_of(KNeighborsClassifier(n_neighbors=1).fit(W, y), Label(0))
    exact = distances[:, y != 0].min(axis=1)[:, None] - distances[:, y == 0]
    # One rounding of a product as large as 1e7 is 2e-9; offsets formed from squares, 3e14, would be wrong by 0.1.
    np.testing.assert_allclose(region.slacks(Z), exact.astype(np.float64), atol=1e-6)


def test_binary_labels_of_any_kind():
    X, y = make_blobs(60, n_features=2, centers=2, cluster_std=4.0, random_state=0)
    Z = np.random.default_rng(0).uniform(-12, 12, size=(1000, 2))
    for labels in (y == 1, np.where(y == 1, 7, -3)):
        for model in (GeneralizedMatrixLVQ(), NearestCentroid(priors=[0.9, 0.1]), KNeighborsClassifier(n_neighbors=1)):
            assert_region_is_where_the_model_decides(model.fit(X, labels), Z)


def test_repeated_prototypes_of_a_class_are_dropped():
    X, y = training_data()
    once = region_of(KNeighborsClassifier(n_neighbors=1).fit(X, y), Label(2))
    twice = region_of(KNeighborsClassifier(n_neighbors=1).fit(np.vstack([X, X]), np.tile(y, 2)), Label(2))
    for i in range(once.n_polyhedra):
        np.testing.assert_array_equal(twice.polyhedron(i)[0], once.polyhedron(i)[0])
        np.testing.assert_array_equal(twice.polyhedron(i)[1], once.polyhedron(i)[1])
    assert twice.n_polyhedra == once.n_polyhedra


def test_equal_prototypes_of_two_classes_tie():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 0.0]])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, ["a", "a", "b"])
    Z = np.array([[5.0, 1.0], [-1.0, 1.0]])
    assert region_of(model, Label(0)).slacks(Z).max(axis=1) == pytest.approx([0.0, 24.0])
    assert region_of(model, Label(1)).slacks(Z).max(axis=1) == pytest.approx([0.0, -24.0])
    assert [region_of(model, Label(index)).n_polyhedra for index in range(2)] == [2, 1]


def test_only_class_of_a_neighbour_model_is_everywhere():
    model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], [5, 5])
    assert region_of(model, Label(0)).accepts(np.array([[-9.0], [9.0]])).all()


def test_class_of_prior_zero_is_nowhere():
    X, y = training_data()
    model = NearestCentroid(priors=[0.5, 0.0, 0.3, 0.2]).fit(X, y)
    with np.errstate(divide="ignore"):  # scikit-learn takes the logarithm of the prior
        assert_region_is_where_the_model_decides(model, np.random.default_rng(0).normal(size=(500, 3)) * 10)
    assert region_of(model, Label(1)).n_polyhedra == 0


def test_centroids_of_a_feature_without_spread_within_classes():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.column_stack([rng.normal(size=60) * 5, rng.normal(size=60) + y, y])
    with pytest.warns(UserWarning, match="zero standard deviation"):
        model = NearestCentroid(priors=[0.6, 0.2, 0.2]).fit(X, y)
    assert_region_is_where_the_model_decides(model, rng.normal(size=(500, 3)) * 3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 3}, "n_neighbors of KNeighborsClassifier: expected 1, received 3"),
        ({"n_neighbors": 1, "metric": "manhattan"}, "metric of KNeighborsClassifier.*received 'manhattan'"),
        ({"n_neighbors": 1, "metric": "nan_euclidean"}, "metric of KNeighborsClassifier.*received 'nan_euclidean'"),
        ({"n_neighbors": 1, "p": 1}, "p of KNeighborsClassifier: expected 2, received 1"),
        ({"n_neighbors": 1, "metric_params": {"w": [1, 2, 3]}}, "metric_params of KNeighborsClassifier: expected None"),
    ],
)
def test_refuses_neighbour_settings_by_name(settings, message):
    model = KNeighborsClassifier(**settings).fit(*training_data())
    with pytest.raises(UnsupportedSettingError, match=message):
        region_of(model, Label(0))


def test_refuses_neighbours_of_several_outputs():
    X, y = training_data()
    model = KNeighborsClassifier(n_neighbors=1).fit(X, np.column_stack([y, y]))
    with pytest.raises(
        UnsupportedSettingError, match=r"y of KNeighborsClassifier: expected one label per row.*\(120, 2\)"
    ):
        region_of(model, Label(0))


def test_refuses_neighbours_fitted_on_sparse_rows():
    X, y = training_data()
    model = KNeighborsClassifier(n_neighbors=1).fit(csr_array(X), y)
    with pytest.raises(
        UnsupportedSettingError, match=r"X of KNeighborsClassifier: expected a dense array.*sparse matrix"
    ):
        region_of(model, Label(0))


@pytest.mark.parametrize(
    "build", [lambda X: BallTree(X, metric="manhattan"), lambda X: NearestNeighbors(metric="manhattan").fit(X)]
)
def test_refuses_neighbours_fitted_on_a_search_structure_with_its_own_distance(build):
    X, y = training_data()
    model = KNeighborsClassifier(n_neighbors=1).fit(build(X), y)
    with pytest.raises(UnsupportedSettingError, match=r"X of KNeighborsClassifier.*fitted search structure"):
        region_of(model, Label(0))


def test_refuses_centroids_in_the_manhattan_distance():
    model = NearestCentroid(metric="manhattan").fit(*training_data())
    with pytest.raises(UnsupportedSettingError, match=r"metric of NearestCentroid.*received 'manhattan'"):
        region_of(model, Label(0))


@pytest.mark.parametrize("name", ["lvq", "matrix", "centroid", "neighbour"])
def test_refuses_a_least_probability(name):
    with pytest.raises(UnsupportedSettingError, match=r"expected min_probability=None, received 0\.9"):
        region_of(fitted(name), Label(0, min_probability=0.9))


@pytest.mark.parametrize("name", ["lvq", "matrix", "centroid", "neighbour"])
def test_refuses_a_range_as_target(name):
    with pytest.raises(InvalidInputError, match="is a classifier"):
        region_of(fitted(name), Interval(0.0, 1.0))
