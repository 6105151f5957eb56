"""Turn results into Markdown, and put it between the markers of the page.

A block of the page is ``<!-- begin: name -->`` ... ``<!-- end: name -->``. Everything between is written by the
command; everything else is written by people and left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from ..measure import table
from .methods import METHODS, Method

OTHERS = ("paths", "engine", "scaling", "threads", "startup", "memory")
"""Measurements of the other commands, shown on the same page."""


def update(path: Path, found: dict[str, Any], results: Path) -> None:
    """Fill every block of the page."""
    text = path.read_text(encoding="utf-8")
    for name, write in BLOCKS.items():
        text = replace_block(text, name, write(found))
    for name in OTHERS:
        text = replace_block(text, name, other_results(results / f"{name}.md", name))
    path.write_text(text, encoding="utf-8")


def report(found: dict[str, Any]) -> str:
    """All blocks in one file, beside the JSON."""
    return "# Peers\n\n" + "\n\n".join(write(found) for write in BLOCKS.values()) + "\n"


def own_versions() -> dict[str, str]:
    """Return the versions in this environment."""
    found = {"python": python_version()}
    for package in ("elsewise", "numpy", "scipy", "scikit-learn", "clarabel", "cvxpy", "scs"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def replace_block(text: str, name: str, content: str) -> str:
    """Put content between the markers of a block of the page."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if begin not in text or end not in text:
        raise ValueError(f"The page has no block {begin} ... {end}: put the two lines where it belongs.")
    head, rest = text.split(begin, 1)
    return f"{head}{begin}\n\n{content.strip()}\n\n{end}{rest.split(end, 1)[1]}"


def other_results(path: Path, name: str) -> str:
    """Give the results of another command as a part of the page."""
    if not path.exists():
        return f"Not measured yet: run `python -m benchmarks.{name}`."
    lines = path.read_text(encoding="utf-8").splitlines()
    # The page has its own headings: drop the title, and write the tables' headings as plain lines.
    kept = [line for line in lines if not line.startswith("# ")]
    return "\n".join(re.sub(r"^#+ (.*)$", r"**\1**", line) for line in kept)


def _facts(found: dict[str, Any]) -> str:
    limits = found["limits"]
    lines = [
        f"- Date: {found['date']}; measuring took {found['seconds'] / 60:.0f} minutes"
        + (" (quick mode: too few rows to conclude anything)." if found["quick"] else "."),
        "- Machine: " + ", ".join(f"{key} {value}" for key, value in found["machine"].items()) + "; one thread each.",
        f"- Limits: the first {limits['rows']} test rows of a problem for every method, fewer if it runs out of time: "
        f"{limits['seconds']:.0f} s a method and problem, {limits['row_seconds']:.0f} s a row. elsewise explains "
        "all test rows once more, in a line of its own.",
    ]
    for name, versions in found["versions"].items():
        if versions:
            lines.append(f"- Environment of {name}: " + ", ".join(f"{k} {v}" for k, v in versions.items()) + ".")
    lines += [f"- **{name} could not be installed**: {why}" for name, why in found["not_installed"].items()]
    lines += [f"- {line}." for line in found["left_out"]]
    about = [
        {
            "problem": p["name"],
            "features": p["features"],
            "dimensions the model sees": p["model_dimensions"],
            "classes": p["classes"],
            "training rows": p["training_rows"],
            "test rows": p["own_rows"],
            "optimum proven": percent(p["proven_optimum"]),
            "nearest proven": percent(p["proven_nearest"]),
            "elsewise in one call, ms a row": p["batch_ms"],
        }
        for p in found["problems"]
    ]
    return "\n".join(lines) + "\n\n" + table(about)


def _summary(found: dict[str, Any]) -> str:
    rows = []
    for method in _taking_part(found):
        figures = _figures(found, method)
        rows.append(
            {
                "method": method.label,
                "problems": len(figures),
                "rows": sum(f["rows"] for f in figures),
                "answered": percent(_mean(figures, "answered")),
                "valid": percent(_mean(figures, "valid")),
                "dense": percent(_mean(figures, "dense")),
                "dense to 1e-6": percent(_mean(figures, "nearly_dense")),
                "rows with a valid and dense answer": percent(_mean(figures, "both")),
                "distance / nearest": _middle(figures, "to_nearest"),
                "distance / optimum": _middle(figures, "to_optimum"),
                "changed features": _middle(figures, "changed"),
                "KDE log density, difference": _nats(_middle(figures, "kde_difference")),
                "ms a row": _middle(figures, "ms_median"),
                "slowest 99th percentile, ms": max((f["ms_p99"] for f in figures), default=None),
                "import, s": found["imports"].get(method.key),
            }
        )
    batch = [p["batch_ms"] for p in found["problems"]]
    note = (
        f"In one call for all rows, elsewise takes {np.median(batch):.3g} ms a row (median over the problems; "
        f"{min(batch):.3g} to {max(batch):.3g})."
    )
    return f"{table(rows)}\n\n{note}"


def _failures(found: dict[str, Any]) -> str:
    rows, silent = [], []
    for method in _taking_part(found):
        figures = _figures(found, method)
        total = sum(f["rows"] for f in figures)
        answered = [f["answered"] * f["rows"] for f in figures]
        unanswered = round(total - sum(answered))
        sparse = round(sum(a * (1 - f["dense"]) for a, f in zip(answered, figures) if f["dense"] is not None))
        errors: dict[str, int] = {}
        for figure in figures:
            for message, count in figure["errors"].items():
                errors[message] = errors.get(message, 0) + count
        most = sorted(errors, key=lambda message: -errors[message])[:2]
        rows.append(
            {
                "method": method.label,
                "rows": total,
                "no answer": unanswered,
                "answer the model rejects": sum(f["rejected"] for f in figures),
                "of these, by a hair": sum(f["rejected_by_a_hair"] for f in figures),
                "answer below the density threshold": sparse,
                "commonest reasons given": "; ".join(f"{_cell(message)} ({errors[message]})" for message in most),
            }
        )
        for problem in found["problems"]:
            figure = problem["methods"].get(method.key)
            if figure is not None and figure["problem"]:
                silent.append((method.label, figure["problem"], problem["name"]))
    lines = [table(rows)]
    groups: dict[tuple[str, str], list[str]] = {}
    for label, why, name in silent:
        groups.setdefault((label, why), []).append(name)
    lines += [""] + [f"- {label}: {_cell(why)} ({'; '.join(names)})." for (label, why), names in groups.items()]
    for method in _taking_part(found):
        least = min((f["agreement"] for f in _figures(found, method) if f["agreement"] is not None), default=1.0)
        if least < 1.0:
            lines.append(f"- {method.label}: the rebuilt model agrees on only {percent(least)} of the training rows.")
    return "\n".join(lines)


def _better(found: dict[str, Any]) -> str:
    rows = []
    for method in _taking_part(found):
        if method.key.startswith("elsewise"):
            continue
        wins: dict[str, list[str]] = {"kde_difference": [], "changed_difference": [], "ms_ratio": []}
        total = 0
        for problem in found["problems"]:
            theirs = problem["methods"].get(method.key)
            if theirs is None or not theirs["answered"]:
                continue
            total += 1
            # Less than a hundredth of a nat is rounding, not density.
            ahead = {
                "kde_difference": theirs["kde_difference"] > 0.01,
                "changed_difference": theirs["changed_difference"] < 0,
                "ms_ratio": theirs["ms_ratio"] < 1,
            }
            for key, better in ahead.items():
                wins[key] += [problem["name"]] if better else []
        rows.append(
            {
                "method": method.label,
                "problems": total,
                "higher KDE density": _count(wins["kde_difference"], total),
                "fewer changed features": _count(wins["changed_difference"], total),
                "less time a row": _count(wins["ms_ratio"], total),
            }
        )
    least = [
        (f["least_to_nearest"], m.label)
        for m in _taking_part(found)
        for f in _figures(found, m)
        if f["least_to_nearest"] is not None
    ]
    proof = ""
    if least:
        proof = (
            "\n\nNo method found a valid point nearer than the distance elsewise proves to be the least: the smallest "
            f"ratio of all is {min(least)[0]:.8f} ({min(least)[1]})."
            if min(least)[0] >= 1 - 1e-6
            else f"\n\n**A valid point nearer than the proven least distance was found: ratio {min(least)[0]:.8f} by "
            f"{min(least)[1]}. This is a bug; please report it.**"
        )
    return table(rows) + proof


def _tables(found: dict[str, Any]) -> str:
    parts = []
    for problem in found["problems"]:
        rows = []
        for method in METHODS:
            f = problem["methods"].get(method.key)
            if f is None or (f["rows"] == 0 and f["problem"]):
                continue
            rows.append(
                {
                    "method": method.label,
                    "rows": f["rows"],
                    "answered": percent(f["answered"]),
                    "valid": percent(f["valid"]),
                    "dense": percent(f["dense"]),
                    "dense to 1e-6": percent(f["nearly_dense"]),
                    "KDE log density": f["kde_median"],
                    "difference": _nats(f["kde_difference"]),
                    "distance / nearest": f["to_nearest"],
                    "distance / optimum": f["to_optimum"],
                    "changed": f["changed"],
                    "ms": f["ms_median"],
                    "ms, 99 %": f["ms_p99"],
                }
            )
        parts += [f"**{problem['name']}**", table(rows)]
    return "\n\n".join(parts)


BLOCKS: dict[str, Callable[[dict[str, Any]], str]] = {
    "facts": _facts,
    "summary": _summary,
    "failures": _failures,
    "better": _better,
    "problems": _tables,
}


def _taking_part(found: dict[str, Any]) -> list[Method]:
    return [m for m in METHODS if any(m.key in p["methods"] for p in found["problems"])]


def _figures(found: dict[str, Any], method: Method) -> list[dict[str, Any]]:
    """Figures of the problems on which the method got to explain rows."""
    mine = (p["methods"].get(method.key) for p in found["problems"])
    return [figure for figure in mine if figure is not None and figure["rows"]]


def _mean(figures: list[dict[str, Any]], key: str) -> float | None:
    values = [f[key] for f in figures if f[key] is not None]
    return float(np.mean(values)) if values else None


def _middle(figures: list[dict[str, Any]], key: str) -> float | None:
    values = [f[key] for f in figures if f[key] is not None]
    return float(np.median(values)) if values else None


def percent(share: float | None) -> str:
    """Write a share in percent; only what is complete reads 100 %, only what is empty 0 %."""
    if share is None:
        return ""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{min(max(100 * share, 0.1), 99.9):.1f} %"


def _nats(difference: float | None) -> str:
    """Write a difference of log densities with two decimals; rounding errors read 0."""
    return "" if difference is None else f"{difference:+.2f}".replace("-0.00", "0").replace("+0.00", "0")


def _count(names: list[str], total: int) -> str:
    """Say on how many problems, and on which unless it is all or none."""
    if len(names) in (0, total):
        return "all" if names else "none"
    return f"{len(names)}: {'; '.join(names)}"


def _cell(message: str) -> str:
    """Shorten a message and make it fit in a table."""
    short = message.replace("|", "\\|").replace("<", "&lt;")
    return short if len(short) <= 140 else short[:137] + "..."
