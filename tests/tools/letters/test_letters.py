"""Letters: what they say is what was found, everything is escaped, and what was touched is found."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date

import pytest

import elsewise as ew
from elsewise.tools.cli import main
from elsewise.tools.letters import check_letter

pandas = pytest.importorskip("pandas")
SMALLEST = "No smaller change would have been enough; this is proven."
FIELDS = {"sender": "Bank\nMain St 1", "recipient": "A <b>&", "contact": "x@y", "agency": "CFPB", "reference": "$data"}


@pytest.fixture(scope="module")
def refused(loans):
    return loans.frame[loans.explainer.model.predict(loans.frame) == "no"]


@pytest.fixture(scope="module")
def answer(loans, refused):
    return loans.explainer.explain_one(refused.iloc[0], "yes", ranges=True)


def test_a_letter_calls_nothing_the_smallest_that_may_not_be(loans, answer):
    open_ = replace(answer, status="feasible", gap=0.005, lower_bound=0.995 * answer.distance)
    proven, unproven = (loans.explainer.letter(one, fields=FIELDS).text for one in (answer, open_))
    assert SMALLEST in " ".join(proven.split())
    assert SMALLEST not in " ".join(unproven.split())
    assert "0.5 %" in unproven


def test_a_letter_tells_reasons_and_ranges(loans, answer):
    letter = loans.explainer.letter(answer, fields=FIELDS, date=date(2026, 3, 5))
    found = loans.explainer.reasons(answer.x, "yes")
    assert letter.reasons.columns == found.columns
    assert 1 <= len(letter.reasons) <= 4
    section = letter.text.split("Principal reasons")[1].split("What would have")[0]
    assert section.count("  - ") == len(found)
    assert "March 5, 2026" in letter.text
    assert "Bank\nMain St 1" in letter.text
    told = letter.text.split("What would have")[1].split("Your rights")[0]
    assert all(one.column.capitalize() in told for one in answer.ranges)
    assert max(len(line) for line in letter.text.splitlines()[:-2]) <= 78


def test_everything_is_escaped_and_filled_in_once(loans, answer):
    letter = loans.explainer.letter(answer, fields=FIELDS)
    assert "<b>" not in letter.html
    assert "A &lt;b&gt;&amp;" in letter.html
    assert "Reference: $data" in letter.text  # a value is no template
    assert not re.search(r"(src|href)=|<script|@import|url\(", letter.html)


def test_german_letters_write_numbers_and_words_in_german(loans, refused, answer):
    letter = loans.explainer.letter(answer, template="gdpr", language="de", fields=FIELDS, date=date(2026, 3, 5))
    assert "5. März 2026" in letter.text
    income = f"{refused.iloc[0]['income']:.4g}".replace(".", ",")
    assert f"Income: {income}" in letter.text
    assert "Guarantor: nein" in letter.text or "Guarantor: ja" in letter.text
    assert " yours" not in letter.text
    assert " now " not in letter.text


def test_no_value_of_a_letter_is_one_of_another_row(loans, answer):
    letter = loans.explainer.letter(answer, template="gdpr", fields={**FIELDS, "reference": "1"})
    others = {f"{value:.4g}" for value in loans.frame["income"]} - {f"{answer.x['income']:.4g}"}
    numbers = set(re.findall(r"\d+\.\d+", letter.text.split("-" * 78)[0]))
    then = {f"{one.reads_low:.4g}" for one in answer.ranges if one.column == "income"}
    assert not (numbers - then) & others


def test_a_seal_is_broken_by_any_change(loans, answer):
    letter = loans.explainer.letter(answer, fields=FIELDS)
    for document in (letter.text, letter.html):
        assert all(check_letter(document, letter.versions).values())
        assert not check_letter(document.replace("Bank", "Bonk"))["the letter is as it was written"]
    assert not check_letter("no letter")["the letter is as it was written"]
    other = loans.explainer.with_threshold(0.2).letter(
        loans.explainer.with_threshold(0.2).explain_one(answer.x, "yes"), fields=FIELDS
    )
    checks = check_letter(letter.text, other.versions)
    assert checks["it was made with this model"]
    assert not checks["it was made with this explainer"]


def test_who_has_no_recourse_is_told_so(loans, refused):
    everything = ew.Constraints(immutable=["years", "income", "housing", "guarantor"])
    answer = loans.explainer.explain_one(refused.iloc[0], "yes", constraints=everything)
    assert answer.status == "infeasible"
    letter = loans.explainer.letter(answer, fields=FIELDS, constraints=everything)
    text = " ".join(letter.text.split())
    assert "No realistic change that the rules allow" in text
    assert "enough by itself" not in text
    assert len(letter.reasons) >= 1


@pytest.mark.parametrize(
    ("source", "suffix", "message"),
    [
        ("Dear $nobody", ".txt", "unknown placeholder .nobody"),
        ("Costs 5 $ each", ".txt", "line 1 begins no placeholder"),
        ("Because of $reasons here", ".txt", "paragraph of its own"),
        ("<p>$decision</p><script>x</script>", ".html", "<script> is not allowed"),
        ("<p onclick='x'>$decision</p>", ".html", "could run something"),
        ("<a title='$decision'>a</a>", ".html", "a placeholder in the attribute title"),
        ("<a title=$decision", ".html", "a tag does not end"),
        ("<style>$decision</style>", ".html", "within <style>"),
    ],
)
def test_bad_templates_are_refused_before_any_work(loans, answer, tmp_path, source, suffix, message):
    path = tmp_path / f"mine{suffix}"
    path.write_text(source)
    with pytest.raises(ew.InvalidInputError, match=message):
        loans.explainer.letter(answer, template=path)


def test_bad_arguments_are_refused(loans, refused, answer):
    letter = loans.explainer.letter
    with pytest.raises(ew.InvalidInputError, match="template: expected 'adverse-action'"):
        letter(answer, template="nothing")
    with pytest.raises(ew.InvalidInputError, match="language: expected one of 'en', 'de'"):
        letter(answer, language="xx", fields=FIELDS)
    with pytest.raises(ew.InvalidInputError, match="'colour' is no placeholder"):
        letter(answer, fields={**FIELDS, "colour": "red"})
    accepted = loans.frame[loans.explainer.model.predict(loans.frame) == "yes"].iloc[0]
    own = loans.explainer.explain_one(accepted, "yes", on_satisfied="keep")
    with pytest.raises(ew.InvalidInputError, match="decides for the target already"):
        letter(own, fields=FIELDS)


def test_a_page_of_ones_own(loans, answer, tmp_path):
    path = tmp_path / "mine.html"
    path.write_text("<html><body><h1>$decision</h1>$changes<p>$$5 $who</p></body></html>")
    letter = loans.explainer.letter(answer, template=path, fields={"who": "<i>me</i>"})
    assert "<p>$5 &lt;i&gt;me&lt;/i&gt;</p>" in letter.html
    assert letter.html.count("<li>") == len(answer.ranges)
    assert all(check_letter(letter.html, letter.versions).values())
    with pytest.raises(ew.InvalidInputError, match=r"is \.html"):
        letter.save(tmp_path / "mine.txt")


@pytest.fixture
def files(loans, refused, tmp_path):
    loans.explainer.save(tmp_path / "explainer.ew")
    rows = pandas.concat([refused.iloc[:4], loans.frame[loans.frame["years"] > 15].iloc[:1]])
    rows = rows.assign(client=[f"c/{place}" for place in range(len(rows))], recipient="Someone")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    fields = [part for name in ("sender", "contact", "agency") for part in ("--field", f"{name}=x")]
    asked = ["--explainer", str(tmp_path / "explainer.ew"), "--data", str(tmp_path / "rows.csv"), "--target", "yes"]
    return tmp_path, [*asked, *fields, "--quiet", "--id", "client"]


def test_one_letter_by_the_command(files, capsys):
    folder, asked = files
    out = folder / "letter.html"
    assert main(["letter", *asked, "--row", "2", "--out", str(out)]) == 0
    assert "Someone" in out.read_text()
    assert "c/1" in out.read_text()
    check = ["verify", str(out), "--explainer", str(folder / "explainer.ew"), "--quiet"]
    assert main(check) == 0
    out.write_text(out.read_text().replace("Someone", "Somebody"))
    assert main(check) == 1
    assert "FAILS    the letter is as it was written" in capsys.readouterr().out


def test_letters_go_on_where_they_were_stopped(files, capsys, monkeypatch):
    from elsewise.tools.cli.commands import letters

    folder, asked = files
    command = ["letters", *asked, "--out", str(folder / "out"), "--format", "txt"]
    written = letters.Writer.letter

    def stops(self, explanation, row):
        if row == 2:
            raise KeyboardInterrupt
        return written(self, explanation, row)

    monkeypatch.setattr(letters.Writer, "letter", stops)
    assert main(command) == 130
    first = {path.name: path.stat().st_mtime_ns for path in (folder / "out").glob("*.txt")}
    assert set(first) == {"c_0.txt", "c_1.txt"}
    monkeypatch.setattr(letters.Writer, "letter", written)
    assert main(command) == 0
    assert {path.name for path in (folder / "out").glob("*.txt")} == {f"c_{place}.txt" for place in range(4)}
    assert all((folder / "out" / name).stat().st_mtime_ns == time for name, time in first.items())
    lines = [json.loads(line) for line in (folder / "out" / "letters.jsonl").read_text().splitlines()]
    assert [line["letter"] and line["letter"]["file"] for line in lines] == [*(f"c_{n}.txt" for n in range(4)), None]
    assert lines[0]["reasons"]["status"] == "proven"
    assert lines[0]["ranges"]["proven"]
    check = ["verify", str(folder / "out" / "letters.jsonl"), "--explainer", str(folder / "explainer.ew"), "--quiet"]
    assert main(check) == 0
    assert main(command) == 1
    assert "exists already" in capsys.readouterr().err


def test_unknown_placeholders_end_the_command_before_any_answer(files, capsys):
    folder, asked = files
    (folder / "mine.txt").write_text("Dear $nobody")
    out = folder / "never"
    assert main(["letters", *asked, "--out", str(out), "--template", str(folder / "mine.txt")]) == 1
    assert "unknown placeholder $nobody" in capsys.readouterr().err
    assert not list(out.glob("*"))
