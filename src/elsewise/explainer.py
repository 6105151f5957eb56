"""The user's door: a fitted model and its training data in, certified counterfactuals out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import check_is_fitted

from .answers import Question, answer
from .density import ClassDensity, GaussianMixtureDensity, KernelDensity, LogDensity, class_density
from .distances import resolve_distance
from .errors import InvalidInputError
from .explanation import Explanation, Explanations, concatenate
from .progress import Progress, reporter
from .projection.coordinates import row_product
from .regions.base import Interval, Label, Outcome, builder_of, region_of
from .regions.pipeline import affine_map, unwrap
from .rows import FloatArray, as_floats, as_given, check_names, column_names
from .search.problem import SearchProblem, compile_problem
from .targets import outcomes_of_rows

# Open nodes a chunk may hold, and rows: bounds memory, and gives threads something to share.
_CHUNK_NODES, _CHUNK_ROWS = 400_000, 1024


class Explainer(BaseEstimator):  # type: ignore[misc]
    """Nearest plausible counterfactuals of a fitted model, with proofs.

    For a row ``x`` and a wanted outcome, solve (Eq. cf:densityconstraintform with Eq. gmm:approx:finalconstraint)

        minimise  theta(x', x)   subject to   model(x') = target   and   density of the target at x' >= delta.

    Parameters
    ----------
    model : fitted classifier or regressor, or a Pipeline of affine transformers that ends in one
    distance : "manhattan", "mahalanobis", Manhattan or Mahalanobis, default="manhattan"
    density : "gaussian_mixture", "kernel", GaussianMixtureDensity, KernelDensity, fitted mixture(s) or None
        Default "gaussian_mixture". A fitted ``GaussianMixture`` (in model space) is taken as it is, a mapping gives one
        for each label. None asks for the plain closest counterfactual.
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
    classes_ : array of labels, or None for a regressor
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
        distance: Any = "manhattan",
        density: Any = "gaussian_mixture",
        threshold: Any = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
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
        steps, estimator = unwrap(self.model)
        if isinstance(estimator, type):
            raise InvalidInputError(f"model: expected a fitted model, received the class {estimator.__name__} itself.")
        builder_of(estimator)
        if hasattr(estimator, "fit"):
            check_is_fitted(self.model)
        given = as_given(X)
        seen_by_model = tuple(getattr(self.model, "feature_names_in_", ()))
        if seen_by_model:
            check_names(X, seen_by_model)
        names = column_names(X) or seen_by_model
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        width: Any = getattr(self.model, "n_features_in_", given.shape[1])
        self.n_features_in_ = int(width)
        self._names = names or tuple(f"x{i}" for i in range(self.n_features_in_))
        rows = as_floats(given, self._names)
        if len(rows) == 0:
            raise InvalidInputError("X has no rows: expected the rows the model was trained on, or like them.")
        self._estimator = estimator
        self._to_model = affine_map(steps, self.n_features_in_)
        self._origin = rows.mean(axis=0)
        self.distance_ = resolve_distance(self.distance, rows)
        if isinstance(getattr(estimator, "classes_", None), list):
            region_of(estimator, Label(0))  # several outputs: the family says that it takes one
        self.classes_: NDArray[Any] | None = np.asarray(estimator.classes_) if hasattr(estimator, "classes_") else None
        self.densities_ = self._fit_densities(self._in_model_space(rows), y)
        self._outcomes: tuple[Outcome, ...] = (
            tuple(Label(index) for index in range(len(self.classes_))) if (self.classes_ is not None) else ()
        )
        self._problem = self._compile(self._outcomes)
        return self

    def to_model_space(self, X: ArrayLike) -> FloatArray:
        """Rows as the final estimator and the density see them, after the pipeline's own transformers."""
        self._check_is_fitted()
        return self._in_model_space(self._rows(X)[1])

    def _in_model_space(self, rows: FloatArray) -> FloatArray:
        # Not by the transformers' own arithmetic: here a row has the same bits in any batch, in the fit as in answers.
        if self.model is self._estimator:
            return rows
        return row_product(rows, self._to_model.matrix.T) + self._to_model.offset

    def _check_is_fitted(self) -> None:
        if "_problem" not in self.__dict__:  # scikit-learn's own check takes longer than a row does
            check_is_fitted(self, "_problem")

    def _rows(self, X: Any) -> tuple[NDArray[Any], FloatArray]:
        """Rows as they were given, and as clean float64."""
        if hasattr(self, "feature_names_in_"):
            check_names(X, self._names)
        given = as_given(X)
        return given, as_floats(given, self._names)

    def explain_one(
        self,
        x: ArrayLike,
        target: Any = None,
        *,
        min_probability: float | None = None,
        time_limit: float | None = None,
    ) -> Explanation:
        """Explain one row of shape (n_features,); see :meth:`explain`."""
        self._check_is_fitted()
        row: Any = x
        if np.ndim(x) == 1 and hasattr(x, "to_frame") and hasattr(x, "index"):  # a Series: its index names the features
            row = x.to_frame().T
        elif np.ndim(x) == 1:
            row = np.asarray(x)[None]
        if np.ndim(row) != 2 or len(row) != 1:
            raise InvalidInputError(f"explain_one takes one row, received shape {np.shape(x)}. Use explain for many.")
        if self.classes_ is None and target is not None and np.ndim(np.asarray(target, dtype=object)) == 2:
            raise InvalidInputError("explain_one takes one target=(low, high).")
        return self.explain(row, target, min_probability=min_probability, time_limit=time_limit)[0]

    def explain(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        min_probability: float | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], None] = False,
    ) -> Explanations:
        """Find the nearest plausible counterfactual of every row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        target : label, one label a row, or None; ``(low, high)`` or one pair a row for a regressor
            None asks for the nearest other class. Either end of a range may be None.
        min_probability : float, optional
            Least probability of the target that the model must report.
        time_limit : float, optional
            Seconds a row may take for its proof of optimality. When they are over, the best verified point is returned
            as ``"feasible"`` with its proven gap; a row without a point yet goes on until it has one.
        progress : bool or function of (done, total), default=False
            True shows a progress bar (needs tqdm).

        Returns
        -------
        Explanations
        """
        return self._answer(X, target, min_probability, time_limit, progress)

    def _answer(
        self,
        X: ArrayLike,
        target: Any,
        min_probability: float | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], None] = False,
        use_model: bool = True,
    ) -> Explanations:
        """Check what is asked, compile what is new, and answer chunk by chunk; see :meth:`explain`.

        Without ``use_model`` the answers are the nearest points that are dense enough, whatever the model says of them
        (Theorem 2).
        """
        self._check_is_fitted()
        given, rows = self._rows(X)
        seconds: object = time_limit
        if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
            raise InvalidInputError(
                f"time_limit must be a positive number of seconds or None, received {time_limit!r}."
            )
        wanted = outcomes_of_rows(target, len(rows), self.classes_, min_probability)
        outcomes, goal, problem = wanted.outcomes, wanted.goal, self._problem
        if all(outcome in self._outcomes for outcome in outcomes):  # compiled in fit, under their own numbers
            place = np.array([self._outcomes.index(outcome) for outcome in outcomes] + [-1])
            outcomes, goal = self._outcomes, place[goal]
        else:
            problem = self._compile(outcomes)
        question = Question(
            predict=self._predict,
            probability=self._probability,
            problem=problem,
            outcomes=outcomes,
            densities=tuple(self._density_of(outcome) for outcome in outcomes),
            distance=self.distance_,
            classes=self.classes_,
            feature_names=self._names,
            time_limit=time_limit,
            use_model=use_model,
        )
        with reporter(progress, len(rows)) as report:
            return self._in_chunks(question, given, rows, goal, report)

    def _in_chunks(
        self, question: Question, given: NDArray[Any], rows: FloatArray, goal: NDArray[np.int64], report: Progress
    ) -> Explanations:
        n_threads = 1 if self.n_jobs is None else _n_threads(self.n_jobs)
        most = min(_CHUNK_ROWS, _CHUNK_NODES // max((mine.size for mine in question.problem.goals), default=1))
        if n_threads > 1:
            most = min(most, -(-len(rows) // (2 * n_threads)))
        most = max(most, 1)
        spans = [slice(start, min(start + most, len(rows))) for start in range(0, max(len(rows), 1), most)]

        def run(span: slice) -> Explanations:
            part = answer(question, given[span], rows[span], goal[span])
            report(span.stop - span.start)
            return part

        if n_threads == 1 or len(spans) == 1:
            return concatenate([run(span) for span in spans])
        with ThreadPoolExecutor(n_threads) as pool:
            return concatenate(list(pool.map(run, spans)))

    def _fit_densities(self, Z: FloatArray, y: ArrayLike | None) -> dict[Any, ClassDensity]:
        if self.density is None:
            return {}
        if self.classes_ is None:
            return {None: self._class_density(None, Z)}
        if y is None:
            raise InvalidInputError("fit needs y, the labels of the training rows: densities are those of the classes.")
        labels = np.asarray(y)
        if labels.shape != (len(Z),):
            raise InvalidInputError(
                f"y: expected one label for each of the {len(Z)} rows, received shape {labels.shape}."
            )
        unknown = [label for label in np.unique(labels).tolist() if label not in self.classes_.tolist()]
        if unknown:
            raise InvalidInputError(
                f"y has labels the model does not know: {unknown[:5]}; it knows {self.classes_.tolist()}."
            )
        densities = {}
        for label in self.classes_.tolist():
            mine = Z[labels == label]
            if len(mine) == 0:
                raise InvalidInputError(
                    f"Class {label!r} has no rows in X: its density cannot be learned. Pass rows of every class of the "
                    "model, or density=None."
                )
            densities[label] = self._class_density(label, mine)
        return densities

    def _class_density(self, label: Any, Z: FloatArray) -> ClassDensity:
        density = class_density(self._density_estimator(label), Z, self.threshold)
        if isinstance(self.threshold, LogDensity):
            return density
        # A quantile is the density of a training row: rounding in another arithmetic must not shut that row out.
        return density.with_threshold(density.log_threshold_ - 1e-12 * (1.0 + abs(density.log_threshold_)))

    def _density_estimator(self, label: Any) -> Any:
        if isinstance(self.density, str):
            named: dict[str, Any] = {"gaussian_mixture": GaussianMixtureDensity(), "kernel": KernelDensity()}
            if self.density not in named:
                raise InvalidInputError(
                    f"density: expected one of {sorted(named)}, a density object, fitted mixtures or None, received "
                    f"{self.density!r}."
                )
            return named[self.density]
        if isinstance(self.density, Mapping):
            if label not in self.density:
                raise InvalidInputError(
                    f"density: the mapping has no mixture for label {label!r}; it has {list(self.density)}."
                )
            return self.density[label]
        if isinstance(self.density, GaussianMixture) and label is not None:
            raise InvalidInputError(
                "density: one fitted GaussianMixture cannot serve several classes. Pass a mapping {label: mixture}."
            )
        return self.density

    def _density_of(self, outcome: Outcome) -> ClassDensity | None:
        if not self.densities_:
            return None
        if isinstance(outcome, Interval) or self.classes_ is None:
            return self.densities_[None]
        return self.densities_[self.classes_.tolist()[outcome.index]]

    def _compile(self, outcomes: Sequence[Outcome]) -> SearchProblem:
        parts = []
        for outcome in outcomes:
            density = self._density_of(outcome)
            parts.append((region_of(self._estimator, outcome), None if density is None else density.cones()))
        return compile_problem(parts, self._to_model, self.distance_, self._origin)

    def _for_model(self, rows: FloatArray) -> Any:
        """Rows in the form the model was fitted with: a model that saw names warns without them."""
        if not hasattr(self.model, "feature_names_in_"):
            return rows
        import pandas

        return pandas.DataFrame(rows, columns=self.model.feature_names_in_)

    def _predict(self, rows: FloatArray) -> NDArray[Any]:
        if len(rows) == 0:
            return np.empty(0)
        return np.asarray(self.model.predict(self._for_model(rows))).ravel()

    def _probability(self, rows: FloatArray, index: int) -> FloatArray:
        return np.asarray(self.model.predict_proba(self._for_model(rows)), dtype=np.float64)[:, index]


def _n_threads(n_jobs: object) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores) or None, received {n_jobs!r}."
        )
    return int(effective_n_jobs(int(n_jobs)))
