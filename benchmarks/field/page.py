"""The page ``docs/comparison.md``, written from results that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..measure import RESULTS, table

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
NAMES = {"treecf": "treecf", "ocean": "OCEAN", "lice": "LiCE"}
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


OCEAN = """## OCEAN

The study of its authors ([oceanpy-experiments](https://github.com/AwaKhouna/oceanpy-experiments)): the nine tables
that are in the repository (the tenth is not), the first of its five seeds, the first of its fifty rows, its models,
targets and distance, the sum of changes in the units of the columns. One thread each, no density. OCEAN keeps
numbers of discrete columns at values of the table, elsewise keeps them whole and in their range. The limit of
seconds is by the clock, and the machine was shared, so that OCEAN got less CPU in it. *Farther than the other*:
rows whose answer is not the nearer one, or is missing. *Times less CPU*: geometric mean over the rows, without the
time that OCEAN takes to build its model once.
"""
LICE = """
## LiCE

The tables, fifteen ONNX networks and test rows of LiCE's study ([repository](https://github.com/Epanemu/LiCE)),
with the answers that its authors published beside them: nothing of LiCE was run, for it needs Gurobi. Its seconds
are by the clock, as published, on its authors' machine; ours are of one thread of a shared machine. LiCE asks for
the nearest row whose likelihood under a sum-product network is that of the median training row; elsewise asks for
rows as typical as the median row of the target, under a density of its own, and in the last line for more typical
ones until LiCE's likelihood reaches LiCE's threshold. These are different demands, and where few rows of the target
reach LiCE's threshold, as in GiveMeSomeCredit, none of our answers does. *Valid*: by onnxruntime, under the network
that lies beside the answers in the repository; most published answers to German credit are not. *As likely as
asked*: LiCE's likelihood, which is checked to give the published thresholds, is at least the threshold. *Distance
to theirs*: on rows where both are valid, in LiCE's distance.
"""
LASTING = """
## ElliCE

Answers that outlive the model: it is trained again on bootstraps of its rows, and *survive* is the share of answers
and bootstraps that still give the target. [`refits`](howto/answers-that-last.md#when-the-model-is-trained-again)
asks for an agreement of 0.95. [ElliCE](https://pypi.org/project/ellice/) (its continuous method, logistic
regression) gets the tolerance that its documentation recommends, a tenth of the training loss; it covers all models
of so small a loss, which is more, and does not look for the nearest answer. Distances are sums of changes in
standard deviations, by the median row of those that all have an answer for; where rows of the table lie next to the
boundary, ratios are large. Networks together with other networks are not answered: no candidate was confirmed, and the
status says unknown.
"""


def write(results: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(content(results), encoding="utf-8")


def content(results: Path) -> str:
    """Return the page."""
    parts = [HEAD]
    for name, text, notes in (("treecf", TREECF, NOTES), ("ocean", OCEAN, ""), ("lice", LICE, "")):
        found = json.loads((results / f"field_{name}.json").read_text(encoding="utf-8"))
        parts += [text, table(found["tables"][name]), notes]
        parts += [f"Command: `{found['notes'][0]}`. {found['notes'][1]} {_versions(found)}.\n"]
    found = json.loads((results / "lasting.json").read_text(encoding="utf-8"))
    parts += [LASTING, table(found["tables"]["Survival"]), f"\nCommand: `{found['notes'][0]}`. {_versions(found)}."]
    return "\n".join(parts) + "\n"


def _versions(found: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found["environment"].items() if value != "not installed")
