"""Other ways in the report of one row: answers with fewer changes, or with changes of other columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.tools.report import html_report
from elsewise.tools.report.ways import find_ways
from tools.report.page import Page

FIXED = ew.Constraints(immutable=["guarantor"])


@pytest.fixture(scope="module")
def refused(loans):
    rows = loans.frame[loans.explainer.model.predict(loans.frame) == "no"].iloc[:40]
    return loans.explainer.explain(rows, "yes", constraints=FIXED)


def place_with(answers, holds):
    return next(place for place, one in enumerate(answers) if one.found and holds(len(one.changes)))


def test_fewer_changes_are_each_the_nearest_with_so_few(loans, refused):
    place = place_with(refused, lambda n: n >= 3)
    asked = refused[place : place + 1]
    ways = find_ways(loans.explainer, asked, FIXED, 60.0)
    assert ways.counts
    for count, answer in zip(ways.counts, ways.answers):
        rules = FIXED & ew.Constraints(max_changes=count)
        alone = loans.explainer.explain(asked.x, "yes", constraints=rules)[0]
        assert (answer.status, len(answer.changes)) == (alone.status, len(alone.changes))
        if answer.found:
            assert answer.distance == pytest.approx(alone.distance)
            assert len(answer.changes) <= count < len(asked[0].changes)
            assert answer.distance >= asked[0].distance


def test_where_one_change_is_enough_other_columns_change():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = LogisticRegression().fit(X, X.sum(axis=1) > 0)
    explainer = ew.Explainer(model, density=None).fit(X)
    asked = explainer.explain(X[~model.predict(X)][:1], True)
    ways = find_ways(explainer, asked, None, 60.0)
    first = {change.feature for change in asked[0].changes}
    assert len(ways.answers) == 2
    for answer in ways.answers:
        assert {change.feature for change in answer.changes} != first
        assert answer.distance >= asked[0].distance


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_one_row_shows_them(loans, refused, language):
    explainer = loans.explainer.with_language(language)
    place = place_with(refused, lambda n: n >= 3)
    one = explainer.explain(refused.x.iloc[place : place + 1], "yes", constraints=FIXED)
    text = Page(html_report(explainer, one, constraints=FIXED)).by_section["ways"]
    assert {"en": "Other ways", "de": "Andere Wege"}[language] in text
    assert {"en": "1 change", "de": "1 Änderung"}[language] in text


def test_many_rows_no_seconds_and_rows_without_an_answer_have_none(loans, refused):
    sections = [
        Page(html_report(loans.explainer, refused[:3], constraints=FIXED)).by_section,
        Page(html_report(loans.explainer, refused[:1], constraints=FIXED, seconds_for_ways=0.0)).by_section,
    ]
    frozen = ew.Constraints(immutable=list(loans.frame.columns))
    none = loans.explainer.explain(refused.x.iloc[:1], "yes", constraints=frozen)
    sections.append(Page(html_report(loans.explainer, none, constraints=frozen)).by_section)
    assert all("ways" not in each for each in sections)


def test_they_keep_the_least_probability(loans, refused):
    asked = loans.explainer.explain(refused.x.iloc[:1], "yes", constraints=FIXED, min_probability=0.7)
    ways = find_ways(loans.explainer, asked, FIXED, 60.0)
    for answer in ways.answers:
        if answer.found:
            row = answer.counterfactual.to_frame().T.astype(loans.frame.dtypes)
            assert loans.explainer.model.predict_proba(row)[0, 1] >= 0.7
            assert np.isclose(answer.min_probability, 0.7)
