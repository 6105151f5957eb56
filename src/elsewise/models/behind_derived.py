"""Linear models and trees behind columns that are derived from others, as one estimator of what these are made of."""

from __future__ import annotations

import numpy as np

from ..arrays import Estimator, FloatArray, IntArray
from ..errors import UnsupportedSettingError
from ..search import Region
from ..search.region import Outcome, Response
from ..search.relaxations.derived import DerivedColumns, DerivedRegion
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from .registry import region_of, register, register_response, response_region_of
from .trees import EnsembleRegion
from .wrappers import with_trees_as_sums


class BehindDerived:
    """An estimator behind derived columns.

    Parameters
    ----------
    estimator : classifier or regressor
    columns : DerivedColumns
        What it sees of model space.
    """

    def __init__(self, estimator: Estimator, columns: DerivedColumns) -> None:
        self.estimator, self.columns = estimator, columns
        self.n_features_in_ = columns.n_features
        if hasattr(estimator, "classes_"):
            self.classes_ = estimator.classes_

    def __call__(self, points: FloatArray) -> FloatArray:
        """Columns that the estimator sees at points of model space, array of shape (n_samples, n_columns)."""
        return self.columns(points)

    @property
    def places(self) -> IntArray:
        """A feature of model space that each column depends on, shape (n_columns,)."""
        places = self.columns.plain.copy()
        for form in self.columns.forms:
            places[form.column] = form.first
        return places

    def rounding(self, share: float, points: FloatArray, size: FloatArray) -> FloatArray:
        """How much columns may differ from what a pipeline makes, array of shape (n_samples, n_columns).

        Parameters
        ----------
        share : float
            Of the terms that columns are made of.
        points, size : arrays of shape (n_samples, n_features)
            Points of model space, and the sizes of the terms that these are made of.
        """
        slack = share * size[:, self.places]
        for form in self.columns.forms:
            seen = np.abs(form.scale * form.values(points)) + abs(form.shift)
            values = form.values(points)
            ties = 2 * form.rounding(float(values.min(initial=0.0)), float(values.max(initial=0.0)))
            slack[:, form.column] = share * seen + abs(form.scale) * ties * (1.0 + share)  # ties go either way
        return slack


@register(BehindDerived)
def derived_region(model: BehindDerived, outcome: Outcome) -> Region:
    """Region where a model of derived columns decides for an outcome."""
    return _behind_derived(model, region_of(with_trees_as_sums(model.estimator), outcome))


@register_response(BehindDerived)
def derived_response_region(model: BehindDerived, response: Response) -> Region:
    """Region where a response of a model of derived columns lies in a range."""
    return _behind_derived(model, response_region_of(with_trees_as_sums(model.estimator), response))


def _behind_derived(model: BehindDerived, region: Region) -> Region:
    if isinstance(region, PolyhedronUnion) and region.n_polyhedra == 0:
        return union([], n_features=model.columns.n_features)
    if isinstance(region, (PolyhedronUnion, EnsembleRegion)):
        return DerivedRegion(region, model.columns)
    raise UnsupportedSettingError(
        f"What is asked of {type(model.estimator).__name__} is not known behind columns that are derived by products, "
        "ratios or rounding. It is for linear models, trees, forests and boosting."
    )
