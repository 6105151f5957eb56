"""Theorem 2: where the classifier is locally perfect, the plausible counterfactual does not depend on it."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.theory import is_locally_sufficient_perfect, model_free_counterfactuals

X, y = load_iris(return_X_y=True)
both = []
for model in (LogisticRegression(max_iter=1000), DecisionTreeClassifier(random_state=0)):
    explainer = ew.Explainer(model.fit(X, y)).fit(X, y)
    perfect = is_locally_sufficient_perfect(explainer, X, y)
    print(f"{type(model).__name__} is locally perfect at {perfect.holds.mean():.0%} of the rows")
    both.append(explainer)

setosa = X[y == 0]
first, second = (explainer.explain(setosa, target=1) for explainer in both)
free = model_free_counterfactuals(both[0], setosa, target=1)
same = first.model_free & second.model_free
print(f"both models give the same counterfactual for {same.mean():.0%} of the setosa rows")
print(f"and it is the model-free one: {np.allclose(first.counterfactuals[same], free.points[same])}")
