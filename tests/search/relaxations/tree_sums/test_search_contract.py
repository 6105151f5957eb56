"""What a search of trees promises its callers: one clock, and no proof where nothing was searched."""

from __future__ import annotations

import time

import numpy as np

import elsewise as ew
from elsewise.fitted.space import space_of
from elsewise.models import Label, region_of
from elsewise.pipeline import AffineMap
from elsewise.search import BoxRequest
from elsewise.search.relaxations.tree_sums import _search
from search.relaxations.tree_sums.small_ensembles import classifier, numbers


def test_the_kernel_reads_the_clock_of_perf_counter():
    before = time.perf_counter()
    here = _search.now()
    assert before <= here <= time.perf_counter()


def test_mixed_columns_prove_nothing_about_a_box():
    X, y, _ = numbers(0)
    model = classifier("forest").fit(X, y)
    distance = ew.Explainer(model, density=None).fit(X, y).distance_
    turned = AffineMap(np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2)[0], np.zeros(3))
    cover = region_of(model, Label(1)).cover(space_of(turned, distance, np.zeros(3)))
    assert not cover.searches_boxes
    ends, whole = np.full(3, np.inf), np.zeros(3, dtype=np.bool_)
    answer = cover.search_box(BoxRequest(X[0], -ends, ends, whole, 1e-9), cutoff=np.inf, seconds=9.0)
    assert (model.predict(X) == 1).any()
    assert answer.stopped
    assert answer.lower_bound == 0.0
