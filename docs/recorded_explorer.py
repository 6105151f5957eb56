"""The explorer on the documentation's site: its own page and scripts, with recorded answers in the place of a server.

The build of the site writes it; ``python docs/recorded_explorer.py FOLDER`` writes it alone. The rows are
real patients, those of the page on the explorer.
"""

from __future__ import annotations

import json
import shutil
import sys
from itertools import product
from pathlib import Path
from typing import Any

from pages import DOCS, blocks

import elsewise as ew
from elsewise.tools import app
from elsewise.tools.app import application, schemas
from elsewise.tools.app.service import ExplorerService

STATIC = Path(app.__file__).parent / "static"
# What is recorded: of so many rows of each outcome, at these thresholds and with at most so many changes.
N_ROWS = 3
QUANTILES = [0.1, 0.3, 0.5, 0.7, 0.9]
MOST_CHANGES = [None, 1, 2, 3]
# Seconds for one answer; far more than one takes.
TIME_LIMIT = 20.0
NOTE = (
    '<p class="hint" id="recorded">Recorded answers for six patients: choose another row, outcome, slider position or '
    "number of changes. <code>elsewise serve</code> answers for edited rows, other rules, your own model and data.</p>"
)
STYLE = "<style>.away { display: none } #recorded { margin-top: 12px } #frontier svg { pointer-events: none }</style>"


def _service(n_rows: int) -> ExplorerService:
    """Make the service of the page on the explorer, with so many rows of each outcome."""
    known: dict[str, Any] = {}
    for block in blocks((DOCS / "explorer.md").read_text(encoding="utf-8")):
        if block.language == "python" and block.is_run and "httpx" not in block.text:
            exec(block.text, known)
    patients, model = known["patients"], known["model"]
    explainer = ew.Explainer(model, constraints=ew.Constraints(immutable=["age", "sex"])).fit(patients, known["risk"])
    said = model.predict(patients)
    chosen = [place for label in ("high", "low") for place in (said == label).nonzero()[0][::40][:n_rows]]
    return ExplorerService(
        explainer, patients.iloc[chosen], title="Patients at high risk", time_limit=TIME_LIMIT, target="low"
    )


def recorded(n_rows: int) -> tuple[dict[str, Any], str]:
    """Return all recorded answers about so many rows of each outcome, by what is asked, and the page."""
    service = _service(n_rows)
    labels = service.classes or []
    rows = [
        {"number": n, "prediction": p, "row": row}
        for n, (p, row) in enumerate(zip(service.predictions, service.rows, strict=True))
    ]
    answers: dict[str, Any] = {}
    for known, target, most in product(rows, labels, MOST_CHANGES):
        rules = schemas.RulesBody(max_changes=most)
        question = {"row": known["row"], "target": target, "rules": rules}
        start = f"{known['number']}|{target}|{most or 0}"
        answers[f"/api/frontier|{start}"] = service.frontier(schemas.FrontierQuestionBody(**question, quantile=0.5))
        for quantile in QUANTILES:
            asked, key = schemas.QuestionBody(**question, quantile=quantile), f"{start}|{quantile}"
            answer = service.explain(asked)
            answers[f"/api/explain|{key}"] = answer
            if answer["counterfactual"] is None:
                answers[f"/api/why-not|{key}"] = service.why_not(asked)
            elif answer["changes"]:
                answers[f"/api/plan|{key}"] = service.plan(asked)
                if most is None:
                    mapped = schemas.MapQuestionBody(**question, quantile=quantile)
                    answers[f"/api/map|{key}"] = service.map(mapped)
    about = service.about()
    profiles = [service.profiles(place) for place in range(len(labels))]
    page = application.page_text("index.html", service).decode()
    return {"about": about, "rows": rows, "profiles": profiles, "answers": answers}, page


def write(folder: Path, n_rows: int = N_ROWS) -> None:
    """Write the explorer with recorded answers into a folder."""
    found, page = recorded(n_rows)
    shutil.copytree(STATIC, folder, dirs_exist_ok=True)
    shutil.copy(DOCS / "recorded_api.js", folder / "api.js")
    (folder / "recorded.json").write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
    page = page.replace("/static/", "").replace("</head>", f"{STYLE}</head>").replace("<main>", f"<main>{NOTE}")
    page = page.replace('min="0.01" max="0.99" step="0.01"', 'min="0.1" max="0.9" step="0.2"')
    (folder / "index.html").write_text(page, encoding="utf-8")


def _after(site: Any, error: Exception | None) -> None:
    if error is None and site.builder.format == "html":
        write(Path(site.outdir) / "explorer-demo", int(site.config.recorded_rows))


def setup(site: Any) -> dict[str, Any]:
    """Have the site's build write the explorer, too."""
    site.add_config_value("recorded_rows", N_ROWS, "")
    site.connect("build-finished", _after)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write(Path(sys.argv[1]))
