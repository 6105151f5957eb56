"""``elsewise demo``: real rows explained with and without the density constraint, side by side.

What the demo computes: a model, two explainers, and their answers compared and confirmed.

The ten mean measurements of a cell nucleus hang together (radius, perimeter and area above all). The closest
counterfactual ignores that and pushes one of them as far as it takes; the plausible one cannot.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .... import __version__
from ....answers import Explanation
from ....arrays import FloatArray, IntArray
from ....distances import Manhattan
from ....errors import MissingDependencyError, VerificationError
from ....explainer import Explainer
from ....fitted.fitting import with_column_names
from ....text.numbers import percent
from ..arguments import ALL_ANSWERED, LARGEST_SEED, PICTURE_RESOLUTION, WENT_WRONG, Commands, file_to_write, whole
from ..progress import done_in_all, progress_bar
from ..summary import aligned

# Nats by which two ways to compute a log density may differ by rounding.
SAME_LOG_DENSITY = 1e-9
# Columns of the breast cancer data that the demo uses: the means; the others are errors and extremes of the same.
DEMO_COLUMNS = 10
# Seconds for the proof of a row of the demo's forest: with a density some take minutes.
DEMO_TIME_LIMIT = 0.5

# What makes the models of the demo, by name, of a seed.
MODELS: dict[str, Callable[[int], Any]] = {
    "logistic": lambda seed: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda seed: RandomForestClassifier(20, max_depth=4, random_state=seed),
}


@dataclass(frozen=True, slots=True)
class Study:
    """Data, model and explainers of the demo.

    Attributes
    ----------
    names : tuple of str
    n_rows : int
    train, test : arrays of shape (n_train, n_features), (n_test, n_features)
    train_labels : array of str of shape (n_train,)
    test_index : int array of shape (n_test,)
        Position of each held-out row in the data set.
    order : int array
        Positions in ``test`` of the rows to show, those the model calls malignant, shuffled.
    model : fitted model
    time_limit : float or None
        Seconds for the proof of a row.
    accuracy : float
    closest, plausible : Explainer
        Without and with the density constraint.
    """

    names: tuple[str, ...]
    n_rows: int
    train: FloatArray
    test: FloatArray
    train_labels: NDArray[np.str_]
    test_index: IntArray
    order: IntArray
    model: Any
    time_limit: float | None
    accuracy: float
    closest: Explainer
    plausible: Explainer

    def to_show(self, count: int) -> IntArray:
        """Positions of the first ``count`` rows to show, fewer if there are not so many."""
        return self.order[:count]

    def was_seen(self, feature: int, value: float) -> bool:
        """Whether a value lies within the range of the training rows."""
        column = self.train[:, feature]
        return bool(column.min() <= value <= column.max())

    def share_below(self, label: Any, log_density: float) -> float:
        """Share of the training rows of a class that are no denser than this."""
        return float(np.mean(self.plausible.densities_[label].log_densities_ <= log_density))

    def log_densities(self, points: FloatArray, labels: NDArray[Any]) -> FloatArray:
        """Component-wise maximum of each point under the density of its label, array of shape (n_samples,)."""
        values = np.empty(len(points))
        for label in self.plausible.densities_:
            has_label = labels == label
            values[has_label] = self.plausible.log_density(points[has_label], label)
        return values


@dataclass(frozen=True, slots=True)
class RowComparison:
    """One row with both answers; ``changed`` are the features that either changes, most costly change first."""

    name: int
    closest: Explanation
    plausible: Explanation
    closest_log_density: float
    changed: tuple[int, ...]
    has_unseen_values: bool


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """Answers of one explainer for all held-out rows: seconds in all, and shares or medians of what is true of them."""

    seconds: float
    valid: float
    dense: float
    optimal: float
    median_distance: float
    median_changes: float
    unseen: float
    model_free: float


@dataclass(frozen=True, slots=True)
class BothSummaries:
    """What is true of the answers of both explainers."""

    closest: BatchSummary
    plausible: BatchSummary

    @property
    def all_confirmed(self) -> bool:
        """All answers are valid, and the plausible ones dense."""
        return self.closest.valid == self.plausible.valid == self.plausible.dense == 1.0


def prepare(seed: int, kind: str = "logistic") -> Study:
    """Load the data, train a model of a kind, fit both explainers."""
    data = load_breast_cancer()
    X = np.ascontiguousarray(data.data[:, :DEMO_COLUMNS])
    y = data.target_names[data.target]
    parts = train_test_split(X, y, np.arange(len(X)), test_size=0.3, random_state=seed, stratify=y)
    train, test, train_labels, test_labels, _, test_index = parts
    model = MODELS[kind](seed).fit(train, train_labels)
    predictions = model.predict(test)
    names = tuple(str(name) for name in data.feature_names[:DEMO_COLUMNS])
    distance = Manhattan(weights=1.0 / train.std(axis=0))
    closest = Explainer(model, distance=distance, density=None, learn_rules=False).fit(train, train_labels)
    plausible = Explainer(model, distance=distance).fit(train, train_labels)
    for explainer in (closest, plausible):  # fitted on arrays: pandas may be missing
        explainer.fitted_ = with_column_names(explainer.fitted_, names)
    return Study(
        names=names,
        n_rows=len(X),
        train=train,
        test=test,
        train_labels=train_labels,
        test_index=test_index,
        order=np.random.default_rng(seed).permutation(np.flatnonzero(predictions == "malignant")),
        model=model,
        time_limit=DEMO_TIME_LIMIT if kind == "forest" else None,
        accuracy=float(np.mean(predictions == test_labels)),
        closest=closest,
        plausible=plausible,
    )


def compare_row(study: Study, position: int) -> RowComparison:
    """Explain one held-out row both ways."""
    row = study.test[position]
    closest, plausible = (
        explainer.explain_one(row, time_limit=study.time_limit) for explainer in (study.closest, study.plausible)
    )
    for answer in (closest, plausible):
        if not answer.found:
            raise VerificationError(f"Row {study.test_index[position]} has no counterfactual: {answer.reason}")
    points = np.vstack([closest.counterfactual, plausible.counterfactual])
    cost = np.abs(points - row) / study.train.std(axis=0)
    order = np.argsort(-cost.max(axis=0), kind="stable")
    changed = tuple(int(i) for i in order if cost[:, i].any())
    return RowComparison(
        name=int(study.test_index[position]),
        closest=closest,
        plausible=plausible,
        closest_log_density=float(study.log_densities(points[:1], np.array([closest.target]))[0]),
        changed=changed,
        has_unseen_values=any(
            not study.was_seen(i, point[i]) for point in points for i in changed if point[i] != row[i]
        ),
    )


def explain_all(study: Study, advance: Callable[[int], object]) -> BothSummaries:
    """Explain all held-out rows both ways, timed, and confirm the answers with the model and the density."""
    return BothSummaries(*(_explain_all(study, explainer, advance) for explainer in (study.closest, study.plausible)))


def _explain_all(study: Study, explainer: Explainer, advance: Callable[[int], object]) -> BatchSummary:
    started = time.perf_counter()
    answers = explainer.explain(study.test, time_limit=study.time_limit, progress=done_in_all(advance))
    seconds = time.perf_counter() - started
    found = answers.found
    points, targets, rows = answers.counterfactuals[found], np.asarray(answers.targets)[found], study.test[found]
    thresholds = np.array([study.plausible.densities_[label].log_threshold_ for label in targets])
    dense = study.log_densities(points, targets) >= thresholds - SAME_LOG_DENSITY
    unseen = (points < study.train.min(axis=0)) | (points > study.train.max(axis=0))
    moved = points != rows
    n = len(study.test)
    return BatchSummary(
        seconds=seconds,
        valid=float(np.sum(study.model.predict(points) == targets)) / n,
        dense=float(np.sum(dense)) / n,
        optimal=float(np.mean(answers.statuses == "optimal")),
        median_distance=float(np.median(answers.distances[found])),
        median_changes=float(np.median(moved.sum(axis=1))),
        unseen=float(np.sum((unseen & moved).any(axis=1))) / n,
        model_free=float(np.mean(answers.model_free)),
    )


_PICTURES = (".png", ".pdf", ".svg")


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise demo``."""
    command = commands.add_parser(
        "demo",
        help="explain real rows, with and without asking for realistic answers",
        description="Explain tumours of the Breast Cancer Wisconsin data, which ship with scikit-learn: the closest "
        "counterfactual beside the closest realistic one, timed and verified, with a picture.",
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
        ("Model", f"{_in_words(study.model)}, right for {percent(study.accuracy)} of the held-out rows"),
        ("Distance", "sum of the changes, each counted in standard deviations of its column"),
        ("Density", f"a Gaussian mixture for each class ({counts})"),
        ("Closest", "the smallest change that makes the model decide otherwise"),
        ("Realistic", "the smallest change that is also at least as typical as half of the real rows of that class"),
    ]  # fmt: skip
    lines = "\n".join(f"  {name:<10} {text}" for name, text in facts)
    return f"elsewise {__version__}: the smallest realistic change that makes a model decide otherwise\n\n{lines}"


def _in_words(model: Any) -> str:
    steps = [type(step).__name__ for _, step in getattr(model, "steps", [("", model)])]
    return " + ".join(steps) + (f" of {model.n_estimators} trees" if hasattr(model, "n_estimators") else "")


def _comparison_table(study: Study, row: RowComparison) -> str:
    closest, plausible = row.closest, row.plausible
    lines = [["", "now", "closest", "realistic"]]
    for i in row.changed:
        cells = [f"{point[i]:.4g}" + ("*" if not study.was_seen(i, point[i]) else " ")
                 if point[i] != closest.x[i] else "same "
                 for point in (closest.counterfactual, plausible.counterfactual)]  # fmt: skip
        lines.append([study.names[i], f"{closest.x[i]:.4g}", *cells])
    pairs = (closest, plausible)
    lines += [
        [],
        ["columns changed", "", *(f"{len(each.changes)} " for each in pairs)],
        ["distance", "", *(f"{each.distance:.4g} " for each in pairs)],
        ["log density", "", f"{row.closest_log_density:.4g} ", f"{plausible.log_density:.4g} "],
        [f"more typical than, of real {closest.target} rows", "",
         f"{percent(study.share_below(closest.target, row.closest_log_density))} ",
         f"{percent(study.share_below(closest.target, plausible.log_density))} "],
        [f"the model says {closest.target}", "", *(f"{_yes(each.certificate.valid)} " for each in pairs)],
        [f"realistic: log density at least {plausible.log_threshold:.4g}", "",
         f"{_yes(row.closest_log_density >= plausible.log_threshold)} ", f"{_yes(plausible.certificate.dense)} "],
        ["proven smallest, up to a gap of", "", *(f"{each.gap:.0e} " for each in pairs)],
    ]  # fmt: skip
    title = f"Row {row.name}: {_question(row)}"
    notes = ["* outside the range of all training rows"] if row.has_unseen_values else []
    if plausible.model_free:
        notes.append("The proof of the realistic one does not depend on the model (Theorem 2).")
    return "\n".join([title, aligned(lines), *(f"  {note}" for note in notes)])


def _question(row: RowComparison) -> str:
    return f"the model says {row.closest.prediction}. What would make it say {row.closest.target}?"


def _batch_table(study: Study, batch: BothSummaries) -> str:
    pairs = (batch.closest, batch.plausible)
    lines = [
        ["", "closest", "realistic"],
        ["time per row, one thread", *(f"{each.seconds / len(study.test) * 1e3:.2f} ms" for each in pairs)],
        ["valid, by the model's own predict", *(percent(each.valid) for each in pairs)],
        ["realistic, computed again", *(percent(each.dense) for each in pairs)],
        ["proven smallest", *(percent(each.optimal) for each in pairs)],
        ["median distance", *(f"{each.median_distance:.3g}" for each in pairs)],
        ["median number of changes", *(f"{each.median_changes:.0f}" for each in pairs)],
        ["with a value never seen in training", *(percent(each.unseen) for each in pairs)],
        ["proof does not depend on the model", "", percent(batch.plausible.model_free)],
    ]
    return f"All {len(study.test)} held-out rows, each to the other class\n{aligned(lines)}"


def _write_picture(study: Study, row: RowComparison, out: Path) -> None:
    try:
        from ...plot.pictures import counterfactual_figure

        figure = counterfactual_figure(
            study.plausible,
            {"closest": row.closest, "realistic": row.plausible},
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
