"""Sequential modules of PyTorch against what they say themselves."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.errors import UnsupportedModelError, UnsupportedSettingError
from elsewise.models import DecisionValue, Label, as_estimator, region_of, response_region_of
from fitted_models import random_data

torch = pytest.importorskip("torch")


def trained(module, X, y, *, steps=150):
    """Fit a module to labels 0, 1, ... with a few steps of Adam."""
    torch.manual_seed(0)
    for layer in module.modules():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
    rows, labels = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.03)
    for _ in range(steps):
        optimiser.zero_grad()
        outputs = module(rows)
        if outputs.shape[1] == 1:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], labels.float())
        else:
            loss = torch.nn.functional.cross_entropy(outputs, labels)
        loss.backward()
        optimiser.step()
    return module


def data(n_classes):
    X, names = random_data(n_classes, seed=2, n_features=4)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.unique(names, return_inverse=True)[1]


def one_output():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))


def several_outputs():
    inner = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU())
    return torch.nn.Sequential(inner, torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3, bias=False))


@pytest.mark.parametrize(("make", "n_classes"), [(one_output, 2), (several_outputs, 3)])
def test_regions_agree_with_the_module(make, n_classes):
    X, y = data(n_classes)
    module = trained(make(), X, y)
    Z = np.random.default_rng(0).normal(scale=2, size=(500, 4))
    with torch.no_grad():
        outputs = module.eval()(torch.as_tensor(Z, dtype=torch.float32)).double().numpy()
    module.train()
    said = (outputs[:, 0] > 0).astype(int) if n_classes == 2 else outputs.argmax(axis=1)
    np.testing.assert_array_equal(as_estimator(module).predict(Z), said)
    assert module.training
    lead = np.abs(outputs[:, 0]) if n_classes == 2 else np.diff(np.sort(outputs, axis=1)[:, -2:], axis=1)[:, 0]
    clear = lead > 1e-4  # the module has single precision
    assert clear.mean() > 0.95
    for index in range(n_classes):
        np.testing.assert_array_equal(region_of(module, Label(index)).accepts(Z)[clear], (said == index)[clear])


@pytest.mark.parametrize(("make", "n_classes"), [(one_output, 2), (several_outputs, 3)])
def test_answers_are_valid_by_the_module_itself_and_proven(make, n_classes):
    X, y = data(n_classes)
    module = trained(make(), X, y)
    explainer = ew.Explainer(module).fit(X, y)
    said = as_estimator(module).predict(X)
    rows = X[said == 0][:4]
    answers = explainer.explain(rows, target=1)
    assert (answers.gaps <= 1e-4).all()  # single precision keeps away from the boundary
    with torch.no_grad():
        outputs = module.eval()(torch.as_tensor(answers.counterfactuals, dtype=torch.float32)).numpy()
    assert ((outputs[:, 0] > 0) if n_classes == 2 else (outputs.argmax(axis=1) == 1)).all()


@pytest.mark.parametrize(("make", "n_classes"), [(one_output, 2), (several_outputs, 3)])
def test_double_precision_is_optimal_and_probabilities_are_reached(make, n_classes):
    X, y = data(n_classes)
    module = trained(make(), X, y).double()
    explainer = ew.Explainer(module, density=None).fit(X, y)
    rows = X[as_estimator(module).predict(X) == 0][:3]
    answers = explainer.explain(rows, target=1, min_probability=0.9)
    assert (answers.statuses == "optimal").all()
    assert (as_estimator(module).predict_proba(answers.counterfactuals)[:, 1] >= 0.9).all()
    ending = torch.nn.Sequential(*module, torch.nn.Sigmoid() if n_classes == 2 else torch.nn.Softmax(dim=1))
    np.testing.assert_array_equal(as_estimator(ending).predict(X), as_estimator(module).predict(X))
    np.testing.assert_allclose(as_estimator(ending).predict_proba(X), as_estimator(module).predict_proba(X))


def test_what_cannot_be_described_is_refused():
    X, y = data(3)
    with pytest.raises(UnsupportedModelError, match="received GELU"):
        ew.Explainer(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.GELU(), torch.nn.Linear(3, 3))).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="a Linear gives its outputs"):
        ew.Explainer(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="Sigmoid behind 3 outputs"):
        ew.Explainer(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Sigmoid())).fit(X, y)
    with pytest.raises(UnsupportedSettingError, match="no decision_function"):
        response_region_of(several_outputs(), DecisionValue(0.0))
