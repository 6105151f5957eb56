"""``elsewise fit`` and ``elsewise explain``: called as functions, against the library itself."""

import csv
import json
import re
import sys
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from elsewise.reasons import for_everyone
from elsewise.table import Table
from elsewise.tools.cli import main
from elsewise.tools.files.settings import read_declarations

pandas = pytest.importorskip("pandas")

RULES = 'immutable = ["years"]\nmax_changes = 2\n[bounds]\nincome = [-inf, 9]\n'


@pytest.fixture
def folder(loans, tmp_path, monkeypatch):
    """A model, its training rows, an explainer, rows to explain and rules, as files."""
    monkeypatch.chdir(tmp_path)
    joblib.dump(loans.explainer.model, "model.joblib")
    loans.frame.assign(loan=loans.label).to_csv("train.csv", index=False)
    loans.explainer.save("explainer.ew")
    rows = loans.frame.iloc[::12].assign(client=[f"c{i:03}" for i in range(20)])
    rows[["client", "guarantor", "housing", "income", "years"]].to_csv("rows.csv", index=False)
    (tmp_path / "rules.toml").write_text(RULES)
    return tmp_path


def _rows(loans):
    return loans.frame.iloc[::12].reset_index(drop=True)


def _explain(*arguments, out="answers.csv"):
    return main(["explain", "--explainer", "explainer.ew", "--data", "rows.csv", "--out", out, *arguments])


def _same_points(written, answers):
    """The counterfactuals of a file are those of the library, value by value."""
    found = answers.statuses != "infeasible"
    expected = answers.counterfactuals[found].reset_index(drop=True)
    read = written.loc[found, expected.columns].reset_index(drop=True)
    for name in expected:
        assert read[name].tolist() == expected[name].tolist(), name


@pytest.mark.parametrize("out", ["answers.csv", "answers.parquet"])
def test_answers_are_those_of_the_library(folder, loans, out, capsys):
    if out.endswith("parquet"):
        pytest.importorskip("pyarrow")
    rules = ew.Constraints(immutable=["years"], max_changes=2, bounds={"income": (None, 9)})
    expected = loans.explainer.explain(_rows(loans), "yes", constraints=rules)
    code = _explain("--target", "yes", "--rules", "rules.toml", out=out)
    infeasible = int((expected.statuses == "infeasible").sum())
    assert 0 < infeasible < 20
    assert code == 3
    read = (pandas.read_parquet if out.endswith("parquet") else pandas.read_csv)(out)
    assert read["row"].tolist() == list(range(20))
    assert read["status"].tolist() == expected.statuses.tolist()
    assert read["prediction"].tolist() == expected.predictions.tolist()
    for name, values in [("distance", expected.distances), ("lower_bound", expected.lower_bounds),
                         ("gap", expected.gaps), ("plausibility", expected.plausibilities),
                         ("log_density", expected.log_densities)]:  # fmt: skip
        np.testing.assert_array_equal(read[name], values)
    _same_points(read, expected)
    assert read["n_changes"].tolist() == [len(each.changes) for each in expected]
    changed = [[name for name in text.split("; ") if name] for text in read["changed"].fillna("")]
    assert [sorted(names) for names in changed] == [
        sorted(change.feature for change in each.changes) for each in expected
    ]
    assert max(map(len, changed)) > 1
    everyone = [replace(each, cause=for_everyone(each.cause)) for each in expected]  # no advice for programmers
    assert read["sentence"].tolist() == [each.sentence for each in everyone]
    assert read["reason"].fillna("").tolist() == [each.reason for each in everyone]
    assert not read["sentence"].str.contains("explainer.", regex=False).any()
    if out.endswith("parquet"):
        kinds = {name: read[name].dtype.kind for name in loans.frame}
        assert kinds == {"years": "i", "income": "f", "housing": read["housing"].dtype.kind, "guarantor": "b"}
    printed = capsys.readouterr()
    assert "set aside, since the model does not take it: client" in printed.err
    assert "files you trust" in printed.err
    assert "--why finds out which rules stand in their way" in printed.err
    assert f"with an answer             {20 - infeasible}" in printed.out
    assert not list(folder.glob("*.partial"))
    assert not list(folder.glob(".*"))


def test_every_row_is_encoded_once(folder, monkeypatch):
    encode, n_rows = Table.encode, []

    def counted(self, X, **options):
        n_rows.append(len(X))
        return encode(self, X, **options)

    monkeypatch.setattr(Table, "encode", counted)
    _explain("--target", "yes", "--quiet")
    assert sum(n_rows) == 20


def test_without_a_target_it_is_the_nearest_other_class(folder, loans):
    expected = loans.explainer.explain(_rows(loans))
    _explain("--quiet")
    read = pandas.read_csv("answers.csv")
    assert read["target"].tolist() == list(expected.targets)
    np.testing.assert_array_equal(read["distance"], expected.distances)


def test_a_model_with_training_rows_does_as_well(folder, loans):
    expected = ew.Explainer(loans.explainer.model, threshold=0.3).fit(loans.frame, loans.label)
    code = main(["explain", "--model", "model.joblib", "--train", "train.csv", "--label", "loan", "--threshold", "0.3",
                 "--data", "rows.csv", "--target", "yes", "--out", "answers.csv", "--jobs", "2"])  # fmt: skip
    answers = expected.explain(_rows(loans), "yes")
    assert code == (3 if "infeasible" in answers.statuses else 0)
    np.testing.assert_array_equal(pandas.read_csv("answers.csv")["distance"], answers.distances)


def test_a_saved_explainer_takes_another_threshold(folder, loans):
    params = loans.explainer.get_params(deep=False) | {"threshold": 0.8}
    expected = ew.Explainer(**params).fit(loans.frame, loans.label).explain(_rows(loans), "yes")
    _explain("--target", "yes", "--threshold", "0.8", "--quiet")
    read = pandas.read_csv("answers.csv")
    np.testing.assert_allclose(read["log_threshold"], expected.log_thresholds, rtol=1e-12)
    np.testing.assert_allclose(read["distance"], expected.distances, rtol=1e-9)


def test_several_answers_a_row_are_counted(folder, loans):
    expected = loans.explainer.explain(_rows(loans), "yes", n_counterfactuals=3)
    _explain("--target", "yes", "--n-counterfactuals", "3", "--quiet")
    read = pandas.read_csv("answers.csv")
    assert read["row"].tolist() == expected.rows.tolist()
    assert read.groupby("row")["answer"].apply(list).map(lambda n: n == list(range(1, len(n) + 1))).all()
    np.testing.assert_array_equal(read["distance"], expected.distances)


def test_columns_are_kept_on_demand(folder):
    frame = pandas.read_csv("rows.csv").assign(status="old")
    frame.to_csv("rows.csv", index=False)
    _explain("--target", "yes", "--keep", "client", "status", "--quiet")
    read = pandas.read_csv("answers.csv")
    assert read["client"].tolist() == [f"c{i:03}" for i in range(20)]
    assert set(read["data_status"]) == {"old"}
    assert set(read["status"]) <= {"optimal", "feasible", "infeasible"}


def test_rows_without_an_answer_end_with_3_and_say_why(folder, loans, capsys):
    (folder / "rules.toml").write_text('immutable = ["years", "income", "housing"]\n')
    code = _explain("--target", "yes", "--rules", "rules.toml", "--why", "--json", "--quiet", out="answers.csv")
    document = json.loads(capsys.readouterr().out)
    rules = ew.Constraints(immutable=["years", "income", "housing"])
    expected = loans.explainer.explain(_rows(loans), "yes", constraints=rules)
    stuck = np.flatnonzero(expected.statuses == "infeasible")
    assert len(stuck)
    assert code == document["exit_code"] == 3
    assert document["complete"]
    assert (document["infeasible"], document["answered"]) == (len(stuck), 20 - len(stuck))
    read = pandas.read_csv("answers.csv")
    first = int(stuck[0])
    assert read["reason"][first] == loans.explainer.why_not(_rows(loans).iloc[first], "yes", rules).sentence
    assert read.loc[stuck, ["years", "income", "housing", "guarantor"]].isna().all(axis=None)
    kept = read["years"].dropna()
    assert (kept == kept.round()).all()
    lines = (folder / "answers.csv").read_text().splitlines()
    assert not re.search(r",\d+\.0,[\d.]+,(own|rent|free),", lines[1 + int(np.setdiff1d(np.arange(20), stuck)[0])])


def test_json_is_strict_and_names_the_numbers(folder, capsys):
    assert _explain("--target", "yes", "--json", "--quiet") == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    read = pandas.read_csv("answers.csv")
    assert document["median_distance"] == pytest.approx(read["distance"][read["distance"] > 0].median())
    assert document["rows"] == document["finished"] == len(read)
    assert document["changed"]["income"] == pytest.approx(read["changed"].str.contains("income").sum() / len(read))
    assert printed.err == ""


def test_an_output_is_not_overwritten_unasked(folder, capsys):
    assert _explain("--target", "yes", "--quiet") == 0
    before = (folder / "answers.csv").read_bytes()
    assert _explain("--target", "no", "--quiet") == 1
    assert "answers.csv exists already. Give another --out, or replace it with --fresh" in capsys.readouterr().err
    assert (folder / "answers.csv").read_bytes() == before
    assert _explain("--target", "no", "--quiet", "--fresh") in (0, 3)
    assert (folder / "answers.csv").read_bytes() != before


def test_no_rows_give_no_answers(folder, capsys):
    (folder / "rows.csv").write_text("years,income,housing,guarantor\n")
    assert _explain("--target", "yes", "--quiet") == 0
    assert len(pandas.read_csv("answers.csv")) == 0


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("immutable = [", r"rules\.toml is not valid TOML: "),
        ("immutabel = []", r"rules\.toml: Rules: 'immutabel' is not a kind of rule. Did you mean 'immutable'"),
        ("[bounds]\nincome = 3", r"rules\.toml: bounds: expected \(low, high\) for 'income'"),
        ('immutable = ["salary"]', r"rules\.toml: .*salary"),
    ],
)
def test_bad_rules_are_refused_with_file_and_key(folder, rules, message, capsys):
    (folder / "rules.toml").write_text(rules)
    assert _explain("--target", "yes", "--rules", "rules.toml", "--errors", "raise", "--quiet") == 1
    assert re.search(message, capsys.readouterr().err)
    assert sorted(path.name for path in folder.glob("answers*")) == []


def test_rules_may_be_json(folder, loans):
    (folder / "rules.json").write_text('{"immutable": ["years"]}')
    assert _explain("--target", "yes", "--rules", "rules.json", "--quiet") in (0, 3)
    read = pandas.read_csv("answers.csv")
    found = read["status"] != "infeasible"
    assert (read["years"] == _rows(loans)["years"])[found].all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "Yes"], "--target: the model has no label 'Yes'. Did you mean 'yes'"),
        (["--keep", "klient"], "--keep: rows.csv has no column 'klient'. Did you mean 'client'"),
        (["--keep", "years"], "--keep: 'years' is a column of the model"),
        (["--label", "loan"], "--explainer is a fitted explainer: --label cannot be given as well"),
        (["--why"], "--why is about one wanted outcome"),
        (["--out", "answers.parquet"], ""),
    ],
)
def test_bad_questions_end_with_1_and_leave_nothing(folder, arguments, message, capsys, monkeypatch):
    if not message:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        message = "Parquet files need pyarrow. Install it with: pip install 'elsewise[files]'"
    assert _explain(*arguments, "--quiet") == 1
    assert message in capsys.readouterr().err
    assert not list(folder.glob("answers*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nothing.csv"], "the file 'nothing.csv' does not exist"),
        (["--data", "model.joblib"], "expected a file ending in .csv, .parquet, .pq"),
        (["--out", "no-folder/answers.csv"], "the folder 'no-folder' does not exist"),
        (["--out", "answers.xlsx"], "expected a file ending in .csv"),
        (["--threshold", "1.5"], "between 0 and 1, both excluded, received '1.5'"),
        (["--time-limit", "0"], "positive number of seconds, received '0'"),
        (["--time-limit", "nan"], "finite number, received 'nan'"),
        (["--jobs", "0"], "at least 1, or -1 for all cores"),
        (["--n-counterfactuals", "0"], "at least 1, received '0'"),
    ],
)
def test_wrong_usage_ends_with_2(folder, arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        _explain(*arguments)
    assert message in capsys.readouterr().err


def test_rows_that_cannot_be_are_refused_with_file_row_and_column(folder, capsys):
    frame = pandas.read_csv("rows.csv")
    frame.loc[17, "housing"] = "castle"
    frame.to_csv("rows.csv", index=False)
    assert _explain("--target", "yes", "--errors", "raise", "--quiet") == 1
    assert re.search(r"rows\.csv must hold known categories: .*'castle' in row 17, column 'housing'",
                     capsys.readouterr().err)  # fmt: skip
    frame.assign(housing="own", income="much").to_csv("rows.csv", index=False)
    assert _explain("--target", "yes", "--errors", "raise", "--quiet") == 1
    assert "rows.csv: expected numbers in column 'income', received 'much' in row 0" in capsys.readouterr().err
    frame.drop(columns="income").to_csv("rows.csv", index=False)
    assert _explain("--target", "yes", "--errors", "raise", "--quiet") == 1
    assert "rows.csv lacks 1 of the 4 columns that the model takes: 'income'" in capsys.readouterr().err


def test_errors_name_the_file_the_column_and_the_row(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    ew.Explainer(LogisticRegression().fit(frame, frame["a"] > 0)).fit(frame, frame["a"] > 0).save("explainer.ew")
    for value, message in [
        ("many", "rows.csv: expected numbers in column 'b', received 'many' in row 3."),
        ("", "rows.csv must be finite: received nan in row 3, column 'b'."),
        ("inf", "rows.csv must be finite: received inf in row 3, column 'b'."),
    ]:
        rows = frame.head(5).astype(object)
        rows.loc[3, "b"] = value
        rows.to_csv("rows.csv", index=False)
        assert _explain("--errors", "raise", "--quiet") == 1
        assert f"elsewise: {message}" in capsys.readouterr().err


def test_rows_that_are_wrong_have_their_message_and_end_nothing(folder, loans, capsys):
    frame = pandas.read_csv("rows.csv").astype({"income": object})
    frame.loc[17, "housing"], frame.loc[2, "income"] = "castle", "much"
    frame.to_csv("rows.csv", index=False)
    assert _explain("--target", "yes", "--quiet") == 3
    assert "unreadable rows            2" in capsys.readouterr().out
    read = pandas.read_csv("answers.csv")
    assert np.flatnonzero(read["status"] == "error").tolist() == [2, 17]
    assert "'castle'" in read.loc[17, "reason"]
    assert "'much'" in read.loc[2, "reason"]
    right = read[read["status"] != "error"]
    expected = loans.explainer.explain(_rows(loans), "yes")
    np.testing.assert_array_equal(right["distance"], expected.distances[right["row"]])
    assert main(["report", "--explainer", "explainer.ew", "--data", "rows.csv", "--answers", "answers.csv", "--out",
                 "report.html", "--quiet"]) == 0  # fmt: skip
    assert main(["report", "--explainer", "explainer.ew", "--data", "rows.csv", "--target", "yes", "--out",
                 "again.html", "--quiet"]) == 0  # fmt: skip
    for page in ("report.html", "again.html"):
        text = (folder / page).read_text()
        assert text.count('data-s="error"') == 2
        assert "castle" in text


def test_formulas_in_the_data_are_disarmed_in_the_answers_and_read_back_by_the_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 120
    levels = np.array(["=1+1", "@x", "plain"])
    frame = pandas.DataFrame({"a": rng.normal(size=n), "-b": levels[rng.integers(3, size=n)]})
    label = frame["a"] + (frame["-b"] == "=1+1") > 0.3
    encode = make_column_transformer((OneHotEncoder(), ["-b"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model).fit(frame, label)
    explainer.save("explainer.ew")
    rows = frame.head(8).assign(note=["=2+2", "-3", "+4 5", "'x", "", "-1.5", "@", "y"])
    rows.to_csv("rows.csv", index=False)  # as people write them
    assert _explain("--target", "true", "--keep", "note", "--quiet") == 0
    with open("answers.csv", newline="") as file:
        first, *lines = csv.reader(file)
    written = [dict(zip(first, line, strict=True)) for line in lines]
    assert [line["note"] for line in written] == ["'=2+2", "-3", "'+4 5", "'x", "", "-1.5", "'@", "y"]
    expected = explainer.explain(frame.head(8), True).counterfactuals
    assert [line["'-b"] for line in written] == [
        f"'{level}" if level != "plain" else level for level in expected["-b"].tolist()
    ]
    assert not any(cell[:1] in "=+@" for line in lines for cell in line if cell)
    report = ["report", "--explainer", "explainer.ew", "--data", "rows.csv", "--out", "report.html", "--quiet"]
    assert main([*report, "--answers", "answers.csv"]) == 0  # checked again there, and all of them hold


def test_neither_explainer_nor_model_is_told(folder, capsys):
    assert main(["explain", "--data", "rows.csv", "--out", "a.csv", "--quiet"]) == 1
    assert "Expected --explainer FILE, or --model FILE with --train FILE" in capsys.readouterr().err


def test_a_tampered_explainer_is_refused(folder, capsys):
    data = (folder / "explainer.ew").read_bytes()
    (folder / "explainer.ew").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert _explain("--target", "yes", "--quiet") == 1
    assert "explainer.ew is damaged" in capsys.readouterr().err
    (folder / "explainer.ew").write_bytes((folder / "model.joblib").read_bytes())
    assert _explain("--target", "yes", "--quiet") == 1
    assert "explainer.ew holds no saved explainer" in capsys.readouterr().err
    asked = ["explain", "--explainer", "rows.csv", "--data", "rows.csv", "--out", "b.csv", "--target", "yes"]
    assert main(asked) == 1
    told = capsys.readouterr().err
    assert "rows.csv holds no saved explainer. Expected a file by explainer.save(path) or `elsewise fit`, re" in told
    assert "which holds a pickle" not in told


def test_regressors_take_ranges(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    price = frame["a"] * 2 - frame["b"] + rng.normal(size=80) / 10
    joblib.dump(LinearRegression().fit(frame.to_numpy(), price), "model.pkl")  # fitted without names
    frame.assign(price=price).to_csv("train.csv", index=False)
    frame.head(7).to_csv("rows.csv", index=False)
    fit = ["fit", "--model", "model.pkl", "--data", "train.csv", "--label", "price", "--out", "explainer.ew"]
    assert main([*fit, "--density", "none", "--quiet"]) == 0
    assert _explain("--target", "1:2", "--quiet") == 0
    read = pandas.read_csv("answers.csv")
    assert (read["target_low"].tolist(), read["target_high"].tolist()) == ([1.0] * 7, [2.0] * 7)
    predicted = LinearRegression().fit(frame.to_numpy(), price).predict(read[["a", "b"]].to_numpy())
    assert ((predicted >= 1) & (predicted <= 2)).all()
    assert _explain("--target=-3:", "--fresh", "--quiet") == 0
    assert np.isinf(pandas.read_csv("answers.csv")["target_high"]).all()
    capsys.readouterr()
    for wrong in ("cheap", "1:2:3", "5"):
        assert _explain("--target", wrong, "--fresh", "--quiet") == 1
        assert f"Expected LOW:HIGH, either end may be empty, received '{wrong}'" in capsys.readouterr().err


def _fit(*arguments, out="new.ew"):
    return main(["fit", "--model", "model.joblib", "--data", "train.csv", "--label", "loan", "--out", out, *arguments])


def test_fit_saves_what_the_library_fits(folder, loans, capsys):
    assert _fit("--distance", "scaled", "--threshold", "0.3", "--json") == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["columns"] == {
        "years": "integer",
        "income": "number",
        "housing": "category",
        "guarantor": "category",
    }
    assert "files you trust" in printed.err
    expected = ew.Explainer(loans.explainer.model, distance="scaled", threshold=0.3).fit(loans.frame, loans.label)
    loaded = ew.load("new.ew").explain(_rows(loans), "yes")
    np.testing.assert_array_equal(loaded.distances, expected.explain(_rows(loans), "yes").distances)


def test_fit_refuses_to_overwrite_unasked(folder, capsys):
    before = (folder / "explainer.ew").read_bytes()
    assert _fit(out="explainer.ew") == 1
    assert "explainer.ew exists already" in capsys.readouterr().err
    assert (folder / "explainer.ew").read_bytes() == before
    assert _fit("--overwrite", out="explainer.ew") == 0
    assert "1 integer, 1 number, 2 category" in capsys.readouterr().out


def test_fit_reads_declarations_of_columns(folder, capsys):
    (folder / "columns.toml").write_text('years = "number"\n')
    assert _fit("--columns", "columns.toml", "--quiet", "--json") == 0
    assert json.loads(capsys.readouterr().out)["columns"]["years"] == "number"
    (folder / "columns.toml").write_text('years = "metres"\n')
    assert _fit("--columns", "columns.toml", "--quiet", "--overwrite") == 1
    assert "columns.toml: expected for 'years' one of 'number'" in capsys.readouterr().err


def test_declarations_are_those_of_the_library(tmp_path):
    path = tmp_path / "columns.toml"
    path.write_text(
        'a = "integer"\nb = { levels = ["low", "high"] }\nc = { columns = ["c1", "c2"], baseline = "c0" }\n'
    )
    assert read_declarations(path) == {
        "a": "integer",
        "b": ew.Ordinal(levels=["low", "high"]),
        "c": ew.OneHot(columns=["c1", "c2"], baseline="c0"),
    }


def test_labels_are_found_as_they_are_written(tmp_path, monkeypatch):
    """Labels of a model need not be what a CSV reader makes of them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    label = frame["a"] > 0
    frame.assign(y=label.astype(int)).to_csv("train.csv", index=False)
    frame.head(3).to_csv("rows.csv", index=False)
    for labels, target in [(label, "true"), (label.map({True: "1", False: "0"}), "1"), (label.astype(float), "1")]:
        joblib.dump(LogisticRegression().fit(frame, labels), "model.joblib")
        code = main(["explain", "--model", "model.joblib", "--train", "train.csv", "--label", "y", "--data", "rows.csv",
                     "--target", target, "--out", "answers.csv", "--fresh", "--quiet"])  # fmt: skip
        assert code == 0
        points = pandas.read_csv("answers.csv")[["a", "b"]]
        assert (joblib.load("model.joblib").predict(points) == labels[label].iloc[0]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "lone"], "--label: train.csv has no column 'lone'. Did you mean 'loan'"),
        (["--label", "years"], "which the model does not know: expected "),
        (["--data", "rows.csv", "--label", "client"], "which the model does not know: expected "),
    ],
)
def test_fit_names_what_is_wrong(folder, arguments, message, capsys):
    assert _fit(*arguments, "--quiet") == 1
    assert message in capsys.readouterr().err
    assert not (folder / "new.ew").exists()


def test_fit_names_the_file_the_column_and_the_row(folder, capsys):
    frame = pandas.read_csv("train.csv").astype({"income": object})
    frame.loc[7, "income"] = "inf"
    frame.to_csv("train.csv", index=False)
    assert _fit("--quiet") == 1
    assert re.search(r"train\.csv: .*inf in row 7, column 'income'", capsys.readouterr().err)


def test_fit_needs_labels_for_classes(folder, capsys):
    assert main(["fit", "--model", "model.joblib", "--data", "train.csv", "--out", "new.ew", "--quiet"]) == 1
    assert "Expected --label COLUMN" in capsys.readouterr().err


def test_training_rows_without_a_column_or_label_are_refused(folder, capsys):
    frame = pandas.read_csv("train.csv")
    frame.drop(columns="income").to_csv("train.csv", index=False)
    assert _fit("--quiet") == 1
    assert "train.csv lacks 1 of the 4 columns that the model takes: 'income'" in capsys.readouterr().err
    frame.loc[3, "loan"] = None
    frame.to_csv("train.csv", index=False)
    assert _fit("--quiet") == 1
    assert "the label 'loan' is missing in 1 rows" in capsys.readouterr().err


def test_models_that_are_none_are_refused(folder, capsys):
    for content, message in [
        ({"a": 1}, "model.joblib holds a dict, no model"),
        (LogisticRegression(), "model.joblib: the model is not fitted"),
    ]:
        joblib.dump(content, "model.joblib")
        assert _fit("--quiet") == 1
        assert message in capsys.readouterr().err
    (folder / "model.joblib").write_bytes(b"no pickle at all")
    assert _fit("--quiet") == 1
    assert "model.joblib cannot be read as a model. It is damaged or no pickle" in capsys.readouterr().err


def test_a_model_of_another_version_is_told(folder, monkeypatch, capsys):
    load = joblib.load

    def warns(path):
        warnings.warn(InconsistentVersionWarning(estimator_name="LogisticRegression", current_sklearn_version="1.9",
                                                 original_sklearn_version="1.2"), stacklevel=2)  # fmt: skip
        return load(path)

    monkeypatch.setattr("elsewise.tools.files.bodies.joblib.load", warns)
    assert _fit() == 0
    assert "elsewise: Trying to unpickle estimator LogisticRegression from version 1.2" in capsys.readouterr().err


def test_skops_models_are_read_without_trust(folder, loans, capsys):
    skops = pytest.importorskip("skops.io")
    skops.dump(loans.explainer.model, "model.skops")
    fit = ["fit", "--model", "model.skops", "--data", "train.csv", "--label", "loan", "--out"]
    assert main([*fit, "new.ew"]) == 0
    assert "new.ew holds training rows: 240 for thresholds given what cannot change" in capsys.readouterr().err
    assert main([*fit, "none.ew", "--no-condition-on-fixed"]) == 0
    assert capsys.readouterr().err == ""
    (folder / "model.skops").write_bytes(b"no archive")
    assert main([*fit, "other.ew"]) == 1
    assert "model.skops cannot be read as a skops file" in capsys.readouterr().err


def test_unknown_types_in_skops_models_are_listed_and_refused(folder, loans, capsys):
    skops = pytest.importorskip("skops.io")
    model = ew.lvq.GeneralizedLVQ().fit(loans.frame[["years", "income"]], loans.label)
    skops.dump(model, "model.skops")
    fit = ["fit", "--model", "model.skops", "--data", "train.csv", "--label", "loan", "--out", "new.ew"]
    assert main(fit) == 1
    told = capsys.readouterr().err
    (unknown,) = re.findall(r"say so: --trust (.*)", told)
    assert "elsewise.lvq" in unknown
    assert not (folder / "new.ew").exists()
    assert main([*fit, "--trust", *unknown.split()]) == 0
    joblib.dump(model, "model.joblib")
    assert _fit("--trust", "some.Type", "--overwrite") == 1
    assert "trusted types are for .skops files" in capsys.readouterr().err


def test_without_skops_its_extra_is_named(folder, monkeypatch, capsys):
    (folder / "model.skops").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    fit = ["fit", "--model", "model.skops", "--data", "train.csv", "--label", "loan", "--out", "new.ew"]
    assert main(fit) == 1
    assert "pip install 'elsewise[skops]'" in capsys.readouterr().err


def test_exit_codes_are_told_in_help(capsys):
    for arguments in (["--help"], ["explain", "--help"], ["letters", "--help"], ["fit", "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
        printed = " ".join(capsys.readouterr().out.split())
        assert ("some rows have no answer" in printed) == (arguments[0] != "fit")
        assert "130 interrupted by Ctrl-C" in printed
