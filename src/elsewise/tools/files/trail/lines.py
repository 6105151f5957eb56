"""Lines of an audit trail as a whole: each tells its number and how many there are, so that one left out is missed.

Trails may be put one after the other in a file, in any order: lines that were written together carry the same ``id``.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import BoolArray
from .records import CHECKSUM, record_sha256

_PLACE = "trail"


def numbered(records: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give records that are written together their numbers, from 1 on, and new checksums.

    Parameters
    ----------
    records : sequence of records
        See :func:`~.trail.trail_records`.
    """
    own_id = hashlib.sha256("".join(record[CHECKSUM] for record in records).encode()).hexdigest()
    for line, record in enumerate(records, start=1):
        placed = {**record, _PLACE: {"id": own_id, "line": line, "lines": len(records)}}
        yield {**placed, CHECKSUM: record_sha256(placed)}


def has_neighbours(records: Sequence[Mapping[str, Any]]) -> BoolArray:
    """Whether the lines before and after each, as they were written, are there as well; shape (n_records,)."""
    told = [_place(record) for record in records]
    return _in_a_row([(place.get("id"), place.get("line"), place.get("lines")) for place in told])


def rows_have_neighbours(records: Sequence[Mapping[str, Any]], n_rows: int) -> BoolArray:
    """Whether the rows before and after each line's, of ``n_rows`` in all, are told of as well; shape (n_records,)."""
    rows = [record["row"] for record in records]
    return _in_a_row([("", row + 1 if isinstance(row, int) else None, n_rows) for row in rows])


def _place(record: Mapping[str, Any]) -> Mapping[str, Any]:
    told = record.get(_PLACE)
    return told if isinstance(told, Mapping) else {}


def _in_a_row(places: Sequence[tuple[Any, Any, Any]]) -> BoolArray:
    """Whether the numbers next to each are there, from 1 to the last, among those of the same key.

    Whoever edits a line may leave anything.
    """
    there: defaultdict[str, set[int]] = defaultdict(set)
    whole = [type(line) is int and type(last) is int and 1 <= line <= last for _, line, last in places]
    for (key, line, _), is_whole in zip(places, whole, strict=True):
        if is_whole:
            there[str(key)].add(line)
    held = np.zeros(len(places), dtype=np.bool_)
    for number in np.flatnonzero(whole).tolist():
        key, line, last = places[number]
        own = there[str(key)]
        held[number] = (line == 1 or line - 1 in own) and (line == last or line + 1 in own)
    return held
