"""Reason codes in CSV files: a line a column and direction, with a code and its text in each language."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

from ...answers import ReasonCode
from ...errors import InvalidInputError
from ...text.languages import LANGUAGES

_KEYS = ("column", "direction", "code")


def read_reason_codes(path: str | PathLike[str]) -> dict[tuple[str, str], ReasonCode]:
    """Read the codes that reasons have elsewhere.

    Parameters
    ----------
    path : path of a CSV file in UTF-8
        With the header ``column,direction,code`` and a further column for each language: ``en``, ``de``. Directions are
        ``too high``, ``too low`` and ``other``.

    Returns
    -------
    dict of (column, direction) to ReasonCode
        For ``Explainer(reason_codes=...)`` and :meth:`elsewise.Explainer.reasons`.
    """
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        lines = csv.DictReader(file)
        header = [str(name).strip() for name in lines.fieldnames or ()]
        unknown = [name for name in header if name not in (*_KEYS, *LANGUAGES)]
        if unknown or not set(_KEYS) <= set(header):
            raise InvalidInputError(
                f"{path}: expected the header column,direction,code and languages out of {', '.join(LANGUAGES)}; "
                f"received {','.join(header)}."
            )
        lines.fieldnames = header
        codes: dict[tuple[str, str], ReasonCode] = {}
        for number, line in enumerate(lines, start=2):
            cells = {name: (line.get(name) or "").strip() for name in header}
            key = (cells["column"], cells["direction"])
            if None in line or not all(cells.values()):
                raise InvalidInputError(f"{path}: line {number}: expected a value for each of {','.join(header)}.")
            if key in codes:
                raise InvalidInputError(f"{path}: line {number}: {key!r} has a code already.")
            codes[key] = ReasonCode(cells["code"], {name: cells[name] for name in header if name in LANGUAGES})
    if not codes:
        raise InvalidInputError(f"{path}: there are no codes in it.")
    return codes
