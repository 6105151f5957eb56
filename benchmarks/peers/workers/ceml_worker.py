"""CEML: closest counterfactuals, and plausible ones with density constraints (the paper's authors' toolbox).

Without PCA the closest counterfactual comes from ``generate_counterfactual``. With PCA it comes from the plausibility
interface with its constraint switched off, as in CEML's own example: a Pipeline with PCA would lose the PCA's mean, and
pipelines that end in a tree are not implemented.

CEML gets the mixtures fitted by the harness. It cannot prepare mixtures that differ in their numbers of components;
where they do, every class gets a mixture with as many as the largest, fitted here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import protocol
from ceml.sklearn import generate_counterfactual
from ceml.sklearn.decisiontree import decisiontree_generate_counterfactual
from ceml.sklearn.plausibility import prepare_computation_of_plausible_counterfactuals
from ceml.sklearn.softmaxregression import softmaxregression_generate_counterfactual
from sklearn.mixture import GaussianMixture


def prepare(asked: SimpleNamespace) -> Callable[[Any, Any], Any]:
    arrays = asked.arrays
    asked.model = protocol.rebuild_model(arrays, multi_class="multinomial")
    model = asked.model[-1]
    if asked.method == "closest" and len(asked.model.steps) == 1:
        return lambda x, target: generate_counterfactual(model, x, int(target), return_as_dict=False)[0]
    plausibility = prepare_computation_of_plausible_counterfactuals(
        arrays["X_train"],
        arrays["y_train"],
        _equal_mixtures(asked),
        arrays.get("pca_mean"),
        arrays.get("pca_components"),
    )
    plausibility["use_density_constraints"] = asked.method == "plausible"
    if "tree_feature" in arrays:
        return lambda x, target: decisiontree_generate_counterfactual(model, x, int(target), plausibility=plausibility)
    return lambda x, target: softmaxregression_generate_counterfactual(model, x, int(target), plausibility=plausibility)


def _equal_mixtures(asked: SimpleNamespace) -> list[Any]:
    """Mixtures with the same number of components in every class."""
    mixtures = protocol.rebuild_mixtures(asked.arrays)
    most = max(mixture.n_components for mixture in mixtures)
    if all(mixture.n_components == most for mixture in mixtures):
        return mixtures
    asked.note = "its own mixtures of " + str(most) + " components, since it cannot take different numbers of them"
    Z, y = asked.arrays["X_train"], asked.arrays["y_train"]
    Z = asked.model[:-1].transform(Z) if len(asked.model) > 1 else Z
    return [GaussianMixture(most, random_state=0).fit(Z[y == k]) for k in range(len(mixtures))]


if __name__ == "__main__":
    protocol.serve(prepare)
