"""Levers, reasons and ladders of one row by command: what the library says."""

from __future__ import annotations

import json

import pytest

import elsewise as ew
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def asked(loans, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recourse")
    explainer = ew.Explainer(loans.explainer.model, density=None).fit(loans.frame, loans.label)
    explainer.save(folder / "explainer.ew")
    refused = loans.frame[explainer.model.predict(loans.frame) == "no"].head(3)
    refused.to_csv(folder / "rows.csv", index=False)
    source = ["--explainer", str(folder / "explainer.ew"), "--data", str(folder / "rows.csv"), "--row", "2", "--quiet"]
    return explainer, refused.iloc[1], source


def test_levers(asked, capsys):
    explainer, row, source = asked
    assert main(["levers", *source, "--target", "yes", "--max-size", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    levers = explainer.levers(row, "yes", max_size=1)
    assert [one["columns"] for one in told["enough"]] == [list(lever.columns) for lever in levers]
    assert [one["distance"] for one in told["enough"]] == [lever.distance for lever in levers]
    assert told["not_enough"] == [list(columns) for columns in levers.not_enough]


def test_reasons(asked, capsys):
    explainer, row, source = asked
    assert main(["reasons", *source, "--target", "yes"]) == 0
    assert capsys.readouterr().out == f"{explainer.reasons(row, 'yes')}\n"


def test_ladder(asked, capsys):
    explainer, row, source = asked
    bands = ["--bands", "B=0.5", "A=0.7"]
    assert main(["ladder", *source, "--target", "yes", *bands, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    ladder = explainer.ladder(row, {"B": 0.5, "A": 0.7}, target="yes")
    assert [(one["band"], one["distance"]) for one in told["steps"]] == [
        (step.band.name, step.distance) for step in ladder
    ]
    assert main(["ladder", *source, "--bands", "no", "yes"]) == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["levers"], "--target: expected the wanted outcome"),
        (["reasons", "--target", "yes", "--row", "9"], "has 3 rows"),
        (["ladder", "--target", "yes", "--bands", "0.7", "0.5"], "in rising order"),
        (["ladder", "--bands", "maybe"], "no label 'maybe'"),
        (["ladder", "--target", "yes", "--bands", "much"], "expected least probabilities"),
    ],
)
def test_wrong_questions_are_refused(asked, capsys, command, message):
    assert main([command[0], *asked[2], *command[1:]]) == 1
    assert message in capsys.readouterr().err
