"""Records and tables of answers follow from what answers show."""

import json

import numpy as np
import pytest

from elsewise.tools.files.answers import frame_of, records_of, shown_fields
from elsewise.tools.files.settings import target_from_json, target_from_text
from elsewise.tools.files.values import python_value, to_json

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def answered(loans):
    rows = loans.frame.head(12)
    return rows, loans.explainer.explain(rows, "yes", n_counterfactuals=2)


def test_records_hold_what_answers_show(answered):
    _, answers = answered
    records = json.loads(json.dumps(list(records_of(answers, 100))))
    assert [record["row"] for record in records] == list(range(100, 112))
    told = [answer for record in records for answer in record["answers"]]
    assert len(told) == len(answers)
    for name, values in answers.shown().items():
        assert [answer[name] for answer in told] == [python_value(value) for value in values], name
    assert all(set(answer) == set(answers.shown()) | {"sentence", "changes"} for answer in told)
    assert list(shown_fields()) == list(answers.shown())


def test_a_table_has_a_column_for_all_of_it_and_the_counterfactuals(answered):
    rows, answers = answered
    table = answers.table
    frame = frame_of(list(records_of(answers, 0)), rows, table.encode(rows), table, rows[[]], several=True)
    for name, values in answers.shown().items():
        assert frame[name].tolist() == [python_value(value) for value in values], name
    np.testing.assert_array_equal(table.encode(frame[list(rows.columns)]), answers.features)


@pytest.mark.parametrize(
    ("value", "written"),
    [(np.float64(1.5), 1.5), (np.nan, None), (np.inf, None), (None, None), (np.int64(3), 3), (True, True),
     ((1.0, np.inf), [1.0, None]), ("a", "a"), (pandas.Timestamp("2020-01-02"), "2020-01-02 00:00:00"),
     (pandas.NA, None)],
)  # fmt: skip
def test_values_are_strict_json(value, written):
    assert to_json(value) == written
    assert type(to_json(value)) is type(written)
    json.dumps(to_json(value), allow_nan=False)


def test_labels_are_found_as_they_are_written():
    assert target_from_text("2.0", [1, 2]) == 2
    assert target_from_text("true", [False, True]) is True
    assert target_from_json(True, [False, True]) is True
    assert target_from_json(1, [0, 1]) == 1
    assert target_from_text(None, ["a"]) is None
    assert target_from_text("1:", None) == (1.0, None)
    assert target_from_json((None, 2), None) == (None, 2)


@pytest.mark.parametrize(
    ("read", "value", "classes", "message"),
    [
        (target_from_text, "Yes", ["no", "yes"], r"--target: the model has no label 'Yes'\. Did you mean 'yes'"),
        (target_from_json, "Yes", ["no", "yes"], r"target: the model has no label 'Yes'\. Did you mean 'yes'"),
        (target_from_json, True, [0, 1], r"target: the model has no label True\. Known are 0, 1"),
        (target_from_json, "1", [0, 1], "no label '1'"),
        (target_from_json, (1, 2), [0, 1], "received a range"),
        (target_from_json, "a", None, "received a class"),
        (target_from_json, (None, None), None, "received neither"),
        (target_from_text, None, None, "Expected LOW:HIGH, .* received nothing"),
    ],
)
def test_targets_that_cannot_be_are_refused(read, value, classes, message):
    from elsewise import InvalidInputError

    with pytest.raises(InvalidInputError, match=message):
        read(value, classes)
