"""Random tables through random pipelines: the map is the pipeline's own transform, and rows come back as they were."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from elsewise.pipeline import compile_model

N_ROWS = 40
LEVELS = ["a", "b", "c d", "É", ""]

NUMBERS = {
    "int64": lambda rng: pd.Series(rng.integers(-5, 50, N_ROWS)),
    "int16": lambda rng: pd.Series(rng.integers(-5, 50, N_ROWS).astype(np.int16)),
    "Int64": lambda rng: pd.Series(rng.integers(-5, 50, N_ROWS)).astype("Int64"),
    "float64": lambda rng: pd.Series(rng.normal(size=N_ROWS) * 10.0 ** rng.integers(-2, 4)),
    "Float64": lambda rng: pd.Series(rng.normal(size=N_ROWS)).astype("Float64"),
    "constant": lambda rng: pd.Series(np.full(N_ROWS, 3.5)),
}
CATEGORIES = {
    "str": lambda rng: pd.Series(rng.choice(LEVELS, N_ROWS)),
    "object": lambda rng: pd.Series(rng.choice(LEVELS, N_ROWS)).astype(object),
    "category": lambda rng: pd.Series(pd.Categorical(rng.choice(LEVELS[:3], N_ROWS), categories=LEVELS[::-1])),
    "ordered": lambda rng: pd.Series(pd.Categorical(rng.choice(LEVELS[:3], N_ROWS), LEVELS[::-1], ordered=True)),
    "few integers": lambda rng: pd.Series(rng.integers(0, 4, N_ROWS)),
    "few floats": lambda rng: pd.Series(rng.integers(0, 4, N_ROWS) / 2),
    "bool": lambda rng: pd.Series(rng.random(N_ROWS) < 0.5),
}
CAN_BE_MISSING = ("float64", "Int64", "Float64", "str", "object", "category", "ordered", "few floats")

SCALERS = [
    lambda: StandardScaler(),
    lambda: MinMaxScaler(feature_range=(-1, 2)),
    lambda: RobustScaler(),
    lambda: "passthrough",
    lambda: make_pipeline(StandardScaler(), PCA(n_components=0.9, svd_solver="full")),
    lambda: FeatureUnion([("scale", MaxAbsScaler()), ("as is", "passthrough")], transformer_weights={"scale": 3.0}),
]
ENCODERS = [
    lambda: OneHotEncoder(),
    lambda: OneHotEncoder(drop="first", sparse_output=False),
    lambda: OneHotEncoder(drop="if_binary", min_frequency=8),
    lambda: OneHotEncoder(handle_unknown="ignore", max_categories=3),
    lambda: OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=9),
    lambda: OrdinalEncoder(encoded_missing_value=-1),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1),
    lambda: TargetEncoder(cv=3),
    lambda: make_pipeline(OrdinalEncoder(encoded_missing_value=-1), OneHotEncoder()),
]
ENDS = [lambda: "passthrough", lambda: MaxAbsScaler(), lambda: StandardScaler(with_mean=False)]


@st.composite
def tables(draw):
    """A frame, and which of its columns are numbers, categories, left out."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    kinds = draw(st.lists(st.sampled_from([*NUMBERS, *CATEGORIES]), min_size=1, max_size=6))
    columns, numbers, categories = {}, [], []
    for place, kind in enumerate(kinds):
        name = f"{kind} {place}"
        columns[name] = (NUMBERS | CATEGORIES)[kind](rng)
        if kind in CAN_BE_MISSING and draw(st.booleans()):
            columns[name][rng.random(N_ROWS) < 0.3] = None if kind in ("Int64", "Float64") else np.nan
        if draw(st.integers(0, 5)):
            (numbers if kind in NUMBERS else categories).append(name)
    X = pd.DataFrame(columns).set_axis(pd.Index(rng.permutation(N_ROWS), name="key"))
    return X, numbers, categories


@st.composite
def fitted(draw):
    """A frame and a pipeline fitted on it."""
    X, numbers, categories = draw(tables())
    parts = []
    if numbers:
        scaler = draw(st.sampled_from(SCALERS))()
        imputer = SimpleImputer(strategy=draw(st.sampled_from(["mean", "median", "most_frequent"])))
        parts.append(("numbers", make_pipeline(imputer, scaler), numbers))
    if categories:
        encoder = draw(st.sampled_from(ENCODERS))()
        with_imputer = draw(st.booleans()) and not X[categories].select_dtypes(bool).shape[1]
        steps = [SimpleImputer(strategy="most_frequent")] if with_imputer else []
        parts.append(("categories", make_pipeline(*steps, encoder), categories))
    if not parts:
        X = X.assign(last=np.arange(N_ROWS) / 4)
        parts.append(("last", "passthrough", ["last"]))
    parts = draw(st.permutations(parts))
    steps = [ColumnTransformer(parts), draw(st.sampled_from(ENDS))()]
    return X, make_pipeline(*steps, Ridge()).fit(X, np.random.default_rng(0).normal(size=N_ROWS))


@pytest.mark.filterwarnings("ignore:.*:UserWarning", "ignore:.*:RuntimeWarning", "ignore:.*:FutureWarning")
@settings(max_examples=120, deadline=None, derandomize=True)
@given(fitted())
def test_random_tables_and_pipelines(case):
    X, model = case
    compiled = compile_model(model, X)
    table, E = compiled.table, compiled.table.encode(X)
    out = model[:-1].transform(X)
    out = np.asarray(out.toarray() if hasattr(out, "toarray") else out, dtype=float)
    size = np.abs(E) @ np.abs(compiled.to_model.matrix).T + np.abs(compiled.to_model.offset)
    assert (np.abs(compiled.to_model(E) - out) <= 1e-9 * (np.abs(out) + size)).all()
    np.testing.assert_allclose(compiled.estimator.predict(compiled.to_model(E)), model.predict(X), rtol=1e-7, atol=1e-7)
    # categories are one-hot
    for column in table.columns:
        if column.kind == "category":
            assert (np.sort(E[:, column.features], axis=1)[:, -1] == 1).all()
            assert (E[:, column.features].sum(axis=1) == 1).all()
    # rows come back as they were, and as each other
    pd.testing.assert_frame_equal(table.decode(E, X), X, check_exact=True)
    order = np.roll(np.arange(N_ROWS), 1)
    expected, E_moved = X.copy(), E[order]
    for column in table.columns:
        (name,) = (table.names[source] for source in column.sources)
        if X[name].isna().any() and column.fill is not None:
            E_moved[:, column.start] = E[:, column.start]  # what an imputer puts is no value of the column
        else:
            expected[name] = X[name].iloc[order].set_axis(X.index)
    pd.testing.assert_frame_equal(table.decode(E_moved, X), expected, check_exact=True)
    # one row alone has the same bits, also when it comes as a series
    for row in (0, N_ROWS - 1):
        np.testing.assert_array_equal(table.encode(X.iloc[[row]]), E[[row]])
        pd.testing.assert_frame_equal(table.one_row(X.iloc[row]), X.iloc[[row]], check_names=False)
