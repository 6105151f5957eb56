r"""The density constraint as two published programs build it, to set beside the definition.

The paper defines (Eq. gmm:approx:component:finalconstraint) the set of component ``j`` by its radius

.. math:: r_j^2 = \delta' - c_j, \qquad \delta' = -2 \log \delta .

The published programs take :math:`r_j^2` from training rows of the class instead: the largest quadratic form
:math:`(x - \mu_j)^\top \Sigma_j^{-1} (x - \mu_j)` over the rows whose negative log-likelihood under the component, the
quadratic form plus :math:`c_j`, compares with the median :math:`\delta'` in one of two ways.

``at_least``
    Rows with at least :math:`\delta'`, the sparse ones. The sparsest row of all is among them, so the set covers all
    training rows of the class and the threshold has no influence.
``at_most``
    Rows with at most :math:`\delta'`, the dense ones. All of them lie in the set of the definition, so this one is a
    little smaller. A component without such a row is left out.

Both also compare the thresholds of a decision tree behind a PCA with ``P x`` where the tree sees ``P (x - mean)``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ...arrays import FloatArray, IntArray
from ...density import ClassDensity, Cones
from ...explainer import Explainer
from ...fitted import space_of
from ...models import Label, PolyhedronUnion, region_of
from ...pipeline import affine_map, unwrap
from ...search import compile_problem, search_cells

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Relative margin from the boundaries of regions and cones as published: enough for predict to agree with the region,
# far too little to show in a table.
PUBLISHED_MARGIN = 1e-6
# How far the threshold lies below the lowest peak, in nats, to have the cones of all components; any distance would do.
BELOW_PEAKS = 1.0

# The definition and the two rules, as columns of the table are called.
RULES = {"defined": "as defined", "at_most": "code ≤", "at_least": "code ≥"}


def published_cones(density: ClassDensity, Z: FloatArray, rule: str) -> Cones:
    """Cones with the radii of a published rule.

    Parameters
    ----------
    density : ClassDensity
        Its threshold is delta.
    Z : array of shape (n_samples, n_features)
        Training rows of the class, in model space.
    rule : "at_least" or "at_most"
    """
    peaks = density.log_components(density.mixture_.means_).max(axis=0)
    cones = density.with_threshold(float(peaks.min()) - BELOW_PEAKS).cones()  # of all components, whatever they reach
    differences = Z[:, None, :] - cones.centres
    scaled = np.einsum("jab,njb->nja", cones.factors[cones.shape], differences)
    forms = np.square(scaled).sum(axis=2)
    logs = density.log_components(Z)[:, cones.component]
    counts = logs <= density.log_threshold_ if rule == "at_least" else logs >= density.log_threshold_
    squared = np.where(counts, forms, 0.0).max(axis=0)
    keep = squared > 0.0
    return replace(
        cones,
        shape=cones.shape[keep],
        centres=cones.centres[keep],
        radii=np.sqrt(squared[keep]),
        component=cones.component[keep],
    )


def published_region(model: BaseEstimator, index: int, n_features: int) -> PolyhedronUnion:
    """Region of a class as the programs describe it: that of a tree behind a PCA without the PCA's mean."""
    steps, estimator = unwrap(model)
    region = region_of(estimator, Label(index))
    assert isinstance(region, PolyhedronUnion)
    if not steps or not isinstance(estimator, DecisionTreeClassifier):
        return region
    # A (z - w) <= b in place of A z <= b, with z = W x + w, is A W x <= b.
    w = affine_map(steps, n_features).offset
    return replace(
        region,
        offsets=region.offsets + region.normals @ w,
        shift_offsets=region.shift_offsets + region.shifts @ w,
    )


def solve_as_published(
    explainer: Explainer, X: FloatArray, goal: IntArray, Z_by_class: list[FloatArray], rule: str | None
) -> FloatArray:
    """Nearest points of the regions and cones of a published rule, found by the same exact search.

    Parameters
    ----------
    explainer : fitted Explainer with a density
    X : array of shape (n_samples, n_features)
    goal : int array of shape (n_samples,)
        Position of each row's target in ``explainer.classes_``.
    Z_by_class : list of arrays of shape (n_class, n_model_features)
        Training rows of every class in model space.
    rule : "at_least", "at_most" or None
        None leaves the density out.

    Returns
    -------
    array of shape (n_samples, n_features)
        NaN rows where the region and the cones have no point in common.
    """
    assert explainer.classes_ is not None
    parts = []
    for index, label in enumerate(explainer.classes_.tolist()):
        cones = None if rule is None else published_cones(explainer.densities_[label], Z_by_class[index], rule)
        parts.append((published_region(explainer.model, index, explainer.n_features_in_), cones))
    steps, _ = unwrap(explainer.model)
    space = space_of(affine_map(steps, X.shape[1]), explainer.distance_, X.mean(axis=0))
    return search_cells(compile_problem(parts, space), X, goal, margin=PUBLISHED_MARGIN).points
