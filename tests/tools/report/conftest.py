"""Reports and what they are made of, once a session."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import elsewise as ew

MADE = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
RULES = ew.Constraints(immutable=["guarantor"], monotone={"years": "increase"}, max_changes=2)


@pytest.fixture(scope="session")
def asked(loans):
    """Rules, and answers under them to the rows that the model refuses."""
    predictions = loans.explainer.model.predict(loans.frame)
    rows = loans.frame[predictions == "no"].iloc[:40]
    return RULES, loans.explainer.explain(rows, "yes", constraints=RULES)
