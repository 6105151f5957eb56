"""The explorer's interface against the explainer and the model themselves."""

from __future__ import annotations

import csv
import gzip
import io
import re

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import Ridge

import elsewise as ew
import elsewise_check

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
httpx = pytest.importorskip("httpx")

from elsewise.tools.app import create_app  # noqa: E402
from elsewise.tools.app.schemas import AnswerBody  # noqa: E402
from elsewise.tools.files.values import to_json  # noqa: E402
from tools.app.running import serving, small_explainer, small_table  # noqa: E402


@pytest.fixture(scope="module")
def small():
    frame, labels = small_table()
    explainer = small_explainer(frame, labels)
    with serving(create_app(explainer, frame, title="Small")) as address, httpx.Client(base_url=address) as client:
        yield client, explainer, frame


def row_with(frame, explainer, label):
    """Position of a row the model decides so for."""
    return int(np.flatnonzero(explainer.model.predict(frame) == label)[0])


def known(client, place):
    return client.get("/api/rows", params={"offset": place, "limit": 1}).json()["rows"][0]


def test_about_describes_the_table(small):
    client, _, frame = small
    about = client.get("/api/about").json()
    assert [(column["name"], column["kind"]) for column in about["columns"]] == [
        ("income", "number"), ("years", "integer"), ("housing", "category"),
    ]  # fmt: skip
    assert all(isinstance(pair, str) for pair in about["never_together"])
    assert about["columns"][2]["levels"] == ["free", "own", "rent"]
    assert (about["columns"][0]["low"], about["columns"][0]["high"]) == (frame["income"].min(), frame["income"].max())
    assert about["classes"] == ["no", "yes"]
    assert about["n_rows"] == len(frame)


def test_rows_are_the_data_and_their_predictions_the_models(small):
    client, explainer, frame = small
    listed = client.get("/api/rows", params={"offset": 5, "limit": 20}).json()
    assert listed["total"] == len(frame)
    predictions = explainer.model.predict(frame)
    for item in listed["rows"]:
        place = item["number"]
        assert item["prediction"] == predictions[place]
        assert item["row"] == {name: frame.iloc[place][name] for name in ("income", "years", "housing")}


def test_an_answer_is_valid_for_the_model_and_as_near_as_the_explainers(small):
    client, explainer, frame = small
    for place in range(0, 40, 7):
        picked = known(client, place)
        target = "yes" if picked["prediction"] == "no" else "no"
        for quantile in (None, 0.2, 0.8):
            answer = client.post(
                "/api/explain", json={"row": picked["row"], "target": target, "quantile": quantile}
            ).json()
            counterfactual = frame.iloc[[place]].copy()
            for name, value in answer["counterfactual"].items():
                counterfactual[name] = value
            assert explainer.model.predict(counterfactual)[0] == target
            x = frame.iloc[[place]]
            direct = (
                explainer.explain_one(x, target)
                if quantile is None
                else explainer.frontier(x, target, [quantile]).explanations[0]
            )
            assert answer["distance"] == pytest.approx(direct.distance, rel=1e-6)
            assert answer["status"] == "optimal"
            assert explainer.log_density(counterfactual, target)[0] >= direct.log_threshold - 1e-9
            changed = {change["column"] for change in answer["changes"]}
            assert changed == {name for name, value in answer["counterfactual"].items() if value != picked["row"][name]}


def test_positions_are_shares_of_the_classs_rows(small):
    client, _, frame = small
    _, labels = small_table()
    picked = known(client, 3)
    answer = client.post("/api/explain", json={"row": picked["row"], "target": "yes"}).json()
    among = frame[labels == "yes"]
    share = (among["income"] <= picked["row"]["income"]).mean()
    assert answer["positions"]["income"]["before"] == pytest.approx(share, abs=0.03)
    share = (among["housing"] == picked["row"]["housing"]).mean()
    assert answer["positions"]["housing"]["before"] == pytest.approx(share)


def test_the_frontier_rises_and_agrees_with_single_answers(small):
    client, explainer, frame = small
    place = row_with(frame, explainer, "no")
    row = known(client, place)["row"]
    quantiles = [0.1, 0.5, 0.9]
    points = client.post("/api/frontier", json={"row": row, "target": "yes", "quantiles": quantiles}).json()["points"]
    direct = explainer.frontier(frame.iloc[[place]], "yes", quantiles)
    assert [point["distance"] for point in points] == pytest.approx(direct.distances.tolist(), rel=1e-6)


def test_an_answer_is_told_to_be_as_plausible_as_was_asked(small):
    """A quantile lies between two rows; the rows no denser than an answer there are less than one row too few."""
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    n_rows = len(explainer.densities_["yes"].log_densities_)
    n_short = 0
    for percent in range(1, 100):
        answer = client.post("/api/explain", json={"row": row, "target": "yes", "quantile": percent / 100}).json()
        if answer["status"] != "optimal":
            continue
        assert answer["plausibility"] >= percent / 100
        (told,) = re.findall(r"at least as typical as (\d+) %|(No real) \S+ case is more", answer["sentence"])
        assert int(told[0] or 100) >= percent
        # never more than a row beyond what is counted
        counted = np.mean(explainer.densities_["yes"].log_densities_ <= answer["log_density"])
        assert answer["plausibility"] < counted + 1 / n_rows
        n_short += counted < percent / 100
    assert n_short > 0  # else nothing was tested


def test_an_answer_tells_what_every_answer_tells(small):
    client, explainer, frame = small
    place = row_with(frame, explainer, "no")
    answer = client.post("/api/explain", json={"row": known(client, place)["row"], "target": "yes"}).json()
    direct = explainer.explain(frame.iloc[[place]], "yes")
    own = {"sentence", "changes", "counterfactual", "positions", "probability_before", "probability_after"}
    assert set(answer) == set(direct.shown()) | own == set(AnswerBody.model_fields)
    for name, values in direct.shown().items():
        assert answer[name] == to_json(values[0]), name


def test_rules_are_kept(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    free = client.post("/api/explain", json={"row": row, "target": "yes"}).json()
    locked = free["changes"][0]["column"]
    rules = {"locked": [locked], "max_changes": 2, "allowed": {"housing": ["own"]}, "directions": {"years": "increase"}}
    answer = client.post("/api/explain", json={"row": row, "target": "yes", "rules": rules}).json()
    after = answer["counterfactual"]
    assert after[locked] == row[locked]
    assert len(answer["changes"]) <= 2
    assert after["housing"] in (row["housing"], "own")
    assert after["years"] >= row["years"]
    assert answer["distance"] >= free["distance"] - 1e-9


def test_a_range_is_about_the_answer_even_if_the_row_lies_outside_of_it(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    low = row["income"] + 3
    question = {"row": row, "target": "yes", "rules": {"ranges": {"income": [low, low + 30]}}}
    answer = client.post("/api/explain", json=question).json()
    assert low - 1e-9 <= answer["counterfactual"]["income"] <= low + 30 + 1e-9


def test_where_there_is_no_answer_a_relief_leads_to_one(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    for rules in (
        {"locked": ["income", "years", "housing"]},
        {"ranges": {"income": [row["income"], row["income"]]}, "locked": ["years", "housing"]},
        {"max_changes": 0},
    ):
        question = {"row": row, "target": "yes", "rules": rules}
        answer = client.post("/api/explain", json=question).json()
        assert (answer["status"], answer["counterfactual"]) == ("infeasible", None)
        assert "explainer." not in answer["reason"] + answer["sentence"]
        why = client.post("/api/why-not", json=question).json()
        assert why["reason"] == "rules"
        assert why["reliefs"]
        for relief in why["reliefs"]:
            relieved = client.post("/api/explain", json={**question, "rules": relief["rules"]}).json()
            assert relieved["status"] == "optimal"
            assert relieved["distance"] == pytest.approx(relief["distance"], rel=1e-6)


def test_the_plan_is_the_explainers(small):
    client, explainer, frame = small
    for place in np.flatnonzero(explainer.model.predict(frame) == "no")[:12].tolist():
        question = {"row": known(client, place)["row"], "target": "yes"}
        plan = client.post("/api/plan", json=question).json()
        direct = explainer.plan(explainer.explain_one(frame.iloc[[place]], "yes"))
        assert plan["sentence"] == direct.sentence
        assert plan["turn"] == direct.turn
        assert plan["status"] == "optimal"
        assert [step["columns"] for step in plan["steps"]] == [[c.feature for c in step.changes] for step in direct]
        assert [step["share"] for step in plan["steps"]] == pytest.approx([step.share for step in direct])
        assert plan["steps"][-1]["is_as_wanted"]
        assert plan["sentence"].endswith(plan["remark"])


def test_without_an_answer_there_is_no_plan(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    plan = client.post("/api/plan", json={"row": row, "target": "yes", "rules": {"max_changes": 0}}).json()
    assert (plan["status"], plan["steps"]) == ("infeasible", [])
    assert "explainer." not in plan["sentence"]


def test_the_csv_holds_the_answer_and_disarms_formulas(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    question = {"row": {**row, "housing": "=1+1"}, "target": "yes"}  # a value never seen
    answer = client.post("/api/explain", json=question).json()
    taken = client.post("/api/answer.csv", json=question)
    assert taken.headers["content-type"].startswith("text/csv")
    assert "attachment" in taken.headers["content-disposition"]
    lines = list(csv.reader(io.StringIO(taken.text)))
    by_name = {line[0]: line for line in lines if line}
    assert float(by_name["income"][2]) == answer["counterfactual"]["income"]
    assert by_name["housing"][1] == "'=1+1"
    assert float(by_name["distance"][1]) == answer["distance"]


def test_the_report_is_one_page_about_the_answer(small):
    client, explainer, frame = small
    pytest.importorskip("elsewise.tools.report")
    row = known(client, row_with(frame, explainer, "no"))["row"]
    taken = client.post("/api/report", json={"row": row, "target": "yes", "quantile": 0.3})
    assert taken.status_code == 200
    assert taken.headers["content-type"].startswith("text/html")
    assert "<html" in taken.text.lower()
    assert not re.search(r"""(src|href)=["']?https?://""", taken.text)


def test_the_proof_is_a_file_that_the_separate_program_accepts(small):
    client, explainer, frame = small
    row = known(client, row_with(frame, explainer, "no"))["row"]
    taken = client.post("/api/proof", json={"row": row, "target": "yes", "quantile": 0.3})
    assert taken.status_code == 200
    assert elsewise_check.check_lines(gzip.decompress(taken.content).decode().splitlines()).status == "optimal"


def test_profiles_count_the_classs_rows(small):
    client, _, _ = small
    _, labels = small_table()
    for place, label in enumerate(("no", "yes")):
        profiles = client.get("/api/profiles", params={"target": place}).json()
        assert profiles["target"] == label
        assert all(sum(profile["counts"]) == (labels == label).sum() for profile in profiles["profiles"])


def test_a_regressor_is_asked_for_a_range():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = Ridge().fit(X, X @ [1.0, 2.0, -1.0])
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X)
    with serving(create_app(explainer, X)) as address, httpx.Client(base_url=address) as client:
        about = client.get("/api/about").json()
        assert about["classes"] is None
        row = known(client, 0)["row"]
        now = model.predict(X[:1])[0]
        answer = client.post("/api/explain", json={"row": row, "target": {"low": now + 1.5}}).json()
        after = [[answer["counterfactual"][column["name"]] for column in about["columns"]]]
        assert model.predict(after)[0] >= now + 1.5 - 1e-9
        assert client.post("/api/explain", json={"row": row, "target": "yes"}).status_code == 422
        assert client.post("/api/explain", json={"row": row, "target": {}}).status_code == 422


def test_an_explainer_without_density_has_no_quantiles():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(X, X[:, 0] > 0)
    explainer = ew.Explainer(model, density=None).fit(X, X[:, 0] > 0)
    with serving(create_app(explainer, X)) as address, httpx.Client(base_url=address) as client:
        about = client.get("/api/about").json()
        assert (about["has_density"], about["classes"]) == (False, [False, True])
        picked = known(client, 0)
        question = {"row": picked["row"], "target": not picked["prediction"]}
        answer = client.post("/api/explain", json=question).json()
        assert (answer["status"], answer["plausibility"]) == ("optimal", None)
        refused = client.post("/api/explain", json={**question, "quantile": 0.5})
        assert (refused.status_code, "without a density" in refused.json()["detail"]) == (422, True)


def test_without_rows_there_is_a_typical_one(small):
    _, explainer, _ = small
    with serving(create_app(explainer)) as address, httpx.Client(base_url=address) as client:
        about = client.get("/api/about").json()
        assert about["n_rows"] == 0
        answer = client.post("/api/explain", json={"row": about["typical"], "target": "yes"})
        assert answer.json()["status"] == "optimal"


@pytest.mark.parametrize("named", [False, True])
def test_missing_numbers_of_a_model_that_takes_them(named):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    given = pandas.DataFrame(gaps, columns=["x0", "x1"]) if named else gaps
    labels = (X.sum(axis=1) > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=5).fit(given, labels)
    explainer = ew.Explainer(model, density=None).fit(given, labels)
    row = gaps[(model.predict(given) == 0) & np.isnan(gaps[:, 0])][0]
    with serving(create_app(explainer, given)) as address, httpx.Client(base_url=address) as client:
        about = client.get("/api/about").json()
        assert [column["optional"] for column in about["columns"]] == [True, True]
        rows = client.get("/api/rows").json()["rows"]
        assert (rows[0]["row"]["x0"] is None) == np.isnan(gaps[0, 0])
        answer = client.post("/api/explain", json={"row": {"x0": None, "x1": row[1]}, "target": 1}).json()
        assert answer["status"] == "optimal"
        assert answer["counterfactual"]["x0"] is None
        assert answer["counterfactual"]["x1"] > row[1]
