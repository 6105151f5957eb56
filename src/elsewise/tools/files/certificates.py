"""Folders of certificates: one file an answer, named by its SHA-256, written by one command and checked by another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import elsewise_check

from ...answers import Explanations
from ...arrays import ReadObject
from ...proofs import Proof

SUFFIX = ".jsonl.gz"
# Shares by which a certificate may prove less than its answer says, and by which distances may differ.
LESS_PROVEN, SAME_DISTANCE = 2e-6, 1e-9


def save_certificates(answers: Explanations, folder: Path) -> None:
    """Write the certificates of answers into a folder; those that have none are left out."""
    folder.mkdir(exist_ok=True)
    for proof in answers.proofs:
        if proof is not None and not proof.reason:
            proof.save(folder / f"{proof.sha256}{SUFFIX}")


def is_checked(proof: Proof) -> bool:
    """Have a certificate checked by the separate program."""
    try:
        elsewise_check.check_lines(proof.lines)
    except elsewise_check.RefusedError:
        return False
    return True


def wrong_certificates(records: Sequence[ReadObject], folder: Path) -> tuple[int, tuple[int, ...]]:
    """Have the certificates of a trail's answers checked by the separate program.

    Returns
    -------
    n_checked : int
        Answers whose records tell of a certificate.
    failed : tuple of int
        Places of those whose certificate is absent, another, refused, or about something else.
    """
    failed, n_checked = [], 0
    for place, record in enumerate(records):
        stated = (record.get("proof") or {}).get("sha256")
        if stated is None:
            continue
        n_checked += 1
        if not _holds(record, folder / f"{Path(str(stated)).name}{SUFFIX}", str(stated)):
            failed.append(place)
    return n_checked, tuple(failed)


def _holds(record: ReadObject, path: Path, stated: str) -> bool:
    """Whether a file has the hash that is stated, is a certificate that holds, and is about the record's answer."""
    try:
        if elsewise_check.digest(str(path)) != stated:
            return False
        checker = elsewise_check.check_lines(elsewise_check.read_lines(str(path)))
    except (OSError, EOFError, UnicodeDecodeError, elsewise_check.RefusedError):
        return False
    if checker.status != record["status"]:
        return False
    if record["distance"] is None or checker.distance is None:
        return record["distance"] is None and checker.distance is None
    proven = float(checker.bound) >= float(record["lower_bound"]) * (1 - LESS_PROVEN)
    return proven and math.isclose(float(checker.distance), float(record["distance"]), rel_tol=SAME_DISTANCE)
