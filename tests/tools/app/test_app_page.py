"""What people see on the page: cards, names, languages, locks, notes, the row picker and the token."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew

pandas = pytest.importorskip("pandas")
pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
httpx = pytest.importorskip("httpx")

from elsewise.tools.app import create_app  # noqa: E402
from tools.app.browsing import chromium, page_of  # noqa: E402
from tools.app.running import serving  # noqa: E402

TOKEN = "a-token-that-is-long-enough"
LABELS = {"bp": ("Blutdruck", "mm Hg"), "age": "Alter", "calls": {-1: "nie angerufen"}}


def table(n=300):
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "bp": rng.normal(130, 15, n).round(),
            "bmi": rng.normal(27, 4, n).round(1),
            "calls": rng.integers(-1, 6, n),
        }
    )
    score = (frame["bp"] - 130) / 15 + (frame["bmi"] - 27) / 4 + (frame["calls"] - 2) / 3
    return frame, np.where(score + rng.normal(0, 0.5, n) > 1.2, 1, 0)


@pytest.fixture(scope="module")
def explainer():
    frame, labels = table()
    return ew.Explainer(
        LogisticRegression(max_iter=5000).fit(frame, labels),
        threshold=0.6,
        constraints=ew.Constraints(immutable=["age"]),
        labels=LABELS,
        outcomes={0: "gesund", 1: "krank"},
        language="de",
    ).fit(frame, labels)


@pytest.fixture(scope="module")
def address(explainer):
    with serving(create_app(explainer, table()[0], title="Praxis", target=0)) as place:
        yield place


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


def test_the_page_speaks_the_language_and_uses_the_names(browser, address, explainer):
    frame, _ = table()
    with page_of(browser, address) as page:
        assert page.evaluate("() => document.documentElement.lang") == "de"
        assert page.locator("#prediction").inner_text() == "krank"
        assert page.locator("#target option:checked").inner_text() == "gesund"
        place = int(np.flatnonzero(explainer.model.predict(frame) == 1)[0])
        direct = explainer.explain_one(frame.iloc[place], 0)
        assert page.locator("#sentence").inner_text() == direct.sentence
        assert "Blutdruck" in page.locator("#columns").inner_text()
        assert page.locator("#badge").inner_text() == "Als kleinste bewiesen"
        told = page.locator("#bar-distance").inner_text()
        assert float(told.removeprefix("Abstand ").replace(",", ".")) == pytest.approx(direct.distance, rel=1e-3)
        text = page.locator("body").inner_text()
        for word in ("The model", "Copy link", "{{", "undefined", " now "):
            assert word not in text


def test_columns_that_rules_fix_are_locked_and_say_why(browser, address):
    with page_of(browser, address) as page:
        lock = page.locator(".column", has_text="Alter").locator(".lock")
        assert lock.is_disabled()
        assert lock.get_attribute("aria-pressed") == "true"
        assert page.locator(".column", has_text="Alter").locator(".tools").inner_text() == "Alter bleibt unverändert"


def test_values_beyond_all_training_rows_get_a_note(browser, address):
    with page_of(browser, address) as page:
        note = page.locator(".column", has_text="Blutdruck").locator(".outside")
        assert note.is_hidden()
        page.locator("#columns").get_by_label("Blutdruck").first.fill("400")
        assert "außerhalb aller Trainingszeilen" in note.inner_text()


def test_cards_hold_the_smallest_changes_of_one_two_and_three_columns(browser, address, explainer):
    frame, _ = table()
    rows = np.flatnonzero(explainer.model.predict(frame) == 1)
    answers = explainer.explain(frame.iloc[rows], 0)
    place = int(rows[np.argmax([len(answer.changes) for answer in answers])])
    answer = explainer.explain_one(frame.iloc[place], 0)
    assert len(answer.changes) >= 2
    with page_of(browser, address) as page:
        page.fill("#row-number", str(place + 1))
        page.keyboard.press("Enter")
        cards = page.locator("#cards .card")
        page.locator("#sentence").filter(has_text=answer.sentence).wait_for()  # those of the first row are gone
        page.wait_for_selector("#cards:not([hidden])")
        few = [explainer.constraints & ew.Constraints(max_changes=count) for count in range(1, len(answer.changes))]
        fewer = [explainer.explain_one(frame.iloc[place], 0, constraints=rules) for rules in few]
        n_none = sum(not best.found for best in fewer)
        assert [best.found for best in fewer] == [False] * n_none + [True] * (len(fewer) - n_none)
        if n_none:  # one card says it of all of them
            said = cards.first.inner_text()
            assert "keine Antwort (bewiesen)" in said
            assert (f"Bis zu {n_none} Änderungen" if n_none > 1 else "1 Änderung") in said
        for turn, best in enumerate(fewer[n_none:], n_none > 0):
            assert f"Abstand {best.distance:.3f}".rstrip("0").replace(".", ",") in cards.nth(turn).inner_text()
        assert cards.count() == (n_none > 0) + len(fewer) - n_none + 1
        chosen = page.locator("#cards button").first
        chosen.click()
        with page.expect_download() as download:
            page.locator("#take-csv").click()
        taken = download.value.path().read_text(encoding="utf-8-sig")
        assert page.locator("#sentence").inner_text().split("(")[0] in taken.replace('""', '"')


def asked(explainer, place, **more):
    (row,) = table()[0].iloc[[place]].to_dict("records")
    return {"row": row, "target": 0, "quantile": 0.6, **more}


def test_the_map_is_what_model_density_and_distance_say(address, explainer):
    frame, _ = table()
    place = int(np.flatnonzero(explainer.model.predict(frame) == 1)[0])
    answer = explainer.explain_one(frame.iloc[place], 0)
    drawn = httpx.post(f"{address}/api/map", json=asked(explainer, place, columns=["bmi", "bp"])).json()
    assert drawn["columns"] == ["bmi", "bp"]
    assert drawn["then"] == pytest.approx([answer.counterfactual["bmi"], answer.counterfactual["bp"]])
    n_across, n_up = len(drawn["lines"][0]), len(drawn["lines"])
    across, up = np.linspace(*drawn["across"], n_across), np.linspace(*drawn["up"], n_up)
    points = pandas.DataFrame([answer.counterfactual] * (n_across * n_up)).reset_index(drop=True)
    points["bmi"], points["bp"] = (each.ravel() for each in np.meshgrid(across, up))
    kinds = np.array([[int(digit) for digit in line] for line in drawn["lines"]]).ravel()
    assert (explainer.model.predict(points[frame.columns]) == 0).tolist() == (kinds % 2 == 1).tolist()
    log_density = explainer.densities_[0].log_max(explainer.fitted_.density_rows(explainer.table_.encode(points)))
    assert (log_density >= answer.log_threshold).tolist() == (kinds // 2 % 2 == 1).tolist()
    assert not (kinds == 7).any()  # nothing smaller is both
    assert (kinds >= 4).any()


def test_a_map_without_an_answer_is_empty(address, explainer):
    place = int(np.flatnonzero(explainer.model.predict(table()[0]) == 1)[0])
    none = asked(explainer, place, rules={"locked": ["bp", "bmi", "calls"]})
    assert httpx.post(f"{address}/api/map", json=none).json()["lines"] == []
    assert httpx.post(f"{address}/api/map", json=asked(explainer, place, columns=["bp"])).status_code == 422
    assert "pulse" in httpx.post(f"{address}/api/map", json=asked(explainer, place, columns=["bp", "pulse"])).text


def test_the_row_is_moved_on_the_map_by_keys_and_by_mouse(browser, address):
    with page_of(browser, address) as page:
        page.wait_for_selector("#map .handle")
        page.select_option("#map-across", "bmi")
        page.select_option("#map-up", "bp")
        page.wait_for_function(
            "() => document.querySelector('#map svg').getAttribute('aria-label').includes('bmi und')"
        )
        before, sentence = page.input_value("#column-2"), page.locator("#sentence").inner_text()
        page.locator("#map .handle").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(said) => document.getElementById('sentence').textContent !== said", arg=sentence)
        assert float(page.input_value("#column-2")) > float(before)
        now = page.input_value("#column-2")
        box = page.locator("#map .now").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 30, y + 30, steps=5)
        page.mouse.up()
        page.wait_for_function("(now) => document.getElementById('column-2').value !== now", arg=now)
        assert float(page.input_value("#column-2")) < float(now)


def test_rows_are_searched_filtered_and_sorted(address, explainer):
    frame, _ = table()
    with httpx.Client(base_url=address) as client:
        found = client.get("/api/rows", params={"prediction": 1, "sort": "-bp", "limit": 500}).json()
        refused = frame[explainer.model.predict(frame) == 1]
        assert found["total"] == len(refused)
        assert [known["row"]["bp"] for known in found["rows"]] == sorted(refused["bp"], reverse=True)
        value = frame["bmi"].iloc[7]
        rows = client.get("/api/rows", params={"search": f"{value}"}).json()["rows"]
        assert 7 in [known["number"] for known in rows]
        assert all(f"{value}" in json.dumps(known["row"]) for known in rows)
        assert client.get("/api/rows", params={"search": "nothing like it"}).json()["total"] == 0
        assert client.get("/api/rows", params={"sort": "nonsense"}).status_code == 422


def test_a_person_without_the_token_is_asked_for_it(browser, explainer):
    with serving(create_app(explainer, table()[0], token=TOKEN)) as address:
        assert httpx.get(f"{address}/").json()["detail"].startswith("A token is needed")
        page = browser.new_page()
        page.goto(address)
        assert page.locator("h1").inner_text() == "Diese Seite braucht einen Schlüssel"
        page.fill("input[name=token]", TOKEN)
        page.keyboard.press("Enter")
        page.wait_for_selector("#badge:not(:empty)")
        page.close()
