"""The table as text, Markdown, CSV and JSON; the timings beside it, since no two runs share them.

Fill the measured parts of a page, between markers, and leave its prose alone.
"""

from __future__ import annotations

import csv
import io
import json
import math
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

from ...arrays import UserValue
from ...errors import InvalidInputError
from .data import TITLES
from .protocol import MODELS, Protocol
from .published_rule import RULES
from .runner import Results
from .summary import MILLISECONDS, Line, Overlap

# Shares are rounded down to a tenth of a percent; one that misses a tenth by this many tenths misses it by rounding.
SHARE_ROUNDING = 1e-9

_DASH = "–"
_WHAT = {"log_density": "KDE log density", "distance": "Manhattan distance"}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table of text cells; the first ``n_names`` columns are names, the others numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 2

    def markdown(self) -> str:
        """As a Markdown table under a heading."""
        marks = ["---"] * self.n_names + ["---:"] * (len(self.header) - self.n_names)
        lines = [self.header, tuple(marks), *self.rows]
        return f"### {self.title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sections(lines: Sequence[Line], overlaps: Sequence[Overlap]) -> list[Section]:
    """Set the figures of the paper beside ours, then what holds of the answers, then Theorem 2."""
    figures = [
        _figures(lines, constrained, what) for constrained in (False, True) for what in ("log_density", "distance")
    ]
    return [*figures, _guarantees(lines), _theorem(overlaps)]


def _figures(lines: Sequence[Line], constrained: bool, what: str) -> Section:
    by_key = {(line.data, line.model, line.rule): line for line in lines if line.constrained == constrained}
    # Without the constraint the two published rules differ in the rows they drop only.
    rules = RULES if constrained else {"defined": RULES["defined"], "at_most": "code"}
    rows = []
    for data, model in _order(lines):
        by_rule = [by_key[data, model, rule] for rule in rules]
        values = [_spread(getattr(line, what), getattr(line, f"{what}_spread")) for line in by_rule]
        rows.append((model, TITLES[data], _number(getattr(by_rule[0], f"paper_{what}")), *values))
    title = f"{'With' if constrained else 'Without'} the density constraint: median {_WHAT[what]}"
    return Section(title, ("Model", "Data", "paper", *rules.values()), tuple(rows))


def _guarantees(lines: Sequence[Line]) -> Section:
    by_key = {(line.data, line.model, line.rule): line for line in lines if line.constrained}
    header = ("Model", "Data", "rows", "asked", "largest gap", *RULES.values())
    rows = []
    for data, model in _order(lines):
        by_rule = [by_key[data, model, rule] for rule in RULES]
        shares = [" / ".join(percent(share) for share in (line.found, line.valid, line.dense)) for line in by_rule]
        counts = (str(by_rule[0].n_rows), str(by_rule[0].n_asked), f"{by_rule[0].largest_gap:.0e}")
        rows.append((model, TITLES[data], *counts, *shares))
    return Section("With the density constraint: found / valid / δ-dense, in %", header, tuple(rows))


def _theorem(overlaps: Sequence[Overlap]) -> Section:
    models = [model for model in MODELS if any(model in overlap.model_free for overlap in overlaps)]
    header: tuple[str, ...] = (
        "Data",
        *(f"right, {model}" for model in models),
        *(f"free, {model}" for model in models),
    )
    header += ("free, softmax and tree", "then the same", "otherwise the same")
    rows = []
    for overlap in overlaps:
        shares = [percent(overlap.accuracy.get(model)) for model in models]
        shares += [percent(overlap.model_free.get(model)) for model in models]
        shares += [percent(share) for share in (overlap.both, overlap.same_if_both, overlap.same_if_not)]
        rows.append((TITLES[overlap.data], *shares))
    return Section(
        "Theorem 2: rows classified right, and with a model-free counterfactual, in %", header, tuple(rows), n_names=1
    )


def timings(results: Results) -> Section:
    """Milliseconds per row without and with the constraint; the only figures that differ from run to run."""
    without, constrained = MILLISECONDS
    header = ("Model", "Data", "single, without", "single, with", "batch, without", "batch, with")
    rows = []
    for (data, model), folds in sorted(results.items(), key=lambda item: list(MODELS).index(item[0][1])):
        names = ("closest_single", "plausible_single", "closest_batch", "plausible_batch")
        values = [float(np.median([fold.seconds[name] for fold in folds])) * 1e3 for name in names]
        rows.append((model, TITLES[data], *(f"{value:.3f}" for value in values)))
    title = f"Milliseconds a row (the paper: {without:g} without, {constrained:g} with the constraint)"
    return Section(title, header, tuple(rows))


def markdown(parts: Sequence[Section], note: str) -> str:
    """All sections as one Markdown text."""
    return "\n\n".join([note, *(part.markdown() for part in parts)]) + "\n"


def csv_text(lines: Sequence[Line]) -> str:
    """One line a data set, model, rule and constraint."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(Line)]
    writer.writerow(names)
    for line in lines:
        writer.writerow(["" if value is None else _rounded(value) for value in (getattr(line, n) for n in names)])
    return out.getvalue()


def json_text(lines: Sequence[Line], overlaps: Sequence[Overlap], protocol: Protocol, results: Results) -> str:
    """Everything of the table, with the settings, and what the densities are made of."""
    densities = {
        data: [
            {"n_components": fold.n_components.tolist(), "bandwidths": _rounded(fold.bandwidths.tolist())}
            for fold in folds
        ]
        for (data, _), folds in results.items()
    }
    content = {
        "protocol": asdict(protocol),
        "lines": [_rounded(asdict(line)) for line in lines],
        "theorem_2": [_rounded(asdict(overlap)) for overlap in overlaps],
        "densities_by_fold": densities,
    }
    return json.dumps(content, indent=1) + "\n"


def describe(protocol: Protocol, models: Sequence[str]) -> str:
    """Sentence on what was run, without anything that differs from run to run."""
    from ... import __version__

    folds = f"fold 1 of {protocol.n_folds}" if protocol.only_first_fold else f"{protocol.n_folds} folds"
    rows = "all held-out rows" if protocol.n_rows is None else f"at most {protocol.n_rows} held-out rows a fold"
    return (
        f"elsewise {__version__}, seed {protocol.seed}, {folds}, {rows}, {protocol.estimators} estimators, models "
        f"{', '.join(models)}. Larger densities and smaller distances are better; ± is the standard deviation of the "
        "folds' medians."
    )


def describe_machine(n_jobs: int) -> str:
    """When and where the timings were measured."""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} with {versions}, scikit-learn {sklearn.__version__}, on "
        f"{platform.system()} {platform.machine()}, {n_jobs} process(es) at a time, one thread each. Medians over the "
        "folds; single is the median call of explain_one, batch the time of explain for all rows of a fold divided by "
        "their number."
    )


def _order(lines: Sequence[Line]) -> list[tuple[str, str]]:
    pairs = dict.fromkeys((line.data, line.model) for line in lines)
    return sorted(pairs, key=lambda pair: list(MODELS).index(pair[1]))


def _number(value: float | None) -> str:
    return _DASH if value is None or math.isnan(value) else f"{value:.2f}"


def _spread(value: float, spread: float | None) -> str:
    return _number(value) if spread is None else f"{_number(value)} ± {_number(spread)}"


def percent(share: float | None) -> str:
    """Round down to a tenth of a percent, so that 100 means all."""
    if share is None or math.isnan(share):
        return _DASH
    return f"{math.floor(share * 1000.0 + SHARE_ROUNDING) / 10.0:g}"


def _rounded(value: UserValue) -> Any:
    """Numbers to ten significant digits: the last bits may differ between machines. NaN, no such number, is None."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.10g}")
    return value


def fill(path: Path, name: str, content: str) -> None:
    """Replace what stands between ``<!-- name: begin -->`` and ``<!-- name: end -->``."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = path.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), flags=re.DOTALL)
    filled, count = pattern.subn(lambda _: f"{begin}\n\n{content.strip()}\n\n{end}", text)
    if count != 1:
        raise InvalidInputError(f"{path}: expected the markers {begin} and {end} once each, found {count} such pairs.")
    path.write_text(filled, encoding="utf-8")
