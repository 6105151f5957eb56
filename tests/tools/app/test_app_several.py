"""Several answers, probabilities and scales of the explorer, against the explainer and the model themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
httpx = pytest.importorskip("httpx")

from elsewise.tools.app import create_app  # noqa: E402
from elsewise.tools.app.scales import Stretch  # noqa: E402
from tools.app.browsing import chromium, page_of  # noqa: E402
from tools.app.running import serving, small_explainer, small_table  # noqa: E402

RULES = ew.Constraints(bounds={"income": (0, 90)})


def skewed_table(n=400):
    """Rows with a column in which few are far from all others, and their labels."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({"amount": np.exp(rng.normal(3, 1.8, n)), "age": rng.uniform(20, 70, n), "debt": 0.0})
    frame["debt"] = np.where(rng.random(n) < 0.9, 0.0, np.exp(rng.normal(6, 1, n)))
    return frame, np.where(np.log(frame["amount"]) + frame["age"] / 20 + rng.normal(size=n) > 5.2, "yes", "no")


@pytest.fixture(scope="module")
def small():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels).with_constraints(RULES)
    app = create_app(explainer, frame, title="Small", target="yes")
    with serving(app) as address, httpx.Client(base_url=address) as client:
        yield client, explainer, frame, address


def refused(explainer, frame):
    return int(np.flatnonzero(explainer.model.predict(frame) == "no")[0])


def test_several_answers_are_those_of_the_explainer(small):
    client, explainer, frame, _ = small
    place = refused(explainer, frame)
    row = client.get("/api/rows", params={"offset": place, "limit": 1}).json()["rows"][0]["row"]
    asked = client.post("/api/answers", json={"row": row, "target": "yes", "n_counterfactuals": 4})
    assert asked.status_code == 200
    answers = asked.json()["answers"]
    direct = explainer.explain(frame.iloc[[place]], "yes", n_counterfactuals=4)
    assert [answer["distance"] for answer in answers] == pytest.approx(direct.distances.tolist())
    sets = [{change["column"] for change in answer["changes"]} for answer in answers]
    assert len(answers) > 1
    assert not any(one <= other for place, one in enumerate(sets) for other in sets[place + 1 :])
    for count in (0, 6, "3"):
        body = {"row": row, "target": "yes", "n_counterfactuals": count}
        assert client.post("/api/answers", json=body).status_code == 422


def test_the_chosen_answer_is_taken_away(small):
    client, explainer, frame, _ = small
    row = client.get("/api/rows", params={"offset": refused(explainer, frame), "limit": 1}).json()["rows"][0]["row"]
    body = {"row": row, "target": "yes", "n_counterfactuals": 3}
    answers = client.post("/api/answers", json=body).json()["answers"]
    assert len(answers) > 1
    for place, answer in enumerate(answers):
        chosen = {**body, "answer": place + 1}
        lines = client.post("/api/answer.csv", json=chosen).text.splitlines()
        assert any(line.startswith("sentence,") and line.count(answer["changes"][0]["column"]) for line in lines)
        told = next(line for line in lines if line.startswith("distance,"))
        assert float(told.split(",")[1]) == pytest.approx(answer["distance"])
        report = client.post("/api/report", json=chosen).text
        assert answer["changes"][0]["column"] in report
    assert client.post("/api/answer.csv", json={**body, "n_counterfactuals": 1, "answer": 2}).status_code == 422


def test_several_answers_of_a_table_of_numbers_are_given():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=["a", "b", "c"])
    labels = np.where(frame.sum(axis=1) > 0, "yes", "no")
    explainer = ew.Explainer(LogisticRegression().fit(frame, labels)).fit(frame, labels)
    place = refused(explainer, frame)
    with serving(create_app(explainer, frame)) as address, httpx.Client(base_url=address) as client:
        row = client.get("/api/rows", params={"offset": place, "limit": 1}).json()["rows"][0]["row"]
        asked = client.post("/api/answers", json={"row": row, "target": "yes", "n_counterfactuals": 3})
    assert asked.status_code == 200
    direct = explainer.explain(frame.iloc[[place]], "yes", n_counterfactuals=3)
    assert [answer["distance"] for answer in asked.json()["answers"]] == pytest.approx(direct.distances.tolist())


def test_probabilities_are_the_models_own(small):
    client, explainer, frame, _ = small
    place = refused(explainer, frame)
    row = client.get("/api/rows", params={"offset": place, "limit": 1}).json()["rows"][0]["row"]
    answer = client.post("/api/explain", json={"row": row, "target": "yes"}).json()
    after = frame.iloc[[place]].assign(
        **{name: value for name, value in answer["counterfactual"].items() if name != "note"}
    )
    chance = [explainer.model.predict_proba(rows)[0, 1] for rows in (frame.iloc[[place]], after)]
    assert [answer["probability_before"], answer["probability_after"]] == pytest.approx(chance)
    assert chance[0] < 0.5 <= chance[1]


def test_rules_that_are_kept_are_told(small):
    client = small[0]
    assert client.get("/api/about").json()["rules"] == ["income between 0 and 90"]


def test_skewed_columns_have_a_scale_on_which_they_are_seen():
    frame, labels = skewed_table()
    numbers = frame.to_numpy()
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(frame, labels), density=None).fit(frame, labels)
    scales = {profile.name: Stretch.of(profile) for profile in explainer.profiles_[None]}
    assert scales["age"] is None
    for name in ("amount", "debt"):
        stretch = scales[name]
        for label in (None, "yes", "no"):
            profile = next(each for each in explainer.profiles_[label] if each.name == name)
            edges, counts = stretch.bins(profile)
            values = numbers[:, list(frame.columns).index(name)] if label is None else frame[name][labels == label]
            assert counts.sum() == len(values)
            assert (counts >= 0).all()
            assert (np.diff(edges) > 0).all()
            assert (edges[0], edges[-1]) == (np.min(values), np.max(values))
            steps = np.diff(np.arcsinh((edges - stretch.middle) / stretch.unit))
            assert steps == pytest.approx(np.full(len(steps), steps[0]))
            # percentiles tell shares to one in a hundred
            exact = np.array([np.mean(values <= edge) for edge in edges[1:]])
            assert np.abs(np.cumsum(counts) / len(values) - exact).max() < 0.025
    even, odd = (np.histogram(frame["amount"], bins=40)[0], scales["amount"].bins(explainer.profiles_[None][0])[1])
    assert even.max() > 0.8 * len(frame) > 0.3 * len(frame) > odd.max()


def test_the_page_shows_rules_and_probabilities(small):
    address = small[3]
    with chromium() as browser, page_of(browser, address) as page:
        assert page.locator("#kept-rules-list li").all_text_contents() == ["income between 0 and 90"]
        assert "→" in page.locator("#facts").inner_text()
        assert "Probability of yes" in page.locator("#facts").inner_text()


def test_the_page_draws_skewed_columns_on_their_scale():
    frame, labels = skewed_table()
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(frame, labels)).fit(frame, labels)
    with serving(create_app(explainer, frame)) as address, chromium() as browser, page_of(browser, address) as page:
        page.wait_for_selector(".strip .bars rect")
        strips = page.locator(".column .strip")
        assert [("stretched" in strips.nth(place).get_attribute("class")) for place in range(3)] == [True, False, True]
        read = "(bar) => ['x', 'width'].map((name) => +bar.getAttribute(name))"
        bars = f"(each) => [...each.querySelectorAll('.bars rect')].map({read})"
        for place in range(3):
            drawn = np.array(strips.nth(place).evaluate(bars))
            assert (drawn[:, 0] >= 2).all()
            assert (drawn.sum(axis=1) <= 180).all()
        assert len(strips.nth(0).evaluate(bars)) > 10


@pytest.fixture(scope="module")
def iris_page(iris):
    X, y = iris
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    with serving(create_app(explainer, X[50:], title="Iris")) as address:
        yield explainer, X, address


def test_the_way_is_that_of_the_explainer(iris_page, small):
    explainer, X, address = iris_page
    with httpx.Client(base_url=address, timeout=20) as client:
        assert client.get("/api/about").json()["has_ways"]
        row = client.get("/api/rows", params={"offset": 10, "limit": 1}).json()["rows"][0]["row"]
        way = client.post("/api/path", json={"row": row, "target": "virginica"}).json()
        locked = {"row": row, "target": "virginica", "rules": {"ranges": {"x2": [None, 5.2]}}}
        held = client.post("/api/path", json=locked).json()
    direct = explainer.path(X[60], "virginica")
    assert way["length"] == pytest.approx(direct.length)
    assert way["sentence"] == direct.sentence
    assert len(way["steps"]) == len(direct)
    assert way["shares"] == pytest.approx(direct.profile.shares.tolist())
    assert way["probabilities"] == pytest.approx(direct.profile.probabilities.tolist())
    assert min(way["shares"][1:] if way["enters"] else way["shares"]) >= way["level"] - 1e-9 or way["enters"]
    assert held["length"] == pytest.approx(
        explainer.path(X[60], "virginica", constraints=ew.Constraints(bounds={"x2": (None, 5.2)})).length
    )
    assert held["length"] > way["length"]
    client, _, _, _ = small
    assert not client.get("/api/about").json()["has_ways"]
    row = client.get("/api/rows", params={"limit": 1}).json()["rows"][0]["row"]
    refusal = client.post("/api/path", json={"row": row, "target": "yes"})
    assert (refusal.status_code, "leads through numbers" in refusal.json()["detail"]) == (422, True)


def test_the_page_shows_the_way_when_asked(iris_page):
    with chromium() as browser, page_of(browser, iris_page[2]) as page:
        page.wait_for_selector("#way:not([hidden])")
        page.get_by_role("button", name="Show a path").click()
        page.wait_for_selector("#way-picture svg .line")
        assert page.locator("#way-steps li").count() >= 1
        assert page.locator("#way-button").is_hidden()
