"""What every region must fulfil: it says the same as the model's own ``predict``, near the boundary, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from elsewise.arrays import FloatArray
from elsewise.models import Label, Outcome, PolyhedronUnion, region_of

BLUR = 1e-10  # slacks smaller than this, relative to the numbers they are computed from, have no sign
STEP = 1e-6  # how far a point is pushed off the boundary, relative to its size


def wanted_mask(model: Any, outcome: Outcome, Z: FloatArray) -> np.ndarray:
    """Whether the model itself gives the outcome at each row, from its public methods alone."""
    if not isinstance(outcome, Label):
        predicted = model.predict(Z).ravel()
        return (outcome.low <= predicted) & (predicted <= outcome.high)
    if outcome.min_probability is not None:  # it alone decides
        return model.predict_proba(Z)[:, outcome.index] >= outcome.min_probability
    return model.predict(Z) == model.classes_[outcome.index]


def relative_slack(region: PolyhedronUnion, Z: FloatArray) -> FloatArray:
    """Slack of each point in the polyhedron it fits best, relative to the size of the terms it is the difference of."""
    size = np.abs(Z) @ np.abs(region.normals).T + np.abs(region.offsets)
    shift = np.abs(Z) @ np.abs(region.shifts).T + np.abs(region.shift_offsets)
    return region.slacks(Z).max(axis=1, initial=-np.inf) / (1e-300 + size.max(axis=1, initial=1e-3) + shift.max(axis=1))


def assert_region_agrees(model: Any, outcome: Outcome, Z: FloatArray, wanted: np.ndarray) -> None:
    """Check that the region holds the wanted rows of ``Z`` and no others, rows on its very boundary excepted."""
    region = region_of(model, outcome)
    if region.n_polyhedra == 0:
        assert not wanted.any(), f"{model}: the region of {outcome} is empty, yet the model gives it"
        return
    clear = np.abs(relative_slack(region, Z)) > BLUR
    assert clear.mean() > 0.5, "most points lie on the boundary: the check would say nothing"
    wrong = clear & (region.accepts(Z) != wanted)
    assert not wrong.any(), f"{model}: region and model disagree about {outcome} at {Z[wrong][:3]}"


def boundary_pairs(model: Any, outcome: Outcome, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pairs of (wanted, unwanted) points next to each other, found by bisection with the model alone."""
    wanted = wanted_mask(model, outcome, Z)
    n = min(wanted.sum(), (~wanted).sum())
    inside, outside = Z[wanted][:n].copy(), Z[~wanted][:n].copy()
    for _ in range(60):
        middle = (inside + outside) / 2
        kept = wanted_mask(model, outcome, middle)[:, None] if n else np.empty((0, 1), dtype=bool)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return inside, outside


def assert_boundary_agrees(model: Any, outcome: Outcome, Z: FloatArray) -> None:
    """Check that the region ends where the model's outcome ends, and is right a little to either side."""
    wanted = wanted_mask(model, outcome, Z)
    assert wanted.any(), "no row of Z has the outcome: choose other data"
    assert not wanted.all(), "every row of Z has the outcome: choose other data"
    edge, beyond = boundary_pairs(model, outcome, Z)
    slack = relative_slack(region_of(model, outcome), edge)
    assert np.abs(slack).max() < 1e-9, f"{model}: the region of {outcome} ends {np.abs(slack).max()} off the model's"

    n = len(edge)
    towards = Z[wanted][:n] - Z[~wanted][:n]
    push = STEP * (1 + np.linalg.norm(edge, axis=1)) / np.linalg.norm(towards, axis=1)
    for points in (edge + push[:, None] * towards, beyond - push[:, None] * towards):
        assert_region_agrees(model, outcome, points, wanted_mask(model, outcome, points))


def assert_contract(model: Any, outcome: Outcome, Z: FloatArray) -> None:
    """Both checks, for an outcome that some rows of ``Z`` have and others have not."""
    assert_region_agrees(model, outcome, Z, wanted_mask(model, outcome, Z))
    assert_boundary_agrees(model, outcome, Z)


def blobs(
    n_classes: int, *, n_features: int = 4, seed: int = 0, labels: Any = None
) -> tuple[FloatArray, np.ndarray, FloatArray]:
    """Overlapping Gaussian classes ``X, y`` and wider spread points ``Z`` to ask about."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.5, size=(n_classes, n_features))
    index = np.arange(40 * n_classes) % n_classes
    X = centres[index] + rng.normal(size=(len(index), n_features))
    names = np.asarray(labels if labels is not None else np.arange(n_classes))
    return X, names[index], rng.normal(scale=3, size=(300, n_features))
