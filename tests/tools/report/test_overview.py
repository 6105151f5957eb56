"""The summary of a report: every figure is computed again from the single explanations."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median
from xml.etree import ElementTree

import numpy as np
import pytest

import elsewise as ew
from elsewise.tools.report.overview import overview

WORDS = {
    "optimal": "proven smallest",
    "infeasible": "without an answer, proven",
    "error": "unreadable rows, not explained",
}


@pytest.fixture(scope="module")
def answers(loans):
    """Rows of both predictions, some wrong, some without an answer, several answers a row."""
    rows = loans.frame.iloc[90:150].copy()
    rows.loc[rows.index[[5, 31, 40]], "income"] = np.nan
    rules = ew.Constraints(max_changes=2, immutable=["income"])
    return loans.explainer.explain(
        rows, ["yes", "yes", "no"] * 20, constraints=rules, errors="row", n_counterfactuals=2
    )


@pytest.fixture(scope="module")
def page(answers):
    return ElementTree.fromstring(overview(answers, {}))


@pytest.fixture(scope="module")
def first(answers):
    """The first explanation of each row."""
    by_row = {}
    for place, row in enumerate(answers.rows.tolist()):
        by_row.setdefault(row, answers[place])
    return list(by_row.values())


def text(element):
    return "".join(element.itertext()).strip()


def table(page, label):
    """Cells of the body of a table."""
    (area,) = (each for each in page.iter("div") if each.get("aria-label") == label)
    return [[text(cell) for cell in line] for line in area.find("table/tbody")]


def value(shown):
    return float(shown.replace(",", ""))


def test_the_cards(page, answers, first):
    found = [each for each in first if each.found]
    cards = {text(card.find("dt")): text(card.find("dd")) for card in page.find("dl")}
    share = next(name for name in cards if name.startswith("with an answer"))
    assert int(re.search(r"\((\d+) %\)", share)[1]) == pytest.approx(100 * len(found) / len(first), abs=0.5)
    assert value(cards.pop(share)) == len(found)
    assert int(cards.pop("of real cases are no more typical (median)").split()[0]) == int(
        100 * median(each.plausibility for each in found)
    )
    assert {name: value(shown) for name, shown in cards.items()} == {
        "rows": 60,
        "answers in all": sum(each.found for each in answers),
        "with nothing to change": sum(not each.changes for each in found),
        "median distance": pytest.approx(median(each.distance for each in found if each.changes), rel=1e-2),
        "columns change (median)": median(len(each.changes) for each in found if each.changes),
    }


def test_the_statuses(page, first):
    counts = Counter(each.status for each in first)
    assert set(counts) == set(WORDS)
    assert {text(line) for line in page.iter("li")} == {f"{count} {WORDS[name]}" for name, count in counts.items()}
    widths = {bar.get("class"): bar.get("style") for bar in page.find("div[@class='stack']")}
    assert widths == {f"s-{name}": f"flex-grow:{count}" for name, count in counts.items()}


def test_from_what_to_what(page, first):
    asked = [each for each in first if each.status != "error"]
    rows = Counter((each.prediction, each.target) for each in asked)
    found = Counter((each.prediction, each.target) for each in asked if each.found)
    shown = {(line[0], line[1]): (value(line[2]), value(line[3])) for line in table(page, "From what to what")}
    assert shown == {pair: (count, found[pair]) for pair, count in rows.items()}
    assert len(shown) > 2


def test_how_far(page, first):
    distances = [each.distance for each in first if each.found and each.changes]
    (told,) = (text(line) for line in page.iter("p") if text(line).startswith("Half of the answers"))
    shown = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", told)]
    expected = np.percentile(distances, [25, 75, 50, 0, 100])
    assert shown == pytest.approx(expected, rel=1e-2)
    titles = [text(bar.find("title")) for bar in page.iter("rect")]
    counts = [int(title.split()[0]) for title in titles]
    assert sum(counts) == len(distances)
    for title, count in zip(titles, counts):
        low, high = (float(end) for end in re.search(r"from (\S+) to (\S+)", title).groups())
        room = 0.01 * high
        assert sum(low + room < each < high - room for each in distances) <= count
        assert count <= sum(low - room <= each <= high + room for each in distances)
    heights = [float(bar.get("height")) for bar in page.iter("rect")]
    assert heights == pytest.approx([86 * count / max(counts) for count in counts], abs=0.06)


def test_what_changes(page, first):
    found = [each for each in first if each.found]
    changes = [change for each in found for change in each.changes]
    counts = Counter(change.feature for change in changes)
    lines = table(page, "Columns that change")
    assert {line[0]: value(line[1]) for line in lines} == dict(counts)
    assert [value(line[1]) for line in lines] == sorted(counts.values(), reverse=True)
    for name, _, share, usual, costs in lines:
        own = [change for change in changes if change.feature == name]
        assert int(share.split()[0]) == pytest.approx(100 * len(own) / len(found), abs=0.5)
        quartiles = np.percentile([change.cost for change in own], [50, 25, 75])
        shown = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", costs)]
        assert shown == pytest.approx(quartiles[: len(shown)], rel=1e-2)
        if name == "housing":
            level, count = Counter(change.after for change in own).most_common(1)[0]
            assert f"{level}" in usual
            assert count == len(own) or f"({int(100 * count / len(own) + 0.5)} %)" in usual
        elif own[0].difference is not None:
            up = [change.difference for change in own if change.difference > 0]
            down = [change.difference for change in own if change.difference < 0]
            most = up if len(up) >= len(down) else down
            assert float(usual.split()[0]) == pytest.approx(median(most), rel=1e-2)


def test_what_stands_in_the_way(page, first):
    none = [each for each in first if not each.found]
    lines = table(page, "What stands in the way")
    assert sum(value(line[1]) for line in lines) == len(none)
    assert any(text(line) == f"{len(none)} rows have no answer." for line in page.iter("p"))
    (area,) = (each for each in page.iter("div") if each.get("aria-label") == "What stands in the way")
    widths = [
        float(bar.get("style").removeprefix("width:").removesuffix("%"))
        for bar in area.iter("span")
        if bar.get("style")
    ]
    assert widths == pytest.approx([100 * value(line[1]) / len(none) for line in lines], abs=0.06)
