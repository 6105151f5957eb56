"""The rows one by one: the sentence, the changes with their pictures, the certificate, and the row as it was."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...answers import Change, Explanation, Explanations
from ...answers.records import value_in
from ...errors import InvalidInputError
from ...proofs import Proof
from ...text.html import headings, sentence_html
from ...text.languages import say, template
from ...text.numbers import FEW, MANY, number, signed
from ...text.plain_text import certificate, remark_of
from ...text.sentence import change_words, name_of_row
from ...text.words import column_word, label_word, value_words
from ..files.certificates import SUFFIX, is_checked
from . import png
from .column_pictures import ColumnPictures
from .description import rows_of
from .markup import (
    Heading,
    bar,
    counted,
    details,
    escaped,
    html_of_word,
    paragraph,
    section,
    table,
    texts,
)

# Changes of a row with a picture of their own, the others are listed: at most, at least, and in all rows together.
MOST_PICTURES, FEWEST_PICTURES, MOST_PICTURES_IN_ALL = 12, 4, 6_000
# Values of all rows that are written out, for the sake of the file's size.
MOST_VALUES = 60_000
# Length in pixels of the longer side of an image, about.
IMAGE_SIDE = 112


@dataclass(frozen=True, slots=True)
class RowImages:
    """How rows are shown as images.

    Attributes
    ----------
    shape : (int, int)
        Height and width.
    low, high : float
        Values that are white and black: the range of the rows as they were.
    most : float
        Largest difference.
    """

    shape: tuple[int, int]
    low: float
    high: float
    most: float

    @classmethod
    def of(cls, explanations: Explanations, shape: object) -> RowImages:
        """Find the ranges of values and differences, or say why the rows are no images."""
        sizes = tuple(shape) if isinstance(shape, (tuple, list)) else ()
        if len(sizes) != 2 or not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
            raise InvalidInputError(
                f"image_shape: expected (height, width) in pixels, such as (8, 8), received {shape!r}."
            )
        names = explanations.table.names
        height, width = int(sizes[0]), int(sizes[1])
        if height * width != len(names):
            raise InvalidInputError(
                f"image_shape: {height} x {width} is {height * width} pixels, but the rows have {len(names)} columns."
            )
        if not explanations.table.is_identity:
            raise InvalidInputError(
                "image_shape: expected rows of nothing but numbers that the model uses, one a pixel; some of these "
                "columns are categories, have missing values, or are not used. Leave image_shape out."
            )
        before = np.asarray(explanations.x, dtype=np.float64)
        after = np.asarray(explanations.counterfactuals, dtype=np.float64)
        low, high = (float(before.min()), float(before.max())) if before.size else (0.0, 1.0)
        most = float(np.nanmax(np.abs(after - before), initial=0.0))
        return cls((height, width), low, high, most)

    def html(self, one: Explanation) -> str:
        """Before, after and difference side by side."""
        before = np.asarray(one.x, dtype=np.float64).reshape(self.shape)
        if one.status == "error":
            return ""
        shown = [(png.grey(before, self.low, self.high), _caption("now", one.prediction))]
        if one.found:
            after = np.asarray(one.counterfactual, dtype=np.float64).reshape(self.shape)
            shown.append((png.grey(after, self.low, self.high), _caption("then", one.target)))
            shown.append((png.difference(after - before, self.most), say("report.image difference")))
        height, width = self.shape
        scale = max(1, round(IMAGE_SIDE / max(height, width)))
        size = f'width="{width * scale}" height="{height * scale}"'
        return "".join(
            f'<figure><img src="{source}" {size} alt="{escaped(say("report.image of", what=stated))}">'
            f"<figcaption>{escaped(stated)}</figcaption></figure>"
            for source, stated in shown
        ).join(['<div class="images">', "</div>"])


def _caption(which: str, label: Any) -> str:
    return say(f"report.image {which}", label=label_word(label))


class RowWriter:
    """Writes the articles of rows.

    Parameters
    ----------
    explanations : Explanations
    pictures : ColumnPictures
    images : RowImages or None
    told : mapping of positions in the batch to parts of the page
        What is told of rows beside their answers.
    """

    def __init__(
        self,
        explanations: Explanations,
        pictures: ColumnPictures,
        images: RowImages | None,
        told: Mapping[int, Sequence[str]],
    ) -> None:
        self._explanations, self._pictures, self._images = explanations, pictures, images
        self._told = told
        self._places = {column.name: place for place, column in enumerate(explanations.table.columns)}
        rows = explanations.rows
        self._n_of_row = dict(zip(*(part.tolist() for part in np.unique(rows, return_counts=True))))
        starts = np.searchsorted(rows, rows) if len(rows) and (np.diff(rows) >= 0).all() else None
        self._turn = np.zeros(len(rows), dtype=np.int64) if starts is None else np.arange(len(rows)) - starts
        self._n_pictures = int(np.clip(MOST_PICTURES_IN_ALL // max(len(rows), 1), FEWEST_PICTURES, MOST_PICTURES))
        self._n_values = len(explanations) * len(explanations.table.columns)
        self._headings: dict[Any, str] = {}

    @property
    def has_images(self) -> bool:
        """Whether rows are shown as images."""
        return self._images is not None

    def name(self, place: int) -> str:
        """Name the row of an answer, as HTML."""
        name = html_of_word(name_of_row(self._explanations, place))
        n = self._n_of_row[int(self._explanations.rows[place])]
        turn = int(self._turn[place]) + 1
        return say("report.row answer", row=name, turn=turn, n=n) if n > 1 else say("report.row", row=name)

    def link(self, place: int) -> str:
        """Lead to an answer, as HTML."""
        return f'<a href="#r{place}">{self.name(place)}</a>'

    def article(self, place: int) -> str:
        """Everything about one answer."""
        one = self._explanations[place]
        changes = one.changes
        distance = repr(one.distance) if one.found else ""  # read by the script
        parts = [
            f'<article id="r{place}" data-s="{one.status}" data-d="{distance}" data-n="{len(changes)}">'
            f'<h3><a href="#r{place}">{self.name(place)}</a> {self._badges(one, changes)}</h3>',
            sentence_html(one, are_pixels=self._images is not None),
        ]
        if self._images is not None:
            parts.append(self._images.html(one))
            parts.append(self._listed(changes, "changes"))
        elif changes:
            parts.append(self._table(one, changes[: self._n_pictures]))
            parts.append(self._listed(changes[self._n_pictures :], "more changes"))
        parts.append(paragraph(say("report.certificate", certificate=certificate(one)), "ew-certificate"))
        parts.append("" if one.proof is None else _proof_html(one.proof))
        parts.append(paragraph(remark_of(one), "ew-note"))
        row = int(self._explanations.rows[place])
        if self._turn[place] == 0:  # they are about the row's first answer
            parts += self._told.get(row, ())
        if self._images is None and self._n_values <= MOST_VALUES:
            parts.append(self._row(one))
        return "".join(parts) + "</article>"

    def _badges(self, one: Explanation, changes: tuple[Change, ...]) -> str:
        stated = f'<span class="badge s-{one.status}">{escaped(say(f"app.badge {one.status}"))}</span>'
        if not one.found:
            return stated
        count = say("short.nothing") if not changes else counted("changes", len(changes))
        aside = say("report.aside", distance=number(one.distance, FEW), changes=count)
        return f'{stated} <span class="aside">{aside}</span>'

    def _table(self, one: Explanation, changes: tuple[Change, ...]) -> str:
        total = float(np.abs(one.shares[one.changed]).sum())
        rows = []
        for change in changes:
            before, after = change_words(change, MANY)
            rows.append(
                [
                    html_of_word(column_word(change.feature)),
                    html_of_word(before),
                    html_of_word(after),
                    "" if change.difference is None else escaped(signed(change.difference, FEW)),
                    bar(abs(change.cost) / total if total > 0 else 0.0),
                    self._pictures.cell(one.target, self._places[change.feature], change.before, change.after),
                ]
            )
        header = [*headings("column", "now", "then", "*difference"), *texts("head share")]
        return table([*header, Heading(self._among(one.target))], rows)

    def _among(self, target: Any) -> str:
        label = self._pictures.label_of(target)
        if label not in self._headings:
            self._headings[label] = say("report.head among", cases=rows_of(label))
        return self._headings[label]

    def _listed(self, changes: tuple[Change, ...], what: str) -> str:
        """List changes in a line each without pictures, to be opened."""
        if not changes:
            return ""
        stated = []
        for change in changes:
            before, after = change_words(change, MANY)
            stated.append(f"{html_of_word(column_word(change.feature))} {html_of_word(before)} → {html_of_word(after)}")
        body = f'<p class="values">{"; ".join(stated)}</p>'
        return details(counted(what, len(changes)), body)

    def _row(self, one: Explanation) -> str:
        """Write all values of the row, to be opened."""
        stated = []
        for column in one.table.columns:
            value = value_in(one.table, column, one.x)
            is_level = column.kind in ("category", "ordinal")
            word = value_words(value, value, is_level=is_level, digits=MANY, column=column.name)[0]
            stated.append(f"{html_of_word(column_word(column.name))} {html_of_word(word)}")
        body = f'<p class="values">{"; ".join(stated)}</p>'
        return details(say("report.whole row"), body, on_paper=False)


def _how_to_read() -> str:
    """Return how the part about a row is read, as HTML."""
    pictures = say("report.how to read pictures", marks=ColumnPictures.key())
    lead, captions = escaped(say("report.how to read")), escaped(say("report.how to read captions"))
    return f'{lead} <span class="legend">{pictures}</span> {captions}'


def _tools() -> str:
    """Return the fields that find, filter and order rows, as HTML."""
    shown = {"": "all", "optimal": "", "feasible": "", "densest": "", "infeasible": "infeasible"}
    shown |= {"unknown": "unknown", "error": "error"}
    statuses = {value: say(f"report.show {key}" if key else f"app.badge {value}") for value, key in shown.items()}
    orders = {value: say(f"report.order {value or 'given'}") for value in ("", "near", "far", "few")}

    def choice(label: str, name: str, options: dict[str, str]) -> str:
        lines = (f'<option value="{value}">{escaped(text)}</option>' for value, text in options.items())
        return f'<label>{escaped(say(label))} <select name="{name}">{"".join(lines)}</select></label>'

    hint = escaped(say("report.find hint"))
    find = f'<label>{escaped(say("report.find"))} <input type="search" name="find" placeholder="{hint}"></label>'
    of = f'<output aria-live="polite" data-of="{escaped(template("reasons.count"))}"></output>'
    choices = choice("report.show", "status", statuses) + choice("report.order", "order", orders)
    return f'<form class="tools" hidden>{find}{choices}{of}</form>'


def rows_section(writer: RowWriter, n_answers: int, *, is_one_row: bool) -> str:
    """All rows, with what helps to find one if there are several."""
    if n_answers == 0:
        return ""
    articles = "\n".join(writer.article(place) for place in range(n_answers))
    if is_one_row:
        return section("rows", say("report.would have to change"), [f'<div id="articles">\n{articles}\n</div>'])
    lead = escaped(say("report.how to read images")) if writer.has_images else _how_to_read()
    return section(
        "rows", say("report.row by row"), [f"<p>{lead}</p>", _tools(), f'<div id="articles">\n{articles}\n</div>']
    )


def _proof_html(proof: Proof) -> str:
    """Say whether the separate program accepts a proof, and offer it as a file."""
    if proof.reason:
        return paragraph(say("report.proof none"), "ew-certificate")
    said = say("report.proof checked" if is_checked(proof) else "report.proof refused", sha256=proof.sha256)
    data = base64.b64encode(proof.packed).decode()
    name, link = f"{proof.sha256}{SUFFIX}", escaped(say("report.proof file"))
    return (
        f'<p class="ew-certificate">{escaped(said)} '
        f'<a download="{name}" href="data:application/gzip;base64,{data}">{link}</a></p>'
    )
