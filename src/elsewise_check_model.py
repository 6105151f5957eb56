"""Checks that the model in a certificate of elsewise is that of a file: by its numbers, and by what it predicts.

    python -m elsewise_check_model CERTIFICATE [CERTIFICATE ...] --model FILE

``elsewise_check`` proves a claim about the model that a certificate states as plain numbers. Whether that model is
yours it cannot know: this script loads your file, with the library that wrote it, and asks it about rows. Only load
files that you trust: a pickle may run any code.

Files: pickles (also of joblib), dumps of XGBoost (``.json``, ``.ubj``) and LightGBM (``.txt``), ONNX (``.onnx``).

Rows are made up around the row of the certificate: at random, and pairs next to each other on both sides of where the
stated model changes its mind. It is evaluated in exact arithmetic, by ``elsewise_check``. Where the file decides for
the target, the certificate must, too: else the claim says nothing of the file's model. The reverse is asked as well,
unless the certificate says that its conditions are but necessary, or that its answers keep a robust radius.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import elsewise_check

# Rows at random, and pairs at a boundary.
N_ROWS, N_PAIRS = 300, 60
# Halvings between two rows that are decided otherwise: rows next to each other are farther apart than rounding.
# Files that compute in 32 bits are asked at less of them: sums are off by a share of 1e-6 or so.
N_HALVINGS, N_HALVINGS_OF_SINGLE = 22, 12
# Numbers are the same up to this share: files may hold them in 32 bits.
SAME_NUMBER = 1e-6
# Differences and sums of two numbers of a file are looked at, too, if there are no more; they are doubles.
MOST_PAIRED, SAME_DIFFERENCE = 400, 1e-12

# What a file's model says of user's rows: which of them it decides for a wanted outcome.
Predict = Callable[[list[dict[str, Any]]], list[Any]]


class OtherModelError(Exception):
    """The model of the certificate is not that of the file."""


class Stated:
    """The question of a certificate, its model in exact arithmetic, and the user's columns."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header, self.checker = header, elsewise_check.Checker(header)
        self.notes, self.domain = header["notes"], self.checker.domain

    def accepts(self, goal: int, features: list[float]) -> bool:
        """Whether the stated model decides for a goal."""
        region = self.checker.goals[goal].region
        if region is None:
            return True
        try:
            region.require_point([Fraction(x) for x in features])
        except elsewise_check.RefusedError:
            return False
        return True

    def row(self, features: list[float]) -> dict[str, Any]:
        """Write features in the user's columns."""
        found: dict[str, Any] = {}
        for column in self.notes["columns"]:
            first = column["features"][0]
            if column["kind"] in ("number", "integer"):
                top, low = column.get("step", [1.0, 1.0])
                found[column["name"]] = features[first] * top / low
            elif column["kind"] == "ordinal":
                found[column["name"]] = column["levels"][round(features[first])]
            else:
                level = next(k for k, f in enumerate(column["features"]) if features[f] == 1)
                value = column["levels"][level] if level < len(column["levels"]) else "a value never seen"
                if "sources" in column:  # columns that are one-hot encoded
                    found.update({name: float(name == value) for name in column["sources"]})
                else:
                    found[column["name"]] = value
        found.update(dict.fromkeys(self.notes.get("missing", []), math.nan))
        return found

    def near(self, rng: random.Random) -> list[float]:
        """Make up features around the row."""
        domain, features, spread = self.domain, list(self.domain.row), rng.choice((0.1, 0.5, 1.0, 3.0))
        point = self.header["point"] or domain.row
        for column in domain.columns:
            f = column.features[0]
            if column.kind == "category":
                chosen = rng.choice(column.features)
                for each in column.features:
                    features[each] = float(each == chosen)
                continue
            size = max(abs(point[f] - domain.row[f]), abs(domain.row[f]) * 0.2, 0.1 / float(domain.price[f]))
            x = domain.row[f] + rng.gauss(0.0, spread) * size
            x = min(max(x, domain.lower[f]), domain.upper[f]) if domain.lower[f] <= domain.upper[f] else x
            features[f] = float(round(x)) if column.kind == "whole" else x
        return features

    def between(self, one: list[float], other: list[float]) -> list[float]:
        """Return features halfway between two rows of the same levels."""
        whole = {c.features[0] for c in self.domain.columns if c.kind == "whole"}
        middle = [(a + b) / 2 for a, b in zip(one, other)]
        return [float(math.floor(x)) if f in whole else x for f, x in enumerate(middle)]


def rows_to_ask(stated: Stated, goal: int, rng: random.Random, n_halvings: int) -> Iterator[list[float]]:
    """Yield the row, the answer, rows at random, and rows on both sides of where the stated model changes its mind."""
    rows = [list(stated.domain.row), *([stated.header["point"]] if stated.header["point"] else [])]
    rows += [stated.near(rng) for _ in range(N_ROWS)]
    yield from rows
    sides: dict[bool, list[list[float]]] = {True: [], False: []}
    for row in rows:
        sides[stated.accepts(goal, row)].append(row)
    if not sides[True] or not sides[False]:
        return
    numbers = [c.features[0] for c in stated.domain.columns if c.kind != "category"]
    for _ in range(N_PAIRS):
        inside, outside = rng.choice(sides[True]), list(rng.choice(sides[False]))
        mixed = list(inside)  # the same levels, or the pair has no row between
        for f in numbers:
            mixed[f] = outside[f]
        if stated.accepts(goal, mixed):
            continue
        for _ in range(n_halvings):
            middle = stated.between(inside, mixed)
            if middle in (inside, mixed):
                break
            inside, mixed = (middle, mixed) if stated.accepts(goal, middle) else (inside, middle)
        yield inside
        yield mixed


def check(
    lines: Iterable[str], predict: Predict, numbers: np.ndarray, seed: int = 0, n_halvings: int = N_HALVINGS
) -> str:
    """Check one certificate against a file's model; raise OtherModelError, or say what was compared."""
    header = json.loads(next(iter(lines)))
    stated, rng = Stated(header), random.Random(seed)
    if all(goal.region is None for goal in stated.checker.goals):
        return "the proof needs no model"
    only_needed = bool(stated.notes.get("necessary") or stated.notes.get("robust_radius"))
    n_rows = n_accepted = 0
    for goal, outcome in enumerate(stated.notes["outcomes"]):
        asked = list(rows_to_ask(stated, goal, rng, n_halvings))
        decided = [wants(outcome, said) for said in predict([stated.row(row) for row in asked])]
        for row, by_file in zip(asked, decided):
            by_certificate = stated.accepts(goal, row)
            is_same = by_file == by_certificate or (
                only_needed and by_certificate != bool(stated.notes.get("robust_radius"))
            )
            if not is_same:
                raise OtherModelError(
                    f"the file {'decides' if by_file else 'does not decide'} for {outcome}, the certificate "
                    f"{'does' if by_certificate else 'does not'}, at {stated.row(row)}"
                )
        n_rows, n_accepted = n_rows + len(asked), n_accepted + sum(decided)
    stated_numbers = np.array(sorted(numbers_of_region(header)))
    n_found = int(is_among(stated_numbers, numbers).sum())
    return (
        f"decides as the file's model for {n_rows} rows ({n_accepted} of them for the target); "
        f"{n_found} of its {len(stated_numbers)} numbers are in the file"
    )


def wants(outcome: dict[str, Any], said: Any) -> bool:
    """Whether what a model says of a row is a wanted outcome."""
    if "range" in outcome:
        low, high = outcome["range"]
        return bool(float(said["value"]) >= (-math.inf if low is None else low)) and bool(
            float(said["value"]) <= (math.inf if high is None else high)
        )
    if "min_probability" in outcome:
        return bool(said["probabilities"][str(outcome["label"])] >= outcome["min_probability"])
    return str(said["value"]) == str(outcome["label"])


# ---- numbers ----


def numbers_of_region(header: dict[str, Any]) -> set[float]:
    """Collect the numbers of the models that a certificate states, without signs."""
    found: set[float] = set()
    for goal in header["goals"]:
        region = goal["region"] or {}
        for name in ("normals", "offsets", "units"):
            found.update(leaves(region.get(name, [])))
        for part in region.get("parts", []):
            found.update(leaves([part.get("shift", []), part.get("shift_offset", 0.0)]))
        for layer in region.get("layers", []):
            found.update(leaves([layer["weights"], layer["offsets"]]))
        for tree in region.get("trees", []):
            for node in tree:
                found.update(leaves(node[0]) if len(node) == 1 else [] if node[1] is None else [abs(node[1])])
    return found - {0.0, 1.0}


def leaves(value: Any) -> Iterator[float]:
    """Yield the sizes of all numbers of nested lists."""
    if isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, (int, float)):
        yield abs(float(value))


def is_among(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whether values are among known ones, up to rounding to 32 bits, or differences of two of them."""
    if not len(known):
        return np.zeros(len(values), dtype=bool)
    place = np.searchsorted(known, values)
    near = [known[np.clip(place + shift, 0, len(known) - 1)] for shift in (-1, 0)]
    found = np.minimum(*(np.abs(values - each) for each in near)) <= SAME_NUMBER * np.abs(values)
    if len(known) <= MOST_PAIRED:  # rows of softmax models are compared by their difference
        pairs = np.abs(np.concatenate([known[:, None] - known, known[:, None] + known]).ravel())
        for k in np.flatnonzero(~found):
            found[k] = (np.abs(pairs - values[k]) <= SAME_DIFFERENCE * np.abs(values[k])).any()
    return np.asarray(found)


def numbers_in(model: Any) -> np.ndarray:
    """Collect the numbers of a model, without signs, ascending: of objects, arrays, mappings and lists in it."""
    found, seen, waiting = [np.zeros(0)], set(), [model]
    rates = {1.0}
    while waiting:
        value = waiting.pop()
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
            found.append(np.array([float(value)]))
            continue
        if value is None or isinstance(value, (str, bytes, bool, type)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            if value.dtype.kind in "fiu":
                found.append(value.ravel().astype(float))
            elif value.dtype.names:
                waiting += [value[name] for name in value.dtype.names]
            elif value.dtype.kind == "O":
                waiting += value.ravel().tolist()
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, (list, tuple, set)):
            waiting += value
        else:
            rates.add(float(getattr(value, "learning_rate", 1.0) or 1.0) if _is_number(value, "learning_rate") else 1.0)
            waiting += list(getattr(value, "__dict__", {}).values())
            waiting += [getattr(value, name, None) for name in ("threshold", "value", "coefs_", "intercepts_")]
            waiting += _inside(value)
    every = np.concatenate(found)
    every = np.abs(every[np.isfinite(every)])
    return np.unique(np.concatenate([every * rate for rate in rates]))


def _is_number(value: Any, name: str) -> bool:
    return isinstance(getattr(value, name, None), (int, float))


def _inside(value: Any) -> list[Any]:
    """Return what libraries keep out of sight."""
    kind = type(value).__module__.partition(".")[0]
    if kind == "xgboost" and hasattr(value, "get_booster"):
        return [json.loads(bytes(value.get_booster().save_raw("json")))]
    if kind == "xgboost" and hasattr(value, "save_raw"):
        return [json.loads(bytes(value.save_raw("json")))]
    if kind == "lightgbm" and hasattr(value, "dump_model"):
        return [value.dump_model()]
    if kind == "torch" and hasattr(value, "parameters"):
        return [each.detach().numpy() for each in value.parameters()]
    return []


# ---- files ----


def load(path: Path, columns: list[str]) -> tuple[Predict, np.ndarray]:
    """Load a model: what it predicts of rows, and its numbers."""
    if path.suffix == ".onnx":
        return _onnx(path, columns)
    if path.suffix in (".json", ".ubj"):
        import xgboost

        booster = xgboost.Booster(model_file=str(path))
        is_binary = json.loads(booster.save_config())["learner"]["objective"]["name"].startswith("binary")

        def of_xgboost(rows: list[dict[str, Any]]) -> list[Any]:
            data = xgboost.DMatrix(_table(rows, columns), feature_names=booster.feature_names and columns)
            values = booster.predict(data)
            return [{"value": _decided(value, is_binary)} for value in values]

        return of_xgboost, numbers_in(booster)
    if path.suffix == ".txt":
        import lightgbm

        light = lightgbm.Booster(model_file=str(path))
        is_binary = "binary" in str(light.dump_model().get("objective", ""))

        def of_lightgbm(rows: list[dict[str, Any]]) -> list[Any]:
            return [{"value": _decided(value, is_binary)} for value in np.asarray(light.predict(_table(rows, columns)))]

        return of_lightgbm, numbers_in(light)
    try:
        import joblib

        model = joblib.load(path)
    except ImportError:
        model = pickle.loads(path.read_bytes())

    def of_object(rows: list[dict[str, Any]]) -> list[Any]:
        table = _frame(rows, columns, model)
        values = np.asarray(model.predict(table)).ravel()
        if not hasattr(model, "predict_proba"):
            return [{"value": value} for value in values]
        probabilities = model.predict_proba(table)
        labels = [str(label) for label in model.classes_]
        return [{"value": v, "probabilities": dict(zip(labels, p))} for v, p in zip(values, probabilities)]

    return of_object, numbers_in(model)


def _onnx(path: Path, columns: list[str]) -> tuple[Predict, np.ndarray]:
    import onnx
    import onnxruntime

    session, graph = onnxruntime.InferenceSession(str(path)), onnx.load(path).graph
    inputs = session.get_inputs()
    tensors = [onnx.numpy_helper.to_array(each).ravel() for each in graph.initializer]
    floats = [[*a.floats, a.f] for node in graph.node for a in node.attribute]

    def of_onnx(rows: list[dict[str, Any]]) -> list[Any]:
        kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}
        if len(inputs) == 1:
            fed = {inputs[0].name: _table(rows, columns).astype(kinds.get(inputs[0].type, np.float32))}
        else:
            fed = {
                each.name: np.array([[row[each.name]] for row in rows]).astype(kinds.get(each.type, object))
                for each in inputs
            }
        return [{"value": value} for value in np.asarray(session.run(None, fed)[0]).ravel()]

    return of_onnx, numbers_in([*tensors, *floats])


def _decided(value: Any, is_binary: bool) -> Any:
    """Return the class of probabilities, or the value."""
    if np.ndim(value):
        return int(np.argmax(value))
    return int(value > 0.5) if is_binary else float(value)


def _table(rows: list[dict[str, Any]], columns: list[str]) -> np.ndarray:
    return np.array([[row[name] for name in columns] for row in rows], dtype=float)


def _frame(rows: list[dict[str, Any]], columns: list[str], model: Any) -> Any:
    """Write rows as the model took them: a data frame where it knows columns by name."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and all(isinstance(row[name], (int, float)) for row in rows[:1] for name in columns):
        return _table(rows, columns)
    if names is None:
        return np.array([[row[name] for name in columns] for row in rows], dtype=object)
    import pandas as pd

    return pd.DataFrame({name: [row[name] for row in rows] for name in columns})[list(names)]


def main(arguments: list[str] | None = None) -> int:
    """Check certificates against a file; return 0 if all are about its model, 1 if one is not."""
    parser = argparse.ArgumentParser(prog="elsewise_check_model", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("certificates", nargs="+", type=Path)
    parser.add_argument("--model", required=True, type=Path)
    given = parser.parse_args(arguments)
    loaded, code = None, 0
    for path in given.certificates:
        lines = list(elsewise_check.read_lines(str(path)))
        try:
            elsewise_check.check_lines(lines)
            loaded = loaded or load(given.model, json.loads(lines[0])["notes"]["names"])
            n_halvings = N_HALVINGS_OF_SINGLE if given.model.suffix == ".onnx" else N_HALVINGS
            print(f"{path}: {check(lines, *loaded, n_halvings=n_halvings)}")
        except elsewise_check.RefusedError as error:
            print(f"{path}: REFUSED, {error}")
            code = 1
        except OtherModelError as error:
            print(f"{path}: ANOTHER MODEL, {error}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
