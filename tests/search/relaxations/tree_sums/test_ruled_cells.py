"""Rules of several columns in searches of sums of trees: answers bring nothing together that never was."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import elsewise as ew
from elsewise.search import BoxRequest, Clauses
from elsewise.search.relaxations.tree_sums import cover, ruled_cells

VALUES = {"a": [-9, *range(6)], "b": [-9, *range(1, 6)], "c": [-9, *range(4)], "d": list(range(7))}
MODELS = {
    "forest": RandomForestClassifier(15, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=25, max_depth=3, random_state=0),
}


def table_of_blocks(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three columns are unknown together or not at all, and high values of two of them exclude each other."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice([v for v in of if v >= 0], 1500) for name, of in VALUES.items()})
    frame = frame[~((frame["a"] >= 4) & (frame["d"] >= 4))].reset_index(drop=True)
    frame.loc[::4, ["a", "b", "c"]] = -9
    weights = rng.normal(size=4)
    score = frame.clip(lower=0) @ weights + rng.normal(scale=0.5, size=len(frame)) + 1.5 * (frame["a"] == -9)
    return frame, np.where(score > score.median(), "good", "bad")


def nearest(explainer: ew.Explainer, row: pd.DataFrame) -> float:
    """Distance of the nearest good row, dense enough, that brings nothing together, by looking at all there are."""
    table = pd.DataFrame(list(itertools.product(*VALUES.values())), columns=list(VALUES))
    table = table[explainer.model.predict(table) == "good"]
    if explainer.densities_:
        dense = explainer.log_density(table, "good") >= explainer.densities_["good"].log_threshold_
        table = table[dense]
    own, features = explainer.table_.encode(row), explainer.table_.encode(table)
    for pair in explainer.never_together_:
        has_both = [
            np.logical_and.reduce([(t.below < x[:, t.feature]) & (x[:, t.feature] < t.above) for t in both])
            for x, both in ((own, (pair.first, pair.second)), (features, (pair.first, pair.second)))
        ]
        features = features[~has_both[1]] if not has_both[0][0] else features
    return float(explainer.distance_(np.repeat(own, len(features), axis=0), features).min(initial=np.inf))


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)], ids=["no density", "density"])
@pytest.mark.parametrize("kind", MODELS)
def test_nearest_answers_bring_nothing_together(kind, density, monkeypatch):
    written = []

    def counted(*arguments):
        written.append(ruled_cells.cell_rules(*arguments))
        return written[-1]

    monkeypatch.setattr(cover, "cell_rules", counted)
    for seed in range(4):
        frame, y = table_of_blocks(seed)
        explainer = ew.Explainer(MODELS[kind].fit(frame, y), density=density).fit(frame, y)
        assert len(explainer.never_together_) > 3
        rows = frame[explainer.model.predict(frame) == "bad"]
        rows = pd.concat([rows[rows["a"] == -9][:2], rows[rows["a"] >= 0][:8]])
        answers = explainer.explain(rows, "good", constraints=ew.Constraints(codes="change"))
        expected = np.array([nearest(explainer, rows.iloc[[place]]) for place in range(len(rows))])
        is_found = np.isfinite(expected)
        assert answers.statuses.tolist() == np.where(is_found, "optimal", "infeasible").tolist()
        np.testing.assert_allclose(answers.distances[is_found], expected[is_found], rtol=1e-9)
        np.testing.assert_allclose(answers.lower_bounds[is_found], expected[is_found], rtol=1e-6)
    # without a density few boxes are left to the rules: what follows from them narrows boxes before
    assert any(rules is not None for rules in written) or density is None


class Trees:
    """What rules need to know of trees: cells of whole numbers and of three levels."""

    def __init__(self, ends: list[list[float]]) -> None:
        low = [[-np.inf, *(np.nextafter(end, np.inf) for end in of)] for of in ends]
        counts = [len(of) + 1 for of in ends]
        self.first_cell = np.concatenate([[0], np.cumsum([*counts, 3])])
        n = len(ends)
        self.feature = np.concatenate([np.repeat(np.arange(n), counts), np.arange(n, n + 3)])
        self.is_number = self.feature < n
        self.low = np.concatenate([*low, np.ones(3)])
        self.high = np.concatenate([*([*of, np.inf] for of in ends), np.ones(3)])
        self.n_vars = n + 1


def random_clauses(rng: np.random.Generator) -> Clauses:
    literals = []
    for _ in range(6):
        columns = rng.choice(3, rng.integers(1, 4), replace=False)
        clause = []
        for column in columns.tolist():
            if column == 2:
                clause.append((2 + int(rng.integers(3)), -np.inf, 0.0))
                continue
            ends = sorted(rng.integers(0, 7, 2).tolist())
            kind = rng.integers(3)
            clause += [(column, -np.inf, ends[0])] if kind != 1 else []
            clause += [(column, ends[1], np.inf)] if kind != 0 else []
        literals.append(clause)
    flat = [one for clause in literals for one in clause]
    first = np.cumsum([0, *(len(clause) for clause in literals[:-1])])
    feature, low, high = (np.array(part) for part in zip(*flat))
    return Clauses(feature, first, low[None].astype(float), high[None].astype(float), np.ones((1, 6), dtype=bool))


@pytest.mark.parametrize("seed", range(40))
def test_points_of_cells_that_break_a_rule_break_a_clause(seed):
    rng = np.random.default_rng(seed)
    whole = seed % 2 == 0  # cells of one number each: then the rules are the clauses
    ends = [[k + 0.5 for k in range(6)] if whole else sorted(rng.choice(6, 3, replace=False) + 0.5) for _ in range(2)]
    trees, clauses = Trees(ends), random_clauses(rng)
    row = np.array([1.0, 4.0, 1.0, 0.0, 0.0])
    lower, upper = np.array([0.0, 0.0, 0.0, 0.0, 0.0]), np.array([6.0, 6.0, 1.0, 1.0, 1.0])
    integer = np.array([True, True, False, False, False])
    box = BoxRequest(row, lower, upper, integer, margin=0.0)
    rules = ruled_cells.cell_rules(trees, clauses, *ruled_cells.ends_in_cells(trees, box))
    n_broken = 0
    for a, b, level in itertools.product(range(7), range(7), range(3)):
        point = np.array([a, b, *np.eye(3)[level]], dtype=float)
        cells = [int(np.searchsorted(ends[0], a)), int(np.searchsorted(ends[1], b)), level]
        breaks_clause = clauses.broken(np.zeros(1, dtype=int), point[None]).any()
        breaks_rule = False
        for start, end in itertools.pairwise(rules[0].tolist() if rules is not None else [0]):
            parts = range(start, end)
            breaks_rule |= all(rules[2][p] <= cells[rules[1][p]] <= rules[3][p] for p in parts)
        assert breaks_clause or not breaks_rule
        assert breaks_rule or not (whole and breaks_clause)
        n_broken += breaks_rule
    assert n_broken > 0 or not whole
