"""Rules that do not fit the table are refused before the fit, which may take long; the message names their file."""

import re

import joblib
import pytest

import elsewise as ew
from elsewise.fitted import fitting
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")

pytest.importorskip("pandas")

WRONG = [
    ('immutable = ["salary"]', r"^elsewise: rules\.toml: .*'salary'"),
    ('[monotone]\nhousing = "increase"', r"rules\.toml: .*'housing'"),
    ("[bounds]\nhousing = [0, 1]", r"rules\.toml: .*'housing'"),
    ("[bounds]\nincome = [9, 2]", r"rules\.toml: .*'income'"),
    ('[allowed]\nhousing = ["castle"]', r"rules\.toml: .*'castle'"),
    ('linear = ["income + salary <= 3"]', r"rules\.toml: .*'salary'"),
]


@pytest.fixture
def folder(loans, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    joblib.dump(loans.explainer.model, "model.joblib")
    loans.frame.assign(loan=loans.label).to_csv("train.csv", index=False)
    loans.frame.head(3).to_csv("rows.csv", index=False)
    return tmp_path


def _commands(command):
    source = ["--model", "model.joblib", "--label", "loan", "--rules", "rules.toml", "--quiet"]
    if command == "fit":
        return ["fit", "--data", "train.csv", "--out", "explainer.ew", *source]
    return [command, "--train", "train.csv", "--data", "rows.csv", "--target", "yes", "--out", "out.csv", *source]


@pytest.mark.parametrize(("rules", "message"), WRONG)
@pytest.mark.parametrize("command", ["fit", "explain"])
def test_wrong_rules_are_refused_before_anything_is_learned(folder, command, rules, message, monkeypatch, capsys):
    def fails(*args, **kwargs):
        raise AssertionError("densities were fitted first")

    monkeypatch.setattr(fitting, "fit_class_densities", fails)
    (folder / "rules.toml").write_text(rules)
    assert main(_commands(command)) == 1
    said = capsys.readouterr().err
    assert re.search(message, said, re.MULTILINE), said
    assert "train.csv" not in said
    assert not list(folder.glob("*.ew"))


def test_rules_of_a_question_are_not_stored_and_those_of_a_fit_are(folder, capsys):
    (folder / "rules.toml").write_text('immutable = ["years"]')
    assert main(_commands("fit")) == 0
    assert ew.load("explainer.ew").constraints == ew.Constraints(immutable=["years"])
    assert main(_commands("explain")[:-1]) in (0, 3)  # with notes
    assert "replaces the rules" not in capsys.readouterr().err


def test_wrong_training_rows_are_still_named(folder, loans, capsys):
    (folder / "rules.toml").write_text('immutable = ["years"]')
    loans.frame.assign(loan=loans.label, income="much").to_csv("train.csv", index=False)
    assert main(_commands("fit")) == 1
    assert "train.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.head(0), r"train\.csv has no rows: expected the rows the model was trained on"),
        (lambda frame: frame.assign(loan="maybe"), r"--label: .*'loan' of train\.csv holds 'maybe', .* expected "),
        (lambda frame: frame[frame["loan"] == "yes"], r"train\.csv has no row whose 'loan' is 'no'.*--density none"),
        (lambda frame: frame.drop(columns="income"), r"lacks 1 of the 4 columns .*: 'income'\. It has 'years', "),
    ],
)
def test_wrong_training_rows_are_told_in_words_of_the_command_line(folder, loans, change, message, capsys):
    change(loans.frame.assign(loan=loans.label)).to_csv("train.csv", index=False)
    (folder / "rules.toml").write_text('immutable = ["years"]')
    assert main(_commands("fit")) == 1
    assert re.search(message, capsys.readouterr().err)


def test_one_class_will_do_where_nothing_plausible_is_asked_for(folder, loans, capsys):
    frame = loans.frame.assign(loan=loans.label)
    frame[frame["loan"] == "yes"].to_csv("train.csv", index=False)
    (folder / "rules.toml").write_text('immutable = ["years"]')
    assert main([*_commands("fit"), "--density", "none"]) == 0


NAMES = """
immutable = ["years"]

[labels]
income = ["yearly income", "k", {"3.5" = "the usual"}]
housing = [{own = "a home of one's own"}]

[outcomes]
yes = "granted"
"""


def test_names_in_a_file_of_rules_are_used_everywhere(folder, capsys):
    (folder / "rules.toml").write_text(NAMES)
    assert main(_commands("fit")) == 0
    fitted = ew.load("explainer.ew")
    assert "income" not in capsys.readouterr().out
    wording = fitted.table_.wording
    assert wording.column("income").value(3.5) == "the usual"
    assert wording.column("housing").value("own") == "a home of one's own"
    assert wording.outcome("yes") == "granted"
    assert main([*_commands("explain"), "--language", "de"]) in (0, 3)
    said = pandas.read_csv("out.csv")["sentence"].str.cat()
    assert "granted" in said
    assert "Das Modell" in said
    (folder / "rules.toml").write_text("[labels]\nwages = 'pay'")
    assert main([*_commands("explain"), "--fresh"]) == 1
    assert "rules.toml: labels: there is no column 'wages'" in capsys.readouterr().err


def test_errors_about_a_row_name_the_column_both_ways(folder):
    (folder / "rules.toml").write_text(NAMES)
    assert main(_commands("fit")) == 0
    explainer = ew.load("explainer.ew")
    row = pandas.read_csv("rows.csv").head(1).astype({"income": object})
    row["income"] = "much"
    (wrong,) = explainer.explain(row, "yes", errors="row")
    assert "column 'income' (yearly income)" in wrong.sentence
