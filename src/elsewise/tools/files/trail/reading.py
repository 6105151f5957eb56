"""Records of an audit trail, made into explanations again, so that what they say can be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....answers import Explanations
from ....arrays import FloatArray
from ....questions import fixed_parts_of_answers
from ....questions.presentation import shares_of
from ....questions.solving.becoming_missing import prices_of_losses
from ....reasons import Told, has_answer
from ....rules import Constraints
from ....table import Table
from ....table.as_trained import as_trained, level_reader
from ....table.frames import blanked

if TYPE_CHECKING:
    import pandas as pd

    from ....explainer import Explainer


def explanations_of_trail(
    records: Sequence[Mapping[str, Any]], explainer: Explainer, constraints: Constraints | None
) -> Explanations:
    """Make explanations of records about rows that are right, all under the same rules.

    What can be computed from rows and counterfactuals is taken from the records all the same, where they tell it.

    Parameters
    ----------
    records : sequence of records
        See :func:`~.trail.trail_records`; none with the status ``"error"``.
    explainer : Explainer
    constraints : Constraints or None
    """
    fitted = explainer.fitted_
    table = fitted.table_under(fitted.rules(constraints))
    found = np.array([has_answer(record["status"]) for record in records], dtype=np.bool_)
    given = frame_of_values([record["x"] for record in records], table)
    after_given = frame_of_values(
        [record["counterfactual"] if has else record["x"] for record, has in zip(records, found.tolist())], table
    )
    before, after = table.encode(given, name="x"), table.encode(after_given, name="counterfactual")
    missing, lost = table.missing(given), table.missing(after_given) & ~table.missing(given)
    start = np.where(lost, after, before)  # what became missing is missing from the start
    shares = prices_of_losses(fitted, constraints, lost)
    shares[found] += shares_of(table, fitted.distance, start[found], after[found])
    names = [column.name for column in table.columns]
    changed = np.array(
        [[name in {each["column"] for each in record["changes"]} for name in names] for record in records],
        dtype=np.bool_,
    ).reshape(len(records), len(names))
    proven = [record["status"] == "infeasible" and record["proven"] for record in records]
    targets = targets_of(records, explainer)
    has_answers = np.flatnonzero(found)
    own_targets = [targets[place] for place in has_answers.tolist()]
    parts = fixed_parts_of_answers(fitted, constraints, start[found], own_targets, (missing | lost)[found])
    is_given = np.zeros(len(records), dtype=np.bool_)
    is_given[has_answers] = [part is not None for part in parts]
    return Explanations(
        x=given,
        counterfactuals=blanked(after_given, ~found),
        predictions=np.array([record["prediction"] for record in records]),
        targets=targets,
        statuses=np.array([record["status"] for record in records], dtype=np.str_),
        distances=numbers_of(records, "distance"),
        lower_bounds=np.where(proven, np.inf, numbers_of(records, "lower_bound")),
        gaps=numbers_of(records, "gap"),
        log_densities=numbers_of(records, "log_density"),
        log_thresholds=numbers_of(records, "log_threshold", missing=-np.inf),
        plausibilities=numbers_of(records, "plausibility"),
        given=is_given,
        model_free=np.array([record["model_free"] for record in records], dtype=np.bool_),
        causes=tuple(Told(record["reason"]) if record["reason"] else None for record in records),
        log_densities_mixture=numbers_of(records, "log_density_mixture"),
        components=np.full(len(records), -1),
        n_projections=np.zeros(len(records), dtype=np.int64),
        changed=changed,
        shares=shares,
        row_features=before,
        features=after,
        rows=np.array([record["row"] for record in records], dtype=np.int64),
        table=table,
        nearer=np.array([record["nearer"] for record in records], dtype=np.int64),
        min_probabilities=numbers_of(records, "min_probability"),
    )


def frame_of_values(values: Sequence[Mapping[str, Any]], table: Table) -> pd.DataFrame:
    """Make a frame of rows as records tell them, in the dtypes of the training data."""
    import pandas

    by_source = {source: column for column in table.columns for source in column.sources}
    dtypes = table.dtypes if len(table.dtypes) else (None,) * len(table.names)
    frame = pandas.DataFrame(index=range(len(values)))
    columns = []
    for place, name in enumerate(table.names):
        cells = np.empty(len(values), dtype=object)
        cells[:] = [row.get(str(name)) for row in values]
        column = pandas.Series(cells, index=frame.index, dtype=object)
        dtype = dtypes[place]
        columns.append(column if dtype is None else as_trained(column, dtype, by_source.get(place)))
    return pandas.concat(columns, axis=1, keys=list(table.names)) if columns else frame


def numbers_of(records: Sequence[Mapping[str, Any]], name: str, missing: float = np.nan) -> FloatArray:
    """Numbers of records, array of shape (n_records,)."""
    return np.array([missing if record[name] is None else float(record[name]) for record in records], dtype=np.float64)


def targets_of(records: Sequence[Mapping[str, Any]], explainer: Explainer) -> tuple[Any, ...]:
    """Targets of records as the explainer takes them."""
    stated = [record["target"] for record in records]
    if explainer.classes_ is None:
        return tuple((-np.inf if low is None else low, np.inf if high is None else high) for low, high in stated)
    read = level_reader(explainer.classes_.tolist())
    return tuple(None if label is None else read(label) for label in stated)
