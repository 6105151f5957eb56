"""False claims have no proof: whatever is done to the nodes of a certificate whose claim is false, it is refused.

The point of an honest certificate is a counterexample to any larger bound. Such a bound is claimed, without the point,
and the nodes are changed at random: nothing may be accepted.
"""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise_check
from proofs.tables import RULES, mixed, numbers, of_table

pytestmark = pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
MODELS = {
    "linear": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(6, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=8, random_state=0),
    "relu": MLPClassifier((5,), max_iter=150, random_state=0),
    "tanh": MLPClassifier((4,), activation="tanh", max_iter=150, random_state=0),
    "naive Bayes": GaussianNB(),
}
FACTORS = (-1.0, 0.0, 0.5, 2.0, 1e3, 1e9, 1e-9, 1e300)


def raised(header, factor):
    """Claim a bound that the header's own point contradicts."""
    false = copy.deepcopy(header)
    false["claim"] = {"status": "unknown", "distance": None, "lower_bound": header["claim"]["distance"] * factor}
    false["point"] = false["goal"] = None
    return false


def leaves_of(value, path=()):
    """Yield the paths of all numbers and lists in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield (*path, key), each
        yield from leaves_of(each, (*path, key))


def mutated(nodes, rng):
    """Change nodes at random, once or several times; those that are left open are closed by what closes others."""
    nodes = copy.deepcopy(nodes)
    closing = [node for node in nodes if node.get("close")] or [{"close": {}}]
    for _ in range(int(rng.integers(1, 4))):
        k = int(rng.integers(len(nodes)))
        kind = int(rng.integers(9))
        if kind == 0:
            del nodes[k]
        elif kind == 1:
            nodes.insert(k, copy.deepcopy(nodes[int(rng.integers(len(nodes)))]))
        elif kind == 2:
            nodes[k] = {
                "close": [{}, {"units": []}, {"parts": []}, {"rules": []}, closing[0]["close"]][rng.integers(5)]
            }
        elif kind == 3:
            other = int(rng.integers(len(nodes)))
            nodes[k], nodes[other] = nodes[other], nodes[k]
        else:
            _change_one(nodes[k], rng)
        if not nodes:
            nodes = [{"close": {}}]
    return nodes


def _change_one(node, rng):
    found = list(leaves_of(node))
    if not found:
        return
    path, value = found[int(rng.integers(len(found)))]
    holder = node
    for key in path[:-1]:
        holder = holder[key]
    if isinstance(value, list):
        change = int(rng.integers(4))
        if change == 0 and value:
            value.append(copy.deepcopy(value[int(rng.integers(len(value)))]))
        elif change == 1 and value:
            value.pop(int(rng.integers(len(value))))
        elif change == 2 and value:
            value.extend(copy.deepcopy(value))
        else:
            holder[path[-1]] = []
    elif isinstance(value, bool) or value is None:
        holder[path[-1]] = float(rng.normal())
    elif isinstance(value, int):
        holder[path[-1]] = [value + 1, value - 1, -value, value * 1000, 0, True, value * 2**200][rng.integers(7)]
    elif isinstance(value, float):
        holder[path[-1]] = value * FACTORS[rng.integers(len(FACTORS))]


def certificates(name, seed, n_rows):
    """Certificates of a model on numbers with a density, and on a table with rules."""
    X, y = numbers(seed, n_classes=2)
    model = make_pipeline(StandardScaler(), MODELS[name]) if name in ("relu", "tanh", "linear") else MODELS[name]
    explainer = ew.Explainer(model.fit(X, y), density="auto" if seed % 2 else None).fit(X, y)
    yield from explainer.explain(X[model.predict(X) != 1][:n_rows], 1, certificate=True)
    X, y = mixed(seed)
    model = of_table(MODELS[name]).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows, rules = X[model.predict(X) == 0][:n_rows], list(RULES.values())[seed % len(RULES)]
    yield from explainer.explain(rows, 1, constraints=rules, n_counterfactuals=2, diversity=0.5, certificate=True)


def n_refused(name, seed, n_rows, n_changes):
    """Plant false claims with changed nodes, all of which must be refused; count them."""
    rng, count = np.random.default_rng(seed), 0
    for one in certificates(name, seed, n_rows):
        if one.proof.reason or not one.found or one.distance == 0:
            continue
        header, nodes = json.loads(one.proof.lines[0]), [json.loads(line) for line in one.proof.lines[1:]]
        for k in range(n_changes):
            false = json.dumps(raised(header, (1.00001, 1.01, 2.0, 30.0)[k % 4]))
            changed = [json.dumps(node) for node in (nodes if k < 4 else mutated(nodes, rng))]
            with pytest.raises(elsewise_check.RefusedError, match=r"line \d+: .{5}"):
                elsewise_check.check_lines([false, *changed])
            count += 1
    return count


@pytest.mark.parametrize("name", MODELS)
def test_false_claims_are_refused(name):
    assert n_refused(name, 1, 1, 40) >= 80


def test_a_message_that_says_something_twice_is_refused():
    """Columns would get both, and leaves the smaller one: enough to prove anything."""
    X, y = mixed(0)
    model = of_table(MODELS["boosting"]).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    one = explainer.explain(X[model.predict(X) == 0][:1], 1, certificate=True)[0]
    header = raised(json.loads(one.proof.lines[0]), 2.0)
    column, levels = next(
        (c, own["features"]) for c, own in enumerate(header["domain"]["columns"]) if own["kind"] == "category"
    )
    bits, large = 20, 2**20 * (1 + int(header["claim"]["lower_bound"]))
    again = [[level, -large] for level in levels] * 2
    trees = {
        "bits": bits,
        "pi": [0] * len(header["goals"][0]["region"]["conditions"]),
        "messages": [[0, column, again]],
    }
    lines = [json.dumps(line) for line in (header, {"goals": 1}, {"close": {"trees": trees}})]
    with pytest.raises(elsewise_check.RefusedError, match="line 3: a message says something twice"):
        elsewise_check.check_lines(lines)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("name", MODELS)
def test_thousands_of_false_claims_are_refused(name, seed):
    assert n_refused(name, seed, 3, 150) >= 500
