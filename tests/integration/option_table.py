"""Every option of the public API with a few settings, for tests that draw options together.

A setting is a function of a :class:`~integration.option_cases.Drawn` case where it depends on the table, else a value.
Names of columns: ``a`` whole numbers 0 to 4, ``b`` multiples of 0.5, ``s`` whole numbers with the special code -9,
``c`` a category, ``d`` yes or no, ``g`` ordered levels, ``t`` what ``a`` times ``b`` is. A setting is left out where
the table lacks one of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import elsewise as ew

# What an option is when a case does not draw it is the library's own default, but for ``step`` and ``bounds`` (see
# ``option_cases``), which make the domain finite.
EXPLAINER: dict[str, list[Any]] = {
    "columns": [{"a": "integer"}],
    "distance": [
        "manhattan",
        "scaled",
        ew.Manhattan(per_change=0.7),
        ew.Manhattan({"a": 2.5}, per_change=0.1),
        ew.Scaled(per_change=0.5),
        ew.Scaled({"a": 0.3}),
        "mahalanobis",
        ew.Mahalanobis(),
    ],
    "density": [
        None,
        "gaussian_mixture",
        "kernel",
        ew.GaussianMixtureDensity(n_components=2),
        ew.MixedMixtureDensity(n_components=2),
        ew.KernelDensity(),
    ],
    "threshold": [0.1, 0.8, ew.TrainingQuantile(0.3), ew.LogDensity(-4.0)],
    "learn_rules": [False],
    "condition_on_fixed": [False],
    "constraints": ["stored"],
    "rules": [None],
    "robust_to": [],  # other models that are made of the training rows: tests/models/test_refits.py
    "labels": [],  # words alone: tests/table/test_wording.py
    "outcomes": [],
    "language": [],
    "reason_codes": [],
    "n_jobs": [2],
}
EXPLAIN: dict[str, list[Any]] = {
    "constraints": ["asked"],
    "min_probability": [0.35, 0.6],
    "confidence": [0.2, 0.6],
    "n_counterfactuals": [2, 3],
    "diversity": [0.8, 2.0],
    "on_satisfied": ["move"],
    "time_limit": [0.02, 2.0],
    "budget": [0.05, 60.0],
    "effort": ["quick", "proof"],
    "errors": ["row"],
    "other_models": ["another model"],
    "on_infeasible": ["densest"],
    "robust_radius": [0.05],
    "ranges": [True],
    "certificate": [],  # every case asks for certificates, and has them checked
    "progress": [lambda done, total: None],
}
RULES: dict[str, list[Any]] = {
    "immutable": [["a"], ["c"], ["b"], ["s"]],
    "monotone": [
        {"a": "increase"},
        {"b": "decrease"},
        {"g": "increase"},
        {"d": "increase"},
        {"a": "increase by at most 2", "b": "decrease by at most 1"},
    ],
    "bounds": [{"a": (-1, 6)}, {"a": (0, 4), "b": (-0.5, 3.0)}, {"g": ("low", None)}],
    "integer": [["a", "b"], ["a", "s"]],
    "allowed": [{"c": {"x": ["y"], "z": ["y"]}}, {"c": ["x", "z"]}],
    "linear": [["a + b <= 3.5"], ["a - 2 * d >= 0"], ["1 <= a + s <= 5"], [({"a": 1}, "<=", 2)]],
    "max_changes": [1, 2, 3],
    "min_change": [{"a": 2}, {"b": 1.0}, "auto", "any", {"s": 2}],
    "step": [{"b": 1.0}, None, {"a": 2, "b": 0.5}],
    "together": [[["a", "b"]], [["a", "c"]], [["s", "g"]]],
    "special": [{}, {"s": [-9]}, [-9]],
    "codes": ["change", "stay"],
    "range": ["training", "any", ["a"]],
    "unseen": ["allow"],
    "may_become_missing": [],  # enumerated in tests/questions/solving/test_becoming_missing.py
    "derive": [],  # of a table that has a column made of others, always
    "implies": [{"a >= 3": "c != 'z'"}, {"c == 'x'": "a <= 2 and d"}, {"b > 1": "a < 3"}, {"s == -9": "g == 'low'"}],
}
# Parameters that say what is asked about, and no option.
DATA = {"model", "X", "target", "self"}


def columns_in(setting: Any) -> set[str]:
    """Return the names of columns that a setting mentions."""
    if isinstance(setting, str):
        known = set("abcdgs")
        words = "".join(letter if letter.isalnum() or letter in "'_" else " " for letter in setting).split()
        return {word for word in words if word in known}
    if isinstance(setting, dict):
        return set().union(*(columns_in(key) | _columns_in_value(value) for key, value in setting.items()), set())
    if isinstance(setting, (list, tuple)):
        return set().union(*(columns_in(item) for item in setting), set())
    weights = getattr(setting, "weights", None)
    return columns_in(weights) if isinstance(weights, dict) else set()


def _columns_in_value(value: Any) -> set[str]:
    return columns_in(value) if isinstance(value, str) and " " in value else set()


def settings(columns: set[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield the group, the name and each setting of every option that a table with these columns has."""
    for group, table in (("explainer", EXPLAINER), ("explain", EXPLAIN), ("rules", RULES)):
        for name, values in table.items():
            for value in values:
                if columns_in(value) <= columns:
                    yield group, name, value
