"""Votes of classifiers: sums of trees where probabilities of trees are averaged, else the ways in which a class wins.

Where every member of a vote decides by polyhedra, a class wins in finitely many ways: some members vote for it, some
for others, and every way is an intersection of members' polyhedra. Members whose vote does not matter are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.ensemble._forest import ForestClassifier
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier

from ...arrays import Estimator, FloatArray, IntArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.region import Label, Outcome, Probability, Response, require_label
from ...search.relaxations.polyhedra import PolyhedronUnion, union
from ...search.relaxations.tree_sums.decisions import Largest, Range
from ...search.relaxations.tree_sums.trees import TreeSum
from ..linear import halfspaces
from ..registry import builder_of, region_of, register, register_response, response_region_of
from ..trees import EnsembleRegion
from ..trees.of_trees import bagging_classifier_region, bagging_trees, one_tree
from ..unit_sums.means import MeanProbability, mean_of_logistic
from .averages import averaged_trees, rounding_of_average, weighted_members
from .means import mean_of_scores
from .members import seen_through

# Polyhedra of one class, beyond which a vote is refused.
MOST_POLYHEDRA_OF_VOTES = 5_000
# Votes of all members together, beyond which they are not listed.
MOST_BALLOTS = 100_000


@register(VotingClassifier)
def voting_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a class that wins a vote, or has the largest mean of probabilities."""
    label = require_label(model, outcome)
    if isinstance(model.le_, list):
        raise UnsupportedSettingError("This VotingClassifier was fitted on several labels a row; expected one.")
    members, weights = weighted_members(model)
    if len(members) == 1:
        return region_of(members[0], label)
    if model.voting == "hard":
        everything = [np.arange(model.n_features_in_)] * len(members)
        return _most_votes_region(model, members, weights, everything, label.index)
    mean = _mean_of_voting(model, members, weights)
    if mean is not None:
        return mean.region_of_label(label.index)
    if len(model.classes_) == 2 and not all(_averages_shares(member) for member in members):
        return mean_of_scores(model).region_of_label(label.index)
    trees = [_probability_trees(member, model) for member in members]
    together = averaged_trees(trees, weights)
    base = together.base.copy()
    base[label.index] += rounding_of_average(trees, together)  # what is as probable up to rounding is left to predict
    return EnsembleRegion(replace(together, base=base), Largest(label.index))


@register_response(VotingClassifier)
def response_of_voting(model: Estimator, response: Response) -> Region:
    """Region where the mean of the probabilities of trees lies in a range."""
    members, weights = weighted_members(model)
    if model.voting == "hard" or not isinstance(response, Probability):
        raise UnsupportedSettingError("VotingClassifier has probabilities with voting='soft', and no decision values.")
    if len(members) == 1:
        return response_region_of(members[0], response)
    mean = _mean_of_voting(model, members, weights)
    if mean is not None:
        return mean.region_of_range(response)
    if len(model.classes_) == 2 and not all(_averages_shares(member) for member in members):
        return mean_of_scores(model).region_of_range(response)
    trees = [_probability_trees(member, model) for member in members]
    together = averaged_trees(trees, weights)
    slack = rounding_of_average(trees, together)
    return EnsembleRegion(together.only(response.index), Range(response.low - slack, response.high + slack))


@register(BaggingClassifier)
def bagged_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a class of bagged trees, or of bagged classifiers that vote."""
    label = require_label(model, outcome)
    members = [seen_through(member) for member in model.estimators_]
    if all(isinstance(member, DecisionTreeClassifier) for member in members):
        return bagging_classifier_region(model, outcome)
    sees_all = all(len(seen) == model.n_features_in_ for seen in model.estimators_features_)
    if len(members) == 1 and sees_all and len(members[0].classes_) == len(model.classes_):
        return region_of(members[0], label)
    weights = np.ones(len(members))
    if hasattr(members[0], "predict_proba"):
        mean = mean_of_logistic(members, weights, model.estimators_features_, model.n_features_in_)
        if mean is None or len(model.classes_) > 2:
            raise _mean_of_probabilities(model, members[0])
        return mean.region_of_label(label.index)
    return _most_votes_region(model, members, weights, model.estimators_features_, label.index)


@register_response(BaggingClassifier)
def response_of_bagged(model: Estimator, response: Response) -> Region:
    """Region where the mean of the shares of classes in leaves lies in a range."""
    members = [seen_through(member) for member in model.estimators_]
    mean = mean_of_logistic(members, np.ones(len(members)), model.estimators_features_, model.n_features_in_)
    if mean is not None and isinstance(response, Probability) and len(model.classes_) == 2:
        return mean.region_of_range(response)
    if not isinstance(response, Probability) or not all(isinstance(one, DecisionTreeClassifier) for one in members):
        raise UnsupportedSettingError(
            "Probabilities of BaggingClassifier are supported over decision trees, received "
            f"{type(members[0]).__name__} in it. Leave min_probability out, or use a BaggingClassifier of trees."
        )
    return EnsembleRegion(bagging_trees(model).only(response.index), Range(response.low, response.high))


def _mean_of_voting(model: Estimator, members: list[Estimator], weights: FloatArray) -> MeanProbability | None:
    """Return the mean of a soft vote of logistic models of two classes; None if it is something else."""
    everything = [np.arange(model.n_features_in_)] * len(members)
    return mean_of_logistic(members, weights, everything, model.n_features_in_)


def _mean_of_probabilities(model: Estimator, member: Estimator) -> UnsupportedModelError:
    builder_of(member)
    return UnsupportedModelError(
        f"{type(model).__name__} averages the probabilities of {type(member).__name__}: a mean of probabilities is "
        "described exactly for decision trees, forests, and logistic models of two classes. Use voting='hard' "
        "(VotingClassifier), one "
        "model, or members that are trees."
    )


def _averages_shares(member: Estimator) -> bool:
    """Whether the probabilities of a classifier are averages of shares in leaves."""
    if isinstance(member, BaggingClassifier):
        return isinstance(member.estimators_[0], DecisionTreeClassifier)
    return isinstance(member, (DecisionTreeClassifier, ForestClassifier))


def _probability_trees(member: Estimator, model: Estimator) -> TreeSum:
    """Read a classifier whose probabilities are averages of shares in leaves."""
    if isinstance(member, DecisionTreeClassifier):
        everything = np.arange(model.n_features_in_)
        return one_tree(member.tree_, member.tree_.value[:, 0, :], model.n_features_in_, everything)
    if _averages_shares(member):
        region = region_of(member, Label(0))
        assert isinstance(region, EnsembleRegion)
        return region.trees
    raise _mean_of_probabilities(model, member)


def _most_votes_region(
    model: Estimator, members: list[Estimator], weights: FloatArray, features: list[IntArray], index: int
) -> Region:
    """Region where a class gets the largest sum of weights, the first of those that are equal."""
    n_classes, n_features = len(model.classes_), model.n_features_in_
    if all(isinstance(member, BaseDecisionTree) for member in members):
        read = []
        for member, weight, seen in zip(members, weights, features):
            voted = member.classes_.astype(np.int64)[member.tree_.value[:, 0, :].argmax(axis=1)]
            read.append(one_tree(member.tree_, weight * np.eye(n_classes)[voted], n_features, seen))
        return EnsembleRegion(read[0].joined(read[1:]), Largest(index))
    too_many = UnsupportedModelError(
        f"In this {type(model).__name__} of {len(members)} members a class wins in more than "
        f"{MOST_POLYHEDRA_OF_VOTES} ways. Use fewer members, or members that are decision trees."
    )
    if n_classes ** len(members) > MOST_BALLOTS:
        raise too_many
    cells = [_polyhedra_by_class(model, *one, n_classes) for one in zip(members, features)]
    found: list[tuple[FloatArray, FloatArray]] = []
    for ballot in _winning_ballots(weights, n_classes, index):
        for chosen in product(*(cells[member][vote] for member, vote in ballot)):
            A, b = np.vstack([A for A, _ in chosen]), np.concatenate([b for _, b in chosen])
            region = halfspaces(A, b)
            found += [region.polyhedron(i) for i in range(region.n_polyhedra)]
            if len(found) > MOST_POLYHEDRA_OF_VOTES:
                raise too_many
    return union(found, n_features=n_features)


def _polyhedra_by_class(
    model: Estimator, member: Estimator, features: IntArray, n_classes: int
) -> list[list[tuple[FloatArray, FloatArray]]]:
    """Polyhedra of each class of the vote that a member decides for, in all features."""
    found: list[list[tuple[FloatArray, FloatArray]]] = [[] for _ in range(n_classes)]
    for index, label in enumerate(member.classes_.astype(np.int64).tolist()):
        region = region_of(member, Label(index))
        if not isinstance(region, PolyhedronUnion):
            raise UnsupportedModelError(
                f"{type(model).__name__} with votes is supported over linear models and decision trees, received "
                f"{type(member).__name__} in it."
            )
        for place in range(region.n_polyhedra):
            A, b = region.polyhedron(place)
            wide = np.zeros((len(A), model.n_features_in_))
            wide[:, features[: A.shape[1]]] = A  # a tree may see the first of them alone
            found[label].append((wide, b))
    return found


def _winning_ballots(weights: FloatArray, n_classes: int, index: int) -> Iterator[list[tuple[int, int]]]:
    """Votes (member, class) with which a class wins whatever the other members vote."""
    if n_classes == 2:
        yield from _winning_coalitions(weights, index)
        return
    order = np.argsort(-weights, kind="stable").tolist()
    seen: set[frozenset[tuple[int, int]]] = set()

    def wins(sums: FloatArray, left: float) -> bool | None:
        rivals = np.delete(sums, index)
        first = np.delete(np.arange(n_classes), index) < index
        own = sums[index]
        if ((rivals > own + left) | (first & (rivals >= own + left))).any():
            return False
        return True if (np.where(first, own > rivals + left, own >= rivals + left)).all() else None

    def go_on(place: int, ballot: list[tuple[int, int]], sums: FloatArray) -> Iterator[list[tuple[int, int]]]:
        left = float(weights[order[place:]].sum())
        decided = wins(sums, left)
        if decided is not None:
            own = np.zeros(n_classes)
            own[index] = sums[index]
            alone = decided and wins(own, float(weights.sum() - sums[index]))
            kept = [vote for vote in ballot if vote[1] == index] if alone else ballot
            if decided and frozenset(kept) not in seen:
                seen.add(frozenset(kept))
                yield kept
            return
        for vote in range(n_classes):
            more = sums.copy()
            more[vote] += weights[order[place]]
            yield from go_on(place + 1, [*ballot, (order[place], vote)], more)

    yield from go_on(0, [], np.zeros(n_classes))


def _winning_coalitions(weights: FloatArray, index: int) -> Iterator[list[tuple[int, int]]]:
    """Smallest sets of members whose votes for one of two classes are enough."""
    total = float(weights.sum())

    def enough(own: float) -> bool:
        return own >= total - own if index == 0 else own > total - own

    for size in range(1, len(weights) + 1):
        for members in combinations(range(len(weights)), size):
            own = float(weights[list(members)].sum())
            if enough(own) and not any(enough(own - float(weights[member])) for member in members):
                yield [(member, index) for member in members]
