"""The table of models that are read, made from the registry of model families.

``python docs/readers.py`` writes it into ``docs/howto/models.md``, between two marks; a test compares.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from elsewise.models import registry
from elsewise.search.relaxations.tree_sums.region import USUALLY_PROVEN
from elsewise.search.relaxations.unit_sums.region import UNITS_USUALLY_PROVEN

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/howto/models.md"
BEGIN, END = "<!-- readers: begin, written by python docs/readers.py -->\n", "<!-- readers: end -->\n"
# Distributions by the packages that types are in; ours are named by the function that makes them.
LIBRARIES = {"sklearn": "scikit-learn", **{name: name for name in ("xgboost", "lightgbm", "catboost", "torch")}}
MADE_BY = {
    "DumpedClassifier": "read_xgboost, read_lightgbm, read_catboost: classifiers",
    "DumpedRegressor": "read_xgboost, read_lightgbm, read_catboost: regressors",
    "OnnxClassifier": "read_onnx: classifiers",
    "OnnxRegressor": "read_onnx: regressors",
    "GeneralizedLVQ": "elsewise.lvq.GeneralizedLVQ",
    "GeneralizedMatrixLVQ": "elsewise.lvq.GeneralizedMatrixLVQ",
}
# Refused with a reason.
REFUSED = {"catboost.core.CatBoost"}
TREES = f"exact; bounded beyond {USUALLY_PROVEN:,} leaves"
UNITS = f"exact; bounded beyond {UNITS_USUALLY_PROVEN:,} units"
HOW = {
    "trees": TREES,
    "dumps": TREES,
    "unit_sums": UNITS,
    "wrappers": "as what is inside",
    "onnx": "exact where the graph is read, else asked",
}


def entries() -> Iterator[tuple[str, str, str, bool]]:
    """Yield library, name, how it is read, and whether probabilities are, of every registered type that people have."""
    for kind, build in registry.families.items():
        library = LIBRARIES.get(kind.__module__.partition(".")[0], "elsewise")
        name = kind.__name__ if library != "elsewise" else MADE_BY.get(kind.__name__)
        if name is not None:
            yield library, name, _how(build), kind in registry.responses
    for path, build in registry.families_by_name.items():
        if path not in REFUSED:
            library = LIBRARIES[path.partition(".")[0]]
            name = path.rpartition(".")[2]
            yield (
                library,
                f"{library}.{name}" if name == "Booster" else name,
                _how(build),
                path in registry.responses_by_name,
            )


def _how(build: object) -> str:
    folder = build.__module__.removeprefix("elsewise.models.").partition(".")[0]
    return HOW.get(folder, "exact")


def table() -> str:
    """Return the table in Markdown, models of the same kind in one row."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    every = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    oldest = dict(
        re.fullmatch(r"([\w-]+)>=([\w.]+)", one).groups() for one in every if re.fullmatch(r"[\w-]+>=[\w.]+", one)
    )
    rows: dict[tuple[str, str, bool], list[str]] = {}
    for library, name, how, has_probabilities in entries():
        rows.setdefault((library, how, has_probabilities), []).append(name)
    lines = ["| library, supported from | models | how | `min_probability` |", "| --- | --- | --- | --- |"]
    for (library, how, has_probabilities), names in sorted(rows.items(), key=lambda row: _place(*row[0])):
        since = f"{library} {oldest[library]}" if library in oldest else library
        listed = ", ".join(f"`{name}`" for name in sorted(names))
        lines.append(f"| {since} | {listed} | {how} | {'yes' if has_probabilities else 'no'} |")
    return "\n".join(lines) + "\n"


def _place(library: str, how: str, has_probabilities: bool) -> tuple[int, str, bool]:
    return [*LIBRARIES.values(), "elsewise"].index(library), how, has_probabilities


def newest() -> str:
    """Return the versions that are installed, for the page."""
    found = []
    for library in LIBRARIES.values():
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def written(page: str) -> str:
    """Return the table that a page has."""
    return page.partition(BEGIN)[2].partition(END)[0].partition("\nNewest")[0]


def main() -> None:
    """Write the table."""
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE} has no marks for the table of readers.")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}{table()}\nNewest versions tested: {newest()}.\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
