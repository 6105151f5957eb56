"""A transformer that adds columns derived from others, and is followed exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from ...arrays import Estimator, UserData
from ...errors import InvalidInputError
from ...table.derived import DerivedColumn, computed, in_order, sources_of
from ...table.frames import as_table, column_of, floats_of
from ...table.rows import column_names
from ..steps import Step
from ..streams import Stream, derived_stream

if TYPE_CHECKING:
    from ..walk import Walk


@dataclass(frozen=True)
class AddDerived:
    """A function of data frames that adds derived columns behind the others.

    Attributes
    ----------
    formulas : tuple of (name, formula)
        Each behind those that it uses.
    """

    formulas: tuple[tuple[str, str], ...]

    def __call__(self, X: UserData) -> Any:
        """Add the columns to a data frame."""
        names = column_names(as_table(X))
        if names is None:
            raise InvalidInputError(
                f"ew.derived: expected a data frame, whose columns have names, received {type(X).__name__}."
            )
        values = {name: column_of(X, place) for place, name in enumerate(names)}
        numbers: dict[str, Any] = {}
        for name, text in self.formulas:
            for source in sources_of(DerivedColumn(name, -1, text).forms):
                if source not in numbers:
                    if source not in values:
                        raise InvalidInputError(
                            f"ew.derived: there is no column {source!r}, in the formula of {name!r}."
                        )
                    numbers[source] = floats_of(values[source])
            numbers[name] = computed(name, text, numbers)
        return X.assign(**{name: numbers[name] for name, _ in self.formulas})

    def names_out(self, transformer: Estimator, names: Any) -> Any:
        """Names of the columns behind it."""
        return np.array([*names, *(name for name, _ in self.formulas)], dtype=object)


def derived(formulas: Mapping[str, str]) -> FunctionTransformer:
    """Make a transformer that adds columns derived from others: a first step of a pipeline that is followed exactly.

    Parameters
    ----------
    formulas : mapping of column name to formula
        Sums, differences, products and ratios, as for ``Constraints(derive=...)``.

    Returns
    -------
    FunctionTransformer
        Of pandas data frames.

    Examples
    --------
    >>> import elsewise as ew
    >>> import pandas as pd
    >>> ew.derived({"ltv": "loan / price"}).fit_transform(pd.DataFrame({"loan": [3.0], "price": [4.0]}))
       loan  price   ltv
    0   3.0    4.0  0.75
    """
    adding = AddDerived(tuple((name, formulas[name]) for name in in_order(formulas)))
    return FunctionTransformer(adding, feature_names_out=adding.names_out)


def follow_derived(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    """Streams behind added columns."""
    names = [str(name) for name in step.transformer.feature_names_in_]
    by_name: dict[str, Stream | None] = dict(zip(names, streams, strict=True))
    for name, text in step.transformer.func.formulas:
        by_name[name] = derived_stream(DerivedColumn(name, -1, text), by_name, walk.table.n_features)
        streams = [*streams, by_name[name]]  # type: ignore[list-item]
    return streams
