"""Certificates of regions that are listed polyhedra, checked by the separate program."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise_check
from elsewise.proofs import Proof
from proofs.tables import LINEAR, RULES, TREE, estimator, mixed, numbers, of_table

STATUS = {"optimal": "optimal", "feasible": "feasible", "infeasible": "infeasible"}


def check_all(answers):
    """All answers have certificates that hold, about their own distances."""
    for one in answers:
        assert one.proof.reason == ""
        checker = elsewise_check.check_lines(one.proof.lines)
        assert checker.status == STATUS[one.status]
        if one.found:
            assert float(checker.bound) <= one.distance
            assert one.status != "optimal" or one.distance <= float(checker.bound) * (1 + 2e-6)
            header = json.loads(one.proof.lines[0])
            assert header["claim"]["distance"] == pytest.approx(one.distance, rel=1e-12)


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        DecisionTreeClassifier(random_state=0),
        NearestCentroid(),
    ],
)
@pytest.mark.parametrize("target", [1, None])
def test_numbers(model, density, target):
    X, y = numbers(0)
    explainer = ew.Explainer(model.fit(X, y), density=density).fit(X, y)
    answers = explainer.explain(X[model.predict(X) != 1][:5], target, certificate=True)
    check_all(answers)


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("name", [LINEAR, TREE])
@pytest.mark.parametrize("rules", RULES)
def test_tables_with_rules(name, density, rules):
    X, y = mixed(0)
    model = of_table(estimator(name)).fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    answers = explainer.explain(X[model.predict(X) == 0][:4], 1, constraints=RULES[rules], certificate=True)
    assert "optimal" in answers.statuses
    check_all(answers)


def test_prices_of_changes():
    X, y = mixed(1)
    model = of_table(LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, distance=ew.Scaled(per_change=0.4), density=None).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) == 0][:8], 1, certificate=True))


def test_black_boxes_need_no_model():
    X, y = numbers(3, n_classes=2)
    model = LogisticRegression().fit(X, y)
    asked = ew.BlackBox(model.predict, model.classes_)
    explainer = ew.Explainer(asked, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    answers = explainer.explain(X[y == 0][:10], 1, certificate=True)
    assert answers.model_free.any()
    check_all(answers)


def test_files_are_checked_by_a_program_of_its_own(tmp_path):
    X, y = numbers(1)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    one = explainer.explain_one(X[model.predict(X) == 0][0], 1, certificate=True)
    plain, compressed, wrong = (tmp_path / name for name in ("one.jsonl", "one.jsonl.gz", "wrong.jsonl"))
    one.certificate.save(plain)
    one.certificate.save(compressed)
    assert gzip.decompress(compressed.read_bytes()) == plain.read_bytes()
    header = json.loads(one.proof.lines[0])
    header["claim"]["lower_bound"] *= 1.001
    wrong.write_text("\n".join([json.dumps(header), *one.proof.lines[1:]]))
    command = [sys.executable, "-I", elsewise_check.__file__]  # isolated: nothing but the standard library
    good = subprocess.run([*command, plain, compressed], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    assert good.stdout.count(one.proof.sha256) == 2
    bad = subprocess.run([*command, wrong], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert "REFUSED, line " in bad.stdout
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


def test_what_has_no_certificate_says_so(tmp_path):
    X, y = numbers(2)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, distance=ew.Mahalanobis(), density=None).fit(X, y)
    one = explainer.explain_one(X[model.predict(X) == 0][0], 1, certificate=True)
    with pytest.raises(ew.UnsupportedSettingError, match="no certificate: distances that are quadratic"):
        one.certificate.save(tmp_path / "one.jsonl")
    one = explainer.explain_one(X[model.predict(X) == 0][0], 1)
    with pytest.raises(ew.InvalidInputError, match="certificate=True"):
        one.certificate.save(tmp_path / "one.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("diversity", ["columns", 0.8])
@pytest.mark.parametrize("rules", ["none", "steps"])
@pytest.mark.parametrize("name", [LINEAR, TREE])
def test_further_answers(name, rules, diversity):
    X, y = mixed(0)
    model = of_table(estimator(name)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    options = {"constraints": RULES[rules], "n_counterfactuals": 3, "diversity": diversity}
    answers = explainer.explain(X[model.predict(X) == 0][:2], 1, certificate=True, **options)
    assert len(answers) >= 4
    check_all(answers)
    last = [json.loads(line) for line in answers[len(answers) - 1].proof.lines]
    domain = last[0]["domain"]  # without what keeps it from being the first answer once more the claim is false
    assert domain.pop("apart", None) or domain["clauses"]
    domain["clauses"] = []
    with pytest.raises(elsewise_check.RefusedError, match=r"line \d+: "):
        elsewise_check.check_lines(map(json.dumps, last))


def test_robust_radii():
    X, y = mixed(0)
    model = of_table(estimator(LINEAR)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[model.predict(X) == 0][:3], 1, robust_radius=0.05, certificate=True)
    check_all(answers)
    assert json.loads(answers[0].proof.lines[0])["notes"]["robust_radius"] == 0.05
    tree = of_table(estimator(TREE)).fit(X, y)  # what is kept away from its boundary may be smaller than need be
    explainer = ew.Explainer(tree, density=None).fit(X, y)
    answers = explainer.explain(X[tree.predict(X) == 0][:1], 1, robust_radius=0.05, certificate=True)
    assert "some may be left out" in answers[0].proof.reason


def test_what_is_left_out_for_want_of_room_is_no_contradiction():
    """The nearest answer may lie in what a price leaves no room for: the search called that a contradiction."""
    rng, n = np.random.default_rng(0), 300
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.normal(3000, 800, n).round(2),
            "debt": rng.exponential(2000, n).round(2),
            "kids": rng.integers(0, 5, n),
            "job": rng.choice(["a", "b", "c", "d"], n),
            "home": rng.choice(["own", "rent"], n),
        }
    )
    score = X.income / 800 - X.debt / 2000 + (X.job == "a") - 0.7 * (X.home == "rent") + 0.1 * X.kids - 0.01 * X.age
    y = (score + rng.normal(0, 0.5, n) > score.mean()).astype(int)
    model = of_table(LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, distance=ew.Scaled(per_change=0.4)).fit(X, y)
    row = X[(X.age == 27) & (X.income == 1811.7)]
    assert len(row) == 1
    answers = explainer.explain(row, 1, certificate=True)
    assert answers.statuses.tolist() == ["optimal"]
    check_all(answers)


@pytest.mark.parametrize("seed", [9, 12])
def test_no_certificate_of_a_tie_that_rounding_decides(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 7, (8, 2)), columns=["a", "b"]).drop_duplicates()
    y = rng.integers(0, 2, len(X))
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(1)).fit(X, y)
    constraints = ew.Constraints(step="any", min_change="any")
    explainer = ew.Explainer(model, density=None, rules=None, constraints=constraints).fit(X, y)
    answers = explainer.explain(X[model.predict(X) == 0], 1, certificate=True)
    assert (model.predict(answers.counterfactuals) == 1).all()
    at_ties = [one.proof.reason for one in answers if one.proof.reason]
    assert at_ties
    assert set(at_ties) == {"the model decides for the target by rounding alone, at a tie"}
    check_all([one for one in answers if not one.proof.reason])


def test_certificates_are_held_compressed(tmp_path):
    proof = Proof.of(['{"a":1}', "{}"])
    assert proof.lines == ('{"a":1}', "{}")
    assert proof.sha256 == hashlib.sha256(proof.text.encode()).hexdigest()
    for name in ("one.jsonl", "one.jsonl.gz"):
        proof.save(tmp_path / name)
        assert tuple(line.rstrip() for line in elsewise_check.read_lines(str(tmp_path / name))) == proof.lines
    assert Proof(reason="no").lines == ()
