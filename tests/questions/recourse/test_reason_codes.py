"""Reason codes: read from a file, checked by the fit, counted by group."""

from __future__ import annotations

import json

import pytest

import elsewise as ew
from elsewise.tools.cli import main

pandas = pytest.importorskip("pandas")
RULES = ew.Constraints(monotone={"years": "increase", "income": "increase"})
FILE = """column,direction,code,en,de
years,too low,R1,Time in the job,Dauer der Beschäftigung
income,too low,R2,Income,Einkommen
housing,other,R3,Housing,Wohnung
guarantor,too low,R4,No guarantor,Kein Bürge
guarantor,too high,R5,Guarantor,Bürge
guarantor,other,R6,Guarantor,Bürge
"""


@pytest.fixture
def codes(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text(FILE)
    return path


def _explainer(loans, codes, constraints=RULES):
    explainer = ew.Explainer(loans.explainer.model, constraints=constraints, reason_codes=codes, density=None)
    return explainer.fit(loans.frame, loans.label)


def _needed(loans):
    kind = next(one.kind for one in loans.explainer.table_.columns if one.name == "guarantor")
    return ["other"] if kind == "category" else ["too low", "too high"]


def _file(loans, codes, left_out=""):
    ways = ["years,", "income,", "housing,", *(f"guarantor,{way}," for way in _needed(loans))]
    lines = [line for line in FILE.splitlines()[1:] if any(line.startswith(way) for way in ways)]
    codes.write_text("\n".join([FILE.splitlines()[0], *(one for one in lines if not one.startswith(left_out or "#"))]))
    return codes


def test_reasons_carry_codes_in_every_language(loans, codes):
    explainer = _explainer(loans, _file(loans, codes))
    refused = loans.frame[explainer.model.predict(loans.frame) == "no"]
    known = {line.split(",")[2]: tuple(line.split(",")[:2]) for line in FILE.splitlines()[1:]}
    for _, row in refused.head(5).iterrows():
        for reason in explainer.reasons(row, "yes"):
            assert known[reason.code.code] == (reason.column, reason.direction)
            assert set(reason.code.texts) == {"en", "de"}
    row = refused.iloc[0]
    fields = {"sender": "a", "recipient": "b", "contact": "c", "agency": "d"}
    answer = explainer.explain_one(row, "yes")
    german = explainer.letter(answer, language="de", fields=fields)
    first = german.reasons[0].code
    assert f"{first.code}: {first.texts['de']} (bei Ihnen" in " ".join(german.text.split())
    explainer.save(codes.with_suffix(".ew"))
    codes.unlink()
    assert ew.load(codes.with_suffix(".ew")).reasons(row, "yes")[0].code == first


@pytest.mark.parametrize("lacking", ["years", "income", "housing", "guarantor"])
def test_a_possible_reason_without_a_code_is_an_error_of_the_fit(loans, codes, lacking):
    with pytest.raises(ew.InvalidInputError, match=f"possible reasons have no code: .'{lacking}'"):
        _explainer(loans, _file(loans, codes, lacking))


def test_what_the_rules_leave_free_needs_a_code(loans, codes):
    with pytest.raises(ew.InvalidInputError, match="'years', 'too high'"):
        _explainer(loans, _file(loans, codes), None)
    immutable = RULES & ew.Constraints(immutable=["housing"])
    assert _explainer(loans, _file(loans, codes, "housing"), immutable).reason_codes_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("column,code\na,b\n", "expected the header"),
        ("column,direction,code,fr\na,too low,b,c\n", "expected the header"),
        ("column,direction,code\n", "no codes"),
        ("column,direction,code\nyears,too low,\n", "line 2: expected a value"),
        ("column,direction,code\nyears,too low,a\nyears,too low,b\n", "line 3: .*has a code already"),
        ("column,direction,code\nage,too low,a\n", "a column of the table"),
        ("column,direction,code\nyears,too slow,a\n", "a direction out of"),
        ("column,direction,code\nhousing,too low,a\n", "matches nothing"),
    ],
)
def test_bad_files_are_refused(loans, codes, text, message):
    codes.write_text(text)
    with pytest.raises(ew.InvalidInputError, match=message):
        _explainer(loans, codes)


def test_an_audit_counts_reasons_by_group(loans, codes, tmp_path, capsys):
    explainer = _explainer(loans, _file(loans, codes))
    refused = loans.frame[explainer.model.predict(loans.frame) == "no"].head(16)
    reasons = [explainer.reasons(row, "yes") for _, row in refused.iterrows()]
    groups = ["a", "b"] * 8
    found = ew.audit(explainer.explain(refused, "yes"), by=groups, reasons=reasons)
    for each in found.reasons:
        own = [one for one, group in zip(reasons, groups) if group == each.group]
        assert each.n == sum(each.reason in [reason.code.code for reason in one] for one in own)
        assert each.share == each.n / 8
    assert found.without_recourse == {"a": 0, "b": 0}
    held = ew.Constraints(immutable=list(loans.frame.columns))
    nothing = ew.audit(explainer.explain(refused, "yes", constraints=held), by=groups)
    assert nothing.without_recourse == {"a": 8, "b": 8}
    with pytest.raises(ew.InvalidInputError, match="expected one for each of 16 rows"):
        ew.audit(explainer.explain(refused, "yes"), by=groups, reasons=reasons[:3])
    explainer.save(tmp_path / "e.ew")
    refused.assign(group=groups).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "t.txt").write_text("$reasons\n")
    assert main(["letters", "--explainer", str(tmp_path / "e.ew"), "--data", str(tmp_path / "rows.csv"), "--target",
                 "yes", "--template", str(tmp_path / "t.txt"), "--keep", "group", "--quiet", "--out",
                 str(tmp_path / "out")]) == 0  # fmt: skip
    capsys.readouterr()
    assert main(["audit", str(tmp_path / "out" / "letters.jsonl"), "--by", "group", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["reasons"]
    assert {(one["group"], one["reason"]): one["n"] for one in told} == {
        (one.group, one.reason): one.n for one in found.reasons
    }
