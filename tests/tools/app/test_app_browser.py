"""The page in a real browser: what people do, and what they see."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")

import elsewise as ew
from elsewise.tools.app import create_app
from elsewise.tools.app.serving import demos
from tools.app.browsing import MOVE, chromium, page_of
from tools.app.running import (
    HOSTILE_COLUMN,
    HOSTILE_LEVEL,
    hostile_explainer,
    hostile_table,
    serving,
    small_explainer,
    small_table,
)

# In order of luminance weight; see WCAG 2.2, relative luminance and contrast ratio.
CONTRAST = """() => {
  const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const read = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = read(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("[hidden], .skip, .toast, dialog, noscript, svg, option, :disabled")) continue;
    if (element.getClientRects().length === 0) continue;
    const [a, b] = [luminance(read(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${element.className || element.id}: ${ratio.toFixed(2)}`);
  }
  return poor;
}"""

UNLABELLED = """() => [...document.querySelectorAll("input, select, button, textarea")]
  .filter((each) => !(each.labels?.length || each.getAttribute("aria-label") || each.textContent.trim()))
  .map((each) => each.outerHTML)"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def small():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    with serving(create_app(explainer, frame, title="Small table")) as address:
        yield address, explainer, frame


@pytest.fixture(scope="module")
def breast_cancer():
    demo = demos.breast_cancer()
    with serving(create_app(demo.explainer, demo.rows, title=demo.title)) as address:
        yield address, demo


def fact(page, name):
    return page.locator("#facts div", has_text=name).locator("dd").inner_text()


def after_answer(page, act):
    """Do something and wait until the page has answered it and no question is open."""
    page.evaluate(
        "() => { window.answers ??= 0; if (!window.counting) { window.counting = true;"
        " document.addEventListener('answered', () => { window.answers += 1; }); } }"
    )
    before = page.evaluate("() => window.answers")
    act()
    for _ in range(200):
        if page.evaluate("() => window.answers > " + str(before) + " && !document.body.classList.contains('busy')"):
            return
        page.wait_for_timeout(25)
    raise AssertionError("no answer followed")


def test_pick_a_row_and_its_answer_is_the_explainers(browser, small):
    address, explainer, frame = small
    with page_of(browser, address) as page:
        page.get_by_role("button", name="Choose…").click()
        predictions = explainer.model.predict(frame)
        place = int(np.flatnonzero(predictions == "no")[3])
        after_answer(page, page.get_by_role("button", name=f"Row {place + 1}, the model says no").click)
        assert page.locator("#row-number").input_value() == str(place + 1)
        assert page.locator("#prediction").inner_text() == "no"
        assert float(page.get_by_label("income", exact=True).input_value()) == frame["income"].iloc[place]
        page.get_by_label("You want").select_option(label="yes")
        page.wait_for_timeout(300)
        direct = explainer.explain_one(frame.iloc[[place]], "yes")
        assert float(fact(page, "Distance")) == pytest.approx(direct.distance, rel=1e-3)
        assert page.locator("#sentence").inner_text() == direct.sentence
        assert page.locator("#badge").inner_text() == "Proven smallest"
        changed = page.locator(".column.changes > label").all_inner_texts()
        assert sorted(changed) == sorted(change.feature for change in direct.changes)


def test_the_steps_of_the_plan_are_reached_by_keyboard(browser, small):
    address, explainer, frame = small
    predictions = explainer.model.predict(frame)
    with page_of(browser, address) as page:
        for place in np.flatnonzero(predictions == "no").tolist():
            plan = explainer.plan(explainer.explain_one(frame.iloc[[place]], "yes"))
            if len(plan) > 1:
                break
        page.locator("#row-number").fill(str(place + 1))
        after_answer(page, lambda: page.locator("#row-number").press("Enter"))
        page.wait_for_selector("#plan:not([hidden])")
        steps = page.locator("#plan-steps button")
        assert steps.count() == len(plan)
        first = plan.steps[0].changes[0]
        assert first.feature in steps.nth(0).inner_text()
        assert "the least typical row" in page.locator("#plan-stage").inner_text()
        steps.nth(0).focus()
        page.keyboard.press("Enter")
        assert steps.nth(0).get_attribute("aria-pressed") == "true"
        assert page.locator("#plan-stage").inner_text().startswith(f"After step 1 of {len(plan)} the model says")
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.textContent") == steps.nth(1).inner_text()
        assert page.evaluate(UNLABELLED) == []
        assert page.evaluate(CONTRAST) == []


def test_moving_the_slider_changes_the_numbers_and_the_link(browser, breast_cancer):
    address, _ = breast_cancer
    with page_of(browser, address) as page:
        page.evaluate(MOVE, 0.1)
        near, near_values = float(fact(page, "Distance")), page.locator(".after-value").all_inner_texts()
        page.evaluate(MOVE, 0.9)
        far, far_values = float(fact(page, "Distance")), page.locator(".after-value").all_inner_texts()
        assert near < far
        assert near_values != far_values
        assert page.locator("#quantile-out").inner_text() == "90 %"
        page.locator("#quantile").focus()
        after_answer(page, lambda: page.keyboard.press("ArrowLeft"))
        assert page.locator("#quantile-out").inner_text() == "89 %"


def test_the_answer_is_told_to_be_as_plausible_as_the_slider_asks(browser, breast_cancer):
    with page_of(browser, breast_cancer[0]) as page:
        for asked in (0.14, 0.28, 0.29, 0.57, 0.6):
            page.evaluate(MOVE, asked)
            slider = int(page.locator("#quantile-out").inner_text().removesuffix(" %"))
            assert slider == round(100 * asked)
            assert int(fact(page, "As typical as").split(" %")[0]) >= slider
            (told,) = re.findall(r"at least as typical as (\d+) %", page.locator("#sentence").inner_text())
            assert int(told) >= slider


def test_locking_a_column_keeps_it(browser, breast_cancer):
    address, demo = breast_cancer
    with page_of(browser, address) as page:
        name = page.locator(".column.changes > label").first.inner_text()
        row = np.asarray(demo.rows)[int(page.locator("#row-number").input_value()) - 1]
        target = page.locator("#target option:checked").inner_text()
        after_answer(page, page.get_by_role("button", name=f"Lock {name}").click)
        assert page.get_by_role("button", name=f"Lock {name}").get_attribute("aria-pressed") == "true"
        assert name not in page.locator(".column.changes > label").all_inner_texts()
        direct = demo.explainer.explain_one(row, target, constraints=ew.Constraints(immutable=[name]))
        assert float(fact(page, "Distance")) == pytest.approx(direct.distance, rel=1e-3)


def test_typing_a_value_changes_the_row_and_can_be_undone(browser, small):
    address, _, _ = small
    with page_of(browser, address) as page:
        income = page.get_by_label("income", exact=True)
        was = income.input_value()
        after_answer(page, lambda: income.fill("99"))
        assert page.locator("#prediction").inner_text() == "yes"
        assert page.locator("#row-note").inner_text() == "edited"
        after_answer(page, page.get_by_role("button", name="Undo edits").click)
        assert income.input_value() == was
        income.fill("")
        assert income.get_attribute("aria-invalid") == "true"


def test_a_range_is_kept(browser, small):
    address, explainer, frame = small
    place = int(np.flatnonzero(explainer.model.predict(frame) == "no")[5])
    with page_of(browser, address) as page:
        page.locator("#row-number").fill(str(place + 1))
        after_answer(page, lambda: page.locator("#row-number").press("Enter"))
        page.get_by_label("You want").select_option(label="yes")
        high = float(frame["income"].iloc[place]) + 1.0
        page.get_by_role("button", name="Limits of income").click()
        after_answer(page, lambda: page.locator(".limits:visible").get_by_label("At most").fill(str(high)))
        value = page.locator(".column", has=page.get_by_label("income", exact=True)).locator(".after-value")
        shown = value.inner_text().replace("−", "-")
        assert not shown or float(shown) <= high + 0.01


def test_where_there_is_no_answer_the_reason_is_told_and_a_button_helps(browser, small):
    address, _, _ = small
    with page_of(browser, address) as page:
        for name in ("income", "years", "housing"):
            after_answer(page, page.get_by_role("button", name=f"Lock {name}").click)
        page.wait_for_selector(".relief")
        assert page.locator("#badge").inner_text() == "Proven: no answer"
        sentence = page.locator("#sentence").inner_text()
        assert "stays as it is" in sentence
        assert page.locator(".column.changes").count() == 0
        after_answer(page, page.locator(".relief").first.click)
        assert page.locator("#badge").inner_text() == "Proven smallest"
        assert page.locator("[aria-pressed=true]").count() < 3
        assert not page.locator("#reliefs").is_visible()


def test_a_link_holds_the_whole_state(browser, small):
    address, _, _ = small
    with page_of(browser, address) as page:
        page.evaluate(MOVE, 0.73)
        after_answer(page, page.get_by_role("button", name="Lock years").click)
        after_answer(page, lambda: page.get_by_label("income", exact=True).fill("31.5"))
        after_answer(page, lambda: page.get_by_label("Changes at most").select_option("2"))
        link, sentence = page.url, page.locator("#sentence").inner_text()
    with page_of(browser, link) as page:
        assert page.locator("#quantile-out").inner_text() == "73 %"
        assert page.get_by_label("income", exact=True).input_value() == "31.5"
        assert page.get_by_role("button", name="Lock years").get_attribute("aria-pressed") == "true"
        assert page.get_by_label("Changes at most").input_value() == "2"
        assert page.locator("#sentence").inner_text() == sentence
    for broken in ("#q=%%%", "#q=e30", "#q=" + "A" * 5000, "#<script>"):
        with page_of(browser, f"{address}/{broken}") as page:
            assert page.locator("#badge").inner_text()


def test_answers_can_be_taken_away(browser, small):
    address, _, _ = small
    with page_of(browser, address) as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        text = download.value.path().read_text()
        assert text.startswith("column,before,after")
        with page.expect_download() as download:
            page.locator("#take-proof").click()
        assert download.value.path().read_bytes()[:2] == b"\x1f\x8b"
        page.locator("#proof-said").filter(has_text="checked by an independent program").wait_for()
        if page.locator("#take-report").is_visible():
            with page.expect_download() as download:
                page.locator("#take-report").click()
            assert "<html" in download.value.path().read_text().lower()


def test_names_and_levels_that_are_markup_are_shown_as_text(browser):
    frame, labels = hostile_table()
    app = create_app(hostile_explainer(frame, labels), frame, title="<u>title</u>")
    with serving(app) as address, page_of(browser, address) as page:
        assert page.locator("h1").inner_text() == "<u>title</u>"
        assert page.locator(".column > label").first.inner_text() == HOSTILE_COLUMN
        assert HOSTILE_LEVEL in page.locator(".column select").first.inner_text()
        page.get_by_role("button", name="Choose…").click()
        page.wait_for_selector("#picker-rows button")
        assert page.locator("main img, main script, main b, dialog img, dialog script, .column i").count() == 0
        assert page.evaluate("() => document.title") == "<u>title</u> · elsewise"
        page.keyboard.press("Escape")
        page.get_by_role("link", name="API").click()
        page.wait_for_selector(".operation")
        assert page.locator("img, main script").count() == 0


def test_a_phone_shows_everything_without_sideways_scrolling(browser, small, breast_cancer):
    for address in (small[0], breast_cancer[0]):
        with page_of(browser, address, viewport={"width": 375, "height": 740}, has_touch=True) as page:
            assert page.evaluate("() => document.documentElement.scrollWidth") <= 375
            page.evaluate(MOVE, 0.3)
            assert page.locator("#quantile-out").inner_text() == "30 %"
            lock = page.locator(".lock").first
            box = lock.bounding_box()
            assert min(box["width"], box["height"]) >= 40
            after_answer(page, lock.tap)
            assert lock.get_attribute("aria-pressed") == "true"


def test_digits_are_shown_as_images(browser):
    demo = demos.digits()
    app = create_app(demo.explainer, demo.rows, title=demo.title, image_shape=demo.image_shape)
    with serving(app) as address, page_of(browser, address) as page:
        assert page.locator("#pictures svg.picture").count() == 3
        before = page.locator("#pictures svg.picture").last.inner_html()
        page.evaluate(MOVE, 0.95)
        assert page.locator("#pictures svg.picture").last.inner_html() != before
        page.get_by_role("button", name="Choose…").click()
        page.wait_for_selector("#picker-rows svg.picture")
        times = [page.evaluate(MOVE, round(0.2 + place / 100, 2)) for place in range(10)]
        assert np.median(times) < 1000  # generous: benchmarks/slider.py measures


def test_slider_moves_are_answered_quickly(browser, breast_cancer):
    with page_of(browser, breast_cancer[0]) as page:
        times = [page.evaluate(MOVE, round(0.2 + place / 100, 2)) for place in range(20)]
        assert np.median(times) < 500  # generous: benchmarks/slider.py measures


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_and_controls_have_names(browser, small, scheme):
    with page_of(browser, small[0], color_scheme=scheme) as page:
        page.get_by_role("button", name="Limits of income").click()
        page.get_by_role("button", name="Limits of housing").click()
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(UNLABELLED) == []
        page.get_by_role("link", name="API").click()
        page.wait_for_selector(".operation")
        assert page.evaluate(CONTRAST) == []


def test_the_keyboard_reaches_everything(browser, small):
    with page_of(browser, small[0]) as page:
        seen = []
        for _ in range(40):
            page.keyboard.press("Tab")
            seen.append(page.evaluate("() => document.activeElement.id || document.activeElement.className"))
        for wanted in ("share", "row-number", "choose", "target", "quantile", "most", "column-0", "lock", "more"):
            assert any(wanted in each for each in seen), (wanted, seen)


def test_the_reference_page_tries_requests(browser, small):
    with page_of(browser, small[0]) as page:
        page.goto(f"{small[0]}/api/reference")
        section = page.locator(".operation", has_text="/api/explain").first
        section.locator("summary").click()
        section.get_by_role("button", name="Send").click()
        page.wait_for_selector(".operation pre:not([hidden])")
        shown = section.locator("pre").inner_text()
        assert shown.startswith("200")
        assert json.loads(shown.split("\n", 1)[1])["status"] == "optimal"
