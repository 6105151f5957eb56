"""Old answers under a new model, compared with what the model says itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")
NAMES = ["a", "b", "c"]


def _explainer(weights, frame, label):
    model = LogisticRegression().fit(frame, label)
    model.coef_, model.intercept_ = np.array([weights], dtype=float), np.array([0.0])
    return ew.Explainer(model, density=None).fit(frame, label)


@pytest.fixture(scope="module")
def trail(tmp_path_factory):
    """Letters of a linear model over a small table, and everything they were made of."""
    folder = tmp_path_factory.mktemp("compared")
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(rng.normal(size=(200, 3)).clip(-2, 2).round(1), columns=NAMES)
    label = (frame.sum(axis=1) + rng.normal(size=200) > 0).to_numpy().astype(int)
    old = _explainer([1.0, 1.0, 0.1], frame, label)
    old.save(folder / "old.ew")
    (folder / "rules.toml").write_text("[bounds]\na = [-2.0, 2.0]\nb = [-2.0, 2.0]\nc = [-2.0, 2.0]\n")
    (folder / "t.txt").write_text("$reasons\n\n$changes\n")
    rows = frame[old.model.predict(frame) == 0].iloc[:12].assign(sex=["f", "m"] * 6)
    rows.to_csv(folder / "rows.csv", index=False)
    code = main(["letters", "--explainer", str(folder / "old.ew"), "--data", str(folder / "rows.csv"), "--target", "1",
                 "--rules", str(folder / "rules.toml"), "--template", str(folder / "t.txt"), "--keep", "sex",
                 "--out", str(folder / "out"), "--quiet"])  # fmt: skip
    assert code == 0
    lines = [json.loads(line) for line in (folder / "out" / "letters.jsonl").read_text().splitlines()]
    return folder, frame, label, lines


def _corners(line):
    ends = {one["column"]: (one["low"], one["high"]) for one in line["ranges"]["columns"]}
    grids = np.meshgrid(*[ends.get(name, (line["counterfactual"][name],)) for name in NAMES])
    return np.column_stack([grid.ravel() for grid in grids])


def test_everything_holds_for_the_same_model(trail):
    folder, _, _, lines = trail
    found = ew.compare(folder / "out" / "letters.jsonl", ew.load(folder / "old.ew"))
    assert found.holds
    assert found.count("counterfactual", "true") == found.count("range", "true") == len(lines)
    assert found.count("reason", "true") == len(lines)
    assert found.count("decision", "changed") == 0
    assert (
        main(["verify", str(folder / "out" / "letters.jsonl"), "--explainer", str(folder / "old.ew"), "--quiet"]) == 0
    )


def test_what_is_no_longer_true_is_what_the_new_model_refuses(trail):
    folder, frame, label, lines = trail
    weights = np.array([0.8, 1.0, 0.5])
    new = _explainer(weights, frame, label)
    found = ew.compare(folder / "out" / "letters.jsonl", new, by="sex")
    said = [float(np.dot([line["counterfactual"][name] for name in NAMES], weights)) > 0 for line in lines]
    assert [one.counterfactual for one in found.lines] == ["true" if yes else "false" for yes in said]
    boxes = [bool((_corners(line) @ weights > 0).all()) for line in lines]  # a linear score is least at a corner
    assert [one.range for one in found.lines] == ["true" if yes else "false" for yes in boxes]
    for one, line in zip(found.lines, lines):
        best = sum(
            2.0 * abs(weight) if name not in line["reasons"]["columns"] else weight * line["x"][name]
            for name, weight in zip(NAMES, weights)
        )
        alone = [np.dot([{**line["x"], each["column"]: each["then"]}[name] for name in NAMES], weights) > 0
                 for each in line["reasons"]["reasons"] if each["is_alone"]]  # fmt: skip
        assert one.reason == ("true" if best <= 0 and all(alone) else "false")
        row = np.dot([line["x"][name] for name in NAMES], weights) > 0
        assert one.decision == ("changed" if row else "same")
    assert not all(said)
    assert any(said)
    assert found.groups == ("f", "m")
    counts = found.to_mapping()["groups"]
    assert counts["f"]["answers"] == counts["m"]["answers"] == 6
    assert sum(counts[group]["counterfactual"]["false"] for group in "fm") == said.count(False)
    assert len(found.to_frame()) == len(lines)


def test_the_command_has_an_exit_code(trail, capsys):
    folder, frame, label, _ = trail
    _explainer([0.2, 1.0, 0.1], frame, label).save(folder / "new.ew")
    command = ["verify", str(folder / "out" / "letters.jsonl"), "--quiet", "--against"]
    assert main([*command, str(folder / "old.ew")]) == 0
    assert main([*command, str(folder / "new.ew"), "--by", "sex"]) == 4
    assert "no longer true" in capsys.readouterr().out
    assert main([*command, str(folder / "new.ew"), "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["no_longer_true"]
    assert main([*command, str(folder / "new.ew"), "--by", "age"]) == 1
    assert "no column 'age'" in capsys.readouterr().err


def test_a_changed_range_reason_or_letter_is_found(trail, capsys):
    folder, _, _, lines = trail
    from elsewise.tools.files.trail.records import line_of

    wrong = json.loads(json.dumps(lines))
    wrong[0]["ranges"]["columns"][0]["low"] = -2.0
    wrong[1]["reasons"]["columns"] = ["c"]
    path = folder / "out" / "wrong.jsonl"
    path.write_text("".join(line_of(line) for line in wrong))
    letter = folder / "out" / lines[2]["letter"]["file"]
    before = letter.read_text()
    letter.write_text(before.replace("yours", "theirs"))
    try:
        assert main(["verify", str(path), "--explainer", str(folder / "old.ew"), "--quiet", "--json"]) == 1
    finally:
        letter.write_text(before)
    checks = {each["promise"]: each["failed_lines"] for each in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["every row in the ranges has the outcome"] == [1]
    assert checks["no realistic change leaves all columns of the reasons as they are"] == [2]
    assert checks["the letter beside the trail is as it was written"] == [3]


def test_other_columns_are_refused(trail):
    folder, frame, label, _ = trail
    other = frame.rename(columns={"a": "z"})
    with pytest.raises(ew.InvalidInputError, match="has no column 'z'"):
        ew.compare(folder / "out" / "letters.jsonl", _explainer([1.0, 1.0, 1.0], other, label))
