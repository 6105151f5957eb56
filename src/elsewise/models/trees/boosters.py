"""Bare boosters of XGBoost and LightGBM: estimators made of them, which predict labels or numbers of plain rows.

A booster predicts what it was trained for, with no word on labels. What is wanted of it is taken from its objective:
for two classes and for several, the labels are 0, 1, ... and the class is the one that the library's own estimator
would give (for two, class 1 where its probability is above one half); for numbers, what the booster predicts. Answers
are verified with the booster's own ``predict``.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...arrays import AnyArray, Estimator, FloatArray, UserData
from ...errors import UnsupportedSettingError
from ...search.region import Outcome, Response, require_interval, require_label
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ..registry import register, register_adapter, register_by_name, register_response, register_response_by_name
from .families import (
    LIGHTGBM_CLASSES,
    XGBOOST_CLASSES,
    lightgbm_classes,
    lightgbm_numbers,
    lightgbm_responses,
    lightgbm_text,
    read_lightgbm_booster,
    xgboost_classes,
    xgboost_numbers,
    xgboost_probabilities,
)
from .of_xgboost import xgboost_trees


@register_adapter("xgboost.core.Booster")
class XGBoostBooster:
    """An XGBoost booster as an estimator; it predicts through a DMatrix, with all of its trees.

    Parameters
    ----------
    booster : xgboost.Booster

    Attributes
    ----------
    objective : str
    classes_ : int array
        0, 1, ... if the objective is about classes; else there is none.
    n_features_in_ : int
    feature_names_in_ : array of str
        If the booster knows them.
    """

    def __init__(self, booster: Estimator) -> None:
        self.booster = booster
        learner = json.loads(booster.save_config())["learner"]
        self.objective = str(learner["objective"]["name"])
        self.n_features_in_ = int(booster.num_features())
        if self.objective in XGBOOST_CLASSES:
            self.classes_ = np.arange(max(int(learner["learner_model_param"]["num_class"]), 2))
        if booster.feature_names is not None:
            self.feature_names_in_ = np.array(booster.feature_names, dtype=object)

    def predict(self, X: UserData) -> AnyArray:
        """Predict labels or numbers of rows, array of shape (n_samples,)."""
        predicted = np.asarray(self.booster.predict(self._matrix(X)))
        if not hasattr(self, "classes_"):
            return predicted
        if self.objective == "multi:softmax":
            return predicted.astype(np.int64)
        return predicted.argmax(axis=1) if predicted.ndim == 2 else (predicted > 0.5).astype(np.int64)

    def predict_proba(self, X: UserData) -> FloatArray:
        """Predict probabilities of classes, array of shape (n_samples, n_classes)."""
        if self.objective == "multi:softmax":
            raise UnsupportedSettingError(
                "A Booster with the objective multi:softmax reports no probabilities. Leave min_probability out, or "
                "train it with multi:softprob."
            )
        predicted = np.asarray(self.booster.predict(self._matrix(X)))
        return predicted if predicted.ndim == 2 else np.column_stack([1 - predicted, predicted])

    def _matrix(self, X: UserData) -> Any:
        # whoever has a booster has its library
        from xgboost import DMatrix

        types, names = self.booster.feature_types, self.booster.feature_names
        if hasattr(X, "columns"):
            return DMatrix(X, enable_categorical=True)
        return DMatrix(np.asarray(X, dtype=np.float64), feature_names=names, feature_types=types)


@register_adapter("lightgbm.basic.Booster")
class LightGBMBooster:
    """A LightGBM booster as an estimator.

    Parameters
    ----------
    booster : lightgbm.Booster

    Attributes
    ----------
    classes_ : int array
        0, 1, ... if the objective is about classes; else there is none.
    n_features_in_ : int
    feature_names_in_ : array of str
        If it was trained with names.
    """

    def __init__(self, booster: Estimator) -> None:
        self.booster = booster
        self.n_features_in_ = int(booster.num_feature())
        if lightgbm_text(booster).objective[0] in LIGHTGBM_CLASSES:
            self.classes_ = np.arange(max(int(booster.num_model_per_iteration()), 2))
        names = booster.feature_name()
        if names != [f"Column_{place}" for place in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)

    def predict(self, X: UserData) -> AnyArray:
        """Predict labels or numbers of rows, array of shape (n_samples,)."""
        if not hasattr(self, "classes_"):
            return np.asarray(self.booster.predict(X))
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: UserData) -> FloatArray:
        """Predict probabilities of classes, array of shape (n_samples, n_classes)."""
        predicted = np.asarray(self.booster.predict(X))
        return predicted if predicted.ndim == 2 else np.column_stack([1.0 - predicted, predicted])


@register(XGBoostBooster)
def xgboost_booster_region(model: XGBoostBooster, outcome: Outcome) -> EnsembleRegion:
    """Region of an XGBoost booster, by its objective."""
    trees = xgboost_trees(model.booster, in_place=False)
    if not hasattr(model, "classes_"):
        return xgboost_numbers(model.booster, trees, require_interval(model.booster, outcome), model.objective)
    return xgboost_classes(model.booster, trees, require_label(model.booster, outcome), model.objective)


@register_response(XGBoostBooster)
def xgboost_booster_response_region(model: XGBoostBooster, response: Response) -> EnsembleRegion:
    """Region where a probability of an XGBoost booster lies in a range."""
    if model.objective == "multi:softmax":
        model.predict_proba(np.empty((0, model.n_features_in_)))  # says why not
    return xgboost_probabilities(model.booster, xgboost_trees(model.booster, in_place=False), response, model.objective)


@register(LightGBMBooster)
def lightgbm_booster_region(model: LightGBMBooster, outcome: Outcome) -> EnsembleRegion:
    """Region of a LightGBM booster, by its objective."""
    if not hasattr(model, "classes_"):
        return lightgbm_numbers(
            model.booster, *read_lightgbm_booster(model.booster), require_interval(model.booster, outcome)
        )
    return lightgbm_classes(model.booster, *read_lightgbm_booster(model.booster), require_label(model.booster, outcome))


@register_response(LightGBMBooster)
def lightgbm_booster_response_region(model: LightGBMBooster, response: Response) -> EnsembleRegion:
    """Region where a probability of a LightGBM booster lies in a range."""
    return lightgbm_responses(model.booster, *read_lightgbm_booster(model.booster), response)


@register_by_name("xgboost.core.Booster")
def bare_xgboost_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a bare XGBoost booster."""
    return xgboost_booster_region(XGBoostBooster(model), outcome)


@register_response_by_name("xgboost.core.Booster")
def bare_xgboost_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where a probability of a bare XGBoost booster lies in a range."""
    return xgboost_booster_response_region(XGBoostBooster(model), response)


@register_by_name("lightgbm.basic.Booster")
def bare_lightgbm_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a bare LightGBM booster."""
    return lightgbm_booster_region(LightGBMBooster(model), outcome)


@register_response_by_name("lightgbm.basic.Booster")
def bare_lightgbm_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where a probability of a bare LightGBM booster lies in a range."""
    return lightgbm_booster_response_region(LightGBMBooster(model), response)
