"""elsewise on the tables, networks and rows of LiCE's study, beside the answers that LiCE's authors published.

LiCE asks for the nearest row that the network gives the other class and whose likelihood under a sum-product network
is at least the median of the training rows. elsewise has a density of its own, fitted on the same training rows: it is
asked for answers as typical as the median row of the target, its default, and then for more typical ones until LiCE's
likelihood reaches LiCE's threshold. Both keep the same rules (columns that stay, directions, ranges, whole numbers,
causes). Distances are LiCE's.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from threadpoolctl import threadpool_limits

import elsewise as ew

from . import lice_files
from .lice_files import Column, Fold

PUBLISHED = "LiCE, median, as published"
QUANTILES = (0.5, 0.75, 0.9)
"""Thresholds of our density, tried one after the other until an answer is as likely as LiCE asks."""
ALLOWED_DRIFT = 1e-9
"""The likelihoods computed here may differ by so much from the published thresholds; otherwise they are not theirs."""


def run(folder: Path, n_rows: int, seconds: float) -> list[dict[str, Any]]:
    """Measure all tables; one entry for each table and method."""
    found = []
    for table in lice_files.TABLES:
        parts = [_measured(folder, table, number, n_rows, seconds) for number in range(lice_files.FOLDS)]
        found += [_summary(table, name, parts) for name in parts[0]]
    return found


def _measured(folder: Path, table: str, number: int, n_rows: int, seconds: float) -> dict[str, pd.DataFrame]:
    """Return one frame for each method: a line for each row."""
    fold = lice_files.fold(folder, table, number)
    model = network(fold)
    rows = fold.rows.iloc[:n_rows]
    targets = 1 - model.predict(rows)
    kept = lice_files.published(folder, table, number, "LiCE_median")
    least = _least_likelihood(fold, kept)
    answers = {PUBLISHED: _theirs(fold, model, rows, targets, kept)}
    answers |= _ours(fold, model, rows, targets, least, seconds)
    for one in answers.values():
        has = one["found"].to_numpy()
        points = pd.DataFrame(one.pop("point").tolist(), columns=fold.training.columns).infer_objects()
        one["valid"] = has & (model.predict(points) == targets)
        one["distance"] = np.where(has, fold.distances(rows.reset_index(drop=True), points), np.nan)
        likelihoods = fold.likelihoods(points, targets)
        one["likely"] = has & (likelihoods >= least)
        one["likelihood"] = np.where(has, likelihoods, np.nan)
    return answers


def network(fold: Fold) -> Pipeline:
    """Return the encoder of the study and the network of its ONNX file; labels are 0 and 1."""
    steps = []
    for column in fold.columns:
        if column.is_category:
            steps.append(
                (column.name, OneHotEncoder(categories=[list(column.levels)], drop="if_binary"), [column.name])
            )
        else:
            steps.append((column.name, MinMaxScaler(), [column.name]))
    every = ColumnTransformer(steps).fit(_with_ends(fold))
    return Pipeline([("encode", every), ("network", ew.read_onnx(fold.network, classes=[0, 1]))])


def _with_ends(fold: Fold) -> pd.DataFrame:
    """Return training rows whose numbers have the ends that the study scales by."""
    frame = fold.training.iloc[:2].copy()
    for column in fold.columns:
        if not column.is_category:
            frame[column.name] = np.array([column.low, column.high])
    return frame


def _least_likelihood(fold: Fold, kept: dict[Any, dict[str, Any]]) -> float:
    """Return the threshold that was published, after checking that likelihoods computed here are the same."""
    published = float(next(iter(kept.values()))["ll_threshold"])
    median = float(np.median(fold.likelihoods(fold.training, _positions(fold))))
    if abs(median - published) > ALLOWED_DRIFT * abs(published):
        raise ValueError(f"The median likelihood is {median}, expected the published one, {published}.")
    return published


def _positions(fold: Fold) -> NDArray[Any]:
    return (fold.training_labels.to_numpy() == fold.labels[1]).astype(np.int64)


def _theirs(fold: Fold, model: Any, rows: pd.DataFrame, targets: Any, kept: dict[Any, dict[str, Any]]) -> pd.DataFrame:
    """Return, of up to ten published answers of each row, the nearest that has the other class, else the first."""
    lines = []
    for (name, row), target in zip(rows.iterrows(), targets):
        answers = pd.DataFrame(list(kept[name]["CE"]), columns=fold.training.columns).infer_objects()
        valid = answers[model.predict(answers) == target] if len(answers) else answers
        best = answers.iloc[:1]
        if len(valid):
            same = pd.DataFrame([row] * len(valid)).infer_objects()
            best = valid.iloc[[int(np.argmin(fold.distances(same, valid)))]]
        seconds = float(kept[name]["time"])
        proven = bool(kept[name]["stats"]["optimal"])
        point = best.iloc[0].tolist() if len(best) else row.tolist()
        lines.append({"point": point, "found": len(best) > 0, "seconds": seconds, "proven": proven})
    return pd.DataFrame(lines)


def _ours(
    fold: Fold, model: Any, rows: pd.DataFrame, targets: Any, least: float, seconds: float
) -> dict[str, pd.DataFrame]:
    explainer = ew.Explainer(model, distance=ew.Manhattan(weights=_prices(fold)), learn_rules=False, rules=None)
    explainer.fit(fold.training, _positions(fold))
    at = [explainer.with_threshold(quantile) for quantile in QUANTILES]
    lines: dict[str, list[dict[str, Any]]] = {"elsewise": [], "elsewise, until as likely": []}
    with threadpool_limits(1):
        explainer.explain(rows[:1], int(targets[0]), time_limit=seconds)  # what is made once
        for place, target in enumerate(targets):
            row = rows.iloc[[place]]
            rules = constraints(fold, row.iloc[0])
            tried: list[dict[str, Any]] = []
            spent = {"seconds": 0.0, "cpu": 0.0}
            likely = False
            for one in at:
                wall, cpu = time.perf_counter(), time.process_time()
                answer = one.explain(row, int(target), constraints=rules, time_limit=seconds)
                spent = {
                    "seconds": spent["seconds"] + time.perf_counter() - wall,
                    "cpu": spent["cpu"] + time.process_time() - cpu,
                }
                found = bool(answer.found[0])
                point = answer.counterfactuals if found else row
                proven = answer.statuses[0] == "optimal"
                tried.append({"point": point.iloc[0].tolist(), "found": found, "proven": proven, **spent})
                likely = found and bool(fold.likelihoods(point, np.array([target]))[0] >= least)
                if likely or not found:
                    break
            lines["elsewise"].append(tried[0])
            lines["elsewise, until as likely"].append({**tried[-1], "found": likely, "proven": False})
    return {name: pd.DataFrame(each) for name, each in lines.items()}


def _prices(fold: Fold) -> dict[str, float]:
    """Return our price of a unit of change of each column: theirs for numbers, for a category that of a mean change."""
    prices = {}
    for column in fold.columns:
        each = 1.0 / np.maximum(column.spread, lice_files.LEAST_SPREAD)
        if not column.is_category:
            prices[column.name] = float(each[0] / (column.high - column.low))
        else:
            prices[column.name] = float(2.0 * each.mean() if len(each) > 1 else each[0])
    return prices


def constraints(fold: Fold, row: pd.Series) -> ew.Constraints:
    """Return the rules of the study for a row."""
    numbers = [column for column in fold.columns if not column.is_category]
    directions = {"INCREASING": "increase", "DECREASING": "decrease"}
    moving = [column for column in fold.columns if column.direction in directions]
    by_name = {column.name: column for column in fold.columns}
    return ew.Constraints(
        immutable=[column.name for column in fold.columns if column.is_fixed],
        monotone={column.name: directions[column.direction] for column in moving if not column.is_category},
        allowed={column.name: _higher(column) for column in moving if column.is_category},
        bounds={column.name: (column.low, column.high) for column in numbers},
        integer=[column.name for column in numbers if column.is_whole],
        implies=dict(
            _implied(by_name[cause], effect, row) for cause, effect in fold.causes if _can_rise(by_name[cause], row)
        ),
        min_change="any",
        step="any",
        special={},
        range="any",
        unseen="allow",
        derive={},
    )


def _higher(column: Column) -> dict[Any, list[Any]]:
    """Return the levels above each level."""
    if column.direction != "INCREASING":
        raise ValueError(f"{column.name}: expected a category that increases, received {column.direction}.")
    return {level: list(column.levels[place + 1 :]) for place, level in enumerate(column.levels)}


def _can_rise(cause: Column, row: pd.Series) -> bool:
    """Whether the column can increase."""
    return not cause.is_category or row[cause.name] != cause.levels[-1]


def _implied(cause: Column, effect: str, row: pd.Series) -> tuple[str, str]:
    """Return the rule that the effect increases where the cause does."""
    if cause.is_category:
        higher = cause.levels[cause.levels.index(row[cause.name]) + 1 :]
        first = f"`{cause.name}` in {list(higher)!r}"
    else:
        first = f"`{cause.name}` > {float(row[cause.name])!r}"
    return first, f"`{effect}` > {float(row[effect])!r}"


def _summary(table: str, name: str, parts: list[dict[str, pd.DataFrame]]) -> dict[str, Any]:
    each = pd.concat([part[name] for part in parts], ignore_index=True)
    theirs = pd.concat([part[PUBLISHED] for part in parts], ignore_index=True)
    both = each[each["valid"] & theirs["valid"]]
    ratio = both["distance"] / theirs["distance"][both.index]
    return {
        "table": table,
        "method": name,
        "rows": len(each),
        "found": int(each["found"].sum()),
        "valid": int(each["valid"].sum()),
        "as likely as asked": int(each["likely"].sum()),
        "proven nearest": int(each["proven"].sum()),
        "median s": float(each["seconds"].median()),
        "median s, CPU": float(each["cpu"].median()) if "cpu" in each else None,
        "valid in both": len(both),
        "distance to theirs, median": float(ratio.median()) if len(both) else None,
        "not farther": int((ratio <= 1.0 + 1e-9).sum()),
        "median likelihood": float(each.loc[each["valid"], "likelihood"].median()) if each["valid"].any() else None,
    }
