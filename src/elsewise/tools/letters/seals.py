"""Seals: the SHA-256 that a letter carries of itself, and the versions of what it was made with.

The seal is the checksum of the letter with zeros in its place. It finds accidents and careless edits; who wants to
forge a letter can compute it. The audit trail tells which letters were written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

_MARK = "sha256:"
_EMPTY = _MARK + "0" * 64
_SEAL = re.compile(rf"{_MARK}([0-9a-f]{{64}})")
_VERSION = re.compile(r"\b(model|explainer|rules|template):([0-9a-f]{16})\b")
# Hexadecimal digits of a version that a letter shows: no two models share them by accident.
DIGITS_SHOWN = 16


def footer_of(versions: Mapping[str, str], library: str) -> tuple[str, str]:
    """Return the last two lines of a letter: versions, and the place of the seal."""
    stated = " ".join(f"{name}:{digest[:DIGITS_SHOWN]}" for name, digest in versions.items())
    return f"{stated} elsewise:{library}", _EMPTY


def sealed(document: str) -> str:
    """Put the seal into a letter that ends with the lines of :func:`footer_of`."""
    place = document.rindex(_EMPTY)
    digest = hashlib.sha256(document.encode()).hexdigest()
    return f"{document[:place]}{_MARK}{digest}{document[place + len(_EMPTY) :]}"


def seal_of(document: str) -> str | None:
    """Return the seal that a letter carries, None if there is none."""
    found = _SEAL.findall(document)
    return found[-1] if found else None


def check_letter(document: str, versions: Mapping[str, str] | None = None) -> dict[str, bool]:
    """Check the seal of a letter, and that it was made with these versions.

    Parameters
    ----------
    document : str
        Text or HTML of a letter.
    versions : mapping of "model", "explainer", "rules" or "template" to SHA-256, optional
        Those of the ones at hand.

    Returns
    -------
    dict of str to bool
        What was checked, in words, and whether it holds.
    """
    seal = seal_of(document)
    place = document.rfind(f"{_MARK}{seal}")
    empty = f"{document[:place]}{_EMPTY}{document[place + len(_EMPTY) :]}"
    checks = {
        "the letter is as it was written": seal is not None and hashlib.sha256(empty.encode()).hexdigest() == seal
    }
    stated = dict(_VERSION.findall(document[:place] if seal else ""))
    for name, digest in (versions or {}).items():
        checks[f"it was made with this {name}"] = stated.get(name) == digest[:DIGITS_SHOWN]
    return checks
