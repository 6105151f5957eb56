"""``python -m benchmarks.field``: run studies beside other libraries, keep the results, write the page."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..measure import RESULTS, write
from ..peers import machine
from . import page, treecf_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treecf", type=Path, help="the interpreter of an environment with treecf: run its study")
    parser.add_argument("--rows", type=int, default=10, help="rows of each table and model")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each row")
    parser.add_argument("--page", action="store_true", help="write docs/comparison.md from what is kept")
    options = parser.parse_args()
    data = os.environ.get("ELSEWISE_DATA")
    if options.treecf is not None:
        found = treecf_study.run(options.treecf, Path(data) if data else None, options.rows, options.seconds)
        command = f"python -m benchmarks.field --treecf PYTHON --rows {options.rows} --seconds {options.seconds:g}"
        notes = [
            command,
            "Measured on " + ", ".join(machine.describe().values()) + ", shared with other work: CPU times.",
        ]
        write("field_treecf", "elsewise and treecf", {"treecf": found}, notes, RESULTS)
    if options.page:
        page.write()


if __name__ == "__main__":
    main()
