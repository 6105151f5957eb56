"""An estimator that was fitted: parts of its fitted model as attributes, and rows as it sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import AnyArray, FloatArray
from ..columns import Table
from ..columns.frames import as_table
from ..constraints.never_together import NeverTogether
from ..density import ClassDensity
from ..distances import ResolvedDistance
from ..search import Exactness
from .fitted_model import FittedModel
from .missing import refuse_missing
from .profiles import ColumnProfile


class Learned:
    """Shows parts of ``fitted_`` under the names scikit-learn's conventions give them; described by the estimator."""

    fitted_: FittedModel

    def __repr__(self) -> str:
        told = super().__repr__()
        return f"{told}, fitted: {self.exactness_}" if "fitted_" in self.__dict__ else told

    @property
    def densities_(self) -> dict[Any, ClassDensity]:
        """Density of each label."""
        return self.fitted_.densities

    @property
    def distance_(self) -> ResolvedDistance:
        """The distance, definite."""
        return self.fitted_.distance

    @property
    def profiles_(self) -> dict[Any, tuple[ColumnProfile, ...]]:
        """Distributions of the columns."""
        return self.fitted_.profiles

    @property
    def never_together_(self) -> NeverTogether:
        """What never occurs together in the training rows although it should by chance."""
        regularities = self.fitted_.regularities
        return NeverTogether() if regularities is None else regularities.never_together

    @property
    def special_values_(self) -> dict[str, tuple[float, ...]]:
        """Codes of numeric columns that were found in the training rows."""
        regularities = self.fitted_.regularities
        return {} if regularities is None else dict(regularities.special)

    @property
    def steps_(self) -> dict[str, float]:
        """Steps of numeric columns that were found in the training rows."""
        regularities = self.fitted_.regularities
        return {} if regularities is None else dict(regularities.steps)

    @property
    def classes_(self) -> AnyArray | None:
        """The model's labels."""
        return self.fitted_.classes

    @property
    def exactness_(self) -> Exactness:
        """What answers can be expected to be."""
        return self.fitted_.exactness

    @property
    def table_(self) -> Table:
        """The columns."""
        return self.fitted_.table

    @property
    def n_features_in_(self) -> int:
        """Number of the user's columns."""
        return len(self.fitted_.table.names)

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the user's columns, if the fit saw them."""
        if not self.fitted_.table.named:
            raise AttributeError("feature_names_in_: the training rows came without names.")
        return np.array(self.fitted_.table.names, dtype=object)

    def require_fitted(self) -> FittedModel:
        """Give the fitted model, or say that there is none yet."""
        if "fitted_" not in self.__dict__:  # scikit-learn's own check takes longer than a row does
            check_is_fitted(self, "fitted_")
        return self.fitted_

    def to_model_space(self, X: ArrayLike) -> FloatArray:
        """Rows as the final estimator sees them, or the first transformers before it that are not affine."""
        fitted = self.require_fitted()
        return fitted.as_the_estimator_sees(as_table(X))

    def log_density(self, X: ArrayLike, label: Any = None) -> FloatArray:
        """Log density of rows as data of a class: the component-wise maximum that answers are held to.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
        label : label, or None for a regressor

        Returns
        -------
        array of shape (n_samples,)
        """
        fitted = self.require_fitted()
        given = as_table(X)
        refuse_missing(fitted.table, fitted.table.missing(given))
        return fitted.log_density(fitted.table.of_numbers().encode(given), label)
