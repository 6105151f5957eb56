"""``elsewise demo``: real rows explained with and without the density constraint, side by side."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .... import __version__
from ....errors import MissingDependencyError
from ..aligned_text import aligned
from ..arguments import Commands, file_to_write, whole
from ..constants import LARGEST_SEED, PICTURE_RESOLUTION
from ..exit_codes import ALL_ANSWERED, WENT_WRONG
from ..progress import progress_bar
from .demo_study import MODELS, BothSummaries, RowComparison, Study, compare_row, explain_all, prepare

_PICTURES = (".png", ".pdf", ".svg")


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise demo``."""
    command = commands.add_parser(
        "demo",
        help="explain real rows with and without the density constraint",
        description="Explain tumours of the Breast Cancer Wisconsin data, which ship with scikit-learn: the closest "
        "counterfactual beside the closest plausible one, timed and verified, with a picture.",
    )
    command.add_argument("--rows", type=whole(1), default=3, help="rows to show one by one (default: 3)")
    command.add_argument(
        "--out",
        type=file_to_write(*_PICTURES),
        default=Path("elsewise-demo.png"),
        help="where to write the picture: .png, .pdf or .svg (default: elsewise-demo.png)",
    )
    command.add_argument(
        "--seed", type=whole(0, LARGEST_SEED), default=0, help="which rows are held out and shown (default: 0)"
    )
    command.add_argument(
        "--model", choices=sorted(MODELS, reverse=True), default="logistic", help="what decides (default: logistic)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demo and return 0, or 1 if an answer fails the check against the model and the density."""
    study = prepare(arguments.seed, arguments.model)
    print(_introduction(study))
    shown = [compare_row(study, position) for position in study.to_show(arguments.rows)]
    for comparison in shown:
        print("\n" + _comparison_table(study, comparison))
    with progress_bar(2 * len(study.test)) as bar:
        batch = explain_all(study, bar.update)
    print("\n" + _batch_table(study, batch))
    _write_picture(study, shown[0], arguments.out)
    if not batch.all_confirmed:
        print("elsewise: an answer failed the check by the model or by the density", file=sys.stderr)
        return WENT_WRONG
    return ALL_ANSWERED


def _introduction(study: Study) -> str:
    counts = ", ".join(
        f"{label} {density.mixture_.n_components} components" for label, density in study.plausible.densities_.items()
    )
    facts = [
        ("Data", f"{study.n_rows} tumours, {len(study.names)} measurements each; {len(study.train)} train the model, "
                 f"{len(study.test)} are explained"),
        ("Model", f"{_in_words(study.model)}, right for {study.accuracy:.1%} of the held-out rows"),
        ("Distance", "sum of the changes, each counted in standard deviations of its feature"),
        ("Density", f"a Gaussian mixture for each class ({counts})"),
        ("Closest", "the smallest change that makes the model decide otherwise"),
        ("Plausible", "the same, at a point at least as dense as the median real row of the wanted class"),
    ]  # fmt: skip
    lines = "\n".join(f"  {name:<10} {text}" for name, text in facts)
    return f"elsewise {__version__}: the smallest plausible change that makes a model decide otherwise\n\n{lines}"


def _in_words(model: Any) -> str:
    steps = [type(step).__name__ for _, step in getattr(model, "steps", [("", model)])]
    return " + ".join(steps) + (f" of {model.n_estimators} trees" if hasattr(model, "n_estimators") else "")


def _comparison_table(study: Study, row: RowComparison) -> str:
    closest, plausible = row.closest, row.plausible
    lines = [["", "now", "closest", "plausible"]]
    for i in row.changed:
        cells = [f"{point[i]:.4g}" + ("*" if not study.was_seen(i, point[i]) else " ")
                 if point[i] != closest.x[i] else "same "
                 for point in (closest.counterfactual, plausible.counterfactual)]  # fmt: skip
        lines.append([study.names[i], f"{closest.x[i]:.4g}", *cells])
    pairs = (closest, plausible)
    lines += [
        [],
        ["features changed", "", *(f"{len(each.changes)} " for each in pairs)],
        ["distance", "", *(f"{each.distance:.4g} " for each in pairs)],
        ["log density", "", f"{row.closest_log_density:.4g} ", f"{plausible.log_density:.4g} "],
        [f"denser than, of real {closest.target} rows", "",
         f"{study.share_below(closest.target, row.closest_log_density):.0%} ",
         f"{study.share_below(closest.target, plausible.log_density):.0%} "],
        ["valid: the model says so", "", *(f"{_yes(each.certificate.valid)} " for each in pairs)],
        [f"dense: reaches {plausible.log_threshold:.4g}", "",
         f"{_yes(row.closest_log_density >= plausible.log_threshold)} ", f"{_yes(plausible.certificate.dense)} "],
        ["proven: none nearer, up to a gap of", "", *(f"{each.gap:.0e} " for each in pairs)],
    ]  # fmt: skip
    title = f"Row {row.name}: {_question(row)}"
    notes = ["* outside of all values in the training rows"] if row.has_unseen_values else []
    if plausible.model_free:
        notes.append("The plausible one does not depend on the model (Theorem 2).")
    return "\n".join([title, aligned(lines), *(f"  {note}" for note in notes)])


def _question(row: RowComparison) -> str:
    return f"the model says {row.closest.prediction}. What would make it say {row.closest.target}?"


def _batch_table(study: Study, batch: BothSummaries) -> str:
    pairs = (batch.closest, batch.plausible)
    lines = [
        ["", "closest", "plausible"],
        ["time per row, one thread", *(f"{each.seconds / len(study.test) * 1e3:.2f} ms" for each in pairs)],
        ["valid, by the model's own predict", *(f"{each.valid:.0%}" for each in pairs)],
        ["dense as asked, computed afresh", *(f"{each.dense:.0%}" for each in pairs)],
        ["proven optimal", *(f"{each.optimal:.0%}" for each in pairs)],
        ["median distance", *(f"{each.median_distance:.3g}" for each in pairs)],
        ["median number of changes", *(f"{each.median_changes:.0f}" for each in pairs)],
        ["with a value never seen in training", *(f"{each.unseen:.0%}" for each in pairs)],
        ["model-free (Theorem 2)", "", f"{batch.plausible.model_free:.0%}"],
    ]
    return f"All {len(study.test)} held-out rows, each to the other class\n{aligned(lines)}"


def _write_picture(study: Study, row: RowComparison, out: Path) -> None:
    try:
        from ...plot.pictures import counterfactual_figure

        figure = counterfactual_figure(
            study.plausible,
            {"closest": row.closest, "plausible": row.plausible},
            study.train,
            study.train_labels,
            title=f"Tumour {row.name}: {_question(row)}",
        )
    except MissingDependencyError as error:
        print(f"\nNo picture: {error}", file=sys.stderr)
        return
    figure.savefig(out, dpi=PICTURE_RESOLUTION)
    print(f"\nPicture of row {row.name}: {out}")


def _yes(value: bool | None) -> str:
    return "yes" if value else "no"
