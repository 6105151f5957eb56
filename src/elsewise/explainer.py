"""The user's door: a fitted model and its training data in, certified counterfactuals out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .arrays import BoolArray, FloatArray, IntArray
from .asking.progress import Progress, reporter
from .asking.question import Question
from .asking.targets import outcomes_of_rows
from .columns import Table
from .columns.frames import as_table, is_frame, rows_of
from .columns.rows import column_names
from .constraints import Constraints, Rules, resolve
from .density import ClassDensity, at_threshold, fit_class_densities
from .distances import ResolvedMahalanobis, resolve_distance
from .errors import InvalidInputError
from .files.explainers import save
from .model.profiles import ColumnProfile, profiles_of
from .pipelines import compile_model, unwrap
from .projection.coordinates import row_product
from .regions.base import Interval, Label, Outcome, builder_of, region_of
from .results.explanation import Explanations, concatenate
from .results.frontier import Frontier, walk
from .results.presenting import answer, explanations_of
from .results.why_not import Inquiry, WhyNot
from .search import Domain, Layout, SearchProblem, compile_problem

# Open nodes a chunk may hold, and rows: bounds memory, and gives threads something to share. A row that is branched on
# holds more nodes than can be known beforehand.
_CHUNK_NODES, _CHUNK_ROWS, _CHUNK_BRANCHING_ROWS = 400_000, 1024, 128


class Explainer(BaseEstimator):  # type: ignore[misc]
    """Nearest plausible counterfactuals of a fitted model, with proofs.

    For a row ``x`` and a wanted outcome, solve (Eq. cf:densityconstraintform with Eq. gmm:approx:finalconstraint)

        minimise  theta(x', x)   subject to   model(x') = target   and   density of the target at x' >= delta.

    Parameters
    ----------
    model : fitted classifier or regressor, or a Pipeline that ends in one
        Its transformers are affine on numbers (scalers, PCA, ...) or encode categories (``OneHotEncoder``,
        ``OrdinalEncoder``, ``TargetEncoder``), by themselves or in a ``ColumnTransformer``; ``SimpleImputer`` too.
    columns : mapping of column name to kind, optional
        What columns are, where their dtypes do not say it: ``"number"``, ``"integer"``, ``"boolean"``, ``"category"``,
        ``"ordinal"``, :class:`~elsewise.Ordinal` or, for 0/1 columns that belong together, :class:`~elsewise.OneHot`.
    distance : "auto", "manhattan", "scaled", "mahalanobis", Manhattan, Scaled or Mahalanobis, default="auto"
        "auto" is the paper's plain Manhattan distance where every column is a number. For a table with whole numbers,
        ordered levels or categories it is :class:`~elsewise.Scaled`, in which one unit means the same in every column:
        numbers are divided by their median absolute deviation, a change of category costs 1.
    density : "auto", "gaussian_mixture", "kernel", a density object, fitted mixture(s) or None, default="auto"
        "auto" is a Gaussian mixture in model space, for tables with categories :class:`~elsewise.MixedMixtureDensity`
        in the user's columns. A fitted mixture is taken as it is, a mapping gives one for each label. None asks for the
        plain closest counterfactual.
    threshold : float in (0, 1) or LogDensity, default=0.5
        How dense a counterfactual must be: a quantile of the densities of the target's training rows, or absolute.
    n_jobs : int or None, default=None
        Threads for :meth:`explain`; None is one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    densities_ : dict
        :class:`~elsewise.density.ClassDensity` of each label (``None`` is the only key for a regressor); empty without
        a density.
    distance_ : resolved distance, a function of two arrays of rows
    profiles_ : dict
        How each column is distributed, a :class:`~elsewise.model.profiles.ColumnProfile`, among the training rows of
        each label (None: among all).
    classes_ : array of labels, or None for a regressor
    table_ : Table
        The columns, and the features they become.
    feature_names_in_ : array of str, if the fit saw them
    n_features_in_ : int

    Examples
    --------
    >>> import elsewise as ew
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    >>> answer = explainer.explain_one(X[0], target=1)
    >>> answer.status, round(answer.distance, 3)
    ('optimal', 3.841)
    """

    def __init__(
        self,
        model: Any,
        *,
        columns: Mapping[str, Any] | None = None,
        distance: Any = "auto",
        density: Any = "auto",
        threshold: Any = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.columns = columns
        self.distance = distance
        self.density = density
        self.threshold = threshold
        self.n_jobs = n_jobs

    def __sklearn_clone__(self) -> Explainer:
        # The fitted model is this estimator's data, not a recipe to be fitted again.
        return type(self)(**self.get_params(deep=False))

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Explainer:
        """Learn where data of each class lie, and compile the model.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Training rows, as the model takes them.
        y : array of shape (n_samples,)
            Their labels. A regressor needs none.
        """
        self.__dict__.pop("_problem", None)  # a fit that fails leaves an unfitted explainer, not half of two
        self.__dict__.pop("feature_names_in_", None)
        estimator = unwrap(self.model)[1]
        if isinstance(estimator, type):
            raise InvalidInputError(f"model: expected a fitted model, received the class {estimator.__name__} itself.")
        builder_of(estimator)
        if hasattr(estimator, "fit"):
            check_is_fitted(self.model)
        given = as_table(X)
        if len(given) == 0:
            raise InvalidInputError("X has no rows: expected the rows the model was trained on, or like them.")
        compiled = compile_model(self.model, given, self.columns)
        self.table_: Table = compiled.table
        if self.table_.named:
            self.feature_names_in_ = np.array(self.table_.names, dtype=object)
        self.n_features_in_ = len(self.table_.names)
        rows = compiled.features
        self._estimator, self._to_model = estimator, compiled.to_model
        self._origin = rows.mean(axis=0)
        self._training_rows = None if self.table_.is_plain else rows
        self.distance_ = resolve_distance(self.distance, rows, self.table_)
        if isinstance(getattr(estimator, "classes_", None), list):
            region_of(estimator, Label(0))  # several outputs: the family says that it takes one
        self.classes_: NDArray[Any] | None = np.asarray(estimator.classes_) if hasattr(estimator, "classes_") else None
        n_levels = np.bincount(self.table_.group[self.table_.group >= 0])
        self.densities_ = fit_class_densities(
            self.density, self.threshold, self._density_rows(rows), y, self.classes_, n_levels.tolist()
        )
        self.profiles_ = self._profiles(rows, y)
        self._outcomes: tuple[Outcome, ...] = (
            tuple(Label(index) for index in range(len(self.classes_))) if (self.classes_ is not None) else ()
        )
        self._problem = self._compile(self._outcomes)
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted explainer to a file, which :func:`elsewise.load` reads (:mod:`elsewise.files.explainers`).

        Parameters
        ----------
        path : path of the file
            ``.ew`` is the custom. A file that is there already is replaced.
        """
        save(self, path)

    def to_model_space(self, X: ArrayLike) -> FloatArray:
        """Rows as the final estimator sees them, after the pipeline's own transformers."""
        self._check_is_fitted()
        return self._in_model_space(self.table_.of_numbers().encode(as_table(X)))

    def log_density(self, X: ArrayLike, label: Any = None) -> FloatArray:
        """Log density of rows as data of a class: the component-wise maximum that answers are held to.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
        label : label, or None for a regressor

        Returns
        -------
        array of shape (n_samples,)
        """
        self._check_is_fitted()
        if label not in self.densities_:
            raise InvalidInputError(f"There is no density for {label!r}; there are {list(self.densities_)}.")
        return self.densities_[label].log_max(self._density_rows(self.table_.of_numbers().encode(as_table(X))))

    def _in_model_space(self, rows: FloatArray) -> FloatArray:
        # Not by the transformers' own arithmetic: here a row has the same bits in any batch, in the fit as in answers.
        if self.model is self._estimator and self.table_.is_plain:
            return rows
        return row_product(rows, self._to_model.matrix.T) + self._to_model.offset

    def _density_rows(self, rows: FloatArray) -> FloatArray:
        """Write rows as densities take them: in model space, or as numbers and codes where there are categories."""
        if not self._has_categories:
            return self._in_model_space(rows)
        return np.column_stack([rows[:, self.table_.numeric], self.table_.codes(rows)])

    @property
    def _has_categories(self) -> bool:
        return bool((self.table_.group >= 0).any())

    def _check_is_fitted(self) -> None:
        if "_problem" not in self.__dict__:  # scikit-learn's own check takes longer than a row does
            check_is_fitted(self, "_problem")

    def _rows(self, X: Any) -> tuple[Any, FloatArray]:
        """Rows as they were given, and in features."""
        given = self.table_.own_columns(X)
        return given, self.table_.encode(given)

    def explain_one(
        self,
        x: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        n_counterfactuals: int | None = None,
        time_limit: float | None = None,
    ) -> Any:
        """Explain one row of shape (n_columns,); see :meth:`explain`.

        Returns
        -------
        Explanation, or Explanations if ``n_counterfactuals`` is given
        """
        self._check_is_fitted()
        row: Any = self.table_.one_row(x) if np.ndim(x) == 1 else x
        if np.ndim(row) != 2 or len(row) != 1:
            raise InvalidInputError(f"explain_one takes one row, received shape {np.shape(x)}. Use explain for many.")
        if self.classes_ is None and target is not None and np.ndim(np.asarray(target, dtype=object)) == 2:
            raise InvalidInputError("explain_one takes one target=(low, high).")
        answers = self.explain(
            row,
            target,
            constraints=constraints,
            min_probability=min_probability,
            n_counterfactuals=1 if n_counterfactuals is None else n_counterfactuals,
            time_limit=time_limit,
        )
        if n_counterfactuals is not None:
            return answers
        first = answers[0]
        if (
            first.status == "infeasible"
            and first.lower_bound == np.inf
            and constraints is not None
            and target is not None
        ):
            why = self.why_not(row, target, constraints, min_probability=min_probability)
            return replace(first, reason=why.sentence)
        return first

    def why_not(
        self,
        x: ArrayLike,
        target: Any,
        constraints: Constraints | None = None,
        *,
        min_probability: float | None = None,
    ) -> WhyNot:
        """Find out why a row has no counterfactual: which rules contradict each other, and what would help.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        constraints : Constraints, optional
        min_probability : float, optional

        Returns
        -------
        WhyNot
            A smallest contradicting set of rules, the highest density quantile that works under all of them, and the
            single rules whose absence helps, cheapest first.
        """
        given, rows, outcome = self._one_question(x, target, min_probability)
        rules = resolve(constraints, self.table_, self._training_rows)
        rules.check_rows(rows, given)
        asked = Constraints() if constraints is None else constraints

        def ask(some: Rules, density: ClassDensity | None) -> Question:
            return self._question([outcome], some, constraints, densities=[density], differ=True)

        density = self._density_of(outcome)
        wanted = ask(rules, density).in_words(0)
        return Inquiry(ask, given, rows, asked, rules, density, wanted).answer()

    def frontier(
        self,
        x: ArrayLike,
        target: Any,
        quantiles: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        time_limit: float | None = None,
    ) -> Frontier:
        """Find the nearest answer of a row at several density thresholds, to choose between near and plausible.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        quantiles : sequence of floats in (0, 1)
            Thresholds, as quantiles of the densities of the target's training rows.
        constraints : Constraints, optional
        min_probability : float, optional
        time_limit : float, optional
            Seconds a quantile may take for its proof.

        Returns
        -------
        Frontier
        """
        given, rows, outcome = self._one_question(x, target, min_probability)
        density = self._density_of(outcome)
        if density is None:
            raise InvalidInputError("The frontier is over densities, but the explainer was made with density=None.")
        levels = np.unique(np.asarray(quantiles, dtype=np.float64))
        if levels.ndim != 1 or len(levels) == 0:
            raise InvalidInputError(f"quantiles: expected numbers between 0 and 1, received {quantiles!r}.")
        densities = [at_threshold(density, float(level)) for level in levels]
        rules = resolve(constraints, self.table_, self._training_rows)
        rules.check_rows(rows, given)
        question = self._question(
            [outcome] * len(levels), rules, constraints, densities=densities, time_limit=time_limit
        )
        solved = walk(question, given, rows, len(levels))
        parts = [explanations_of(question, np.array([place]), each, np.array([0])) for place, each in enumerate(solved)]
        return Frontier(levels, np.array([item.log_threshold_ for item in densities]), concatenate(parts))

    def _one_question(
        self, x: ArrayLike, target: Any, min_probability: float | None
    ) -> tuple[Any, FloatArray, Outcome]:
        """One row as given and in features, and the one outcome wanted of it."""
        self._check_is_fitted()
        row: Any = self.table_.one_row(x) if np.ndim(x) == 1 else x
        if np.ndim(row) != 2 or len(row) != 1:
            raise InvalidInputError(f"Expected one row, received shape {np.shape(x)}.")
        if target is None:
            raise InvalidInputError("Expected a target: this is about one wanted outcome.")
        given, rows = self._rows(row)
        return given, rows, outcomes_of_rows(target, 1, self.classes_, min_probability).outcomes[0]

    def explain(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        n_counterfactuals: int = 1,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], None] = False,
    ) -> Explanations:
        """Find the nearest plausible counterfactual of every row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns)
        target : label, one label a row, or None; ``(low, high)`` or one pair a row for a regressor
            None asks for the nearest other class. Either end of a range may be None.
        constraints : Constraints, optional
            What may change, and how.
        min_probability : float, optional
            Least probability of the target that the model must report.
        n_counterfactuals : int, default=1
            So many answers a row, best first, each with its own certificate. A further answer differs from those before
            it: it leaves one of the columns alone that they change, or it lies in another leaf or part of the model's
            region, or in another component of the density. There are fewer where no other exists.
        time_limit : float, optional
            Seconds a row may take for its proof of optimality. When they are over, the best verified point is returned
            as ``"feasible"`` with its proven gap; a row without a point yet goes on until it has one.
        progress : bool or function of (done, total), default=False
            True shows a progress bar (needs tqdm).

        Returns
        -------
        Explanations
        """
        return self._answer(
            X,
            target,
            min_probability,
            time_limit,
            progress,
            constraints=constraints,
            n_counterfactuals=n_counterfactuals,
        )

    def _answer(
        self,
        X: ArrayLike,
        target: Any,
        min_probability: float | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], None] = False,
        *,
        constraints: Constraints | None = None,
        n_counterfactuals: int = 1,
        use_model: bool = True,
    ) -> Explanations:
        """Check what is asked, compile what is new, and answer chunk by chunk; see :meth:`explain`.

        Without ``use_model`` the answers are the nearest points that are dense enough, whatever the model says of them
        (Theorem 2).
        """
        self._check_is_fitted()
        given, rows = self._rows(X)
        n_answers: object = n_counterfactuals
        if isinstance(n_answers, bool) or not isinstance(n_answers, Integral) or n_answers < 1:
            raise InvalidInputError(f"n_counterfactuals must be a whole number >= 1, received {n_counterfactuals!r}.")
        wanted = outcomes_of_rows(target, len(rows), self.classes_, min_probability)
        outcomes, goal = wanted.outcomes, wanted.goal
        if all(outcome in self._outcomes for outcome in outcomes):  # compiled in fit, under their own numbers
            place = np.array([self._outcomes.index(outcome) for outcome in outcomes] + [-1])
            outcomes, goal = self._outcomes, place[goal]
        rules = resolve(constraints, self.table_, self._training_rows)
        rules.check_rows(rows, given)
        question = self._question(
            outcomes, rules, constraints, time_limit=time_limit, use_model=use_model, differ=n_counterfactuals > 1
        )
        with reporter(progress, len(rows)) as report:
            return self._in_chunks(question, given, rows, goal, report, n_counterfactuals)

    def _question(
        self,
        outcomes: Sequence[Outcome],
        rules: Rules,
        constraints: Constraints | None,
        *,
        densities: Sequence[ClassDensity | None] | None = None,
        time_limit: float | None = None,
        use_model: bool = True,
        differ: bool = False,
    ) -> Question:
        """Put together what a search needs; ``densities`` are those of the outcomes unless given."""
        seconds: object = time_limit
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
            raise InvalidInputError(
                f"time_limit must be a positive number of seconds or None, received {time_limit!r}."
            )
        problem = self._problem
        if densities is not None or outcomes is not self._outcomes:
            problem = self._compile(outcomes, densities)
        if densities is None:
            densities = [self._density_of(outcome) for outcome in outcomes]
        normals, offsets = rules.normals, rules.offsets
        rules.refuse_equations()
        domain = None
        if differ or rules.single or rules.integer.any() or self._has_categories:
            if isinstance(self.distance_, ResolvedMahalanobis):
                raise InvalidInputError(
                    "Rules, whole numbers and several answers a row need a distance that is a sum over columns. "
                    "Use distance='scaled', 'manhattan' or Manhattan(weights) instead of Mahalanobis."
                )
            domain = partial(
                _domain,
                rules,
                self.table_,
                normals,
                offsets,
                problem.cells.n_polyhedra if len(offsets) else -1,
            )
        discrete = _discrete(rules, self.table_)
        if domain is not None and discrete.all():
            problem = problem.for_whole_points()
        if len(offsets):
            problem = problem.with_rules(normals, offsets, discrete)
        table = self._table_for(constraints)
        return Question(
            table=table,
            rules=rules,
            predict=partial(self._predict, table),
            probability=partial(self._probability, table),
            density_rows=self._density_rows,
            problem=problem,
            domain=domain,
            outcomes=tuple(outcomes),
            densities=tuple(densities),
            distance=self.distance_,
            classes=self.classes_,
            time_limit=time_limit,
            use_model=use_model,
        )

    def _table_for(self, constraints: Constraints | None) -> Table:
        """Make the table in which those columns are whole that the user says are."""
        if constraints is None or constraints.integer is None:
            return self.table_
        whole = set(constraints.integer)
        kinds = [
            replace(column, kind="integer" if column.name in whole else "number")
            if column.kind in ("number", "integer")
            else column
            for column in self.table_.columns
        ]
        return self.table_.with_columns(kinds)

    def _in_chunks(
        self,
        question: Question,
        given: Any,
        rows: FloatArray,
        goal: IntArray,
        report: Progress,
        n_counterfactuals: int = 1,
    ) -> Explanations:
        n_threads = 1 if self.n_jobs is None else _n_threads(self.n_jobs)
        most = _CHUNK_ROWS if question.domain is None else _CHUNK_BRANCHING_ROWS
        most = min(most, _CHUNK_NODES // max((mine.size for mine in question.problem.goals), default=1))
        if n_threads > 1:
            most = min(most, -(-len(rows) // (2 * n_threads)))
        most = max(most, 1)
        spans = [slice(start, min(start + most, len(rows))) for start in range(0, max(len(rows), 1), most)]

        def run(span: slice) -> Explanations:
            part = answer(question, rows_of(given, span), rows[span], goal[span], n_counterfactuals)
            report(span.stop - span.start)
            return replace(part, rows=part.rows + span.start)

        if n_threads == 1 or len(spans) == 1:
            return concatenate([run(span) for span in spans])
        with ThreadPoolExecutor(n_threads) as pool:
            return concatenate(list(pool.map(run, spans)))

    def _profiles(self, rows: FloatArray, y: ArrayLike | None) -> dict[Any, tuple[ColumnProfile, ...]]:
        """Distributions of the columns: of all rows (None), and of each label's."""
        profiles: dict[Any, tuple[ColumnProfile, ...]] = {None: profiles_of(self.table_, rows)}
        if y is not None and self.classes_ is not None:
            labels = np.asarray(y)
            for label in self.classes_.tolist():
                mine = rows[labels == label]
                if len(mine):
                    profiles[label] = profiles_of(self.table_, mine)
        return profiles

    def _density_of(self, outcome: Outcome) -> ClassDensity | None:
        if not self.densities_:
            return None
        if isinstance(outcome, Interval) or self.classes_ is None:
            return self.densities_[None]
        return self.densities_[self.classes_.tolist()[outcome.index]]

    def _compile(
        self, outcomes: Sequence[Outcome], densities: Sequence[ClassDensity | None] | None = None
    ) -> SearchProblem:
        if densities is None:
            densities = [self._density_of(outcome) for outcome in outcomes]
        parts = [
            (region_of(self._estimator, outcome), None if density is None else density.cones())
            for outcome, density in zip(outcomes, densities)
        ]
        return compile_problem(parts, self._to_model, self.distance_, self._origin, group=self.table_.group)

    def _for_model(self, table: Table, points: FloatArray, given: Any, encoded: FloatArray) -> Any:
        """Points as the model takes them: in the user's columns, and with names if it saw names."""
        plain = table.is_plain and not is_frame(given)
        rows = points if plain else table.decode(points, given, encoded=encoded)
        if not hasattr(self.model, "feature_names_in_"):  # names would be a surprise to a model fitted on arrays
            return np.asarray(rows) if column_names(rows) else rows
        if is_frame(rows):
            return rows
        import pandas

        return pandas.DataFrame(rows, columns=self.model.feature_names_in_)

    def _predict(self, table: Table, points: FloatArray, given: Any, encoded: FloatArray) -> NDArray[Any]:
        if len(points) == 0:
            return np.empty(0)
        return np.asarray(self.model.predict(self._for_model(table, points, given, encoded))).ravel()

    def _probability(self, table: Table, points: FloatArray, given: Any, encoded: FloatArray, index: int) -> FloatArray:
        rows = self._for_model(table, points, given, encoded)
        return np.asarray(self.model.predict_proba(rows), dtype=np.float64)[:, index]


def _layout(table: Table) -> Layout:
    widths = [column.stop - column.start for column in table.columns]
    return Layout(np.repeat(np.arange(len(widths)), widths), len(widths), table.group)


def _discrete(rules: Rules, table: Table) -> BoolArray:
    return np.asarray(rules.integer | (table.group >= 0))


def _domain(
    rules: Rules, table: Table, normals: FloatArray, offsets: FloatArray, polyhedron: int, rows: FloatArray
) -> Domain:
    """Find what rows may become under the rules."""
    lower, upper = rules.limits(rows)
    least, most = table.dtype_limits()
    lower = np.where(rules.integer, np.maximum(lower, least), lower)
    upper = np.where(rules.integer, np.minimum(upper, most), upper)
    upper[~rules.reachable(rows)] = 0.0
    return Domain(
        layout=_layout(table),
        lower=lower,
        upper=upper,
        integer=rules.integer,
        max_changes=rules.max_changes,
        normals=normals,
        offsets=offsets,
        polyhedron=polyhedron,
        rules_hold=rules.keeps_linear,
    )


def _n_threads(n_jobs: object) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores) or None, received {n_jobs!r}."
        )
    return int(effective_n_jobs(int(n_jobs)))
