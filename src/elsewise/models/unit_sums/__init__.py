"""Sums of univariate functions of linear forms: networks, Gaussian naive Bayes, quadratic discriminants."""

from ...search.relaxations.unit_sums.region import SumRegion
from . import discriminants, networks, of_torch  # noqa: F401 - they register their model families
from .products import BehindProducts

__all__ = ["BehindProducts", "SumRegion"]
