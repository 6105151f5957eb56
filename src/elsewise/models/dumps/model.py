"""Models in files of XGBoost, LightGBM and CatBoost as estimators that need none of these libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ...arrays import AnyArray, FloatArray, UserData, UserValue
from ...errors import InvalidInputError
from ...search.region import Outcome, Response, require_interval, require_label
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ..file_model import FileModel
from ..registry import register, register_response
from ..trees.native_codes import Codes
from .scoring import Scoring
from .sources import CatBoostTables, PlainTrees


class DumpedModel(FileModel):
    """A model of trees from a file: its sums are those of the library, to the bit.

    Parameters
    ----------
    source : PlainTrees or CatBoostTables
    scoring : Scoring
    n_features_in_ : int
    names : sequence of str, optional
        Names of the columns; without any, columns go by their positions.
    classes : sequence of labels, optional
    codes : mapping, optional
        Codes of categories that rows hold in the place of these, by position of a column, and whether any other value
        counts as missing.
    """

    # frames by the names of their columns, arrays by positions
    takes_rows_as_given = True

    def __init__(
        self,
        source: PlainTrees | CatBoostTables,
        scoring: Scoring,
        n_features_in_: int,
        names: Sequence[str] | None = None,
        classes: AnyArray | None = None,
        codes: tuple[dict[int, Codes], bool] | None = None,
    ) -> None:
        self.source, self.scoring, self.names, self.classes, self.codes = source, scoring, names, classes, codes
        self.n_features_in_ = n_features_in_
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        return tags

    def scores(self, X: UserData) -> FloatArray:
        """Form the sums of leaves of rows, array of shape (n_samples, n_scores)."""
        trees, rows = self.source.at(self._as_columns(X))
        return trees.scores(rows)

    def _as_columns(self, X: UserData) -> Any:
        """Rows with the model's columns in its order."""
        if not hasattr(X, "columns"):
            X = np.asarray(X)
        elif self.names is not None and list(X.columns) != list(self.names):
            if not set(self.names) <= set(X.columns):
                missing = [name for name in self.names if name not in set(X.columns)]
                raise InvalidInputError(
                    f"Expected the columns {', '.join(map(repr, self.names))}; {missing[0]!r} is not among those "
                    "received."
                )
            X = X[list(self.names)]
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"Expected rows of {self.n_features_in_} columns, received an array of shape {X.shape}."
            )
        return X

    @property
    def category_places(self) -> list[int]:
        """Positions of columns whose levels have to be known before there are trees: categories of CatBoost."""
        return self.source.places if isinstance(self.source, CatBoostTables) else []

    @property
    def trees(self) -> Any:
        """The trees, over numbers and codes."""
        if isinstance(self.source, CatBoostTables):
            raise InvalidInputError(
                "This CatBoost model has category columns; its trees are known over the levels of a table. Fit an "
                "Explainer with the training rows."
            )
        return self.source.trees

    def own_codes(self, X: UserData) -> tuple[Mapping[int, Codes], bool] | None:
        """Codes of categories by position of a column, and whether any other value counts as missing; None for none."""
        if self.codes is not None or isinstance(self.source, CatBoostTables) or self.source.categories is None:
            return self.codes
        codes = self.source.categories.codes(X)
        return (codes, self.source.categories.takes_unknown(codes)) if codes else None

    def on_codes(self, levels: Mapping[int, Sequence[UserValue]]) -> Any:
        """Return the model over codes, the places of levels of its category columns."""
        assert isinstance(self.source, CatBoostTables)
        trees, knows_all = self.source.over(levels)
        codes: dict[int, Codes] = {
            place: {value: float(code) for code, value in enumerate(values)} for place, values in levels.items()
        }
        return type(self)(PlainTrees(trees), self.scoring, self.n_features_in_, None, self.classes, (codes, knows_all))


class DumpedClassifier(DumpedModel, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier in a file."""

    @property
    def classes_(self) -> AnyArray:
        """Labels."""
        assert self.classes is not None
        return self.classes

    def predict(self, X: UserData) -> AnyArray:
        """Predict labels, array of shape (n_samples,)."""
        return np.asarray(self.classes_[self.scoring.labels(self.scores(X))])

    def predict_proba(self, X: UserData) -> FloatArray:
        """Predict probabilities of classes, array of shape (n_samples, n_classes)."""
        return self.scoring.probabilities(self.scores(X))


class DumpedRegressor(DumpedModel, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor in a file."""

    def predict(self, X: UserData) -> FloatArray:
        """Predict numbers, array of shape (n_samples,)."""
        return self.scoring.numbers(self.scores(X))


@register(DumpedClassifier)
def dumped_classifier_region(model: DumpedClassifier, outcome: Outcome) -> EnsembleRegion:
    """Region of a label of a classifier in a file."""
    return model.scoring.label_region(model, model.trees, require_label(model, outcome))


@register_response(DumpedClassifier)
def dumped_response_region(model: DumpedClassifier, response: Response) -> EnsembleRegion:
    """Region where a probability of a classifier in a file lies in a range."""
    return model.scoring.response_region(model, model.trees, response)


@register(DumpedRegressor)
def dumped_regressor_region(model: DumpedRegressor, outcome: Outcome) -> EnsembleRegion:
    """Region of a range of numbers of a regressor in a file."""
    return model.scoring.number_region(model, model.trees, require_interval(model, outcome))
