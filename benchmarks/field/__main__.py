"""``python -m benchmarks.field``: run studies beside other libraries, keep the results, write the page."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..measure import RESULTS, write
from ..peers import machine
from . import lice_study, ocean_study, page, treecf_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treecf", type=Path, help="the interpreter of an environment with treecf: run its study")
    parser.add_argument("--nice", type=Path, help="the interpreter of an environment with NICEx and xgboost")
    parser.add_argument("--ocean", type=Path, help="the interpreter of an environment with oceanpy: run its study")
    parser.add_argument("--ocean-tables", type=Path, help="datasets/ of its repository, oceanpy-experiments")
    parser.add_argument("--alone", action="store_true", help="all rows of OCEAN's study, by elsewise alone")
    parser.add_argument("--models", nargs="*", default=["XGBoost,100,5"], help="kind,trees,depth of OCEAN's study")
    parser.add_argument("--seeds", type=int, default=1, help="how many of the five seeds of OCEAN's study")
    parser.add_argument("--lice", type=Path, help="LiCE's repository: run on its tables, networks and rows")
    parser.add_argument("--rows", type=int, default=10, help="rows of each table and model, or of each of LiCE's folds")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each row")
    parser.add_argument("--page", action="store_true", help="write docs/comparison.md from what is kept")
    options = parser.parse_args()
    about = f"--rows {options.rows} --seconds {options.seconds:g}"
    data = os.environ.get("ELSEWISE_DATA")
    for peer, python in (("treecf", options.treecf), ("nice", options.nice)):
        if python is not None:
            found = treecf_study.run(python, Path(data) if data else None, options.rows, options.seconds, peer)
            keep(peer, found, f"--{peer} PYTHON {about}")
    if options.ocean is not None:
        models = [(kind, int(trees), int(depth)) for kind, trees, depth in (one.split(",") for one in options.models)]
        seconds = int(options.seconds)
        asked = f"--models {' '.join(options.models)} --seeds {options.seeds}"
    if options.ocean is not None and options.alone:
        found = ocean_study.run_alone(options.ocean, options.ocean_tables, models, options.seeds, seconds)
        command = f"--ocean PYTHON --ocean-tables FOLDER --alone {asked} --seconds {seconds}"
        keep("ocean_alone", found, command)
    elif options.ocean is not None:
        found = ocean_study.run(options.ocean, options.ocean_tables, models, options.rows, options.seeds, seconds)
        keep("ocean", found, f"--ocean PYTHON --ocean-tables FOLDER {asked} {about}")
    if options.lice is not None:
        keep("lice", lice_study.run(options.lice, options.rows, options.seconds), f"--lice FOLDER {about}")
    if options.page:
        page.write()


def keep(name: str, found: list[dict[str, Any]], options: str) -> None:
    """Write the results of a study."""
    measured = "Measured on " + ", ".join(machine.describe().values()) + ", shared with other work: CPU times."
    command = f"python -m benchmarks.field {options}"
    write(f"field_{name}", f"elsewise and {page.NAMES[name]}", {name: found}, [command, measured], RESULTS)


if __name__ == "__main__":
    main()
