"""The same answers, bit for bit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields

import numpy as np

import elsewise as ew

# Everything that has an entry for each explanation and can be compared as an array.
NO_ARRAYS = ("targets", "causes", "ranges", "proofs", "table")
ARRAYS = tuple(field.name for field in fields(ew.Explanations) if field.name not in NO_ARRAYS)


def assert_same_bits(left: ew.Explanations, right: ew.Explanations, *, skip: Collection[str] = ()) -> None:
    """Compare answers to the same rows, whatever place in their batches these have."""
    for name in ARRAYS:
        if name not in ("rows", *skip):
            first, second = getattr(left, name), getattr(right, name)
            if hasattr(first, "columns"):
                assert first.equals(second), name
            else:
                assert np.array_equal(first, second, equal_nan=first.dtype.kind == "f"), name
    assert list(left.targets) == list(right.targets)
    assert left.causes == right.causes
    assert left.ranges == right.ranges
    assert left.proofs == right.proofs
    assert left.reasons == right.reasons
    assert left.feature_names == right.feature_names
