"""What can be asked of an explainer, in JSON's terms: its columns, its classes, and how columns are distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import __version__
from ...errors import InvalidInputError
from ...explainer import Explainer
from ...fitted.summaries import ColumnProfile
from ...rules.atomic import Stays
from ...text.languages import LANGUAGES, say
from ..files.values import to_json
from .downloads import has_report
from .recourse import first_bands
from .scales import Stretch
from .writing import has_ways

# Significant digits of a typical row's numbers: as a person would type them.
TYPICAL_DIGITS = 6
# Pairs that are never seen together which the page shows; the most surprising come first.
MOST_PAIRS = 100
# Beginnings of the keys of all texts that the page needs.
ON_THE_PAGE = (
    "app.",
    "head.",
    "stage.",
    "range.",
    "decimal",
    "thousands",
    "percent",
    "missing",
    "yes",
    "no",
    "at most",
    "reasons.count",
    "and more",
    "answer.pixels",
)


def about(
    explainer: Explainer,
    predictions: Sequence[Any],
    *,
    title: str,
    image_shape: tuple[int, int] | None,
    target: Any = None,
) -> dict[str, Any]:
    """Columns, classes, and what else the page needs to draw itself; see :class:`~.schemas.AboutBody`.

    Parameters
    ----------
    explainer : Explainer
    predictions : sequence of length n_rows
        Of the rows to pick from, as JSON has them.
    title : str
    image_shape : (height, width) or None
    target : label, optional
        To ask for first; by default the class that is predicted most rarely.
    """
    classes, threshold = explainer.classes_, explainer.threshold
    wording, fixed = explainer.table_.wording, fixed_columns(explainer)
    labels = [] if classes is None else [to_json(label) for label in classes.tolist()]
    numbers = [float(item) for item in predictions] if classes is None else []
    return {
        "title": title,
        "version": __version__,
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "levels": [to_json(level) for level in column.levels],
                "low": float(profile.percentiles[0]) if len(profile.percentiles) else None,
                "high": float(profile.percentiles[-1]) if len(profile.percentiles) else None,
                "open": column.open,
                "optional": column.may_be_missing,
                "label": wording.column(column.name).name or column.name,
                "unit": wording.column(column.name).unit,
                "value_names": [[to_json(value), name] for value, name in wording.column(column.name).values],
                "fixed": fixed.get(column.name),
            }
            for column, profile in zip(explainer.table_.columns, explainer.profiles_[None])
        ],
        "classes": None if classes is None else labels,
        "outcome_names": [] if classes is None else [wording.outcome(label) for label in classes.tolist()],
        "target": to_json(target) if target is not None else rarest(labels, predictions),
        "language": wording.language,
        "texts": {key: text for key, text in LANGUAGES[wording.language].items() if key.startswith(ON_THE_PAGE)},
        "exactness_in_words": say(f"exactness.{explainer.exactness_}"),
        "exactness": explainer.exactness_,
        "outcomes": [min(numbers), float(np.median(numbers)), max(numbers)] if numbers else None,
        "has_density": bool(explainer.densities_),
        "quantile": float(threshold) if isinstance(threshold, float) and explainer.densities_ else None,
        "image": None if image_shape is None else image(explainer, image_shape),
        "n_rows": len(predictions),
        "typical": typical_row(explainer),
        "has_report": has_report(),
        "has_ways": has_ways(explainer),
        "bands": first_bands(explainer, numbers),
        "rules": list(explainer.fitted_.rules(None).given_names) if explainer.fitted_.constraints else [],
        "never_together": [str(pair) for pair in explainer.never_together_[:MOST_PAIRS]],
    }


def rarest(labels: Sequence[Any], predictions: Sequence[Any]) -> Any:
    """Return the class that is predicted most rarely of those that are; None for a regressor."""
    counts = {label: list(predictions).count(label) for label in labels}
    return min((label for label in labels if counts[label]), key=counts.__getitem__, default=next(iter(labels), None))


def fixed_columns(explainer: Explainer) -> dict[str, str]:
    """Return the columns that the stored rules keep as they are, and the rule in words."""
    rules = explainer.fitted_.rules(None)
    return {rule.column.name: rule.name for rule in rules.single if isinstance(rule, Stays)}


def typical_row(explainer: Explainer) -> dict[str, Any]:
    """Make a row in the middle of the training data: medians, and the levels seen most."""
    row: dict[str, Any] = {}
    for column, profile in zip(explainer.table_.columns, explainer.profiles_[None]):
        if len(profile.levels):
            most = int(np.argmax(profile.counts))
            if column.kind == "ordinal":
                most = int(np.searchsorted(np.cumsum(profile.counts), profile.counts.sum() / 2))
            row[column.name] = to_json(profile.levels[most])
        else:
            middle = float(profile.percentiles[50])
            row[column.name] = int(middle) if column.kind == "integer" else float(f"{middle:.{TYPICAL_DIGITS}g}")
    return row


def profiles(explainer: Explainer, label: Any) -> dict[str, Any]:
    """Distributions of the columns among the rows of a label, None for all; see :class:`~.schemas.ProfilesBody`."""
    everyone = explainer.profiles_[None]
    return {
        "target": to_json(label),
        "profiles": [_drawn(*pair) for pair in zip(explainer.profiles_.get(label, everyone), everyone, strict=True)],
    }


def _drawn(profile: ColumnProfile, everyone: ColumnProfile) -> dict[str, Any]:
    """Bins of one column in a class, on the scale that suits all rows; see :class:`~.schemas.ProfileBody`."""
    stretch = Stretch.of(everyone)
    edges, counts = (profile.edges, profile.counts) if stretch is None else stretch.bins(profile)
    return {
        "column": profile.name,
        "counts": counts.tolist(),
        "low": float(edges[0]) if len(edges) else None,
        "high": float(edges[-1]) if len(edges) else None,
        "scale": None if stretch is None else {"middle": stretch.middle, "unit": stretch.unit},
    }


def image(explainer: Explainer, shape: tuple[int, int]) -> dict[str, Any]:
    """Size of the image that a row is, and the range of its pixels; see :class:`~.schemas.ImageBody`."""
    height, width = shape
    columns = explainer.table_.columns
    if height * width != len(columns) or any(column.kind not in ("number", "integer") for column in columns):
        raise InvalidInputError(
            f"image_shape: {height} x {width} pixels do not make {len(columns)} columns of numbers."
        )
    ends = [profile.percentiles for profile in explainer.profiles_[None]]
    return {
        "height": height,
        "width": width,
        "low": float(min(each[0] for each in ends)),
        "high": float(max(each[-1] for each in ends)),
    }
