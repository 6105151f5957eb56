r"""Theorem 2 as code: when a plausible counterfactual does not depend on the model.

With :math:`\mathcal X_\delta(c)` the points where class ``c`` is at least :math:`\delta`-dense, the model-free
counterfactual of ``x`` is :math:`x_* = \arg\min_{z \in \mathcal X_\delta(c)} \theta(z, x)`. If the model decides for
``c`` there, dropping the classification constraint changes nothing (Theorem modelfreecounterfactuals:localversion).

Densities are the explainer's: :math:`\mathcal X_\delta(c)` is where one component of the class's mixture reaches the
threshold (Eq. gmm:approx), and :math:`p(x, y)` is the share of ``y`` among the training rows times the mixture of ``y``
(Eq. gmm).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .arrays import AnyArray, BoolArray, FloatArray, IntArray, UserTarget
from .errors import InvalidInputError
from .explainer import Explainer
from .questions import Options
from .questions.explain import explain_rows
from .table.frames import as_table, rows_of

if TYPE_CHECKING:
    from .table.types import UserRows


@dataclass(frozen=True, slots=True, eq=False)
class ModelFreeCounterfactuals:
    """Nearest points that are dense enough for the target, whatever the model says of them.

    Attributes
    ----------
    points : data frame or array of shape (n_samples, n_columns)
        In the columns of the rows; missing values where the target's mixture reaches the threshold nowhere.
    distances : array of shape (n_samples,)
        Infinite where there is no point.
    lower_bounds : array of shape (n_samples,)
        No point that is dense enough is nearer, proven by duality.
    log_densities : array of shape (n_samples,)
        Component-wise maximum (Eq. gmm:approx) at the points, at least the threshold.
    classified_as_target : bool array of shape (n_samples,)
        The model's own ``predict`` gives the target there: Theorem 2 holds for this row and target.
    """

    points: UserRows
    distances: FloatArray
    lower_bounds: FloatArray
    log_densities: FloatArray
    classified_as_target: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class LocalPerfection:
    """Where a classifier is locally delta-sufficient perfect (Definition locallyperfectclassifier), row by row.

    Attributes
    ----------
    holds : bool array of shape (n_samples,)
    prediction_agrees : bool array of shape (n_samples,)
        ``h(x) = argmax_y p(x, y)``, and equal to the true label if one was given.
    likeliest : array of labels of shape (n_samples,)
        ``argmax_y p(x, y)``.
    log_joint_densities : array of shape (n_samples, n_classes)
        ``log p(x, y)`` in the order of ``explainer.classes_``.
    counterfactuals : tuple of ModelFreeCounterfactuals
        One for each class, in the order of ``explainer.classes_``.
    """

    holds: BoolArray
    prediction_agrees: BoolArray
    likeliest: AnyArray
    log_joint_densities: FloatArray
    counterfactuals: tuple[ModelFreeCounterfactuals, ...]

    @property
    def classified_as_target(self) -> BoolArray:
        """``h(x_*) = c`` for each row and class, array of shape (n_samples, n_classes)."""
        return np.column_stack([each.classified_as_target for each in self.counterfactuals])


@dataclass(frozen=True, slots=True, eq=False)
class NearestTrainingRows:
    """Nearest training rows of every class, and whether the model classifies them correctly.

    Attributes
    ----------
    holds : bool array of shape (n_samples,)
        All of them are classified correctly.
    correct : bool array of shape (n_samples, n_classes)
        All those of one class are.
    indices : int array of shape (n_samples, n_classes, n_neighbors)
        Their positions in the training rows, nearest first; -1 where a class has fewer rows.
    """

    holds: BoolArray
    correct: BoolArray
    indices: IntArray


def model_free_counterfactuals(explainer: Explainer, X: ArrayLike, target: UserTarget) -> ModelFreeCounterfactuals:
    """Find the nearest points that are dense enough for the target, without asking the model.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier, with a density
    X : array or data frame of shape (n_samples, n_columns)
    target : label, or a sequence with one label for each row

    Returns
    -------
    ModelFreeCounterfactuals
    """
    classes = _require_densities(explainer)
    if target is None:
        raise InvalidInputError(f"A model-free counterfactual needs a target: one of {classes.tolist()}.")
    found = explain_rows(explainer.fitted_, X, target, Options(), n_jobs=explainer.n_jobs, use_model=False)
    exists = found.found
    as_target = np.zeros(len(found), dtype=np.bool_)
    wanted = np.array(found.targets, dtype=classes.dtype)
    as_target[exists] = _predictions(explainer, rows_of(found.counterfactuals, exists)) == wanted[exists]
    return ModelFreeCounterfactuals(
        points=found.counterfactuals,
        distances=np.where(exists, found.distances, np.inf),
        lower_bounds=found.lower_bounds,
        log_densities=found.log_densities,
        classified_as_target=as_target,
    )


def model_free_theorem_applies(explainer: Explainer, X: ArrayLike, target: UserTarget) -> BoolArray:
    """Return for which rows the counterfactual of a target is model-free (Theorem 2), bool array of shape (n_samples,).

    True means ``h(x_*) = target`` at the model-free counterfactual: every classifier that says so there has the same
    plausible counterfactual.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier, with a density
    X : array or data frame of shape (n_samples, n_columns)
    target : label, or a sequence with one label for each row
    """
    return model_free_counterfactuals(explainer, X, target).classified_as_target


def is_locally_sufficient_perfect(explainer: Explainer, X: ArrayLike, y: ArrayLike | None = None) -> LocalPerfection:
    r"""Check where the model is locally delta-sufficient perfect (Definition locallyperfectclassifier).

    The model ``h`` is so at ``(x, y)`` if :math:`h(x) = \arg\max_{y_i} p(x, y_i) = y` and :math:`h(x_*) = c` for
    every other class ``c``, with :math:`x_*` the model-free counterfactual of ``x`` for ``c``.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier, with a density
    X : array or data frame of shape (n_samples, n_columns)
    y : array of labels of shape (n_samples,), optional
        The true labels; without them the likeliest class stands for the truth.

    Returns
    -------
    LocalPerfection
    """
    classes = _require_densities(explainer)
    log_joint = _log_joint_densities(explainer, _rows(explainer, X))
    likeliest = log_joint.argmax(axis=1)
    agrees = np.asarray(_predictions(explainer, X) == classes[likeliest], dtype=np.bool_)
    truth = likeliest
    if y is not None:
        truth = _class_positions(np.asarray(y), classes, len(agrees), "y")
        agrees &= truth == likeliest
    counterfactuals = tuple(model_free_counterfactuals(explainer, X, label) for label in classes)
    reached = np.column_stack([each.classified_as_target for each in counterfactuals])
    reached[np.arange(len(agrees)), truth] = True  # only the other classes count
    return LocalPerfection(
        holds=agrees & reached.all(axis=1),
        prediction_agrees=agrees,
        likeliest=classes[likeliest],
        log_joint_densities=log_joint,
        counterfactuals=counterfactuals,
    )


def nearest_training_rows_correct(
    explainer: Explainer, X: ArrayLike, X_train: ArrayLike, y_train: ArrayLike, *, n_neighbors: int = 5
) -> NearestTrainingRows:
    """Check the paper's practical sign of local perfection: the nearest training rows are classified correctly.

    It needs no density. The nearest rows of every class count, in the explainer's own distance.

    Parameters
    ----------
    explainer : fitted Explainer of a classifier
    X : array or data frame of shape (n_samples, n_columns)
    X_train : array or data frame of shape (n_training, n_columns)
    y_train : array of labels of shape (n_training,)
    n_neighbors : int, default=5
        Rows of each class; all of them if a class has fewer.

    Returns
    -------
    NearestTrainingRows
    """
    classes = _require_classifier(explainer)
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, (int, np.integer)) or n_neighbors < 1:
        raise InvalidInputError(f"n_neighbors must be a whole number of at least 1, received {n_neighbors!r}.")
    rows, training = _rows(explainer, X), _rows(explainer, X_train, name="X_train")
    labels = _class_positions(np.asarray(y_train), classes, len(training), "y_train")
    is_correct = np.asarray(_predictions(explainer, X_train) == classes[labels], dtype=np.bool_)
    members = [np.flatnonzero(labels == index) for index in range(len(classes))]
    indices = np.full((len(rows), len(classes), int(n_neighbors)), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        distances = explainer.distance_(training, row[None])
        for index, of_class in enumerate(members):
            nearest = of_class[np.argsort(distances[of_class], kind="stable")[:n_neighbors]]
            indices[i, index, : len(nearest)] = nearest
    correct: BoolArray = np.all(is_correct[indices] | (indices < 0), axis=2)
    return NearestTrainingRows(holds=np.all(correct, axis=1), correct=correct, indices=indices)


def _log_joint_densities(explainer: Explainer, rows: FloatArray) -> FloatArray:
    """``log p(x, y) = log p(y) + log p(x | y)``, priors being shares of training rows; shape (n_samples, n_classes)."""
    assert explainer.classes_ is not None
    densities = [explainer.densities_[label] for label in explainer.classes_.tolist()]
    counts = np.array([len(density.log_densities_) for density in densities], dtype=np.float64)
    Z = explainer.fitted_.density_rows(rows)
    log_joint: FloatArray = np.column_stack([density.log_mixture(Z) for density in densities])
    log_joint += np.log(counts / counts.sum())
    return log_joint


def _require_classifier(explainer: Explainer) -> AnyArray:
    explainer.require_fitted()
    if explainer.classes_ is None:
        raise InvalidInputError(
            f"{type(explainer.model).__name__} is a regressor. Theorem 2 speaks of classifiers: expected an explainer "
            "of a classifier."
        )
    return explainer.classes_


def _require_densities(explainer: Explainer) -> AnyArray:
    classes = _require_classifier(explainer)
    if not explainer.densities_:
        raise InvalidInputError(
            "The explainer has density=None, so nothing tells where a class is dense. Fit one with a density, such as "
            "Explainer(model, density='gaussian_mixture')."
        )
    return classes


def _rows(explainer: Explainer, X: ArrayLike, *, name: str = "X") -> FloatArray:
    """Rows as the features of the explainer's table, array of shape (n_samples, n_features)."""
    return explainer.table_.encode(X, name=name)


def _predictions(explainer: Explainer, X: ArrayLike) -> AnyArray:
    """Ask the model about rows in the user's columns."""
    given = as_table(X)
    rows = explainer.table_.encode(given)
    return explainer.fitted_.predict(rows, given)


def _class_positions(labels: AnyArray, classes: AnyArray, n_samples: int, name: str) -> IntArray:
    """Position of each label in ``classes``, int array of shape (n_samples,)."""
    if labels.shape != (n_samples,):
        raise InvalidInputError(
            f"{name}: expected one label for each of the {n_samples} rows, received shape {labels.shape}."
        )
    position = {label: index for index, label in enumerate(classes.tolist())}
    unknown = [label for label in dict.fromkeys(labels.tolist()) if label not in position]
    if unknown:
        raise InvalidInputError(
            f"{name} has labels the model does not know: {unknown[:5]}; it knows {classes.tolist()}."
        )
    return np.array([position[label] for label in labels.tolist()], dtype=np.int64)
