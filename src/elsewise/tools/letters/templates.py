"""Templates of letters: text with placeholders and nothing that could run.

A template is a text: ``# `` begins the title, ``## `` a heading, ``- `` an item of a list, an empty line a new
paragraph; a line that ends in a backslash is kept as a line. Or it is an HTML page. Placeholders are ``$name`` or
``${name}``; two dollar signs are one. Those that stand for lists need a paragraph of their own.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Collection
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib.resources import files
from os import PathLike
from pathlib import Path

from ...errors import InvalidInputError

# What every letter can tell; all other placeholders are fields of the caller.
SCALARS = ("date", "reference", "decision", "target", "proof", "typical")
LISTS = ("reasons", "changes", "data")
INCLUDED = ("adverse-action", "gdpr")
SUFFIXES = (".txt", ".html")


class Placeholders(string.Template):
    """Text with placeholders of small ASCII letters, digits and underscores."""

    idpattern = r"(?a:[a-z][a-z0-9_]*)"
    flags = re.RegexFlag(0)


@dataclass(frozen=True, slots=True)
class LetterTemplate:
    """A template that was read and checked.

    Attributes
    ----------
    name : str
    source : str
    is_html : bool
        An HTML page; else text, of which a page is made, too.
    """

    name: str
    source: str
    is_html: bool

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Names of the placeholders, in order."""
        return tuple(Placeholders(self.source).get_identifiers())

    @property
    def sha256(self) -> str:
        """SHA-256 of the template."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def check_fields(self, fields: Collection[str]) -> None:
        """Raise if a placeholder is neither standard nor a field, or a field is no placeholder."""
        known = (*SCALARS, *LISTS)
        unknown = [name for name in self.placeholders if name not in known and name not in fields]
        if unknown:
            listed = ", ".join(f"${name}" for name in unknown)
            raise InvalidInputError(
                f"template {self.name}: unknown placeholder {listed}. Expected one of "
                f"{', '.join(f'${name}' for name in known)}, or a field with a value: fields={{{unknown[0]!r}: ...}}."
            )
        for name in fields:
            if name in known or name not in self.placeholders:
                what = "is filled in by the letter itself" if name in known else "is no placeholder of the template"
                raise InvalidInputError(f"fields: {name!r} {what} {self.name}. Leave it out.")


def read_template(template: str | PathLike[str], language: str) -> LetterTemplate:
    """Read a template: one of those included, by name, or a file.

    Raises
    ------
    InvalidInputError
        If there is none, or if it cannot be used: a dollar sign that is no placeholder, a list within a paragraph, a
        script or a placeholder within a tag of HTML.
    """
    if template in INCLUDED:
        source = files(__package__).joinpath("included", f"{template}.{language}.txt").read_text(encoding="utf-8")
        return _checked(LetterTemplate(str(template), source, is_html=False))
    path = Path(template)
    if path.suffix.lower() not in SUFFIXES or not path.is_file():
        raise InvalidInputError(
            f"template: expected {', '.join(map(repr, INCLUDED))} or a file ending in {' or '.join(SUFFIXES)}, "
            f"received {str(template)!r}."
        )
    try:
        source = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"template {path}: expected text in UTF-8 ({error}).") from error
    return _checked(LetterTemplate(path.name, source, path.suffix.lower() == ".html"))


def _checked(template: LetterTemplate) -> LetterTemplate:
    for match in Placeholders.pattern.finditer(template.source):
        if match["invalid"] is not None:
            line = template.source.count("\n", 0, match.start()) + 1
            raise InvalidInputError(
                f"template {template.name}: a dollar sign in line {line} begins no placeholder. Write $$ for a dollar "
                "sign, and names of placeholders in small letters."
            )
    if template.is_html:
        check = _TagCheck(template.name)
        check.feed(template.source)
        check.close()
        return template
    for paragraph in paragraphs(template.source):
        inside = [name for name in LISTS if name in Placeholders(paragraph).get_identifiers()]
        if inside and list_in(paragraph) is None:
            raise InvalidInputError(
                f"template {template.name}: ${inside[0]} is a list: give it a paragraph of its own."
            )
    return template


def paragraphs(source: str) -> list[str]:
    """Split a text template into its paragraphs."""
    return [part for part in re.split(r"\n\s*\n", source.strip()) if part.strip()]


def list_in(paragraph: str) -> str | None:
    """Return the list that a paragraph consists of, None if it is something else."""
    name = paragraph.strip().removeprefix("$").strip("{}")
    return name if name in LISTS and paragraph.strip().startswith("$") else None


class _TagCheck(HTMLParser):
    """Refuses HTML that could run something, and placeholders anywhere but in the text."""

    def __init__(self, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self.name = name
        self.within = ""

    def close(self) -> None:
        if "<" in self.rawdata:
            self._refuse("a tag does not end")
        super().close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.within = tag if tag in ("script", "style") else ""
        if tag in ("script", "iframe", "object", "embed", "form"):
            self._refuse(f"<{tag}> is not allowed in a letter")
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self._refuse(f"the attribute {name} of <{tag}> could run something")
            self._check(value or "", f"in the attribute {name} of <{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within:
            self._check(data, f"within <{self.within}>")

    def handle_comment(self, data: str) -> None:
        self._check(data, "in a comment")

    def handle_decl(self, decl: str) -> None:
        self._check(decl, "in a declaration")

    def unknown_decl(self, data: str) -> None:
        self._refuse("a declaration that is not known")

    def handle_pi(self, data: str) -> None:
        self._refuse("a processing instruction is not allowed in a letter")

    def _check(self, text: str, where: str) -> None:
        if Placeholders(text).get_identifiers():
            self._refuse(f"a placeholder {where}: they belong in the text")

    def _refuse(self, what: str) -> None:
        raise InvalidInputError(f"template {self.name}: {what} (line {self.getpos()[0]}).")
