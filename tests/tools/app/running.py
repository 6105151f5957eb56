"""A served application, and explainers that are quick to fit, for tests of the explorer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

HOSTILE_COLUMN = "<img src=x onerror=\"document.title='owned'\">"
HOSTILE_LEVEL = "<script>document.title='owned'</script>"
FORMULA_LEVEL = "=cmd|' /C calc'!A0"


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on a free port of loopback, in a thread; gives its address."""
    uvicorn = pytest.importorskip("uvicorn")
    from elsewise.tools.app.serving.server import listen

    sock = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        sock.close()


def small_table(n: int = 160, seed: int = 0) -> tuple[Any, Any]:
    """Rows and labels of a table with a number, a whole number, a category and a column the model never sees."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {
            "income": rng.normal(40.0, 10.0, n).round(2),
            "years": rng.integers(0, 12, n),
            "housing": rng.choice(["own", "rent", "free"], n),
            "note": [f"row {i}" for i in range(n)],
        }
    )
    score = (frame["income"] - 40) / 10 + (frame["years"] - 5) / 4 + (frame["housing"] == "own")
    return frame, np.where(score + rng.normal(0, 0.3, n) > 0.3, "yes", "no")


def small_explainer(frame: Any, labels: Any) -> ew.Explainer:
    """Fit an explainer on :func:`small_table`."""
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["income", "years"]), (OneHotEncoder(handle_unknown="ignore"), ["housing"])
        ),
        LogisticRegression(),
    ).fit(frame, labels)
    return ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=2)).fit(frame, labels)


def hostile_table(n: int = 120) -> tuple[Any, Any]:
    """Rows whose column names and levels are markup and formulas."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            HOSTILE_COLUMN: rng.normal(0.0, 1.0, n),
            "'; DROP TABLE x; --": rng.choice([HOSTILE_LEVEL, FORMULA_LEVEL, "</textarea><b>x"], n),
            "../../etc/passwd": rng.normal(0.0, 1.0, n),
        }
    )
    score = frame[HOSTILE_COLUMN] + (frame["'; DROP TABLE x; --"] == HOSTILE_LEVEL) + rng.normal(0, 0.2, n)
    return frame, np.where(score > 0.3, "<b>good</b>", "<i>bad</i>")


def hostile_explainer(frame: Any, labels: Any) -> ew.Explainer:
    """Fit an explainer on :func:`hostile_table`."""
    numbers = [HOSTILE_COLUMN, "../../etc/passwd"]
    model = make_pipeline(
        make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), ["'; DROP TABLE x; --"])),
        LogisticRegression(),
    ).fit(frame, labels)
    return ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=1)).fit(frame, labels)
