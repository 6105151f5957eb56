"""The examples run, and the code in the documents does what they say."""

import io
import re
import runpy
import sys
import types
from contextlib import redirect_stdout
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

from answers_in_range import watched
from elsewise import Explainer
from elsewise.answers import explanation, explanations

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def _blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def _printed(code):
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    with watched() as outside:
        runpy.run_path(str(path), run_name="__main__")
    assert outside == []
    assert capsys.readouterr().out.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


def test_readme_example_prints_what_the_readme_says():
    pytest.importorskip("pandas")
    (code,) = _blocks(ROOT / "README.md", "python")
    (expected,) = _blocks(ROOT / "README.md", "text")
    with watched() as outside:
        printed = _printed(code)
    assert outside == []
    # Words and layout to the letter; numbers to the digits that every machine gives.
    assert re.sub(r" +", " ", NUMBER.sub("#", printed)) == re.sub(r" +", " ", NUMBER.sub("#", expected))
    theirs, ours = ([float(number) for number in NUMBER.findall(text)] for text in (expected, printed))
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert "(proven)" in printed


def test_a_model_family_is_added_as_described():
    polyhedra, any_shape = _blocks(ROOT / "docs" / "adding-a-model-family.md", "python")
    printed = _printed(polyhedra)
    assert printed.startswith('The model predicts "denied". It would predict "granted" with: ')
    assert "income" not in printed  # the rows have no names
    of_any_shape = _printed(polyhedra + any_shape).removeprefix(printed)
    assert of_any_shape.startswith('The model predicts "stops". It would predict "works" with: ')
    assert "No smaller change exists" in of_any_shape


def test_a_rule_kind_is_added_as_described():
    pytest.importorskip("pandas")
    page, out = ROOT / "docs" / "adding-a-rule-kind.md", {}
    with redirect_stdout(io.StringIO()):
        exec(compile("".join(_blocks(page, "python")), "<document>", "exec"), out)
    model, row = out["model"], out["row"]
    # An independent reference: the cheapest move over the linear model's boundary, income within 20 % of what it is.
    (w_income, w_debt), room = model.coef_[0], 0.2 * row["income"]
    score = model.decision_function(pd.DataFrame([row]))[0]
    reference = linprog(
        [1, 1, 3, 3],
        A_ub=[[-w_income, w_income, -w_debt, w_debt]],
        b_ub=[score],
        bounds=[(0, room), (0, room), (0, None), (0, None)],
    )
    assert room * w_income < -score  # the rule is felt
    with_rule, without = _with_and_without(out, row)
    assert with_rule.status == "optimal"
    assert with_rule.distance == pytest.approx(reference.fun, rel=1e-5)
    assert without.distance < with_rule.distance * (1 - 1e-3)


def _with_and_without(page, row):
    explainer = page["ew"].Explainer(page["model"], density=None, distance=page["explainer"].distance).fit(page["X"])
    return page["explainer"].explain_one(row, target="granted"), explainer.explain_one(row, target="granted")


def test_an_answer_field_is_added_as_described():
    pytest.importorskip("pandas")
    page = (ROOT / "docs" / "adding-an-answer-field.md").read_text(encoding="utf-8")
    of_many, of_one = re.findall(r"^- in `\w+`: `(.*)`$", page, flags=re.MULTILINE)
    one = _with_field(explanation, "Explanation", of_one)
    many = _with_field(explanations, "Explanations", of_many, Explanation=one.Explanation)
    X = np.random.default_rng(0).normal(size=(60, 2))
    answers = Explainer(LogisticRegression().fit(X, X[:, 0] > 0), density=None).fit(X).explain(X[:4])
    entries = {item.name: getattr(answers, item.name) for item in fields(answers)}
    told = many.Explanations(**entries, n_rules=np.array([3, 1, 4, 1]))
    assert [each.n_rules for each in told] == [3, 1, 4, 1]
    assert told[1:3].n_rules.tolist() == [1, 4]
    assert many.concatenate([told[2:], told[:2]]).n_rules.tolist() == [4, 1, 3, 1]
    assert told.to_frame()["n_rules"].tolist() == [3, 1, 4, 1]
    assert "n_rules" not in answers.to_frame()
    assert many.Explanations(**entries).n_rules.tolist() == [0, 0, 0, 0]


def _with_field(module, name, line, **others):
    """Return a module made of another's source with a line more at the end of the fields of a class."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    place = source.index(
        "\n\n    ", source.index("    proof", source.index("    table: Table\n", source.index(f"class {name}")))
    )
    made = types.ModuleType(f"{module.__name__}_with_a_field")
    made.__package__ = module.__package__
    sys.modules[made.__name__] = made
    try:
        exec(compile(f"{source[:place]}\n    {line}{source[place:]}", module.__file__, "exec"), made.__dict__)
    finally:
        del sys.modules[made.__name__]
    made.__dict__.update(others)
    return made


def test_links_between_documents_lead_somewhere():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("adding-*.md")]:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path.name} links to {link}, which is not there"
