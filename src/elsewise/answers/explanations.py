"""Answers of many rows: a sequence of explanations, and their arrays.

Answers own their arrays and never look back at the explainer that made them. What an answer holds is described once, by
the fields of :class:`Explanations`: each says what it is called in a single :class:`Explanation`, how one entry of it
is read, and whether tables show it. Picking, joining, frames, records and the single explanation follow from that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError
from ..proofs import Proof
from ..reasons import WITHOUT_ANSWER, Reason
from ..table import Table
from ..table.frames import as_table, in_form_of, is_foreign, is_frame, row_of, rows_of
from ..text import headline_of_many, html_of_explanations, reason_in_words, speaking, text_of_explanations
from .explanation import Explanation
from .ranges import ValueRanges
from .records import pandas_for
from .why_not import WhyNot

if TYPE_CHECKING:
    import pandas as pd

# Distances of two answers that are no farther apart than this, relatively, are the same: proofs are no finer.
SAME_DISTANCE = 1e-6


def _one(
    name: str, read: Callable[[Any], Any] | None = None, *, shown: bool = False, listed: bool = False
) -> dict[str, Any]:
    """Describe a field with an entry an answer.

    Parameters
    ----------
    name : str
        Of the entry in a single explanation.
    read : function, optional
        From an entry of the array to what a single explanation holds.
    shown : bool
        Frames and records have it, under the name of the entry.
    listed : bool
        Entries are in a tuple, not in an array.
    """
    return {"one": name, "read": read, "shown": shown, "listed": listed}


def _optional(name: str, read: Callable[[Any], Any] | None = None, *, empty: float | None, shown: bool = False) -> Any:
    """Describe a field that may be left out: every answer has the entry ``empty`` then; None makes it a tuple."""
    nothing: Any = () if empty is None else np.zeros(0, dtype=type(empty))
    described = _one(name, read, shown=shown, listed=empty is None)
    return field(default_factory=lambda: nothing, metadata={**described, "empty": empty})


@dataclass(frozen=True, slots=True, eq=False)
class Explanations(Sequence[Explanation]):
    """Explanations of many rows: a sequence of :class:`Explanation`, and their arrays.

    Attributes
    ----------
    x : data frame or array of shape (n_samples, n_columns)
    counterfactuals : data frame or array of shape (n_samples, n_columns)
        In the columns and dtypes of ``x``; rows of missing values where there is none. A polars frame or pyarrow table
        where the rows came as such.
    targets, predictions : arrays or lists of length n_samples
    statuses : array of str of shape (n_samples,)
    distances, lower_bounds, gaps : arrays of shape (n_samples,)
    log_densities, log_densities_mixture, log_thresholds : arrays of shape (n_samples,)
    plausibilities : array of shape (n_samples,)
        Share of the target's training rows that are no denser than each counterfactual.
    components : int array of shape (n_samples,)
    model_free : bool array of shape (n_samples,)
    causes : tuple of Reason, WhyNot or None
        See ``reasons`` for the sentences.
    n_projections : int array of shape (n_samples,)
    changed : bool array of shape (n_samples, n_table_columns)
    shares : array of shape (n_samples, n_table_columns)
        What each column's change adds to the distance.
    row_features, features : arrays of shape (n_samples, n_features)
        Rows and counterfactuals in the features of ``table``.
    rows : int array of shape (n_samples,)
        The row of the batch that each answer is about; several answers of a row follow each other, best first.
    table : Table
    nearer : int array of shape (n_samples,)
        How many answers of the same question about the same row are nearer. Counted here; a part of the answers
        keeps what was counted among all.
    min_probabilities : array of shape (n_samples,)
        Least probabilities of the targets that were asked for; NaN where none was.
    quantiles : array of shape (n_samples,)
        Density quantiles that answers are held to; where nothing is as dense as asked (``"densest"``), the highest that
        works. NaN where no quantile was asked for.
    given : bool array of shape (n_samples,)
        Thresholds and plausibilities are about what may change in a row, given what cannot.
    robust_radius : array of shape (n_samples,)
        Distances within which every row is valid, too; zero where that was not asked for.
    ranges : tuple of ValueRanges or None
        How far changed columns may vary, all at once; None where that was not asked for.
    proofs : tuple of Proof or None
        Certificates, or why there is none; None where they were not asked for.
    """

    x: Any = field(metadata=_one("x"))
    counterfactuals: Any = field(metadata=_one("counterfactual"))
    predictions: AnyArray = field(metadata=_one("prediction", shown=True))
    targets: Sequence[Any] = field(metadata=_one("target", shown=True, listed=True))
    statuses: NDArray[np.str_] = field(metadata=_one("status", str, shown=True))
    distances: FloatArray = field(metadata=_one("distance", float, shown=True))
    lower_bounds: FloatArray = field(metadata=_one("lower_bound", float, shown=True))
    gaps: FloatArray = field(metadata=_one("gap", float, shown=True))
    log_densities: FloatArray = field(metadata=_one("log_density", float, shown=True))
    log_thresholds: FloatArray = field(metadata=_one("log_threshold", float, shown=True))
    plausibilities: FloatArray = field(metadata=_one("plausibility", float, shown=True))
    model_free: BoolArray = field(metadata=_one("model_free", bool, shown=True))
    causes: tuple[Reason | WhyNot | None, ...] = field(metadata=_one("cause", listed=True))
    log_densities_mixture: FloatArray = field(metadata=_one("log_density_mixture", float))
    components: IntArray = field(metadata=_one("component", int))
    n_projections: IntArray = field(metadata=_one("n_projections", int))
    changed: BoolArray = field(metadata=_one("changed"))
    shares: FloatArray = field(metadata=_one("shares"))
    row_features: FloatArray = field(metadata=_one("row_features"))
    features: FloatArray = field(metadata=_one("features"))
    rows: IntArray = field(metadata=_one("row", int))
    table: Table
    nearer: IntArray = _optional("nearer", int, empty=0)
    min_probabilities: FloatArray = _optional("min_probability", float, empty=np.nan)
    quantiles: FloatArray = _optional("quantile", float, empty=np.nan)
    given: BoolArray = _optional("given", bool, empty=False)
    robust_radius: FloatArray = _optional("robust_radius", float, empty=0.0)
    ranges: tuple[ValueRanges | None, ...] = _optional("ranges", empty=None)
    proofs: tuple[Proof | None, ...] = _optional("proof", empty=None)

    def __post_init__(self) -> None:
        n = len(self.rows)
        for item, values in self.per_answer():
            if "empty" in item.metadata and len(values) != n:
                empty = item.metadata["empty"]
                object.__setattr__(self, item.name, (None,) * n if empty is None else np.full(n, empty))
        counted = _n_nearer(self.rows, self.log_thresholds, self.distances)
        object.__setattr__(self, "nearer", np.maximum(self.nearer, counted))

    @classmethod
    def of_one(cls, one: Explanation) -> Explanations:
        """Make a sequence of one."""
        x, counterfactual = (one.table.one_row(row) for row in (one.x, one.counterfactual))
        if is_frame(x) and hasattr(one.x, "name"):
            x.index = counterfactual.index = [one.x.name]
        entries: dict[str, Any] = {}
        for item in fields(cls):
            if item.metadata:
                entry = getattr(one, item.metadata["one"])
                entries[item.name] = (entry,) if item.metadata["listed"] else np.array([entry])
        return cls(**{**entries, "x": x, "counterfactuals": counterfactual, "rows": np.array([0])}, table=one.table)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The causes as sentences; empty where there is nothing to say."""
        with speaking(self.table.wording):
            return tuple(reason_in_words(cause) for cause in self.causes)

    @property
    def found(self) -> BoolArray:
        """Where there is an answer, array of shape (n_samples,)."""
        return ~np.isin(self.statuses, WITHOUT_ANSWER)

    @property
    def lost(self) -> BoolArray:
        """Numbers of rows that are missing in their answers, array of shape (n_samples, n_features)."""
        lost = self.table.missing(self.counterfactuals) & ~self.table.missing(self.x)
        return np.asarray(lost & self.found[:, None])

    def after_losses(self) -> Explanations:
        """Return the same answers as those of rows in which what became missing was missing already.

        Their distances and bounds are without the price of that.
        """
        lost = self.lost
        if not lost.any():
            return self
        is_lost = np.logical_or.reduceat(lost, [column.start for column in self.table.columns], axis=1)
        paid = np.where(is_lost, self.shares, 0.0).sum(axis=1)
        return replace(
            self,
            x=self.table.lacking(self.x, lost),
            row_features=np.where(lost, self.features, self.row_features),
            changed=self.changed & ~is_lost,
            shares=np.where(is_lost, 0.0, self.shares),
            distances=self.distances - paid,
            lower_bounds=self.lower_bounds - paid,
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the user's columns."""
        return self.table.names

    def __len__(self) -> int:
        return len(self.statuses)

    def __iter__(self) -> Iterator[Explanation]:
        plain = self._plain()
        return (plain[i] for i in range(len(self)))

    def _plain(self) -> Explanations:
        """Return the same with counterfactuals of pandas, which all else takes."""
        if not is_foreign(self.counterfactuals):
            return self
        return replace(self, counterfactuals=as_table(self.counterfactuals))

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations: ...
    def __getitem__(self, index: int | slice) -> Explanation | Explanations:
        """One explanation, or a slice of them."""
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        try:
            index = operator.index(index)
        except TypeError as error:
            raise TypeError(
                f"expected an int or a slice, received {type(index).__name__}; use the arrays for others"
            ) from error
        if not -len(self) <= index < len(self):
            raise IndexError(f"explanation {index} of {len(self)}")
        entries: dict[str, Any] = {}
        for item, values in self._plain().per_answer():
            entry, read = row_of(values, index, self.x), item.metadata["read"]
            entries[item.metadata["one"]] = entry if read is None else read(entry)
        return Explanation(**entries, table=self.table)

    def per_answer(self) -> Iterator[tuple[Field[Any], Any]]:
        """Every field with an entry an answer, and its values."""
        return ((item, getattr(self, item.name)) for item in fields(self) if item.metadata)

    def take(self, indices: IntArray) -> Explanations:
        """Pick some of the explanations, in the order of the indices."""
        return Explanations(
            **{item.name: _picked(values, indices) for item, values in self.per_answer()}, table=self.table
        )

    def shown(self) -> dict[str, Any]:
        """Return what tables and records tell of the answers, by the names a single one has."""
        stated = {item.metadata["one"]: values for item, values in self.per_answer() if item.metadata["shown"]}
        return {**stated, "reason": self.reasons}

    def to_frame(self) -> pd.DataFrame:
        """Table with a line per row: status, distance, bound, densities, then the counterfactual's columns."""
        pandas = pandas_for("to_frame")
        shown = self.shown()
        targets = np.empty(len(self), dtype=object)
        targets[:] = list(self.targets)
        summary = pandas.DataFrame({**shown, "target": targets, "reason": list(shown["reason"])})
        names = [name if name not in summary.columns else f"counterfactual_{name}" for name in self.feature_names]
        rows = as_table(self.counterfactuals)
        if is_frame(rows):
            summary.index = rows.index
            return pandas.concat([summary, rows.set_axis(names, axis=1)], axis=1)
        return pandas.concat([summary, pandas.DataFrame(rows, columns=names)], axis=1)

    def to_json(self) -> str:
        """Write the answers as JSON lines, one an answer; see :meth:`Explanation.to_json`."""
        return "".join(f"{one.to_json()}\n" for one in self)

    def __repr__(self) -> str:
        return f"<Explanations: {headline_of_many(self)}>"

    def __str__(self) -> str:
        return text_of_explanations(self)

    def _repr_html_(self) -> str:
        return html_of_explanations(self)


def concatenate(parts: Sequence[Explanations]) -> Explanations:
    """Join explanations of consecutive rows."""
    if not parts:
        raise InvalidInputError("Nothing to join: expected at least one Explanations.")
    first = parts[0]
    if len(parts) == 1:
        return first
    joined = {item.name: _joined([getattr(part, item.name) for part in parts]) for item, _ in first.per_answer()}
    return Explanations(**joined, table=first.table)


def _picked(values: Any, indices: IntArray) -> Any:
    if isinstance(values, np.ndarray):
        return values[indices]
    if is_foreign(values):
        return in_form_of(rows_of(as_table(values), indices), values)
    return rows_of(values, indices) if is_frame(values) else tuple(values[i] for i in indices.tolist())


def _joined(pieces: list[Any]) -> Any:
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    if is_frame(pieces[0]):
        return pandas_for("a frame").concat(pieces)
    return tuple(item for piece in pieces for item in piece)


def _n_nearer(rows: IntArray, log_thresholds: FloatArray, distances: FloatArray) -> IntArray:
    """Count the answers that are nearer, of the same row at the same threshold; ties within the proofs' accuracy."""
    count = np.zeros(len(rows), dtype=np.int64)
    if (np.diff(rows) > 0).all():  # one answer a row
        return count
    order = np.lexsort((distances, log_thresholds, rows))
    first = tied = 0  # places, in this order, where the present question and the present tie begin
    for place in range(1, len(order)):
        answer, before = order[place], order[place - 1]
        if rows[answer] != rows[before] or log_thresholds[answer] != log_thresholds[before]:
            first = tied = place
        elif distances[answer] > distances[order[tied]] * (1 + SAME_DISTANCE):
            tied = place
        count[answer] = tied - first
    return count
