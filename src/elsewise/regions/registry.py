"""The registry of model families: from a fitted model and an outcome to a region."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import OutlierMixin

from ..arrays import AnyArray
from ..errors import UnsupportedModelError
from ..search import Region
from .outcomes import Outcome

# What makes a region of a fitted model of its family, whatever type that has, and an outcome.
Builder = Callable[[Any, Outcome], Region]
SomeBuilder = TypeVar("SomeBuilder", bound=Builder)
SomeAdapter = TypeVar("SomeAdapter", bound=Callable[[Any], Any])
# Builders by model type.
families: dict[type, Builder] = {}
# The same by full names, for types of libraries that are not imported before someone has a model of theirs.
families_by_name: dict[str, Builder] = {}
# By the same names, what makes an estimator of a model that is none, for it predicts no labels of plain rows.
adapters_by_name: dict[str, Callable[[Any], Any]] = {}


def register(*types: type) -> Callable[[SomeBuilder], SomeBuilder]:
    """Register a function ``build(model, outcome) -> Region`` for the given model types and their subclasses.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise import regions
    >>> class Stump:
    ...     classes_ = np.array(["low", "high"])
    ...     n_features_in_ = 1
    ...     def predict(self, X):
    ...         return self.classes_[(np.asarray(X)[:, 0] > 3).astype(int)]
    >>> @regions.register(Stump)
    ... def stump_region(model, outcome):
    ...     sign = -1.0 if outcome.index == 1 else 1.0
    ...     return regions.polyhedron([[sign]], [3.0 * sign])
    >>> regions.region_of(Stump(), regions.Label(1)).accepts(np.array([[2.0], [4.0]]))
    array([False,  True])
    """

    def add(build: SomeBuilder) -> SomeBuilder:
        for kind in types:
            families[kind] = build
        return build

    return add


def register_by_name(*names: str) -> Callable[[SomeBuilder], SomeBuilder]:
    """Register as :func:`register` does, types given by module and name, which need not be installed."""

    def add(build: SomeBuilder) -> SomeBuilder:
        for name in names:
            families_by_name[name] = build
        return build

    return add


def register_adapter(*names: str) -> Callable[[SomeAdapter], SomeAdapter]:
    """Register what makes an estimator, with ``predict``, of models of types given by module and name."""

    def add(adapter: SomeAdapter) -> SomeAdapter:
        for name in names:
            adapters_by_name[name] = adapter
        return adapter

    return add


def as_estimator(model: Any) -> Any:
    """Give a model that predicts labels or numbers of plain rows: the model itself, or an estimator made of it."""
    for kind in type(model).__mro__:
        adapter = adapters_by_name.get(f"{kind.__module__}.{kind.__qualname__}")
        if adapter is not None:
            return adapter(model)
    return model


def is_adapter(model: Any) -> bool:
    """Whether a model is an estimator made of another one."""
    return type(model) in list(adapters_by_name.values())


def classes_of(model: Any) -> AnyArray | None:
    """Labels that a model predicts, in order; None for a regressor."""
    if hasattr(model, "classes_"):
        return np.asarray(model.classes_)
    return np.array([-1, 1]) if isinstance(model, OutlierMixin) else None


def builder_of(model: object) -> Builder:
    """Find the builder of a model through its type's method resolution order."""
    for kind in type(model).__mro__:
        if kind in families:
            return families[kind]
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in families_by_name:
            return families_by_name[name]
    by_name = {name.rpartition(".")[2] for name in families_by_name}
    made: list[Any] = list(adapters_by_name.values())
    supported = sorted({kind.__name__ for kind in families if kind not in made} | by_name)
    raise UnsupportedModelError(
        f"{type(model).__name__} is not a model family elsewise can describe exactly. Supported are: "
        f"{', '.join(supported)}; or a Pipeline that ends in one of them. "
        "Register your own with elsewise.regions.register."
    )


def region_of(model: object, outcome: Outcome) -> Region:
    """Region of model space where ``model`` decides for ``outcome``."""
    return builder_of(model)(model, outcome)
