"""A regressor: the smallest plausible change that brings the prediction into a wanted range."""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

import elsewise as ew

X, y = load_diabetes(return_X_y=True)
model = Ridge(alpha=0.1).fit(X, y)
explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X)

answer = explainer.explain_one(X[0], target=(None, 150.0))
print(f"predicted {answer.prediction:.1f}, wanted at most 150")
print(f"after the change: {model.predict(answer.counterfactual[None])[0]:.1f}")
for change in answer.changes:
    print(change)
