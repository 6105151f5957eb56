"""Answers of a file that ``elsewise explain`` has written, made into explanations again.

The file tells what was found and proven; what can be computed from rows and counterfactuals (what changes, and what
each change adds to the distance) is computed, so that the report's check has something to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..asking.reasons import Told
from ..columns import Table
from ..columns.as_trained import as_trained, level_reader
from ..columns.frames import blanked
from ..constraints import Constraints
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..files.tables import PARQUET, FileRows, read_frame, read_text
from ..results import Explanations, shares_of

_NEEDED = ("row", "prediction", "status", "distance", "lower_bound", "gap", "reason")
_NUMBERS = ("distance", "lower_bound", "gap", "log_density", "log_threshold", "plausibility")
_STATUSES = ("optimal", "feasible", "infeasible")


def read_answers(
    path: Path, explainer: Explainer, rows: FileRows, constraints: Constraints | None = None
) -> Explanations:
    """Read answers about rows.

    Parameters
    ----------
    path : path of a CSV or Parquet file by ``elsewise explain``
    explainer : Explainer
        The one that made them.
    rows : FileRows
        All rows that were asked about.
    constraints : Constraints, optional
        The rules they were made under.
    """
    frame = _frame(path)
    missing = [name for name in _NEEDED if name not in frame.columns]
    if missing:
        raise InvalidInputError(
            f"{path} has no column {missing[0]!r}: expected a file that `elsewise explain` has written."
        )
    table = explainer.fitted_.table_under(constraints)
    place = _whole(path, frame["row"], len(rows.columns))
    statuses = np.array([str(status) for status in frame["status"]], dtype=np.str_)
    wrong = [status for status in statuses.tolist() if status not in _STATUSES]
    if wrong:
        raise InvalidInputError(f"{path}: expected a status among {', '.join(_STATUSES)}, received {wrong[0]!r}.")
    given = rows.columns.iloc[place]
    found = np.flatnonzero(statuses != "infeasible")
    before = table.encode(given, name=f"{path}: row")
    after = before.copy()
    if len(found):
        points = _counterfactuals(path, frame, table).iloc[found]
        points.columns = given.columns
        after[found] = table.encode(points, name=str(path))
    numbers = {name: _numbers(path, frame, name) for name in _NUMBERS}
    shares = np.zeros((len(frame), len(table.columns)))
    if len(found):
        shares[found] = shares_of(table, explainer.distance_, before[found], after[found])
    missing_number = np.full(len(frame), np.nan)
    return Explanations(
        x=given,
        counterfactuals=blanked(table.decode(after, given, encoded=before), statuses == "infeasible"),
        changed=table.changed(before, after),
        targets=_targets(path, frame, explainer),
        predictions=_predictions(frame, explainer),
        statuses=statuses,
        distances=numbers["distance"],
        lower_bounds=numbers["lower_bound"],
        gaps=numbers["gap"],
        log_densities=numbers["log_density"],
        log_densities_mixture=missing_number,
        log_thresholds=np.where(np.isnan(numbers["log_threshold"]), -np.inf, numbers["log_threshold"]),
        plausibilities=numbers["plausibility"],
        components=np.full(len(frame), -1, dtype=np.int64),
        model_free=np.array([str(value).lower() in ("true", "1") for value in _text(frame, "model_free")]),
        causes=tuple(Told(text) if text else None for text in _text(frame, "reason")),
        n_projections=np.zeros(len(frame), dtype=np.int64),
        shares=shares,
        row_features=before,
        features=after,
        rows=place,
        table=table,
    )


def _frame(path: Path) -> Any:
    """Read the file; of CSV everything as text, for what a cell means is the table's to say."""
    if path.suffix.lower() in PARQUET:
        return read_frame(path)
    return read_text(path)


def _counterfactuals(path: Path, frame: Any, table: Table) -> Any:
    """Columns of the counterfactuals in the training data's dtypes; a name that was taken has a word before it."""
    import pandas

    columns = []
    is_text = path.suffix.lower() not in PARQUET
    by_source = {source: column for column in table.columns for source in column.sources}
    for source, name in enumerate(table.names):
        other = f"counterfactual_{name}"
        found = other if other in frame.columns else name
        if found not in frame.columns:
            raise InvalidInputError(
                f"{path} lacks the counterfactuals' column {name!r}: was it made for another model?"
            )
        columns.append(as_trained(frame[found], table.dtypes[source], by_source.get(source), is_text=is_text))
    return pandas.concat(columns, axis=1)


def _whole(path: Path, values: Any, n_rows: int) -> NDArray[np.int64]:
    try:
        place = np.array([int(value) for value in values], dtype=np.int64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: expected numbers of rows in the column 'row': {error}.") from error
    if len(place) and not (place.min() >= 0 and place.max() < n_rows):
        wrong = int(place.min()) if place.min() < 0 else int(place.max())
        raise InvalidInputError(
            f"{path} tells of row {wrong}, but --data has {n_rows} rows, counted from 0. Give the file that was "
            "explained."
        )
    return place


def _numbers(path: Path, frame: Any, name: str) -> NDArray[np.float64]:
    if name not in frame.columns:
        return np.full(len(frame), np.nan)
    try:
        return np.array([np.nan if value is None or value == "" else float(value) for value in frame[name]])
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: expected numbers in the column {name!r}: {error}.") from error


def _text(frame: Any, name: str) -> list[str]:
    if name not in frame.columns:
        return [""] * len(frame)
    return ["" if value is None or value != value else str(value) for value in frame[name].tolist()]


def _predictions(frame: Any, explainer: Explainer) -> NDArray[Any]:
    if explainer.classes_ is None:
        return np.array([float(value) for value in frame["prediction"]], dtype=np.float64)
    read = level_reader(explainer.classes_.tolist())
    return np.array([read(value) for value in frame["prediction"].tolist()], dtype=explainer.classes_.dtype)


def _targets(path: Path, frame: Any, explainer: Explainer) -> Sequence[Any]:
    names = ("target_low", "target_high") if explainer.classes_ is None else ("target",)
    for name in names:
        if name not in frame.columns:
            raise InvalidInputError(f"{path} has no column {name!r}: it was made for another kind of model.")
    if explainer.classes_ is None:
        low, high = (_numbers(path, frame, name) for name in names)
        low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
        return tuple(zip(low.tolist(), high.tolist()))
    read = level_reader(explainer.classes_.tolist())
    return tuple(
        None if value is None or value == "" or value != value else read(value) for value in frame["target"].tolist()
    )
