"""``elsewise report``: from a saved explainer, from answers made before, and what it refuses."""

from __future__ import annotations

import re

import pytest

from elsewise.tools.cli.main import main
from tools.report.page import Page

RULES = 'immutable = ["guarantor"]\nmax_changes = 2\n[monotone]\nyears = "increase"\n'


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """A saved explainer, rows with a column more, and rules."""
    path = tmp_path_factory.mktemp("report")
    loans.explainer.save(path / "loans.ew")
    loans.frame.assign(label=loans.label).iloc[:40].to_csv(path / "rows.csv", index=False)
    (path / "rules.toml").write_text(RULES)
    return path


def given(folder, out, *more):
    files = ["--explainer", folder / "loans.ew", "--data", folder / "rows.csv", "--rules", folder / "rules.toml"]
    return [str(part) for part in ("report", *files, "--out", out, "--quiet", *more)]


def page_of(path):
    return Page(path.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))


def same(path):
    """All of a report but when it was made and from which files."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r'<p class="made">.*?</p>|<p>[^<]*SHA-256[^<]*</p>', "", text)


def test_a_report_from_a_saved_explainer(folder, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert main(given(folder, out, "--target", "yes", "--title", "Loans <b>", "--description", "Who & what")) == 0
    assert f"40 rows in {out}" in capsys.readouterr().out
    page = page_of(out)
    assert page.title == "Loans <b>"
    assert len(page.articles) == 40
    assert "Who & what" in page.text
    assert len(re.findall("[0-9a-f]{64}", page.text)) == 3
    assert "guarantor stays as it is" in page.by_section["rules"]


def test_plans_are_told_on_demand(folder, tmp_path):
    out = tmp_path / "report.html"
    assert main(given(folder, out, "--target", "yes", "--rows", "7", "--plans", "2")) == 0
    assert out.read_text(encoding="utf-8").count("In which order") == 2
    assert main(given(folder, out, "--target", "yes", "--rows", "7")) == 0
    assert "In which order" not in out.read_text(encoding="utf-8")


def test_bands_are_told_on_demand(folder, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert main(given(folder, out, "--target", "yes", "--rows", "3", "--bands", "0.5", "0.8")) == 0
    assert out.read_text(encoding="utf-8").count("What better bands take") == 3
    assert main(given(folder, out, "--target", "yes", "--rows", "3", "--bands", "0.8", "0.5")) != 0
    assert "rising order" in capsys.readouterr().err


def test_only_the_first_rows_and_why(folder, tmp_path):
    out = tmp_path / "report.html"
    assert main(given(folder, out, "--target", "yes", "--rows", "7", "--why")) == 0
    page = page_of(out)
    assert len(page.articles) == 7
    none = [article for article in page.articles if article.attributes["data-s"] == "infeasible"]
    assert none
    assert all("rule" in article.text for article in none)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_report_of_answers_made_before_is_the_same(folder, tmp_path, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    direct, again, answers = tmp_path / "a.html", tmp_path / "b.html", tmp_path / f"answers.{suffix}"
    assert main(given(folder, direct, "--target", "yes")) == 0
    asked = given(folder, answers, "--target", "yes")
    assert main(["explain", *asked[1:]]) == 3
    assert main(given(folder, again, "--answers", str(answers))) == 0
    assert same(again) == same(direct)


def test_answers_that_were_changed_end_with_1(folder, tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    answers, out = tmp_path / "answers.csv", tmp_path / "report.html"
    asked = given(folder, answers, "--target", "yes")
    assert main(["explain", *asked[1:]]) == 3
    frame = pandas.read_csv(answers)
    first = int((frame["status"] == "optimal").to_numpy().argmax())
    frame.loc[first, "income"] += 0.25
    frame.to_csv(answers, index=False)
    assert main(given(folder, out, "--answers", str(answers))) == 1
    assert "some answers do not hold" in capsys.readouterr().err
    assert "does not hold" in page_of(out).text


def test_what_cannot_be_given_together(folder, tmp_path, capsys):
    answers = tmp_path / "answers.csv"
    answers.write_text("row,status\n0,optimal\n")
    out = tmp_path / "report.html"
    assert main(given(folder, out, "--answers", str(answers), "--target", "yes")) == 1
    assert "--answers is read, not computed: --target cannot be given as well" in capsys.readouterr().err
    assert main(given(folder, out, "--answers", str(answers))) == 1
    assert "has no column 'prediction': expected a file that `elsewise explain` has written" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--image-shape", "8by8"], "expected height and width in pixels, such as 8x8, received '8by8'"),
        (["--rows", "0"], "expected a whole number of at least 1"),
        (["--out", "report.pdf"], "expected a file ending in .html, .htm"),
    ],
)
def test_wrong_usage_ends_with_2(folder, tmp_path, capsys, more, message):
    with pytest.raises(SystemExit, match="2"):
        main(given(folder, tmp_path / "report.html", "--target", "yes", *more))
    assert message in capsys.readouterr().err


def test_rows_of_another_file_are_refused(folder, tmp_path, capsys):
    answers, out = tmp_path / "answers.csv", tmp_path / "report.html"
    asked = given(folder, answers, "--target", "yes")
    assert main(["explain", *asked[1:]]) == 3
    short = tmp_path / "short.csv"
    short.write_text("\n".join((folder / "rows.csv").read_text().splitlines()[:6]))
    asked = [str(short) if part == str(folder / "rows.csv") else part for part in given(folder, out)]
    assert main([*asked, "--answers", str(answers)]) == 1
    assert "tells of row 39, but --data has 5 rows" in capsys.readouterr().err
