"""The user's door: a fitted model and its training data in, certified counterfactuals out."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .arrays import FloatArray
from .asking import Options
from .asking.progress import ProgressOption
from .columns.frames import as_table
from .constraints import Constraints
from .files.explainers import save
from .model import FittedModel, Learned, fit_model
from .model.missing import refuse_missing
from .results import Explanations, Frontier, Walks, WhyNot, explain_row, explain_rows, find_frontier, find_why_not


class Explainer(Walks, Learned, BaseEstimator):  # type: ignore[misc]
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
    density_given : "fixed" or "joint", default="fixed"
        What the density is about where columns cannot change: the others given these, each row with its own threshold;
        or all together, as in the paper, and behind a PCA or a kernel density (``fitted_.density_given`` tells).
    n_jobs : int or None, default=None
        Threads for :meth:`explain`; None is one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    fitted_ : FittedModel
        The model with what was learned of its data; the attributes below are parts of it.
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
        density_given: str = "fixed",
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.columns = columns
        self.distance = distance
        self.density = density
        self.threshold = threshold
        self.density_given = density_given
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
        self.__dict__.pop("fitted_", None)  # a fit that fails leaves an unfitted explainer, not an old one
        self.fitted_: FittedModel = fit_model(
            self.model,
            X,
            y,
            columns=self.columns,
            distance=self.distance,
            density=self.density,
            threshold=self.threshold,
            density_given=self.density_given,
        )
        return self

    def with_threshold(self, threshold: Any) -> Explainer:
        """Give a copy that asks for another density; everything else that was learned is shared.

        Parameters
        ----------
        threshold : float in (0, 1) or LogDensity
        """
        other = copy.copy(self)
        other.threshold, other.fitted_ = threshold, self.require_fitted().with_threshold(threshold)
        return other

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted explainer to a file, which :func:`elsewise.load` reads (:mod:`elsewise.files.explainers`).

        Parameters
        ----------
        path : path of the file
            ``.ew`` is the custom. A file that is there already is replaced.
        """
        save(self, path)

    def to_model_space(self, X: ArrayLike) -> FloatArray:
        """Rows as the final estimator sees them, or the first transformers before it that are not affine."""
        fitted = self.require_fitted()
        return fitted.as_the_estimator_sees(as_table(X))

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
        fitted = self.require_fitted()
        given = as_table(X)
        refuse_missing(fitted.table, fitted.table.missing(given))
        return fitted.log_density(fitted.table.of_numbers().encode(given), label)

    def explain_one(
        self,
        x: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        n_counterfactuals: int | None = None,
        time_limit: float | None = None,
        if_none: str = "nothing",
    ) -> Any:
        """Explain one row of shape (n_columns,); see :meth:`explain`.

        Returns
        -------
        Explanation, or Explanations if ``n_counterfactuals`` is given
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            n_counterfactuals=1 if n_counterfactuals is None else n_counterfactuals,
            time_limit=time_limit,
            if_none=if_none,
        )
        return explain_row(self.require_fitted(), x, target, options, is_single=n_counterfactuals is None)

    def explain(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        n_counterfactuals: int = 1,
        time_limit: float | None = None,
        if_none: str = "nothing",
        progress: ProgressOption = False,
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
            Least probability of the target in the model's own ``predict_proba``. It alone decides, also below one half.
        n_counterfactuals : int, default=1
            So many answers a row, best first, each with its own certificate. A further answer differs from those before
            it: it leaves one of the columns alone that they change, or it lies in another leaf or part of the model's
            region, or in another component of the density. There are fewer where no other exists.
        time_limit : float, optional
            Seconds a row may take for its proof of optimality. When they are over, the best verified point is returned
            as ``"feasible"`` with its proven gap; a row without a point yet goes on until it has one.
        if_none : "nothing" or "densest", default="nothing"
            What a row gets where nothing is as dense as asked: "densest", the nearest answer at the highest quantile.
        progress : bool or function of (done, total), default=False
            True shows a progress bar (needs tqdm).
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            n_counterfactuals=n_counterfactuals,
            time_limit=time_limit,
            if_none=if_none,
        )
        return explain_rows(self.require_fitted(), X, target, options, n_jobs=self.n_jobs, progress=progress)

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
        options = Options(constraints=constraints, min_probability=min_probability)
        return find_why_not(self.require_fitted(), x, target, options)

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
        """
        options = Options(constraints=constraints, min_probability=min_probability, time_limit=time_limit)
        return find_frontier(self.require_fitted(), x, target, quantiles, options)

    def require_fitted(self) -> FittedModel:
        """Give the fitted model, or say that there is none yet."""
        if "fitted_" not in self.__dict__:  # scikit-learn's own check takes longer than a row does
            check_is_fitted(self, "fitted_")
        return self.fitted_
