"""The audit trail of rows that are held to less than was asked, and of thresholds that were taken away."""

from __future__ import annotations

import json

import pytest

import elsewise as ew
from elsewise.tools.cli import main
from elsewise.tools.files.trail.records import line_of, record_sha256

pytest.importorskip("pandas")
PROMISE = "density, threshold and plausibility are the recorded ones"


@pytest.fixture(scope="module")
def trail(loans, tmp_path_factory):
    """A folder with an explainer that asks for much, and the lines of a trail that settles for less."""
    folder = tmp_path_factory.mktemp("densest")
    given = loans.frame, loans.explainer.model.predict(loans.frame)
    ew.Explainer(loans.explainer.model, threshold=0.95).fit(*given).save(folder / "explainer.ew")
    (folder / "rules.toml").write_text('immutable = ["guarantor", "housing"]\nmax_changes = 1\n')
    loans.frame.iloc[::12].to_csv(folder / "rows.csv", index=False)
    asked = [
        "--target",
        "yes",
        "--rules",
        str(folder / "rules.toml"),
        "--on-infeasible",
        "densest",
        "--json-lines",
        "--quiet",
    ]
    files = ["--explainer", str(folder / "explainer.ew"), "--data", str(folder / "rows.csv")]
    main(["explain", *files, "--out", str(folder / "answers.jsonl"), *asked])
    return folder, [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def failed_promises(folder, lines, capsys):
    for line in lines:
        line["record_sha256"] = record_sha256(line)
    (folder / "checked.jsonl").write_text("".join(line_of(line) for line in lines))
    main(["verify", str(folder / "checked.jsonl"), "--explainer", str(folder / "explainer.ew"), "--json", "--quiet"])
    found = json.loads(capsys.readouterr().out)
    return {check["promise"]: check["failed_lines"] for check in found["checks"] if check["failed_lines"]}


def test_less_than_was_asked_holds_and_is_not_made_to_look_like_more(trail, capsys):
    folder, lines = trail
    statuses = [line["status"] for line in lines]
    assert "densest" in statuses
    assert failed_promises(folder, json.loads(json.dumps(lines)), capsys) == {}
    place = statuses.index("densest")
    changed = json.loads(json.dumps(lines))
    changed[place]["plausibility"] = 0.95
    assert failed_promises(folder, changed, capsys) == {PROMISE: [place + 1]}
    changed = json.loads(json.dumps(lines))
    changed[place]["status"] = "optimal"
    assert place + 1 in failed_promises(folder, changed, capsys)[PROMISE]


def test_a_threshold_that_was_taken_away_is_found(trail, capsys):
    folder, lines = trail
    place = next(place for place, line in enumerate(lines) if line["changes"] and line["status"] != "densest")
    changed = json.loads(json.dumps(lines))
    changed[place]["log_threshold"] = None
    assert place + 1 in failed_promises(folder, changed, capsys)[PROMISE]
