"""Columns that enter an ONNX graph, and the encoders of categories that it begins with.

Behind encoders a graph works on *graph columns*: the inputs that are numbers, then a column for each category of a
OneHotEncoder, or of codes for a LabelEncoder, in the order in which these are met. A fitted transformer of scikit-learn
makes the same of rows, so that what is known of pipelines holds for graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ...arrays import AnyArray, FloatArray, JsonObject, ReadObject, UserValue
from ...errors import UnsupportedModelError
from .columns import ColumnChain


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of text, which only encoders take.

    Attributes
    ----------
    place : int
        Position of the input column.
    """

    place: int


@dataclass(frozen=True, slots=True)
class GraphEncoder:
    """An encoder of one input column: one-hot, or codes 0, 1, ..."""

    place: int
    categories: tuple[UserValue, ...]
    is_one_hot: bool
    takes_unknown: bool
    unknown_code: float = -1.0

    @property
    def values(self) -> AnyArray:
        """The categories, of text as objects."""
        return np.array(self.categories, dtype=object if isinstance(self.categories[0], str) else None)


class GraphColumns:
    """The inputs of a graph and its encoders.

    Parameters
    ----------
    inputs : sequence of (str, int, bool)
        Name, number of columns, and whether these are text.

    Attributes
    ----------
    of_inputs : dict of str to tuple of ColumnChain or TextColumn
    numbers : list of int
        Positions of input columns that are numbers.
    encoders : list of GraphEncoder
    n_inputs, n_columns : int
        Number of input columns and of graph columns.
    """

    def __init__(self, inputs: Sequence[tuple[str, int, bool]]) -> None:
        self.of_inputs: JsonObject = {}
        self.numbers: list[int] = []
        self.encoders: list[GraphEncoder] = []
        self.n_inputs = 0
        for name, width, is_text in inputs:
            places = range(self.n_inputs, self.n_inputs + width)
            if is_text:
                self.of_inputs[name] = tuple(TextColumn(place) for place in places)
            else:
                first = len(self.numbers)
                self.of_inputs[name] = tuple(ColumnChain(first + k) for k in range(width))
                self.numbers += places
            self.n_inputs += width
        self.n_columns = len(self.numbers)

    def one_hot(self, column: ColumnChain | TextColumn, attributes: ReadObject) -> tuple[ColumnChain, ...]:
        """Put down a OneHotEncoder of a column."""
        values = _values(attributes, "cats")
        self._add(GraphEncoder(self._place(column), values, True, bool(attributes.get("zeros", 1))), len(values))
        return tuple(ColumnChain(self.n_columns - len(values) + k) for k in range(len(values)))

    def codes(self, column: ColumnChain | TextColumn, attributes: ReadObject) -> tuple[ColumnChain, ...]:
        """Put down a LabelEncoder of a column, whose codes must be 0, 1, ..."""
        keys, codes = _values(attributes, "keys"), _values(attributes, "values")
        if codes != tuple(range(len(keys))):
            raise UnsupportedModelError("A LabelEncoder of a column is read if its codes are 0, 1, ...")
        default = attributes.get("default_float", attributes.get("default_int64", -1))
        self._add(GraphEncoder(self._place(column), keys, False, True, float(default)), 1)
        return (ColumnChain(self.n_columns - 1),)

    def _place(self, column: ColumnChain | TextColumn) -> int:
        if isinstance(column, TextColumn):
            return column.place
        if column.operations or column.place >= len(self.numbers):
            raise UnsupportedModelError("An encoder of categories is read if it takes an input column as it is.")
        return self.numbers[column.place]

    def _add(self, encoder: GraphEncoder, width: int) -> None:
        self.encoders.append(encoder)
        self.n_columns += width

    def transformer(self) -> ColumnTransformer:
        """Return the transformer of scikit-learn that makes graph columns of input columns."""
        steps: list[tuple[str, Any, list[int]]] = [("numbers", "passthrough", self.numbers)]
        example = np.zeros((max([1, *(len(one.categories) for one in self.encoders)]), self.n_inputs), dtype=object)
        for number, one in enumerate(self.encoders):
            example[:, one.place] = np.resize(one.values, len(example))
            steps.append((f"encoder {number}", _encoder(one), [one.place]))
        fitted = ColumnTransformer(steps, sparse_threshold=0.0).fit(example)
        for number, one in enumerate(self.encoders):  # not as the objects that the example holds
            fitted.named_transformers_[f"encoder {number}"].categories_ = [one.values]
        return fitted

    def rows(self, n_rows: int, cuts: Sequence[FloatArray]) -> Any:
        """Make rows of input columns: numbers on cuts and beside them, random categories; object array if any are text.

        Parameters
        ----------
        n_rows : int
        cuts : sequence of arrays, one for each graph column
        """
        rng = np.random.default_rng(0)
        rows = np.zeros((n_rows, self.n_inputs), dtype=object if self.encoders else np.float64)
        for place, cuts_of_column in zip(self.numbers, cuts):
            if len(cuts_of_column):
                rows[:, place] = rng.choice(
                    np.concatenate([cuts_of_column, np.nextafter(cuts_of_column, np.inf)]), n_rows
                )
        for one in self.encoders:
            rows[:, one.place] = rng.choice(one.values, n_rows)
        return rows


def _encoder(one: GraphEncoder) -> Any:
    categories = [one.values]
    if one.is_one_hot:
        unknown = "ignore" if one.takes_unknown else "error"
        return OneHotEncoder(categories=categories, handle_unknown=unknown, sparse_output=False)
    return OrdinalEncoder(
        categories=categories, handle_unknown="use_encoded_value", unknown_value=int(one.unknown_code)
    )


def _values(attributes: ReadObject, what: str) -> tuple[Any, ...]:
    """Values of an attribute that is written as text, whole numbers or fractions."""
    for of in ("strings", "int64s", "floats"):
        if attributes.get(f"{what}_{of}"):
            found = attributes[f"{what}_{of}"]
            return tuple(one.decode() if isinstance(one, bytes) else one for one in found)
    raise UnsupportedModelError("An encoder of categories is read if its categories are text or numbers.")
