"""Options of a question have the same names, defaults and choices wherever a question can be asked."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import fields, replace

import pytest

import elsewise as ew
from elsewise.questions import Options
from elsewise.questions.options import CHOICES, OPTIONS, describe_option
from elsewise.tools.app.schemas import QuestionBody
from elsewise.tools.cli.question import add_question, options_of
from elsewise.tools.files.trail.records import Circumstances

EVERY = {item.name for item in fields(Options)}
ONE_OUTCOME = {"constraints", "min_probability", "confidence", "on_satisfied", "time_limit", "other_models"}
# Options of each method, and its further parameters.
DOORS = {
    "explain": (EVERY, {"self", "X", "target", "progress", "budget"}),
    "explain_one": (EVERY, {"self", "x", "target"}),
    "mapper": (EVERY - {"errors", "ranges", "certificate"}, {"self", "target", "id_columns", "sentences", "n_jobs"}),
    "set_baseline": (EVERY - {"errors", "ranges", "certificate"}, {"self", "X", "target"}),
    "why_not": (ONE_OUTCOME | {"robust_radius"}, {"self", "x", "target"}),
    "frontier": (ONE_OUTCOME, {"self", "x", "target", "quantiles", "by"}),
    "path": ({"constraints", "min_probability", "time_limit"}, {"self", "x", "target", "level"}),
}


@pytest.mark.parametrize("door", DOORS)
def test_methods_name_their_options(door):
    options, others = DOORS[door]
    signature = inspect.signature(getattr(ew.Explainer, door))
    assert set(signature.parameters) == options | others
    assert signature.return_annotation not in (inspect.Signature.empty, "Any")
    for name in options:
        default = None if (door, name) == ("explain_one", "n_counterfactuals") else OPTIONS[name].default
        assert signature.parameters[name].default == default, name
        kept = "int | None" if default is None and name == "n_counterfactuals" else OPTIONS[name].type
        assert signature.parameters[name].annotation == kept, name


@pytest.mark.parametrize("name", sorted(EVERY))
def test_options_are_described(name):
    assert describe_option(name)
    assert "\n" not in describe_option(name)


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_checked(name):
    for choice in CHOICES[name]:
        assert getattr(Options(**{name: choice}), name) == choice
    with pytest.raises(ew.InvalidInputError, match=f"{name} must be '{CHOICES[name][0]}' or"):
        Options(**{name: "perhaps"})


def test_the_command_line_asks_with_the_same_options():
    parser = argparse.ArgumentParser()
    add_question(parser)
    assert options_of(parser.parse_args([]), None) == Options(errors="row")
    given = {action.dest: action for action in parser._actions}
    assert set(given) & EVERY == EVERY - {"constraints", "other_models", "certificate"}  # rules have a file
    assert {name: tuple(given[name].choices) for name in CHOICES} == CHOICES
    arguments = [
        "--on-satisfied",
        "keep",
        "--diversity",
        "1.5",
        "--robust-radius",
        "0.25",
        "--on-infeasible",
        "densest",
    ]
    asked = Options(errors="row", on_satisfied="keep", diversity=1.5, robust_radius=0.25, on_infeasible="densest")
    assert options_of(parser.parse_args(arguments), None) == asked


def test_the_explorer_asks_with_the_same_options():
    shared = {name: item for name, item in QuestionBody.model_fields.items() if name in EVERY}
    assert set(shared) == {"on_infeasible", "effort"}
    for name, item in shared.items():
        assert item.default == OPTIONS[name].default
        assert tuple(QuestionBody.model_json_schema()["properties"][name]["enum"]) == CHOICES[name]


def test_the_audit_trail_tells_the_same_options():
    told = Circumstances(replace(Options(), robust_radius=0.5), {}).stated()["options"]
    # a confidence is told as the least probability of each answer
    assert set(told) == EVERY - {"constraints", "min_probability", "confidence", "errors"}
    assert told["robust_radius"] == 0.5
