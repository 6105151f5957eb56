"""Pipelines on tables against the pipelines' own transform."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

from elsewise.errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from elsewise.pipeline import AffineMap, affine_map, compile_model, unwrap
from elsewise.table import OneHot, Ordinal

SIZES = ["tiny", "medium", "large", "vast"]
RARE = "ignore:Found unknown categories:UserWarning"


def frame(n=80, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.normal(3000, 900, n),
            "housing": rng.choice(["own", "rent", "free"], n, p=[0.5, 0.4, 0.1]),
            "owner": rng.random(n) < 0.4,
            "rooms": rng.integers(1, 5, n),
            "size": pd.Categorical(rng.choice(SIZES, n), categories=SIZES, ordered=True),
            "colour": pd.Categorical(rng.choice(["red", "blue", "green"], n), categories=["red", "blue", "green"]),
        }
    )
    if missing:
        data.loc[rng.random(n) < 0.2, "income"] = np.nan
        data.loc[rng.random(n) < 0.2, "housing"] = np.nan
    y = (np.nan_to_num(data["income"]) / 1000 + data["rooms"] + rng.normal(size=n) > 5.5).to_numpy().astype(int)
    return data, y


def fit(steps, X, y):
    return Pipeline([("prep", steps), ("model", LogisticRegression(max_iter=2000))]).fit(X, y)


def own(model, X):
    out = model[:-1].transform(X)
    return np.asarray(out.toarray() if hasattr(out, "toarray") else out, dtype=float)


def assert_follows(model, X, declared=None, other=None):
    """The compiled map of the encoded rows is what the pipeline's own transformers give, also for other rows."""
    compiled = compile_model(model, X, declared)
    for rows in (X,) if other is None else (X, other):
        E = compiled.table.encode(rows)
        assert E.flags.c_contiguous
        assert E.dtype == np.float64
        np.testing.assert_allclose(compiled.to_model(E), own(model, rows), rtol=1e-9, atol=1e-9)
    assert compiled.estimator is model.steps[-1][1]
    return compiled


def column(compiled, name):
    return next(column for column in compiled.table.columns if column.name == name)


# --- encoders --------------------------------------------------------------------------------------------------------

ENCODERS = [
    OneHotEncoder(),
    OneHotEncoder(sparse_output=False),
    OneHotEncoder(drop="first"),
    OneHotEncoder(drop="if_binary", dtype=np.float32),
    OneHotEncoder(drop=["own", "red"]),
    OneHotEncoder(min_frequency=12),
    OneHotEncoder(max_categories=2),
    OneHotEncoder(min_frequency=12, drop="first"),
    OneHotEncoder(handle_unknown="ignore"),
    OneHotEncoder(handle_unknown="ignore", drop="first"),
    OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=12),
    OneHotEncoder(handle_unknown="infrequent_if_exist"),
    OrdinalEncoder(),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    OrdinalEncoder(min_frequency=12),
    OrdinalEncoder(categories=[["rent", "own", "free"], ["green", "red", "blue"]], dtype=np.int32),
    TargetEncoder(),
    TargetEncoder(smooth=3.0),
]


@pytest.mark.filterwarnings(RARE)
@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
def test_each_encoder(encoder):
    X, y = frame()
    steps = ColumnTransformer([("num", StandardScaler(), ["age", "income"]), ("cat", encoder, ["housing", "colour"])])
    model = fit(steps, X, y)
    accepts = isinstance(encoder, TargetEncoder) or encoder.handle_unknown != "error"
    other = frame(seed=1)[0]
    if accepts:
        other.loc[3, "housing"] = "castle"
    compiled = assert_follows(model, X, other=other)
    housing = column(compiled, "housing")
    assert (housing.kind, housing.levels, housing.open) == ("category", ("free", "own", "rent"), accepts)
    assert housing.stop - housing.start == 3 + accepts
    assert column(compiled, "colour").levels == ("red", "blue", "green")
    assert compiled.table.unused == ("owner", "rooms", "size")
    if accepts:
        E = compiled.table.encode(other)
        assert E[3, housing.start : housing.stop].tolist() == [0, 0, 0, 1]
    else:
        other.loc[3, "housing"] = "castle"
        with pytest.raises(InvalidInputError, match=r"'castle' in row 3, column 'housing'.*'free', 'own', 'rent'"):
            compiled.table.encode(other)


def test_target_encoder_of_three_classes():
    X, _ = frame()
    y = np.random.default_rng(0).choice(["a", "b", "c"], len(X))
    model = fit(ColumnTransformer([("cat", TargetEncoder(), ["housing", "rooms"])]), X, y)
    compiled = assert_follows(model, X)
    assert compiled.to_model.matrix.shape[0] == 6


def test_one_hot_is_the_identity_on_indicators():
    X, y = frame()
    model = fit(ColumnTransformer([("cat", OneHotEncoder(), ["housing", "colour"])]), X, y)
    compiled = compile_model(model, X)
    # one-hot sorts text, the table keeps the order of the category dtype: red, blue, green
    order = [0, 1, 2, 4, 5, 3]
    np.testing.assert_array_equal(compiled.to_model.matrix, np.eye(6)[order])
    np.testing.assert_array_equal(compiled.to_model.offset, 0)


def test_integers_that_are_encoded_become_categories():
    X, y = frame()
    model = fit(
        ColumnTransformer([("cat", OneHotEncoder(), ["rooms"]), ("num", StandardScaler(), ["rooms", "age"])]), X, y
    )
    compiled = assert_follows(model, X)
    rooms = column(compiled, "rooms")
    assert (rooms.kind, rooms.levels) == ("category", (1, 2, 3, 4))
    assert all(type(level) is int for level in rooms.levels)
    assert column(compiled, "age").kind == "integer"


def test_two_encoders_on_one_column():
    X, y = frame()
    steps = ColumnTransformer(
        [("hot", OneHotEncoder(handle_unknown="ignore"), ["housing"]), ("target", TargetEncoder(), ["housing"])]
    )
    other = X.copy()
    other.loc[0, "housing"] = "castle"
    assert column(assert_follows(fit(steps, X, y), X, other=other), "housing").open
    strict = ColumnTransformer(
        [("hot", OneHotEncoder(handle_unknown="ignore"), ["housing"]), ("rank", OrdinalEncoder(), ["housing"])]
    )
    assert not column(assert_follows(fit(strict, X, y), X), "housing").open


def test_encoder_behind_encoder():
    X, y = frame()
    model = fit(
        ColumnTransformer([("cat", make_pipeline(OrdinalEncoder(), OneHotEncoder()), ["housing", "colour"])]), X, y
    )
    assert_follows(model, X)


def test_values_the_encoder_knows_are_levels_though_they_do_not_occur():
    X, y = frame()
    model = fit(ColumnTransformer([("cat", OneHotEncoder(handle_unknown="ignore"), ["housing", "rooms"])]), X, y)
    few = X[(X["housing"] != "own") & (X["rooms"] != 2)]
    compiled = assert_follows(model, few, other=X)
    assert column(compiled, "housing").levels == ("free", "own", "rent")
    assert column(compiled, "rooms").levels == (1, 2, 3, 4)


def test_values_the_encoder_does_not_know():
    X, y = frame()
    more = X.copy()
    more.loc[5, "housing"] = "castle"
    strict = fit(ColumnTransformer([("cat", OneHotEncoder(), ["housing"])]), X, y)
    with pytest.raises(
        InvalidInputError, match=r"X holds 'castle' in column 'housing', which step 'prep__cat' \(OneHotEncoder\)"
    ):
        compile_model(strict, more)
    lenient = fit(ColumnTransformer([("cat", OneHotEncoder(handle_unknown="ignore"), ["housing"])]), X, y)
    assert column(compile_model(lenient, more), "housing").levels == ("castle", "free", "own", "rent")


def test_encoders_that_disagree_on_missing_values():
    X, y = frame(missing=True)
    steps = ColumnTransformer([("one", OneHotEncoder(), ["housing"]), ("two", OrdinalEncoder(), ["housing"])])
    known = X[X["housing"].notna()]
    model = fit(steps, known, y[X["housing"].notna()])
    model["prep"].named_transformers_["one"].fit(X[["housing"]])
    compiled = compile_model(model, known)
    assert column(compiled, "housing").levels == ("free", "own", "rent")
    with pytest.raises(InvalidInputError, match=r"received nan in row \d+, column 'housing'"):
        compiled.table.encode(X)


# --- booleans, ordinals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OneHotEncoder(drop="if_binary"), OrdinalEncoder(), "passthrough"])
def test_booleans(encoder):
    X, y = frame()
    compiled = assert_follows(fit(ColumnTransformer([("flag", encoder, ["owner"])]), X, y), X)
    assert column(compiled, "owner").levels == (False, True)
    assert not column(compiled, "owner").open


def test_boolean_that_is_always_the_same():
    X, y = frame()
    X["owner"] = True
    strict = ColumnTransformer([("flag", OneHotEncoder(), ["owner"]), ("num", StandardScaler(), ["age"])])
    assert column(assert_follows(fit(strict, X, y), X), "owner").levels == (True,)
    passed = ColumnTransformer([("flag", "passthrough", ["owner"]), ("num", StandardScaler(), ["age"])])
    assert column(assert_follows(fit(passed, X, y), X), "owner").levels == (False, True)


def test_encoders_that_disagree_on_a_boolean():
    X, y = frame()
    always = X.assign(owner=True)
    steps = ColumnTransformer([("one", OneHotEncoder(), ["owner"]), ("two", OrdinalEncoder(), ["owner"])])
    model = fit(steps, X, y)
    model["prep"].named_transformers_["one"].fit(always[["owner"]])
    assert column(compile_model(model, always), "owner").levels == (True,)


def test_ordinal_stays_ordinal_in_its_order():
    X, y = frame()
    steps = ColumnTransformer([("rank", OrdinalEncoder(categories=[SIZES]), ["size"])])
    compiled = assert_follows(fit(make_pipeline(steps, StandardScaler()), X, y), X)
    assert column(compiled, "size").kind == "ordinal"
    assert column(compiled, "size").levels == tuple(SIZES)
    assert compiled.table.n_features == 1


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder(), TargetEncoder()], ids=str)
def test_ordinal_in_another_order_is_a_category(encoder):
    X, y = frame()
    compiled = assert_follows(fit(ColumnTransformer([("rank", encoder, ["size"])]), X, y), X)
    assert column(compiled, "size").kind == "category"
    assert column(compiled, "size").levels == tuple(SIZES)


def test_ordinal_with_a_level_only_the_encoder_has_seen():
    X, y = frame()
    model = fit(ColumnTransformer([("rank", OrdinalEncoder(categories=[SIZES]), ["size"])]), X, y)
    compiled = assert_follows(model, X[X["size"] != "medium"], other=X)
    assert (column(compiled, "size").kind, column(compiled, "size").levels) == ("ordinal", tuple(SIZES))


def test_ordered_numbers_may_go_to_the_model_as_they_are():
    X, y = frame()
    X["even"] = pd.Categorical(X["rooms"], ordered=True)
    X["uneven"] = pd.Categorical(X["rooms"].map({1: 1, 2: 2, 3: 5, 4: 9}), ordered=True)
    compiled = assert_follows(fit(ColumnTransformer([("as is", "passthrough", ["even", "uneven"])]), X, y), X)
    assert (column(compiled, "even").kind, column(compiled, "uneven").kind) == ("ordinal", "category")


def test_declared_ordinal():
    X, y = frame()
    model = fit(ColumnTransformer([("rank", OrdinalEncoder(categories=[["free", "rent", "own"]]), ["housing"])]), X, y)
    assert column(assert_follows(model, X), "housing").kind == "category"
    compiled = assert_follows(model, X, {"housing": Ordinal(levels=["free", "rent", "own"])})
    assert column(compiled, "housing").kind == "ordinal"
    np.testing.assert_array_equal(compiled.to_model.matrix, [[1.0]])
    with pytest.raises(InvalidInputError, match=r"declared to have the level 'castle', which step 'prep__rank'"):
        compile_model(model, X, {"housing": Ordinal(levels=["free", "rent", "own", "castle"])})


# --- missing values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
def test_numbers_are_filled(strategy):
    X, y = frame(missing=True)
    imputer = SimpleImputer(strategy=strategy, fill_value=1234.5 if strategy == "constant" else None)
    for steps in (make_pipeline(imputer, StandardScaler()), make_pipeline(StandardScaler(), imputer)):
        compiled = assert_follows(fit(ColumnTransformer([("num", steps, ["age", "income"])]), X, y), X)
        income = column(compiled, "income")
        known = pd.Series(X["income"].dropna())
        expected = {
            "mean": known.mean(),
            "median": known.median(),
            "most_frequent": known.min(),  # no two are the same
            "constant": 1234.5,
        }[strategy]
        if steps.steps[0][1] is imputer:
            assert income.fill == pytest.approx(expected, rel=1e-12)
        assert np.isfinite(compiled.table.encode(X)).all()


def test_integer_may_be_filled_with_a_fraction():
    X, y = frame()
    X["age"] = X["age"].astype("Int64")
    X.loc[4, "age"] = pd.NA
    compiled = assert_follows(fit(ColumnTransformer([("num", SimpleImputer(), ["age"])]), X, y), X)
    assert column(compiled, "age").kind == "integer"
    assert column(compiled, "age").fill == pytest.approx(X["age"].dropna().astype(float).mean())


@pytest.mark.parametrize("dtype", ["as read", "object", "category", "None"])
@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
def test_categories_are_imputed(strategy, dtype):
    X, y = frame(missing=True)
    X["housing"] = X["housing"].astype({"as read": X["housing"].dtype, "None": object}.get(dtype, dtype))
    imputer = SimpleImputer(strategy=strategy, fill_value="?" if strategy == "constant" else None)
    if dtype == "None":
        X["housing"] = X["housing"].where(X["housing"].notna(), None)
        imputer.set_params(missing_values=None)
    steps = ColumnTransformer([("cat", make_pipeline(imputer, OneHotEncoder()), ["housing"])])
    compiled = assert_follows(fit(steps, X, y), X)
    assert column(compiled, "housing").levels == ("free", "own", "rent", None)


@pytest.mark.parametrize("dtype", ["as read", "object", "category", "None"])
@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder(encoded_missing_value=-2), TargetEncoder()])
def test_missing_is_a_category_of_the_encoder(encoder, dtype):
    X, y = frame(missing=True)
    X["housing"] = X["housing"].astype({"as read": X["housing"].dtype, "None": object}.get(dtype, dtype))
    if dtype == "None":
        X["housing"] = X["housing"].where(X["housing"].notna(), None)
    compiled = assert_follows(fit(ColumnTransformer([("cat", encoder, ["housing"])]), X, y), X)
    assert column(compiled, "housing").levels == ("free", "own", "rent", None)
    assert compiled.table.feature_names[3] == "housing=(missing)"


@pytest.mark.parametrize("imputer", [None, SimpleImputer(strategy="constant", fill_value="?")], ids=str)
def test_missing_value_the_model_knows_though_none_occurs(imputer):
    X, y = frame(missing=True)
    model = fit(ColumnTransformer([("cat", make_pipeline(imputer, OneHotEncoder()), ["housing"])]), X, y)
    compiled = assert_follows(model, X.dropna(), other=X)
    assert column(compiled, "housing").levels == ("free", "own", "rent", None)


def test_missing_rank_that_reaches_the_model():
    X, y = frame(missing=True)
    steps = ColumnTransformer([("cat", make_pipeline(OrdinalEncoder(), SimpleImputer()), ["housing"])])
    assert_follows(fit(steps, X, y), X)
    model = fit(steps, X, y)
    model.steps.insert(1, ("scale", StandardScaler().fit(np.zeros((3, 1)))))
    model["prep"].transformers_[0] = ("cat", model["prep"].named_transformers_["cat"].steps[0][1], ["housing"])
    with pytest.raises(
        UnsupportedSettingError, match=r"Column 'housing' reaches step 'scale' \(StandardScaler\) as nan where it holds"
    ):
        compile_model(model, X)


def test_imputer_settings_that_cannot_be_followed():
    X, y = frame()
    model = fit(ColumnTransformer([("num", SimpleImputer(missing_values=3), ["rooms"])]), X, y)
    with pytest.raises(UnsupportedSettingError, match=r"replaces 3 in column 'rooms', a number.*declare"):
        compile_model(model, X)
    assert_follows(model, X, {"rooms": "category"})
    X, y = frame(missing=True)
    two = [("mean", SimpleImputer(), ["income"]), ("zero", SimpleImputer(strategy="constant"), ["income"])]
    with pytest.raises(UnsupportedSettingError, match=r"step 'prep__zero' \(SimpleImputer\) puts 0 for missing values"):
        compile_model(fit(ColumnTransformer(two), X, y), X)


def test_text_that_stands_for_missing():
    X, y = frame()
    X.loc[:5, "housing"] = "?"
    imputer = SimpleImputer(missing_values="?", strategy="most_frequent")
    steps = make_pipeline(imputer, OneHotEncoder(handle_unknown="ignore"))
    model = fit(ColumnTransformer([("cat", steps, ["housing"])]), X, y)
    compiled = assert_follows(model, X[10:], other=X)
    assert column(compiled, "housing").levels == ("?", "free", "own", "rent")


def test_integers_imputed_then_encoded():
    X, y = frame()
    X["rooms"] = X["rooms"].astype(float)
    X.loc[3, "rooms"] = np.nan
    steps = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    compiled = assert_follows(fit(ColumnTransformer([("cat", steps, ["rooms"])]), X, y), X)
    assert column(compiled, "rooms").levels == (1.0, 2.0, 3.0, 4.0, None)


# --- ColumnTransformer and friends -----------------------------------------------------------------------------------

SELECTIONS = {
    "names": ["age", "income"],
    "positions": [0, 1],
    "from the end": [-7, -6],
    "slice": slice(0, 2),
    "slice of names": slice("age", "income"),
    "mask": [True, True, False, False, False, False, False],
    "mask array": np.array([True, True, False, False, False, False, False]),
    "index": pd.Index(["age", "income"]),
    "selector": make_column_selector(pattern="age|income"),
    "function": lambda X: ["age", "income"],
}


@pytest.mark.parametrize("selection", SELECTIONS.values(), ids=SELECTIONS)
@pytest.mark.parametrize("remainder", ["drop", OneHotEncoder(handle_unknown="ignore")], ids=["drop", "one-hot"])
def test_selections(selection, remainder):
    X, y = frame()
    steps = ColumnTransformer([("num", StandardScaler(), selection), ("none", PCA(), [])], remainder=remainder)
    compiled = assert_follows(fit(steps, X, y), X)
    assert (compiled.table.unused == tuple(X.columns[2:])) == (remainder == "drop")


def test_remainder_passes_through():
    X, y = frame()
    X = X[["age", "income", "owner", "housing"]]
    steps = ColumnTransformer([("cat", OneHotEncoder(), ["housing"])], remainder="passthrough")
    assert_follows(fit(steps, X, y), X)
    assert_follows(fit(make_pipeline(steps, MaxAbsScaler()), X, y), X)


def test_dropped_columns_may_hold_anything():
    X, y = frame()
    X["id"] = [f"customer {i}" for i in range(len(X))]
    X["when"] = pd.date_range("2020-01-01", periods=len(X))
    X["nested"] = [[i] for i in range(len(X))]
    steps = ColumnTransformer([("num", StandardScaler(), ["age"]), ("gone", "drop", ["income"])])
    compiled = assert_follows(fit(steps, X, y), X)
    assert [c.name for c in compiled.table.columns] == ["age"]
    assert compiled.table.columns[0].sources == (0,)
    E = compiled.table.encode(X)
    pd.testing.assert_frame_equal(compiled.table.decode(E + 1, X), X.assign(age=X["age"] + 1))
    declared = compile_model(fit(steps, X, y), X, {"income": "number"})
    assert [c.name for c in declared.table.columns] == ["age", "income"]
    np.testing.assert_array_equal(declared.to_model.matrix[:, 1], 0)


def test_nested_transformers_weights_and_unions():
    X, y = frame(missing=True)
    numbers = make_pipeline(
        SimpleImputer(),
        FeatureUnion([("pca", PCA(1)), ("scale", MinMaxScaler()), ("no", "drop"), ("as", "passthrough")]),
    )
    numbers.set_params(featureunion__transformer_weights={"pca": 2.0})
    categories = ColumnTransformer(
        [("hot", OneHotEncoder(min_frequency=10), ["housing"]), ("rank", OrdinalEncoder(), ["colour", "size"])],
        transformer_weights={"rank": 0.5},
    )
    steps = ColumnTransformer(
        [("num", numbers, ["age", "income"]), ("cat", categories, ["housing", "colour", "size"])],
        remainder="passthrough",
    )
    whole = make_pipeline(steps, VarianceThreshold(), StandardScaler(), SelectKBest(k=6), TruncatedSVD(4))
    assert_follows(fit(whole, X, y), X)


def test_pandas_output_between_steps():
    X, y = frame()
    inner = ColumnTransformer(
        [("as", "passthrough", ["housing", "age", "owner"])], verbose_feature_names_out=False
    ).set_output(transform="pandas")
    outer = ColumnTransformer(
        [("cat", OneHotEncoder(sparse_output=False), ["housing"]), ("num", "passthrough", [1, 2])]
    )
    assert_follows(fit(make_pipeline(inner, outer), X, y), X)
    assert_follows(fit(make_pipeline(inner, outer.set_output(transform="pandas"), StandardScaler()), X, y), X)


def test_arrays_of_numbers_with_encoded_columns():
    X, y = frame()
    A = X[["age", "income", "rooms"]].to_numpy()
    model = fit(ColumnTransformer([("num", StandardScaler(), [0, 1]), ("cat", OneHotEncoder(), [2])]), A, y)
    compiled = assert_follows(model, A)
    assert [(c.name, c.kind) for c in compiled.table.columns] == [
        ("x0", "number"),
        ("x1", "number"),
        ("x2", "category"),
    ]
    assert compiled.table.columns[2].levels == (1.0, 2.0, 3.0, 4.0)


def test_arrays_of_objects():
    X, y = frame()
    A = X[["age", "housing", "owner"]].to_numpy()
    model = fit(ColumnTransformer([("num", StandardScaler(), [0]), ("cat", OneHotEncoder(), [1, 2])]), A, y)
    compiled = assert_follows(model, A)
    assert [c.kind for c in compiled.table.columns] == ["number", "category", "category"]


def test_user_made_one_hot_columns():
    X, y = frame()
    hot = pd.get_dummies(X[["age", "housing"]])
    group = {"housing": OneHot(columns=["housing_free", "housing_own", "housing_rent"])}
    compiled = assert_follows(fit(StandardScaler(), hot, y), hot, group)
    housing = column(compiled, "housing")
    assert (housing.sources, housing.width) == ((1, 2, 3), 3)
    assert_follows(fit(ColumnTransformer([("hot", OneHotEncoder(), hot.columns[1:])]), hot, y), hot, group)
    dropped = pd.get_dummies(X[["age", "housing"]], drop_first=True, dtype=int)
    group = {"housing": OneHot(columns=["housing_own", "housing_rent"], baseline="free")}
    compiled = assert_follows(fit(StandardScaler(), dropped, y), dropped, group)
    assert column(compiled, "housing").levels == ("housing_own", "housing_rent", "free")


# --- what was before -------------------------------------------------------------------------------------------------


def test_affine_pipelines_on_arrays_keep_their_bits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)) * 10.0 ** rng.integers(-2, 3, size=5), rng.integers(2, size=60)
    for steps in ([StandardScaler()], [MinMaxScaler(), PCA(3, whiten=True)], [make_pipeline(PCA(), StandardScaler())]):
        model = make_pipeline(*steps, LogisticRegression()).fit(X, y)
        compiled = compile_model(model, X)
        expected = AffineMap.identity(5)
        for step in unwrap(model)[0]:
            expected = expected.then(affine_map([step], len(expected.offset)))
        np.testing.assert_array_equal(compiled.to_model.matrix, expected.matrix)
        np.testing.assert_array_equal(compiled.to_model.offset, expected.offset)
        assert compiled.table.is_plain
        assert compiled.table.encode(X) is X or np.array_equal(compiled.table.encode(X), X)
    compiled = compile_model(LogisticRegression().fit(X, y), X)
    np.testing.assert_array_equal(compiled.to_model.matrix, np.eye(5))
    np.testing.assert_array_equal(compiled.to_model.offset, np.zeros(5))
    assert compiled.table.is_plain


def test_model_that_saw_names_and_rows_without():
    X, y = frame()
    X = X[["income", "age"]].astype(float)
    model = fit(ColumnTransformer([("num", StandardScaler(), ["age", "income"])]), X, y)
    compiled = compile_model(model, X.to_numpy())
    assert compiled.table.names == ("income", "age")
    np.testing.assert_allclose(compiled.to_model(compiled.table.encode(X)), own(model, X), rtol=1e-12)


def test_single_precision():
    X, y = frame()
    X["income"] = X["income"].astype(np.float32)
    model = fit(ColumnTransformer([("num", make_pipeline(MinMaxScaler(), PCA(1)), ["income", "age"])]), X, y)
    assert_follows(model, X.astype({"income": np.float64}))
    assert compile_model(model, X).table.dtypes[1] == np.float32


def test_many_features_are_no_burden():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 784)), rng.integers(2, size=30)
    model = make_pipeline(StandardScaler(), PCA(10), LogisticRegression()).fit(X, y)
    start = time.perf_counter()
    compiled = compile_model(model, X)
    assert time.perf_counter() - start < 1.0
    np.testing.assert_array_equal(compiled.to_model.matrix, affine_map(unwrap(model)[0], 784).matrix)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [Normalizer(), KNNImputer()], ids=lambda s: type(s).__name__)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_step_that_cannot_be_followed_is_named_with_its_columns(step):
    X, y = frame()
    model = fit(ColumnTransformer([("odd", make_pipeline(step), ["age", "income"])]), X, y)
    kind = type(step).__name__
    with pytest.raises(
        UnsupportedModelError, match=rf"step 'prep__odd__{kind.lower()}' \({kind}\) is not affine.*'age', 'income'"
    ):
        compile_model(model, X)


def test_function_is_refused_with_its_columns():
    X, y = frame()
    model = fit(ColumnTransformer([("log", FunctionTransformer(np.rint), ["age"])]), X, y)
    with pytest.raises(UnsupportedSettingError, match=r"step 'prep__log' .* applies the function rint.*column 'age'"):
        compile_model(model, X)


def test_encoding_what_has_been_changed():
    X, y = frame()
    model = fit(ColumnTransformer([("cat", make_pipeline(StandardScaler(), OneHotEncoder()), ["rooms"])]), X, y)
    with pytest.raises(
        UnsupportedSettingError, match=r"\(OneHotEncoder\) encodes column 'rooms' after an earlier step"
    ):
        compile_model(model, X)
    model = fit(ColumnTransformer([("cat", make_pipeline(PCA(1), OneHotEncoder()), ["rooms", "age"])]), X, y)
    with pytest.raises(UnsupportedSettingError, match=r"encodes a combination of columns 'age', 'rooms'"):
        compile_model(model, X)


def test_text_that_reaches_the_model():
    X, _ = frame()

    class Accepts:
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(
        UnsupportedSettingError, match=r"Column 'housing' reaches the final estimator as it is, with values such as"
    ):
        compile_model(Accepts(), X[["age", "housing"]])


def test_declared_number_that_is_encoded():
    X, y = frame()
    model = fit(ColumnTransformer([("cat", OneHotEncoder(), ["rooms"])]), X, y)
    with pytest.raises(
        InvalidInputError,
        match=r"'rooms' is declared 'number', but step 'prep__cat' \(OneHotEncoder\) takes its values",
    ):
        compile_model(model, X, {"rooms": "number"})


def test_nothing_is_taken_on_trust():
    class Wrong(StandardScaler):
        def transform(self, X):
            return super().transform(X) + np.array([0.0, 1e-6])

    class Wide(StandardScaler):
        def transform(self, X):
            return np.hstack([super().transform(X)] * 2)

    X, y = frame()
    X = X[["age", "income"]]
    with pytest.raises(UnsupportedModelError, match=r"in column 1 of what the final estimator sees, .* from 'income'"):
        compile_model(fit(Wrong(), X, y), X)
    with pytest.raises(UnsupportedModelError, match=r"give 4 columns, but following them gave 2"):
        compile_model(fit(Wide(), X, y), X)


def test_data_that_do_not_fit_the_model():
    X, y = frame()
    X = X[["age", "income"]]
    model = fit(StandardScaler(), X, y)
    with pytest.raises(InvalidInputError, match=r"missing \['income'\] in X, which has \['rooms'\] instead"):
        compile_model(model, frame()[0][["age", "rooms"]])
    assert compile_model(model, X[["income", "age"]]).table.names == ("age", "income")
    with pytest.raises(InvalidInputError, match="X has 3 features, but the explainer and its model expect 2"):
        compile_model(model, np.zeros((4, 3)))
