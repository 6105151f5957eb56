"""Pieces of HTML: words, bars and tables, escaped.

Whatever comes from the user's data (names, levels, labels, reasons) is a :class:`.Word` or goes through :func:`safe`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from .languages import template
from .numbers import percent
from .words import Word, clean, shortened

_TAGS = {"label": "em", "column": "code", "value": "span", "words": "span"}


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a column of a table.

    Attributes
    ----------
    html : str
    is_of_numbers : bool
        The column's cells are numbers, to be aligned at the right.
    """

    html: str
    is_of_numbers: bool = False


def of_numbers(text: str) -> Heading:
    """Make the heading of a column of numbers, from plain text."""
    return Heading(escape(text), is_of_numbers=True)


def safe(text: str, longest: int | None = None) -> str:
    """Text of any origin as HTML: on one line, spelt out where it does not print, shortened if asked to, escaped."""
    text = clean(text)
    return escape(text if longest is None else shortened(text, longest))


def paragraph(text: str, name: str = "") -> str:
    """Plain text as a paragraph of a class, if there is any."""
    mark = f' class="{name}"' if name else ""
    return f"<p{mark}>{escape(text)}</p>" if text else ""


def html_of_words(words: Iterable[Word]) -> str:
    """Set names, values and labels of a sentence apart."""
    return "".join(html_of_word(word) for word in words)


def html_of_word(word: Word) -> str:
    """Set one word apart by its kind; the whole of a shortened one is its title."""
    text = escape(word.text)
    if word.kind == "words":
        return text
    text = escape(template("quoted")).format(text=text) if word.is_text and word.kind == "value" else text
    title = f' title="{escape(word.whole)}"' if word.whole else ""
    tag = _TAGS[word.kind]
    return text if tag == "span" and not title else f"<{tag}{title}>{text}</{tag}>"


def bar(share: float) -> str:
    """Draw a share as a bar that says its number to those who cannot see it."""
    return f'<span class="ew-bar" role="img" aria-label="{percent(share)}" title="{percent(share)}">' + (
        f'<span style="width:{100 * min(share, 1.0):.1f}%"></span></span>'
    )


def table(header: Sequence[str | Heading], rows: Sequence[Sequence[str]]) -> str:
    """Make a table.

    Parameters
    ----------
    header : sequence of plain texts or Headings
    rows : sequence of sequences of cells
        HTML already; the first cell names its row.
    """
    headings = [Heading(escape(each)) if isinstance(each, str) else each for each in header]
    marks = [' class="ew-number"' if heading.is_of_numbers else "" for heading in headings]
    head = "".join(f'<th scope="col"{mark}>{heading.html}</th>' for heading, mark in zip(headings, marks))
    lines = []
    for row in rows:
        first = f'<th scope="row"{marks[0]}>{row[0]}</th>'
        others = "".join(f"<td{mark}>{cell}</td>" for cell, mark in zip(row[1:], marks[1:]))
        lines.append(f"<tr>{first}{others}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
