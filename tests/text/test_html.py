"""Text and HTML: well-formed, escaped, self-contained, small, and they say what the answers say."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.reasons import ProofUnfinished, Told
from elsewise.text.numbers import number

HOSTILE = '<script>alert("x")</script>'
NAMES = {
    "amount": HOSTILE,
    "age": 'a" onmouseover="alert(1)\n& <b>bold</b>',
    "housing": "' & &lt;img src=x onerror=alert(1)&gt; " + "very long " * 40,
}
LEVELS = ["</td></table><h1>rent</h1>", "own & 'free' \"house\"", "\x1b[31mred\u202e" + "l" * 300]
LABELS = ["<i>bad</i>", "</style><script>good()</script>"]


class Page(HTMLParser):
    """Reads a fragment strictly: every tag is closed in order; collects tags, attributes and text."""

    def __init__(self, fragment):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.cells = [], [], [], []
        self.style, self.text = "", ""
        self.feed(fragment)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += attrs
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text += data
        if self.open[-1:] != ["tr"] and ("td" in self.open or "th" in self.open):
            self.cells[-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl):
        raise AssertionError(f"a declaration: {decl}")


def check(fragment):
    """Read a fragment and check what must hold of any."""
    page = Page(fragment)
    assert page.tags[:2] == ["div", "style"]
    assert page.tags.count("style") == 1
    allowed = {"div", "style", "p", "em", "code", "span", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert set(page.tags) <= allowed
    assert {name for name, _ in page.attributes} <= {"class", "title", "scope", "role", "aria-label", "style"}
    for name, value in page.attributes:
        if name == "style":
            assert re.fullmatch(r"width:\d+\.\d%", value)
        if name == "class":
            assert re.fullmatch(r"elsewise|ew-[a-z]+", value)
    assert not re.search(r"url\(|@import|https?:|expression|javascript", page.style)
    assert "@media (prefers-color-scheme: dark)" in page.style
    assert "color-scheme: light dark" in page.style
    assert page.text.isprintable()
    rules = re.findall(r"(?:^|})\s*([^{}@/]+)\{", re.sub(r"/\*.*?\*/", "", page.style, flags=re.DOTALL))
    for rule in rules:  # nothing outside of the fragment is styled
        assert all(".elsewise" in part for part in rule.split(",")), rule
    return page


@pytest.fixture(scope="module")
def hostile():
    """A table, its labels and its explainer, with markup wherever a user can put it."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    n = 200
    good = np.arange(n) % 2 == 1
    frame = pandas.DataFrame(
        {
            NAMES["amount"]: rng.normal(np.where(good, 30_000, 60_000), 8_000).round(2),
            NAMES["age"]: rng.poisson(np.where(good, 45, 30)),
            NAMES["housing"]: np.where(rng.random(n) < np.where(good, 0.8, 0.2), LEVELS[1], rng.choice(LEVELS, n)),
        },
        index=[f"<b>row {i}</b>" for i in range(n)],
    )
    label = np.array(LABELS)[good.astype(int)]
    encode = make_column_transformer(
        (StandardScaler(), [NAMES["amount"], NAMES["age"]]), (OneHotEncoder(), [NAMES["housing"]])
    )
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    return ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1)).fit(frame, label), frame


@pytest.fixture(scope="module")
def answers(iris_explainer, iris):
    return iris_explainer.explain(iris[0][::10], "versicolor")


def _check_bound(text, one):
    """What is written of the proof is no more than was proven, and not much less."""
    assert float(re.search(r"distance ([\d.]+), proven smallest", text)[1]) == pytest.approx(one.distance, rel=6e-4)
    assert one.status == "optimal"
    open_text = str(replace(one, status="feasible", lower_bound=0.9 * one.distance, gap=0.1))
    assert ", proven smallest" not in open_text
    if one.distance:
        bound = float(re.search(r"the smallest is at least (\S+) \(gap 10 %\)", open_text)[1])
        assert 0.9 * one.distance * (1 - 2e-3) <= bound <= 0.9 * one.distance * (1 + 1e-11)


def test_one_answer(answers):
    for one in answers:
        page = check(one._repr_html_())
        told = one.sentence.replace('"', "")
        assert page.text.startswith(told)  # labels are set apart by their tags instead of quotes
        assert page.cells[:5] == (["column", "now", "then", "difference", "share of the distance"][: len(page.cells)])
        names = page.cells[5::5]
        assert names == [change.feature for change in one.changes]
        for cell, change in zip(page.cells[7::5], one.changes):
            assert float(cell) == pytest.approx(change.after, rel=1e-5)
        widths = [float(value[6:-1]) for name, value in page.attributes if name == "style"]
        np.testing.assert_allclose(widths, [100 * change.cost / one.distance for change in one.changes], atol=0.051)
        _check_bound(page.text, one)
        assert ("whatever the model (Theorem 2)" in page.text) == one.model_free


def test_one_answer_as_text(loans):
    for one in loans.explainer.explain(loans.frame[:20], "yes", on_satisfied="move"):
        lines = str(one).splitlines()
        assert lines[0] == one.sentence
        assert len(lines) == len(one.changes) + 2
        for line, change in zip(lines[1:], one.changes):
            assert line.startswith(f"  {change.feature} ")
            before, after = re.fullmatch(r"  \w+ +(\S+) -> (\S+)(?: +\(.*\))?", line).groups()
            if change.difference is not None:
                assert float(before) == pytest.approx(change.before, rel=1e-5)
                assert float(after) == pytest.approx(change.after, rel=1e-5)
                assert float(re.search(r"\((.*)\)", line)[1]) == pytest.approx(change.difference, rel=1e-3)
        assert lines[-1].startswith(f"  {one.status}: distance {number(one.distance)}, proven smallest")
        _check_bound(lines[-1], one)
        assert f"log density {one.log_density:.6g}, at least {one.log_threshold:.6g} required" in lines[-1]


def test_what_an_unfinished_proof_and_no_answer_say(answers):
    moved = next(one for one in answers if one.changes)
    part = replace(moved, status="feasible", cause=ProofUnfinished("time"))
    assert part.reason == "Not proven smallest: the time limit was reached."
    assert str(part).splitlines()[-1].strip() == part.reason
    assert check(part._repr_html_()).text.endswith(part.reason)
    none = replace(moved, status="infeasible", cause=Told("Because <so>."), lower_bound=np.inf)
    assert str(none).splitlines() == [none.sentence, f"  {str(none).splitlines()[1].strip()}"]
    assert "infeasible: proven" in str(none)
    assert "table" not in check(none._repr_html_()).tags
    assert "Because <so>." in check(none._repr_html_()).text
    assert "unknown: not proven" in str(replace(none, status="unknown", lower_bound=1.0))


def test_many_answers(answers):
    page = check(answers._repr_html_())
    text = str(answers)
    count = int((answers.statuses == "optimal").sum())
    for told in (page.text, text):
        assert told.startswith(f"{len(answers)} explanations: {count} optimal")
    assert float(re.search(r"median distance ([\d.]+\d)", page.text)[1]) == pytest.approx(
        np.median(answers.distances[answers.changed.any(axis=1)]), rel=1e-3
    )
    for place, name in enumerate(answers.feature_names):
        n = int(answers.changed[:, place].sum())
        assert page.cells[page.cells.index(name) + 1] == str(n)
        assert f"{name} {n}" in text
    assert page.text.endswith(f"and {len(answers) - 10} more")
    assert text.endswith(f"... and {len(answers) - 5} more")
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "\n" not in repr(answers)


def test_no_answers_at_all(answers):
    page = check(answers[:0]._repr_html_())
    assert page.text == "0 explanations: none."
    assert str(answers[:0]) == "0 explanations: none"


def test_a_thousand_rows_stay_small(iris_explainer, iris, hostile):
    rng = np.random.default_rng(0)
    rows = iris[0][rng.integers(0, 150, 1000)]
    fragment = iris_explainer.explain(rows, "virginica")._repr_html_()
    check(fragment)
    assert len(fragment.encode()) < 30_000
    explainer, frame = hostile
    fragment = explainer.explain(frame, LABELS[1])._repr_html_()
    assert len(fragment.encode()) < 100_000


def test_hostile_names_levels_and_labels_stay_text(hostile):
    explainer, frame = hostile
    answers = explainer.explain(frame[:40], LABELS[1])
    seen = set()
    for shown in (answers, *answers):
        fragment = shown._repr_html_()
        page = check(fragment)
        for raw in ("<script", "<h1", "<img", "<b>", "<i>", "</style><", "</table><", "\x1b", "\u202e"):
            assert raw not in fragment.replace("</style><p", "").replace("</table><p", "").replace("</table><table", "")
        titles = [value for name, value in page.attributes if name == "title"]
        assert all(len(title) <= 1000 for title in titles)
        seen |= {title[:20] for title in titles}
        assert "\n" not in str(shown).splitlines()[0]
        assert all(line.isprintable() for line in str(shown).splitlines())
    text = check(answers._repr_html_()).text
    assert HOSTILE in text
    assert LABELS[0] in text
    assert "<b>row 0</b>" in text
    assert any(title.startswith("\\x1b[31mred") for title in seen)  # the whole of a shortened level


def test_names_are_whole_and_numbers_in_titles(hostile):
    explainer, frame = hostile
    whole = " ".join(NAMES["housing"].split())
    found = 0
    for one in explainer.explain(frame[:40], LABELS[1]):
        page = check(one._repr_html_())
        titles = [value for name, value in page.attributes if name == "title"]
        if any(change.feature == NAMES["housing"] for change in one.changes):
            found += 1
            assert whole in page.text
        for change in one.changes:
            if isinstance(change.after, float) and f"{change.after:.6g}" != repr(change.after):
                assert repr(change.after) in titles
    assert found


def test_a_frontier(iris_explainer, iris):
    frontier = iris_explainer.frontier(iris[0][0], "virginica", np.linspace(0.02, 0.98, 40))
    page = check(frontier._repr_html_())
    quantiles, distances = page.cells[5::5], page.cells[6::5]
    assert len(quantiles) == 21
    assert quantiles[0] == "0.02"
    assert quantiles[-1] == "0.98"
    for quantile, distance in zip(quantiles, distances):
        place = int(np.argmin(abs(frontier.quantiles - float(quantile))))
        assert float(distance) == pytest.approx(frontier.distances[place], rel=1e-3)
    assert "21 of 40 thresholds are shown" in page.text
    lines = str(frontier).splitlines()
    assert lines[0].startswith("40 thresholds from 0.02 to 0.98: distance ")
    assert [line.split()[0] for line in lines[2:-1]] == quantiles
    assert repr(frontier) == f"<Frontier: {lines[0]}>"


def test_a_frontier_that_ends(hostile, loans):
    # at most one change: high thresholds are out of reach
    frontier = loans.explainer.frontier(
        loans.frame.iloc[0], "yes", [0.01, 0.5, 0.9], constraints=ew.Constraints(immutable=["years", "income"])
    )
    assert np.isnan(frontier.distances).any()
    page = check(frontier._repr_html_())
    assert page.text.count("infeasible") == int(np.isnan(frontier.distances).sum())
    assert ("no answer" in str(frontier).splitlines()[0]) == bool(np.isnan(frontier.distances).all())


def test_why_not(hostile):
    explainer, frame = hostile
    row = frame.iloc[0]
    why = explainer.why_not(row, LABELS[1], ew.Constraints(immutable=list(frame.columns)))
    assert why.conflict
    page = check(why._repr_html_())
    assert "<script" not in why._repr_html_()
    assert page.tags.count("li") == len(why.conflict)
    assert str(why) == why.sentence


def test_colours_can_be_read():
    """Contrast of ink, soft ink, accent and warning on their ground, in both themes (WCAG AA: 4.5)."""
    from elsewise.text.html import style

    def luminance(colour):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    themes = re.findall(r"\{[^{}]*--ew-ground[^{}]*\}", style())
    assert len(themes) == 4  # light and dark, by the system's wish and by the notebook's
    for theme in themes:
        colours = dict(re.findall(r"--ew-(\w+): (#[0-9a-f]{6})", theme))
        for ground in ("ground", "tint"):
            for ink in ("ink", "soft", "accent", "warn"):
                dark, light = sorted([luminance(colours[ground]), luminance(colours[ink])])
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ground, ink)
