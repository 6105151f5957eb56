"""Hostile requests: refused with a reason, never a 500, never anything unescaped or outside of the page's files."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
httpx = pytest.importorskip("httpx")

from elsewise.tools.app import create_app  # noqa: E402
from tools.app.running import (  # noqa: E402
    HOSTILE_COLUMN,
    HOSTILE_LEVEL,
    hostile_explainer,
    hostile_table,
    serving,
    small_explainer,
    small_table,
)

POSTS = ("/api/explain", "/api/frontier", "/api/plan", "/api/why-not", "/api/answer.csv", "/api/proof", "/api/report")


@pytest.fixture(scope="module")
def client():
    frame, labels = small_table()
    app = create_app(small_explainer(frame, labels), frame, most_bytes=20_000, body_time=1.0)
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


GOOD = {"row": {"income": 30.0, "years": 2, "housing": "rent"}, "target": "yes"}


def changed(**parts):
    return {**GOOD, **parts}


def in_row(**parts):
    return changed(row={**GOOD["row"], **parts})


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (changed(row={}), "income"),
        (in_row(extra=1), "extra"),
        (in_row(income="much"), "income"),
        (in_row(income=True), "income"),
        (in_row(income=None), "income"),
        (in_row(income=1e300), "row.income"),
        (in_row(income=10**30), "row.income"),
        (in_row(years=2.5), "years"),
        (in_row(housing=None), "housing"),
        (in_row(income=[1]), "row.income"),
        (changed(target="maybe"), "maybe"),
        (changed(target={"low": 1}), "classes"),
        (changed(quantile=0.0), "quantile"),
        (changed(quantile=1.5), "quantile"),
        (changed(quantile="0.5"), "quantile"),
        (changed(rules={"locked": ["nothing"]}), "nothing"),
        (changed(rules={"ranges": {"income": [5, 1]}}), "income"),
        (changed(rules={"ranges": {"income": [5]}}), "income"),
        (changed(rules={"ranges": {"housing": ["own", "rent"]}}), "housing"),
        (changed(rules={"allowed": {"housing": ["palace"]}}), "palace"),
        (changed(rules={"allowed": {"income": [1]}}), "income"),
        (changed(rules={"directions": {"housing": "increase"}}), "housing"),
        (changed(rules={"directions": {"income": "sideways"}}), "income"),
        (changed(rules={"max_changes": -1}), "max_changes"),
        (changed(rules={"max_changes": True}), "max_changes"),
        (changed(rules={"linear": ["income <= 1"]}), "linear"),
        (changed(unknown=1), "unknown"),
        ([], "object"),
        ("text", "object"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(client, question, said):
    for path in POSTS:
        answer = client.post(path, json=question)
        assert answer.status_code == 422, (path, answer.text)
        assert said in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b'{"row": {"income": NaN, "years": 2, "housing": "rent"}, "target": "yes"}',
        b'{"row": {"income": -Infinity, "years": 2, "housing": "rent"}, "target": "yes"}',
        b'{"row": {"income": 1e999, "years": 2, "housing": "rent"}, "target": "yes"}',
        b'{"row": {"income": ' + b"9" * 6000 + b', "years": 2, "housing": "rent"}, "target": "yes"}',
        b'{"row": {"income": 1, "years": 2, "housing": "rent"}, "target": "\\ud800"}',
        b'{"row": {"\\ud800": 1, "years": 2, "housing": "rent"}, "target": "yes"}',
        b"[" * 15_000,
        b'{"a":' * 3_000,
        b"null",
        b"0",
    ],
    ids=range(13),
)
def test_bodies_that_are_hardly_json_are_refused(client, body):
    for path in POSTS:
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), answer.text
        assert answer.json()["detail"]


def test_half_a_surrogate_pair_in_an_open_column_is_answered(client):
    body = json.dumps(in_row(housing="\ud800")).encode()
    for path in POSTS:
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (200, 422), (path, answer.text)


def test_oversized_bodies_are_refused_by_length_and_by_what_comes(client):
    large = json.dumps(in_row(housing="x" * 30_000)).encode()
    assert client.post("/api/explain", content=large).status_code == 413
    answer = client.post("/api/explain", content=(large[i : i + 1000] for i in range(0, len(large), 1000)))
    assert answer.status_code == 413
    assert "too large" in answer.json()["detail"]


def test_lengths_that_lie_do_not_hang_or_break_the_server(client):
    host, port = client.base_url.host, client.base_url.port
    for length in (b"-1", b"abc", b"99999999999999999999", b"1e3"):
        with socket.create_connection((host, port), 5) as raw:
            raw.sendall(b"POST /api/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + b"\r\n\r\n")
            assert raw.recv(64).split()[1] in (b"400", b"413")
    assert client.get("/api/about").status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(client):
    started = time.monotonic()
    with socket.create_connection((client.base_url.host, client.base_url.port), 10) as raw:
        head = "POST /api/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        raw.sendall(f"{head}Content-Length: 500\r\n\r\n{{".encode())
        assert raw.recv(64).split()[1] == b"408"
    assert time.monotonic() - started < 8


@pytest.mark.parametrize(
    "path",
    [
        "/static/../application.py",
        "/static/..%2fapplication.py",
        "/static/%2e%2e/%2e%2e/explainer.py",
        "/static//etc/passwd",
        "/static/....//....//etc/passwd",
        "/static/%00",
        "/static/..\\..\\explainer.py",
        "/../../etc/passwd",
        "/docs",
        "/api/rows/../../etc/passwd",
    ],
)
def test_paths_lead_nowhere_but_to_the_pages_files(client, path):
    host, port = client.base_url.host, client.base_url.port
    with socket.create_connection((host, port), 5) as raw:  # clients tidy paths up before they send them
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := raw.recv(65536):
            answer += part
    assert answer.split()[1] in (b"404", b"405", b"400"), answer[:200]
    assert b"root:" not in answer
    assert b"def " not in answer


def test_other_sites_are_refused(client):
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "["):
        assert client.get("/api/about", headers={"host": host}).status_code in (400, 421)
    for origin in ("http://evil.example", "null", "http://localhost.evil.example"):
        assert client.post("/api/explain", json=GOOD, headers={"origin": origin}).status_code == 403
    address = str(client.base_url).rstrip("/")
    assert client.post("/api/explain", json=GOOD, headers={"origin": address}).status_code == 200
    assert client.get("/api/about", headers={"host": f"localhost:{client.base_url.port}"}).status_code == 200


def test_every_answer_tells_browsers_to_be_strict(client):
    for answer in (
        client.get("/"),
        client.get("/static/main.js"),
        client.get("/api/about"),
        client.get("/nothing"),
        client.post("/api/explain", json={}),
        client.post("/api/explain", content=b"x" * 30_000),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_methods_and_types_are_refused_politely(client):
    assert client.get("/api/explain").status_code == 405
    assert client.delete("/api/about").status_code == 405
    assert client.post("/api/explain", content=b"row=1", headers={"content-type": "text/plain"}).status_code == 422
    assert client.get("/api/rows", params={"offset": -1}).status_code == 422
    assert client.get("/api/rows", params={"limit": 10**6}).status_code == 422
    assert client.get("/api/profiles", params={"target": 17}).status_code == 422


def test_names_and_levels_that_are_markup_come_back_as_json_and_nothing_else():
    frame, labels = hostile_table()
    explainer = hostile_explainer(frame, labels)
    with serving(create_app(explainer, frame, title="<h1>x")) as address, httpx.Client(base_url=address) as client:
        about = client.get("/api/about")
        assert about.headers["content-type"] == "application/json"
        assert about.json()["columns"][0]["name"] == HOSTILE_COLUMN
        row = client.get("/api/rows").json()["rows"][0]
        target = next(label for label in about.json()["classes"] if label != row["prediction"])
        answer = client.post("/api/explain", json={"row": row["row"], "target": target})
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["status"] == "optimal"
        report = client.post("/api/report", json={"row": row["row"], "target": target})
        if report.status_code != 404:
            assert report.status_code == 200
            assert HOSTILE_COLUMN not in report.text
            assert HOSTILE_LEVEL not in report.text
            assert report.headers["content-disposition"].startswith("attachment")


def test_a_question_that_takes_too_long_ends_in_time_with_a_status():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    app = create_app(explainer, frame, time_limit=0.5)
    slow = explainer.model.predict

    def sleepy(X):
        ends = time.monotonic() + 20
        while time.monotonic() < ends:
            sum(range(100))
        return slow(X)

    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        explainer.model.predict = sleepy
        started = time.monotonic()
        answer = client.post("/api/explain", json=GOOD)
        assert time.monotonic() - started < 8
        assert (answer.status_code, answer.json()["status"]) == (200, "timeout")
        assert "timeout" in client.post("/api/answer.csv", json=GOOD).text
        assert client.post("/api/report", json=GOOD).status_code == 503
        why = client.post("/api/why-not", json=GOOD).json()
        assert why["reason"] == "timeout"
        del explainer.model.predict
        assert client.post("/api/explain", json=GOOD).json()["status"] == "optimal"


def test_more_questions_than_can_wait_are_refused_and_the_server_goes_on():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    app = create_app(explainer, frame, most_waiting=4, n_threads=1)
    statuses = []

    def ask(address):
        with httpx.Client(base_url=address, timeout=30) as client:
            statuses.extend(client.post("/api/explain", json=GOOD).status_code for _ in range(5))

    with serving(app) as address:
        threads = [threading.Thread(target=ask, args=(address,)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert len(statuses) == 80
        assert set(statuses) <= {200, 503}
        assert 200 in statuses
        with httpx.Client(base_url=address) as client:
            assert client.post("/api/explain", json=GOOD).status_code == 200
