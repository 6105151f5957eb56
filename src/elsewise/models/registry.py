"""The registry of model families: from a fitted model and an outcome to a region.

A family says where its models decide for an outcome. It may say, too, where their *response*, a probability or the
decision value, lies in a range: least probabilities, cut-offs and calibrations are built on that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import OutlierMixin

from ..arrays import AnyArray, Estimator
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..search import Region
from ..search.region import Label, Outcome, Probability, Response

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
# What makes a region of a fitted model and a range of its response, by model type and by full names.
ResponseBuilder = Callable[[Any, Response], Region]
SomeResponseBuilder = TypeVar("SomeResponseBuilder", bound=ResponseBuilder)
responses: dict[type, ResponseBuilder] = {}
responses_by_name: dict[str, ResponseBuilder] = {}


def register(*types: type) -> Callable[[SomeBuilder], SomeBuilder]:
    """Register a function ``build(model, outcome) -> Region`` for the given model types and their subclasses.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise import models
    >>> class Stump:
    ...     classes_ = np.array(["low", "high"])
    ...     n_features_in_ = 1
    ...     def predict(self, X):
    ...         return self.classes_[(np.asarray(X)[:, 0] > 3).astype(int)]
    >>> @models.register(Stump)
    ... def stump_region(model, outcome):
    ...     sign = -1.0 if outcome.index == 1 else 1.0
    ...     return models.polyhedron([[sign]], [3.0 * sign])
    >>> models.region_of(Stump(), models.Label(1)).accepts(np.array([[2.0], [4.0]]))
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


def register_response(*types: type) -> Callable[[SomeResponseBuilder], SomeResponseBuilder]:
    """Register a function ``build(model, response) -> Region`` for the given model types and their subclasses.

    ``response`` is a :class:`Probability` or a :class:`DecisionValue`: a range of what the model's own
    ``predict_proba`` or ``decision_function`` gives. With it the family takes ``min_probability``, cut-offs and
    calibrations.
    """

    def add(build: SomeResponseBuilder) -> SomeResponseBuilder:
        for kind in types:
            responses[kind] = build
        return build

    return add


def register_response_by_name(*names: str) -> Callable[[SomeResponseBuilder], SomeResponseBuilder]:
    """Register as :func:`register_response` does, types given by module and name, which need not be installed."""

    def add(build: SomeResponseBuilder) -> SomeResponseBuilder:
        for name in names:
            responses_by_name[name] = build
        return build

    return add


def as_estimator(model: Estimator) -> Any:
    """Return a model that predicts labels or numbers of plain rows: the model itself, or an estimator made of it."""
    for kind in type(model).__mro__:
        adapter = adapters_by_name.get(f"{kind.__module__}.{kind.__qualname__}")
        if adapter is not None:
            return adapter(model)
    return model


def is_adapter(model: Estimator) -> bool:
    """Whether a model is an estimator made of another one."""
    return type(model) in list(adapters_by_name.values())


def classes_of(model: Estimator) -> AnyArray | None:
    """Labels that a model predicts, in order; None for a regressor."""
    if hasattr(model, "classes_") and len(model.classes_) > 0:  # regressors of CatBoost have none
        return np.asarray(model.classes_)
    return np.array([-1, 1]) if isinstance(model, OutlierMixin) else None


SomeEntry = TypeVar("SomeEntry")


def _found(model: object, by_type: dict[type, SomeEntry], by_name: dict[str, SomeEntry]) -> SomeEntry | None:
    """Look a model up through its type's method resolution order."""
    for kind in type(model).__mro__:
        if kind in by_type:
            return by_type[kind]
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in by_name:
            return by_name[name]
    return None


def builder_of(model: object) -> Builder:
    """Find the builder of a model through its type's method resolution order."""
    found = _found(model, families, families_by_name)
    if found is not None:
        return found
    by_name = {name.rpartition(".")[2] for name in families_by_name}
    made_here = f"{__package__}."  # estimators made of others, which nobody trains
    by_type = {kind.__name__ for kind in families if not kind.__module__.startswith(made_here)}
    supported = sorted(by_type | by_name)
    raise UnsupportedModelError(
        f"{type(model).__name__} is not a model family elsewise can describe exactly. Supported are: "
        f"{', '.join(supported)}; or a Pipeline that ends in one of them. "
        "Register your own with elsewise.models.register."
    )


def region_of(model: object, outcome: Outcome) -> Region:
    """Region of model space where ``model`` decides for ``outcome``, or gives it the least probability asked for."""
    asked = asked_of(model, outcome)
    if isinstance(asked, Probability):
        return response_region_of(model, asked)
    return builder_of(model)(model, asked)


def asked_of(model: object, outcome: Outcome) -> Outcome | Probability:
    """Return the range of probabilities that a label with a least one stands for; other outcomes as they are."""
    if not isinstance(outcome, Label) or outcome.min_probability is None:
        return outcome
    p = outcome.min_probability
    if not 0 < p <= 1:
        raise InvalidInputError(
            f"min_probability of {type(model).__name__} must be a number p with 0 < p <= 1, received {p!r}."
        )
    return Probability(outcome.index, low=p)


def response_region_of(model: object, response: Response) -> Region:
    """Region of model space where a response of ``model`` lies in a range."""
    build = _found(model, responses, responses_by_name)
    if build is None:
        builder_of(model)
        what = "probabilities" if isinstance(response, Probability) else "decision values"
        raise UnsupportedSettingError(
            f"Where the {what} of {type(model).__name__} lie in a range is not known: min_probability, cut-offs and "
            "calibrations need that. Leave min_probability out, or use LogisticRegression, a tree or a forest."
        )
    return build(model, response)
