"""What the pages take instead of the network: ``fetch_openml("credit-g", version=1)`` without OpenML.

The real table, where a copy of it is in the folder ``ELSEWISE_DATA`` (``german_credit.csv``, the same 1,000 rows under
other names); else a made-up one with the same columns, levels and dtypes, on which the code of a page runs, too, but
prints other numbers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

# Columns in OpenML's order: of those with levels the levels, in OpenML's order; of the others lowest and highest value.
COLUMNS: dict[str, tuple[Any, ...]] = {
    "checking_status": ("<0", "0<=X<200", ">=200", "no checking"),
    "duration": (4, 72),
    "credit_history": (
        "no credits/all paid", "all paid", "existing paid", "delayed previously", "critical/other existing credit"
    ),
    "purpose": (
        "new car", "used car", "furniture/equipment", "radio/tv", "domestic appliance", "repairs", "education",
        "vacation", "retraining", "business", "other"
    ),
    "credit_amount": (250, 18424),
    "savings_status": ("<100", "100<=X<500", "500<=X<1000", ">=1000", "no known savings"),
    "employment": ("unemployed", "<1", "1<=X<4", "4<=X<7", ">=7"),
    "installment_commitment": (1, 4),
    "personal_status": ("male div/sep", "female div/dep/mar", "male single", "male mar/wid", "female single"),
    "other_parties": ("none", "co applicant", "guarantor"),
    "residence_since": (1, 4),
    "property_magnitude": ("real estate", "life insurance", "car", "no known property"),
    "age": (19, 75),
    "other_payment_plans": ("bank", "stores", "none"),
    "housing": ("rent", "own", "for free"),
    "existing_credits": (1, 4),
    "job": ("unemp/unskilled non res", "unskilled resident", "skilled", "high qualif/self emp/mgmt"),
    "num_dependents": (1, 2),
    "own_telephone": ("none", "yes"),
    "foreign_worker": ("yes", "no"),
}  # fmt: skip
# Levels that no row has.
EMPTY = ("vacation", "female single")
# The file's levels, by its columns. Its names of purposes are one place off: they were given to the codes A40, A41,
# A410, A42, ... in the order of the alphabet. Its counts are those of the original (280 for radio and television).
IN_FILE: dict[str, dict[str, str]] = {
    "checking_status": {
        "< 0 DM": "<0", "0 <= ... < 200 DM": "0<=X<200", "no checking account": "no checking",
        ">= 200 DM / salary assignments for at least 1 year": ">=200",
    },
    "credit_history": {
        "no credits taken/ all credits paid back duly": "no credits/all paid",
        "all credits at this bank paid back duly": "all paid",
        "existing credits paid back duly till now": "existing paid",
        "delay in paying off in the past": "delayed previously",
        "critical account/ other credits existing (not at this bank)": "critical/other existing credit",
    },
    "purpose": {
        "car (new)": "new car", "car (used)": "used car", "furniture/equipment": "other",
        "radio/television": "furniture/equipment", "domestic appliances": "radio/tv", "repairs": "domestic appliance",
        "education": "repairs", "(vacation - does not exist?)": "education", "retraining": "retraining",
        "business": "business",
    },
    "savings_status": {
        "... < 100 DM": "<100", "100 <= ... < 500 DM": "100<=X<500", "500 <= ... < 1000 DM": "500<=X<1000",
        ".. >= 1000 DM": ">=1000", "unknown/ no savings account": "no known savings",
    },
    "employment": {
        "unemployed": "unemployed", "... < 1 year": "<1", "1 <= ... < 4 years": "1<=X<4",
        "4 <= ... < 7 years": "4<=X<7", ".. >= 7 years": ">=7",
    },
    "personal_status": {
        "male : divorced/separated": "male div/sep", "female : divorced/separated/married": "female div/dep/mar",
        "male : single": "male single", "male : married/widowed": "male mar/wid",
    },
    "other_parties": {"none": "none", "co-applicant": "co applicant", "guarantor": "guarantor"},
    "property_magnitude": {
        "real estate": "real estate",
        "if not A121 : building society savings agreement/ life insurance": "life insurance",
        "if not A121/A122 : car or other, not in attribute 6": "car", "unknown / no property": "no known property",
    },
    "other_payment_plans": {"bank": "bank", "stores": "stores", "none": "none"},
    "housing": {"rent": "rent", "own": "own", "for free": "for free"},
    "job": {
        "unemployed/ unskilled - non-resident": "unemp/unskilled non res", "unskilled - resident": "unskilled resident",
        "skilled employee / official": "skilled",
        "management/ self-employed/ highly qualified employee/ officer": "high qualif/self emp/mgmt",
    },
    "own_telephone": {"none": "none", "yes, registered under the customers name": "yes"},
    "foreign_worker": {"yes": "yes", "no": "no"},
}  # fmt: skip
LABELS = ("good", "bad")
N_MADE_UP = 400


def file() -> Path | None:
    """Find the copy of the real table, if there is one."""
    path = Path(os.environ.get("ELSEWISE_DATA", "nowhere")) / "german_credit.csv"
    return path if path.is_file() else None


def fetch_openml(name: str, *, version: int, as_frame: bool) -> Bunch:
    """Give what scikit-learn's function of this name gives for this one table."""
    assert (name, version, as_frame) == ("credit-g", 1, True)
    path = file()
    data, target = made_up() if path is None else read(path)
    return Bunch(data=data, target=target, frame=pd.concat([data, target], axis=1))


def read(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Read the copy, and call columns and levels as OpenML does."""
    found = pd.read_csv(path)
    bad = found.pop("default").to_numpy() == 1
    data = pd.DataFrame(index=found.index)
    for name, column in zip(COLUMNS, found):
        values = found[column]
        data[name] = _levels(name, values.str.strip().map(IN_FILE[name])) if name in IN_FILE else values
    return data, _labels(bad)


def made_up() -> tuple[pd.DataFrame, pd.Series]:
    """Make rows up, with the columns, levels and dtypes of the real table, and labels that hang on some of them."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(index=range(N_MADE_UP))
    for name, values in COLUMNS.items():
        if isinstance(values[0], str):
            known = [level for level in values if level not in EMPTY]
            data[name] = _levels(name, pd.Series(rng.choice(known, N_MADE_UP)))
        elif name == "credit_amount":
            data[name] = np.clip(rng.lognormal(7.8, 0.7, N_MADE_UP), *values).astype(np.int64)
        else:
            data[name] = rng.integers(values[0], values[1] + 1, N_MADE_UP)
    risk = data["duration"] / 20 + data["credit_amount"] / 4000 - 0.9 * data["checking_status"].cat.codes
    risk += 0.4 * (data["housing"] == "rent") - 0.3 * data["savings_status"].cat.codes
    return data, _labels((risk + rng.logistic(0.0, 0.7, N_MADE_UP) > 1.7).to_numpy())


def _levels(name: str, values: pd.Series) -> pd.Series:
    assert values.notna().all()
    return pd.Series(pd.Categorical(values, COLUMNS[name]))


def _labels(bad: np.ndarray) -> pd.Series:
    return pd.Series(pd.Categorical(np.where(bad, "bad", "good"), LABELS), name="class")
