"""Categories of a component: independent, or a tree of dependences, or more components; by held-out likelihood.

Every class of a table has a mixture, its number of components chosen as the library does. Within each component the
categories are independent, or they follow the tree of largest mutual information (Chow and Liu, 1968), whose tables
are estimated with the components' own rows and smoothed towards independence, by a prior of so many rows that it wins
on a part of the training rows. Or there may be three times as many components. Figures are mean log densities, in nats,
of rows held back, each under the density of its class.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import logsumexp

import elsewise as ew
from elsewise.density import MixedMixture
from elsewise.density.base import ClassDensity

from .measure import RESULTS, write
from .tables import LABELS

MOST_ROWS, SHARE_HELD_OUT, DEFAULT_MOST, MANY = 6_000, 0.25, 10, 30
PRIORS = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Rows that independence is worth in each cell's table of a pair."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("german", "adult"):
        parser.add_argument(f"--{name}", type=Path, help=f"CSV file with the column {LABELS[name][0]}")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = []
    for name in ("german", "adult", "made up"):
        path = None if name == "made up" else getattr(options, name)
        if name != "made up" and path is None:
            continue
        for seed in options.seeds:
            frame, labels = chained(seed) if path is None else read(path, LABELS[name][0], seed)
            found.append({"table": name, "seed": seed, **compared(frame, labels, seed)})
            print(found[-1], flush=True)
    notes = [
        f"At most {MOST_ROWS:,} rows of a table; a quarter is held back. The made-up table: 4,000 rows of 2 numbers "
        "and 8 categories of 4 levels, each a noisy copy of the one before."
    ]
    write("dependence", "Dependence between categories", {"Held-out log likelihood": found}, notes, options.out)


def read(path: Path, label: str, seed: int) -> tuple[pd.DataFrame, Any]:
    """Read rows of a table without missing values, and their labels."""
    frame = pd.read_csv(path).dropna()
    frame = frame.sample(min(len(frame), MOST_ROWS), random_state=seed).reset_index(drop=True)
    return frame, frame.pop(label).to_numpy()


def chained(seed: int, n: int = 4_000, n_columns: int = 8, n_levels: int = 4) -> tuple[pd.DataFrame, Any]:
    """Draw categories of which each repeats the one before with a probability of 0.8, or shifts it."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n, n_columns), dtype=np.int64)
    codes[:, 0] = rng.integers(0, n_levels, n)
    for c in range(1, n_columns):
        codes[:, c] = np.where(rng.random(n) < 0.8, (codes[:, c - 1] + c) % n_levels, rng.integers(0, n_levels, n))
    frame = pd.DataFrame(rng.normal(codes[:, :2], 1.0), columns=["a", "b"])
    for c in range(n_columns):
        frame[f"c{c}"] = [f"level {k}" for k in codes[:, c]]
    return frame, (frame["a"] + rng.logistic(size=n) > 1.5).to_numpy()


def compared(frame: pd.DataFrame, labels: Any, seed: int) -> dict[str, Any]:
    """Mean held-out log densities of one table, each way."""
    numbers = frame.select_dtypes("number")
    categories = [frame[name].astype("category") for name in frame if name not in numbers]
    n_levels = tuple(len(category.cat.categories) for category in categories)
    rows = np.column_stack([numbers.to_numpy(float), *(category.cat.codes for category in categories)])
    held_out = np.random.default_rng(seed).random(len(rows)) < SHARE_HELD_OUT
    totals = {"independent": 0.0, "tree": 0.0, "more components": 0.0}
    counts = {"components": [], "components, more": []}  # type: dict[str, list[str]]
    for label in pd.unique(labels):
        train, test = rows[(labels == label) & ~held_out], rows[(labels == label) & held_out]
        usual = ew.MixedMixtureDensity(n_levels=n_levels, max_components=DEFAULT_MOST).fit(train).mixture_
        more = ew.MixedMixtureDensity(n_levels=n_levels, max_components=MANY).fit(train).mixture_
        totals["independent"] += float(usual.score_samples(test).sum())
        totals["tree"] += float(best_tree(usual, train, test, n_levels, seed).sum())
        totals["more components"] += float(more.score_samples(test).sum())
        counts["components"].append(str(len(usual.weights_)))
        counts["components, more"].append(str(len(more.weights_)))
    means = {way: total / int(held_out.sum()) for way, total in totals.items()}
    return {
        "components": ", ".join(counts["components"]),
        **means,
        "tree, nats gained": means["tree"] - means["independent"],
        "components, more": ", ".join(counts["components, more"]),
        "more components, nats gained": means["more components"] - means["independent"],
    }


def best_tree(mixture: MixedMixture, train: Any, test: Any, n_levels: tuple[int, ...], seed: int) -> Any:
    """Log densities of test rows with trees, the prior chosen on a fifth of the training rows."""
    part = np.random.default_rng(seed).random(len(train)) < 0.2
    tried = [with_trees(mixture, train[~part], train[part], n_levels, prior).sum() for prior in PRIORS]
    return with_trees(mixture, train, test, n_levels, PRIORS[int(np.argmax(tried))])


def with_trees(mixture: MixedMixture, train: Any, test: Any, n_levels: tuple[int, ...], prior: float) -> Any:
    """Log densities of test rows, array of shape (n_test,), categories of each component following a tree."""
    p = train.shape[1] - len(n_levels)
    codes, test_codes = train[:, p:].astype(int), test[:, p:].astype(int)
    share = mixture.predict_proba(train)
    log_joint = ClassDensity(mixture, 0.0, np.empty(0)).log_components(test)
    for j in range(len(mixture.weights_)):
        marginals = [np.exp(table[j]) for table in mixture.log_probabilities_]
        for c, marginal in enumerate(marginals):  # as the tables of the pairs have them
            counted = np.bincount(codes[:, c], weights=share[:, j], minlength=len(marginal))
            log_joint[:, j] += np.log((counted / marginal + prior) / (counted.sum() + prior))[test_codes[:, c]]
        pairs: dict[tuple[int, int], Any] = {}
        strength = np.zeros((len(n_levels), len(n_levels)))
        for a, b in combinations(range(len(n_levels)), 2):
            alone = np.outer(marginals[a], marginals[b])
            counted = np.zeros_like(alone)
            np.add.at(counted, (codes[:, a], codes[:, b]), share[:, j])
            joint = (counted + prior * alone) / (counted.sum() + prior)
            pairs[a, b] = joint
            strength[a, b] = np.sum(joint * np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))) + 1e-12
        for a, b in zip(*minimum_spanning_tree(-strength).nonzero()):
            a, b = min(a, b), max(a, b)
            joint = pairs[a, b]
            ratio = np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))
            log_joint[:, j] += ratio[test_codes[:, a], test_codes[:, b]]
    return logsumexp(log_joint, axis=1)


if __name__ == "__main__":
    main()
