"""A refused loan: what would have to change, under which rules, what stands in the way, and a picture of it."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

rng = np.random.default_rng(1)
n = 500
loans = pd.DataFrame(
    {
        "income": np.round(rng.lognormal(3.5, 0.35, n), 1),
        "amount": 100 * rng.integers(5, 100, n),
        "months": rng.integers(6, 61, n),
        "housing": rng.choice(["rent", "own", "free"], n, p=[0.5, 0.4, 0.1]),
        "guarantor": rng.random(n) < 0.2,
    }
)
score = 0.05 * loans["income"] - 0.03 * loans["months"] - 0.0002 * loans["amount"]
score += 0.8 * (loans["housing"] == "own") + loans["guarantor"] + rng.logistic(0.0, 0.6, n)
outcome = np.where(score > 0.3, "good", "bad")
encode = make_column_transformer(
    (StandardScaler(), ["income", "amount", "months"]), (OneHotEncoder(), ["housing", "guarantor"])
)
model = make_pipeline(encode, LogisticRegression()).fit(loans, outcome)

explainer = ew.Explainer(model).fit(loans, outcome)
applicant = loans[model.predict(loans) == "bad"].iloc[11]
rules = ew.Constraints(immutable=["guarantor"], bounds={"amount": (1000, None)}, allowed={"housing": {"rent": ["own"]}})
answer = explainer.explain_one(applicant, target="good", constraints=rules)
print(answer)

print("\nOther ways:")
for other in explainer.explain_one(applicant, target="good", n_counterfactuals=3):
    print(f"  {other.distance:.2f}: {'; '.join(str(change) for change in other.changes)}")

print("\nIf only the income could change:")
fixed = ew.Constraints(immutable=["amount", "months", "housing", "guarantor"])
print(explainer.why_not(applicant, "good", fixed))

ew.plot.changes(answer).figure.savefig(Path("credit-decision.png"))
