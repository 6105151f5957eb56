"""What ``elsewise explain`` says at its end: in words, and for machines.

Plain text in aligned columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ...arrays import JsonObject
from ...reasons import has_answer
from ...table import Table
from ...text.languages import plural, say
from ...text.numbers import number, percent
from ...text.words import column_word
from ..files.answers import Record, names_changed
from .arguments import MOST_LISTED


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
        Over the first answers of rows in which something changes.
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

    def to_mapping(self) -> JsonObject:
        """Return all of it as plain dicts and numbers."""
        return asdict(self)

    def __str__(self) -> str:
        rows = number(self.finished)
        if self.finished < self.rows:
            rows = say("reasons.count", n=rows, total=number(self.rows))
        proven = say("summary.proven", n=number(self.optimal))
        lines = [("rows", rows), ("answered", f"{number(self.answered)} ({proven})")]
        if self.unchanged:
            lines.append(("unchanged", number(self.unchanged)))
        lines.append(("infeasible", number(self.infeasible)))
        if self.wrong:
            lines.append(("wrong", number(self.wrong)))
        if self.answers > self.finished:
            lines.append(("answers", number(self.answers)))
        if self.median_distance is not None and self.median_changes is not None:
            lines.append(("distance", number(self.median_distance)))
            lines.append(("changes", number(self.median_changes)))
        often = [f"{column_word(name)} {percent(share)}" for name, share in list(self.changed.items())[:MOST_LISTED]]
        if often:
            lines.append(("changed", ", ".join(often)))
        lines = [(say(f"summary.{key}"), stated) for key, stated in lines]
        width = max(len(name) for name, _ in lines)
        text = "\n".join(f"  {name:<{width}}   {stated}" for name, stated in lines)
        if self.reasons:
            counts = list(self.reasons.items())[:MOST_LISTED]
            listed = "\n".join(f"  {plural('summary.count', count)}: {reason}" for reason, count in counts)
            n_more = len(self.reasons) - len(counts)
            more = f"\n  {say('and more', n=n_more)}" if n_more else ""
            text += f"\n{say('summary.why')}\n{listed}{more}"
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
    moved = [answer for answer in found if answer["changes"]]
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
        median_distance=float(np.median([answer["distance"] for answer in moved])) if moved else None,
        median_changes=float(np.median([len(answer["changes"]) for answer in moved])) if moved else None,
        changed={name: count / len(found) for name, count in times.most_common()},
        reasons=dict(reasons.most_common()),
    )


def aligned(lines: Sequence[Sequence[str]], *, indent: int = 2, gap: int = 3) -> str:
    """Align cells: the first column to the left, the others to the right.

    Parameters
    ----------
    lines : sequence of sequences of str
        Cells of each line; shorter lines end early.
    indent, gap : int
        Spaces before the first column, and between columns.
    """
    n_columns = max((len(line) for line in lines), default=0)
    widths = [max((len(line[j]) for line in lines if j < len(line)), default=0) for j in range(n_columns)]
    return "\n".join(
        (
            " " * indent
            + (" " * gap).join(
                cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in enumerate(zip(line, widths))
            )
        ).rstrip()
        for line in lines
    )
