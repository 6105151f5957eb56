r"""Means of scores of trees: soft votes, calibrated folds and stacks of forests and boosting, of two classes.

The second class has the probability :math:`\sum_f w_f\, g_f(s_f(x))`, or, in a stack, the logistic function of such a
sum and a constant: scores :math:`s_f` are sums of trees, links :math:`g_f` are the score itself (shares in the leaves
of a forest), its logistic function (boosting), or what a calibration makes of it (a sigmoid, a line through knots).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier

from ...arrays import Estimator
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.region import DecisionValue, Outcome, Probability, Response, require_label
from ...search.relaxations.tree_sums.decisions import Link, Mean, Range
from ...search.relaxations.tree_sums.trees import TreeSum
from ..linear import is_linear_classifier, is_logistic, scores
from ..registry import builder_of, register, register_response, response_region_of
from ..trees import EnsembleRegion
from .averages import ROUNDING_SAFETY, weighted_members
from .members import seen_through, with_trees_as_sums

# How far what libraries make of scores may be from links: exponentials and sums in double precision, and in 32 bits.
LINK_DOUBT, SINGLE_LINK_DOUBT = 1e-14, 1e-6
# How far probabilities may be from the logistic function of their log odds, and the ends of those that have any.
PROBABILITY_ROUNDING = 8 * float(np.finfo(np.float64).eps)
SMALLEST, LARGEST = float(np.finfo(np.float64).tiny), 1.0 - float(np.finfo(np.float64).epsneg)
# Scores of a probability of a half, and of what the logistic function makes of one, up to 32-bit rounding.
SCORE_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One term of a sum: a weight times a link of a score.

    Attributes
    ----------
    weight : float
    trees : TreeSum
        With one score, in double precision.
    link : Link
    doubt : float
        How far the member's own value may be from that of the link.
    """

    weight: float
    trees: TreeSum
    link: Link
    doubt: float

    def times(self, share: float) -> Term:
        """Return the term with another weight."""
        return replace(self, weight=self.weight * share)


@dataclass(frozen=True, slots=True, eq=False)
class MeanOfScores:
    """A number from which a model decides between two classes.

    Attributes
    ----------
    terms : list of Term
    constant : float
    is_log_odds : bool
        It is the log odds of the second class, not its probability.
    """

    terms: list[Term]
    constant: float = 0.0
    is_log_odds: bool = False

    def region_of_label(self, index: int) -> EnsembleRegion:
        """Region where a class is the more probable one; ties are left to the model."""
        half = 0.0 if self.is_log_odds else 0.5
        return self._at_least(half, 1.0) if index == 1 else self._at_least(-half, -1.0)

    def region_of_range(self, wanted: Probability) -> EnsembleRegion:
        """Region where the probability of a class is at least, or at most, so large."""
        low, high = max(wanted.low, 0.0), min(wanted.high, 1.0)
        if low > 0.0 and high < 1.0:
            raise UnsupportedSettingError(
                "A probability of a mean of scores is supported with one end, received a range with two: "
                f"({wanted.low}, {wanted.high})."
            )
        if wanted.index == 0:
            low, high = 1.0 - high, 1.0 - low
        if low > 0.0:
            return self._at_least(_log_odds(low, -1.0) if self.is_log_odds else low, 1.0)
        return self._at_least(-(_log_odds(high, 1.0) if self.is_log_odds else high), -1.0)

    def _at_least(self, least: float, sign: float) -> EnsembleRegion:
        """Region where the number, times a sign, is at least so large."""
        n, wide = len(self.terms), []
        for place, term in enumerate(self.terms):
            value, base = np.zeros((len(term.trees.value), n)), np.zeros(n)
            value[:, place], base[place] = term.trees.value[:, 0], term.trees.base[0]
            wide.append(replace(term.trees, value=value, base=base))
        together = replace(wide[0].joined(wide[1:]), base=np.sum([one.base for one in wide], axis=0), doubt=0.0)
        weights = np.array([sign * term.weight for term in self.terms])
        ends = np.array([_ends(term.trees) for term in self.terms])
        doubt = float(sum(abs(term.weight) * term.doubt for term in self.terms)) + LINK_DOUBT * (1.0 + abs(least))
        needed = least - sign * self.constant
        links = tuple(term.link for term in self.terms)
        return EnsembleRegion(together, Mean(weights, links, needed, ends[:, 0], ends[:, 1], doubt))


def _log_odds(probability: float, way: float) -> float:
    """Log odds of an end of a range of probabilities, moved out by the rounding of those next to one."""
    if probability >= 1.0 and way > 0.0:
        return np.inf
    return float(logit(np.clip(probability + way * PROBABILITY_ROUNDING, SMALLEST, LARGEST)))


def _ends(trees: TreeSum) -> tuple[float, float]:
    """Least and largest score of all leaves, with room for rounding."""
    low = high = float(trees.base[0])
    ends = np.append(trees.roots[1:], len(trees.feature))
    for first, end in zip(trees.roots.tolist(), ends.tolist()):
        values = trees.value[first:end, 0][trees.feature[first:end] < 0]
        low, high = low + float(values.min()), high + float(values.max())
    room = ROUNDING_SAFETY * trees.rounding()
    return low - room, high + room


def mean_of_scores(model: Estimator) -> MeanOfScores:
    """Read a soft vote, calibrated folds or a stack of trees, of two classes; refuse what is something else."""
    if len(model.classes_) != 2:
        raise UnsupportedModelError(
            f"{type(model).__name__} of {len(model.classes_)} classes: a mean of probabilities is described exactly "
            "for decision trees and forests, and for two classes."
        )
    if not isinstance(model, StackingClassifier):
        return MeanOfScores(_probability(model))
    final = seen_through(model.final_estimator_)
    if not is_linear_classifier(final) or model.passthrough:
        raise UnsupportedModelError(
            "StackingClassifier is described exactly with a linear final estimator that sees its members alone, "
            f"received {type(final).__name__} and passthrough={model.passthrough}."
        )
    weights, intercept = scores(final)
    terms: list[Term] = []
    for member, method, weight in zip(model.estimators_, model.stack_method_, weights[0].tolist(), strict=True):
        if method not in ("predict_proba", "decision_function"):
            raise UnsupportedModelError(f"StackingClassifier: stack_method {method!r} has no exact description.")
        read = _probability(seen_through(member)) if method == "predict_proba" else [_decision(seen_through(member))]
        terms += [term.times(weight) for term in read]
    return MeanOfScores(terms, float(intercept[0]), is_log_odds=True)


def _probability(model: Estimator) -> list[Term]:
    """Read the probability of the second class as a sum of terms."""
    model = seen_through(model)
    if len(model.classes_) != 2:
        raise UnsupportedModelError(f"A member, {type(model).__name__}, knows {len(model.classes_)} classes, not two.")
    if isinstance(model, VotingClassifier) and model.voting == "soft":
        members, weights = weighted_members(model)
        return [term.times(w / weights.sum()) for one, w in zip(members, weights) for term in _probability(one)]
    if isinstance(model, CalibratedClassifierCV):
        folds = model.calibrated_classifiers_
        return [_calibrated(fold).times(1.0 / len(folds)) for fold in folds]
    region = _tree_response(model, Probability(1, 0.5, np.inf))
    low = [_range(_tree_response(model, Probability(1, float(expit(s)), np.inf))).low for s in (-2.0, 0.0, 1.0)]
    if np.allclose(low, expit([-2.0, 0.0, 1.0]), rtol=0.0, atol=SCORE_ROUNDING):
        return [_term(region.trees, Link())]
    steepness = _multiple_of(model, low, [-2.0, 0.0, 1.0])
    return [_term(region.trees, Link(slope=float(steepness), is_logistic=True))]


def _decision(model: Estimator) -> Term:
    """Read a decision value as a term; some are multiples of the sum of trees."""
    trees = _tree_response(model, DecisionValue(-np.inf, np.inf)).trees
    low = [_range(_tree_response(model, DecisionValue(s, np.inf))).low for s in (-1.0, 0.0, 1.0)]
    multiple = _multiple_of(model, low, [-1.0, 0.0, 1.0])
    return _term(replace(trees, divisor=trees.divisor / multiple), Link())


def _multiple_of(model: Estimator, scores: list[float], values: list[float]) -> int:
    """Return what scores are multiplied by to become values, a whole number; refuse the model if there is none."""
    multiple = round(1.0 / scores[-1]) if scores[-1] > 0.0 else 0
    if multiple < 1 or not np.allclose(np.array(scores) * multiple, values, rtol=0.0, atol=SCORE_ROUNDING):
        raise _unknown(model)
    return multiple


def _calibrated(fold: Any) -> Term:
    """Read one calibrated fold: what the calibration makes of a decision value, or else of a probability."""
    member = seen_through(fold.estimator)
    (calibrator, *others) = fold.calibrators
    if hasattr(member, "decision_function"):
        term = _decision(member)
    else:
        terms = _probability(member)
        term = terms[0]
        if len(terms) > 1 or not term.link.is_line:
            raise _unknown(member)
    if others or fold.method not in ("sigmoid", "isotonic"):
        raise UnsupportedModelError(
            f"CalibratedClassifierCV: the method {fold.method!r} has no exact description here."
        )
    if fold.method == "sigmoid":
        link = Link(slope=-float(calibrator.a_), offset=-float(calibrator.b_), is_logistic=True)
    else:
        link = Link(x=np.asarray(calibrator.X_thresholds_, float), y=np.asarray(calibrator.y_thresholds_, float))
    return replace(term, link=link, doubt=link.steepest() * term.doubt + LINK_DOUBT)


def _tree_response(model: Estimator, response: Response) -> EnsembleRegion:
    """Read a response as a sum of trees with one score, or refuse the model."""
    builder_of(model)
    region = response_region_of(with_trees_as_sums(model), response)
    if not isinstance(region, EnsembleRegion) or region.trees.n_scores != 1:
        raise _unknown(model)
    return region


def _range(region: EnsembleRegion) -> Range:
    assert isinstance(region.decision, Range)
    return region.decision


def _unknown(model: Estimator) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"A mean with {type(model).__name__} in it has no exact description: members are decision trees, forests, and "
        "boosting with a logistic link; calibrations are those of a decision value or of a forest's probability."
    )


def _term(trees: TreeSum, link: Link) -> Term:
    """Make a term of a sum of trees, in double precision."""
    plain = replace(
        trees, value=trees.value / trees.divisor, base=trees.base / trees.divisor, divisor=1.0, single=False
    )
    off = ROUNDING_SAFETY * (trees.rounding() / trees.divisor + plain.rounding())
    of_link = SINGLE_LINK_DOUBT if trees.single else LINK_DOUBT
    return Term(1.0, replace(plain, doubt=0.0), link, link.steepest() * off + of_link)


@register(StackingClassifier)
def stacked_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a class that a linear model of the members' probabilities chooses."""
    return mean_of_scores(model).region_of_label(require_label(model, outcome).index)


@register_response(StackingClassifier)
def response_of_stack(model: Estimator, response: Response) -> Region:
    """Region where the probability of a stack lies above or below a number."""
    if not isinstance(response, Probability) or not is_logistic(seen_through(model.final_estimator_)):
        raise UnsupportedSettingError(
            "StackingClassifier: probabilities are supported with a logistic final estimator, decision values are not."
        )
    return mean_of_scores(model).region_of_range(response)
