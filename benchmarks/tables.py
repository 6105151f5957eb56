"""Tables with whole numbers, categories and rules: time per row against SCIP on the same formulation, and throughput.

German credit (20 columns, 13 of them categories) row by row against SCIP, which gets one mixed-integer problem for each
cell, its own threads off, and only the time inside the solver counted; all rejected rows of its test split, one thread;
HELOC (23 columns) as numbers and as whole numbers, and Adult, all rejected rows of a test split, two threads.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from .measure import RESULTS, seconds, text, write

MODELS = {
    "logistic regression": lambda: LogisticRegression(max_iter=5_000),
    "linear SVM": lambda: LinearSVC(max_iter=50_000, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=6, min_samples_leaf=10, random_state=0),
}
LABELS = {"german": ("default", 0), "heloc": ("RiskPerformance", "Good"), "adult": ("income", 1)}
"""Column of the label, and the label that people want."""

RULES = {
    "immutable": ["personal_status_sex", "foreign_worker"],
    "monotone": {"age": "increase"},
    "bounds": {"credit_amount": (250, 20_000), "duration_in_month": (4, 72)},
    "allowed": {"housing": {"rent": ["own"]}},
    "linear": [({"credit_amount": 1.0, "duration_in_month": -250.0}, "<=", 4_000.0)],
    "max_changes": 4,
}
"""Rules for German credit, parameters of ``elsewise.Constraints``."""


@dataclass(frozen=True, slots=True)
class Case:
    """A fitted explainer and the rejected rows of a test split."""

    explainer: Any
    rejected: Any
    target: Any
    train: Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in LABELS:
        parser.add_argument(f"--{name}", type=Path, help=f"CSV file with the column {LABELS[name][0]}")
    parser.add_argument("--scip-rows", type=int, default=40, help="rows of each German problem for the comparison")
    parser.add_argument("--rows", type=int, default=None, help="at most so many rows for throughput")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if not any(getattr(options, name) for name in LABELS):
        parser.error("no data: give at least one of --german, --heloc, --adult")
    tables: dict[str, list[dict[str, Any]]] = {}
    with threadpool_limits(1):
        if options.german:
            tables["German credit against SCIP"] = against_scip(options)
            tables["German credit, all rejected rows of the test split, one at a time"] = one_at_a_time(options)
        found = throughput(options)
        if found:
            tables["All rejected rows of the test split, two threads"] = found
    write("tables", "Tables", tables, notes(tables), options.out)


def case(path: Path, name: str, model: str, *, n_jobs: int = 1) -> Case:
    """Read a table, fit a pipeline and an explainer as a user would, and keep the test rows that are rejected."""
    import pandas as pd

    import elsewise as ew

    label, target = LABELS[name]
    frame = pd.read_csv(path)
    y = frame.pop(label)
    train, test, y_train, _ = train_test_split(frame, y, test_size=0.3, random_state=0, stratify=y)
    numeric = [column for column in frame if frame[column].dtype.kind in "fiu"]
    categorical = [column for column in frame if column not in numeric]
    steps = [
        ("numbers", StandardScaler(), numeric),
        ("categories", OneHotEncoder(handle_unknown="ignore"), categorical),
    ]
    pipeline = make_pipeline(ColumnTransformer(steps if categorical else steps[:1]), MODELS[model]()).fit(
        train, y_train
    )
    explainer = ew.Explainer(pipeline, condition_on_fixed=False, n_jobs=n_jobs).fit(train, y_train)
    return Case(explainer, test[pipeline.predict(test) != target], target, train)


def against_scip(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time the same rows of German credit with the library and with SCIP, in turn."""
    _, reference, tables = (_from_tests(name) for name in ("mixed_problem", "mixed_reference", "mixed_tables"))
    found = []
    for model in MODELS:
        german = case(options.german, "german", model)
        problems = tables.TableReference(german.explainer, german.train)
        for name, rules in (("none", {}), ("rules", RULES)):
            measured = _compare(german, problems, reference.scip, rules, options)
            found.append({"model": model, "rules": name, **measured})
            _say(found[-1])
    return found


def _compare(
    german: Case, problems: Any, scip: Any, rules: dict[str, Any], options: argparse.Namespace
) -> dict[str, Any]:
    import elsewise as ew

    constraints = ew.Constraints(**rules)
    rows = _within(german.rejected, rules).iloc[: options.scip_rows]
    times: list[tuple[float, ...]] = []
    differences, alike, proven = [0.0], 0, 0
    for i in range(len(rows)):
        row = rows.iloc[[i]]
        own, answer = _row_time(german, row, constraints, options.repetitions)
        problem = problems.problem(row.iloc[0], german.target, rules)
        start = time.perf_counter()
        expected = scip(problem, tuned=False)
        with_building = time.perf_counter() - start
        times.append((own, expected.seconds, with_building, scip(problem, tuned=True).seconds))
        distance = float(answer.distances[0])
        alike += np.isfinite(distance) == np.isfinite(expected.value)
        proven += str(answer.statuses[0]) in ("optimal", "infeasible")
        if np.isfinite(distance) and np.isfinite(expected.value):
            differences.append((distance - expected.value) / max(expected.value, 1e-9))
    together = _row_time(german, rows, constraints, options.repetitions)[0] / len(rows)
    each = dict(zip(("elsewise", "SCIP", "SCIP with building", "SCIP tuned"), np.array(times).T))
    return {
        "rows": len(rows),
        **{f"{key}, median ms": 1e3 * float(np.median(values)) for key, values in each.items()},
        "elsewise, all rows in one call, ms": 1e3 * together,
        **{
            f"{solver} / elsewise, {what}": value
            for solver in ("SCIP", "SCIP tuned")
            for what, value in _ratios(each[solver], each["elsewise"], together).items()
        },
        "proven": f"{proven}/{len(rows)}",
        "answered alike": f"{alike}/{len(rows)}",
        "elsewise - SCIP, relative": max(differences, key=abs),
    }


def _ratios(theirs: Any, own: Any, together: float) -> dict[str, float]:
    """How many times longer than one row at a time (medians; mean of rows), and than all rows in one call (means)."""
    return {
        "of medians": float(np.median(theirs) / np.median(own)),
        "geometric mean": float(np.exp(np.log(theirs / own).mean())),
        "of means, one call": float(theirs.mean() / together),
    }


def one_at_a_time(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time all rejected rows of German credit, each in a call of its own on one thread."""
    import elsewise as ew

    found = []
    for model in MODELS:
        german = case(options.german, "german", model)
        for name, rules in (("none", {}), ("rules", RULES)):
            rows = _within(german.rejected, rules)
            constraints = ew.Constraints(**rules)
            times = np.array([
                _row_time(german, rows.iloc[[i]], constraints, options.repetitions)[0] for i in range(len(rows))
            ])  # fmt: skip
            found.append({
                "model": model,
                "rules": name,
                "rows": len(rows),
                "median ms": 1e3 * float(np.median(times)),
                "99 % under ms": 1e3 * float(np.quantile(times, 0.99)),
                "slowest ms": 1e3 * float(times.max()),
            })  # fmt: skip
            _say(found[-1])
    return found


def throughput(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Rows per second of HELOC and Adult with two threads, all rejected rows in one call."""
    import elsewise as ew

    found = []
    for name, taken_as, rules in (
        ("heloc", "numbers", {"integer": []}),
        ("heloc", "whole numbers", {}),
        ("adult", "whole numbers and categories", {}),
    ):
        path = getattr(options, name)
        for model in MODELS if path else ():
            table = case(path, name, model, n_jobs=2)
            rows, constraints = table.rejected.iloc[: options.rows], ew.Constraints(**rules)
            answers = table.explainer.explain(rows, target=table.target, constraints=constraints)
            times = [
                seconds(lambda: table.explainer.explain(rows, target=table.target, constraints=constraints))  # noqa: B023
                for _ in range(options.repetitions)
            ]
            found.append({
                "table": name,
                "model": model,
                "taken as": taken_as,
                "rows": len(rows),
                "rows per second": len(rows) / float(np.median(times)),
                "optimal": int(np.sum(answers.statuses == "optimal")),
                "infeasible": int(np.sum(answers.statuses == "infeasible")),
            })  # fmt: skip
            _say(found[-1])
    return found


def notes(tables: dict[str, list[dict[str, Any]]]) -> list[str]:
    """How to read the tables, and the ratios over all problems."""
    found = [
        "A row's time is the median of its repetitions, a call of its own with checks, proof and verification.",
        "SCIP's time is that inside of the solver, with its default settings, or tuned: fast presolving, heuristics "
        "and separation, no restarts.",
    ]
    for rows in (rows for heading, rows in tables.items() if heading.endswith("SCIP")):
        for key in (key for key in rows[0] if " / elsewise, " in key):
            ratios = np.array([row[key] for row in rows])
            mean = np.exp(np.log(ratios).mean())
            found.append(f"{key}: over the problems geometric mean {mean:.1f}, minimum {ratios.min():.1f}")
    return found


def _row_time(table: Case, row: Any, constraints: Any, repetitions: int) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(repetitions):
        start = time.perf_counter()
        answer = table.explainer.explain(row, target=table.target, constraints=constraints)
        times.append(time.perf_counter() - start)
    return float(np.median(times)), answer


def _within(rows: Any, rules: dict[str, Any]) -> Any:
    """Rows that lie within the bounds of the rules: others are refused, as they should be."""
    for name, (low, high) in rules.get("bounds", {}).items():
        rows = rows[rows[name].between(low, high)]
    return rows


def _say(row: dict[str, Any]) -> None:
    print("; ".join(f"{key} {text(value)}" for key, value in row.items()), flush=True)


def _from_tests(name: str) -> Any:
    """Load a module of the tests, which are no package."""
    path = Path(__file__).parents[1] / "tests" / f"{name}.py"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise SystemExit(f"{path} is needed for the comparison and was not found: run from a checkout.")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
