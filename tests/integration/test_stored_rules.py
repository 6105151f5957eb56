"""Rules that are stored in an explainer are those of every question that brings none of its own."""

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import elsewise as ew
from elsewise.tools.cli.main import main
from elsewise.tools.files.explainers import read_header
from elsewise.tools.report import html_report

RULES = ew.Constraints(immutable=["income", "housing"], monotone={"years": "increase"})
MORE = ew.Constraints(max_changes=1)


@pytest.fixture(scope="module")
def stored(loans):
    return loans.explainer.with_constraints(RULES)


def same(one, other):
    assert one.to_frame().equals(other.to_frame())
    np.testing.assert_array_equal(one.lower_bounds, other.lower_bounds)


@pytest.fixture(scope="module")
def refused(loans):
    return loans.frame[loans.explainer.model.predict(loans.frame) == "no"].head(12)


def test_questions_without_rules_are_asked_with_those_stored(loans, stored, refused):
    same(stored.explain(refused, "yes"), loans.explainer.explain(refused, "yes", constraints=RULES))
    assert not stored.explain(refused, "yes").changed[:, [1, 2]].any()
    row = refused.iloc[0]
    one = stored.explain_one(row, "yes")
    other = loans.explainer.explain_one(row, "yes", constraints=RULES)
    assert (one.status, one.distance) == (other.status, other.distance)
    frontiers = [
        stored.frontier(row, "yes", [0.1, 0.5]),
        loans.explainer.frontier(row, "yes", [0.1, 0.5], constraints=RULES),
    ]
    same(frontiers[0].explanations, frontiers[1].explanations)


def test_rules_of_a_question_replace_them(loans, stored, refused):
    same(stored.explain(refused, "yes", constraints=MORE), loans.explainer.explain(refused, "yes", constraints=MORE))
    same(stored.explain(refused, "yes", constraints=ew.Constraints()), loans.explainer.explain(refused, "yes"))
    both = stored.explain(refused, "yes", constraints=stored.constraints & MORE)
    same(both, loans.explainer.explain(refused, "yes", constraints=RULES & MORE))
    same(loans.explainer.with_constraints(MORE).with_constraints(None).explain(refused, "yes"),
         loans.explainer.explain(refused, "yes"))  # fmt: skip


def test_why_not_and_the_reason_of_one_row_speak_of_them(loans, refused):
    explainer = loans.explainer.with_constraints(ew.Constraints(immutable=list(loans.frame.columns)))
    row = refused.iloc[0]
    why = explainer.why_not(row, "yes")
    assert why.reason == "rules"
    assert "stays as it is" in why.conflict[0]
    assert all(len(relief.constraints.immutable) == 3 for relief in why.reliefs)
    assert "stays as it is" in explainer.explain_one(row, "yes").reason
    assert explainer.why_not(row, "yes", ew.Constraints()).reason == "none"


def test_plans_and_paths_keep_them(loans, iris, stored, refused):
    answer = stored.explain_one(refused.iloc[0], "yes")
    own, given = stored.plan(answer), loans.explainer.plan(answer, constraints=RULES)
    assert own.sentence == given.sentence
    from sklearn.linear_model import LogisticRegression

    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y)
    rules = ew.Constraints(bounds={"x2": (None, 5.2)})
    plain, ruled = (ew.Explainer(model, constraints=each).fit(X, y) for each in (None, rules))
    one, other = ruled.path(X[60], "virginica"), plain.path(X[60], "virginica", constraints=rules)
    assert one.length == other.length
    assert one.length != plain.path(X[60], "virginica").length


def test_threshold_copies_mappers_clones_and_pickles_keep_them(loans, stored, refused):
    expected = loans.explainer.with_threshold(0.2).explain(refused, "yes", constraints=RULES)
    same(stored.with_threshold(0.2).explain(refused, "yes"), expected)
    answers = pickle.loads(pickle.dumps(stored.mapper("yes")))(refused)
    own = loans.explainer.mapper("yes", constraints=RULES)(refused)
    assert answers.equals(own)
    same(pickle.loads(pickle.dumps(stored)).explain(refused, "yes"), stored.explain(refused, "yes"))
    assert clone(stored).constraints == RULES
    assert "constraints=Constraints(immutable=['income', 'housing'], monotone={'years': 'increase'})" in " ".join(
        repr(stored).split()
    )


@pytest.mark.parametrize("safe", [False, True])
def test_files_hold_them_and_their_headers_tell_them(stored, refused, tmp_path, safe):
    if safe:
        pytest.importorskip("skops")
    stored.save(tmp_path / "e.ew", safe=safe)
    assert ew.Constraints.from_mapping(read_header(tmp_path / "e.ew").rules) == RULES
    again = ew.load(tmp_path / "e.ew", safe=safe)
    assert again.constraints == RULES == again.fitted_.constraints
    same(again.explain(refused, "yes"), stored.explain(refused, "yes"))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (ew.Constraints(immutable=["incom"]), "immutable: there is no column 'incom'. Did you mean 'income'"),
        (ew.Constraints(bounds={"housing": (1, 2)}), "bounds: 'housing' is a category"),
        ({"immutable": ["income"]}, "constraints: expected elsewise.Constraints"),
    ],
)
def test_rules_are_checked_against_the_columns_by_the_fit(loans, rules, message):
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Explainer(loans.explainer.model, density=None, constraints=rules).fit(loans.frame, loans.label)
    with pytest.raises(ew.InvalidInputError, match=message):
        loans.explainer.with_constraints(rules)


def test_the_report_tells_them_and_checks_them(loans, stored, refused):
    answers = stored.explain(refused, "yes")
    page = html_report(stored, answers)
    assert "income stays as it is" in page
    assert "every rule is kept" in page
    free = html_report(stored, loans.explainer.explain(refused, "yes"))
    assert "Some answers do not hold" in free
    assert "Some answers do not hold" not in html_report(
        stored, loans.explainer.explain(refused, "yes"), constraints=ew.Constraints()
    )


@pytest.fixture
def files(loans, refused, tmp_path):
    import joblib

    joblib.dump(loans.explainer.model, tmp_path / "model.joblib")
    loans.frame.assign(label=loans.label).to_csv(tmp_path / "train.csv", index=False)
    refused.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "rules.toml").write_text('immutable = ["income", "housing"]\n[monotone]\nyears = "increase"\n')
    (tmp_path / "more.toml").write_text("max_changes = 1\n")
    return tmp_path


def run(folder, *arguments):
    return main([str(folder / each) if "." in each else each for each in arguments])


def test_the_command_line_stores_uses_records_and_verifies_them(files, capsys):
    made = ["fit", "--model", "model.joblib", "--data", "train.csv", "--label", "label", "--quiet"]
    assert run(files, *made, "--rules", "rules.toml", "--out", "e.ew") == 0
    assert "income stays as it is" in capsys.readouterr().out
    assert ew.load(files / "e.ew").constraints == RULES
    ask = ["explain", "--explainer", "e.ew", "--data", "rows.csv", "--target", "yes", "--json-lines"]
    for out, rules in (("own.jsonl", []), ("more.jsonl", ["--rules", "more.toml"])):
        assert run(files, *ask, *rules, "--out", out) in (0, 3)
        assert ("replaces the rules that are stored" in capsys.readouterr().err) == bool(rules)
        assert run(files, "verify", out, "--explainer", "e.ew", "--quiet") == 0, capsys.readouterr().out
    records = [json.loads(line) for line in (files / "own.jsonl").read_text().splitlines()]
    assert {json.dumps(record["rules"]) for record in records} == {
        '{"immutable": ["income", "housing"], "monotone": {"years": "increase"}}'
    }
    assert all({change["column"] for change in record["changes"]} <= {"years", "guarantor"} for record in records)
    (more,) = {json.dumps(json.loads(line)["rules"]) for line in (files / "more.jsonl").read_text().splitlines()}
    assert more == '{"max_changes": 1}'
    assert run(files, "verify", "own.jsonl", "--explainer", "e.ew", "--rules", "more.toml", "--quiet") == 1
    assert run(files, "verify", "own.jsonl", "--explainer", "e.ew", "--rules", "rules.toml", "--quiet") == 0


def test_a_trail_without_rules_is_verified_without_those_stored(files, loans, stored, capsys):
    loans.explainer.save(files / "free.ew")
    stored.save(files / "e.ew")
    ask = ["explain", "--explainer", "free.ew", "--data", "rows.csv", "--target", "yes", "--json-lines", "--quiet"]
    assert run(files, *ask, "--out", "free.jsonl") == 0
    capsys.readouterr()
    run(files, "verify", "free.jsonl", "--explainer", "e.ew", "--quiet", "--json")
    failed = [check["promise"] for check in json.loads(capsys.readouterr().out)["checks"] if check["failed_lines"]]
    assert failed == ["the SHA-256 of the explainer is that of the one given"]


def test_rules_that_do_not_fit_are_refused_by_name(files, capsys):
    (files / "wrong.toml").write_text('immutable = ["incom"]\n')
    made = ["fit", "--model", "model.joblib", "--data", "train.csv", "--label", "label", "--quiet"]
    assert run(files, *made, "--rules", "wrong.toml", "--out", "e.ew") != 0
    assert "wrong.toml: immutable: there is no column 'incom'" in capsys.readouterr().err
