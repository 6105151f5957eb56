"""What ``elsewise explain`` says at its end: in words, and for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...statuses import has_answer
from ...table import Table
from ...text.numbers import percent
from ..files.answers import Record, names_changed
from .constants import MOST_LISTED


@dataclass(frozen=True, slots=True)
class AnswersSummary:
    """Answers in brief.

    Attributes
    ----------
    rows, finished : int
        Rows in the file, and those that were dealt with.
    answered, optimal, unchanged, infeasible, wrong : int
        Rows with an answer, proven the nearest, that need no change at all, without an answer, and wrong themselves.
    answers : int
        More than rows where several were asked for.
    median_distance, median_changes : float or None
        Over the first answers of rows.
    changed : dict of column name to share
        Which columns change how often, most often first.
    reasons : dict of sentence to int
        Why rows have no answer: by the rules in their way, where these are known.
    """

    rows: int
    finished: int
    answered: int
    optimal: int
    unchanged: int
    infeasible: int
    wrong: int
    answers: int
    median_distance: float | None
    median_changes: float | None
    changed: dict[str, float]
    reasons: dict[str, int]

    def to_mapping(self) -> dict[str, Any]:
        """Give all of it as plain dicts and numbers."""
        return asdict(self)

    def __str__(self) -> str:
        proven = f"{self.optimal} of them proven the nearest"
        lines = [["rows", f"{self.finished}" + (f" of {self.rows}" if self.finished < self.rows else "")],
                 ["with an answer", f"{self.answered} ({proven})"]]  # fmt: skip
        if self.unchanged:
            lines.append(["nothing has to change", f"{self.unchanged}"])
        lines.append(["without an answer", f"{self.infeasible}"])
        if self.wrong:
            lines.append(["wrong rows, not asked", f"{self.wrong}"])
        if self.answers > self.finished:
            lines.append(["answers in all", f"{self.answers}"])
        if self.median_distance is not None and self.median_changes is not None:
            lines.append(["median distance", f"{self.median_distance:.4g}"])
            lines.append(["median number of changes", f"{self.median_changes:g}"])
        often = [f"{name} {percent(share)}" for name, share in list(self.changed.items())[:MOST_LISTED]]
        if often:
            lines.append(["changed most often", ", ".join(often)])
        width = max(len(name) for name, _ in lines)
        text = "\n".join(f"  {name:<{width}}   {told}" for name, told in lines)
        if self.reasons:
            counts = [[f"{count} rows" if count > 1 else "1 row", reason] for reason, count in self.reasons.items()]
            listed = "\n".join(f"  {count}: {reason}" for count, reason in counts[:MOST_LISTED])
            more = f"\n  and {len(counts) - MOST_LISTED} further reasons" if len(counts) > MOST_LISTED else ""
            text += f"\nWhy there is no answer\n{listed}{more}"
        return text


def summarise(records: Sequence[Record], table: Table, n_rows: int) -> AnswersSummary:
    """Count what records hold.

    Parameters
    ----------
    records : sequence of records
        See :func:`~elsewise.tools.files.answers.records_of`.
    table : Table
    n_rows : int
        Rows in the file.
    """
    firsts = [record["answers"][0] for record in records]
    found = [answer for answer in firsts if has_answer(answer["status"])]
    n_wrong = sum(answer["status"] == "error" for answer in firsts)
    times = Counter(name for answer in found for name in names_changed(answer, table))
    none = [answer for answer in firsts if not has_answer(answer["status"])]
    reasons = Counter(answer.get("obstacle", answer["reason"]) for answer in none)
    return AnswersSummary(
        rows=n_rows,
        finished=len(firsts),
        answered=len(found),
        optimal=sum(answer["status"] == "optimal" for answer in found),
        unchanged=sum(not answer["changes"] for answer in found),
        infeasible=len(firsts) - len(found) - n_wrong,
        wrong=n_wrong,
        answers=sum(len(record["answers"]) for record in records),
        median_distance=float(np.median([answer["distance"] for answer in found])) if found else None,
        median_changes=float(np.median([len(answer["changes"]) for answer in found])) if found else None,
        changed={name: count / len(found) for name, count in times.most_common()},
        reasons=dict(reasons.most_common()),
    )
