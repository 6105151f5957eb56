"""Tests of fits: each fits for itself."""

from __future__ import annotations

import pytest

from elsewise.density import threshold


@pytest.fixture(autouse=True)
def every_density_is_fitted(densities_fitted_once, monkeypatch):
    """Take the fit itself in the place of what was fitted before."""
    monkeypatch.setattr(threshold, "_fitted", threshold._fitted.__wrapped__)
