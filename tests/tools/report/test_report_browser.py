"""The report in a browser: from a disk, without a network, without scripts, on a phone, on paper."""

from __future__ import annotations

import re
import shutil

import pytest

from elsewise.tools.report import write_report

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def report(loans, asked, tmp_path_factory):
    rules, answers = asked
    path = tmp_path_factory.mktemp("browser") / "report.html"
    write_report(loans.explainer, answers, path, constraints=rules)
    return path.as_uri(), answers


@pytest.fixture
def opened(browser, report):
    """A function that opens the report in a page of some kind, and what went wrong or was asked of the network."""
    pages = []

    def open_page(**options):
        page = browser.new_page(**options)
        pages.append(page)
        trouble = []
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url) if request.url != report[0] else None)
        page.goto(report[0])
        return page, trouble

    yield open_page
    for page in pages:
        page.close()


def shown(page):
    return page.eval_on_selector_all("article", "all => all.filter(a => !a.hidden).map(a => a.id)")


def test_rows_can_be_found_and_ordered(opened, report):
    page, trouble = opened()
    answers = report[1]
    assert len(shown(page)) == len(answers)
    page.select_option("select[name=status]", "infeasible")
    assert len(shown(page)) == int((answers.statuses == "infeasible").sum())
    assert page.inner_text(".tools output") == f"{len(shown(page))} of {len(answers)}"
    page.select_option("select[name=status]", "")
    page.select_option("select[name=order]", "near")
    found = [float(text) for text in page.eval_on_selector_all("article", "all => all.map(a => a.dataset.d)") if text]
    assert found == sorted(found)
    assert len(found) == int(answers.found.sum())
    page.select_option("select[name=order]", "")
    assert shown(page) == [f"r{place}" for place in range(len(answers))]
    page.fill("input[name=find]", "HOUSING own (now")
    page.wait_for_timeout(300)
    assert 0 < len(shown(page)) < len(answers)
    assert trouble == []


def test_it_reads_without_scripts(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report[0])
    assert page.locator("article").count() == len(report[1])
    assert page.locator("article .ew-sentence").first.is_visible()
    assert not page.locator("form.tools").is_visible()
    page.locator("article details summary").last.click()
    assert page.locator("article details .values").last.is_visible()
    context.close()


def test_nothing_is_wider_than_a_phone(opened):
    page, trouble = opened(viewport={"width": 360, "height": 700})
    page.eval_on_selector_all("details", "all => all.forEach(d => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert trouble == []


def test_paper_shows_what_is_folded_away_and_no_tools(opened):
    page, _ = opened(color_scheme="dark")
    folded = page.locator("details.on-paper:not([open])").first
    assert folded.count() == 1
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("form.tools").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.on-paper:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.on-paper:not([open])").count() >= 1


def test_nothing_is_wider_than_a_letter(opened):
    page, _ = opened(viewport={"width": 710, "height": 960})  # 8.5 inches less the margins
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    ends = "all => all.map((each) => each.getBoundingClientRect()).filter((box) => box.width).map((box) => box.right)"
    assert max(page.eval_on_selector_all("table, svg, p, li", ends)) <= 711


def test_pictures_are_drawn(opened):
    """Marks of a row and its distribution have a size: references into the page are found."""
    page, _ = opened()
    picture = page.locator("article svg.pic").first
    picture.scroll_into_view_if_needed()
    sizes = picture.evaluate("svg => [...svg.querySelectorAll('use')].map(u => u.getBBox().height)")
    assert len(sizes) == 5
    assert all(size > 0 for size in sizes)


def test_one_row_fits_on_one_sheet(browser, loans, asked, tmp_path):
    rules, answers = asked
    place = next(place for place, answer in enumerate(answers) if answer.found and answer.changes)
    write_report(loans.explainer, answers[place], tmp_path / "one.html", constraints=rules, title="A decision")
    page = browser.new_page()
    page.goto((tmp_path / "one.html").as_uri())
    assert page.locator("nav").count() == 0
    assert page.locator("#rows .ew-sentence").inner_text().startswith("The model says no")
    assert page.locator("#proven").is_visible()
    assert not page.locator("#model").is_visible()  # folded
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="Letter"))
    assert len(sheets) == 1
    page.close()


def test_people_come_before_the_method(opened):
    page, _ = opened()
    order = page.evaluate("() => [...document.querySelectorAll('main > section')].map((each) => each.id)")
    assert order.index("rows") < order.index("guarantees") < order.index("rules")
