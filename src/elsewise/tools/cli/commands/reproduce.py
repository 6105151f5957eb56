"""``elsewise reproduce``: the experiments of the paper, run again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ....errors import MissingDependencyError
from ..arguments import ALL_ANSWERED, LARGEST_SEED, PICTURE_RESOLUTION, WENT_WRONG, Commands, whole
from ..progress import progress_bar
from ..summary import aligned

# Rows a data set, and folds, of `elsewise reproduce table1 --quick`: done in a minute.
QUICK_ROWS = 40
# Images that `elsewise reproduce images` explains: five of each digit, a few minutes for 28 x 28 pixels.
DEFAULT_IMAGES = 50


def add_to(commands: Commands) -> None:
    """Add the parsers of ``elsewise reproduce table1`` and ``elsewise reproduce figure1``."""
    from ...reproduce.data import NAMES
    from ...reproduce.protocol import ESTIMATORS, MODELS

    command = commands.add_parser(
        "reproduce",
        help="run the paper's experiments again",
        description="Run the experiments of Artelt and Hammer, Convex Density Constraints for Computing Plausible "
        "Counterfactual Explanations, section 3.",
    )
    experiments = command.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)

    table = experiments.add_parser("table1", help="density and distance with and without the constraint")
    table.add_argument("--out", type=Path, default=Path("elsewise-table1"), help="folder of all files written")
    table.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets (default: all)")
    table.add_argument("--models", nargs="+", choices=tuple(MODELS), default=["softmax", "tree"],
                       help="models (default: those of the paper's table, softmax and tree)")  # fmt: skip
    table.add_argument("--house-prices", type=Path, metavar="FILE",
                       help="CSV with the columns CRIM to LSTAT and MEDV (default: fetched from OpenML)")  # fmt: skip
    table.add_argument("--estimators", choices=ESTIMATORS, default=ESTIMATORS[0],
                       help="density estimators: this library's, or those of the authors' program")  # fmt: skip
    table.add_argument("--folds", type=whole(2), default=4, help="of the cross-validation (default: 4)")
    table.add_argument("--seed", type=whole(0, LARGEST_SEED), default=0, help="of folds and targets (default: 0)")
    table.add_argument("--jobs", type=whole(1), default=1, help="processes (default: 1)")
    table.add_argument("--quick", action="store_true", help=f"one fold and {QUICK_ROWS} rows a data set")
    table.add_argument("--page", type=Path, metavar="FILE", help="Markdown page whose marked parts are to be filled")
    table.set_defaults(run=run_table)

    figure = experiments.add_parser("figure1", help="digits beside their counterfactuals, as one picture")
    figure.add_argument("--out", type=Path, default=Path("elsewise-figure1.png"), help="picture to write")
    figure.add_argument(
        "--seed", type=whole(0, LARGEST_SEED), default=0, help="of fold, targets and choice of digits (default: 0)"
    )
    figure.add_argument("--page", type=Path, metavar="FILE", help="Markdown page whose marked part is to be filled")
    figure.set_defaults(run=run_figure)

    images = experiments.add_parser("images", help="the same of images in a file, such as MNIST, as one picture")
    images.add_argument("--mnist", type=Path, metavar="FILE", required=True,
                        help="labelled images: .npz, .csv, .csv.gz or ...-images-idx3-ubyte")  # fmt: skip
    images.add_argument("--labels", type=Path, metavar="FILE",
                        help="labels of an idx file (default: ...-labels-idx1-ubyte beside it)")  # fmt: skip
    images.add_argument("--rows", type=whole(1), default=DEFAULT_IMAGES,
                        help=f"images to explain, one of each class at least (default: {DEFAULT_IMAGES})")  # fmt: skip
    images.add_argument("--out", type=Path, default=Path("elsewise-images.png"), help="picture to write")
    images.add_argument("--seed", type=whole(0, LARGEST_SEED), default=0, help="of images and targets (default: 0)")
    images.set_defaults(run=run_images)


def run_table(arguments: argparse.Namespace) -> int:
    """Run the table; return 1 if an answer of the definition is not valid or not dense enough."""
    from ...reproduce import MODELS, Protocol, load, run, summarise
    from ...reproduce import table as tables

    data_sets, skipped = load(arguments.data, arguments.house_prices)
    for missing in skipped:
        print(f"elsewise: {missing.name} is skipped: {missing.reason}", file=sys.stderr)
    if not data_sets:
        return WENT_WRONG
    models = [model for model in MODELS if model in arguments.models]
    protocol = Protocol(
        seed=arguments.seed,
        n_folds=arguments.folds,
        n_rows=QUICK_ROWS if arguments.quick else None,
        only_first_fold=arguments.quick,
        estimators=arguments.estimators,
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    with progress_bar(len(data_sets) * len(protocol.folds), unit="fold") as bar:

        def advance(done: str) -> None:
            bar.set_postfix_str(done)
            bar.update(1)

        results = run(
            data_sets, models, protocol, cache=arguments.out / "cache", n_jobs=arguments.jobs, progress=advance
        )
    lines, overlaps = summarise(results)
    parts, times = tables.sections(lines, overlaps), tables.timings(results)
    note = tables.describe(protocol, models)
    for missing in skipped:
        note += f" Without {missing.name}, which could not be had."
    text = "\n\n".join(f"{part.title}\n{aligned([part.header, *part.rows], gap=2)}" for part in parts)
    measured = tables.markdown([times], tables.describe_machine(arguments.jobs))
    files = {
        "table1.txt": f"{note}\n\n{text}\n",
        "table1.md": tables.markdown(parts, note),
        "table1.csv": tables.csv_text(lines),
        "table1.json": tables.json_text(lines, overlaps, protocol, results),
        "timings.md": measured,
    }
    for name, content in files.items():
        (arguments.out / name).write_text(content, encoding="utf-8")
    _write_figure(results, models, arguments.out / "table1.png")
    if arguments.page is not None:
        from ...reproduce.table import fill

        fill(arguments.page, f"table1 {protocol.estimators}", files["table1.md"])
        fill(arguments.page, f"timings {protocol.estimators}", measured)
    print(f"{note}\n\n{text}\n\n{times.title}\n{aligned([times.header, *times.rows], gap=2)}")
    print(f"\nWritten to {arguments.out}: {', '.join(files)}")
    kept = [line for line in lines if line.rule == "defined"]
    if any(line.valid < 1.0 or (line.constrained and line.dense < 1.0) for line in kept):
        print("elsewise: an answer is not valid, or not dense enough", file=sys.stderr)
        return WENT_WRONG
    return ALL_ANSWERED


def run_figure(arguments: argparse.Namespace) -> int:
    """Write the digits panel."""
    from ...reproduce import digits_panel
    from ...reproduce.table import fill

    panel = digits_panel(arguments.seed)
    panel.draw().savefig(arguments.out, dpi=PICTURE_RESOLUTION)
    readings = panel.readings
    print(f"{readings.title}\n{aligned([readings.header, *readings.rows])}")
    if arguments.page is not None:
        fill(arguments.page, "figure1", readings.markdown())
    print(f"Written to {arguments.out}")
    return ALL_ANSWERED


def run_images(arguments: argparse.Namespace) -> int:
    """Write the panel of the user's images."""
    from ...reproduce import images_panel, read_images

    panel = images_panel(read_images(arguments.mnist, arguments.labels), n_rows=arguments.rows, seed=arguments.seed)
    panel.draw().savefig(arguments.out, dpi=PICTURE_RESOLUTION)
    readings = panel.readings
    print(f"{readings.title}\n{aligned([readings.header, *readings.rows])}")
    print(f"Written to {arguments.out}")
    return ALL_ANSWERED


def _write_figure(results: Any, models: list[str], out: Path) -> None:
    try:
        from ...reproduce.figure import density_against_distance

        density_against_distance(results, models).savefig(out, dpi=PICTURE_RESOLUTION)
    except MissingDependencyError as error:
        print(f"elsewise: no picture: {error}", file=sys.stderr)
