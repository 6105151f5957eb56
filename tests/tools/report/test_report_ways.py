"""Plans and paths in the report: every step told, every name escaped."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.tools.report import html_report
from tools.report.page import Page


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.rename(columns={"proline": "<b>proline"})
    labels = np.array(["<i>", "b", "c"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, labels)
    return ew.Explainer(model, distance="scaled").fit(X, labels), X


def test_plans_and_paths_are_shown_with_their_rows(wine):
    explainer, X = wine
    rows = X.iloc[[135, 97]]
    answers = explainer.explain(rows, target="<i>")
    plan, path = explainer.plan(answers[0]), explainer.path(rows.iloc[1], "<i>")
    page = html_report(explainer, answers, plans={0: plan}, paths={1: path})
    first, second = page.split('<article id="r')[1:3]
    assert f"In which order: {len(plan)} steps" in first
    assert "A path through real cases" not in first
    assert "A path through real cases" in second
    assert "In which order" not in second
    assert first.count("<tr>") >= len(plan)
    assert "<b>proline" not in page
    assert "<i>" not in page.replace("<img", "")
    plain = html_report(explainer, answers)
    assert "In which order" not in plain


def test_bands_are_shown_with_their_rows(wine):
    explainer, X = wine
    rows = X.iloc[[135, 97]]
    answers = explainer.explain(rows, target="<i>")
    ladder = explainer.ladder(rows.iloc[[1]], {"<u>": 0.5, "top": 0.9}, target="<i>")
    page = html_report(explainer, answers, ladders={1: ladder})
    first, second = page.split('<article id="r')[1:3]
    assert "What better bands take" not in first
    assert "What better bands take" in second
    assert all(f"{step.distance:.4g}" in second for step in ladder)
    assert "<u>" not in page
    assert len(Page(page).articles) == 2


def test_where_there_is_no_way_the_reason_stands(wine):
    explainer, X = wine
    rows = X.iloc[[97]]
    hopeless = explainer.path(rows.iloc[0], "<i>", constraints=ew.Constraints(immutable=list(X.columns)))
    page = html_report(explainer, explainer.explain(rows, target="<i>"), paths={0: hopeless})
    assert "No path through real cases" in page
    assert "Under these rules" in page


def test_the_page_stays_well_formed(wine):
    explainer, X = wine
    answers = explainer.explain(X.iloc[[135]], target="<i>")
    page = html_report(
        explainer, answers, plans={0: explainer.plan(answers[0])}, paths={0: explainer.path(X.iloc[135], "<i>")}
    )
    assert len(Page(page).articles) == 1
