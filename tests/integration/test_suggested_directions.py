"""Directions that are suggested hold for the target of each row's question, wherever it is asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.tools.cli.main import main
from elsewise.tools.files.trail.records import read_trail
from elsewise.tools.report import html_report


def table(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """Debt lies near what it does for good, and an ellipsoid of few good rows asks for other income and debt, too."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.normal(3000, 500, n).round(), "debt": rng.normal(900, 300, n).round()})
    frame["calls"] = rng.integers(0, 9, n)
    score = frame["income"] - frame["debt"] - 60 * frame["calls"] + rng.normal(0, 150, n)
    return frame, np.where(score > 2000, "good", "bad")


@pytest.fixture(name="explainer", scope="module")
def fitted_explainer() -> ew.Explainer:
    frame, y = table()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    return ew.Explainer(model, rules="suggested").fit(frame, y)


BETTER = {"good": {"income": 1, "debt": -1, "calls": -1}, "bad": {"income": -1, "debt": 1, "calls": 1}}


def keeps(answer: ew.Explanation, target: str) -> bool:
    return all(np.sign(change.after - change.before) == BETTER[target][change.feature] for change in answer.changes)


def rows_and_targets(explainer: ew.Explainer) -> tuple[pd.DataFrame, list[str]]:
    frame, _ = table()
    rows = frame.head(40)
    return rows, np.where(explainer.fitted_.model.predict(rows) == "good", "bad", "good").tolist()


def test_the_rules_that_are_suggested_are_those_that_are_followed(explainer):
    for target in ("good", "bad"):
        ways = {name: "increase" if sign > 0 else "decrease" for name, sign in BETTER[target].items()}
        assert explainer.suggest_rules(target).constraints.monotone == ways


def test_directions_hold_in_batches_alone_and_without_a_target(explainer):
    rows, targets = rows_and_targets(explainer)
    batch, open_batch = explainer.explain(rows, targets), explainer.explain(rows)
    assert batch.found.sum() > 30
    free = explainer.with_constraints(ew.Constraints()).explain(rows, targets)
    assert not all(keeps(answer, target) for answer, target in zip(free, targets, strict=True))
    for place, (answer, target) in enumerate(zip(batch, targets, strict=True)):
        row = rows.iloc[[place]]
        explicit = explainer.suggest_rules(target).constraints
        alone, stated = explainer.explain_one(row, target), explainer.explain_one(row, target, constraints=explicit)
        assert keeps(answer, target)
        for other in (alone, open_batch[place], explainer.explain_one(row), stated):
            assert other.status == answer.status
            np.testing.assert_array_equal(other.counterfactual, answer.counterfactual)


def test_directions_hold_in_why_not_and_the_frontier(explainer):
    rows, targets = rows_and_targets(explainer)
    for place in range(6):
        row, target = rows.iloc[[place]], targets[place]
        explicit = explainer.suggest_rules(target).constraints
        for by in ("typicality", "changes"):
            walked = explainer.frontier(row, target, by=by) if by == "changes" else explainer.frontier(row, target)
            assert all(keeps(answer, target) for answer in walked.explanations if answer.found)
        assert explainer.why_not(row, target).reason == explainer.why_not(row, target, explicit).reason
    assert not explainer.with_constraints(ew.Constraints()).fitted_.follows_directions


def test_reports_and_trails_state_and_check_the_directions(explainer, tmp_path, capsys):
    rows, _ = rows_and_targets(explainer)
    explainer.save(tmp_path / "it.ew")
    rows.head(12).to_csv(tmp_path / "rows.csv", index=False)
    asked = ["--explainer", str(tmp_path / "it.ew"), "--data", str(tmp_path / "rows.csv"), "--target", "good"]
    written = ["--out", str(tmp_path / "trail.jsonl"), "--json-lines", "--quiet"]
    main(["explain", *asked, *written])
    stated = explainer.suggest_rules("good").constraints
    for record in read_trail(tmp_path / "trail.jsonl"):
        assert ew.Constraints.from_mapping(record["rules"]).monotone == stated.monotone
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "trail.jsonl"), "--explainer", str(tmp_path / "it.ew")]) == 0
    page = html_report(explainer, explainer.explain(rows.head(12), "good"))
    assert "debt may only decrease" in page


@pytest.mark.parametrize("target", ["good", None])
def test_a_batch_of_nothing_but_rows_that_cannot_be_read(explainer, target):
    rows = table()[0].head(2).astype(object)
    rows["income"] = "much"
    assert explainer.explain(rows, target, errors="row").statuses.tolist() == ["error", "error"]
