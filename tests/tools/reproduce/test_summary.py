"""Medians, shares and overlaps against hand-made results."""

import csv
import io
import json

import numpy as np
import pytest

from elsewise.errors import InvalidInputError
from elsewise.tools.reproduce import Protocol, summarise
from elsewise.tools.reproduce.fold_result import FoldResult, JudgedPoints
from elsewise.tools.reproduce.summary import TABLE_1
from elsewise.tools.reproduce.table import csv_text, fill, json_text, markdown, percent, sections

N = 20


def _answers(rng, *, found=None):
    found = np.ones(N, dtype=bool) if found is None else found
    points = np.where(found[:, None], rng.normal(size=(N, 3)), np.nan)
    return JudgedPoints(
        points=points,
        distance=np.where(found, rng.uniform(1, 2, N), np.nan),
        log_density=np.where(found, rng.normal(size=N), np.nan),
        found=found,
        valid=found & (rng.uniform(size=N) < 0.7),
        dense=found & (rng.uniform(size=N) < 0.4),
    )


def _fold(seed, **changes):
    rng = np.random.default_rng(seed)
    answers = {name: _answers(rng) for name in ("defined_closest", "defined_plausible", "code_closest")}
    answers["at_least_plausible"] = _answers(rng)
    answers["at_most_plausible"] = _answers(rng, found=rng.uniform(size=N) < 0.5)
    values = {
        "rows": np.arange(N),
        "targets": np.zeros(N, dtype=int),
        "asked": rng.uniform(size=N) < 0.8,
        "correct": rng.uniform(size=N) < 0.9,
        "model_free": rng.uniform(size=N) < 0.5,
        "gaps": np.full(N, 1e-9),
        "answers": answers,
        "seconds": dict.fromkeys(("closest_single", "plausible_single", "closest_batch", "plausible_batch"), 1e-3),
        "n_components": np.array([1, 2]),
        "bandwidths": np.array([0.5, 1.5]),
    }
    return FoldResult(**{**values, **changes})


@pytest.fixture
def results():
    return {("iris", model): [_fold(10 * i + j) for j in range(3)] for i, model in enumerate(("softmax", "tree"))}


def test_medians_spreads_and_shares(results):
    lines, _ = summarise(results)
    line = next(x for x in lines if (x.model, x.rule, x.constrained) == ("tree", "defined", True))
    folds = results["iris", "tree"]
    each = [fold.answers["defined_plausible"].distance[fold.asked] for fold in folds]
    assert line.distance == np.median(np.concatenate(each))
    assert line.distance_spread == pytest.approx(np.std([np.median(values) for values in each], ddof=1))
    assert line.n_rows == 3 * N
    assert line.n_asked == sum(fold.asked.sum() for fold in folds)
    valid = np.concatenate([fold.answers["defined_plausible"].valid[fold.asked] for fold in folds])
    assert line.valid == valid.mean()
    assert line.paper_distance == TABLE_1["iris", "tree"].plausible_distance == 4.06
    assert line.paper_log_density == -0.73


def test_published_rules_drop_rows_without_a_point_from_both_sides(results):
    lines, _ = summarise(results)
    folds = results["iris", "softmax"]
    kept = [fold.asked & fold.answers["at_most_plausible"].found for fold in folds]
    for constrained, name in ((False, "code_closest"), (True, "at_most_plausible")):
        line = next(x for x in lines if (x.model, x.rule, x.constrained) == ("softmax", "at_most", constrained))
        values = np.concatenate([fold.answers[name].log_density[rows] for fold, rows in zip(folds, kept)])
        assert line.log_density == np.median(values)
        assert line.found == sum(rows.sum() for rows in kept) / line.n_asked


def test_overlap_counts_equal_counterfactuals(results):
    same = np.arange(N) < 7
    for left, right in zip(results["iris", "softmax"], results["iris", "tree"]):
        points = right.answers["defined_plausible"].points
        points[same] = left.answers["defined_plausible"].points[same] + 1e-9
    (overlap,) = summarise(results)[1]
    pairs = zip(results["iris", "softmax"], results["iris", "tree"])
    both = np.concatenate([left.model_free & right.model_free for left, right in pairs])
    assert overlap.both == both.mean()
    assert overlap.same_if_both == np.tile(same, 3)[both].mean()
    assert overlap.same_if_not == np.tile(same, 3)[~both].mean()
    only = summarise({("iris", "tree"): results["iris", "tree"]})[1][0]
    assert (only.both, only.same_if_both, only.same_if_not) == (None, None, None)


def test_one_fold_has_no_spread_and_other_models_no_paper():
    lines, overlaps = summarise({("wine", "lda"): [_fold(0)]})
    assert {line.distance_spread for line in lines} == {None}
    assert {line.paper_distance for line in lines} == {None}
    text = markdown(sections(lines, overlaps), "note")
    assert "±" not in text
    assert "| lda | Wine | – |" in text


def test_csv_and_json_hold_the_same_lines(results):
    lines, overlaps = summarise(results)
    rows = list(csv.DictReader(io.StringIO(csv_text(lines))))
    content = json.loads(json_text(lines, overlaps, Protocol(seed=7), results))
    assert content["protocol"]["seed"] == 7
    assert len(rows) == len(content["lines"]) == len(lines) == 2 * 3 * 2
    for row, entry, line in zip(rows, content["lines"], lines):
        assert row["rule"] == entry["rule"] == line.rule
        assert float(row["distance"]) == entry["distance"] == pytest.approx(line.distance, rel=1e-9)
    assert content["densities_by_fold"]["iris"][0]["bandwidths"] == [0.5, 1.5]


def test_percent_reads_100_only_for_all():
    assert percent(1.0) == "100"
    assert percent(1 - 1e-6) == "99.9"
    assert percent(0.29) == "29"
    assert percent(None) == percent(float("nan")) == "–"


def test_fill_replaces_what_is_between_the_markers_only(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a: begin -->\nold \\1\n<!-- a: end -->\nafter\n", encoding="utf-8")
    for content in ("new \\g<0>", "newer"):
        fill(page, "a", content)
        text = page.read_text(encoding="utf-8")
        assert text == f"before\n<!-- a: begin -->\n\n{content}\n\n<!-- a: end -->\nafter\n"
    with pytest.raises(InvalidInputError, match=r"expected the markers <!-- b: begin -->"):
        fill(page, "b", "x")
