"""Codes that XGBoost and LightGBM give to categories themselves: the place of a value among those of its column.

XGBoost keeps the names in the model, release by release better; LightGBM keeps them for a frame's category columns in
their order, but not which columns these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...arrays import ReadObject, UserData, UserValue, is_missing
from ...errors import UnsupportedSettingError
from .of_lightgbm import LightGBMText

# Codes by value; None where numbers are codes themselves.
Codes = Mapping[UserValue, float] | None


def xgboost_codes(feature_types: Sequence[str], written: Sequence[ReadObject], X: UserData) -> dict[int, Codes]:
    """Codes of each category column of an XGBoost model, by its position.

    Parameters
    ----------
    feature_types : sequence of str
        "c" for categories.
    written : sequence of mappings
        Names of categories as XGBoost writes them for every column; empty before release 3.1.
    X : data frame or array of shape (n_samples, n_columns), or None
        Rows as they reach the model.
    """
    codes: dict[int, Codes] = {}
    for place in (place for place, kind in enumerate(feature_types) if kind == "c"):
        names = _names_of(written[place]) if place < len(written) else []
        own = getattr(_column(X, place).dtype, "categories", None) if hasattr(X, "columns") else None
        if own is not None:
            listed = own.tolist()
            # XGBoost cuts names that are not ASCII when it writes them; without any it goes by the frame's own order
            if not names or (len(names) == len(listed) and any(not str(name).isascii() for name in listed)):
                names = listed
        codes[place] = places_of(names) if names else None
    return codes


def _names_of(written: ReadObject) -> list[Any]:
    """Names of categories as XGBoost writes them: numbers, or the bytes of all names one after the other."""
    if "offsets" not in written:
        return list(written["values"])
    text = bytes(value % 256 for value in written["values"])
    return [text[start:end].decode("utf-8", "replace") for start, end in pairwise(written["offsets"])]


def lightgbm_codes(written: LightGBMText, X: UserData) -> dict[int, Codes]:
    """Codes of each category column of a LightGBM model, by its position; X as for :func:`xgboost_codes`."""
    codes: dict[int, Codes] = dict.fromkeys(written.category_places)
    names = written.pandas_categorical
    if names and not hasattr(X, "columns"):
        raise UnsupportedSettingError(
            "This LightGBM model was fitted on a frame with category columns, but other steps are before it, or X is "
            "no frame. Pass the frame it was fitted on, or encode categories in the pipeline (OrdinalEncoder) and name "
            "their positions as categorical_feature."
        )
    if names:
        columns = [_column(X, place) for place in range(X.shape[1])]
        places = [place for place, column in enumerate(columns) if _is_category(column)]
        for place, known in zip(places, names):
            if getattr(columns[place].dtype, "ordered", False):
                raise UnsupportedSettingError(
                    f"Column {X.columns[place]!r} is an ordered category, whose codes LightGBM takes for numbers. Put "
                    "an OrdinalEncoder in front of the model, or make it an unordered category."
                )
            codes[place] = places_of(known)
    return codes


def _column(X: UserData, place: int) -> Any:
    return X.iloc[:, place]


def _is_category(column: UserData) -> bool:
    """Whether a column of a frame has categories, or text in their place."""
    return hasattr(column.dtype, "categories") or column.dtype.kind == "O"


def places_of(names: Sequence[UserValue]) -> dict[UserValue, float]:
    """Codes of categories: their place among all; a missing value has none."""
    values = np.empty(len(names), dtype=object)
    values[:] = names
    return {name: float(place) for place, (name, gone) in enumerate(zip(names, is_missing(values))) if not gone}
