"""Tables of whole numbers: rows a second in the kernel's search and in the general one, and German credit against SCIP.

HELOC (23 columns) with all columns whole numbers, and a made-up table like those of credit cards (23 whole columns,
30,000 rows: limits, ages, months of delay, bills and payments), logistic regression behind a scaler, default settings,
on one thread and on two. The general search, which other kinds of tables take, answers some of the rows on one thread.
German credit, row by row, against SCIP: see ``tables``. Seconds of the processor are given beside those of the clock:
other work on the machine stretches the latter.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from .measure import RESULTS, write
from .tables import Case, against_scip, case, notes

GENERAL_ROWS = 60
"""Rows that the general search answers: it takes long."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heloc", type=Path, help="CSV file with the column RiskPerformance")
    parser.add_argument("--german", type=Path, help="CSV file with the column default")
    parser.add_argument("--rows", type=int, default=400, help="rejected rows of each table")
    parser.add_argument("--card-rows", type=int, default=30_000, help="rows of the table like those of credit cards")
    parser.add_argument("--scip-rows", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    tables: dict[str, list[dict[str, Any]]] = {"Rejected rows of a test split, all columns whole numbers": found}
    with threadpool_limits(1):
        if options.heloc:
            found += measured(
                "HELOC", lambda n_jobs: case(options.heloc, "heloc", "logistic regression", n_jobs=n_jobs), options
            )
        if options.card_rows:
            found += measured("credit cards, made up", lambda n_jobs: cards(options.card_rows, n_jobs), options)
        if options.german:
            asked = SimpleNamespace(german=options.german, scip_rows=options.scip_rows, repetitions=options.repetitions)
            tables["German credit against SCIP"] = against_scip(asked)  # type: ignore[arg-type]
    write("whole_numbers", "Tables of whole numbers", tables, notes(tables), options.out)


def cards(n_rows: int, n_jobs: int) -> Case:
    """Fit to a made-up table like those of credit cards, and keep rejected rows of a test split."""
    import pandas as pd

    import elsewise as ew

    rng = np.random.default_rng(0)
    wealth, care = rng.normal(size=n_rows), rng.normal(size=n_rows)
    columns: dict[str, Any] = {
        "limit": 1_000 * np.round(np.exp(4.8 + 0.7 * wealth + 0.2 * rng.normal(size=n_rows))),
        "sex": rng.integers(1, 3, n_rows),
        "education": np.clip(np.round(2 - 0.5 * wealth + 0.7 * rng.normal(size=n_rows)), 1, 4),
        "marriage": rng.integers(1, 4, n_rows),
        "age": np.clip(np.round(36 + 5 * wealth + 8 * rng.normal(size=n_rows)), 21, 79),
    }
    use = 1 / (1 + np.exp(care - 0.3 + 0.5 * rng.normal(size=n_rows)))
    for month in range(6):
        late = np.round(-0.3 - 1.1 * care + 0.8 * rng.normal(size=n_rows))
        columns[f"delay_{month}"] = np.clip(late, -2, 8)
    for month in range(6):
        columns[f"bill_{month}"] = np.round(
            columns["limit"] * use * np.exp(0.15 * rng.normal(size=n_rows) - 0.04 * month)
        )
    for month in range(6):
        share = 0.03 + 0.3 / (1 + np.exp(-care + 1.5))
        columns[f"paid_{month}"] = np.round(columns[f"bill_{month}"] * share * np.exp(0.5 * rng.normal(size=n_rows)))
    frame = pd.DataFrame({name: values.astype(np.int64) for name, values in columns.items()})
    score = 0.9 * frame["delay_0"] + 0.4 * frame["delay_1"] - 0.4 * wealth - 0.5 + rng.logistic(size=n_rows)
    y = (score > 0.3).astype(int)
    train, test, y_train, _ = train_test_split(frame, y, test_size=0.3, random_state=0, stratify=y)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5_000)).fit(train, y_train)
    explainer = ew.Explainer(pipeline, n_jobs=n_jobs).fit(train, y_train)
    return Case(explainer, test[pipeline.predict(test) != 0], 0, train)


def measured(name: str, make: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time the rejected rows of a table, on one thread and on two, and some of them with the general search."""
    found = []
    for n_jobs in (1, 2):
        table = make(n_jobs)
        found.append(_timed(name, "kernel", n_jobs, table, table.rejected.iloc[: options.rows], options.repetitions))
    from elsewise.search import tree_search

    with mock.patch.object(tree_search, "is_for_kernel", return_value=False):
        table = make(1)
        found.append(_timed(name, "general", 1, table, table.rejected.iloc[:GENERAL_ROWS], 1))
    return found


def _timed(name: str, search: str, n_jobs: int, table: Case, rows: Any, repetitions: int) -> dict[str, Any]:
    wall, cpu, answers = [], [], None
    for _ in range(repetitions):
        started, cpu_started = time.perf_counter(), time.process_time()
        answers = table.explainer.explain(rows, target=table.target)
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
    assert answers is not None
    row = {
        "table": name,
        "search": search,
        "threads": n_jobs,
        "rows": len(rows),
        "rows a second": len(rows) / float(np.median(wall)),
        "rows a second of processor": len(rows) / float(np.median(cpu)),
        "nodes a row": float(np.mean([answer.n_projections for answer in answers])),
        "optimal": int(np.sum(answers.statuses == "optimal")),
        "infeasible": int(np.sum(answers.statuses == "infeasible")),
    }
    print("; ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


if __name__ == "__main__":
    main()
