"""Certificates of numbers with codes: what lies between a code and the regular values is no answer."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import elsewise as ew
from search.relaxations.tree_sums import test_certificates
from search.relaxations.tree_sums.certificate_checker import Checker, is_refuted
from search.relaxations.tree_sums.small_ensembles import classifier
from search.relaxations.tree_sums.test_certificates import certified

CODES = ew.Constraints(special=[-9.0], codes="change", unseen="allow", min_change="any", step="any")


class CodedChecker(Checker):
    """Knows that some numbers are in one of some intervals."""

    only: dict[int, int] | None = None

    def ends(self, i: int, first: int, last: int) -> tuple[float, float]:
        low, high = super().ends(i, first, last)
        pieces, feature = self.given.pieces, int(self.given.feature[first])
        for place in np.flatnonzero(pieces.feature == feature).tolist() if pieces is not None else ():
            ends = [(max(low, a), min(high, b)) for a, b in zip(pieces.low[place], pieces.high[place])]
            ends = ends if self.only is None else [ends[self.only[feature]]]
            left = [(a, b) for a, b in ends if a <= b]
            low, high = (min(a for a, _ in left), max(b for _, b in left)) if left else (math.inf, -math.inf)
        return low, high

    def is_too_far(self, box: list[list[int]]) -> bool:
        """Whether all ways to be in one interval a number are."""
        pieces, too_far = self.given.pieces, True
        if pieces is None or self.dense is None:
            return super().is_too_far(box)
        for way in itertools.product(range(pieces.low.shape[1]), repeat=len(pieces.feature)):
            self.only = dict(zip(pieces.feature.tolist(), way))
            ends = [self.ends(i, min(cells), max(cells)) for i, cells in enumerate(box)]
            if all(low <= high for low, high in ends):
                too_far = too_far and super().is_too_far(box)
        self.only = None
        return too_far


def coded_numbers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.abs(rng.normal(size=(240, 4))) + 0.25
    y = (X @ rng.normal(size=4) + np.abs(X[:, 0] - 1) + 0.2 * rng.normal(size=240) > 0).astype(int)
    for place in range(4):
        X[place::7, place] = -9.0
    return X, np.where(X[:, 1] == -9.0, 1, y)


@pytest.mark.parametrize("with_density", [False, True])
@pytest.mark.parametrize("name", ["forest", "boosting", "lightgbm"])
def test_they_hold(monkeypatch, name, with_density):
    monkeypatch.setattr(test_certificates, "Checker", CodedChecker)
    n_boxes = 0
    for seed in range(3):
        X, y = coded_numbers(seed)
        model = classifier(name, seed, n_trees=8, depth=3).fit(X, y)
        density = ew.GaussianMixtureDensity(n_components=2, random_state=0) if with_density else None
        explainer = ew.Explainer(model, density=density, threshold=0.2).fit(X, y)
        rows = X[model.predict(X) != 1][:6]
        answers, certificates, checker = certified(monkeypatch, model, explainer, rows, 1, constraints=CODES)
        assert set(answers.statuses) == {"optimal"}
        assert all(one.pieces is not None for one in certificates)
        n_boxes += sum(checker(one).check() for one in certificates)
    assert n_boxes > 18


def test_without_the_gaps_they_prove_nothing(monkeypatch):
    X, y = coded_numbers(0)
    model = classifier("boosting", 0, n_trees=8, depth=3).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows, alone = X[model.predict(X) != 1][:8], replace(CODES, immutable=["x0", "x2", "x3"])
    _, certificates, checker = certified(monkeypatch, model, explainer, rows, 1, constraints=alone)
    assert any(is_refuted(checker, replace(one, pieces=None)) for one in certificates)
