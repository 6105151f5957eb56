"""What tests of the search share."""

from __future__ import annotations

import pytest

import elsewise.search.tree_search as tree_search


@pytest.fixture
def kernel_runs(monkeypatch):
    """Count the rows that the kernel's search answers."""
    rows = []
    search = tree_search.search_whole

    def counted(*args, **options):
        found = search(*args, **options)
        rows.append(len(found.value))
        return found

    monkeypatch.setattr(tree_search, "search_whole", counted)
    return rows
