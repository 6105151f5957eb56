"""Run one method on one problem, here or in its own environment, and collect its answers."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .environments import Made
from .local import VARIANTS
from .methods import Method
from .study import Study
from .workers import protocol

WORKERS = Path(__file__).parent / "workers"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(slots=True)
class Limits:
    """How many rows a method gets, and how long it may take.

    Attributes
    ----------
    rows : int
    row_seconds : float
        For one row; a row that takes longer counts as unanswered.
    seconds : float
        For all rows of a problem; rows that are not reached do not count.
    start_seconds : float
        For importing and preparing in a worker.
    """

    rows: int
    row_seconds: float
    seconds: float
    start_seconds: float = 120.0


@dataclass(slots=True)
class Answers:
    """What a method said: one record a row; ``problem`` is a remark, or the reason why it could not start."""

    records: list[dict[str, Any]] = field(default_factory=list)
    prepared: float | None = None
    agreement: float | None = None
    problem: str = ""


def here(method: Method, study: Study, limits: Limits) -> Answers:
    """Run a method in this process."""
    start = time.perf_counter()
    explain = VARIANTS[method.variant](study)
    prepared = time.perf_counter() - start
    X, targets = study.problem.X_test[: limits.rows], study.problem.targets[: limits.rows].tolist()
    records = protocol.answers(explain, X, targets, row_seconds=limits.row_seconds, seconds=limits.seconds)
    return Answers(list(records), prepared, 1.0)


def write_problem(study: Study, path: Path) -> None:
    """Write what the workers need, as plain arrays. Labels are 0, 1, ... in every problem."""
    problem = study.problem
    labels = list(study.plausible.densities_)
    if labels != list(range(len(labels))):
        raise ValueError(f"The workers expect labels 0, 1, ..., received {labels}.")
    np.savez(
        path,
        X_train=problem.X_train,
        y_train=problem.y_train,
        X_test=problem.X_test,
        targets=problem.targets,
        n_classes=len(labels),
        predicted_train=problem.model.predict(problem.X_train),
        **protocol.model_arrays(problem.model),
        **protocol.mixture_arrays([study.plausible.densities_[label].mixture_ for label in labels]),
    )


def elsewhere(method: Method, made: Made, problem: Path, limits: Limits) -> Answers:
    """Run a method in its own environment; what it wrote before it was stopped counts."""
    if made.python is None:
        return Answers(problem=f"not installed: {made.problem}")
    out = problem.with_name(f"{problem.stem}-{method.key}.jsonl")
    command = [str(made.python), str(WORKERS / f"{method.environment}_worker.py"), str(problem), str(out)]
    command += ["--method", method.variant, "--rows", str(limits.rows)]
    command += ["--row-seconds", str(limits.row_seconds), "--seconds", str(limits.seconds)]
    # The budget is checked between rows, and there is a warm-up: two rows may be under way past it.
    most = limits.start_seconds + limits.seconds + 2 * limits.row_seconds
    stopped = crashed = ""
    try:
        done = subprocess.run(
            command, timeout=most, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD}
        )
        if done.returncode:
            crashed = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        stopped = "stopped: neither answered nor reacted to its time limit"
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    if not lines or "failed" in lines[0]:
        return Answers(problem=lines[0]["failed"] if lines else (crashed or stopped or "wrote nothing"))
    remark = crashed or stopped or lines[0]["note"]
    return Answers(lines[1:], lines[0]["prepared"], lines[0]["agreement"], remark)


def import_seconds(python: Path, module: str, repetitions: int = 3) -> float:
    """Median time to import a module in a fresh process, warm disk cache."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    times = []
    for _ in range(repetitions + 1):
        done = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **ONE_THREAD}
        )
        times.append(float(done.stdout.split()[-1]))
    return float(np.median(times[1:]))
