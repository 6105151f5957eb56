"""What a new model does to old answers: which counterfactuals, ranges and reasons of an audit trail are still true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers.records import pandas_for
from ...arrays import FloatArray
from ...errors import InvalidInputError
from ...questions import Options
from ...questions.explain import explain_rows, row_question
from ...questions.one_row import RowQuestion
from ...questions.recourse.claims import is_typical, judge_box, judge_point, judge_reasons
from ...reasons import has_answer
from ...rules import Constraints
from ...table import Table
from ..files.trail.reading import frame_of_values, targets_of
from ..files.trail.records import read_trail

if TYPE_CHECKING:
    import pandas as pd

    from ...explainer import Explainer

# What a line may claim.
CLAIMS = ("counterfactual", "range", "reason")
# Lines without a group.
EVERYONE = "all"


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """One answer of a trail, under another model.

    Attributes
    ----------
    line : int
        Counted from 1.
    id : dict
        What rows are known by.
    group : str
    decision : "same", "changed" or ""
        Whether the model still says of the row what it said; empty of a row that was wrong.
    counterfactual, range, reason : "true", "false", "unknown" or ""
        Whether the claim still holds; empty where there was none. Of a row that had proven to have no counterfactual,
        the claim is that there is none.
    typical : bool or None
        The counterfactual is as typical as the new explainer asks; None without one, or without a density.
    """

    line: int
    id: Mapping[str, Any]
    group: str
    decision: str = ""
    counterfactual: str = ""
    range: str = ""
    reason: str = ""
    typical: bool | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing that was claimed is false."""
        return all(getattr(self, claim) != "false" for claim in CLAIMS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Old answers under a new model.

    Attributes
    ----------
    lines : tuple of ComparedLine
    by : str or None
        What groups are distinguished by.
    """

    lines: tuple[ComparedLine, ...]
    by: str | None

    @property
    def holds(self) -> bool:
        """Whether nothing that was claimed is false."""
        return all(line.holds for line in self.lines)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in order."""
        return tuple(sorted({line.group for line in self.lines}))

    def count(self, claim: str, verdict: str, group: str | None = None) -> int:
        """Count lines with a verdict on a claim, of all or of one group."""
        own = [line for line in self.lines if group is None or line.group == group]
        return Counter(getattr(line, claim) for line in own)[verdict]

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per answer."""
        names = ("line", "group", "decision", *CLAIMS, "typical")
        lines = [{**line.id, **{name: getattr(line, name) for name in names}} for line in self.lines]
        return pandas_for("to_frame").DataFrame(lines)

    def to_mapping(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        counts = {
            group: {
                "answers": sum(line.group == group for line in self.lines),
                "decision_changed": self.count("decision", "changed", group),
                **{
                    claim: {verdict: self.count(claim, verdict, group) for verdict in ("true", "false", "unknown")}
                    for claim in CLAIMS
                },
                "no_longer_typical": sum(line.typical is False for line in self.lines if line.group == group),
            }
            for group in self.groups
        }
        false = [
            {
                "line": line.line,
                "id": dict(line.id),
                "false": [name for name in CLAIMS if getattr(line, name) == "false"],
            }
            for line in self.lines
            if not line.holds
        ]
        return {"holds": self.holds, "by": self.by, "groups": counts, "no_longer_true": false}

    def __str__(self) -> str:
        header = [self.by or "", "answers", "decision changed", *(f"{claim} no longer true" for claim in CLAIMS)]
        table = [header]
        for group in self.groups:
            stated = self.to_mapping()["groups"][group]
            cells = [group, f"{stated['answers']:,}", f"{stated['decision_changed']:,}"]
            for claim in CLAIMS:
                found = stated[claim]
                unknown = f" ({found['unknown']:,} unknown)" if found["unknown"] else ""
                cells.append(f"{found['false']:,} of {sum(found.values()):,}{unknown}")
            table.append(cells)
        widths = [max(len(line[place]) for line in table) for place in range(len(header))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]
        n_false = sum(not line.holds for line in self.lines)
        return "\n".join([*lines, f"{n_false:,} of {len(self.lines):,} answers are no longer true."])


def compare(
    trail: str | PathLike[str] | Sequence[Mapping[str, Any]],
    explainer: Explainer,
    *,
    by: str | None = None,
    time_limit: float | None = None,
) -> Comparison:
    """Find out which answers of an audit trail are still true of another model.

    A counterfactual is true if the model decides for the target and the rules of the answer are kept; a range, if that
    is proven for every row in it; reasons, if it is proven that no realistic change leaves all their columns as they
    are, and every value that was enough by itself still is.

    Parameters
    ----------
    trail : path of a ``.jsonl`` file, or its records
        Written by ``elsewise explain --json-lines`` or ``elsewise letters``.
    explainer : fitted Explainer
        Of the new model, over the same columns.
    by : str, optional
        A column of the rows, or of what they are known by, to count groups by.
    time_limit : float, optional
        Seconds for each search; what is not finished by then is unknown.

    Returns
    -------
    Comparison
    """
    records = list(trail) if not isinstance(trail, (str, PathLike)) else read_trail(Path(trail))
    fitted = explainer.require_fitted()
    for number, record in enumerate(records, start=1):
        missing = [name for name in fitted.table.names if str(name) not in record["x"]]
        if missing:
            raise InvalidInputError(
                f"trail: line {number} has no column {missing[0]!r}, which the model takes. Expected a model of the "
                "same columns."
            )
        if by is not None and by not in {**record["x"], **record["id"]}:
            raise InvalidInputError(f"by: line {number} of the trail has no column {by!r}.")
    lines = [_compared(explainer, record, number, by, time_limit) for number, record in enumerate(records, start=1)]
    return Comparison(tuple(lines), by)


def _compared(
    explainer: Explainer, record: Mapping[str, Any], number: int, by: str | None, time_limit: float | None
) -> ComparedLine:
    group = EVERYONE if by is None else str({**record["x"], **record["id"]}[by])
    if record["status"] == "error":
        return ComparedLine(number, record["id"], group)
    fitted, rules = explainer.fitted_, record["rules"]
    stated = Constraints() if rules is None else Constraints.from_mapping(rules)
    constraints = replace(stated, may_become_missing=())
    options = Options(constraints=constraints, min_probability=record["min_probability"], time_limit=time_limit)
    x, target = frame_of_values([record["x"]], fitted.table), targets_of([record], explainer)[0]
    asked = row_question(fitted, x, target, options)
    verdicts: dict[str, Any] = {"decision": _decision(asked, record)}
    if has_answer(record["status"]):
        then = frame_of_values([record["counterfactual"]], fitted.table)
        if stated.may_become_missing:  # an answer is one of the row without what became missing
            x = fitted.table.lacking(x, fitted.table.missing(then))
            asked = row_question(fitted, x, target, options)
        point = fitted.table.encode(then, name="trail")[0]
        verdicts["counterfactual"] = judge_point(asked, point)
        verdicts["typical"] = is_typical(asked, point)
        if record.get("ranges") is not None:
            verdicts["range"] = judge_box(asked, point, *_box(record, fitted.table))
    elif record["proven"] and stated.may_become_missing:
        fresh = explain_rows(fitted, x, target, replace(options, constraints=stated))[0]
        verdicts["counterfactual"] = "false" if fresh.found else "true" if fresh.status == "infeasible" else "unknown"
    elif record["proven"]:
        verdicts["counterfactual"] = judge_reasons(asked, ())
    if (record.get("reasons") or {}).get("status") == "proven" and has_answer(record["status"]):
        verdicts["reason"] = _reasons(asked, record, fitted.table)
    return ComparedLine(number, record["id"], group, **verdicts)


def _decision(asked: RowQuestion, record: Mapping[str, Any]) -> str:
    said, stated = asked.predictions[0], record["prediction"]
    if asked.fitted.classes is None:  # of a regressor: whether it is on the same side of what is wanted
        low, high = (float(end) if end is not None else side for end, side in zip(record["target"], (-np.inf, np.inf)))
        return "same" if (low <= float(said) <= high) == (low <= float(stated) <= high) else "changed"
    return "same" if str(said) == str(stated) else "changed"


def _encoded(values: Sequence[Mapping[str, Any]], table: Table) -> FloatArray:
    return table.encode(frame_of_values(values, table), name="trail")


def _box(record: Mapping[str, Any], table: Table) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the ranges that a record tells, in features."""
    after = record["counterfactual"]
    point = _encoded([after], table)[0]
    lower, upper = np.where(table.group >= 0, 0.0, point), point.copy()
    for stated in record["ranges"]["columns"]:
        column = next(one for one in table.columns if one.name == stated["column"])
        values = stated["levels"] or [stated["low"], stated["high"]]
        source = table.names[column.sources[0]]
        rows = _encoded([{**after, str(source): value} for value in values], table)[:, column.features]
        upper[column.features] = rows.max(axis=0)
        if column.kind != "category":
            lower[column.features] = rows.min(axis=0)
    return lower, upper


def _reasons(asked: RowQuestion, record: Mapping[str, Any], table: Table) -> str:
    for reason in record["reasons"]["reasons"]:
        if reason["is_alone"]:
            column = next(one for one in table.columns if one.name == reason["column"])
            then = _encoded([{**record["x"], str(table.names[column.sources[0]]): reason["then"]}], table)[0]
            if judge_point(asked, then) == "false":
                return "false"
    return judge_reasons(asked, record["reasons"]["columns"])
