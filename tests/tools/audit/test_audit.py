"""Audits: numbers against plain pandas and real resampling; differences that are there, and that are not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, false_discovery_control, fisher_exact, mannwhitneyu

import elsewise as ew
from elsewise.tools.audit.statistics import bootstrap_means, bootstrap_medians, corrected, share_interval
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def answers(loans):
    rows = loans.frame.iloc[:120]
    return loans.explainer.explain(rows, "yes", constraints=ew.Constraints(max_changes=2), n_counterfactuals=2)


@pytest.fixture(scope="module")
def groups():
    return np.array([["a", "b", "c"][number % 3] for number in range(120)])


def _plain(answers, groups):
    """The same by pandas alone."""
    frame = answers.to_frame().assign(row=answers.rows, n=answers.changed.sum(axis=1))
    frame = frame.groupby("row").first().assign(group=groups)
    frame = frame[~((frame["status"] != "infeasible") & (frame["n"] == 0))]
    return frame


def test_values_are_those_of_pandas(answers, groups):
    found = ew.audit(answers, by=groups)
    frame = _plain(answers, groups)
    assert found.groups == ("a", "b", "c")
    for group in found.groups:
        own = frame[frame["group"] == group]
        has = own[own["status"] != "infeasible"]
        assert found.counts[group] == len(own)
        assert found.value(group, "infeasible_share").value == pytest.approx((own["status"] == "infeasible").mean())
        assert found.value(group, "distance").value == pytest.approx(has["distance"].median())
        assert found.value(group, "n_changes").value == pytest.approx(has["n"].mean())
        assert found.value(group, "plausibility").value == pytest.approx(has["plausibility"].median())
        assert found.value(group, "distance").low <= has["distance"].median() <= found.value(group, "distance").high
    assert len(found.differences) == 3 * 4
    own, rest = (frame[(frame["group"] == "a") == is_own]["distance"].dropna() for is_own in (True, False))
    test = next(each for each in found.differences if (each.group, each.measure) == ("a", "distance"))
    assert test.p_value == pytest.approx(mannwhitneyu(own, rest).pvalue)
    assert found.n_unchanged == 120 - len(frame)


def test_frames_of_mappers_say_the_same(loans, answers, groups):
    rows = loans.frame.iloc[:120].assign(group=groups)
    mapper = loans.explainer.mapper(
        "yes", constraints=ew.Constraints(max_changes=2), n_counterfactuals=2, id_columns=["group"]
    )
    first, second = ew.audit(mapper(rows), by="group"), ew.audit(answers, by=pandas.Series(groups, name="group"))
    pandas.testing.assert_frame_equal(first.to_frame(), second.to_frame())
    with pytest.raises(ew.InvalidInputError, match="tells what becomes of rows"):
        ew.audit(mapper(rows), by="housing")


def test_a_column_of_the_rows(answers, loans):
    found = ew.audit(answers, by="guarantor")
    assert found.groups == ("False", "True")
    assert sum(found.counts.values()) + found.n_unchanged == 120
    assert loans.frame["guarantor"].iloc[:120].sum() >= found.counts["True"]


def test_a_planted_difference_is_significant_and_chance_is_not(answers, groups):
    chance = ew.audit(answers, by=groups)
    assert chance.significant == ()
    doubled = np.where(np.isin(answers.rows, np.flatnonzero(groups == "b")), 3.0, 1.0)
    planted = ew.audit(replace(answers, distances=answers.distances * doubled), by=groups)
    assert ("b", "distance") in {(each.group, each.measure) for each in planted.significant}
    # nothing else differs more than it did; only Holm's factors, which count what is left to test, are smaller
    before, after = (
        {(each.group, each.measure): each.p_value for each in found.differences if each.measure != "distance"}
        for found in (chance, planted)
    )
    assert before == after
    assert len(after) == 3 * 3
    assert "Significant differences" in str(planted)


def test_small_groups_wrong_rows_and_missing_values(loans):
    rows = loans.frame.iloc[:40].copy()
    rows.loc[3, "income"] = np.nan
    answers = loans.explainer.explain(rows, "yes", errors="row")
    found = ew.audit(answers, by=["x"] * 20 + [None] * 18 + ["rare"] * 2)
    assert found.n_wrong == 1
    assert found.small == ("rare",)
    assert found.groups == ("(missing)", "x")
    assert "too few rows of rare" in str(found)


def test_groups_too_small_to_audit_are_no_part_of_the_others(answers, groups):
    """Every difference is computed again by SciPy, from the rows of groups that are audited."""
    by = groups.copy().astype("<U8")
    by[::4] = [f"small {number}" for number in range(len(by[::4]))]
    far = np.where(np.isin(answers.rows, np.arange(0, 120, 4)), 50.0, 1.0)
    found = ew.audit(replace(answers, distances=answers.distances * far), by=by)
    assert found.groups == ("a", "b", "c")
    frame = _plain(answers, by)
    frame = frame[frame["group"].isin(["a", "b", "c"])]
    assert len(found.differences) == 3 * 4
    for each in found.differences:
        is_own, is_none = frame["group"] == each.group, frame["status"] == "infeasible"
        if each.measure == "infeasible_share":
            own, rest = is_none[is_own].astype(float), is_none[~is_own].astype(float)
            counts = [[own.sum(), len(own) - own.sum()], [rest.sum(), len(rest) - rest.sum()]]
            p_value = fisher_exact(counts)[1]
        else:
            values = frame.loc[~is_none, "n" if each.measure == "n_changes" else each.measure]
            own, rest = values[is_own], values[~is_own]
            p_value = mannwhitneyu(own, rest).pvalue
        centre = np.median if each.measure in ("distance", "plausibility") else np.mean
        assert (each.value, each.others) == pytest.approx((centre(own), centre(rest)))
        assert each.p_value == pytest.approx(p_value)


@pytest.mark.parametrize("n", [4, 5, 40, 41])
def test_bootstrap_medians_are_those_of_real_resamples(n):
    rng = np.random.default_rng(n)
    values = rng.gamma(2.0, size=n)
    drawn = bootstrap_medians(values, np.random.default_rng(1), 40_000)
    real = np.median(values[rng.integers(0, n, (40_000, n))], axis=1)
    for level in (0.025, 0.25, 0.5, 0.75, 0.975):
        # ends of intervals agree up to neighbouring values: shares below them do
        at = np.quantile(real, level)
        assert (drawn <= at).mean() == pytest.approx((real <= at).mean(), abs=0.01)


def test_bootstrap_means_are_those_of_real_resamples():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 6, 30).astype(float)
    drawn = bootstrap_means(values, np.random.default_rng(1), 40_000)
    real = values[rng.integers(0, 30, (40_000, 30))].mean(axis=1)
    assert drawn.mean() == pytest.approx(real.mean(), abs=0.01)
    assert drawn.std() == pytest.approx(real.std(), rel=0.02)


@pytest.mark.parametrize(("n_true", "n"), [(0, 36), (36, 36), (7, 15), (1, 1000)])
def test_intervals_of_shares_are_wilsons(n_true, n):
    expected = binomtest(n_true, n).proportion_ci(method="wilson")
    assert share_interval(n_true, n) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert share_interval(0, 36)[1] > 0.05


def test_holm_is_between_no_correction_and_bonferroni():
    p = [0.001, 0.04, 0.012, 0.6, 0.02]
    adjusted = corrected(p)
    assert adjusted == pytest.approx([0.005, 0.08, 0.048, 0.6, 0.06])
    assert all(each >= fdr - 1e-12 for each, fdr in zip(adjusted, false_discovery_control(p)))


def test_the_picture(answers, groups):
    pytest.importorskip("matplotlib")
    found = ew.audit(answers, by=groups)
    axes = ew.plot.audit(found)
    assert len(axes) == 4
    assert next(label.get_text() for label in axes[0].get_yticklabels()).startswith("a (")
    with pytest.raises(ew.InvalidInputError, match=r"elsewise\.audit"):
        ew.plot.audit(answers)


@pytest.mark.parametrize(
    ("by", "words"), [("nothing", "no column 'nothing'"), (["a"] * 7, "one value for each"), (range(120), "no group")]
)
def test_what_cannot_be_grouped_is_refused(answers, by, words):
    with pytest.raises(ew.InvalidInputError, match=words):
        ew.audit(answers, by=by)


def test_the_command_and_the_report(loans, groups, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    loans.explainer.save("explainer.ew")
    rows = loans.frame.iloc[:60].assign(sex=np.where(groups[:60] == "a", "f<m>", "m"))
    rows.to_csv("rows.csv", index=False)
    start = ["explain", "--explainer", "explainer.ew", "--data", "rows.csv", "--target", "yes", "--quiet"]
    main([*start, "--out", "answers.csv"])
    main([*start, "--out", "answers.jsonl", "--json-lines", "--keep", "sex"])
    capsys.readouterr()
    assert main(["audit", "answers.csv", "--data", "rows.csv", "--by", "sex", "--json", "--picture", "a.png"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["audit", "answers.jsonl", "--by", "sex", "--json"]) == 0
    assert first == json.loads(capsys.readouterr().out)
    assert (tmp_path / "a.png").stat().st_size > 1000
    expected = ew.audit(loans.explainer.explain(loans.frame.iloc[:60], "yes"), by=rows["sex"])
    assert first == json.loads(json.dumps(expected.to_mapping()))
    assert main(["audit", "answers.csv", "--by", "sex"]) == 1
    assert "no column 'sex'" in capsys.readouterr().err
    assert main(["report", "--explainer", "explainer.ew", "--data", "rows.csv", "--answers", "answers.csv", "--by",
                 "sex", "--out", "report.html", "--quiet"]) == 0  # fmt: skip
    text = (tmp_path / "report.html").read_text()
    assert '<section id="groups"' in text
    assert "f&lt;m&gt;" in text
    assert "f<m>" not in text


def test_a_file_that_holds_no_answers_is_named(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "rows.csv"
    pandas.DataFrame({"age": [1, 2]}).to_csv(path, index=False)
    assert main(["audit", str(path), "--by", "age"]) == 1
    said = capsys.readouterr().err
    assert f"{path} is no file of answers: it has no column 'status'. Expected files by `elsewise explain`" in said
