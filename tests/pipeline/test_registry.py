"""The one registry of transformers: what is in it, how types are found, and how one's own are added."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from elsewise.errors import UnsupportedModelError
from elsewise.pipeline import AffineMap, affine_map, compile_model, register, register_affine, registry, unwrap
from elsewise.pipeline.model_view import model_view
from elsewise.pipeline.registry import AffineEntry, StreamEntry, entry_of, registered
from elsewise.pipeline.streams import source_streams
from elsewise.pipeline.walk import Walk

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["a", "b", "c"])
WORDS = pd.DataFrame({"a": RNG.choice(["x", "y", "z"], 60), "b": RNG.choice(["u", "v"], 60)})
TARGET = np.arange(60) % 2

# one transformer of each registered type, and data it takes
EXAMPLES = [
    (StandardScaler(), NUMBERS),
    (MinMaxScaler(), NUMBERS),
    (MaxAbsScaler(), NUMBERS),
    (RobustScaler(), NUMBERS),
    (PCA(2), NUMBERS),
    (IncrementalPCA(2), NUMBERS),
    (TruncatedSVD(2, random_state=0), NUMBERS),
    (SelectKBest(k=2), NUMBERS),
    (FunctionTransformer(), NUMBERS),
    (SimpleImputer(), NUMBERS),
    (Pipeline([("scale", StandardScaler())]), NUMBERS),
    (ColumnTransformer([("scale", StandardScaler(), ["c", "a"])]), NUMBERS),
    (FeatureUnion([("scale", StandardScaler()), ("unit", MinMaxScaler())]), NUMBERS),
    (OneHotEncoder(), WORDS),
    (OrdinalEncoder(), WORDS),
    (TargetEncoder(), WORDS),
]
# those that are not affine: test_steps_before_trees.py follows them
BENT = [KBinsDiscretizer(3, strategy="uniform"), Binarizer(), SplineTransformer(degree=0, extrapolation="continue")]
BENT += [
    PowerTransformer(),
    QuantileTransformer(n_quantiles=9),
    FunctionTransformer(np.arctan),
    MinMaxScaler(clip=True),
]


def test_every_registered_type_has_an_example():
    examples = [
        *(transformer for transformer, _ in EXAMPLES),
        *BENT,
        PolynomialFeatures(),
        MissingIndicator(),
    ]  # the last: test_indicators.py
    kinds = {kind for transformer in examples for kind in type(transformer).__mro__}
    own = {kind for kind in registered() if kind.__module__.startswith("sklearn")}  # other tests add theirs
    assert len(own) >= 16
    assert own <= kinds
    assert all(isinstance(entry, (AffineEntry, StreamEntry)) for entry in registered().values())


@pytest.mark.parametrize(("transformer", "X"), EXAMPLES, ids=lambda item: type(item).__name__)
def test_every_registered_type_is_followed_like_its_transform(transformer, X):
    model = make_pipeline(transformer, LogisticRegression()).fit(X, TARGET)
    compiled = compile_model(model, X)
    expected = model[:-1].transform(X)
    expected = expected.toarray() if hasattr(expected, "toarray") else np.asarray(expected)
    np.testing.assert_allclose(compiled.to_model(compiled.table.encode(X)), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("transformer", BENT, ids=lambda item: type(item).__name__)
def test_what_is_not_affine_is_followed_like_its_transform(transformer):
    model = make_pipeline(transformer, DecisionTreeClassifier()).fit(NUMBERS, TARGET)
    walk = Walk(compile_model(model, NUMBERS).table)
    view = model_view(walk, walk.steps(unwrap(model)[0], source_streams(walk.table)))
    expected = model[:-1].transform(NUMBERS)
    expected = expected.toarray() if hasattr(expected, "toarray") else np.asarray(expected)
    np.testing.assert_array_equal(view.of_features(walk.table.encode(NUMBERS)), expected)


def test_types_are_found_through_the_mro():
    class Further(StandardScaler):
        pass

    assert entry_of(Further()) is registered()[StandardScaler]
    register_affine(Further)(lambda scaler, n: AffineMap.identity(n))
    assert entry_of(Further()) is not registered()[StandardScaler]
    assert entry_of(object()) is None


def test_own_affine_transformer():
    class Doubling(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return 2 * X

    X = NUMBERS.to_numpy()
    with pytest.raises(UnsupportedModelError, match=r"step 'double' \(Doubling\).*elsewise.pipeline.register_affine"):
        affine_map([("double", Doubling())], 3)
    register_affine(Doubling)(lambda transformer, n: AffineMap(2 * np.eye(n), np.zeros(n)))
    np.testing.assert_array_equal(affine_map([("double", Doubling())], 3)(X), Doubling().transform(X))


def test_own_transformer_of_streams():
    class LastColumnFirst(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X[:, ::-1]

    @register(LastColumnFirst)
    def last_column_first(walk, step, streams):
        assert step.name == "turned"
        return streams[::-1]

    X = WORDS.to_numpy(dtype=object)
    model = Pipeline([("turned", LastColumnFirst()), ("codes", OneHotEncoder()), ("model", LogisticRegression())])
    compiled = compile_model(model.fit(X, TARGET), X)
    np.testing.assert_array_equal(compiled.to_model(compiled.table.encode(X)), model[:-1].transform(X).toarray())


def test_the_registry_is_read_only_from_outside():
    with pytest.raises(TypeError, match="does not support item assignment"):
        registered()[object] = None


def test_the_module_of_affine_maps_knows_arrays_alone():
    code = (
        "import sys, types, pathlib, importlib.machinery as m\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "for name, folder in (('elsewise', root), ('elsewise.pipeline', root / 'pipeline')):\n"
        "    package = types.ModuleType(name); package.__path__ = [str(folder)]; sys.modules[name] = package\n"
        "import elsewise.pipeline.affine\n"
        "assert not any(name.startswith(('sklearn', 'pandas', 'scipy')) for name in sys.modules)\n"
    )
    source = Path(registry.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code, str(source)], check=True)
