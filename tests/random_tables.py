"""Random tables, pipelines and rules, and a judge of answers that works on data frames alone.

A :class:`Case` is drawn from one seed. What it knows of its columns it knows from drawing them: nothing of the
library's own reading of tables judges answers, and rules are checked cell by cell in plain Python.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import elsewise as ew

LEVELS = ("a", "b", "c d", "É", "")
NUMBERS = ("float", "missing float", "int", "Int64")
CATEGORIES = ("bool", "str", "missing str", "category", "code")
DISCRETE = ("int", "bool", "str", "category", "code", "ordered", "group")
KINDS = (*NUMBERS, *CATEGORIES, "ordered", "group", "unused")


@dataclass(frozen=True)
class Drawn:
    """One column, or one-hot group, as it was drawn.

    Attributes
    ----------
    name, kind : str
    sources : tuple of str
        Its columns in the frame.
    fill : float or None
        What the imputer puts for a missing number.
    levels : tuple
        Values of a category in the training rows; ordered ones in their order; names of members for a group.
    unseen : bool
        The encoder accepts values that it has never seen.
    """

    name: str
    kind: str
    sources: tuple[str, ...]
    fill: float | None = None
    levels: tuple[Any, ...] = ()
    unseen: bool = False

    @property
    def is_numeric(self) -> bool:
        return self.kind in NUMBERS

    @property
    def is_whole(self) -> bool:
        return self.kind in ("int", "Int64")

    def value(self, row: pd.Series) -> Any:
        """What a row has: a number, a level, or the name of a group's member; None for a missing level."""
        if self.kind == "group":
            return next((name for name in self.sources if row[name] == 1), None)
        value = row[self.name]
        if pd.isna(value):
            return self.fill if self.is_numeric else None
        return float(value) if self.is_numeric else value


@dataclass(frozen=True)
class Case:
    """A table, a fitted explainer, rows to explain and what is asked of them."""

    train: pd.DataFrame
    y: np.ndarray
    columns: tuple[Drawn, ...]
    explainer: Any
    rows: pd.DataFrame
    target: Any
    rules: dict[str, Any]
    prices: dict[str, float]

    @property
    def model(self) -> Any:
        return self.explainer.model

    @property
    def used(self) -> tuple[Drawn, ...]:
        return tuple(column for column in self.columns if column.kind != "unused")

    def explain(self, **options: Any) -> Any:
        """Explain the rows; all answers have to be dense, those of rows with the outcome, too."""
        rules = ew.Constraints(**self.rules)
        return self.explainer.explain(self.rows, self.target, constraints=rules, on_satisfied="move", **options)

    def distance(self, before: pd.Series, after: pd.Series) -> float:
        """Price of going from one row to another."""
        total = 0.0
        for column in self.used:
            old, new = column.value(before), column.value(after)
            if column.is_numeric:
                total += self.prices[column.name] * abs(new - old)
            elif column.kind == "ordered":
                total += self.prices[column.name] * abs(column.levels.index(new) - column.levels.index(old))
            elif old != new:
                total += self.prices[column.name]
        return total

    def distances(self, before: pd.Series, rows: pd.DataFrame) -> np.ndarray:
        """The same for all rows of a frame without missing values, array of shape (n_rows,)."""
        total = np.zeros(len(rows))
        for column in self.used:
            old, price = column.value(before), self.prices[column.name]
            if column.is_numeric:
                total += price * np.abs(rows[column.name].to_numpy(dtype=float) - old)
            elif column.kind == "ordered":
                ranks = rows[column.name].map({level: rank for rank, level in enumerate(column.levels)})
                total += price * np.abs(ranks.to_numpy(dtype=float) - column.levels.index(old))
            elif column.kind == "group":
                total += price * (rows[old].to_numpy() != 1)
            else:
                total += price * (rows[column.name].to_numpy(dtype=object) != old)
        return total

    def is_valid(self, rows: pd.DataFrame, target: Any) -> np.ndarray:
        """Whether the model's own predict says so, and the density is reached; bool array of shape (n_rows,)."""
        predictions = self.model.predict(rows)
        label = target if self.explainer.classes_ is not None else None
        valid = predictions == target if label is not None else np.ones(len(rows), dtype=bool)
        if label is None:
            valid = (predictions >= target[0]) & (predictions <= target[1])
        if self.explainer.densities_:
            threshold = self.explainer.densities_[label].log_threshold_
            valid = valid & (self.explainer.log_density(rows, label) >= threshold)
        return np.asarray(valid)

    def broken(self, before: pd.Series, after: pd.Series) -> list[str]:
        """Which rules a row and its counterfactual break, cell by cell."""
        rules, found, n_changed = self.rules, [], 0
        for column in self.columns:
            old, new = column.value(before), column.value(after)
            moved = not (old == new or (old is None and new is None))
            n_changed += moved
            found += [f"{column.name}: {old!r} -> {new!r} {why}" for why in self._wrong(column, old, new) if moved]
            if column.name in rules.get("bounds", {}):
                low, high = rules["bounds"][column.name]
                rank = column.levels.index if column.kind == "ordered" else float
                low, high = -np.inf if low is None else rank(low), np.inf if high is None else rank(high)
                if not low <= rank(new) <= high:
                    found.append(f"{column.name}: {new!r} is out of bounds")
        if n_changed > rules.get("max_changes", np.inf):
            found.append(f"{n_changed} changes")
        by_name = {column.name: column for column in self.columns}
        for factors, sign, right in rules.get("linear", ()):
            terms = [factor * float(by_name[name].value(after)) for name, factor in factors.items()]
            excess = (sum(terms) - right) * (1 if sign == "<=" else -1)
            if excess > 1e-11 * (sum(map(abs, terms)) + abs(right)):
                found.append(f"linear {factors} {sign} {right}: missed by {excess}")
        return found

    def columns_unchanged(self, name: str, before: pd.Series, after: pd.Series) -> bool:
        """Whether the column that a column of the frame belongs to has the same value in both rows."""
        column = next(column for column in self.columns if name in column.sources)
        return column.kind == "unused" or column.value(before) == column.value(after)

    def _wrong(self, column: Drawn, old: Any, new: Any) -> Iterator[str]:
        """Why a column must not have moved so."""
        rules, name = self.rules, column.name
        if column.kind == "unused":
            yield "is not used by the model"
        if name in rules.get("immutable", ()):
            yield "is immutable"
        direction = rules.get("monotone", {}).get(name)
        if direction is not None:
            rank = column.levels.index if column.kind == "ordered" else float
            if (rank(new) > rank(old)) != (direction == "increase"):
                yield f"does not {direction}"
        whole = column.is_whole if rules.get("integer") is None else name in rules["integer"]
        if column.is_numeric and whole and new != round(new):
            yield "is not whole"
        if column.is_numeric and not np.isfinite(new):
            yield "is not finite"
        if not column.is_numeric and column.kind != "unused" and new not in column.levels:
            yield "was never seen"
        allowed = rules.get("allowed", {}).get(name)
        if isinstance(allowed, dict) and old in allowed and new not in allowed[old]:
            yield "is not allowed"
        if isinstance(allowed, list) and new not in allowed:
            yield "is not allowed"

    def mixtures(self, place: int, count: int, rng: np.random.Generator) -> pd.DataFrame:
        """Rows with some columns of the row and the others of training rows: many keep the rules, some are valid."""
        rows = self.train.iloc[rng.integers(len(self.train), size=count)].reset_index(drop=True).astype(object)
        for column in self.columns:
            keep = np.flatnonzero(rng.random(count) < 0.6) if column.kind != "unused" else np.arange(count)
            for name in column.sources:
                rows.loc[keep, name] = self.rows[name].iloc[place]
        return rows.astype(self.train.dtypes.to_dict())

    def everything(self, row: pd.Series, integers: range) -> pd.DataFrame:
        """Every row that an all-discrete table knows: all levels, and whole numbers of a range."""
        ways = []
        for column in self.used:
            values = list(integers) if column.is_whole else list(column.levels)
            if column.value(row) not in values:
                values.append(column.value(row))
            ways.append(values)
        rows = pd.DataFrame([row] * int(np.prod([len(values) for values in ways])))
        combinations = list(zip(*itertools.product(*ways), strict=True))
        for column, values in zip(self.used, combinations, strict=True):
            if column.kind == "group":
                for member in column.sources:
                    rows[member] = [float(value == member) for value in values]
            else:
                rows[column.name] = list(values)
        return rows.reset_index(drop=True).astype(self.train.dtypes.to_dict())


def draw_case(
    seed: int,
    *,
    kinds: tuple[str, ...] = KINDS,
    models: tuple[str, ...] = ("logistic", "svm", "tree", "ridge", "regression tree"),
    density: bool | None = None,
    n_rows: int = 6,
    most_columns: int = 6,
    ruled: bool = True,
    limits: tuple[int, int] | None = None,
) -> Case:
    """Draw a case.

    Parameters
    ----------
    seed : int
    kinds, models : tuples of str to choose from
    density : bool or None
        Whether there is a density; None leaves it to chance.
    limits : (int, int), optional
        Bounds for every column of whole numbers.
    """
    rng = np.random.default_rng(seed)
    model_name = str(rng.choice(models))
    n_classes = 0 if model_name in ("ridge", "regression tree") else int(rng.choice([2, 2, 3]))
    chosen = [str(kind) for kind in rng.choice(kinds, size=rng.integers(1, most_columns + 1))]
    if not any(kind != "unused" for kind in chosen):
        chosen.append(str(rng.choice([kind for kind in kinds if kind != "unused"])))
    n = 60
    hidden = rng.normal(size=2 * n)
    parts = [_values(rng, kind, place, hidden) for place, kind in enumerate(chosen)]
    frame = pd.concat(parts, axis=1)
    train, rest = frame.iloc[:n], frame.iloc[n:].reset_index(drop=True)
    y = hidden[:n] + 0.3 * rng.normal(size=n)
    if n_classes:
        ranks = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
        y = np.array(["no", "yes", "maybe"])[ranks] if rng.random() < 0.5 else ranks
    columns, transformer, unseen = _pipeline(rng, chosen, parts, train)
    pipeline = make_pipeline(transformer, _model(rng, model_name)).fit(train, y)
    with_density = bool(rng.random() < 0.7) if density is None else density
    explainer, prices = _explainer(rng, pipeline, columns, train, with_density)
    explainer.fit(train, y)
    rows = rest.iloc[:n_rows].copy()
    for column in columns:
        if column.name in unseen and column.kind in ("str", "missing str") and rng.random() < 0.5:
            rows.loc[0, column.name] = "nobody has this"
    index = rng.permutation(1000)[: len(rows)]
    rows.index = pd.Index(index, name="key")
    rules = _rules(rng, columns, rows) if ruled else {}
    if limits is not None:
        rules["bounds"] = {column.name: limits for column in columns if column.is_whole}
    return Case(train, y, columns, explainer, rows, _target(rng, explainer, train), rules, prices)


def _values(rng: np.random.Generator, kind: str, place: int, hidden: np.ndarray) -> pd.DataFrame:
    """Values of a column, or of a one-hot group, for all rows; they depend on what is hidden."""
    n, name = len(hidden), f"{kind} {place}"
    signal = hidden * rng.choice([-1.0, 0.5, 1.0]) + rng.normal(size=n)
    place_of = np.digitize(signal, [-0.8, 0.0, 0.9])
    if kind in ("float", "missing float", "unused"):
        values = pd.Series(signal * 10.0 ** rng.integers(-2, 4) + rng.choice([0.0, 50.0]))
    elif kind in ("int", "Int64"):
        values = pd.Series(np.round(2 * signal + 3).clip(0, 9 if rng.random() < 0.5 else 4).astype(np.int64))
        values = values.astype(str(rng.choice(["int64", "int32", "int16"])) if kind == "int" else "Int64")
    elif kind == "bool":
        values = pd.Series(signal > 0.2)
    elif kind == "code":
        values = pd.Series(np.array([1, 3, 7, 9])[place_of])
    elif kind == "group":
        return pd.DataFrame({f"{name}={level}": (place_of == level).astype(float) for level in range(4)})
    else:
        levels = list(LEVELS[:4]) if rng.random() < 0.5 else list(LEVELS[1:5])
        values = pd.Series(np.array(levels)[place_of])
        if kind in ("category", "ordered"):
            values = pd.Series(pd.Categorical(values, categories=levels, ordered=kind == "ordered"))
        elif rng.random() < 0.5:
            values = values.astype(object)
    if kind.startswith("missing") or kind == "Int64":
        values[rng.random(n) < 0.15] = pd.NA if kind == "Int64" else np.nan
    return pd.DataFrame({name: values})


def _pipeline(
    rng: np.random.Generator, chosen: list[str], parts: list[pd.DataFrame], train: pd.DataFrame
) -> tuple[tuple[Drawn, ...], ColumnTransformer, set[str]]:
    """Columns as they were drawn, a transformer for them, and whose values may be unseen."""
    steps, columns, unseen = [], [], set()
    scalers = (StandardScaler, MinMaxScaler, RobustScaler)
    for place, (kind, part) in enumerate(zip(chosen, parts, strict=True)):
        names, seen = list(part.columns), train[part.columns[0]]
        name = names[0] if kind != "group" else f"group {place}"
        fill, levels = None, ()
        if kind in NUMBERS:
            scaler = scalers[rng.integers(3)]() if rng.random() < 0.8 else "passthrough"
            if seen.isna().any() or rng.random() < 0.2:
                how = str(rng.choice(["mean", "median", "most_frequent"]))
                numbers = seen.dropna().astype(float)
                fill = float({"mean": numbers.mean(), "median": numbers.median()}.get(how, numbers.mode().min()))
                scaler = make_pipeline(SimpleImputer(strategy=how), scaler)
            step = scaler
        elif kind == "group":
            levels, step = tuple(names), str(rng.choice(["passthrough", "scale"]))
            step = StandardScaler() if step == "scale" else step
        elif kind == "ordered":
            levels = tuple(level for level in seen.cat.categories if (seen == level).any())
            step = OrdinalEncoder(categories=[list(seen.cat.categories)])
        elif kind == "unused":
            columns.append(Drawn(name, kind, tuple(names)))
            continue
        else:
            values = [None if pd.isna(value) else value for value in seen.unique().tolist()]
            levels = (False, True) if kind == "bool" else tuple(values)
            step, accepts = _encoder(rng, kind)
            unseen |= {name} if accepts else set()
        columns.append(Drawn(name, kind, tuple(names), fill, levels, name in unseen))
        steps.append((str(place), step, names))
    order = rng.permutation(len(steps))
    return tuple(columns), ColumnTransformer([steps[i] for i in order], sparse_threshold=rng.choice([0.0, 1.0])), unseen


def _encoder(rng: np.random.Generator, kind: str) -> tuple[Any, bool]:
    """An encoder, and whether it accepts values never seen."""
    missing = {"encoded_missing_value": -3}
    ways = [
        (OneHotEncoder(), False),
        (OneHotEncoder(drop="first"), False),
        (OneHotEncoder(drop="if_binary", min_frequency=6), False),
        (OneHotEncoder(handle_unknown="ignore"), True),
        (OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=8), True),
        (OrdinalEncoder(**missing), False),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, **missing), True),
    ]
    encoder, accepts = ways[rng.integers(len(ways))]
    if kind == "missing str" and rng.random() < 0.4:
        encoder = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
    return encoder, accepts


def _model(rng: np.random.Generator, name: str) -> Any:
    depth = int(rng.integers(2, 6))
    return {
        "logistic": LogisticRegression(max_iter=2_000),
        "svm": LinearSVC(max_iter=20_000, random_state=0),
        "tree": DecisionTreeClassifier(max_depth=depth, random_state=0),
        "ridge": Ridge() if rng.random() < 0.5 else LinearRegression(),
        "regression tree": DecisionTreeRegressor(max_depth=depth, random_state=0),
    }[name]


def _explainer(
    rng: np.random.Generator, model: Any, columns: tuple[Drawn, ...], train: pd.DataFrame, with_density: bool
) -> tuple[Any, dict[str, float]]:
    """An explainer that is not fitted, and the price of a unit of each column as the user would count it."""
    has_categories = any(not column.is_numeric and column.kind not in ("ordered", "unused") for column in columns)
    density: Any = None
    if with_density:
        n_components = int(rng.integers(1, 4))
        density = ew.MixedMixtureDensity(n_components=n_components, random_state=0)
        if not has_categories:
            density = ew.GaussianMixtureDensity(n_components=n_components) if rng.random() < 0.8 else "kernel"
    used = [column for column in columns if column.kind != "unused"]
    weights = {column.name: float(rng.choice([0.25, 1.0, 3.0])) for column in used}
    way = str(rng.choice(["auto", "scaled", "manhattan"]))
    mixed = any(column.kind not in ("float", "missing float") for column in used)
    scales = {column.name: _scale(column, train) for column in used}
    if way == "auto":
        distance, prices = "auto", scales if mixed else dict.fromkeys(scales, 1.0)
    elif way == "scaled":
        distance, prices = ew.Scaled(weights), {name: weights[name] * scales[name] for name in scales}
    else:
        distance, prices = ew.Manhattan(weights), weights
    groups = {column.name: ew.OneHot(columns=column.sources) for column in used if column.kind == "group"}
    threshold = float(rng.choice([0.05, 0.3, 0.5, 0.8]))
    made = ew.Explainer(
        model,
        columns=groups,
        density=density,
        distance=distance,
        threshold=threshold,
        learn_rules=False,
        condition_on_fixed=False,
    )
    return made, prices


def _scale(column: Drawn, train: pd.DataFrame) -> float:
    """One over the median absolute deviation of the training rows; where it is zero, of those off the median."""
    if not column.is_numeric and column.kind != "ordered":
        return 1.0
    values = np.array([column.value(row) for _, row in train.iterrows()], dtype=object)
    if column.kind == "ordered":
        values = np.array([column.levels.index(value) for value in values])
    apart = np.abs(values.astype(float) - np.median(values.astype(float)))
    return 1.0 / (np.median(apart) or np.median(apart[apart > 0.0] if apart.any() else 1.0))


def _target(rng: np.random.Generator, explainer: Any, train: pd.DataFrame) -> Any:
    if explainer.classes_ is not None:
        return None if rng.random() < 0.2 else explainer.classes_.tolist()[rng.integers(len(explainer.classes_))]
    predictions = explainer.model.predict(train)
    low, high = np.sort(rng.choice(np.quantile(predictions, [0.0, 0.2, 0.5, 0.8, 1.0]), 2, replace=False))
    room = 1e-3 + 0.01 * (high - low)
    return float(low - room), float(high + room)


def _rules(rng: np.random.Generator, columns: tuple[Drawn, ...], rows: pd.DataFrame) -> dict[str, Any]:
    """Rules that make sense for every row."""
    rules: dict[str, Any] = {"immutable": [], "monotone": {}, "bounds": {}, "allowed": {}, "linear": []}
    used = [column for column in columns if column.kind != "unused"]
    for column in used:
        have = [column.value(row) for _, row in rows.iterrows()]
        draw = rng.random()
        if draw < 0.12:
            rules["immutable"].append(column.name)
        elif (column.is_numeric or column.kind in ("ordered", "bool")) and draw < 0.25:
            rules["monotone"][column.name] = str(rng.choice(["increase", "decrease"]))
        elif column.is_numeric and draw < 0.45:
            size = 1.0 + max(have) - min(have)
            low, high = min(have) - rng.random() * size, max(have) + rng.random() * size
            rules["bounds"][column.name] = [(low, high), (low, None), (None, high)][rng.integers(3)]
        elif column.kind == "ordered" and draw < 0.4:
            ranks = [column.levels.index(value) for value in have]
            rules["bounds"][column.name] = (column.levels[min(ranks)], column.levels[-1])
        elif not column.is_numeric and column.kind != "ordered" and draw < 0.4:
            some = [level for level in column.levels if level is not None and rng.random() < 0.6]
            origin = next(level for level in column.levels if level is not None)
            rules["allowed"][column.name] = some if rng.random() < 0.5 else {origin: some}
    numbers = [column for column in used if column.is_numeric]
    if len(numbers) > 1 and rng.random() < 0.3:
        first, second = (numbers[i] for i in rng.choice(len(numbers), 2, replace=False))
        factors = {first.name: float(rng.choice([1.0, -2.0, 0.1])), second.name: float(rng.choice([1.0, -0.5]))}
        totals = [
            sum(f * c.value(row) for c, f in zip((first, second), factors.values())) for _, row in rows.iterrows()
        ]
        rules["linear"].append((factors, str(rng.choice(["<=", ">="])), float(np.median(totals))))
    if rng.random() < 0.3:
        rules["max_changes"] = int(rng.integers(0, len(used) + 1))
    if rng.random() < 0.15:
        rules["integer"] = [column.name for column in numbers if rng.random() < 0.5]
    return {key: value for key, value in rules.items() if value or key in ("integer", "max_changes")}
