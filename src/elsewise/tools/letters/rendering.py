"""Letters as text and as HTML pages: placeholders filled in once, and everything escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from ...text.languages import language, say
from ...text.words import clean
from .facts import Listed
from .templates import LISTS, LetterTemplate, Placeholders, list_in, paragraphs

# Columns of a letter as plain text.
TEXT_WIDTH = 78

_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
{style}</style></head>
<body>
{body}
<footer>{footer}</footer>
</body>
</html>
"""


def text_of_letter(template: LetterTemplate, values: Mapping[str, str | Listed], footer: tuple[str, ...]) -> str:
    """Fill in a text template as plain text."""
    parts = []
    for paragraph in paragraphs(template.source):
        listed = list_in(paragraph)
        if listed is not None:
            parts.append(_text_of_list(_list(values, listed)))
        elif paragraph.startswith(("# ", "## ")):
            heading = "\n".join(_lines(paragraph.lstrip("# "), values))
            mark = "=" if paragraph.startswith("# ") else "-"
            parts.append(f"{heading}\n{mark * max(map(len, heading.splitlines()))}")
        elif paragraph.startswith("- "):
            items = (_one_line(item, values) for item in paragraph.removeprefix("- ").split("\n- "))
            parts.append(_text_of_list(Listed("", tuple(items))))
        else:
            parts.append("\n".join(_wrapped(line) for line in _lines(paragraph, values)))
    return "\n\n".join([part for part in parts if part.strip()] + ["\n".join(("-" * TEXT_WIDTH, *footer))]) + "\n"


def html_of_letter(template: LetterTemplate, values: Mapping[str, str | Listed], footer: tuple[str, ...]) -> str:
    """Fill in a template as an HTML page that loads nothing, in the language that is spoken."""
    ending = "<br>".join(escape(line) for line in footer)
    if template.is_html:
        filled = Placeholders(template.source).substitute(
            {
                name: _html_of_list(value) if isinstance(value, Listed) else _safe(value)
                for name, value in values.items()
            }
        )
        before, mark, after = filled.rpartition("</body>")
        return f"{before}<footer>{ending}</footer>\n{mark}{after}" if mark else f"{filled}\n<footer>{ending}</footer>\n"
    body = [_html_of_paragraph(paragraph, values) for paragraph in paragraphs(template.source)]
    return _PAGE.format(
        language=language(),
        title=escape(say("letter.page")),
        style=files(__package__).joinpath("included", "letter.css").read_text(encoding="utf-8"),
        body="\n".join(part for part in body if part),
        footer=ending,
    )


def _html_of_paragraph(paragraph: str, values: Mapping[str, str | Listed]) -> str:
    listed = list_in(paragraph)
    if listed is not None:
        return _html_of_list(_list(values, listed))
    for mark, tag in (("## ", "h2"), ("# ", "h1")):
        if paragraph.startswith(mark):
            return f"<{tag}>{_html_lines(paragraph.removeprefix(mark), values)}</{tag}>"
    if paragraph.startswith("- "):
        items = (_one_line(item, values) for item in paragraph.removeprefix("- ").split("\n- "))
        return _html_of_list(Listed("", tuple(items)))
    lines = _html_lines(paragraph, values)
    return f"<p>{lines}</p>" if lines else ""


def _html_lines(paragraph: str, values: Mapping[str, str | Listed]) -> str:
    return "<br>".join(escape(line) for line in _lines(paragraph, values))


def _html_of_list(listed: Listed) -> str:
    items = "".join(f"<li>{_safe(item)}</li>" for item in listed.items)
    intro = f"<p>{_safe(listed.intro)}</p>" if listed.intro else ""
    return f"{intro}<ul>{items}</ul>" if items else intro


def _text_of_list(listed: Listed) -> str:
    items = [
        textwrap.fill(f"  - {clean(item)}", TEXT_WIDTH, subsequent_indent="    ", break_on_hyphens=False)
        for item in listed.items
    ]
    return "\n".join([*([_wrapped(clean(listed.intro))] if listed.intro else []), *items])


def _lines(paragraph: str, values: Mapping[str, str | Listed]) -> list[str]:
    """Fill in a paragraph: lines that end in a backslash, and those of values, stay lines; the others flow."""
    joined = " ".join(line.strip() for line in paragraph.replace("\\\n", "\0").splitlines())
    scalars = {name: value for name, value in values.items() if name not in LISTS and isinstance(value, str)}
    filled = Placeholders(joined).substitute({name: value.replace("\0", "") for name, value in scalars.items()})
    return [clean(line) for line in filled.replace("\0", "\n").splitlines() if line.strip()]


def _one_line(text: str, values: Mapping[str, str | Listed]) -> str:
    return " ".join(_lines(text, values))


def _wrapped(line: str) -> str:
    return textwrap.fill(line, TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)


def _list(values: Mapping[str, str | Listed], name: str) -> Listed:
    value = values[name]
    assert isinstance(value, Listed)
    return value


def _safe(value: str) -> str:
    return "<br>".join(escape(clean(line)) for line in value.splitlines() if line.strip())
