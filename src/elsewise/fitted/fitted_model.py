"""The fitted model as questions see it: its table, its own predictions, where its data are dense, and its goals."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from sklearn.tree import BaseDecisionTree

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray
from ..density import ClassDensity, Landscape, at_threshold, landscape_of
from ..density.conditional import ConditionalDensity, below_all_peaks
from ..distances import ResolvedDistance, ResolvedManhattan
from ..errors import InvalidInputError, InvalidRulesError
from ..models import Interval, Label, Outcome, Region, region_behind_steps, region_of, region_where_missing
from ..models.meeting import Meeting, Seen
from ..models.robust import hardened, is_exact
from ..models.trees import EnsembleRegion, StepsBefore
from ..models.wrappers import with_trees_as_sums
from ..pipeline import AffineMap
from ..projection.distance import row_product
from ..rules import Constraints, Rules, resolve
from ..rules.learned.column_facts import ColumnFacts
from ..rules.learned.regularities import Regularities
from ..rules.learned.suggestions import combined, suggest
from ..search import Covered, Exactness, Lattice, SearchProblem, compile_problem
from ..search.relaxations.polyhedra import PolyhedronUnion
from ..table import Table
from .black_box import TrainingRows, black_box_region
from .caching import cached
from .missing import densities_where_missing, missing_in_density
from .predictions import as_model_input
from .space import rule_ends, space_of
from .summaries import ColumnProfile, examples_of

# Search problems of one fitted model that are kept compiled. A classifier needs one for all of its labels and seldom
# more; ranges of a regressor come and go.
MOST_PROBLEMS_KEPT = 8
# Kinds of rows with missing values whose models are kept.
MOST_PATTERNS_KEPT = 16
# Densities given fixed columns that are kept: those of all pairs among 23 columns, as long as they are not larger, in
# all, than 256 MB.
MOST_CONDITIONALS_KEPT, CONDITIONAL_NUMBERS_KEPT = 300, 2**25
# Marks search problems that were compiled for rows with density thresholds of their own.
AT_ANY_THRESHOLD = "at any threshold"

# Fields that are dictionaries.
_BY_KEY = (
    "densities",
    "profiles",
    "problems",
    "regions",
    "partial",
    "references",
    "conditionals",
    "sureness",
    "resolved",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
        The smallest and largest values of each feature, which tell special codes from regular values. A row of it is no
        row of the training data.
    scales : array of shape (n_features,)
        Of the features, as :class:`~elsewise.Scaled` has them.
    density_map : AffineMap or None
        From features to the space of the densities, where columns follow from others: model space has them, too.
    steps : StepsBefore or None
        From model space to what the estimator sees, where steps of the pipeline are not affine.
    regularities : Regularities or None
        What holds of all training rows, and of every answer unless the user says otherwise.
    training : TrainingRows or None
        Of a model that is only asked: its steps and what it ends in are not read.
    problems : dict
        Search problems compiled so far, by their outcomes; last, whether they are for any threshold.
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
    further : tuple of (FittedModel, outcome)
        Models that answers have to satisfy, too, over the same table; with None for the outcome that is asked of the
        first one.
    missing_effect : array of shape (n_out, n_features), or None
        What is added in model space where a number is missing of which an imputer tells the model.
    condition_on_fixed : bool
        Thresholds are about what may change in a row given what cannot, or about all of it.
    references : dict
        Training rows of each label as densities take them, the same keys as ``densities``: quantiles given what cannot
        change refer to these. Empty where all thresholds are joint.
    conditionals : dict
        Densities given fixed columns that were asked for so far.
    robust_radius : float
        Models have to decide so for every row within this distance of an answer, numbers alone being moved.
    facts : tuple of ColumnFacts
        What suggested rules need to know of the training rows.
    sureness : dict
        Quantiles of the probability that the model gives training rows of a class, by its position.
    constraints : Constraints or None
        The rules of every question that brings none of its own.
    follows_directions : bool
        These questions follow the directions, too, that columns suggest for their outcome.
    resolved : dict of (Rules, Table)
        These in the table's terms, with what was found in the training rows, and the table under them, by what is
        wanted, once they were asked for. A copy of the model begins without.
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
    scales: FloatArray
    density_map: AffineMap | None = None
    steps: StepsBefore | None = None
    regularities: Regularities | None = None
    training: TrainingRows | None = None
    problems: dict[tuple[Any, ...], SearchProblem] = field(default_factory=dict)
    regions: dict[Outcome, Region] = field(default_factory=dict)
    complete: FittedModel | None = None
    missing: BoolArray | None = None
    partial: dict[bytes, FittedModel] = field(default_factory=dict)
    landscapes: list[Landscape] = field(default_factory=list)
    further: tuple[tuple[FittedModel, Outcome | None], ...] = ()
    missing_effect: FloatArray | None = None
    condition_on_fixed: bool = False
    references: dict[Any, FloatArray] = field(default_factory=dict)
    conditionals: dict[tuple[Any, bytes], ConditionalDensity] = field(default_factory=dict)
    robust_radius: float = 0.0
    constraints: Constraints | None = None
    facts: tuple[ColumnFacts, ...] = ()
    sureness: dict[int, FloatArray] = field(default_factory=dict)
    follows_directions: bool = False
    resolved: dict[tuple[Any, int] | None, tuple[Rules, Table]] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        return (
            f"FittedModel({self.model!r}, n_columns={len(self.table.names)}, n_densities={len(self.densities)}, "
            f"exactness={self.exactness!r})"
        )

    def __getstate__(self) -> list[Any]:
        """Return what was learned; what was compiled of it is no part of a file or a message but made when needed."""
        made = ("problems", "regions", "partial", "conditionals", "resolved")
        compiled: dict[str, Any] = {"landscapes": [], **{name: {} for name in made}}
        learned = [compiled.get(item.name, getattr(self, item.name)) for item in fields(self)]
        return [list(value.items()) if isinstance(value, dict) else value for value in learned]  # keys may be anything

    def __setstate__(self, state: list[Any]) -> None:
        for item, value in zip(fields(self), state):
            object.__setattr__(self, item.name, dict(value) if item.name in _BY_KEY else value)

    @property
    def has_categories(self) -> bool:
        """Whether some columns are categories."""
        return len(self.table.numeric) < self.table.n_features

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every class as an outcome; none for a regressor."""
        return () if self.classes is None else tuple(Label(index) for index in range(len(self.classes)))

    @property
    def exactness(self) -> Exactness:
        """How well the model's regions are known: what answers can be expected to be."""
        if self.training is not None:
            return "black box"
        regions = self.regions.values()
        kinds = {region.exactness_with_density if self.densities else region.exactness for region in regions}
        return "bounded" if "bounded" in kinds else "exact"

    def with_threshold(self, threshold: Any) -> FittedModel:
        """Return the same model with another density threshold, a quantile or a LogDensity; mixtures stay."""
        if not self.densities:
            raise InvalidInputError("There is no threshold to set: the explainer was made with density=None.")
        densities = {label: at_threshold(density, threshold) for label, density in self.densities.items()}
        return replace(self, densities=densities, problems={}, partial={}, conditionals={})

    def without_density(self) -> FittedModel:
        """Return the same model with nothing known of where its data are dense."""
        return replace(self, densities={}, references={}, problems={}, partial={}, conditionals={}, landscapes=[])

    def where_missing(self, missing: BoolArray) -> FittedModel:
        """Return the same model for rows in which some numbers are missing; densities are those of the others.

        Parameters
        ----------
        missing : bool array of shape (n_features,)
        """
        if not missing.any():
            return self
        return cached(self.partial, missing.tobytes(), lambda: self._where_missing(missing), MOST_PATTERNS_KEPT)

    def by_missing(self, missing: BoolArray) -> list[tuple[IntArray, FittedModel]]:
        """Return rows in which the same features are missing, by their positions, each kind with its model.

        Parameters
        ----------
        missing : bool array of shape (n_samples, n_features)
        """
        if not missing.any():
            return [(np.arange(len(missing)), self)]
        kinds, kind = np.unique(missing, axis=0, return_inverse=True)
        places = [np.flatnonzero(kind.ravel() == number) for number in range(len(kinds))]
        return [(rows, self.where_missing(one)) for rows, one in zip(places, kinds)]

    def _where_missing(self, missing: BoolArray) -> FittedModel:
        densities, references = densities_where_missing(self, missing)
        to_model, to_density = self.to_model, self.density_map
        if self.missing_effect is not None:  # the model is told of it; densities are not
            to_model = AffineMap(to_model.matrix, to_model.offset + self.missing_effect @ missing)
            to_density = self.to_density
        return replace(
            self,
            to_model=to_model,
            density_map=to_density,
            densities=densities,
            references=references,
            conditionals={},
            landscapes=[],
            problems={},
            regions={},
            complete=self,
            missing=missing,
            partial={},
            further=tuple((one.where_missing(missing), outcome) for one, outcome in self.further),
        )

    def table_under(self, rules: Rules) -> Table:
        """Make the table in which those columns are whole, and have the special codes, that rules say."""
        made = [table for resolved, table in self.resolved.values() if resolved is rules]
        return made[0] if made else self._table_under(rules)

    def _table_under(self, rules: Rules) -> Table:
        whole, codes, columns = rules.integer.tolist(), rules.codes, self.table.columns
        kinds = [
            ("integer" if whole[column.start] else "number") if column.kind in ("number", "integer") else column.kind
            for column in columns
        ]
        if not codes and kinds == [column.kind for column in columns]:
            return self.table
        return self.table.with_columns(
            [replace(column, kind=kind, codes=codes.get(column.start, ())) for column, kind in zip(columns, kinds)]
        )

    def wanted(self, outcome: Outcome) -> tuple[Any, int] | None:
        """Return a label, or None for a regressor, and 1 or -1 for more or less of it; None where neither is wanted."""
        if isinstance(outcome, Label):
            assert self.classes is not None
            return self.classes.tolist()[outcome.index], 1
        if np.isfinite(outcome.low) == np.isfinite(outcome.high):
            return None
        return None, 1 if np.isfinite(outcome.low) else -1

    def constraints_of(self, constraints: Constraints | None, outcome: Outcome | None = None) -> Constraints | None:
        """Return a question's own rules, or, where it has none, those that are stored; None without either.

        Stored rules may have directions that depend on the outcome; without one they are left out.
        """
        if constraints is not None or outcome is None or not self.follows_directions:
            return self.constraints if constraints is None else constraints
        directions = suggest(self.facts, self.wanted(outcome)).about(["direction"])
        return combined(directions, self.constraints) if len(directions) else self.constraints

    def rules(self, constraints: Constraints | None, outcome: Outcome | None = None) -> Rules:
        """Resolve a question's rules against the table; see :meth:`constraints_of`."""
        if constraints is not None:
            return self._resolve(constraints)
        wanted = self.wanted(outcome) if self.follows_directions and outcome is not None else None
        if wanted not in self.resolved:
            rules = self._resolve(self.constraints_of(None, outcome))
            self.resolved[wanted] = rules, self._table_under(rules)
        return self.resolved[wanted][0]

    def _resolve(self, constraints: Constraints | None) -> Rules:
        return resolve(constraints, self.table, self.column_values, self.regularities, self.scales)

    def with_constraints(self, constraints: Constraints | None) -> FittedModel:
        """Return the same model with other rules stored, checked against the columns, and no directions."""
        other = replace(self, constraints=constraints, follows_directions=False, partial={})
        try:
            other.rules(None)
        except InvalidInputError as error:  # distinguished from what may be wrong with the training rows
            raise InvalidRulesError(str(error)) from error
        return other

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
        return self.predict_written(self.as_model_input(points, given, rows, table))

    def predict_written(self, written: Any) -> AnyArray:
        """Ask the model about rows as :meth:`as_model_input` wrote them, array of shape (n_samples,)."""
        return np.asarray(self.model.predict(written)).ravel()

    def probability(
        self, points: FloatArray, given: Any, rows: FloatArray | None = None, *, index: int, table: Table | None = None
    ) -> FloatArray:
        """Ask the model how probable the class at position ``index`` is; see :meth:`predict`."""
        probabilities = self.model.predict_proba(self.as_model_input(points, given, rows, table))
        return np.asarray(probabilities, dtype=np.float64)[:, index]

    def as_model_input(
        self,
        points: FloatArray,
        given: Any,
        rows: FloatArray | None,
        table: Table | None,
        places: IntArray | None = None,
    ) -> Any:
        """Write points in the user's columns, and with names if the model saw names; see :meth:`predict`.

        ``places``, an int array of shape (n_samples,), are the rows that points come from, if not one each.
        """
        return as_model_input(self.model, self.table if table is None else table, points, given, rows, places)

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
        if self.missing_effect is not None:
            seen, missing = seen + missing @ self.missing_effect.T, missing & ~self.table.indicated
        return np.where(missing @ (self.to_model.matrix != 0).T, np.nan, seen) if missing.any() else seen

    @property
    def to_density(self) -> AffineMap:
        """From features to the space of the densities, where there are no categories."""
        return self.to_model if self.density_map is None else self.density_map

    def density_rows(self, rows: FloatArray) -> FloatArray:
        """Write features as densities take them: in model space, or as numbers and codes where there are categories.

        Missing numbers are what stands for them.
        """
        if not self.has_categories and self.density_map is not None:
            return row_product(rows, self.density_map.matrix.T) + self.density_map.offset
        if not self.has_categories:
            return self.in_model_space(rows)
        return np.column_stack([rows[:, self.table.numeric], self.table.codes(rows)])

    def log_density(self, rows: FloatArray, label: Any) -> FloatArray:
        """Log of the largest component of a label's density at rows in features, array of shape (n_samples,)."""
        if label not in self.densities:
            raise InvalidInputError(f"There is no density for {label!r}; there are {list(self.densities)}.")
        return self.densities[label].log_max(self.density_rows(rows))

    def density_of(self, outcome: Outcome) -> ClassDensity | None:
        """Return the density that answers with this outcome are held to; None without one."""
        return self.densities[self._label_of(outcome)] if self.densities else None

    def _label_of(self, outcome: Outcome) -> Any:
        """Return the label that densities have for an outcome: None for a regressor."""
        if isinstance(outcome, Interval) or self.classes is None:
            return None
        return self.classes.tolist()[outcome.index]

    def fixed_in_density(self, fixed: BoolArray) -> BoolArray | None:
        """Which columns of the density's rows are fixed with some features; None where it is not of these alone.

        Parameters
        ----------
        fixed : bool array of shape (n_features,)
        """
        if self.has_categories:
            group, numeric = self.table.group, self.table.numeric
            first = np.unique(group[group >= 0], return_index=True)[1]
            return self._not_missing(np.concatenate([fixed[numeric], fixed[group >= 0][first]]))
        depends = self.to_density.matrix != 0
        on_fixed, on_free = depends[:, fixed].any(axis=1), depends[:, ~fixed].any(axis=1)
        return None if (on_fixed & on_free).any() else self._not_missing(np.asarray(~on_free))

    def _not_missing(self, fixed: BoolArray) -> BoolArray:
        """Which fixed columns of the density's rows are there: a missing one is no condition."""
        return fixed if self.missing is None else fixed & ~missing_in_density(self, self.missing[None])[0]

    def conditional(self, density: ClassDensity, fixed: BoolArray) -> ConditionalDensity | None:
        """Return a density given fixed columns, made once; None where thresholds are joint.

        Parameters
        ----------
        density : ClassDensity
            One of ``densities``, whatever its threshold.
        fixed : bool array of shape (n_density_columns,)
        """
        for label, own in self.densities.items():
            if own.mixture_ is density.mixture_ and label in self.references:
                make = functools.partial(self._conditional, own, label, fixed)
                return cached(self.conditionals, (label, fixed.tobytes()), make, self._most_conditionals)
        return None

    @property
    def _most_conditionals(self) -> int:
        """How many conditional densities are kept: levers and reasons ask about each pair of columns, row after row."""
        largest = max((len(rows) * own.mixture_.means_.shape[0] for own, rows in self._conditioned), default=1)
        return max(MOST_PATTERNS_KEPT, min(MOST_CONDITIONALS_KEPT, CONDITIONAL_NUMBERS_KEPT // max(largest, 1)))

    @property
    def _conditioned(self) -> list[tuple[ClassDensity, FloatArray]]:
        return [(own, self.references[label]) for label, own in self.densities.items() if label in self.references]

    def _conditional(self, own: ClassDensity, label: Any, fixed: BoolArray) -> ConditionalDensity:
        """Condition a density on fixed features; what does not depend on them is computed once per label."""
        for (other, _), one in list(self.conditionals.items()):
            if other == label:
                return one.given(fixed)
        return ConditionalDensity(own, fixed, self.references[label])

    def landscape(self) -> Landscape:
        """Return the mixture of all training rows, made once; thresholds do not matter to it."""
        if not self.densities:
            raise InvalidInputError("Ways lead through dense data, but the explainer was made with density=None.")
        if not self.landscapes:
            of_all = None if self.complete is None else self.complete.densities
            self.landscapes.append(landscape_of(self.densities, of_all))
        return self.landscapes[0]

    def problem(self, outcomes: Sequence[Outcome], lattice: Lattice | None = None) -> SearchProblem:
        """Return the search problem whose goals are these outcomes, in steps if there are any, compiled once."""
        key = tuple(outcomes) if lattice is None else (*outcomes, lattice.key)
        densities = [self.density_of(outcome) for outcome in outcomes]
        return cached(self.problems, key, lambda: self.compile(outcomes, densities, lattice), MOST_PROBLEMS_KEPT)

    def problem_at_any_threshold(
        self, outcomes: Sequence[Outcome], lattice: Lattice | None = None
    ) -> tuple[SearchProblem, FloatArray]:
        """Return the search problem with cones of all components, for rows with thresholds of their own.

        Returns
        -------
        problem : SearchProblem
        cones_at : array of shape (n_goals,)
            Log densities at which its cones were made, far below what rows ask for.
        """
        densities = [below_all_peaks(self.density_of(outcome)) for outcome in outcomes]
        cones_at = np.array([-np.inf if density is None else density.log_threshold_ for density in densities])
        key = (*outcomes, AT_ANY_THRESHOLD) if lattice is None else (*outcomes, AT_ANY_THRESHOLD, lattice.key)
        compiled = cached(self.problems, key, lambda: self.compile(outcomes, densities, lattice), MOST_PROBLEMS_KEPT)
        return compiled, cones_at

    def region(self, outcome: Outcome) -> Region:
        """Return the region of model space where the model decides for an outcome, read once."""
        return cached(self.regions, outcome, lambda: self._read_region(self.estimator, outcome), MOST_PROBLEMS_KEPT)

    def region_as_sum(self, outcome: Outcome) -> Region:
        """Return the region of an outcome, that of a single tree as a sum of one tree, which can meet other sums."""
        region = self.region(outcome)
        if not isinstance(self.estimator, BaseDecisionTree) or not isinstance(region, PolyhedronUnion):
            return region
        return self._read_region(with_trees_as_sums(self.estimator), outcome)

    def _read_region(self, estimator: Any, outcome: Outcome) -> Region:
        """Read the region of the estimator, which may be written in another form, behind the steps of this model."""
        if self.training is not None:
            return black_box_region(self, self.training, outcome)
        if self.steps is not None:
            return region_behind_steps(estimator, outcome, self.steps)
        if self.complete is None or self.missing is None:
            return region_of(estimator, outcome)
        unknown = self.missing & ~self.table.indicated
        if not unknown.any():  # imputers put numbers for all of them
            return region_of(estimator, outcome)
        seen = (self.to_model.matrix[:, unknown] != 0).any(axis=1)
        return region_where_missing(estimator, outcome, self.complete.region(outcome), seen)

    def everyone(self, outcome: Outcome) -> list[tuple[FittedModel, Outcome]]:
        """List this model and the further ones, each with what is wanted of it where an outcome is asked for."""
        same = Label(outcome.index) if isinstance(outcome, Label) else outcome  # probabilities are of the first
        return [(self, outcome), *((one, same if wanted is None else wanted) for one, wanted in self.further)]

    def _everyones_region(self, outcome: Outcome) -> Covered:
        """Return the region of an outcome where further models decide as wanted, too, and for rows near."""
        if not self.further and not self.robust_radius:
            return self.region(outcome)
        everyone = self.everyone(outcome)
        regions = [one.region(wanted) for one, wanted in everyone]
        is_sum = any(isinstance(region, EnsembleRegion) for region in regions)
        if is_sum or (self.robust_radius and isinstance(self.distance, ResolvedManhattan)):
            regions = [one.region_as_sum(wanted) for one, wanted in everyone]
        maps = [one.to_model for one, _ in everyone]
        if self.robust_radius:
            regions = [hardened(region, to.matrix, self.changes_within) for region, to in zip(regions, maps)]
        if not self.further:
            return regions[0]
        others = (Seen(one, to.matrix, to.offset) for one, to in zip(regions[1:], maps[1:]))
        return Meeting(regions[0], tuple(others))

    def changes_within(self, forms: FloatArray) -> FloatArray:
        """How much linear forms of features, of shape (n, n_features), change for rows that are near; shape (n,)."""
        numbers = np.where(self.table.group >= 0, 0.0, forms)
        if isinstance(self.distance, ResolvedManhattan):
            return np.asarray(self.robust_radius * np.abs(numbers / self.distance.weights).max(axis=1, initial=0.0))
        squares = (numbers * np.linalg.solve(self.distance.omega, numbers.T).T).sum(axis=1)
        return np.asarray(np.sqrt(self.robust_radius * np.maximum(squares, 0.0)))

    def is_exactly_robust(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether nothing is lost but what rows near leave: no answer that lasts as asked is overlooked."""
        every = (pair for outcome in outcomes for pair in self.everyone(outcome))
        return not self.robust_radius or all(is_exact(one.region(wanted)) for one, wanted in every)

    def compile(
        self,
        outcomes: Sequence[Outcome],
        densities: Sequence[ClassDensity | None],
        lattice: Lattice | None = None,
    ) -> SearchProblem:
        """Compile a search problem of outcomes with densities of their own, in steps if there are any."""
        parts = [
            (self._everyones_region(outcome), None if density is None else density.cones())
            for outcome, density in zip(outcomes, densities)
        ]
        ends = rule_ends(self.table, self.regularities)
        group, to_density = self.table.group, None if self.has_categories else self.density_map
        space = space_of(self.to_model, self.distance, self.origin, group, lattice, ends, to_density)
        problem = compile_problem(parts, space)
        for goal, outcome, density in zip(problem.goals, outcomes, densities):
            if goal.cover.proposes:
                examples = examples_of(self, self._label_of(outcome), density)
                goal.cover.examples = examples if lattice is None else lattice.counts(examples)
        return problem
