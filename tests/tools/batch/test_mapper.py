"""A question as a function of frames: the schema is fixed, rows keep their names, wrong rows end nothing."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

import elsewise as ew

pandas = pytest.importorskip("pandas")
RULES = ew.Constraints(bounds={"income": (0.0, 5.0)}, special={"income": [999.0]}, codes="stay")


@pytest.fixture(scope="module")
def wrong_rows(loans):
    """Twelve rows; the second lacks a number, the fourth has a level never seen, the sixth is beyond a code."""
    rows = loans.frame.iloc[:12].astype({"housing": object}).copy()
    rows.index = [f"case {number}" for number in range(12)]
    rows.loc["case 1", "income"] = np.nan
    rows.loc["case 3", "housing"] = "boat"
    rows.loc["case 5", "income"] = 1234.5
    rows["customer"] = np.arange(100, 112)
    return rows


def test_wrong_rows_have_their_message_and_others_their_answers(loans, wrong_rows):
    mapper = loans.explainer.mapper("yes", constraints=RULES, id_columns={"customer": "int64"})
    answers = mapper(wrong_rows)
    assert answers.index.tolist() == wrong_rows.index.tolist()
    assert answers["customer"].tolist() == wrong_rows["customer"].tolist()
    wrong = answers[answers["status"] == "error"]
    assert wrong.index.tolist() == ["case 1", "case 3", "case 5"]
    for row, words in {"case 1": "'income'", "case 3": "'boat'", "case 5": "1234.5"}.items():
        assert words in wrong.loc[row, "error"]
        assert " row 0" not in wrong.loc[row, "error"]
    right = answers[answers["status"] != "error"]
    assert right["error"].isna().all()
    alone = loans.explainer.explain(wrong_rows.loc[right.index].drop(columns="customer"), "yes", constraints=RULES)
    assert right["distance"].tolist() == alone.distances.tolist()
    assert right["income"].tolist() == alone.counterfactuals["income"].tolist()
    assert right["housing"].tolist() == alone.counterfactuals["housing"].tolist()
    assert loans.explainer.model.predict(right[loans.frame.columns]).tolist() == right["target"].tolist()


@pytest.mark.parametrize("options", [{}, {"n_counterfactuals": 2, "sentences": True}, {"min_probability": 0.6}])
def test_the_schema_is_the_same_whatever_the_rows_are(loans, wrong_rows, options):
    pyarrow = pytest.importorskip("pyarrow")
    mapper = loans.explainer.mapper("yes", constraints=RULES, id_columns=["customer"], **options)
    batches = [wrong_rows, wrong_rows.iloc[[1]], wrong_rows.iloc[[0]], wrong_rows.iloc[:0], wrong_rows.iloc[[0, 2]]]
    for batch in batches:
        answers = mapper(batch)
        assert answers.dtypes.to_dict() == mapper.meta.dtypes.to_dict()
        assert list(answers.columns) == list(mapper.meta.columns) == mapper.schema.names
        table = pyarrow.Table.from_pandas(answers, schema=mapper.schema, preserve_index=False)
        assert table.num_rows == len(answers) >= len(batch)
    together = mapper(wrong_rows)
    parts = pandas.concat(list(mapper.batches(wrong_rows.iloc[[row]] for row in range(len(wrong_rows)))))
    pandas.testing.assert_frame_equal(together, parts)
    assert mapper.spark_schema.count(",") == len(mapper.meta.columns) - 1


def test_a_pickled_mapper_answers_alike(loans, wrong_rows):
    mapper = loans.explainer.mapper("yes", id_columns=["customer"])
    other = pickle.loads(pickle.dumps(mapper))
    pandas.testing.assert_frame_equal(mapper(wrong_rows), other(wrong_rows))


def test_frames_of_other_libraries_and_mappings_of_arrays(loans, wrong_rows):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    mapper = loans.explainer.mapper("yes", id_columns=["customer"])
    expected = mapper(wrong_rows.reset_index(drop=True))
    columns = {name: wrong_rows[name].tolist() for name in wrong_rows}
    as_arrays = {name: wrong_rows[name].to_numpy() for name in wrong_rows}
    for rows in (polars.DataFrame(columns), pyarrow.table(columns), as_arrays):
        pandas.testing.assert_frame_equal(mapper(rows), expected)


def test_arrays_without_names_and_a_regressor(iris):
    X, _ = iris
    model = LinearRegression().fit(X[:, :3], X[:, 3])
    explainer = ew.Explainer(model).fit(X[:, :3])
    mapper = explainer.mapper((1.0, None), id_columns={"plant": "int64"})
    rows = pandas.DataFrame(X[:10, :3]).assign(plant=np.arange(10))
    rows.columns = ["a", "b", "c", "plant"]
    answers = mapper(rows)
    assert answers["target_low"].tolist() == [1.0] * 10
    assert np.isinf(answers["target_high"]).all()
    assert answers["plant"].tolist() == list(range(10))
    assert answers["distance"].tolist() == explainer.explain(X[:10, :3], (1.0, None)).distances.tolist()


def test_names_that_are_taken_get_a_word_before_them(loans, wrong_rows):
    rows = wrong_rows.rename(columns={"customer": "status"})
    mapper = loans.explainer.mapper("yes", id_columns=["status", "income"])
    answers = mapper(rows)
    assert answers["data_status"].tolist() == [str(value) for value in rows["status"]]
    assert answers["income"].equals(rows["income"])
    assert "counterfactual_income" in answers.columns


def test_what_a_model_raises_for_a_row_is_that_rows_error(loans, wrong_rows):
    class Picky(ClassifierMixin, BaseEstimator):
        """Says what another model says, and will not be asked about three years."""

        def __init__(self, model):
            self.model, self.feature_names_in_ = model, model.feature_names_in_

        def predict(self, X):
            if (X["years"] == 3).any():
                raise RuntimeError("no three years, please")
            return self.model.predict(X)

    rows = wrong_rows.iloc[:8].copy()
    rows["years"] = [5, 6, 3, 7, 5, 5, 3, 6]
    fitted = replace(loans.explainer.fitted_, model=Picky(loans.explainer.model))
    mapper = replace(loans.explainer.mapper("yes", constraints=ew.Constraints(immutable=["years"])), fitted=fitted)
    answers = mapper(rows)
    assert answers.index.tolist() == rows.index.tolist()
    refused = answers["error"].str.contains("no three years", na=False)
    assert refused.tolist() == [False, False, True, False, False, False, True, False]
    assert answers["status"].tolist()[0] == "optimal"


class NoMemory(ClassifierMixin, BaseEstimator):
    """Runs out of memory when it is asked."""

    def predict(self, X):
        raise MemoryError("no memory for this batch")


@pytest.mark.parametrize("n_rows", [1, 6])
def test_no_memory_is_no_fault_of_a_row(loans, wrong_rows, n_rows):
    """A scheduler has to see it: it would try again, or with smaller batches."""
    mapper = loans.explainer.mapper("yes")
    mapper = replace(mapper, fitted=replace(loans.explainer.fitted_, model=NoMemory()))
    with pytest.raises(MemoryError, match="no memory for this batch"):
        mapper(wrong_rows.drop(columns="customer").iloc[:n_rows])


@pytest.mark.parametrize(
    ("id_columns", "words"),
    [("customer", "in a list"), (["customer", "customer"], "each once"), ({"customer": "no such"}, "is no dtype")],
)
def test_id_columns_are_checked(loans, id_columns, words):
    with pytest.raises(ew.InvalidInputError, match=words):
        loans.explainer.mapper("yes", id_columns=id_columns)


def test_columns_that_are_missing_are_an_error_of_the_frame(loans, wrong_rows):
    with pytest.raises(ew.InvalidInputError, match="no column 'customer'"):
        loans.explainer.mapper("yes", id_columns=["customer"])(wrong_rows.drop(columns="customer"))
    with pytest.raises(ew.InvalidInputError, match="income"):
        loans.explainer.mapper("yes")(wrong_rows.drop(columns="income"))


def test_the_question_is_checked_when_the_mapper_is_made(loans):
    with pytest.raises(ew.InvalidInputError, match="maybe"):
        loans.explainer.mapper("maybe")
    with pytest.raises(ew.InvalidInputError, match="n_counterfactuals"):
        loans.explainer.mapper("yes", n_counterfactuals=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        loans.explainer.mapper("yes", colour="red")


def test_one_target_a_row_cannot_be_asked_of_unknown_rows(loans):
    with pytest.raises(ew.InvalidInputError, match="one target"):
        loans.explainer.mapper(["yes", "no"])


def test_wrong_rows_do_not_change_others(loans, wrong_rows):
    """By the engine itself: the answers of a batch with wrong rows are those of the batch without them."""
    rows = wrong_rows.drop(columns="customer")
    answers = loans.explainer.explain(rows, "yes", errors="row")
    right = answers.take(np.flatnonzero(answers.statuses != "error"))
    alone = loans.explainer.explain(rows.iloc[right.rows], "yes")
    for name in ("distances", "lower_bounds", "log_densities", "features", "changed"):
        assert np.array_equal(getattr(right, name), getattr(alone, name))
