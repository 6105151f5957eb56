"""Figures that pyplot keeps are closed after every test."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
