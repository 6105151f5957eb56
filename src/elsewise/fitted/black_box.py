"""Models nobody can look into: what is kept of their training rows, and the regions made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import OutlierMixin, is_regressor

from ..arrays import AnyArray, Estimator, FloatArray, IntArray
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..models import BlackBox, BlackBoxRegion, Interval, Outcome
from ..table import Table
from ..table.frames import rows_of
from ..table.types import UserRows
from .predictions import AskedModel, without_gaps

if TYPE_CHECKING:
    from .fitted_model import FittedModel

# Training rows of each predicted label that are kept of a model that is only asked: its answers are looked for on the
# way to the nearest of them. More are no nearer, for rows of real tables lie close together.
MOST_ANCHORS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Training rows of a model that is only asked: where its answers are looked for.

    Attributes
    ----------
    anchors : array of shape (n_anchors, n_features)
        Of every predicted label as many rows as are needed, from all over the data.
    predictions : array of shape (n_anchors,)
        What the model says of them.
    example : data frame or array of shape (1, n_columns)
        A row as it was given.
    features : array of shape (1, n_features)
        The same in features.
    reason : str
        Why the model is not read.
    """

    anchors: FloatArray
    predictions: AnyArray
    example: UserRows
    features: FloatArray
    reason: str

    @classmethod
    def of(
        cls, model: Estimator, table: Table, classes: AnyArray | None, given: UserRows, rows: FloatArray, reason: str
    ) -> TrainingRows:
        """Ask the model about its training rows, and keep some."""
        given = table.own_columns(given)
        first = without_gaps(given)
        example, features = rows_of(given, np.array([first])), rows[[first]]
        anchors = rows[np.unique(rows, axis=0, return_index=True)[1]] if len(rows) else rows
        asked = AskedModel.of(model, table, classes, example, features, None)
        try:
            predictions = asked.predict(anchors)
        except Exception as error:  # whatever a model that nobody has looked into may raise
            raise InvalidInputError(
                f"{type(model).__name__} does not predict the rows of X: {type(error).__name__}: {error} Expected rows "
                "as the model takes them; a model without feature_names_in_ is given arrays. If it takes data frames, "
                "wrap it: elsewise.BlackBox(model.predict, classes=model.classes_). It is asked because it cannot be "
                f"read: {reason}"
            ) from error
        if predictions.shape != (len(anchors),):
            raise InvalidInputError(
                f"predict of {type(model).__name__} gave {predictions.size} answers for {len(anchors)} rows; expected "
                "one a row. Explain a model of one output."
            )
        kept = _spread(predictions, classes)
        return cls(anchors[kept], predictions[kept], example, features, reason)


def _spread(predictions: AnyArray, classes: AnyArray | None) -> IntArray:
    """Choose rows, of every label or from small numbers to large ones, evenly."""
    if classes is None:
        kinds = [np.argsort(predictions, kind="stable")]
    else:
        kinds = [np.flatnonzero(predictions == label) for label in classes]
    chosen = [
        kind[np.unique(np.linspace(0, len(kind) - 1, MOST_ANCHORS).astype(np.int64))] for kind in kinds if len(kind)
    ]
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *chosen]))


def black_box_region(fitted: FittedModel, training: TrainingRows, outcome: Outcome) -> BlackBoxRegion:
    """Region of a model that is only asked."""
    asked = AskedModel.of(
        fitted.model, fitted.table, fitted.classes, training.example, training.features, fitted.missing
    )
    region = BlackBoxRegion(asked, outcome, training.anchors, training.anchors[:0])
    if isinstance(outcome, Interval) and outcome.low <= outcome.high:
        accepted = (training.predictions >= outcome.low) & (training.predictions <= outcome.high)
    elif isinstance(outcome, Interval) or outcome.min_probability is not None:
        accepted = region.accepts(training.anchors)
    else:
        assert fitted.classes is not None
        accepted = training.predictions == fitted.classes[outcome.index]
    return BlackBoxRegion(asked, outcome, training.anchors[accepted], training.anchors[~accepted])


def require_askable(model: Estimator) -> None:
    """Refuse what is no classifier, regressor or outlier detector with a ``predict`` of one answer a row."""
    if isinstance(model, BlackBox):
        return
    if not callable(getattr(model, "predict", None)):
        raise UnsupportedModelError(
            f"{type(model).__name__} is not a model: expected a fitted classifier or regressor with a predict method, "
            "or a Pipeline that ends in one. Make one of a plain function with elsewise.BlackBox(predict, classes=...)."
        )
    if isinstance(getattr(model, "classes_", None), list):
        raise UnsupportedSettingError(
            f"{type(model).__name__} predicts {len(model.classes_)} outputs at once; expected one. Explain a model of "
            "one output, or wrap one: elsewise.BlackBox(lambda rows: model.predict(rows)[:, 0], classes=...)."
        )
    known = hasattr(model, "classes_") or isinstance(model, OutlierMixin)
    if not known and not (hasattr(model, "__sklearn_tags__") and is_regressor(model)):
        what = "does not say whether it is a classifier or a regressor"
        raise UnsupportedModelError(
            f"{type(model).__name__} {what}. Say what it predicts: elsewise.BlackBox(model.predict, classes=[...]), or "
            "classes=None if it predicts numbers."
        )
