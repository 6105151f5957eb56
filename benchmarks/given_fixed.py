"""Densities given what cannot change, beside joint ones: rows without an answer, distances, time.

German credit (with ``--german``) with what a person is and has been held fixed, and a made-up table like that of a
bank's campaign, ten of whose sixteen columns cannot change. Every rejected row of a test split is asked at several
density quantiles, jointly and given what cannot change. A row is *shut out by fixed columns alone* where nothing with
its fixed columns is dense enough, whatever the model says.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew
from elsewise.questions import Options
from elsewise.questions.explain import explain_rows

from .measure import RESULTS, write

QUANTILES = (0.25, 0.5, 0.75)
FIXED = {
    "German credit": [
        "age", "personal_status_sex", "foreign_worker", "people_under_maintenance", "credit_history",
        "credits_this_bank", "present_res_since",
    ],
    "made-up bank": [
        "age", "job", "marital", "education", "default", "day", "month", "pdays", "previous", "poutcome",
    ],
}  # fmt: skip
"""Columns that cannot change: what a person is, and what has been."""
JOBS = {
    "worker": 0.22, "clerk": 0.12, "manager": 0.21, "technician": 0.17, "services": 0.09, "retired": 0.05,
    "student": 0.02, "maid": 0.03, "unemployed": 0.03, "owner": 0.06,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--german", type=Path, help="CSV file with the column default")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    tables = {"made-up bank": made_up_bank()}
    if options.german:
        frame = pd.read_csv(options.german)
        tables["German credit"] = (frame.drop(columns="default"), frame["default"].to_numpy() == 0)
    found: dict[str, list[dict[str, Any]]] = {}
    with threadpool_limits(1):
        for name, (frame, good) in tables.items():
            found[name] = compare(frame, good, FIXED[name])
    write("given_fixed", "Given what cannot change", found, [], options.out)


def made_up_bank(n: int = 4_000, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Make sixteen columns as a bank's campaign has them, and whether customers said yes."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(9.0, 4.6, n), 18, 92).astype(int)
    jobs = np.array(list(JOBS))
    job = rng.choice(jobs, n, p=list(JOBS.values()))
    job = np.where(age > 62, np.where(rng.random(n) < 0.8, "retired", job), job)
    job = np.where((age < 25) & (rng.random(n) < 0.5), "student", job)
    skilled = np.isin(job, ["manager", "technician", "owner"])
    education = np.where(
        rng.random(n) < np.where(skilled, 0.6, 0.15), "tertiary", rng.choice(["primary", "secondary"], n, p=[0.3, 0.7])
    )
    married = rng.random(n) < np.clip((age - 18) / 25, 0.05, 0.7)
    before = rng.random(n) < 0.2
    outcome = np.where(before, rng.choice(["failure", "success", "other"], n, p=[0.6, 0.22, 0.18]), "unknown")
    housing, loan = rng.random(n) < np.where(age < 55, 0.6, 0.2), rng.random(n) < 0.16
    frame = pd.DataFrame(
        {
            "age": age,
            "job": job,
            "marital": np.where(married, "married", np.where(rng.random(n) < 0.3, "divorced", "single")),
            "education": education,
            "default": np.where(rng.random(n) < 0.02, "yes", "no"),
            "balance": np.round(rng.gamma(0.9, 1_400.0, n) * np.where(skilled, 1.3, 0.9) - 150).astype(int),
            "housing": np.where(housing, "yes", "no"),
            "loan": np.where(loan, "yes", "no"),
            "contact": rng.choice(["cellular", "telephone", "unknown"], n, p=[0.64, 0.07, 0.29]),
            "day": rng.integers(1, 32, n),
            "month": rng.choice([f"{month:02}" for month in range(1, 13)], n),
            "duration": np.round(rng.gamma(1.3, 200.0, n)).astype(int),
            "campaign": 1 + rng.poisson(1.6, n),
            "pdays": np.where(before, rng.integers(1, 400, n), -1),
            "previous": np.where(before, 1 + rng.poisson(1.5, n), 0),
            "poutcome": outcome,
        }
    )
    score = (
        -4.1 + 0.0045 * frame["duration"] + 2.0 * (outcome == "success") - 0.8 * housing - 0.5 * loan
        + 0.6 * (frame["contact"] == "cellular") + 0.00012 * frame["balance"] - 0.12 * frame["campaign"]
        + 0.6 * (education == "tertiary") + 0.9 * np.isin(job, ["retired", "student"])
    )  # fmt: skip
    return frame, rng.random(n) < 1 / (1 + np.exp(-score.to_numpy() - 1.5))


def compare(frame: pd.DataFrame, good: np.ndarray, fixed: list[str]) -> list[dict[str, Any]]:
    """Ask about all rejected rows, jointly and given what cannot change."""
    train, test, y, _ = train_test_split(frame, good, test_size=0.3, random_state=0, stratify=good)
    numeric = [name for name in frame if frame[name].dtype.kind in "fiu"]
    categories = [name for name in frame if name not in numeric]
    encode = make_column_transformer((StandardScaler(), numeric), (OneHotEncoder(handle_unknown="ignore"), categories))
    model = make_pipeline(encode, LogisticRegression(max_iter=5_000)).fit(train, y)
    rows = test[~model.predict(test)].iloc[:300]
    rules = ew.Constraints(immutable=fixed)
    explainers = {given: ew.Explainer(model, condition_on_fixed=given).fit(train, y) for given in (False, True)}
    found = []
    for quantile in QUANTILES:
        answers, seconds, alone = {}, {}, {}
        for given, explainer in explainers.items():
            asked = explainer.with_threshold(quantile)
            started = time.perf_counter()
            answers[given] = asked.explain(rows, True, constraints=rules)
            seconds[given] = time.perf_counter() - started
            anything = explain_rows(asked.fitted_, rows, True, Options(constraints=rules), use_model=False)
            alone[given] = int((anything.statuses == "infeasible").sum())
        both = answers[False].found & answers[True].found
        for given, each in answers.items():
            found.append(
                {
                    "quantile": quantile,
                    "density": "fixed" if given else "joint",
                    "rows": len(rows),
                    "without an answer": int((~each.found).sum()),
                    "shut out by fixed columns alone": alone[given],
                    "median distance, rows answered by both": float(np.median(each.distances[both])),
                    "rows a second": len(rows) / seconds[given],
                }
            )
    return found


if __name__ == "__main__":
    main()
