"""Answers of a file that ``elsewise explain`` has written, made into explanations again.

The file tells what was found and proven; what can be computed from rows and counterfactuals (what changes, and what
each change adds to the distance) is computed, so that the report's check has something to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...arrays import AnyArray, BoolArray, FloatArray, IntArray
from ...errors import InvalidInputError
from ...questions import fixed_parts_of_answers
from ...questions.presentation import shares_of
from ...questions.solving.becoming_missing import prices_of_losses
from ...reasons import STATUSES, WITHOUT_ANSWER, NoClassReachable, NothingWithin, Reason, Target, Told, WrongRow
from ...rules import Constraints
from ...table import Table
from ...table.as_trained import as_trained, level_reader
from ...table.frames import blanked
from ...text.reasons import reason_in_words
from .tables import PARQUET, FileRows, read_frame, read_text

if TYPE_CHECKING:
    from ...explainer import Explainer

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = ("row", "prediction", "status", "distance", "lower_bound", "gap", "reason")
_NUMBERS = ("distance", "lower_bound", "gap", "log_density", "log_threshold", "plausibility", "min_probability")


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
    table = explainer.fitted_.table_under(explainer.fitted_.rules(constraints))
    row_numbers = _row_numbers(path, frame["row"], len(rows.columns))
    statuses = np.array([str(status) for status in frame["status"]], dtype=np.str_)
    wrong = [status for status in statuses.tolist() if status not in STATUSES]
    if wrong:
        raise InvalidInputError(f"{path}: expected a status among {', '.join(STATUSES)}, received {wrong[0]!r}.")
    given = rows.columns.iloc[row_numbers]
    found, is_wrong = np.flatnonzero(~np.isin(statuses, WITHOUT_ANSWER)), statuses == "error"
    targets = _targets(path, frame, explainer)
    before = np.zeros((len(frame), table.n_features))  # rows that are wrong have no features
    before[~is_wrong] = table.encode(given.iloc[~is_wrong], name=f"{path}: row")
    after, lost = before.copy(), np.zeros(before.shape, dtype=np.bool_)
    lacking = np.zeros(before.shape, dtype=np.bool_)
    lacking[~is_wrong] = table.missing(given.iloc[~is_wrong])
    if len(found):
        points = _counterfactuals(path, frame, table).iloc[found]
        points.columns = given.columns
        after[found] = table.encode(points, name=str(path))
        lost[found] = table.missing(points) & ~lacking[found]
    start = np.where(lost, after, before)  # what became missing is missing from the start
    numbers = {name: _numbers(path, frame, name) for name in _NUMBERS}
    shares = prices_of_losses(explainer.fitted_, constraints, lost)
    if len(found):
        shares[found] += shares_of(table, explainer.distance_, start[found], after[found])
    missing_number = np.full(len(frame), np.nan)
    own_targets = [targets[place] for place in found.tolist()]
    parts = fixed_parts_of_answers(explainer.fitted_, constraints, start[found], own_targets, (lacking | lost)[found])
    is_given = np.zeros(len(frame), dtype=np.bool_)
    is_given[found] = [part is not None for part in parts]
    return Explanations(
        x=given,
        counterfactuals=blanked(
            table.lacking(table.decode(after, given, encoded=start), lost), np.isin(statuses, WITHOUT_ANSWER)
        ),
        changed=table.changed(before, after) | lost[:, [column.start for column in table.columns]],
        targets=targets,
        predictions=_predictions(frame, explainer, is_wrong),
        statuses=statuses,
        distances=numbers["distance"],
        lower_bounds=numbers["lower_bound"],
        gaps=numbers["gap"],
        log_densities=numbers["log_density"],
        log_densities_mixture=missing_number,
        log_thresholds=np.where(np.isnan(numbers["log_threshold"]), -np.inf, numbers["log_threshold"]),
        plausibilities=numbers["plausibility"],
        given=is_given,
        components=np.full(len(frame), -1, dtype=np.int64),
        model_free=np.array([str(value).lower() in ("true", "1") for value in _text(frame, "model_free")]),
        causes=tuple(
            WrongRow(text) if wrong else _cause(text, target)
            for text, target, wrong in zip(_text(frame, "reason"), targets, is_wrong.tolist())
        ),
        n_projections=np.zeros(len(frame), dtype=np.int64),
        shares=shares,
        row_features=np.where(is_wrong[:, None], np.nan, before),
        features=np.where(is_wrong[:, None], np.nan, after),
        rows=row_numbers,
        table=table,
        min_probabilities=numbers["min_probability"],
    )


def _frame(path: Path) -> pd.DataFrame:
    """Read the file; of CSV everything as text, for what a cell means is the table's to say."""
    if path.suffix.lower() in PARQUET:
        return read_frame(path)
    return read_text(path)


def _counterfactuals(path: Path, frame: pd.DataFrame, table: Table) -> pd.DataFrame:
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


def _cause(sentence: str, target: Any) -> Reason | None:
    """Take the reason whose sentence it is, where it matters for whom it is stated; else the sentence itself."""
    for has_density in (False, True):
        within = NothingWithin(Target(target), has_rules=True, has_density=has_density)
        for reason in (within, NoClassReachable(within)):
            if reason_in_words(reason) == sentence:
                return reason
    return Told(sentence) if sentence else None


def _row_numbers(path: Path, values: pd.Series, n_rows: int) -> IntArray:
    try:
        numbers = np.array([int(value) for value in values], dtype=np.int64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: expected numbers of rows in the column 'row': {error}.") from error
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < n_rows):
        wrong = int(numbers.min()) if numbers.min() < 0 else int(numbers.max())
        raise InvalidInputError(
            f"{path} tells of row {wrong}, but --data has {n_rows} rows, counted from 0. Give the file that was "
            "explained."
        )
    return numbers


def _numbers(path: Path, frame: pd.DataFrame, name: str) -> FloatArray:
    if name not in frame.columns:
        return np.full(len(frame), np.nan)
    try:
        return np.array([np.nan if value is None or value == "" else float(value) for value in frame[name]])
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: expected numbers in the column {name!r}: {error}.") from error


def _text(frame: pd.DataFrame, name: str) -> list[str]:
    if name not in frame.columns:
        return [""] * len(frame)
    return ["" if value is None or value != value else str(value) for value in frame[name].tolist()]


def _predictions(frame: pd.DataFrame, explainer: Explainer, is_wrong: BoolArray) -> AnyArray:
    values = [None if wrong else value for value, wrong in zip(frame["prediction"].tolist(), is_wrong.tolist())]
    if explainer.classes_ is None:
        return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
    read = level_reader(explainer.classes_.tolist())
    labels = [None if value is None else read(value) for value in values]
    return np.array(labels, dtype=object if is_wrong.any() else explainer.classes_.dtype)


def _targets(path: Path, frame: pd.DataFrame, explainer: Explainer) -> Sequence[Any]:
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
