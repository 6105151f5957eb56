"""Assistants ask over the Model Context Protocol: the same answers as the explainer's own, and nothing changes."""

from __future__ import annotations

import asyncio
import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew

mcp = pytest.importorskip("mcp")
pytest.importorskip("fastapi")


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["income", "debt", "age"])
    y = np.where(X.income - X.debt + 0.1 * rng.normal(size=200) > 0, "yes", "no")
    return ew.Explainer(LogisticRegression().fit(X, y), rules=None).fit(X, y)


ROW = {"income": -0.5, "debt": 0.4, "age": 0.1}
QUESTION = {"row": ROW, "target": "yes", "rules": {"locked": ["age"]}}


def called(explainer, name, **arguments):
    from elsewise.tools.mcp import create_server

    async def ask():
        async with mcp.Client(create_server(explainer, time_limit=20.0)) as client:
            return await client.call_tool(name, arguments)

    answer = asyncio.run(ask())
    return answer.is_error, answer.content[0].text


def test_explain_gives_the_explainers_answer(explainer):
    is_error, text = called(explainer, "explain", question=QUESTION)
    assert not is_error, text
    answer = json.loads(text)
    own = explainer.explain(pd.DataFrame([ROW]), "yes", constraints=ew.Constraints(immutable=["age"]))
    assert answer["status"] == own.statuses[0] == "optimal"
    np.testing.assert_allclose(answer["distance"], own.distances[0])


def test_tools_are_listed_with_schemas_and_only_read(explainer):
    from elsewise.tools.mcp import create_server

    async def listed():
        async with mcp.Client(create_server(explainer)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {"about", "known_rows", "explain", "why_not", "levers", "reasons", "verify"}
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert "QuestionBody" in json.dumps(tools["explain"].input_schema)


def test_levers_reasons_and_why_not(explainer):
    levers = json.loads(called(explainer, "levers", question={**QUESTION, "rules": {}}, max_size=1)[1])
    assert [one["columns"] for one in levers["enough"]]
    assert ["age"] in levers["not_enough"]
    reasons = json.loads(called(explainer, "reasons", question=QUESTION)[1])
    assert {one["column"] for one in reasons["reasons"]} <= {"income", "debt"}
    locked = {**QUESTION, "rules": {"locked": ["income", "debt", "age"]}}
    assert json.loads(called(explainer, "why_not", question=locked)[1])["reason"] == "rules"


def test_verify_judges_a_proposed_row(explainer):
    answer = json.loads(called(explainer, "explain", question=QUESTION)[1])
    good = {name: value for name, value in answer["counterfactual"].items() if name != "age"}
    judged = json.loads(called(explainer, "verify", question=QUESTION, counterfactual=good)[1])
    assert judged["prediction"] == "yes"
    assert judged["is_valid_and_typical"]
    assert judged["broken_rules"] == ""
    judged = json.loads(called(explainer, "verify", question=QUESTION, counterfactual={"age": 3.0})[1])
    assert judged["prediction"] == "no"
    assert not judged["is_valid_and_typical"]
    assert "age" in judged["broken_rules"]


def test_known_rows_are_listed(explainer):
    from elsewise.tools.mcp import create_server

    async def ask():
        rows = pd.DataFrame([ROW, {**ROW, "age": 2.0}])
        async with mcp.Client(create_server(explainer, rows)) as client:
            return await client.call_tool("known_rows", {"asked": {"limit": 1, "offset": 1}})

    listed = json.loads(asyncio.run(ask()).content[0].text)
    assert (listed["total"], listed["rows"][0]["row"]["age"]) == (2, 2.0)


def test_wrong_questions_are_told(explainer):
    is_error, text = called(explainer, "explain", question={**QUESTION, "target": "perhaps"})
    assert is_error
    assert "perhaps" in text
    is_error, text = called(explainer, "explain", question={"row": ROW, "target": "yes", "colour": 1})
    assert is_error


def test_the_command_speaks_over_standard_input(explainer, tmp_path):
    path = tmp_path / "explainer.pkl"
    explainer.save(path)
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "elsewise", "mcp", "--explainer", str(path)]
    )

    async def ask():
        async with mcp.Client(mcp.stdio_client(command)) as client:
            return await client.call_tool("about", {})

    about = json.loads(asyncio.run(ask()).content[0].text)
    assert [column["name"] for column in about["columns"]] == ["income", "debt", "age"]
