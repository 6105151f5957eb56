"""Rules that are stored in the explainer are kept by every answer of the page, whatever the page asks for."""

from __future__ import annotations

import pytest

import elsewise as ew

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

from elsewise.tools.app.schemas import QuestionBody
from elsewise.tools.app.service import ExplorerService
from tools.app.running import small_explainer, small_table

STORED = ew.Constraints(immutable=["housing"], bounds={"income": (0, 60)}, max_changes=2)


@pytest.fixture(scope="module")
def table():
    frame, labels = small_table()
    return small_explainer(frame, labels), frame


@pytest.fixture(scope="module")
def service(table):
    explainer, frame = table
    return ExplorerService(explainer.with_constraints(STORED), frame, time_limit=4.0)


def question(service, place=0, **rules):
    refused = [place for place, label in enumerate(service.predictions) if label == "no"]
    return QuestionBody.model_validate({"row": service.rows[refused[place]], "target": "yes", "rules": rules})


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"locked": ["years"]},
        {"ranges": {"income": [None, 1000]}},
        {"max_changes": 3},
        {"allowed": {"housing": ["own"]}},
    ],
)
def test_no_rule_of_the_page_undoes_them(service, table, rules):
    for place in range(4):
        asked = question(service, place, **rules)
        answer = service.explain(asked)
        after = answer["counterfactual"]
        if after is None:
            continue
        assert after["housing"] == asked.row["housing"]
        assert after["income"] <= 60
        assert len(answer["changes"]) <= 2


def test_answers_are_those_of_both(service, table):
    explainer, frame = table
    asked = question(service, locked=["years"], max_changes=1)
    place = service.rows.index(asked.row)
    both = STORED & ew.Constraints(immutable=["years"], max_changes=1)
    expected = explainer.explain_one(frame.iloc[place], "yes", constraints=both)
    assert service.explain(asked)["distance"] == pytest.approx(expected.distance, rel=1e-9)


def test_only_rules_of_the_page_are_offered_to_be_dropped(service):
    asked = question(service, locked=["years", "income"])
    why = service.why_not(asked)
    assert why["reason"] == "rules"
    assert any("housing" in rule for rule in why["conflict"])
    assert why["reliefs"]
    for relief in why["reliefs"]:
        assert set(relief["rules"]["locked"]) < {"years", "income"}
        assert "housing" not in relief["rule"]
        left = asked.model_copy(update={"rules": asked.rules.model_validate(relief["rules"])})
        answer = service.explain(left)
        assert answer["distance"] == pytest.approx(relief["distance"], rel=1e-6)
        assert answer["counterfactual"]["housing"] == asked.row["housing"]


def test_a_limit_of_both_is_not_offered_to_be_dropped(table):
    explainer, frame = table
    service = ExplorerService(explainer.with_constraints(ew.Constraints(max_changes=0)), frame, time_limit=4.0)
    why = service.why_not(question(service, max_changes=0))
    assert why["reason"] == "rules"
    assert why["reliefs"] == []
