"""Names of classes that want to be markup: the document has the same tags as with harmless names, everywhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.tools.report import html_report
from tools.report.page import Page

MADE = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
# As long as the harmless ones, and sorted the same way.
HOSTILE = {
    "script": ("a<script>x()</script>", "b<script>x()</script>"),
    "attribute": ('a" onerror="x(\'\')" b', 'b" onerror="x(\'\')" b'),
    "single quote": ("a' onload='x()", "b' onload='x()"),
    "image": ('a"><img src=x onerror=x()>', 'b"><img src=x onerror=x()>'),
    "end": ("a</title></style></td></table>", "b</section></article></body>"),
    "entity": ("a&lt;b&gt;&#x3c;i&#x3e;", "b&amp;lt;i&amp;gt;"),
    "comment": ("a<!-- ", "b--><![CDATA["),
    "lines": ("a\n<b>\r\n\t<i>", "b\x0b\x0c\x1b[31m\u2028<u>"),
}


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    good = np.arange(120) % 2 == 0
    frame = pd.DataFrame(
        {
            "income": rng.normal(np.where(good, 4.0, 2.5), 0.7),
            "years": rng.poisson(np.where(good, 8, 4)),
            "housing": np.where(rng.random(120) < np.where(good, 0.7, 0.3), "own", "rent"),
        }
    )
    return frame, good


def report_of_a_table(names: tuple[str, str], *, asked: bool = True) -> str:
    frame, good = table()
    label = np.where(good, names[1], names[0])
    encode = make_column_transformer((StandardScaler(), ["income", "years"]), (OneHotEncoder(), ["housing"]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1)).fit(frame, label)
    refused = frame[model.predict(frame) == names[0]].iloc[:4]
    rules = ew.Constraints(immutable=["housing"], monotone={"years": "decrease"}, bounds={"years": (0, 99)})
    answers = explainer.explain(refused, names[1], constraints=rules)
    missing = np.flatnonzero(answers.statuses == "infeasible").tolist()
    assert 0 < len(missing) < len(refused)
    why = {place: explainer.why_not(refused.iloc[place], names[1], rules) for place in missing if asked}
    return html_report(explainer, answers, constraints=rules, why_not=why or None, made=MADE)


def report_of_any_class(names: tuple[str, str]) -> str:
    frame, good = table()
    rows = frame[["income", "years"]].astype(float)
    label = np.where(good, names[1], names[0])
    model = LogisticRegression().fit(rows, label)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1), threshold=0.99).fit(rows, label)
    return html_report(explainer, explainer.explain(rows.iloc[:10], n_counterfactuals=2), made=MADE)


def report_of_images(names: tuple[str, str]) -> str:
    rng = np.random.default_rng(0)
    X = rng.random((60, 6))
    label = np.where(X[:, 0] + 0.3 * X[:, 1] > 0.6, names[1], names[0])
    explainer = ew.Explainer(LogisticRegression().fit(X, label), density=None).fit(X, label)
    return html_report(explainer, explainer.explain(X[:6]), image_shape=(2, 3), made=MADE)


def read(document: str) -> Page:
    return Page(document.removeprefix("<!DOCTYPE html>"))


def shown(name: str) -> str:
    """Leave out what does not print, sets words apart or is a way to write quotes."""
    return "".join(each for each in name if each.isprintable() and not each.isspace() and each not in "\"'\\")


REPORTS: dict[str, Any] = {
    "table": report_of_a_table,
    "reasons": lambda names: report_of_a_table(names, asked=False),
    "any class": report_of_any_class,
    "images": report_of_images,
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("report", REPORTS)
def test_a_document_has_the_tags_it_has_with_harmless_names(report, kind):
    harmless = read(REPORTS[report](("a name", "b name")))
    page = read(REPORTS[report](HOSTILE[kind]))
    assert page.tags == harmless.tags
    assert [(tag, name) for tag, name, _ in page.attributes] == [(tag, name) for tag, name, _ in harmless.attributes]
    assert page.script == harmless.script
    assert page.style == harmless.style
    assert page.text.replace("\n", "").isprintable()
    if kind == "lines":
        return
    text = shown(page.text)
    for name in HOSTILE[kind]:  # and they are told as they are
        assert shown(name) in text
    if report == "images":
        told = shown("".join(value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")))
        assert all(shown(name) in told for name in HOSTILE[kind])


@pytest.mark.parametrize("kind", HOSTILE)
def test_answers_frontiers_and_reasons_in_notebooks(kind):
    def pages(names: tuple[str, str]) -> list[Page]:
        frame, good = table()
        rows = frame[["income", "years"]].astype(float)
        label = np.where(good, names[1], names[0])
        model = LogisticRegression().fit(rows, label)
        explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(rows, label)
        row = rows[model.predict(rows) == names[0]].iloc[0]
        answers = explainer.explain(rows.iloc[:5])
        told = [
            answers,
            answers[0],
            explainer.frontier(row, names[1], [0.2, 0.8]),
            explainer.why_not(row, names[1], ew.Constraints(immutable=["income", "years"])),
        ]
        return [read(each._repr_html_()) for each in told]

    for page, harmless in zip(pages(HOSTILE[kind]), pages(("a name", "b name")), strict=True):
        assert page.tags == harmless.tags
        assert [name for _, name, _ in page.attributes] == [name for _, name, _ in harmless.attributes]
