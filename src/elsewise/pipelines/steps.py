"""Steps: a model taken apart into the transformers that data pass through and the final estimator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from ..errors import UnsupportedModelError


class Step(NamedTuple):
    """A transformer and its name in the pipeline, ``outer__inner`` inside of others."""

    name: str
    transformer: Any

    @property
    def in_words(self) -> str:
        """What errors call it."""
        return f"step {self.name!r} ({type(self.transformer).__name__})"


def unwrap(model: Any) -> tuple[list[Step], Any]:
    """Split a model into its transformers and its final estimator.

    Parameters
    ----------
    model : estimator or Pipeline
        Pipelines inside of pipelines are flattened, their steps named ``outer__inner``; steps that pass data through
        are left out.

    Returns
    -------
    steps : list of Step
        Empty for a model that is no pipeline.
    estimator : estimator
    """
    if not isinstance(model, Pipeline):
        return [], model
    *steps, (name, estimator) = model.steps
    if passes_through(estimator):
        raise UnsupportedModelError(
            f"The pipeline ends in step {name!r}, which is {estimator!r}; expected a classifier or a regressor there."
        )
    inner, estimator = unwrap(estimator)
    return [*flattened(steps), *(Step(f"{name}__{step.name}", step.transformer) for step in inner)], estimator


def flattened(steps: Iterable[tuple[str, Any]], prefix: str = "") -> Iterator[Step]:
    """Give the steps one by one, inner pipelines taken apart, without those that pass data through."""
    for name, transformer in steps:
        if isinstance(transformer, Pipeline):
            yield from flattened(transformer.steps, f"{prefix}{name}__")
        elif not passes_through(transformer):
            yield Step(f"{prefix}{name}", transformer)


def passes_through(transformer: object) -> bool:
    """Whether a step leaves data as they are."""
    return transformer is None or (isinstance(transformer, str) and transformer == "passthrough")
