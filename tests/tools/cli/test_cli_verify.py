"""The audit trail and its verification: what was tampered with is found."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import elsewise as ew
from elsewise.tools.cli import main
from elsewise.tools.files.trail.records import line_of, numbered, record_sha256

pandas = pytest.importorskip("pandas")
RULES = 'immutable = ["guarantor"]\n[bounds]\nincome = [-inf, 9]\n'


@pytest.fixture(scope="module")
def trail(loans, tmp_path_factory):
    """A folder with everything, and the lines of the trail; row 4 is wrong."""
    folder = tmp_path_factory.mktemp("trail")
    loans.explainer.save(folder / "explainer.ew")
    joblib.dump(loans.explainer.model, folder / "model.joblib")
    (folder / "rules.toml").write_text(RULES)
    rows = loans.frame.iloc[::12].assign(client=[f"c{number}" for number in range(20)]).astype({"housing": object})
    rows.iloc[4, rows.columns.get_loc("housing")] = "boat"
    rows.to_csv(folder / "rows.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        asked = ["--target", "yes", "--rules", "rules.toml", "--keep", "client", "--json-lines", "--quiet"]
        code = main(["explain", "--explainer", "explainer.ew", "--data", "rows.csv", "--out", "answers.jsonl", *asked])
    assert code == 3
    return folder, [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def _verify(folder, lines, *more, capsys=None):
    (folder / "checked.jsonl").write_text("".join(line_of(line) for line in lines))
    code = main(["verify", str(folder / "checked.jsonl"), "--explainer", str(folder / "explainer.ew"), "--json",
                 "--quiet", *more])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found["holds"] else 1)
    return {check["promise"]: check["failed_lines"] for check in found["checks"] if check["failed_lines"]}


def test_a_line_tells_everything(trail, loans):
    _, lines = trail
    assert [line["id"]["client"] for line in lines] == [f"c{number}" for number in range(20)]
    answers = loans.explainer.explain(
        loans.frame.iloc[::12], "yes", constraints=ew.Constraints(immutable=["guarantor"], bounds={"income": (None, 9)})
    )
    model = loans.explainer.model
    for line, one in zip(lines, answers):
        if line["status"] == "error":
            assert "boat" in line["reason"]
            continue
        assert line["distance"] == (None if np.isnan(one.distance) else one.distance)
        before = model.predict_proba(loans.frame.iloc[[12 * line["row"]]])[0, 1]
        assert line["probability_before"] == pytest.approx(before, abs=1e-12)
        if one.status == "infeasible":
            continue
        after = model.predict_proba(pandas.DataFrame([line["counterfactual"]]))[0, 1]
        assert line["probability_after"] == pytest.approx(after, abs=1e-12)
        assert line["plausibility"] == one.plausibility
        assert set(line["sha256"]) == {"model", "explainer", "data", "rules"}
        assert line["rules"]["immutable"] == ["guarantor"]
        assert "scikit-learn" in line["versions"]
        assert line["time"].startswith("20")


def test_what_was_not_touched_holds(trail, capsys):
    folder, lines = trail
    names = ("model.joblib", "rows.csv", "rules.toml")
    files = [part for option, name in zip(("--model", "--data", "--rules"), names)
             for part in (option, str(folder / name))]  # fmt: skip
    assert _verify(folder, lines, *files, "--search", "30", capsys=capsys) == {}


def _found(lines):
    """The first line with an answer that changes something."""
    return _moving(lines)[0]


def _moving(lines):
    return [place for place, line in enumerate(lines) if line["changes"]]


def _moved(line):
    line["counterfactual"]["income"] += 0.001


def _other_row(line):
    line["x"]["years"] += 1


def _nearer(line):
    line["distance"] *= 0.9
    line["lower_bound"] *= 0.9


def _proven(line):
    line["lower_bound"] = line["distance"] * 1.5
    line["gap"] = (line["distance"] - line["lower_bound"]) / line["distance"]


def _likely(line):
    line["probability_after"] = 0.99


def _denser(line):
    line["log_density"] += 0.5


def _typical(line):
    line["plausibility"] = 0.9999


def _relaxed(line):
    line["log_threshold"] -= 5.0


def _was_good(line):
    line["prediction"] = "yes" if line["prediction"] == "no" else "no"


def _freed(line):
    line["rules"] = None


def _immutable_changed(line):
    line["counterfactual"]["guarantor"] = not line["counterfactual"]["guarantor"]


def _lost_cause(line):
    line.update(status="infeasible", counterfactual=None, changes=[], distance=None, gap=None, lower_bound=None,
                log_density=None, plausibility=None, probability_after=None, proven=True)  # fmt: skip


@pytest.mark.parametrize(
    ("tamper", "promise"),
    [
        (_moved, "distance, added up again"),
        (_other_row, "distance, added up again"),
        (_nearer, "distance, added up again"),
        (_proven, "gap and the status"),
        (_likely, "probabilities"),
        (_denser, "density, threshold"),
        (_typical, "density, threshold"),
        (_relaxed, "density, threshold"),
        (_was_good, "prediction for the row"),
        (_freed, "SHA-256 of the rules"),
        (_immutable_changed, "every rule is kept"),
        (_lost_cause, "fresh search"),
    ],
)
@pytest.mark.parametrize("forged", [False, True], ids=["by accident", "with its checksum"])
def test_what_was_tampered_with_is_found(trail, tamper, promise, forged, capsys):
    folder, lines = trail
    changed = json.loads(json.dumps(lines))
    place = _found(changed)
    tamper(changed[place])
    if forged:
        changed[place]["record_sha256"] = record_sha256(changed[place])
    failed = _verify(folder, changed, "--search", "20", capsys=capsys)
    assert any(promise in told and place + 1 in at for told, at in failed.items()), failed
    assert ("the line is as it was written" in failed) != forged


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line.pop("distance"),
        lambda line: line.update(distance="near"),
        lambda line: line["counterfactual"].update(housing="boat"),
        lambda line: line["counterfactual"].pop("income"),
        lambda line: line.update(x=None),
        lambda line: line.update(status="perfect"),
        lambda line: line.update(target="maybe"),
        lambda line: line.update(rules={"forbid": []}),
        lambda line: line.update(options={"colour": "red"}),
        lambda line: line.update(sha256=None),
    ],
)
def test_lines_that_cannot_be_read_are_told_and_the_others_checked(trail, damage, capsys):
    folder, lines = trail
    changed = json.loads(json.dumps(lines))
    place = _found(changed)
    damage(changed[place])
    other = _moving(lines)[-1]
    _nearer(changed[other])
    failed = _verify(folder, changed, "--search", "0", capsys=capsys)
    assert any(place + 1 in at for told, at in failed.items() if "written" not in told), failed
    assert failed["the distance, added up again, is the stated one"][-1:] == [other + 1]


def test_rows_and_files_that_are_others_are_found(trail, loans, capsys, tmp_path):
    folder, lines = trail
    rows = pandas.read_csv(folder / "rows.csv")
    rows.loc[2, "income"] += 0.5
    rows.to_csv(tmp_path / "rows.csv", index=False)
    failed = _verify(folder, lines, "--data", str(tmp_path / "rows.csv"), "--search", "0", capsys=capsys)
    assert failed["the row is that of the data"] == [3]
    assert len(failed["the SHA-256 of the data is that of the one given"]) == 20
    (tmp_path / "rules.toml").write_text("max_changes = 1\n")
    failed = _verify(folder, lines, "--rules", str(tmp_path / "rules.toml"), "--search", "0", capsys=capsys)
    assert len(failed["the SHA-256 of the rules is that of the one given"]) == 20
    other = LogisticRegression(C=0.1).fit(loans.frame[["income"]], loans.label)
    joblib.dump(other, tmp_path / "other.joblib")
    arguments = [str(folder / "answers.jsonl"), "--explainer", str(folder / "explainer.ew")]
    assert main(["verify", *arguments, "--model", str(tmp_path / "other.joblib")]) == 1
    assert "is not the model of" in capsys.readouterr().err


def test_a_row_told_to_be_wrong_that_is_not_is_found(trail, capsys):
    folder, lines = trail
    changed = json.loads(json.dumps(lines))
    changed[4]["x"]["housing"] = "own"
    changed[4]["record_sha256"] = record_sha256(changed[4])
    failed = _verify(folder, changed, "--search", "0", capsys=capsys)
    assert failed["a row that is told to be wrong is refused"] == [5]


def test_words_and_what_is_no_trail(trail, tmp_path, capsys):
    folder, _ = trail
    assert main(["verify", str(folder / "answers.jsonl"), "--explainer", str(folder / "explainer.ew")]) == 0
    assert "Everything holds." in capsys.readouterr().out
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    assert main(["verify", str(tmp_path / "other.jsonl"), "--explainer", str(folder / "explainer.ew")]) == 1
    assert "line 1 is no answer of an audit trail" in capsys.readouterr().err


def test_a_regressor_with_several_answers(iris, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X = pandas.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    ew.Explainer(LinearRegression().fit(X[["a", "b", "c"]], X["d"])).fit(X[["a", "b", "c"]]).save("explainer.ew")
    X.head(6).to_csv("rows.csv", index=False)
    arguments = ["explain", "--explainer", "explainer.ew", "--data", "rows.csv", "--target", "1.0:", "--out", "a.jsonl"]
    assert main([*arguments, "--json-lines", "--n-counterfactuals", "2", "--quiet"]) in (0, 3)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert lines[0]["target"] == [1.0, None]
    assert lines[0]["probability_before"] is None
    assert main(["verify", "a.jsonl", "--explainer", "explainer.ew", "--data", "rows.csv", "--quiet"]) == 0


def test_json_of_answers_in_python(loans):
    answers = loans.explainer.explain(loans.frame.iloc[:3], "yes")
    lines = [json.loads(line) for line in answers.to_json().splitlines()]
    assert lines[0] == json.loads(answers[0].to_json())
    assert lines[0]["counterfactual"]["years"] == int(answers[0].counterfactual["years"])
    assert lines[0]["distance"] == answers[0].distance


def test_the_report_calls_rows_by_the_users_own_column(trail, tmp_path):
    folder, _ = trail
    files = ["--explainer", folder / "explainer.ew", "--data", folder / "rows.csv", "--out", tmp_path / "report.html"]
    asked = ["--target", "yes", "--id", "client", "--rows", "3", "--quiet"]
    assert main(["report", *map(str, files), *asked]) == 0
    text = (tmp_path / "report.html").read_text()
    assert "c0" in text
    assert "c2" in text


def test_an_answer_that_is_told_twice_is_found(trail, capsys):
    folder, lines = trail
    assert _verify(folder, [*lines[:6], lines[2], *lines[6:]], capsys=capsys) == {"the answer is recorded once": [7]}


@pytest.mark.parametrize("left_out", [0, 7, 19], ids=["first", "middle", "last"])
def test_a_line_that_is_missing_is_found(trail, left_out, capsys):
    folder, lines = trail
    rest = [*lines[:left_out], *lines[left_out + 1 :]]
    beside = [place for place in (left_out, left_out + 1) if 1 <= place <= len(rest)]
    failed = _verify(folder, rest, "--search", "0", capsys=capsys)
    assert failed == {"the lines written before and after it are there": beside}


def test_several_trails_in_one_file_hold_and_a_missing_one_is_found_by_the_data(trail, capsys):
    folder, lines = trail
    own = [{name: value for name, value in line.items() if name != "trail"} for line in lines]
    first, second = list(numbered(own[:8])), list(numbered(own[8:]))
    assert _verify(folder, [*second, *first], "--search", "0", capsys=capsys) == {}
    assert _verify(folder, second, "--search", "0", capsys=capsys) == {}
    failed = _verify(folder, second, "--search", "0", "--data", str(folder / "rows.csv"), capsys=capsys)
    assert failed == {"the rows of the data before and after it are recorded, too": [1]}
