"""Black boxes: models that are only asked. A plain function as an estimator, and the region of any ``predict``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import AnyArray, BoolArray, FloatArray, UserData, UserValue
from ..errors import InvalidInputError
from ..search import BlackBoxCover, Halfspaces, Lattice, Part, Reach, Region, Space
from ..search.region import Interval, Outcome

# Probabilities below this count as this when a black box's are turned into a score: their logarithms would drown all
# others, and models round such small ones to zero.
SMALLEST_PROBABILITY = 1e-9


class BlackBox:
    """A function that predicts, as a model: a scoring service, another language, anything.

    Parameters
    ----------
    predict : function of rows of shape (n_samples, n_columns)
        Gives a label or a number for each row. Rows come as they were given to :meth:`Explainer.fit`, as an array or a
        data frame, many at once.
    classes : sequence of labels, or None for a regressor
        All labels that ``predict`` may give.
    predict_proba : function of rows, optional
        Gives an array of shape (n_samples, n_classes), in the order of ``classes``. With it answers get nearer to the
        nearest, and ``min_probability`` can be asked for.

    Attributes
    ----------
    classes_ : array of labels; a regressor has none

    Examples
    --------
    >>> import numpy as np, elsewise as ew
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = ew.BlackBox(lambda rows: np.where((rows**2).sum(axis=1) < 1, "in", "out"), classes=["in", "out"])
    >>> explainer = ew.Explainer(model, density=None).fit(X)
    >>> explainer.exactness_
    'black box'
    >>> answer = explainer.explain_one(np.array([2.0, 0.0]), target="in")
    >>> answer.status, round(answer.distance, 2), answer.lower_bound
    ('feasible', 1.0, 0.0)
    """

    # Rows are handed over as the user gave them: a function says nothing of the names it knows.
    takes_rows_as_given = True

    def __init__(
        self,
        predict: Callable[[Any], ArrayLike],
        classes: Sequence[UserValue] | AnyArray | None,
        predict_proba: Callable[[Any], ArrayLike] | None = None,
    ) -> None:
        for name, function in (("predict", predict), ("predict_proba", predict_proba)):
            if not callable(function) and not (name == "predict_proba" and function is None):
                raise InvalidInputError(f"{name}: expected a function of rows, received {function!r}.")
        self.predicting, self.giving_probabilities = predict, predict_proba
        if classes is not None:
            self.classes_ = np.asarray(classes)
            if self.classes_.ndim != 1 or len(self.classes_) < 2 or len(set(self.classes_.tolist())) < len(classes):
                raise InvalidInputError(
                    f"classes: expected two or more different labels, or None for a regressor, received {classes!r}."
                )
        elif predict_proba is not None:
            raise InvalidInputError("predict_proba is for classifiers: give their labels as classes.")

    def __repr__(self) -> str:
        name = getattr(self.predicting, "__qualname__", type(self.predicting).__name__)
        classes = f"classes={self.classes_.tolist()}" if hasattr(self, "classes_") else "classes=None"
        return f"BlackBox({name}, {classes})"

    def predict(self, X: UserData) -> AnyArray:
        """Ask the function about rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        answers = np.asarray(self.predicting(X))
        if answers.ndim == 2 and answers.shape[1] == 1:
            answers = answers[:, 0]
        if answers.shape != (len(X),):
            raise InvalidInputError(
                f"predict gave an array of shape {answers.shape} for {len(X)} rows; expected one label or number a "
                f"row, shape ({len(X)},)."
            )
        if hasattr(self, "classes_"):
            unknown = ~np.isin(answers, self.classes_)
            if unknown.any():
                raise InvalidInputError(
                    f"predict gave the label {answers[unknown].tolist()[0]!r}, which is not among the classes "
                    f"{self.classes_.tolist()!r}. Give all labels as classes."
                )
            return answers
        numbers: FloatArray = answers.astype(np.float64)
        return numbers

    def __getattr__(self, name: str) -> Any:
        # only a model that has probabilities has the method, as in scikit-learn
        if name == "predict_proba" and self.__dict__.get("giving_probabilities") is not None:
            return self._probabilities
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _probabilities(self, X: UserData) -> FloatArray:
        assert self.giving_probabilities is not None
        given = np.asarray(self.giving_probabilities(X), dtype=np.float64)
        if given.shape != (len(X), len(self.classes_)):
            raise InvalidInputError(
                f"predict_proba gave an array of shape {given.shape} for {len(X)} rows; expected one probability a "
                f"class, shape ({len(X)}, {len(self.classes_)})."
            )
        return given


class Askable(Protocol):
    """A model as it can be asked about points in features, of shape (n_samples, n_features)."""

    @property
    def classes(self) -> AnyArray | None:
        """Labels, or None for a regressor."""

    def predict(self, points: FloatArray) -> AnyArray:
        """Ask for labels or numbers."""

    def probabilities(self, points: FloatArray) -> FloatArray | None:
        """Ask for probabilities of shape (n_samples, n_classes); None where the model gives none."""

    def decision_values(self, points: FloatArray) -> FloatArray | None:
        """Ask for decision values, one a row or one a class; None where the model gives none."""

    def is_defined(self, points: FloatArray) -> BoolArray:
        """Whether points can be written: no column that follows from others is divided by zero there."""


class BlackBoxRegion(Region):
    """Where a model that is only asked decides for an outcome. Nothing is known of its shape: one part, never divided.

    Points are in features, not in model space: the whole model is asked, with all of its steps.

    Parameters
    ----------
    asked : Askable
    outcome : Outcome
    anchors : array of shape (n_anchors, n_features)
        Points that the model accepts, or would if nothing of them were missing: training rows.
    refused : array of shape (n_refused, n_features)
        Those that it does not accept.
    """

    exactness = "black box"

    def __init__(self, asked: Askable, outcome: Outcome, anchors: FloatArray, refused: FloatArray) -> None:
        self.asked, self.outcome, self.anchors, self.refused = asked, outcome, anchors, refused

    def parts(self) -> Sequence[Part]:
        """Everything."""
        return [None]

    def halfspaces(self, part: Part, near: FloatArray, reach: Reach) -> Halfspaces:
        """None hold for sure."""
        return Halfspaces(np.empty((0, len(near))), np.empty(0))

    def divide(self, part: Part, near: FloatArray, reach: Reach) -> Sequence[Part]:
        """Nothing more is known."""
        return []

    def accepts(self, points: FloatArray) -> BoolArray:
        """Ask the model about points of shape (n_samples, n_features)."""
        defined = self.asked.is_defined(points)
        if not defined.all() or len(points) == 0:
            accepted = np.zeros(len(points), dtype=np.bool_)
            if defined.any():
                accepted[defined] = self.accepts(points[defined])
            return accepted
        outcome = self.outcome
        if isinstance(outcome, Interval) or outcome.min_probability is not None:
            scores = self.scores(points)
            assert scores is not None
            return scores >= 0
        assert self.asked.classes is not None
        return np.asarray(self.asked.predict(points) == self.asked.classes[outcome.index])

    def scores(self, points: FloatArray) -> FloatArray | None:
        """Ask how far points are inside, roughly: zero is near the boundary; None if the model says nothing of it.

        For a range, or a least probability, the sign decides. Points that cannot be written are as far outside as any.
        """
        defined = self.asked.is_defined(points)
        if not defined.all():
            inner = self.scores(points[defined]) if defined.any() else np.empty(0)
            if inner is None:
                return None
            scores = np.full(len(points), min(inner.min(initial=0.0), -1.0))
            scores[defined] = inner
            return scores
        outcome = self.outcome
        if isinstance(outcome, Interval):
            numbers = np.asarray(self.asked.predict(points), dtype=np.float64)
            return np.asarray(np.minimum(numbers - outcome.low, outcome.high - numbers))
        if outcome.min_probability is not None:
            probabilities = self.asked.probabilities(points)
            if probabilities is None:
                raise InvalidInputError("min_probability needs a model with predict_proba, and this one has none.")
            return np.asarray(probabilities[:, outcome.index] - outcome.min_probability)
        values = self.asked.decision_values(points)
        if values is not None and values.ndim == 1:
            return values if outcome.index == 1 else -values
        if values is None or values.shape[1] != len(self.asked.classes if self.asked.classes is not None else ()):
            probabilities = self.asked.probabilities(points)
            if probabilities is None:
                return None
            values = np.log(np.maximum(probabilities, SMALLEST_PROBABILITY))
        others = np.delete(values, outcome.index, axis=1)
        return np.asarray(values[:, outcome.index] - others.max(axis=1))

    def cover(self, space: Space) -> BlackBoxCover:
        """Cover the region by everything."""
        lattice = space.lattice
        if lattice is None:
            return BlackBoxCover(self, space, self.anchors, self.scores, self.refused)
        counts = lattice.counts(self.anchors), lattice.counts(self.refused)
        on_steps = BlackBoxRegion(_AskedInSteps(self.asked, lattice), self.outcome, *counts)
        return BlackBoxCover(on_steps, space, on_steps.anchors, on_steps.scores, on_steps.refused)


class _AskedInSteps:
    """A model as it can be asked about points that count the steps of their columns."""

    def __init__(self, asked: Askable, lattice: Lattice) -> None:
        self.asked, self.lattice = asked, lattice

    @property
    def classes(self) -> AnyArray | None:
        """Labels, or None for a regressor."""
        return self.asked.classes

    def predict(self, points: FloatArray) -> AnyArray:
        """Ask for labels or numbers."""
        return self.asked.predict(self.lattice.values(points))

    def probabilities(self, points: FloatArray) -> FloatArray | None:
        """Ask for probabilities; None where the model gives none."""
        return self.asked.probabilities(self.lattice.values(points))

    def decision_values(self, points: FloatArray) -> FloatArray | None:
        """Ask for decision values; None where the model gives none."""
        return self.asked.decision_values(self.lattice.values(points))

    def is_defined(self, points: FloatArray) -> BoolArray:
        """Whether points can be written."""
        return self.asked.is_defined(self.lattice.values(points))
