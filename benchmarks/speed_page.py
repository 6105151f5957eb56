"""Write the section "Time a row" of docs/benchmarks.md from the results that were measured last."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .measure import RESULTS, table

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BLOCK = re.compile(r"<!-- benchmark -->.*?(?=\n## )", re.DOTALL)


def main() -> None:
    engine, threads, scaling = (read(name) for name in ("engine", "threads", "scaling"))
    rows = [
        {
            "problem": row["problem"],
            "elsewise": f"{row['elsewise']:.3f} ms",
            "Clarabel": f"{row['Clarabel'] / row['elsewise']:.1f}x",
            "cvxpy + SCS": f"{row['cvxpy + SCS'] / row['elsewise']:.0f}x",
        }
        for row in engine["tables"]["Milliseconds per row"]
    ]
    about = engine["environment"]
    features = scaling["tables"]["Features"]
    lines = [
        "<!-- benchmark -->",
        "Time a row, proof and verification included, on one thread, and how many times longer others take for the",
        "same problems: Clarabel's own API with matrices built once, and the paper's cvxpy + SCS formulation.",
        "",
        table(rows),
        "",
        *(f"- {note}" for note in engine["notes"] if "geometric" in note),
        *(f"- Two threads, {row['problem']}: {row['speed-up']:.2f}x" for row in threads["tables"]["Rows per second"]),
        f"- {features[0]['features']} to {features[-1]['features']} features with a cone of up to "
        f"{features[-1]['cone dimension']} dimensions: {features[0]['ms per row']:.2f} to "
        f"{features[-1]['ms per row']:.2f} ms a row.",
        *table_lines(),
        "",
        f"Measured with Python {about['python']}, NumPy {about['numpy']}, scikit-learn {about['scikit-learn']},",
        f"Clarabel {about['clarabel']} and cvxpy {about['cvxpy']} on {about['processors']} cores;",
        "`python -m benchmarks.engine` measures again.",
        "",
    ]
    content = PAGE.read_text(encoding="utf-8")
    if not BLOCK.search(content):
        raise SystemExit(
            "docs/benchmarks.md has no line <!-- benchmark --> above a heading: nowhere to write the table."
        )
    PAGE.write_text(BLOCK.sub(lambda _: "\n".join(lines), content), encoding="utf-8")


def table_lines() -> list[str]:
    """Lines about tables with categories, whole numbers and rules, if they have been measured."""
    if not (RESULTS / "tables.json").exists():
        return []
    lines = []
    for heading, rows in read("tables")["tables"].items():
        if heading.endswith("SCIP"):
            for solver, settings in (("SCIP", "its default settings"), ("SCIP tuned", "the fastest settings found")):
                ratios = [row[f"{solver} / elsewise, of medians"] for row in rows]
                lines.append(
                    f"- German credit, 13 of 20 columns categories, against SCIP with {settings}: "
                    f"{min(ratios):.1f}x to {max(ratios):.1f}x"
                )
        elif heading.endswith("one at a time"):
            middle, tail = (max(row[key] for row in rows) for key in ("median ms", "99 % under ms"))
            lines.append(f"- German credit, a row a call: median at most {middle:.0f} ms, 99 % within {tail:.0f} ms.")
        else:
            for row in rows:
                what = f"{row['table']} as {row['taken as']}, {row['model']}"
                lines.append(f"- Two threads, {what}: {row['rows per second']:.0f} rows a second")
    return lines


def read(name: str) -> dict[str, Any]:
    """Results of one benchmark."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


if __name__ == "__main__":
    main()
