"""Fits: seconds to fit an explainer, and the held-out likelihood of its densities.

HELOC as numbers (23 columns), and made-up tables of 16 columns, 7 of them numbers and 9 categories, of up to 160,000
rows and two classes. Likelihoods are mean log densities (of the mixture, in nats) of rows that were held back, each
under the density of its class. ``--against FILE`` reads the JSON of an earlier commit and adds the ratios to it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

from .measure import RESULTS, write
from .tables import LABELS

SIZES = (2_500, 10_000, 40_000, 160_000)
N_HELD_OUT = 5_000
N_NUMBERS, N_LEVELS = 7, (2, 2, 2, 3, 4, 4, 5, 9, 12)
N_KINDS = 6
"""Kinds of customers in the made-up table: what numbers and levels a row has depends on its kind."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heloc", type=Path, help=f"CSV file with the column {LABELS['heloc'][0]}")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--against", type=Path, help="fits.json of an earlier commit")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    cases = []
    if options.heloc:
        frame = pd.read_csv(options.heloc)
        labels = frame.pop(LABELS["heloc"][0]).to_numpy()
        held_out = np.random.default_rng(0).random(len(frame)) < 0.1
        cases.append(("heloc", frame[~held_out], labels[~held_out], frame[held_out], labels[held_out]))
    for size in options.sizes:
        frame, labels = made_up(size + N_HELD_OUT, seed=0)
        kept = np.arange(len(frame)) < size
        cases.append((f"made up, {size:,}", frame[kept], labels[kept], frame[~kept], labels[~kept]))
    rows = [measure(*case, options.repetitions) for case in cases]
    if options.against:
        before = {row["table"]: row for row in json.loads(options.against.read_text())["tables"]["Fits"]}
        for row in rows:
            earlier = before[row["table"]]
            row["CPU seconds before"] = earlier["CPU seconds"]
            row["times less CPU"] = earlier["CPU seconds"] / row["CPU seconds"]
            row["nats gained"] = row["held-out log likelihood"] - earlier["held-out log likelihood"]
    notes = [
        "Seconds of Explainer.fit, the fastest of the repetitions, by the clock and of all threads together; the model "
        "itself was fitted before."
    ]
    write("fits", "Fits", {"Fits": rows}, notes, options.out)


def made_up(n: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Draw a table whose columns depend on each other, and labels."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(N_KINDS, n, p=rng.dirichlet(np.full(N_KINDS, 3.0)))
    means = rng.normal(0.0, 1.5, (N_KINDS, N_NUMBERS))
    spreads = rng.normal(0.0, 0.6, (N_KINDS, N_NUMBERS, N_NUMBERS)) + np.eye(N_NUMBERS)
    numbers = means[kind] + np.einsum("ia,iab->ib", rng.normal(size=(n, N_NUMBERS)), spreads[kind])
    numbers[:, 0] = np.round(40 + 10 * numbers[:, 0])  # whole years
    numbers[:, 1] = np.round(np.exp(7 + 0.6 * numbers[:, 1]))  # an amount, skewed
    numbers[:, 2] = np.clip(np.round(numbers[:, 2] * 2), -1, None)  # a count with a code
    frame = pd.DataFrame(numbers, columns=[f"number {i}" for i in range(N_NUMBERS)])
    for c, levels in enumerate(N_LEVELS):
        shares = np.cumsum(rng.dirichlet(np.full(levels, 0.8), N_KINDS), axis=1)
        code = (rng.random(n)[:, None] > shares[kind][:, :-1]).sum(axis=1)
        frame[f"category {c}"] = np.array([f"level {k}" for k in range(levels)])[code]
    score = numbers[:, 3] - numbers[:, 4] + (frame["category 4"] == "level 1") + rng.logistic(size=n)
    return frame, np.where(score > np.quantile(score, 0.7), "yes", "no")


def measure(name: str, train: Any, y_train: Any, test: Any, y_test: Any, repetitions: int) -> dict[str, Any]:
    numeric = [column for column in train if train[column].dtype.kind in "fiu"]
    encode: Any = StandardScaler()
    if len(numeric) < train.shape[1]:
        rest = [column for column in train if column not in numeric]
        encode = ColumnTransformer([("n", StandardScaler(), numeric), ("c", OneHotEncoder(), rest)])
    model = make_pipeline(encode, LogisticRegression(max_iter=2000)).fit(train, y_train)
    times = []
    for _ in range(repetitions):
        start, of_cpu = time.perf_counter(), time.process_time()
        explainer = ew.Explainer(model).fit(train, y_train)
        times.append((time.perf_counter() - start, time.process_time() - of_cpu))
    total = 0.0
    for label, density in explainer.densities_.items():
        rows = explainer.table_.of_numbers().encode(test[y_test == label])
        total += float(density.log_mixture(explainer.fitted_.density_rows(rows)).sum())
    row = {
        "table": name,
        "rows": len(train),
        "seconds": min(wall for wall, _ in times),
        "CPU seconds": min(cpu for _, cpu in times),
        "components": ", ".join(str(len(density.mixture_.weights_)) for density in explainer.densities_.values()),
        "held-out log likelihood": total / len(test),
    }
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
