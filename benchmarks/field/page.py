"""The page ``docs/comparison.md``, written from results that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..measure import RESULTS, table

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
HEAD = """# Measured beside others

Written by `python -m benchmarks.field --page` from results that are kept in `benchmarks/results/`. Peers run in
environments of their own, as published; every answer is judged by the model's own `predict`.
[Which library](choosing.md) says what each is made for, [benchmarks](benchmarks.md) has DiCE, CEML and OCEAN on twelve
problems.
"""
TREECF = """## treecf

XGBoost models of two tables of numbers, one made up and FICO's HELOC. Both libraries get the same model, rows and price
of a change (its size in standard deviations of the column), no rules, and their default settings. treecf's `genetic`
backend is its default and claims nothing; `exact` proves. Both have 5 seconds a row by the clock; on a machine shared
with other work treecf got about one second of CPU in them, so that with more time it would prove more. *Proven
nearest*: optimal by the library's own word. *Of the nearest known*: the least sum that answers of all methods without a
density have on the same rows. Where both prove, sums of distances are the same to four digits.
"""
NOTES = """
What the table does not show: treecf also certifies regions around an answer, levers and menus of answers, and takes
missing values as states; it reads JSON dumps. elsewise has ranges, levers, several answers, explains rows with missing
values, and reads files without the libraries (`read_xgboost`, `read_lightgbm`, `read_catboost`). Answers with a density
are farther because they are asked to be as typical as the median training row of the target.
"""


def write(results: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(content(json.loads((results / "field_treecf.json").read_text(encoding="utf-8"))), encoding="utf-8")


def content(treecf: dict[str, Any]) -> str:
    """Return the page."""
    about = ", ".join(f"{key} {value}" for key, value in treecf["environment"].items() if value != "not installed")
    parts = [HEAD, TREECF, table(treecf["tables"]["treecf"]), NOTES]
    parts += [f"Command: `{treecf['notes'][0]}`. {treecf['notes'][1]} {about}."]
    return "\n".join(parts) + "\n"
