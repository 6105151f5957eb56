"""Words: the parts of a sentence, with names and values made fit to be read.

Names and levels are the user's data and may hold anything. Here white space is made even, characters that do not print
(line breaks, terminal codes, marks that turn the direction of writing) are spelt out, and long levels and labels lose
their middle. Names of columns stay whole.
Nothing is escaped for HTML yet; :mod:`.markup` does that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any, Literal

from ..arrays import UserValue
from .languages import say, template, wording
from .numbers import FEW, LONGEST_LEVEL, LONGEST_WHOLE, MANY, number, rounded_down, shows_all_of, two_numbers

# Names made of these need no quotes in a sentence.
_HARMLESS = re.compile(r"\w([\w .()/%°²³#:+*-]*[\w)%])?")
# Labels that a model says rather than predicts.
_SAID = ("yes", "no", "ja", "nein")


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a sentence.

    Attributes
    ----------
    text : str
        Clean, and shortened for reading.
    kind : "words", "label", "column" or "value"
        What it is: words in between, something the model predicts, the name of a column, a value in one.
    whole : str
        Clean, but not shortened or rounded; empty if ``text`` is the whole.
    is_text : bool
        The label or value is a text rather than a number: it needs quotes where nothing else sets it apart.
    """

    text: str
    kind: Literal["words", "label", "column", "value"] = "words"
    whole: str = ""
    is_text: bool = False

    def __str__(self) -> str:
        if self.is_text or (self.kind == "column" and not _HARMLESS.fullmatch(self.text)):
            return quoted(self.text)
        return self.text


def clean(text: str) -> str:
    """Make white space even and spell out what does not print."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(c if c.isprintable() else _spelt_out(c) for c in text)


def shortened(text: str, longest: int = LONGEST_LEVEL) -> str:
    """Leave out the middle of a long text: names that differ often do so at their ends."""
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def plain(words: Iterable[Word]) -> str:
    """Join words to plain text."""
    return "".join(str(word) for word in words)


def fill(key: str, **parts: str | Word | Sequence[Word]) -> list[Word]:
    """Return a text of the catalogue as words, so that whoever shows them can set names, values and labels apart."""
    words: list[Word] = []
    for literal, name, _, _ in Formatter().parse(template(key)):
        words += [Word(literal)] if literal else []
        part = parts[name] if name else []
        words += [Word(part)] if isinstance(part, str) else [part] if isinstance(part, Word) else part
    return words


def joined(items: Sequence[Sequence[Word]], between: str = ", ", last: str | None = None) -> list[Word]:
    """Put words between items, other ones before the last if given."""
    words: list[Word] = []
    for place, item in enumerate(items):
        if place:
            words.append(Word(between if last is None or place < len(items) - 1 else last))
        words += item
    return words


def listed(items: Sequence[str], key: Literal["and", "or"]) -> str:
    """Write a list: "a, b and c"."""
    return items[0] if len(items) == 1 else say(key, first=", ".join(items[:-1]), last=items[-1])


def quoted(text: str) -> str:
    """Put quotes around a text, of the kind it does not contain."""
    if '"' not in text:
        return say("quoted", text=text)
    return f"'{text}'" if "'" not in text else '"' + text.replace('"', '\\"') + '"'


def column_word(name: str) -> Word:
    """Name of a column, as people call it."""
    label = wording().column(name).name
    word = _word(label or name, "column", is_text=False)
    return replace(word, whole=clean(name)) if label else word


def with_labels(message: str) -> str:
    """Put the labels of columns behind their names in an error: column 'bp' (blood pressure)."""

    def labelled(match: re.Match[str]) -> str:
        label = wording().column(match[1]).name
        return f"{match[0]} ({label})" if label else match[0]

    return re.sub(r"column '([^'\n]+)'", labelled, message)


def row_word(value: UserValue) -> Word:
    """Name or number of a row."""
    return replace(_value(value, True, FEW), is_text=False)


def value_words(
    before: UserValue, after: UserValue, *, is_level: bool = False, digits: int = FEW, column: str | None = None
) -> tuple[Word, Word]:
    """Two values of a column, written so that they differ if the values do.

    Parameters
    ----------
    before, after : number, level, or a missing value
    is_level : bool
        Numbers are names of levels: not to be rounded or grouped.
    digits : int
        Significant ones of a number, at least.
    column : str, optional
        The column: its unit follows numbers, and single values may have names.
    """
    label = wording().column(column)
    words = _value_words(before, after, is_level=is_level, digits=digits)
    named = [label.value(_plain(value)) for value in (before, after)]
    if label.unit and not is_level:
        words = _with_unit(words[0], before, label.unit), _with_unit(words[1], after, label.unit)
    return _named(words[0], named[0]), _named(words[1], named[1])


def _named(word: Word, name: str | None) -> Word:
    return word if name is None else Word(clean(name), "value", word.whole or word.text)


def _with_unit(word: Word, value: UserValue, unit: str) -> Word:
    return replace(word, text=f"{word.text} {clean(unit)}") if _is_measured(value) else word


def _value_words(before: UserValue, after: UserValue, *, is_level: bool, digits: int) -> tuple[Word, Word]:
    words = _value(before, is_level, digits), _value(after, is_level, digits)
    if _is_measured(before) and _is_measured(after) and not is_level:
        texts = two_numbers(_plain(before), _plain(after), digits)
        words = _number_word(texts[0], _plain(before)), _number_word(texts[1], _plain(after))
    if words[0].text == words[1].text and not is_missing(before) and not is_missing(after):
        if str(before) == str(after):
            return words
        first, second = (clean(repr(_plain(value))) for value in (before, after))  # white space or the middle differs
        return Word(first, "value"), Word(second, "value")
    return words


def label_word(label: UserValue, other: float | None = None, digits: int = MANY) -> Word:
    """Something a model predicts: a label, a number, or a range of numbers in words.

    Parameters
    ----------
    label : label, number or (low, high)
    other : float, optional
        A number it must not be mistaken for.
    digits : int
        Significant ones of a number, at least.
    """
    if isinstance(label, tuple):
        return Word(range_in_words(*label), "label")
    label = _plain(label)
    name = wording().outcome(label)
    if name is not None:
        return replace(_word(name, "label", is_text=True), whole=clean(str(label)))
    if isinstance(label, float):
        text = number(label, digits) if other is None else two_numbers(label, other, digits)[0]
        return _number_word(text, label, "label")
    if isinstance(label, (bool, int)):
        return Word(str(label), "label")
    return _word(str(label), "label", is_text=True)


def decision_words(
    label: UserValue,
    word: Word | None = None,
    *,
    form: Literal["decides", "decide", "deciding"] = "decides",
    least: float | None = None,
) -> list[Word]:
    """Describe what a model does: "says yes" if labels are yes and no, else 'predicts "good"'.

    Parameters
    ----------
    label : label, number or (low, high)
    word : Word, optional
        How to write it, if not as :func:`label_word` does.
    form : "decides", "decide" or "deciding"
        As in "the model predicts", "it would predict", "a row that makes it predict".
    least : float, optional
        Least probability of the label, which alone decides.
    """
    word = label_word(label) if word is None else word
    if least is not None:
        return fill(f"{form}.probability", label=word, least=rounded_down(float(least), FEW))
    if not isinstance(label, tuple):
        label = wording().outcome(_plain(label)) or label
    if isinstance(label, str) and label.casefold() in _SAID:
        return fill(f"{form}.say", label=Word(label, "label"))
    return fill(f"{form}.predict", label=word)


def status_word(status: str) -> str:
    """Write the status of an answer."""
    return say(f"status.{status}")


def range_in_words(low: float, high: float) -> str:
    """Write the range that a regressor's prediction is wanted in."""
    if low == -float("inf") and high == float("inf"):
        return say("range.any")
    if high == float("inf"):
        return say("range.least", low=number(low, MANY))
    if low == -float("inf"):
        return say("range.most", high=number(high, MANY))
    if low == high:
        return say("range.exact", low=number(low, MANY))
    first, second = two_numbers(low, high, MANY)
    return say("range.between", low=first, high=second)


def is_missing(value: UserValue) -> bool:
    """Whether a value is None, NaN, ``pandas.NA`` or ``pandas.NaT``."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(_plain(value), float) and _plain(value) != _plain(value)


def _value(value: UserValue, is_level: bool, digits: int) -> Word:
    value = _plain(value)
    if is_missing(value):
        return Word(say("missing"), "value")
    if isinstance(value, bool):
        return Word(say("yes" if value else "no"), "value")
    if isinstance(value, (int, float)):
        if is_level:  # codes: 10115 is no amount
            return Word(f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value), "value")
        return _number_word(number(value, digits), value)
    return _word(str(value), "value", is_text=True)


def _number_word(text: str, value: float, kind: Literal["label", "value"] = "value") -> Word:
    return Word(text, kind, "" if shows_all_of(text, value) else repr(value))


def _word(text: str, kind: Literal["label", "column", "value"], *, is_text: bool) -> Word:
    text = clean(text)
    short = text if kind == "column" else shortened(text)
    return Word(short, kind, "" if short == text else shortened(text, LONGEST_WHOLE), is_text)


def _is_measured(value: UserValue) -> bool:
    value = _plain(value)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not is_missing(value)


def _plain(value: UserValue) -> Any:
    return value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value


def _spelt_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
