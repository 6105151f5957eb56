"""The registry of model families: from a fitted model and an outcome to a region.

A family says where its models decide for an outcome. It may say, too, where their *response*, a probability or the
decision value, lies in a range: least probabilities, cut-offs and calibrations are built on that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..search import Region
from .outcomes import Label, Outcome, Probability, Response

# What makes a region of a fitted model of its family, whatever type that has, and an outcome.
Builder = Callable[[Any, Outcome], Region]
SomeBuilder = TypeVar("SomeBuilder", bound=Builder)
# Builders by model type.
families: dict[type, Builder] = {}
# The same by full names, for types of libraries that are not imported before someone has a model of theirs.
families_by_name: dict[str, Builder] = {}
# What makes a region of a fitted model and a range of its response, by model type and by full names.
ResponseBuilder = Callable[[Any, Response], Region]
SomeResponseBuilder = TypeVar("SomeResponseBuilder", bound=ResponseBuilder)
_responses: dict[type, ResponseBuilder] = {}
_responses_by_name: dict[str, ResponseBuilder] = {}
# Known, but only to say why they are refused.
_REFUSED = ("catboost.", "xgboost.core.", "lightgbm.basic.")


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


def register_response(*types: type) -> Callable[[SomeResponseBuilder], SomeResponseBuilder]:
    """Register a function ``build(model, response) -> Region`` for the given model types and their subclasses.

    ``response`` is a :class:`Probability` or a :class:`DecisionValue`: a range of what the model's own
    ``predict_proba`` or ``decision_function`` gives. With it the family takes ``min_probability``, cut-offs and
    calibrations.
    """

    def add(build: SomeResponseBuilder) -> SomeResponseBuilder:
        for kind in types:
            _responses[kind] = build
        return build

    return add


def register_response_by_name(*names: str) -> Callable[[SomeResponseBuilder], SomeResponseBuilder]:
    """Register as :func:`register_response` does, types given by module and name, which need not be installed."""

    def add(build: SomeResponseBuilder) -> SomeResponseBuilder:
        for name in names:
            _responses_by_name[name] = build
        return build

    return add


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
    supported = sorted({kind.__name__ for kind in families} | _supported_by_name())
    raise UnsupportedModelError(
        f"{type(model).__name__} is not a model family elsewise can describe exactly. Supported are: "
        f"{', '.join(supported)}; or a Pipeline that ends in one of them. "
        "Register your own with elsewise.regions.register."
    )


def _supported_by_name() -> set[str]:
    """Names of types of other libraries, those that are known only to be refused left out."""
    return {name.rsplit(".", 1)[1] for name in families_by_name if not name.startswith(_REFUSED)}


def region_of(model: object, outcome: Outcome) -> Region:
    """Region of model space where ``model`` decides for ``outcome``, or gives it the least probability asked for."""
    if isinstance(outcome, Label) and outcome.min_probability is not None:
        p = outcome.min_probability
        if not 0 < p <= 1:
            raise InvalidInputError(
                f"min_probability of {type(model).__name__} must be a number p with 0 < p <= 1, received {p!r}."
            )
        return response_region_of(model, Probability(outcome.index, low=p))
    return builder_of(model)(model, outcome)


def response_region_of(model: object, response: Response) -> Region:
    """Region of model space where a response of ``model`` lies in a range."""
    build = _found(model, _responses, _responses_by_name)
    if build is None:
        builder_of(model)
        what = "probabilities" if isinstance(response, Probability) else "decision values"
        raise UnsupportedSettingError(
            f"Where the {what} of {type(model).__name__} lie in a range is not known: min_probability, cut-offs and "
            "calibrations need that. Leave min_probability out, or use LogisticRegression, a tree or a forest."
        )
    return build(model, response)
