"""The page ``docs/comparison.md``, written from results that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..measure import RESULTS, table

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
NAMES = {"treecf": "treecf", "nice": "NICE", "ocean": "OCEAN", "ocean_alone": "OCEAN's study", "lice": "LiCE"}
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
are farther away because they have to be as typical as the median training row of the target.
"""


NICE = """## NICE

The same tables, models, rows and prices. [NICE](https://pypi.org/project/NICEx/) starts from the nearest training row
that the model accepts: that row is the answer of `none`; otherwise columns of the row are set to it one by one, until
the model accepts. It works with any model and makes no claim about what is nearest.
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
ALONE = """All fifty rows of the same seed, by elsewise alone, one row a call and, in the last column, all in one call:
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

Answers that outlive the model: it is trained again on 20 bootstraps of its rows, none of which answers were made with,
and *survive* is the share of answers and bootstraps that still give the target.
[`robust_to="retraining"`](howto/answers-that-last.md#when-the-model-is-trained-again) asks for an agreement of 0.95.
[ElliCE](https://pypi.org/project/ellice/) (its continuous method, logistic regression) gets the tolerance that its
documentation recommends, a tenth of the training loss; it covers all models of so small a loss, which is more, and does
not look for the nearest answer. Distances are sums of changes in standard deviations: the median of the ratios, and the
ratio of the sums, of rows that all have an answer for. The answers of logistic regressions are proven the nearest for
their demand, so that a ratio says what lasting costs on a table: where rows lie next to the boundary, as in German
credit, plain answers are very near, and ratios large. The XGBoost model refuses one test row of German credit alone.
"""


def write(results: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(content(results), encoding="utf-8")


def content(results: Path) -> str:
    """Return the page."""
    parts = [HEAD]
    for name, text, notes in (
        ("treecf", TREECF, NOTES),
        ("nice", NICE, ""),
        ("ocean", OCEAN, ""),
        ("ocean_alone", ALONE, ""),
        ("lice", LICE, ""),
    ):
        found = json.loads((results / f"field_{name}.json").read_text(encoding="utf-8"))
        notes = _in_one_call(results) if name == "ocean_alone" else notes
        parts += [text, table(found["tables"][name]), notes]
        parts += [f"Command: `{found['notes'][0]}`. {found['notes'][1]} {_versions(found)}.\n"]
    found = json.loads((results / "lasting.json").read_text(encoding="utf-8"))
    parts += [LASTING, table(found["tables"]["Survival"]), f"\nCommand: `{found['notes'][0]}`. {_versions(found)}."]
    return "\n".join(parts) + "\n"


def _in_one_call(results: Path) -> str:
    """Compare OCEAN's median row with a row of ours in one call, by the geometric mean over the tables."""
    kept = {name: json.loads((results / f"field_{name}.json").read_text()) for name in ("ocean", "ocean_alone")}
    ours = {(one["table"], one["model"]): one for one in kept["ocean_alone"]["tables"]["ocean_alone"]}
    ratios: dict[str, list[float]] = {}
    for one in kept["ocean"]["tables"]["ocean"]:
        if one["method"].startswith("OCEAN"):
            mine = ours[one["table"], one["model"]]["ms a row in one call, CPU"]
            ratios.setdefault(one["model"], []).append(one["median ms, CPU"] / mine)
    means = [f"{np.exp(np.mean(np.log(each))):.0f} times ({model})" for model, each in ratios.items()]
    n_rows, n_proven = (sum(one[key] for one in ours.values()) for key in ("rows", "proven nearest"))
    return (
        f"\nProven: {n_proven} of {n_rows}. OCEAN's median row takes {' and '.join(means)} as much CPU as a row in one "
        "call: geometric means over the tables.\n"
    )


def _versions(found: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found["environment"].items() if value != "not installed")
