"""How typical answers at the median threshold are by a measure that the density had no part in.

Of each table some rows fit a model and an explainer with default settings, others are explained, and the target's rows
among what is left are the judges. The *independent typicality* of an answer is the share of these whose fifth
neighbour among the others is no nearer than that of the answer, with numbers ranked and categories as indicators: a new
row of the target has 0.5 in the median. With rules, only the 200 judges nearest to the answer in the columns that
cannot change take part in the share: nobody is less typical for what cannot change.

``FILE:LABEL:TARGET`` names a table; without any, two made-up tables with heavy tails are used.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew

from .measure import RESULTS, write

N_TRAIN, N_JUDGES = 2_000, 2_000
NEIGHBOUR = 5
NEAREST_JUDGES = 200
"""Judges, nearest in the fixed columns, that an answer is compared with."""

LEAST_SPREAD = 0.05
"""Standard deviation of ranks, or variance of indicators, that a column is taken to have at least."""

UNNOTICED = 0.05
"""Deviations of a column within which two of its values are taken to be the same: ranks would tell 0 from 0.002."""


def debts(n: int = 6_000, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Make incomes and debts with lognormal tails, ratios of them, and counts that are mostly zero."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(9.0, 5.2, n), 21, 95).astype(int)
    wealth = rng.normal(0.0, 1.0, n)
    income = np.round(np.exp(8.4 + 0.55 * wealth + 0.35 * rng.normal(size=n)), -1)
    debt = np.round(np.exp(7.6 + 0.5 * wealth + 1.3 * rng.normal(size=n)))
    utilisation = np.round(np.exp(-1.6 + 1.2 * rng.normal(size=n)), 3)
    late = np.where(rng.random(n) < 0.85, 0, 1 + rng.negative_binomial(1, 0.45, n))
    lines = rng.poisson(np.exp(1.9 + 0.25 * wealth))
    score = 1.2 * wealth - 1.1 * np.log1p(utilisation) - 0.8 * late - 0.35 * np.log(debt / income) + 0.02 * (age - 45)
    good = score + rng.logistic(0.0, 0.7, n) > np.median(score)
    columns = {
        "age": age,
        "income": income,
        "debt": debt,
        "debt_ratio": np.round(debt / income, 4),
        "utilisation": utilisation,
        "times_late": late,
        "open_lines": lines,
        "dependants": np.minimum(rng.geometric(0.55, n) - 1, 6),
    }
    return pd.DataFrame(columns), np.where(good, "good", "bad")


def missing_incomes(n: int = 6_000, seed: int = 1) -> tuple[pd.DataFrame, Any]:
    """Make a table whose ratio means something else for one row in seven: without an income it is the debt itself."""
    frame, y = debts(n, seed)
    frame = frame.drop(columns="debt")
    unknown = np.random.default_rng(seed).random(n) < 0.14
    frame["debt_ratio"] = np.round(np.where(unknown, frame["debt_ratio"] * frame["income"], frame["debt_ratio"]), 4)
    frame["income"] = np.where(unknown, 0.0, frame["income"])
    return frame, y


MADE_UP = {"debts": debts, "missing incomes": missing_incomes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="FILE:LABEL:TARGET")
    parser.add_argument("--made-up", nargs="*", choices=MADE_UP, default=None)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", choices=["linear", "boosting"], default="linear")
    parser.add_argument("--rules", choices=["none", "suggested", "both"], default="both")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    tables: dict[str, tuple[pd.DataFrame, Any, Any]] = {}
    for name in (() if options.tables else MADE_UP) if options.made_up is None else options.made_up:
        tables[name] = (*MADE_UP[name](), "good")
    for text in options.tables:
        path, label, target = text.rsplit(":", 2)
        frame = pd.read_csv(path)
        y = frame.pop(label).to_numpy().astype(str)
        tables[Path(path).stem] = (frame, y, target)
    found = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (frame, y, target) in tables.items():
            for line in judged(frame, y, target, options):
                found.append({"table": name, **line})
                print(found[-1], flush=True)
    write("typicality", "Independent typicality", {"Answers at the median threshold": found}, [], options.out)


def judged(frame: pd.DataFrame, y: Any, target: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Explain rows of one table, with no rules and with those that are suggested, and judge the answers."""
    order = np.random.default_rng(options.seed).permutation(len(y))
    parts = np.array_split(order, [int(0.5 * len(y)), int(0.7 * len(y))])
    train, asked, others = parts[0][:N_TRAIN], parts[1], parts[2]
    judges = frame.iloc[others[y[others] == target][:N_JUDGES]]
    model = pipeline(frame, options.model).fit(frame.iloc[train], y[train])
    rows = frame.iloc[asked]
    rows = rows[known_levels(frame.iloc[train], rows)]
    rows = rows[model.predict(rows) != target].iloc[: options.rows]
    measures = Measure(judges), Measure(judges, ranks=False)
    lines = []
    for rules in ("none", "suggested") if options.rules == "both" else (options.rules,):
        start = time.process_time()
        explainer = ew.Explainer(model, rules=None if rules == "none" else rules).fit(frame.iloc[train], y[train])
        fitted = time.process_time() - start
        start = time.process_time()
        answers = explainer.explain(rows, target)
        spent = time.process_time() - start
        there = np.isfinite(answers.distances)
        fixed = fixed_columns(explainer) if rules == "suggested" else []
        found = answers.counterfactuals[there]
        shares, standardised = (measure.typicality(found, fixed) for measure in measures)
        densities = explainer.densities_[target].mixture_
        low, quarter, middle = np.quantile(shares, [0.0, 0.25, 0.5]) if there.any() else [np.nan] * 3
        lines.append({
            "rules": rules,
            "rows": len(rows),
            "found": int(there.sum()),
            "proven": int(np.isin(answers.statuses, ["optimal", "infeasible"]).sum()),
            "median": float(middle),
            "quarter": float(quarter),
            "least": float(low),
            "below 0.05": int((shares < 0.05).sum()),
            "standardised median": float(np.median(standardised)),
            "standardised least": float(standardised.min(initial=1.0)),
            "standardised below 0.05": int((standardised < 0.05).sum()),
            "median distance": float(np.median(answers.distances[there])),
            "components": len(densities.weights_),
            "s to fit": fitted,
            "ms a row": 1e3 * spent / len(rows),
        })  # fmt: skip
    return lines


def fixed_columns(explainer: Any) -> list[str]:
    """Columns that the stored rules leave as they are."""
    return list(explainer.suggest_rules().constraints.immutable)


class Measure:
    """Fifth neighbours among judges, in numbers or their ranks, and indicators of categories, each of variance one."""

    def __init__(self, judges: pd.DataFrame, *, ranks: bool = True) -> None:
        self.judges, self.ranks = judges, ranks
        self.points = self.placed(judges)
        self.neighbours = NearestNeighbors().fit(self.points)
        self.own = self.neighbours.kneighbors(n_neighbors=NEIGHBOUR)[0][:, -1]

    def placed(self, rows: pd.DataFrame) -> Any:
        """Return rows as points, array of shape (n_rows, n_coordinates)."""
        points = []
        for name in self.judges:
            own, new = self.judges[name], rows[name]
            if own.dtype.kind in "fiu":
                values = np.sort(own.dropna().to_numpy(float))
                at = np.where(new.isna(), np.median(values), new.to_numpy(float))
                spread = np.std(values) or 1.0
                if self.ranks:
                    spread = max(np.std(mid_ranks(values, values)), LEAST_SPREAD)
                    at = mid_ranks(values, unnoticed(values, at))
                points.append(at[:, None] / spread)
            else:
                levels = sorted(set(own.astype(str)))
                shares = np.array([np.mean(own.astype(str) == level) for level in levels])
                variance = max(float((shares * (1 - shares)).sum()), LEAST_SPREAD)
                points.append((new.astype(str).to_numpy()[:, None] == np.array(levels)) / np.sqrt(variance))
        return np.column_stack(points)

    def typicality(self, rows: pd.DataFrame, fixed: list[str]) -> Any:
        """Share of judges whose fifth neighbour is no nearer, array of shape (n_rows,)."""
        if len(rows) == 0:
            return np.empty(0)
        far = self.neighbours.kneighbors(self.placed(rows), n_neighbors=NEIGHBOUR)[0][:, -1]
        if not fixed:
            return (self.own[None, :] >= far[:, None]).mean(axis=1)
        given = Measure(self.judges[fixed], ranks=self.ranks)
        nearest = given.neighbours.kneighbors(given.placed(rows[fixed]), n_neighbors=NEAREST_JUDGES)[1]
        return (self.own[nearest] >= far[:, None]).mean(axis=1)


def unnoticed(values: Any, at: Any) -> Any:
    """Nearest of ascending values, where it is so near that nobody would notice, else the number itself."""
    after = np.searchsorted(values, at).clip(1, len(values) - 1)
    nearest = np.where(at - values[after - 1] <= values[after] - at, values[after - 1], values[after])
    return np.where(np.abs(nearest - at) <= UNNOTICED * np.std(values), nearest, at)


def mid_ranks(values: Any, at: Any) -> Any:
    """Share of ascending values below each number, with half of those equal to it; array of shape (n,)."""
    below, above = (np.searchsorted(values, at, side=side) for side in ("left", "right"))
    return (below + above) / (2.0 * len(values))


def pipeline(frame: pd.DataFrame, model: str) -> Any:
    """Return a model as a user would make it."""
    numeric = [name for name in frame if frame[name].dtype.kind in "fiu"]
    others = [name for name in frame if name not in numeric]
    steps: list[Any] = [(StandardScaler(), numeric)]
    if others:
        steps.append((OneHotEncoder(handle_unknown="ignore", sparse_output=False), others))
    last = LogisticRegression(max_iter=5_000)
    if model == "boosting":
        last = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=8, random_state=0)
    return make_pipeline(make_column_transformer(*steps), last)


def known_levels(train: pd.DataFrame, rows: pd.DataFrame) -> Any:
    """Which rows have no level that no training row has, bool array of shape (n_rows,)."""
    known = np.ones(len(rows), dtype=bool)
    for name in train:
        if train[name].dtype.kind not in "fiu":
            known &= rows[name].isin(train[name].unique()).to_numpy()
    return known


if __name__ == "__main__":
    main()
