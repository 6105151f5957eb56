"""The fitted model as questions see it: its table, its own predictions, where its data are dense, and its goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray
from ..columns import Table
from ..columns.frames import is_frame
from ..columns.rows import column_names
from ..constraints import Constraints, Rules, resolve
from ..density import ClassDensity, Landscape, at_threshold, landscape_of
from ..distances import ResolvedDistance
from ..errors import InvalidInputError
from ..pipelines import AffineMap
from ..projection.coordinates import row_product
from ..regions import Interval, Label, Outcome, Region, region_behind_steps, region_of, region_where_missing
from ..regions.ensembles import StepsBefore
from ..search import SearchProblem, compile_problem
from .constants import MOST_PATTERNS_KEPT, MOST_PROBLEMS_KEPT
from .profiles import ColumnProfile
from .space import space_of

# Fields that are dictionaries.
_BY_KEY = ("densities", "profiles", "problems", "regions", "partial")


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """A model with what was learned from its training rows. Nothing in it changes after the fit.

    Attributes
    ----------
    model : estimator or Pipeline
        As the user gave it: what is asked for predictions.
    estimator : estimator
        What the model ends in: what is read for its regions.
    table : Table
        The user's columns, and the features they become.
    to_model : AffineMap
        From features to model space, which the estimator sees, or the steps before it that are not affine.
    classes : array of labels, or None for a regressor
    distance : resolved distance
    densities : dict
        Density of each label (the only key None for a regressor); empty without a density.
    profiles : dict
        How columns are distributed among the rows of each label; None: among all.
    origin : array of shape (n_features,)
        A typical row: coordinates are centred there to keep digits.
    column_values : array of shape (n_values, n_features)
        What training rows hold, which tells special codes from regular values: the rows themselves, or of plain numbers
        the smallest and largest values of each column.
    steps : StepsBefore or None
        From model space to what the estimator sees, where steps of the pipeline are not affine.
    problems : dict
        Search problems compiled so far, by their outcomes.
    regions : dict
        Regions of outcomes that were read so far.
    complete : FittedModel or None
        For rows with missing values: the model for rows without.
    missing : bool array of shape (n_features,), or None
        Features that are missing in these rows.
    partial : dict
        Models for rows with missing values, by what is missing.
    landscapes : list of Landscape
        The mixture of all rows, once it was asked for.
    """

    model: Any
    estimator: Any
    table: Table
    to_model: AffineMap
    classes: AnyArray | None
    distance: ResolvedDistance
    densities: dict[Any, ClassDensity]
    profiles: dict[Any, tuple[ColumnProfile, ...]]
    origin: FloatArray
    column_values: FloatArray
    steps: StepsBefore | None = None
    problems: dict[tuple[Outcome, ...], SearchProblem] = field(default_factory=dict)
    regions: dict[Outcome, Region] = field(default_factory=dict)
    complete: FittedModel | None = None
    missing: BoolArray | None = None
    partial: dict[bytes, FittedModel] = field(default_factory=dict)
    landscapes: list[Landscape] = field(default_factory=list)

    def __getstate__(self) -> list[Any]:
        """Give what was learned: what was compiled of it is no part of a file or a message, it is made when needed."""
        compiled: dict[str, Any] = {"problems": {}, "regions": {}, "partial": {}, "landscapes": []}
        learned = [compiled.get(item.name, getattr(self, item.name)) for item in fields(self)]
        return [list(value.items()) if isinstance(value, dict) else value for value in learned]  # keys may be anything

    def __setstate__(self, state: list[Any]) -> None:
        for item, value in zip(fields(self), state):
            object.__setattr__(self, item.name, dict(value) if item.name in _BY_KEY else value)

    @property
    def has_categories(self) -> bool:
        """Whether some columns are categories."""
        return bool((self.table.group >= 0).any())

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every class as an outcome; none for a regressor."""
        return () if self.classes is None else tuple(Label(index) for index in range(len(self.classes)))

    def with_threshold(self, threshold: Any) -> FittedModel:
        """Give the same model with another density threshold, a quantile or a LogDensity; mixtures stay as they are."""
        if not self.densities:
            raise InvalidInputError("There is no threshold to set: the explainer was made with density=None.")
        densities = {label: at_threshold(density, threshold) for label, density in self.densities.items()}
        return replace(self, densities=densities, problems={}, partial={})

    def where_missing(self, missing: BoolArray) -> FittedModel:
        """Give the same model for rows in which some numbers are missing, without a density.

        Parameters
        ----------
        missing : bool array of shape (n_features,)
        """
        key = missing.tobytes()
        if key not in self.partial:
            _make_room(self.partial, MOST_PATTERNS_KEPT)
            self.partial[key] = replace(
                self, densities={}, problems={}, regions={}, complete=self, missing=missing, partial={}
            )
        return self.partial[key]

    def table_under(self, rules: Rules) -> Table:
        """Make the table in which those columns are whole that rules say are."""
        whole = rules.integer.tolist()
        kinds = [
            ("integer" if whole[column.start] else "number") if column.kind in ("number", "integer") else column.kind
            for column in self.table.columns
        ]
        if kinds == [column.kind for column in self.table.columns]:
            return self.table
        return self.table.with_columns([replace(column, kind=kind) for column, kind in zip(self.table.columns, kinds)])

    def rules(self, constraints: Constraints | None) -> Rules:
        """Resolve the user's rules against the table."""
        return resolve(constraints, self.table, self.column_values)

    def predict(
        self, points: FloatArray, given: Any, rows: FloatArray | None = None, *, table: Table | None = None
    ) -> AnyArray:
        """Ask the model itself about points.

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
            In features.
        given : data frame or array of shape (n_samples, n_columns)
            The rows they come from, in the user's columns: what the table does not know is echoed from these.
        rows : array of shape (n_samples, n_features), optional
            These rows in features; the points themselves if not given.
        table : Table, optional
            In which columns are written; the model's own if not given.

        Returns
        -------
        array of shape (n_samples,)
            Labels or numbers.
        """
        if len(points) == 0:
            return np.empty(0)
        return np.asarray(self.model.predict(self._as_model_input(points, given, rows, table))).ravel()

    def probability(
        self, points: FloatArray, given: Any, rows: FloatArray | None = None, *, index: int, table: Table | None = None
    ) -> FloatArray:
        """Ask the model how probable the class at position ``index`` is; see :meth:`predict`."""
        probabilities = self.model.predict_proba(self._as_model_input(points, given, rows, table))
        return np.asarray(probabilities, dtype=np.float64)[:, index]

    def _as_model_input(self, points: FloatArray, given: Any, rows: FloatArray | None, table: Table | None) -> Any:
        """Write points in the user's columns, and with names if the model saw names."""
        table = self.table if table is None else table
        if not table.is_plain or is_frame(given) or table.keeps_missing:
            written = table.decode(points, given, encoded=points if rows is None else rows)
        else:
            written = points
        if not hasattr(self.model, "feature_names_in_"):  # names would be a surprise to a model fitted on arrays
            return np.asarray(written) if column_names(written) else written
        if is_frame(written):
            return written
        import pandas

        return pandas.DataFrame(written, columns=self.model.feature_names_in_)

    def in_model_space(self, rows: FloatArray) -> FloatArray:
        """Map features to model space, array of shape (n_samples, n_out)."""
        # Not by the transformers' own arithmetic: here a row has the same bits in any batch, in the fit as in answers.
        if self.model is self.estimator and self.table.is_plain:
            return rows
        return row_product(rows, self.to_model.matrix.T) + self.to_model.offset

    def as_the_estimator_sees(self, given: Any) -> FloatArray:
        """Map rows in the user's columns to model space; what is missing and stays so is NaN."""
        seen = self.in_model_space(self.table.of_numbers().encode(given))
        missing = self.table.missing(given)
        return np.where(missing @ (self.to_model.matrix != 0).T, np.nan, seen) if missing.any() else seen

    def density_rows(self, rows: FloatArray) -> FloatArray:
        """Write features as densities take them: in model space, or as numbers and codes where there are categories."""
        if not self.has_categories:
            return self.in_model_space(rows)
        return np.column_stack([rows[:, self.table.numeric], self.table.codes(rows)])

    def log_density(self, rows: FloatArray, label: Any) -> FloatArray:
        """Log of the largest component of a label's density at rows in features, array of shape (n_samples,)."""
        if label not in self.densities:
            raise InvalidInputError(f"There is no density for {label!r}; there are {list(self.densities)}.")
        return self.densities[label].log_max(self.density_rows(rows))

    def density_of(self, outcome: Outcome) -> ClassDensity | None:
        """Give the density that answers with this outcome are held to; None without one."""
        if not self.densities:
            return None
        if isinstance(outcome, Interval) or self.classes is None:
            return self.densities[None]
        return self.densities[self.classes.tolist()[outcome.index]]

    def landscape(self) -> Landscape:
        """Give the mixture of all training rows, made once; thresholds do not matter to it."""
        if not self.densities:
            raise InvalidInputError("Ways lead through dense data, but the explainer was made with density=None.")
        if not self.landscapes:
            self.landscapes.append(landscape_of(self.densities))
        return self.landscapes[0]

    def problem(self, outcomes: Sequence[Outcome]) -> SearchProblem:
        """Give the search problem whose goals are these outcomes, compiled once."""
        key = tuple(outcomes)
        if key not in self.problems:
            _make_room(self.problems, MOST_PROBLEMS_KEPT)
            self.problems[key] = self.compile(key, [self.density_of(outcome) for outcome in key])
        return self.problems[key]

    def region(self, outcome: Outcome) -> Region:
        """Give the region of model space where the model decides for an outcome, read once."""
        if outcome not in self.regions:
            _make_room(self.regions, MOST_PROBLEMS_KEPT)
            self.regions[outcome] = self._read_region(outcome)
        return self.regions[outcome]

    def _read_region(self, outcome: Outcome) -> Region:
        if self.steps is not None:
            return region_behind_steps(self.estimator, outcome, self.steps)
        if self.complete is None or self.missing is None:
            return region_of(self.estimator, outcome)
        seen = (self.to_model.matrix[:, self.missing] != 0).any(axis=1)
        return region_where_missing(self.estimator, outcome, self.complete.region(outcome), seen)

    def compile(self, outcomes: Sequence[Outcome], densities: Sequence[ClassDensity | None]) -> SearchProblem:
        """Compile a search problem of outcomes with densities of their own."""
        parts = [
            (self.region(outcome), None if density is None else density.cones())
            for outcome, density in zip(outcomes, densities)
        ]
        return compile_problem(parts, space_of(self.to_model, self.distance, self.origin, self.table.group))


def _make_room(kept: dict[Any, Any], most: int) -> None:
    """Forget what came last, so that there is room for one more; the first, made by the fit, is needed most."""
    while len(kept) >= most:
        kept.pop(list(kept)[-1], None)
