"""The closest counterfactual beside the closest plausible one, for many rows and in one picture."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.tools.plot.pictures import counterfactual_figure

X, y = load_wine(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)

# A change costs as many standard deviations of its feature as it spans.
distance = ew.Manhattan(weights=1 / X.std(axis=0))
closest = ew.Explainer(model, distance=distance, density=None, learn_rules=False).fit(X, y)
plausible = ew.Explainer(model, distance=distance, threshold=0.5).fit(X, y)

rows = X[y == 0]
for name, answers in {"closest": closest.explain(rows, 1), "plausible": plausible.explain(rows, 1)}.items():
    reached = plausible.log_density(answers.counterfactuals, 1)
    print(f"{name}: median distance {np.median(answers.distances):.2f}, median log density {np.median(reached):.1f}")

answers = {"closest": closest.explain_one(rows[0], 1), "plausible": plausible.explain_one(rows[0], 1)}
figure = counterfactual_figure(plausible, answers, X, y, title="A wine of class 0: what would make it class 1?")
figure.savefig(Path("closest-or-plausible.png"))
