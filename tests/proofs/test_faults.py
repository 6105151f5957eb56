"""Lies are caught: faults planted in certificates are refused with a line and a reason."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise_check
from proofs.faults import planted
from proofs.tables import LINEAR, RULES, TREE, estimator, mixed, numbers, of_table


def certificates(seed, n_rows):
    """Certificates of several families and rules, a list for each question."""
    X, y = numbers(seed)
    pipeline, tree = make_pipeline(StandardScaler(), LogisticRegression()), DecisionTreeClassifier(random_state=seed)
    for model, labels in ((pipeline, y), (LogisticRegression(), y == 1), (tree, y)):
        for density in (None, "auto"):
            explainer = ew.Explainer(model.fit(X, labels), density=density).fit(X, labels)
            rows = X[model.predict(X) != 1][:n_rows]
            yield [one.proof.lines for one in explainer.explain(rows, 1, certificate=True)]
    X, y = mixed(seed)
    for name in (LINEAR, TREE):
        model = of_table(estimator(name)).fit(X, y)
        explainer = ew.Explainer(model, density=None).fit(X, y)
        rows = X[model.predict(X) == 0][:n_rows]
        for rules in RULES.values():
            yield [one.proof.lines for one in explainer.explain(rows, 1, constraints=rules, certificate=True)]


def n_refused(seed, n_rows):
    """Plant faults in certificates, all of which must be refused; count them by name."""
    rng, count = np.random.default_rng(seed), Counter()
    for proofs in certificates(seed, n_rows):
        for lines, other in zip(proofs, [*proofs[1:], proofs[0]]):
            elsewise_check.check_lines(lines)
            for name, faulty in planted(lines, other, rng):
                with pytest.raises(elsewise_check.RefusedError, match=r"line \d+: .{5}"):
                    elsewise_check.check_lines(faulty)
                count[name] += 1
    return count


def test_faults_are_refused():
    count = n_refused(0, 1)
    assert sum(count.values()) > 200
    assert {"another model", "point across the boundary", "interval left out", "level left out"} <= set(count)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_thousands_of_faults_are_refused(seed):
    count = n_refused(seed, 6)
    assert sum(count.values()) > 1000
