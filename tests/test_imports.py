"""What ``import elsewise`` brings along: nothing of libraries whose models nobody has shown yet."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["xgboost", "lightgbm", "catboost", "treelite", "matplotlib", "ortools"]


def loaded_after(program: str, among: list[str] = HEAVY) -> set[str]:
    """Which libraries are loaded after a program has run in a fresh interpreter."""
    told = f"{program}\nimport sys\nprint(*[name for name in {among!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_nothing_heavy_is_imported():
    assert loaded_after("import elsewise as ew; ew.Explainer") == set()
    assert loaded_after("import elsewise.models.trees.reading") == set()


def test_the_package_itself_loads_nothing():
    among = ["numpy", "scipy", "sklearn", "pandas", "elsewise.exported"]
    assert loaded_after("import elsewise as ew; ew.__version__", among) == set()
    assert loaded_after("import elsewise as ew; ew.Explainer", among) >= {"numpy", "sklearn", "elsewise.exported"}


def test_members_are_found_however_they_are_asked_for():
    listed = (
        "import elsewise as ew; assert {'Explainer', 'plot'} <= set(dir(ew)); assert not hasattr(ew, 'Explanaitor')"
    )
    assert loaded_after(f"{listed}; ew.plot, ew.Explainer") == set()
    assert loaded_after("from elsewise import *; Explainer, load, plot.changes") == set()


def test_the_check_can_fail():
    assert loaded_after("import treelite") == {"treelite"}


def test_a_forest_needs_its_reader_alone():
    program = (
        "import numpy as np, elsewise as ew\n"
        "from sklearn.ensemble import RandomForestClassifier\n"
        "X = np.random.default_rng(0).normal(size=(40, 2)); y = (X[:, 0] > 0).astype(int)\n"
        "ew.Explainer(RandomForestClassifier(3).fit(X, y), density=None).fit(X, y).explain(X[:1])\n"
    )
    assert loaded_after(program) == {"treelite"}
