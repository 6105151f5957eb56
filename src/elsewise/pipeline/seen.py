"""Which columns a model was fitted on, as far as it says."""

from __future__ import annotations

from typing import Any

from ..table.rows import column_names


def columns_seen(model: Any, X: Any) -> tuple[tuple[str, ...], int]:
    """Tell the names of a model's columns, none where it knows none, and how many they are.

    CatBoost has names of its own, ``feature_names_``, numbers as text where it was fitted on arrays; read from a file,
    it has forgotten how many columns there are.

    Parameters
    ----------
    model : fitted model
    X : table of shape (n_samples, n_columns)
        Tells how many there are where the model does not.
    """
    names = tuple(getattr(model, "feature_names_in_", ()))
    own = tuple(getattr(model, "feature_names_", ()))
    if not names and own and set(own) == set(column_names(X) or ()):
        names = own
    return names, int(getattr(model, "n_features_in_", 0)) or len(own) or X.shape[1]
