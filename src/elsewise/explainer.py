"""The user's door: a fitted model and its training data in, certified counterfactuals out."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .asking import Options
from .asking.options import Errors
from .asking.progress import ProgressOption, reporter
from .columns.frames import as_table
from .constraints import Constraints
from .files.explainers import save
from .model import FittedModel, Learned, fit_model
from .production import Produces
from .results import Explanations, Frontier, Walks, WhyNot, explain_row, explain_rows, find_frontier, find_why_not


class Explainer(Learned, Walks, Produces, BaseEstimator):  # type: ignore[misc]
    """Nearest plausible counterfactuals of a fitted model, with proofs.

    For a row ``x`` and a wanted outcome, solve (Eq. cf:densityconstraintform with Eq. gmm:approx:finalconstraint)

        minimise  theta(x', x)   subject to   model(x') = target   and   density of the target at x' >= delta.

    Parameters
    ----------
    model : fitted classifier or regressor, or a Pipeline that ends in one; a :class:`~elsewise.BlackBox`
        A model that cannot be read exactly is asked, and ``exactness_`` says so.
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
    threshold : float in (0, 1), TrainingQuantile or LogDensity, default=0.5
        How dense a counterfactual must be: a quantile of the densities of the target's rows, each judged by a density
        that has not seen it, so that the share ``1 - threshold`` of new rows reaches it;
        :class:`~elsewise.TrainingQuantile` is the paper's quantile of training rows; or absolute.
    density_given : "fixed" or "joint", default="fixed"
        What the density is about where columns cannot change, by rules or because a row has nowhere to go. "fixed": the
        others given these, so that nobody is less plausible for what cannot change; a row then has a threshold of its
        own. "joint": all columns together, as in the paper; also wherever the density is not one of the columns
        themselves (behind a PCA, kernel densities), the model is a black box or the threshold is no quantile.
        ``fitted_.density_given`` tells.
    learn_rules : bool, default=True
        Keep what holds of all training rows: ranges and codes of numbers in data frames, what is never seen together.
    constraints : Constraints, optional
        Rules of every question that brings none of its own: ``explainer.constraints & more`` asks with more of them,
        ``Constraints()`` without any. They are checked by the fit, and saved with the explainer.
    n_jobs : int or None, default=None
        Threads for :meth:`explain`; None is one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    fitted_ : FittedModel
        The model with what was learned of its data; the attributes below are parts of it.
    densities_ : dict
        :class:`~elsewise.density.ClassDensity` of each label (None for a regressor); empty without a density.
    distance_ : resolved distance, a function of two arrays of rows
    profiles_ : dict
        How each column is distributed, a :class:`~elsewise.model.profiles.ColumnProfile`, among the training rows of
        each label (None: among all).
    special_values_, never_together_ : codes of columns; what never occurs together in the training rows
    steps_ : what nearly all values of a column are multiples of
    exactness_ : "exact", "bounded" or "black box", how well answers can be expected to be proven
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
    ('optimal', 3.77)
    """

    def __init__(
        self,
        model: Any,
        *,
        columns: Mapping[str, Any] | None = None,
        distance: Any = "auto",
        density: Any = "auto",
        threshold: Any = 0.5,
        learn_rules: bool = True,
        density_given: str = "fixed",
        constraints: Constraints | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.columns = columns
        self.distance = distance
        self.density = density
        self.threshold = threshold
        self.learn_rules = learn_rules
        self.density_given = density_given
        self.constraints = constraints
        self.n_jobs = n_jobs

    def __sklearn_clone__(self) -> Explainer:
        # The fitted model is this estimator's data, not a recipe to be fitted again.
        return type(self)(**self.get_params(deep=False))

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, *, progress: ProgressOption = False) -> Explainer:
        """Learn where data of each class lie, and compile the model.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Training rows, as the model takes them.
        y : array of shape (n_samples,)
            Their labels. A regressor needs none.
        progress : bool or function of (done, total), default=False
            Told of training rows whose class has its density. True shows a progress bar (needs tqdm).
        """
        for name in ("fitted_", "baseline_"):  # a fit that fails leaves an unfitted explainer, not an old one
            self.__dict__.pop(name, None)
        asked = {name: value for name, value in self.get_params(deep=False).items() if name not in ("model", "n_jobs")}
        with reporter(progress, len(as_table(X)) if progress else 0) as tell:
            self.fitted_: FittedModel = fit_model(self.model, X, y, **asked, tell=tell)
        return self

    def with_threshold(self, threshold: Any) -> Explainer:
        """Give a copy that asks for another density; everything else that was learned is shared.

        Parameters
        ----------
        threshold : float in (0, 1), TrainingQuantile or LogDensity
        """
        other = copy.copy(self)
        other.threshold, other.fitted_ = threshold, self.require_fitted().with_threshold(threshold)
        return other

    def with_constraints(self, constraints: Constraints | None) -> Explainer:
        """Give a copy with other rules stored; everything that was learned is shared.

        Parameters
        ----------
        constraints : Constraints or None
        """
        other = copy.copy(self)
        other.constraints, other.fitted_ = constraints, self.require_fitted().with_constraints(constraints)
        return other

    def save(self, path: str | PathLike[str], *, safe: bool = False) -> None:
        """Write the fitted explainer to a file, which :func:`elsewise.load` reads; warn of training rows in it.

        Parameters
        ----------
        path : path of the file
            ``.ew`` is the custom. A file that is there already is replaced.
        safe : bool, default=False
            True writes no pickle: reading the file runs no code (needs skops, and a model that it can write).
        """
        save(self, path, safe=safe)

    def explain_one(
        self, x: ArrayLike, target: Any = None, *, n_counterfactuals: int | None = None, **options: Any
    ) -> Any:
        """Explain one row.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, ``(low, high)`` for a regressor, or None
        n_counterfactuals : int, optional
        **options : the further options of :meth:`explain`

        Gives an Explanation, or Explanations if ``n_counterfactuals`` is given.
        """
        is_single = n_counterfactuals is None
        asked = Options(n_counterfactuals=1 if n_counterfactuals is None else n_counterfactuals, **options)
        return explain_row(self.require_fitted(), x, target, asked, is_single=is_single)

    def explain(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        n_counterfactuals: int = 1,
        differ: str | float = "columns",
        already: str = "plausible",
        time_limit: float | None = None,
        errors: Errors = "raise",
        also: Sequence[tuple[Any, Any]] = (),
        if_none: str = "nothing",
        robust: float = 0.0,
        progress: ProgressOption = False,
    ) -> Explanations:
        """Find the nearest plausible counterfactual of every row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns)
        target : label, one label a row, or None; ``(low, high)`` or one pair a row for a regressor
            None asks for the nearest other class. Either end of a range may be None.
        constraints : Constraints, optional
            What may change, and how. They replace those of the explainer.
        min_probability : float, optional
            Least probability of the target in the model's own ``predict_proba``. It alone decides, also below one half.
        n_counterfactuals : int, default=1
            So many answers a row, best first, each proven; fewer where no other exists that differs from those before.
        differ : "columns" or float, default="columns"
            By default each further answer changes a set of columns that contains none of the earlier sets. A number
            asks for at least this distance from every earlier answer, whatever changes.
        already : "plausible" or "stay", default="plausible"
            A row for which the model decides as wanted already moves to where it is plausible, or stays as it is.
        time_limit : float, optional
            Seconds a row may take, from the first thing done for it to the last. When they are over, the best verified
            point is returned as ``"feasible"`` with its proven gap; a row that has none by then is ``"unknown"``, and
            its lower bound says how far away an answer is at least.
        errors : "raise" or "row", default="raise"
            A row that is wrong (a value missing, a level its encoder refuses, outside of a bound) ends the call; or it
            has the status ``"error"`` and its message as the reason, and the other rows have their answers.
        also : list of (model, outcome), optional
            Further models of the same columns, and what each has to predict of an answer by its own ``predict``: other
            versions of the model, a second score, an ``IsolationForest`` with outcome 1.
        if_none : "nothing" or "densest", default="nothing"
            What a row gets that has no answer as dense as asked. "densest": the nearest answer at the highest density
            quantile that works for it, with the status ``"densest"``.
        robust : float, default=0
            The models decide so for every row within this distance of an answer, too, numbers being moved.
        progress : bool or function of (done, total), default=False
            True shows a progress bar (needs tqdm).
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            n_counterfactuals=n_counterfactuals,
            differ=differ,
            already=already,
            time_limit=time_limit,
            errors=errors,
            also=also,
            if_none=if_none,
            robust=robust,
        )
        return explain_rows(self.require_fitted(), X, target, options, n_jobs=self.n_jobs, progress=progress)

    def why_not(self, x: ArrayLike, target: Any, constraints: Constraints | None = None, **options: Any) -> WhyNot:
        """Find out why a row has no counterfactual: which rules contradict each other, and what would help.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        constraints : Constraints, optional
        **options : the further options of :meth:`explain`
            ``time_limit`` is for all of it; ``is_finished`` says whether it was enough.

        Returns
        -------
        WhyNot
            A smallest contradicting set of rules, the highest density quantile that works under all of them, and the
            single rules whose absence helps, cheapest first.
        """
        return find_why_not(self.require_fitted(), x, target, Options(constraints=constraints, **options))

    def frontier(
        self,
        x: ArrayLike,
        target: Any,
        quantiles: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        **options: Any,
    ) -> Frontier:
        """Find the nearest answer of a row at several density thresholds, to choose between near and plausible.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        quantiles : sequence of floats in (0, 1)
            Thresholds, as quantiles of the densities of the target's rows, each held out of the density.
        **options : the further options of :meth:`explain`
            ``time_limit`` is for each quantile.
        """
        return find_frontier(self.require_fitted(), x, target, quantiles, Options(**options))
