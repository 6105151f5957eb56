"""The report as a document: well-formed, self-contained, escaped, light, and it says what the answers say."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.reasons import Told, for_everyone
from elsewise.text import sentence
from elsewise.text.languages import LANGUAGES
from elsewise.tools.report import html_report, write_report
from elsewise.tools.report.check import check_again
from tools.report.page import Page

MADE = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
HOSTILE = '<script>alert("x")</script>'
NAMES = {
    "amount": HOSTILE,
    "age": 'a" onmouseover="alert(1)\n& <b>bold</b>',
    "housing": "' & &lt;img src=x onerror=alert(1)&gt; " + "very long " * 40,
}
LEVELS = ["</td></table><h1>rent</h1>", "own & 'free' \"house\" {x} %s", "\x1b[31mred\u202e" + "l" * 300]
LABELS = ["<i>bad</i>", "</style></title><script>good()</script>"]


def read(document):
    """Read a report and check what must hold of any."""
    assert document.startswith("<!DOCTYPE html>")
    page = Page(document.removeprefix("<!DOCTYPE html>"))
    assert len(set(page.ids)) == len(page.ids)
    for link in page.links:
        assert link.startswith("data:image/png;base64,") or (link.startswith("#") and link[1:] in page.ids), link
    assert not re.search(r"url\(|@import|https?:|expression|javascript", page.style)
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    assert not re.search(r"fetch|XMLHttp|import\(|eval|https?:|innerHTML", page.script)
    for part in ("prefers-color-scheme: dark", "@media print", "content-visibility: auto", "(max-width"):
        assert part in page.style
    policy = next(value for tag, name, value in page.attributes if name == "content" and "default-src" in value)
    digest = base64.b64encode(hashlib.sha256(page.script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy
    assert page.tags.count("script") == 1
    assert page.tags.count("h1") == 1
    assert page.tags.count("table") == page.tags.count("thead")
    assert [value for tag, name, value in page.attributes if (tag, name) == ("html", "lang")] == ["en"]
    assert all(value for tag, name, value in page.attributes if (tag, name) == ("img", "alt"))
    assert page.text.replace("\n", "").isprintable()
    return page


def words(text):
    """Text without what only sets words apart."""
    return re.sub(r"[\"'`\s]", "", text)


BADGES = {"optimal": "Proven smallest", "feasible": "Not proven smallest", "infeasible": "Proven: no answer"}


def test_a_report_says_what_the_answers_say(loans, asked):
    rules, answers = asked
    page = read(html_report(loans.explainer, answers, constraints=rules, made=MADE, title="Loans"))
    assert page.title == "Loans"
    assert len(page.articles) == len(answers) > 10
    assert {"optimal", "infeasible"} <= set(answers.statuses.tolist())
    for article, one in zip(page.articles, answers):
        assert BADGES[one.status] in article.heading
        assert article.attributes["data-s"] == one.status
        assert words(article.sentence) == words(sentence(replace(one, cause=for_everyone(one.cause))))
        lines = article.cells[1:]
        assert [line[0] for line in lines] == [change.feature for change in one.changes]
        for line, change in zip(lines, one.changes):
            for cell, value in ((line[1], change.before), (line[2], change.after)):
                if isinstance(value, str):
                    assert cell == f'"{value}"'
                elif isinstance(value, bool):
                    assert cell == ("yes" if value else "no")
                else:
                    assert float(cell.replace(",", "")) == pytest.approx(value, rel=1e-5)
            if change.difference is not None:
                assert float(line[3]) == pytest.approx(change.difference, rel=1e-3)
        if one.status == "infeasible":
            assert "proven" in article.certificate
        else:
            assert float(article.attributes["data-d"]) == pytest.approx(one.distance, rel=1e-5, abs=1e-12)
            assert f"distance {one.distance:.4g}, proven smallest" in article.certificate
            assert f"{one.log_threshold:.6g}" in article.certificate


def test_the_summary_counts_and_measures(loans, asked):
    rules, answers = asked
    summary = read(html_report(loans.explainer, answers, constraints=rules, made=MADE)).by_section["summary"]
    counts = Counter(answers.statuses.tolist())
    found = answers.found
    assert f"{counts['optimal']} proven smallest" in summary
    assert f"{counts['infeasible']} without an answer, proven" in summary
    assert f"{len(answers)}rows" in summary
    assert f"{float(np.median(answers.distances[found])):.4g}median distance" in summary
    for place, column in enumerate(answers.table.columns):
        n = int(answers.changed[found][:, place].sum())
        assert (f"{column.name}{n}" in summary) == (n > 0)
    assert f"{counts['infeasible']} rows have no answer" in summary


def test_pictures_are_where_the_values_are(loans, asked):
    """Captions are checked against the training rows themselves."""
    rules, answers = asked
    page = read(html_report(loans.explainer, answers, constraints=rules, made=MADE))
    real = loans.frame[loans.label == "yes"]
    seen = set()
    for article, one in zip(page.articles, answers):
        for line, change in zip(article.cells[1:], one.changes):
            values, caption = real[change.feature], line[5]
            if change.difference is None:
                shares = [100.0 * float((values == value).mean()) for value in (change.before, change.after)]
                told = re.fullmatch(r"had by (\d+) % → (\d+) %", caption)
                assert [int(told[1]), int(told[2])] == [int(share + 0.5) for share in shares]
            else:
                told = re.fullmatch(r"percentile (\d+) → (\d+)", caption)
                for percentile, value in zip(told.groups(), (change.before, change.after)):
                    place = np.interp(value, np.percentile(values, np.arange(101)), np.arange(101))
                    assert int(percentile) == int(place + 1e-9)  # rounded down, as every share
            seen.add(caption.split()[0])
    assert seen == {"had", "percentile"}


def test_model_data_and_rules_are_described(loans, asked):
    rules, answers = asked
    page = read(html_report(loans.explainer, answers, constraints=rules, data_description="One.\n\nTwo.", made=MADE))
    model, told = page.by_section["model"], page.by_section["rules"]
    for part in ("StandardScaler", "OneHotEncoder", "LogisticRegression", "240 rows, 4 columns",
                 "no (120 training rows)",
                 "50 % of these rows", "whole number", "yes or no", "One.Two."):  # fmt: skip
        assert part in model
    income = loans.frame["income"]
    scale = (income - income.median()).abs().median()  # what a distance of 1 is: the median absolute deviation
    assert f"{scale:.4g}" in model
    assert "guarantor stays as it is" in told
    assert "at most 2 columns change" in told
    assert "was given no rules" in read(html_report(loans.explainer, answers, made=MADE)).by_section["rules"]


def test_what_is_promised_was_checked_again(loans, asked):
    rules, answers = asked
    page = read(html_report(loans.explainer, answers, constraints=rules, made=MADE))
    n = int(answers.found.sum())
    assert page.by_section["guarantees"].count(f"holds for {n} of {n} answers") == 5
    assert "does not hold" not in page.text


def test_the_check_judges_the_rows_that_are_shown(loans, asked):
    """Features that come from the search, and are not shown, do not count; rows that are shown do."""
    rules, answers = asked
    first = int(np.flatnonzero(answers.found)[0])
    lost = replace(answers, features=answers.row_features, row_features=answers.features)
    assert not any(check.failed for check in check_again(loans.explainer, lost, rules))
    rows = answers.x.copy()
    rows.iloc[first, rows.columns.get_loc("income")] += 0.5
    failed = {check.promise: check.failed for check in check_again(loans.explainer, replace(answers, x=rows), rules)}
    assert failed["the distance, added up again, is the stated one"] == (first,)


def test_rows_are_encoded_once_for_the_check_and_nowhere_else(loans, asked, monkeypatch):
    rules, answers = asked
    encoded = []
    encode = type(answers.table).encode
    monkeypatch.setattr(
        type(answers.table), "encode", lambda *args, **named: encoded.append(len(args[1])) or encode(*args, **named)
    )
    html_report(loans.explainer, answers, constraints=rules, made=MADE)
    assert encoded == [int(answers.found.sum())] * 2  # rows and counterfactuals


def test_writing_tells_what_came_of_the_checks(loans, asked, tmp_path):
    rules, answers = asked
    checks = write_report(loans.explainer, answers, tmp_path / "report.html", constraints=rules, made=MADE)
    assert checks == check_again(loans.explainer, answers, rules)
    assert len(checks) == 5


@pytest.mark.parametrize("what", ["prediction", "distance", "density", "rules", "told"])
def test_answers_that_do_not_hold_are_told_loudly(loans, asked, what):
    rules, answers = asked
    found = np.flatnonzero(answers.found)
    first, changed = int(found[0]), {}
    if what == "prediction":
        changed["counterfactuals"] = answers.counterfactuals.copy()
        changed["counterfactuals"].iloc[first] = answers.x.iloc[first]
    elif what == "distance":
        changed["distances"] = np.where(np.arange(len(answers)) == first, 0.01, answers.distances)
    elif what == "density":
        changed["log_thresholds"] = np.where(np.arange(len(answers)) == first, 1e3, answers.log_thresholds)
    elif what == "told":
        changed["changed"] = answers.changed.copy()
        changed["changed"][first] = False
    else:
        rules = ew.Constraints(max_changes=0)
    page = read(html_report(loans.explainer, replace(answers, **changed), constraints=rules, made=MADE))
    words_for = {"prediction": "itself predicts", "distance": "added up again", "density": "computed again",
                 "rules": "every rule", "told": "not said to change"}  # fmt: skip
    failed = [line for line in page.by_section["guarantees"].split("does not hold")[1:] if words_for[what] in line]
    assert len(failed) == 1
    assert "Some answers do not hold" in page.text
    if what != "rules":
        assert failed[0].startswith(f" for 1 of {len(found)} answers")
        assert f"#r{first}" in page.links


def test_reasons_name_the_rules_in_the_way(loans, asked):
    rules, answers = asked
    infeasible = np.flatnonzero(answers.statuses == "infeasible")
    page = read(html_report(loans.explainer, answers, constraints=rules, made=MADE))
    assert "explainer.why_not" not in page.text  # a hint for programmers
    first = int(infeasible[0])
    why = loans.explainer.why_not(answers.x.iloc[first : first + 1], "yes", rules)
    page = read(html_report(loans.explainer, answers, constraints=rules, why_not={first: why}, made=MADE))
    assert words(why.sentence) in words(page.articles[first].text)
    assert "; ".join(why.conflict) in page.by_section["summary"]


@pytest.fixture(scope="module")
def hostile():
    """Explainer and answers with names, levels and labels that want to break out."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 120
    good = np.arange(n) % 2 == 0
    frame = pandas.DataFrame(
        {
            NAMES["amount"]: rng.normal(np.where(good, 2.0, 4.0), 0.7),
            NAMES["age"]: rng.normal(np.where(good, 40.0, 30.0), 5.0),
            NAMES["housing"]: np.where(rng.random(n) < np.where(good, 0.7, 0.2), LEVELS[0], rng.choice(LEVELS[1:], n)),
        }
    )
    label = np.where(good, LABELS[1], LABELS[0])
    numbers = [NAMES["amount"], NAMES["age"]]
    encode = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), [NAMES["housing"]]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1)).fit(frame, label)
    frame.index = [f"<b>{i}</b> & \"'" for i in range(n)]
    return explainer, frame


def test_hostile_names_levels_labels_and_titles_stay_text(hostile):
    explainer, frame = hostile
    rules = ew.Constraints(allowed={NAMES["housing"]: [LEVELS[0]]}, bounds={NAMES["age"]: (0, 200)})
    answers = explainer.explain(frame.iloc[:12], constraints=rules)
    statuses = np.where(np.arange(12) == 3, "infeasible", "feasible")
    answers = replace(answers, causes=(Told(HOSTILE),) * 12, statuses=statuses)
    title = f"</title>{HOSTILE}\n'\""
    page = read(
        html_report(
            explainer, answers, constraints=rules, title=title, data_description=f"</p>{HOSTILE}\n\n<img>", made=MADE
        )
    )
    assert HOSTILE in page.title
    assert HOSTILE in page.text
    assert page.script.count("alert") == 0
    for place, article in enumerate(page.articles):
        assert article.heading.startswith(f"Row <b>{place}</b> & \"'")
    assert "</td></table><h1>rent</h1>" in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


def test_a_hostile_class_name_stays_text_wherever_a_class_is_named(hostile):
    """In sentences, in the table of moves, among the outcomes, above the pictures, and in the reasons."""
    explainer, frame = hostile
    rows = frame.iloc[:24]
    document = html_report(explainer, explainer.explain(rows), made=MADE)
    page = read(document)
    for label in LABELS:
        assert label not in document
        assert escape(label) in document
        for section in ("summary", "model", "rows"):
            assert label in page.by_section[section], section
        assert any(f"among real {label} cases" in article.text for article in page.articles)
    assert page.tags.count("i") == 0
    frozen = ew.Constraints(immutable=list(frame.columns))
    wanted = [LABELS[0] if each == LABELS[1] else LABELS[1] for each in explainer.model.predict(rows)]
    none = explainer.explain(rows, wanted, constraints=frozen)
    assert (none.statuses == "infeasible").all()
    why = {0: explainer.why_not(rows.iloc[:1], wanted[0], frozen)}
    document = html_report(explainer, none, constraints=frozen, why_not=why, made=MADE)
    page = read(document)
    for label in LABELS:
        assert label not in document
        assert any(f'predict "{label}"' in article.sentence for article in page.articles)


def test_half_of_a_surrogate_pair_does_not_lose_the_report(loans, asked, tmp_path):
    path = tmp_path / "report.html"
    write_report(loans.explainer, asked[1][:1], path, title="half \ud800 pair")
    page = read(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"half \S+ pair", page.title)
    assert page.title in page.text  # the heading
    assert len(page.articles) == 1
    write_report(loans.explainer, asked[1][:1], path, title="half pair")
    assert read(path.read_text(encoding="utf-8")).tags == page.tags


def test_a_written_report_is_the_same_and_leaves_nothing_else(loans, asked, tmp_path):
    rules, answers = asked
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(loans.explainer, answers, path, constraints=rules, made=MADE)
    assert path.read_text(encoding="utf-8") == html_report(loans.explainer, answers, constraints=rules, made=MADE)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ew.errors.InvalidInputError, match="title: expected plain text"):
        write_report(loans.explainer, answers, path, title=3)
    assert len(path.read_text(encoding="utf-8")) > 1000


def test_no_answers_at_all(loans, asked):
    page = read(html_report(loans.explainer, asked[1][:0], made=MADE))
    assert page.articles == []
    assert "There are no rows in this report." in page.text


def test_nothing_but_rows_without_an_answer(loans, asked):
    _, answers = asked
    none = answers.take(np.flatnonzero(answers.statuses == "infeasible"))
    page = read(html_report(loans.explainer, none, made=MADE))
    assert len(page.articles) == len(none)
    assert all(article.cells == [] for article in page.articles)


def test_one_explanation_is_a_report_of_one(loans, asked):
    rules, answers = asked
    place = int(np.flatnonzero(answers.statuses == "optimal")[1])
    row = answers.x.iloc[place]
    one = loans.explainer.explain_one(row, "yes", constraints=rules)
    page = read(html_report(loans.explainer, one, constraints=rules, made=MADE))
    assert len(page.articles) == 1
    assert f"Row {row.name}" in page.articles[0].heading
    assert page.text.count("holds: ") == 2 * 5  # in short, and folded
    assert "does not hold" not in page.text


def test_several_answers_of_a_row_are_numbered(loans):
    answers = loans.explainer.explain(loans.frame.iloc[4:7], "yes", n_counterfactuals=2, diversity="columns")
    page = read(html_report(loans.explainer, answers, made=MADE))
    assert [article.heading.split(",")[1].split(" of ")[0].strip() for article in page.articles[:2]] == [
        "answer 1",
        "answer 2",
    ]
    assert "3rows" in page.by_section["summary"]


@pytest.mark.parametrize("density", [None, "gaussian_mixture"])
def test_a_regressor(density):
    data = load_diabetes()
    model = Ridge(alpha=0.01).fit(data.data, data.target)
    explainer = ew.Explainer(model, density=density, distance="scaled").fit(data.data)
    answers = explainer.explain(data.data[:8], (None, 100.0))
    page = read(html_report(explainer, answers, made=MADE))
    assert "at most 100" in page.articles[0].sentence
    assert "a regressor" in page.by_section["model"]
    assert ("Not necessarily realistic" in page.text) == (density is None)
    assert "does not hold" not in page.text
    if density:
        assert "among real cases" in page.articles[0].text


def pixels_of(uri):
    """Read a PNG without filters, as any reader of the format would; channels last."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        chunks[kind], at = body, at + 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert depth == 8
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, -1)
    assert (lines[:, 0] == 0).all()
    return lines[:, 1:].reshape(height, width, {0: 1, 2: 3}[colour])


def test_digits_are_shown_as_images():
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=500)).fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    answers = explainer.explain(X[:4], (y[:4] + 1) % 10)
    page = read(html_report(explainer, answers, image_shape=(8, 8), made=MADE))
    for place, article in enumerate(page.articles):
        before, after, difference = (pixels_of(image["src"]) for image in article.images)
        shade = 255.0 * (1.0 - X[place].reshape(8, 8) / X[:4].max())
        assert np.abs(before[:, :, 0] - shade).max() <= 1.0
        change = (answers.counterfactuals[place] - X[place]).reshape(8, 8)
        big = np.abs(change) > 2.0
        assert ((difference[:, :, 0].astype(int) > difference[:, :, 2])[big] == (change > 0)[big]).all()
        assert after.shape == (8, 8, 1)
        assert f"{len(answers[place].changes)} changes" in article.text
        assert all(word in article.text for word in ("difference", f"then {(y[place] + 1) % 10}"))
    with pytest.raises(ew.errors.InvalidInputError, match="image_shape: 8 x 9 is 72 pixels, but the rows have 64"):
        html_report(explainer, answers, image_shape=(8, 9))
    with pytest.raises(ew.errors.InvalidInputError, match=r"image_shape: expected \(height, width\)"):
        html_report(explainer, answers, image_shape=64)


def test_a_table_is_no_image(loans, asked):
    with pytest.raises(ew.errors.InvalidInputError, match="image_shape: expected rows of nothing but numbers"):
        html_report(loans.explainer, asked[1], image_shape=(2, 2))


def test_other_things_than_explanations_are_refused(loans, asked, iris_explainer):
    with pytest.raises(ew.errors.InvalidInputError, match="explanations: expected what explain or explain_one returns"):
        html_report(loans.explainer, [1, 2])
    with pytest.raises(ew.errors.InvalidInputError, match="about other columns than the explainer"):
        html_report(iris_explainer, asked[1])
    with pytest.raises(ew.errors.InvalidInputError, match="explainer: expected a fitted Explainer"):
        html_report(loans.explainer.model, asked[1])


def test_a_thousand_rows_stay_light(loans, asked):
    rules, answers = asked
    found = np.flatnonzero(answers.found)
    many = replace(answers.take(np.resize(found, 1000)), rows=np.arange(1000))
    document = html_report(loans.explainer, many, constraints=rules, made=MADE)
    per_change = len(document) / int(many.changed.sum())
    assert len(document) < 4_000_000
    assert per_change < 2_000
    page = read(document)
    assert len(page.articles) == 1000
    # A distribution is drawn once, and referred to by every row.
    assert len([name for name in page.ids if re.fullmatch(r"d\d+-\d+", name)]) <= len(answers.table.columns)


def test_wide_tables_do_not_write_every_value_of_every_row():
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(C=0.001, max_iter=500).fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    answers = explainer.explain(X[:20], (y[:20] + 1) % 10)
    few = read(html_report(explainer, answers, made=MADE))
    many = replace(answers.take(np.resize(np.arange(20), 1000)), rows=np.arange(1000))
    document = html_report(explainer, many, made=MADE)
    assert "The whole row as it was" in few.text
    assert "The whole row as it was" not in document
    assert len(document) < 8_000_000


def test_colours_can_be_read():
    """Contrast of text on its ground is at least 4.5 (WCAG AA), light, dark and on paper."""
    sheets = [files("elsewise.text").joinpath("style.css"), files("elsewise.tools.report").joinpath("report.css")]
    schemes = {"light": {}, "dark": {}, "print": {}}
    scheme = "light"
    for line in "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets).splitlines():
        if line.startswith("@media"):
            scheme = "dark" if "dark" in line else "print" if "print" in line else "light"
        elif line.startswith("}"):
            scheme = "light"
        for name, colour in re.findall(r"(--[a-z-]+): (#[0-9a-f]{6})", line):
            schemes[scheme].setdefault(name, colour)

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for name, colours in schemes.items():
        for text, ground in (
            ("--ew-ink", "--rp-card"), ("--ew-soft", "--rp-card"), ("--ew-soft", "--ew-tint"),
            ("--ew-soft", "--rp-page"), ("--ew-accent", "--rp-card"), ("--ew-accent", "--rp-page"),
            ("--rp-ok", "--rp-ok-tint"), ("--rp-ok", "--rp-card"), ("--rp-mid", "--rp-mid-tint"),
            ("--rp-bad", "--rp-bad-tint"), ("--rp-bad", "--rp-card"),
            ("--ew-ink", "--ew-tint"), ("--ew-ink", "--rp-bad-tint"),
        ):  # fmt: skip
            bright, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
            assert (bright + 0.05) / (dark + 0.05) >= 4.5, (name, text, ground)


def test_a_report_in_german_has_no_english(loans, asked):
    rules, answers = asked
    explainer = (
        clone(loans.explainer).set_params(language="de", labels={"income": "Einkommen"}).fit(loans.frame, loans.label)
    )
    found = int(np.flatnonzero(answers.found)[0])
    rows = answers.x.iloc[[found, *np.flatnonzero(~answers.found)[:2]]]
    answers = explainer.explain(rows, "yes", constraints=rules)
    plans = {0: explainer.plan(answers[0], constraints=rules)}
    page = html_report(explainer, answers, constraints=rules, plans=plans, made=MADE)
    assert 'lang="de"' in page
    assert "Was garantiert ist" in page
    english, german = LANGUAGES["en"], LANGUAGES["de"]
    fixed = [key for key, text in english.items() if key.startswith("report.") and " " in text and "{" not in text]
    assert len(fixed) > 40
    for key in fixed:
        assert english[key] == german[key] or english[key] not in page, key
