"""Networks of PyTorch: a ``torch.nn.Sequential`` of linear layers and activations, its weights read, nothing run.

A module says nothing of labels. With one output the labels are 0 and 1, and 1 is where the output is above 0 (above one
half, if a sigmoid is last); with several they are 0, 1, ... for the largest output. Answers are verified by the module
itself, in its own precision; proofs are about its weights in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from ...arrays import Estimator, FloatArray, IntArray, UserData
from ...errors import UnsupportedModelError
from ...search.region import Interval, Outcome, Response, require_label
from ...search.relaxations.unit_sums.functions import IDENTITY, LOGISTIC, RELU, TANH, Function
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer
from ..registry import register, register_adapter, register_by_name, register_response, register_response_by_name
from .networks import largest_region, range_region, response_region

_SEQUENTIAL = "torch.nn.modules.container.Sequential"
# Activations by the names of their modules, and modules that do nothing when a network predicts.
_FUNCTIONS: dict[str, Function] = {"ReLU": RELU, "Tanh": TANH, "Sigmoid": LOGISTIC}
_NOTHING = ("Identity", "Dropout")
_SUPPORTED = "Linear, ReLU, Tanh, Sigmoid, Dropout, Identity and, as the last, Softmax or LogSoftmax"


@register_adapter(_SEQUENTIAL)
class TorchNetwork:
    """A sequential module as a classifier.

    Parameters
    ----------
    module : torch.nn.Sequential

    Attributes
    ----------
    layers : tuple of Layer
        The hidden ones, in double precision.
    W, b : arrays of shape (n_outputs, n_units), (n_outputs,)
    has_sigmoid, has_softmax : bool
        Whether one is last.
    classes_ : int array
    n_features_in_ : int
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        steps = list(_steps(module))
        self.has_softmax = bool(steps) and type(steps[-1]).__name__ in ("Softmax", "LogSoftmax")
        self.has_sigmoid = bool(steps) and type(steps[-1]).__name__ == "Sigmoid"
        self.is_log = self.has_softmax and type(steps[-1]).__name__ == "LogSoftmax"
        if self.has_softmax or self.has_sigmoid:
            steps = steps[:-1]
        self.layers, self.W, self.b = _taken_apart(steps)
        if self.has_sigmoid and len(self.W) > 1:
            raise UnsupportedModelError(
                f"A Sequential with a Sigmoid behind {len(self.W)} outputs gives several probabilities that do not add "
                "up to one; expected one output, or outputs of which the largest decides. Leave the Sigmoid out."
            )
        self.classes_ = np.arange(max(len(self.W), 2))
        self.n_features_in_ = int(self.layers[0].W.shape[1])

    def predict(self, X: UserData) -> IntArray:
        """Predict labels of rows, array of shape (n_samples,)."""
        outputs = self._outputs(X)
        if outputs.shape[1] > 1:
            return np.asarray(outputs.argmax(axis=1))
        return (outputs[:, 0] > (0.5 if self.has_sigmoid else 0.0)).astype(np.int64)

    def predict_proba(self, X: UserData) -> FloatArray:
        """Predict probabilities of classes, array of shape (n_samples, n_classes)."""
        outputs = self._outputs(X)
        if outputs.shape[1] > 1:
            if self.is_log:
                return np.asarray(np.exp(outputs))
            return outputs if self.has_softmax else np.asarray(softmax(outputs, axis=1))
        of_second = outputs[:, 0] if self.has_sigmoid else expit(outputs[:, 0])
        return np.column_stack([1.0 - of_second, of_second])

    def _outputs(self, X: UserData) -> FloatArray:
        # whoever has a module has its library
        import torch

        dtype = next(self.module.parameters()).dtype
        device = next(self.module.parameters()).device
        was_training = self.module.training
        self.module.eval()
        try:
            with torch.no_grad():
                rows = torch.as_tensor(np.asarray(X, dtype=np.float64), dtype=dtype, device=device)
                return np.asarray(self.module(rows).cpu().numpy(), dtype=np.float64)
        finally:
            self.module.train(was_training)


@register(TorchNetwork)
def torch_region(model: TorchNetwork, outcome: Outcome) -> SumRegion:
    """Region where a module decides for a class."""
    label = require_label(model.module, outcome)
    if len(model.W) > 1:
        return largest_region(model.layers, model.W, model.b, label.index)
    wanted = Interval(0.0, np.inf) if label.index == 1 else Interval(-np.inf, 0.0)
    return range_region(model.layers, model.W, model.b, wanted)


@register_response(TorchNetwork)
def torch_response_region(model: TorchNetwork, response: Response) -> SumRegion:
    """Region where a probability of a module of one output lies in a range, or one of several is large enough."""
    return response_region("A Sequential", model.layers, model.W, model.b, response)


@register_by_name(_SEQUENTIAL)
def bare_torch_region(model: Estimator, outcome: Outcome) -> SumRegion:
    """Region of a bare module."""
    return torch_region(TorchNetwork(model), outcome)


@register_response_by_name(_SEQUENTIAL)
def bare_torch_response_region(model: Estimator, response: Response) -> SumRegion:
    """Region where a probability of a bare module lies in a range."""
    return torch_response_region(TorchNetwork(model), response)


def _steps(module: Any) -> Any:
    """Go through the modules in order, those of inner sequential ones, too; what does nothing is left out."""
    for step in module:
        if type(step).__name__ == "Sequential":
            yield from _steps(step)
        elif type(step).__name__ not in _NOTHING:
            yield step


def _taken_apart(steps: list[Estimator]) -> tuple[tuple[Layer, ...], FloatArray, FloatArray]:
    """Hidden layers, and weights and intercepts of the outputs."""
    linear: list[tuple[FloatArray, FloatArray]] = []
    functions: list[Function] = []
    for step in steps:
        name = type(step).__name__
        if name == "Linear":
            if len(linear) > len(functions):  # two linear layers with nothing in between
                functions.append(IDENTITY)
            linear.append(_weights(step))
        elif name in _FUNCTIONS and len(linear) == len(functions) + 1:
            functions.append(_FUNCTIONS[name])
        else:
            raise UnsupportedModelError(
                f"A Sequential is described exactly if it is made of {_SUPPORTED}, an activation behind a Linear; "
                f"received {name}."
            )
    if len(linear) != len(functions) + 1:
        raise UnsupportedModelError(
            "A Sequential is described exactly if a Linear gives its outputs (a Sigmoid, Softmax or LogSoftmax may "
            "follow); this one has none, or ends in another activation."
        )
    layers = tuple(Layer(W, b, function) for (W, b), function in zip(linear[:-1], functions))
    if not layers:
        n = linear[-1][0].shape[1]
        layers = (Layer(np.eye(n), np.zeros(n), IDENTITY),)
    return layers, *linear[-1]


def _weights(step: Estimator) -> tuple[FloatArray, FloatArray]:
    W = np.ascontiguousarray(step.weight.detach().cpu().numpy(), dtype=np.float64)
    b = np.zeros(len(W)) if step.bias is None else step.bias.detach().cpu().numpy().astype(np.float64)
    return W, b
