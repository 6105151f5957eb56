"""Sums of univariate functions of linear forms: networks, Gaussian naive Bayes, quadratic discriminants."""

from . import discriminants, networks, of_torch  # noqa: F401 - they register their model families
from .products import BehindProducts
from .region import SumRegion

__all__ = ["BehindProducts", "SumRegion"]
