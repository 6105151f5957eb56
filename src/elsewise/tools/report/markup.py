"""Pieces of HTML that every part of the report uses.

Words, bars and tables are those of notebooks (:mod:`elsewise.text.markup`); only a whole document needs the others.
Whatever comes from the user's data is a :class:`~elsewise.text.words.Word` or goes through :func:`escaped`.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ...text.languages import plural, say
from ...text.markup import Heading, bar, html_of_word, html_of_words, of_numbers, safe, table
from ...text.numbers import number

# Relative; distances and densities are sums of many terms, and may have gone through a file: how far two computations
# of the same one may be apart.
ROUNDING = 1e-9

# Characters of a text of the user's own, of a rule, of a reason, of a title on the page and in the window, of a
# transformer's name, and of a level or label.
LONGEST_TEXT, LONGEST_RULE, LONGEST_REASON = 4000, 600, 1000
LONGEST_TITLE, LONGEST_WINDOW_TITLE, LONGEST_STEP, LONGEST_LEVEL = 400, 200, 200, 48

# Rules from the training rows that are listed: the most surprising come first.
MOST_FOUND_RULES = 40
MOST_CHANGING_COLUMNS, MOST_OBSTACLES, MOST_MOVES, MOST_FAILED = 25, 12, 12, 20


__all__ = [
    "Heading",
    "bar",
    "counted",
    "details",
    "escaped",
    "html_of_word",
    "html_of_words",
    "items",
    "of_numbers",
    "paragraph",
    "paragraphs",
    "point",
    "section",
    "table",
    "texts",
    "wide",
]


def escaped(text: str, longest: int = LONGEST_TEXT) -> str:
    """Text of any origin as HTML: on one line, spelt out where it does not print, shortened, escaped."""
    return safe(text, longest)


def section(name: str, heading: str, parts: Iterable[str]) -> str:
    """Make a part of the document with its heading; ``heading`` is HTML already."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading"><h2 id="{name}-heading">{heading}</h2>\n'
        + "\n".join(part for part in parts if part)
        + "\n</section>"
    )


def paragraph(text: str, name: str = "") -> str:
    """Plain text as a paragraph, if there is any."""
    mark = f' class="{name}"' if name else ""
    return f"<p{mark}>{escaped(text)}</p>" if text else ""


def paragraphs(text: str) -> str:
    """Plain text of several lines; an empty line begins another paragraph."""
    blocks = [block.strip() for block in text.replace("\r\n", "\n").split("\n\n")]
    return "".join(paragraph(block) for block in blocks if block)


def items(lines: Iterable[str], name: str = "") -> str:
    """List of lines that are HTML already."""
    mark = f' class="{name}"' if name else ""
    return f"<ul{mark}>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def details(summary: str, body: str, *, is_open: bool = False, on_paper: bool = True) -> str:
    """Something to be opened, and perhaps printed in any case; both texts are HTML already."""
    mark = ' class="on-paper"' * on_paper
    return f"<details{mark}{' open' * is_open}><summary>{summary}</summary>{body}</details>"


def wide(content: str, label: str) -> str:
    """Room for a table that may be wider than the screen: it scrolls by itself, also by keyboard."""
    return f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">{content}</div>'


def counted(key: str, count: int, **parts: object) -> str:
    """Return a text of the report that goes with a count, as HTML."""
    return escaped(plural(f"report.{key}", count, n=number(count), **parts))


def texts(*keys: str) -> list[str | Heading]:
    """Return texts of the report, as what stands above columns of text; a star marks a column of numbers."""
    stated = [(say(f"report.{key.lstrip('*')}"), key) for key in keys]
    return [of_numbers(text) if key.startswith("*") else text for text, key in stated]


def point(key: str, *more: str) -> str:
    """Return a text of the report after its title in bold, as HTML, with sentences that follow it."""
    sentences = [say(f"report.{key} text"), *more]
    return f"<strong>{escaped(say(f'report.{key}'))}</strong> {escaped(' '.join(sentences))}"
