"""Text in CSV cells that spreadsheets would run as a formula: disarmed when written, and read back as it was.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break gets an apostrophe before it, as the OWASP
page on CSV injection has it. Text that is nothing but a number is left alone: it computes nothing. So that every text
comes back exactly, a text that already has apostrophes before such a character gets one more, and reading takes one
away.
"""

from __future__ import annotations

import re

_DANGEROUS = re.compile(r"'*[=+\-@\t\r\n]")
_DISARMED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE)


def disarmed(text: str) -> str:
    """Write a text so that no spreadsheet takes it for a formula; :func:`as_written` is the inverse.

    >>> disarmed("=1+1"), disarmed("-2.5"), disarmed("plain"), disarmed("'=1+1")
    ("'=1+1", '-2.5', 'plain', "''=1+1")
    """
    return f"'{text}" if _DANGEROUS.match(text) and not _NUMBER.fullmatch(text) else text


def as_written(cell: str) -> str:
    """Read a cell back as the text it was before :func:`disarmed`.

    >>> as_written("'=1+1"), as_written("-2.5"), as_written("'tis"), as_written("''=1+1")
    ('=1+1', '-2.5', "'tis", "'=1+1")
    """
    return cell[1:] if cell[:1] == "'" and _DISARMED.match(cell) else cell
