"""A long search ends soon after an exception is sent to its thread, whatever time it was given."""

from __future__ import annotations

import ctypes
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import elsewise as ew

LONG, SOON = 60.0, 10.0  # seconds: the machine may be busy, but a proof of this takes longer still


class Ended(BaseException):
    """Sent to the thread."""


@pytest.fixture(scope="module")
def hard():
    """An explainer and a row for which proving takes minutes."""
    X, y = make_classification(1500, n_features=40, n_informative=30, n_classes=6, random_state=0)
    model = RandomForestClassifier(150, max_depth=9, random_state=0).fit(X, y)
    row = X[:1]
    return ew.Explainer(model, density=None).fit(X, y), row, (int(model.predict(row)[0]) + 1) % 6


def send(thread: threading.Thread) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Ended))


@pytest.mark.parametrize("rules", [None, ew.Constraints(max_changes=6)], ids=["boxes", "points inside boxes"])
def test_a_thread_is_ended_during_a_search(hard, rules):
    explainer, row, target = hard
    raised = []

    def ask():
        try:
            explainer.explain(row, target, constraints=rules, time_limit=LONG)
        except Ended as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(1.5)
    assert thread.is_alive()
    sent = time.monotonic()
    send(thread)
    thread.join(LONG)
    assert raised
    assert time.monotonic() - sent < SOON
    again = explainer.explain(row, target, time_limit=0.2)  # nothing was left half done
    assert np.isfinite(again.lower_bounds[0])
