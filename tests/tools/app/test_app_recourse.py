"""Levers and bands in the explorer: the same as the explainer's, in a real browser too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
httpx = pytest.importorskip("httpx")

import elsewise as ew  # noqa: E402
from elsewise.tools.app import create_app  # noqa: E402
from tools.app.browsing import chromium, page_of  # noqa: E402
from tools.app.running import serving, small_explainer, small_table  # noqa: E402

BANDS = [0.5, 0.7, 0.9]


@pytest.fixture(scope="module")
def small():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    app = create_app(explainer, frame, title="Small table", time_limit=60.0)
    refused = int(np.flatnonzero(explainer.model.predict(frame) == "no")[0])
    with serving(app) as address, httpx.Client(base_url=address, timeout=120.0) as client:
        yield client, explainer, frame, refused, address


def asked(small, path, **more):
    client, _, _, refused, _ = small
    row = client.get(f"/api/rows?offset={refused}&limit=1").json()["rows"][0]["row"]
    answered = client.post(path, json={"row": row, "target": "yes", "quantile": 0.5, **more})
    return answered.status_code, answered.json()


def test_levers_are_the_explainers(small):
    _, explainer, frame, refused, _ = small
    status, body = asked(small, "/api/levers")
    assert status == 200
    levers = explainer.levers(frame.iloc[refused], "yes")
    assert levers.enough
    assert [tuple(each["columns"]) for each in body["levers"]] == [lever.columns for lever in levers]
    assert [each["distance"] for each in body["levers"]] == pytest.approx([lever.distance for lever in levers])
    assert (body["n_not_enough"], body["n_unknown"]) == (len(levers.not_enough), 0)
    assert all(each["changes"] for each in body["levers"])
    held = {"locked": list(levers[0].columns)}
    kept = asked(small, "/api/levers", rules=held)[1]
    assert all(not set(each["columns"]) & set(held["locked"]) for each in kept["levers"])


def test_bands_are_the_explainers(small):
    _, explainer, frame, refused, _ = small
    status, body = asked(small, "/api/ladder", bands=BANDS)
    assert status == 200
    ladder = explainer.ladder(frame.iloc[refused], BANDS, target="yes")
    assert body["current"] is None
    assert [each["band"] for each in body["steps"]] == ["0.5", "0.7", "0.9"]
    assert [each["distance"] for each in body["steps"]] == pytest.approx(list(ladder.distances))
    status, body = asked(small, "/api/ladder", bands=[0.7, 0.5])
    assert status == 422
    assert "rising order" in body["detail"]


@pytest.mark.parametrize(("bands", "names"), [([0.0, 10.0], 2), ([10.0, 0.0], 2), ([5.0], 1)])
def test_bands_of_a_regressor_begin_at_numbers(bands, names):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(2)
    y = X @ np.array([5.0, 3.0, 1.0])
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X, y)
    app = create_app(explainer, X, time_limit=60.0)
    with serving(app) as address, httpx.Client(base_url=address, timeout=120.0) as client:
        about = client.get("/api/about").json()
        row = client.get("/api/rows?limit=1").json()["rows"][0]["row"]
        question = {"row": row, "target": {"low": 0.0}}
        body = client.post("/api/ladder", json={**question, "bands": bands}).json()
        again = client.post("/api/ladder", json={**question, "bands": [1.0, 1.0]})
    assert about["bands"] == sorted(about["bands"])
    assert len(body["steps"]) + (body["current"] is not None) <= names
    reached = [step["distance"] for step in body["steps"]]
    assert reached == sorted(reached)
    assert again.status_code == 422
    assert "all rising or all falling" in again.json()["detail"]


def test_the_page_draws_levers_and_bands(small):
    *_, refused, address = small
    status, levers = asked(small, "/api/levers")
    assert status == 200
    with chromium() as browser, page_of(browser, address) as page:
        page.locator("#row-number").fill(str(refused + 1))
        page.locator("#row-number").press("Enter")
        page.wait_for_selector("body:not(.busy)")
        page.wait_for_timeout(1200)  # plan, cards and frontier have come
        page.locator("#levers-button").click()
        page.wait_for_selector("#levers-steps li")
        heads = page.locator("#levers-steps strong").all_inner_texts()
        assert heads == [" + ".join(each["columns"]) for each in levers["levers"]]
        lengths = [
            float(each.get_attribute("width")) for each in page.locator("#levers-steps rect").all()
        ]  # of bars, which are distances
        distances = [each["distance"] for each in levers["levers"]]
        assert lengths == pytest.approx([420 * each / max(distances) for each in distances])
        page.locator("#ladder-bands").fill("50 %; 70 %; 90 %")
        page.locator("#ladder-button").click()
        page.wait_for_selector("#ladder-steps li")
        assert page.locator("#ladder-steps strong").all_inner_texts() == ["50 %", "70 %", "90 %"]
        page.locator("#ladder-bands").fill("some")
        page.locator("#ladder-button").click()
        page.wait_for_selector("#ladder-sentence:has-text('semicolons')")
        page.locator("#ladder-bands").fill("50; 60")
        page.locator("#ladder-button").click()
        page.wait_for_selector("#ladder-steps li:nth-child(2):last-child")
