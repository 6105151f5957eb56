"""Requests made up from the interface's own description: none breaks the server, every answer is as described."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
schemathesis = pytest.importorskip("schemathesis")
httpx = pytest.importorskip("httpx")

from schemathesis import GenerationMode  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from elsewise.tools.app import create_app  # noqa: E402
from tools.app.running import serving, small_explainer, small_table  # noqa: E402

QUICK = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_every_operation_keeps_its_description():
    frame, labels = small_table()
    n_asked = Counter()
    with serving(create_app(small_explainer(frame, labels), frame, time_limit=2.0)) as address:
        description = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
        for result in description.get_all_operations():
            operation = result.ok()
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query):
                    continue

                @QUICK
                @given(operation.as_strategy(generation_mode=mode))
                def ask(case):
                    n_asked[case.operation.path] += 1
                    case.call_and_validate(checks=CHECKS)

                ask()
    assert len(n_asked) >= 7
    assert all(count > 0 for count in n_asked.values())


def test_made_up_values_in_real_questions_are_answered_or_refused():
    """Schemas know nothing of the table's columns: questions with real columns get further."""
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    cells = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(-1e15, 1e15), st.text(max_size=8),
        st.sampled_from(["own", "rent", "free", "yes", "no", 0, 1, 40.0, -1e15, 1e15]),
    )  # fmt: skip
    names = st.sampled_from(["income", "years", "housing", "note", ""])
    questions = st.fixed_dictionaries(
        {
            "row": st.fixed_dictionaries({"income": cells, "years": cells, "housing": cells}),
            "target": st.one_of(st.sampled_from(["yes", "no"]), cells),
        },
        optional={
            "quantile": st.floats(0.0, 1.0),
            "rules": st.fixed_dictionaries(
                {},
                optional={
                    "locked": st.lists(names, max_size=4),
                    "ranges": st.dictionaries(names, st.lists(cells, min_size=2, max_size=2), max_size=3),
                    "allowed": st.dictionaries(names, st.lists(cells, max_size=3), max_size=2),
                    "directions": st.dictionaries(names, st.sampled_from(["increase", "decrease"]), max_size=2),
                    "max_changes": st.integers(0, 4),
                },
            ),
        },
    )
    seen = set()

    with serving(create_app(explainer, frame, time_limit=0.8)) as address, httpx.Client(base_url=address) as client:

        @settings(QUICK, max_examples=150)
        @given(questions, st.sampled_from(["explain", "why-not", "plan", "frontier", "answer.csv"]))
        def ask(question, path):
            body = json.dumps(question).encode()
            answer = client.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
            seen.add(answer.status_code)
            assert answer.status_code in (200, 422), (path, question, answer.text)

        ask()
        plain = {"row": {"income": 1e15, "years": -(10**15), "housing": "own"}, "target": "yes", "quantile": 0.9}
        for path in ("explain", "why-not", "plan", "frontier", "answer.csv"):
            assert client.post(f"/api/{path}", json=plain).status_code == 200
            odd = client.post(f"/api/{path}", json={**plain, "row": {**plain["row"], "housing": 5}})
            assert odd.status_code == 422
            assert "column 'housing' takes text, received 5" in odd.text
    assert 422 in seen
