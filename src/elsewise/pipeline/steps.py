"""Steps: a model taken apart into the transformers that data pass through and the final estimator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import joblib
from sklearn.pipeline import Pipeline

from ..arrays import Estimator
from ..errors import UnsupportedModelError
from ..models.wrappers import is_sampler, members_of, seen_through, with_members
from .side_by_side import SideBySide, side_by_side


class Step(NamedTuple):
    """A transformer and its name in the pipeline, ``outer__inner`` inside of others."""

    name: str
    transformer: Estimator

    @property
    def in_words(self) -> str:
        """What errors call it."""
        return f"step {self.name!r} ({type(self.transformer).__name__})"


def unwrap(model: Estimator) -> tuple[list[Step], Estimator]:
    """Split a model into its transformers and its final estimator.

    Parameters
    ----------
    model : estimator or Pipeline
        Pipelines inside of pipelines are flattened, their steps named ``outer__inner``; steps that pass data through
        are left out. Searches over parameters are seen through; pipelines inside of other wrappers, such as cut-offs
        and votes, are taken apart, and the wrapper is put around what they end in.

    Returns
    -------
    steps : list of Step
        Empty for a model that is no pipeline.
    estimator : estimator
    """
    model = seen_through(model)
    if not isinstance(model, Pipeline):
        return _around_members(model)
    *steps, (name, estimator) = model.steps
    if passes_through(estimator):
        raise UnsupportedModelError(
            f"The pipeline ends in step {name!r}, which is {estimator!r}; expected a classifier or a regressor there."
        )
    inner, estimator = unwrap(estimator)
    return [*flattened(steps), *(Step(f"{name}__{step.name}", step.transformer) for step in inner)], estimator


def unwrap_or_whole(model: Estimator) -> tuple[list[Step], Estimator]:
    """Split a model as :func:`unwrap` does, for words about it.

    One that cannot be taken apart is its own final estimator; where members have steps of their own, each kind is given
    once.
    """
    try:
        steps, estimator = unwrap(model)
    except UnsupportedModelError:
        return [], model
    if steps and isinstance(steps[-1].transformer, SideBySide):
        kinds = {type(own): Step(name, own) for part in steps[-1].transformer.parts for name, own in part}
        steps = [*steps[:-1], *kinds.values()]
    return steps, estimator


def _around_members(model: Estimator) -> tuple[list[Step], Estimator]:
    """Take the transformers out of what a wrapper decides by; those that differ are put side by side."""
    members = members_of(model)
    taken_apart = [unwrap(member) for member in members]
    if all(estimator is member for (_, estimator), member in zip(taken_apart, members)):
        return [], model
    steps = taken_apart[0][0]
    transforms = any(len(of_member) > 0 for of_member, _ in taken_apart)
    if transforms and any(len(seen) < model.n_features_in_ for seen in getattr(model, "estimators_features_", ())):
        raise UnsupportedModelError(
            f"The pipelines inside of {type(model).__name__} see some of the columns each (max_features); expected "
            f"all. Put the transformers before it: make_pipeline(transformer, {type(model).__name__}(...))."
        )
    if not all(_is_same(steps, others) for others, _ in taken_apart[1:]):
        together, wrapper = side_by_side(model, taken_apart)
        return [Step("members", together)], wrapper
    return steps, with_members(model, [estimator for _, estimator in taken_apart])


def _is_same(steps: Sequence[Step], others: Sequence[Step]) -> bool:
    """Whether fitted transformers are alike in every number."""
    return len(steps) == len(others) and all(
        joblib.hash(one.transformer) == joblib.hash(other.transformer) for one, other in zip(steps, others)
    )


def flattened(steps: Iterable[tuple[str, Estimator]], prefix: str = "") -> Iterator[Step]:
    """Return the steps one by one, inner pipelines taken apart, without those that pass data through."""
    for name, given in steps:
        transformer = seen_through(given)
        if isinstance(transformer, Pipeline):
            yield from flattened(transformer.steps, f"{prefix}{name}__")
        elif not passes_through(transformer):
            yield Step(f"{prefix}{name}", transformer)


def passes_through(transformer: object) -> bool:
    """Whether a step leaves data as they are."""
    if isinstance(transformer, str):
        return transformer == "passthrough"
    return transformer is None or is_sampler(transformer)
