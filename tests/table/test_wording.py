"""Names that people use: checked when they are stated, and used in everything that is written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import elsewise as ew
from elsewise.errors import InvalidInputError
from elsewise.table.wording import wording_of

pandas = pytest.importorskip("pandas")
LABELS = {"bp": ("blood pressure", "mm Hg"), "bmi": "body mass index", "calls": ("calls", "", {-1: "never called"})}


def test_a_label_is_a_name_a_unit_and_names_of_values():
    wording = wording_of(LABELS, {1: "repays"}, ["bp", "bmi", "calls", "age"], [0, 1])
    assert (wording.column("bp").name, wording.column("bp").unit) == ("blood pressure", "mm Hg")
    assert wording.column("bmi").name == "body mass index"
    assert wording.column("calls").value(-1.0) == "never called"
    assert wording.column("calls").value(0) is None
    assert wording.column("age").name == ""
    assert wording.outcome(1) == "repays"
    assert wording.outcome(np.int64(1)) == "repays"
    assert wording.outcome(0) is None
    assert wording.outcome(True) is None


@pytest.mark.parametrize(
    ("labels", "outcomes", "message"),
    [
        ([("bp", "x")], None, "labels: expected a mapping of columns to names, received list"),
        ({"agee": "x"}, None, "no column 'agee'. Did you mean 'age'"),
        ({"bp": 3}, None, "expected for 'bp' a name, .name, unit. or .value: name.; received 3"),
        ({"bp": ("a", "b", "c")}, None, "expected for 'bp'"),
        ({"bp": {-1: ""}}, None, "of 'bp', -1: expected a text, received ''"),
        ({"bp": "age"}, None, "two columns would be called 'age'"),
        (None, {2: "x"}, r"the model has no label 2; it has \[0, 1\]"),
        (None, {1: "x", 0: "x"}, "a text of its own for each label"),
        (None, {1: 3}, "of 1: expected a text, received 3"),
    ],
)
def test_wrong_names_are_refused(labels, outcomes, message):
    with pytest.raises(InvalidInputError, match=message):
        wording_of(labels, outcomes, ["bp", "age"], [0, 1])


def test_a_regressor_has_no_outcomes():
    X = pandas.DataFrame({"a": [1.0, 2.0, 3.0]})
    model = LinearRegression().fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(InvalidInputError, match="outcomes: the model predicts numbers"):
        ew.Explainer(model, density=None, outcomes={1: "x"}).fit(X)


@pytest.fixture(scope="module")
def named():
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(np.round(rng.normal(3.0, 1.0, (120, 3)), 2), columns=["bp", "bmi", "calls"])
    y = (X.sum(axis=1) > 9.0).astype(int).to_numpy()
    explainer = ew.Explainer(LogisticRegression().fit(X, y), labels=LABELS, outcomes={1: "repays", 0: "defaults"})
    return explainer.fit(X, y), X[explainer.model.predict(X) == 0]


def test_every_text_of_an_answer_uses_them(named):
    explainer, rows = named
    one = explainer.explain_one(rows.iloc[0], 1)
    assert one.sentence.startswith('The model predicts "defaults". It would predict "repays" with: ')
    assert {change.feature for change in one.changes} >= {"bp"}
    for text in (one.sentence, str(one), one._repr_html_(), str(next(c for c in one.changes if c.feature == "bp"))):
        assert "blood pressure" in text
        assert " mm Hg" in text
    plan = explainer.plan(one)
    assert "blood pressure" in plan.sentence
    assert '"repays"' in plan.sentence
    many = explainer.explain(rows.iloc[:3], 1)
    assert '"repays"' in str(many)
    assert "blood pressure" in str(many)
    assert many.to_frame().columns.tolist()[-3:] == ["bp", "bmi", "calls"]  # data keep their names


def test_every_other_question_uses_them(named):
    explainer, rows = named
    row = rows.iloc[0]
    assert '"repays"' in explainer.levers(row, 1).sentence
    assert '"repays"' in explainer.reasons(row, 1).sentence
    assert "blood pressure" in explainer.reasons(row, 1).sentence
    fixed = ew.Constraints(immutable=["bp", "bmi", "calls"])
    assert '"repays"' in explainer.why_not(row, 1, fixed).sentence
    assert '"repays"' in explainer.explain_one(row, 1, constraints=fixed).reason
    assert '"repays"' in explainer.explain_one(row, 1, constraints=fixed).to_json().replace('\\"', '"')


def test_names_change_no_answer_and_do_not_outlast_it(named):
    explainer, rows = named
    plain = ew.Explainer(explainer.model, density=None).fit(rows)
    with_names = ew.Explainer(explainer.model, density=None, labels=LABELS).fit(rows)
    first, second = (each.explain_one(rows.iloc[0], 1) for each in (with_names, plain))
    assert first.counterfactual.tolist() == second.counterfactual.tolist()
    assert "blood pressure" in first.sentence
    assert "blood pressure" not in str(second)


def test_values_have_names(named):
    explainer, rows = named
    one = explainer.explain_one(rows.iloc[0], 1)
    change = next(change for change in one.changes if change.feature == "bp")
    coded = replace(change, feature="calls", before=-1.0, after=2.0, difference=None)
    assert str(coded) == "calls: never called -> 2"
    assert str(replace(change, before=None, difference=None)).startswith("blood pressure: not given -> ")


def test_they_are_saved_with_the_explainer(named, tmp_path):
    explainer, rows = named
    with pytest.warns(UserWarning, match="training"):
        explainer.save(tmp_path / "named.ew")
    read = ew.load(tmp_path / "named.ew")
    assert read.explain_one(rows.iloc[0], 1).sentence == explainer.explain_one(rows.iloc[0], 1).sentence
