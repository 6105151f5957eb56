"""Models that cannot be read: they are asked, and the explainer keeps the reason."""

from __future__ import annotations

from typing import Any

import elsewise as ew


def reason_unread(model: Any, X: Any, y: Any = None) -> str:
    """Fit an explainer without a density, which must take the model for a black box; give the reason."""
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "black box"
    return explainer.fitted_.training.reason
