"""How things are timed, and how results are written."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import elsewise

RESULTS = Path(__file__).parent / "results"


def seconds(function: Callable[[], Any]) -> float:
    """Wall-clock time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def environment() -> dict[str, str]:
    """Describe what the numbers depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "processors": str(os.cpu_count())}
    found["elsewise"] = elsewise.__version__  # an editable install may tell an older one
    for package in ("numpy", "scipy", "scikit-learn", "clarabel", "cvxpy", "scs", "pyscipopt"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format rows with equal keys as a Markdown table."""
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(" --- " for _ in head) + "|"]
    lines += ["| " + " | ".join(text(row[key]) for key in head) + " |" for row in rows]
    return "\n".join(lines)


def text(value: Any) -> str:
    """Write a value with four digits, nothing for None."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write(name: str, title: str, tables: dict[str, list[dict[str, Any]]], notes: Sequence[str], out: Path) -> None:
    """Print a report and write it as ``out/name.md`` and ``out/name.json``."""
    about = environment()
    parts = [f"# {title}"]
    for heading, rows in tables.items():
        if rows:
            parts += [f"## {heading}", table(rows)]
    parts += ["\n".join(f"- {note}" for note in notes), ", ".join(f"{key} {value}" for key, value in about.items())]
    text = "\n\n".join(part for part in parts if part) + "\n"
    print(text)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(text, encoding="utf-8")
    content = {"title": title, "environment": about, "tables": tables, "notes": list(notes)}
    (out / f"{name}.json").write_text(json.dumps(content, indent=1, default=str) + "\n", encoding="utf-8")
