"""Explainers in MLflow: logged beside the model of a run, loaded again, and served as a pyfunc model.

>>> import elsewise.mlflow                                                       # doctest: +SKIP
>>> info = elsewise.mlflow.log_explainer(explainer, name="explainer")            # doctest: +SKIP
>>> explainer = elsewise.mlflow.load_explainer(info.model_uri)                   # doctest: +SKIP
>>> mlflow.pyfunc.load_model(info.model_uri).predict(rows, params={"target": 1})  # doctest: +SKIP

An explainer is saved as :meth:`elsewise.Explainer.save` does, as a pickle: load only those of your own.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

from . import __version__
from .errors import InvalidInputError, MissingDependencyError
from .explainer import Explainer
from .tools.files.explainers import load

try:
    import mlflow
    import pandas as pd
    from mlflow.pyfunc import PythonModel
except ImportError:  # said when something is asked for
    mlflow, PythonModel = None, object

__all__ = ["ExplainerModel", "load_explainer", "log_explainer"]

# What the explainer is called among the artifacts of a logged model.
ARTIFACT = "explainer"


with warnings.catch_warnings():
    # MLflow would make a schema of type hints, and warns where it cannot; the explainer's table is the schema
    warnings.simplefilter("ignore", UserWarning)

    class ExplainerModel(PythonModel):  # type: ignore[misc]
        """An explainer as a pyfunc model: ``predict`` of rows gives a frame of answers, one row each."""

        def load_context(self, context: Any) -> None:
            """Load the explainer."""
            self.explainer = load(context.artifacts[ARTIFACT])

        def predict(
            self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
        ) -> pd.DataFrame:
            """Explain rows.

            Parameters
            ----------
            context : mlflow.pyfunc.PythonModelContext
            model_input : data frame
            params : {"target": label, as text, "low": number, "high": number, "time_limit": seconds}
                A label of a classifier, or the range of a regressor.

            Returns
            -------
            data frame
                Counterfactuals with status, distance and bound, as ``Explanations.to_frame`` gives them.
            """
            asked = params or {}
            seconds = float(asked.get("time_limit", 0.0))
            answers = self.explainer.explain(model_input, self._target(asked), time_limit=seconds or None)
            return answers.to_frame()

        def _target(self, asked: dict[str, Any]) -> Any:
            classes = self.explainer.classes_
            if classes is None:
                return float(asked.get("low", float("-inf"))), float(asked.get("high", float("inf")))
            named = {str(label): label for label in classes.tolist()}
            target = str(asked.get("target", ""))
            if target not in named:
                raise InvalidInputError(
                    f"params: expected target to be one of {', '.join(named)}, received {target!r}."
                )
            return named[target]


def log_explainer(explainer: Explainer, name: str = "explainer", **options: Any) -> Any:
    """Log a fitted explainer as a pyfunc model of the active run.

    Parameters
    ----------
    explainer : Explainer
    name : str
        What the model is called in the run.
    **options
        As ``mlflow.pyfunc.log_model`` takes them, such as ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    _require_mlflow()
    from mlflow.models import ModelSignature
    from mlflow.types.schema import ParamSchema, ParamSpec

    explainer.require_fitted()
    params = ParamSchema(
        [
            ParamSpec("target", "string", ""),
            ParamSpec("low", "double", float("-inf")),
            ParamSpec("high", "double", float("inf")),
            ParamSpec("time_limit", "double", 0.0),
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "explainer.pkl"
        explainer.save(path)
        return mlflow.pyfunc.log_model(
            name=name,
            python_model=ExplainerModel(),
            artifacts={ARTIFACT: str(path)},
            **{
                "pip_requirements": [f"elsewise=={__version__}"],
                "signature": ModelSignature(params=params),
                **options,
            },
        )


def load_explainer(model_uri: str) -> Explainer:
    """Load an explainer that :func:`log_explainer` has logged.

    Parameters
    ----------
    model_uri : str
        As ``mlflow.pyfunc.load_model`` takes it.
    """
    _require_mlflow()
    model = mlflow.pyfunc.load_model(model_uri).unwrap_python_model()
    if not isinstance(model, ExplainerModel):
        raise InvalidInputError(
            f"{model_uri} holds a {type(model).__name__}; expected what elsewise.mlflow.log_explainer has logged."
        )
    return model.explainer


def _require_mlflow() -> None:
    if mlflow is None:
        raise MissingDependencyError("elsewise.mlflow needs MLflow. Install it with: pip install 'elsewise[mlflow]'")
