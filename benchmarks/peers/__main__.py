"""Measure elsewise and its peers on the same rows, models and targets, and write the page that shows it."""

from __future__ import annotations

import argparse
import datetime
import json
import tempfile
import time
from pathlib import Path
from sys import executable
from typing import Any

from threadpoolctl import threadpool_limits

from .. import problems
from ..measure import RESULTS
from . import data, environments, page, plots, run
from .judge import judge
from .machine import describe
from .methods import METHODS, Method
from .study import Study, prepare

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--house-prices", type=Path, help="CSV with the columns CRIM to LSTAT, and MEDV")
    parser.add_argument("--heloc", type=Path, help="CSV with numeric columns, and RiskPerformance")
    parser.add_argument("--envs", type=Path, default=environments.default_directory(), help="where peers live")
    parser.add_argument("--peers", nargs="*", choices=[m.key for m in METHODS], help="only these; all unless given")
    parser.add_argument("--only", help="problems whose name contains this, e.g. 'digits' or 'tree'")
    parser.add_argument("--rows", type=int, default=100, help="rows of each problem for every method")
    parser.add_argument("--seconds", type=float, default=20.0, help="budget of a method on a problem")
    parser.add_argument("--row-seconds", type=float, default=10.0, help="limit of a row")
    parser.add_argument("--quick", action="store_true", help="5 rows and 3 seconds each")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from the results")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    options = parser.parse_args()
    if options.quick:
        options.rows, options.seconds, options.row_seconds = 5, 3.0, 3.0
    results = options.out / "peers.json"
    if not options.page_only:
        found = measure(options)
        options.out.mkdir(parents=True, exist_ok=True)
        results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found = json.loads(results.read_text(encoding="utf-8"))
    (options.out / "peers.md").write_text(page.report(found), encoding="utf-8")
    plots.draw(found, options.page.parent)
    page.update(options.page, found, options.out)
    print(f"Wrote {results}, {results.with_suffix('.md')} and {options.page}")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run everything; no counterfactuals are kept, only figures about them."""
    methods = [m for m in METHODS if not options.peers or m.key in options.peers]
    made = {}
    for name in sorted({m.environment for m in methods if m.environment}):
        print(f"environment {name} ...", flush=True)
        made[name] = environments.make(environments.ENVIRONMENTS[name], options.envs)
        print(f"  {made[name].problem or 'ready'}", flush=True)
    start = time.perf_counter()
    chosen, left_out = data.load(options.house_prices, options.heloc, quick=options.quick)
    chosen = [p for p in chosen if options.only is None or options.only in p.name]
    limits = run.Limits(options.rows, options.row_seconds, options.seconds)
    with tempfile.TemporaryDirectory() as scratch, threadpool_limits(1):
        measured = [_problem(p, methods, made, limits, options.quick, Path(scratch)) for p in chosen]
        imports = {m.key: _import_seconds(m, made) for m in methods}
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "machine": describe(),
        "seconds": time.perf_counter() - start,
        "quick": options.quick,
        "limits": {"rows": limits.rows, "row_seconds": limits.row_seconds, "seconds": limits.seconds},
        "left_out": left_out,
        "versions": {"elsewise": page.own_versions()} | {name: m.versions for name, m in made.items()},
        "not_installed": {name: m.problem for name, m in made.items() if m.python is None},
        "imports": imports,
        "problems": measured,
    }


def _problem(
    problem: problems.Problem,
    methods: list[Method],
    made: dict[str, environments.Made],
    limits: run.Limits,
    quick: bool,
    scratch: Path,
) -> dict[str, Any]:
    """Let every method explain one problem."""
    own_rows = min(limits.rows, len(problem.X_test)) if quick else len(problem.X_test)
    study = prepare(problem, own_rows)
    print(f"{problem.name}: {own_rows} rows", flush=True)
    file = scratch / (problem.name.replace(", ", "-").replace(" ", "-") + ".npz")
    run.write_problem(study, file)
    own = run.Limits(own_rows, limits.row_seconds, max(limits.seconds, 60.0))
    _, reference = judge(study, run.here(METHODS[0], study, own), None)
    figures = {}
    for method in methods:
        answers = _answers(method, study, file, made, own if method.key == "elsewise-all" else limits)
        figure, _ = judge(study, answers, reference)
        figures[method.key] = figure
        shown = {k: round(v, 3) for k, v in figure.items() if isinstance(v, float)}
        print(f"  {method.key}: {figure['rows']} rows {figure['problem']} {shown} {figure['errors']}", flush=True)
    # In one call, as the library is meant to be used for many rows.
    start = time.perf_counter()
    study.plausible.explain(problem.X_test[:own_rows], target=problem.targets[:own_rows])
    batch_ms = 1e3 * (time.perf_counter() - start) / own_rows
    return {
        "name": problem.name,
        "features": problem.X_train.shape[1],
        "classes": len(problem.model.classes_),
        "training_rows": len(problem.X_train),
        "model_dimensions": study.plausible.to_model_space(problem.X_train[:1]).shape[1],
        "batch_ms": batch_ms,
        "own_rows": own_rows,
        "proven_optimum": float(study.proven_optimum.mean()),
        "proven_nearest": float(study.proven_nearest.mean()),
        "methods": figures,
    }


def _answers(
    method: Method, study: Study, file: Path, made: dict[str, environments.Made], limits: run.Limits
) -> run.Answers:
    if method.trees_only and "tree_" not in vars(study.problem.model[-1]):
        return run.Answers(problem="explains trees only")
    if method.environment is None:
        return run.here(method, study, limits)
    return run.elsewhere(method, made[method.environment], file, limits)


def _import_seconds(method: Method, made: dict[str, environments.Made]) -> float | None:
    python = Path(executable) if method.environment is None else made[method.environment].python
    return None if python is None else run.import_seconds(python, method.imports)


if __name__ == "__main__":
    main()
