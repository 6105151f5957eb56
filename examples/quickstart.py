"""The nearest plausible counterfactual of one flower."""

from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import elsewise as ew

X, y = load_iris(return_X_y=True, as_frame=True)
y = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
model = LogisticRegression(max_iter=1000).fit(X, y)

explainer = ew.Explainer(model).fit(X, y)
answer = explainer.explain_one(X.iloc[60], target="virginica")
print(answer)
