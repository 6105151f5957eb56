"""The user's door: a fitted model and its training data in, certified counterfactuals out."""

from __future__ import annotations

import copy
import datetime
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .answers import ChangesFrontier, Explanations, Frontier, Ladder, Levers, Monotone, PrincipalReasons, WhyNot
from .answers.explanation import Explanation
from .answers.path import Path
from .answers.plan import Plan
from .arrays import AnyArray, FloatArray
from .density import ClassDensity
from .distances import ResolvedDistance
from .errors import InvalidInputError
from .fitted import FitSettings, FittedModel, fit_model
from .fitted.summaries import ColumnProfile
from .questions import Options, outcomes_of_rows
from .questions.explain import explain_row, explain_rows, find_changes_frontier, find_frontier, find_why_not
from .questions.options import Effort, Errors, OnInfeasible, OnSatisfied
from .questions.path import find_path
from .questions.plan import find_plan
from .questions.progress import ProgressOption, reporter
from .questions.recourse.presented import find_ladder, find_levers, find_principal_reasons, judge_monotone
from .questions.recourse.reason_codes import check_codes_of_fit
from .questions.solving.other_models import with_refits
from .questions.targets import outcome_of_target, with_confidence
from .rules import Constraints
from .rules.learned.never_together import NeverTogether
from .rules.learned.suggested_rules import SuggestedRules
from .rules.learned.suggestions import RulesWarning, free_columns, suggest, warning_about
from .search import Exactness
from .table import Table
from .table.frames import as_table, in_form_of, is_foreign
from .text.languages import check_language
from .tools.audit import Monitoring
from .tools.audit.monitor import baseline_of, monitor
from .tools.batch.mapper import Mapper
from .tools.batch.schema import schema_of
from .tools.files.explainers import save
from .tools.files.reason_codes import read_reason_codes
from .tools.letters import Letter, LetterRequest, write_letter


class Explainer(BaseEstimator):  # type: ignore[misc]
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
    condition_on_fixed : bool, default=True
        What the density is about where columns cannot change, by rules or because a row has nowhere to go. True: the
        others given these, so that nobody is less plausible for what cannot change; a row then has a threshold of its
        own. False: all columns together, as in the paper; also wherever the density is not one of the columns
        themselves (behind a PCA, kernel densities), the model is a black box or the threshold is no quantile.
        ``fitted_.condition_on_fixed`` tells.
    learn_rules : bool, default=True
        Keep what holds of all training rows: ranges of numbers, codes of numbers in data frames, columns that are sums,
        differences, products or ratios of others, what is never seen together.
    constraints : Constraints, optional
        Rules of every question that brings none of its own: ``explainer.constraints & more`` asks with more of them,
        ``Constraints()`` without any. They are checked by the fit, and saved with the explainer.
    rules : "warn", "suggested" or None, default="warn"
        What the fit does with the rules that names and values of columns suggest (:meth:`suggest_rules`). "warn": one
        :class:`~elsewise.RulesWarning` names the columns that no answer should change and that ``constraints`` leave
        free. "suggested": they are stored together with ``constraints``, which decide alone about columns they name.
    labels : mapping of column name to label, optional
        How sentences, tables and reports call columns: a name, ``(name, unit)``, names of single values, or all of it:
        ``{"bp": ("blood pressure", "mm Hg"), "pdays": {-1: "never called"}}``.
    outcomes : mapping of label to text, optional
        How they call what the model predicts: ``{1: "repays"}``.
    reason_codes : mapping of (column, direction) to code, or path of a CSV file; optional
        What :meth:`reasons` and letters call reasons: see :func:`elsewise.read_reason_codes`. A reason that is possible
        under ``constraints`` and has no code is an error of the fit.
    robust_to : "retraining" or None, default=None
        "retraining": all answers stay valid when the model is trained again on other rows of the same kind, with 95 %
        of such models. The fit needs the rows and labels that it was trained on, and makes what :func:`elsewise.refits`
        describes: a cone for a logistic regression, 99 trainings for any other model.
    language : "en" or "de", default="en"
        Language of everything that people read: sentences, tables, rules, pictures, reports, letters and the explorer.
    n_jobs : int or None, default=None
        Threads for :meth:`explain`; None is one, -1 all cores.

    Attributes
    ----------
    fitted_ : FittedModel
        The model with what was learned of its data; the attributes below are parts of it.
    densities_ : dict
        :class:`~elsewise.density.ClassDensity` of each label (None for a regressor); empty without a density.
    distance_ : resolved distance, a function of two arrays of rows
    profiles_ : dict
        How each column is distributed, a :class:`~elsewise.fitted.summaries.ColumnProfile`, among the training rows of
        each label (None: among all).
    special_values_, never_together_ : codes of columns; what never occurs together in the training rows
    steps_ : what nearly all values of a column are multiples of
    derived_ : formulas of columns that follow from others
    exactness_ : "exact", "bounded" or "black box", how well answers can be expected to be proven
    classes_ : array of labels, or None for a regressor
    table_ : Table
        The columns, and the features they become.
    reason_codes_ : mapping of (column, direction) to code, or None
    feature_names_in_, n_features_in_ : names of the columns, if the fit saw them, and their number

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
        condition_on_fixed: bool = True,
        constraints: Constraints | None = None,
        rules: str | None = "warn",
        labels: Mapping[str, Any] | None = None,
        outcomes: Mapping[Any, str] | None = None,
        reason_codes: Mapping[tuple[str, str], Any] | str | PathLike[str] | None = None,
        robust_to: str | None = None,
        language: str = "en",
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.columns = columns
        self.distance = distance
        self.density = density
        self.threshold = threshold
        self.learn_rules = learn_rules
        self.condition_on_fixed = condition_on_fixed
        self.constraints = constraints
        self.rules = rules
        self.labels = labels
        self.outcomes = outcomes
        self.reason_codes = reason_codes
        self.robust_to = robust_to
        self.language = language
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
        # a fit that fails leaves an unfitted explainer, not an old one
        for name in ("fitted_", "baseline_", "reason_codes_"):
            self.__dict__.pop(name, None)
        codes = self.reason_codes
        codes = read_reason_codes(codes) if isinstance(codes, (str, PathLike)) else codes
        if self.robust_to not in (None, "retraining"):
            raise InvalidInputError(f"robust_to: expected 'retraining' or None, received {self.robust_to!r}.")
        asked = {field.name: getattr(self, field.name) for field in fields(FitSettings)}
        with reporter(progress, len(as_table(X)) if progress else 0) as tell:
            fitted = fit_model(self.model, X, y, FitSettings(**asked), tell)
        fitted = with_refits(fitted, X, y) if self.robust_to else fitted
        if codes is not None:
            check_codes_of_fit(fitted, codes)
        self.fitted_: FittedModel = fitted
        self.reason_codes_ = codes
        free = free_columns(suggest(self.fitted_.facts), self.constraints)
        if free and self.rules == "warn":
            warnings.warn(warning_about(free), RulesWarning, stacklevel=2)
        return self

    def with_threshold(self, threshold: Any) -> Explainer:
        """Return a copy that asks for another density; everything else that was learned is shared.

        Parameters
        ----------
        threshold : float in (0, 1), TrainingQuantile or LogDensity
        """
        other = copy.copy(self)
        other.threshold, other.fitted_ = threshold, self.require_fitted().with_threshold(threshold)
        return other

    def with_constraints(self, constraints: Constraints | None) -> Explainer:
        """Return a copy with other rules stored; everything that was learned is shared.

        Parameters
        ----------
        constraints : Constraints or None
        """
        other = copy.copy(self)
        other.constraints, other.fitted_ = constraints, self.require_fitted().with_constraints(constraints)
        return other

    def with_language(self, language: str) -> Explainer:
        """Return a copy that speaks another language; everything that was learned is shared.

        Parameters
        ----------
        language : "en" or "de"
        """
        fitted, other = self.require_fitted(), copy.copy(self)
        wording = replace(fitted.table.wording, language=check_language(language))
        other.language, other.fitted_ = language, replace(fitted, table=replace(fitted.table, wording=wording))
        return other

    def suggest_rules(self, target: Any = None) -> SuggestedRules:
        """Suggest rules by what the columns are called and what they hold.

        Who somebody is, age too, identifiers, dates and past facts stay as they are; time in a place grows by a year at
        most, education by two levels. With a target, columns move only in the direction that helps by their names or by
        the training rows, and stay where these tell none or contradict each other.

        Parameters
        ----------
        target : label, or ``(low, high)`` for a regressor, with one end None; optional

        Returns
        -------
        SuggestedRules
            ``.constraints`` are the rules to explain with; ``.save("rules.toml")`` writes them for editing.

        Examples
        --------
        >>> import elsewise as ew
        >>> import pandas as pd
        >>> from sklearn.linear_model import LogisticRegression
        >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "income": [1.5, 4.0, 2.5, 6.0]})
        >>> model = LogisticRegression().fit(X, [0, 1, 0, 1])
        >>> explainer = ew.Explainer(model, density=None, rules="suggested").fit(X, [0, 1, 0, 1])
        >>> print(explainer.suggest_rules())
        age: stays as it is (certain). The name is about age, which nobody can change.
        income: stays or moves by 0.2 or more (guess). A smaller change hardly counts: half of the rows lie within 2.25
        of each other.
        income: moves to multiples of 0.1 (guess). Round numbers are easier to say and to reach.
        """
        fitted = self.require_fitted()
        wanted = None if target is None else fitted.wanted(outcome_of_target(target, fitted.classes))
        return suggest(fitted.facts, wanted, fitted.table.derived)

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

    @overload
    def explain_one(
        self,
        x: ArrayLike,
        target: Any = ...,
        *,
        constraints: Constraints | None = ...,
        min_probability: float | None = ...,
        confidence: float | None = ...,
        n_counterfactuals: None = ...,
        diversity: str | float = ...,
        on_satisfied: OnSatisfied = ...,
        time_limit: float | None = ...,
        effort: Effort = ...,
        errors: Errors = ...,
        other_models: Sequence[tuple[Any, Any]] = ...,
        on_infeasible: OnInfeasible = ...,
        robust_radius: float = ...,
        ranges: bool = ...,
        certificate: bool = ...,
    ) -> Explanation: ...

    @overload
    def explain_one(
        self,
        x: ArrayLike,
        target: Any = ...,
        *,
        constraints: Constraints | None = ...,
        min_probability: float | None = ...,
        confidence: float | None = ...,
        n_counterfactuals: int,
        diversity: str | float = ...,
        on_satisfied: OnSatisfied = ...,
        time_limit: float | None = ...,
        effort: Effort = ...,
        errors: Errors = ...,
        other_models: Sequence[tuple[Any, Any]] = ...,
        on_infeasible: OnInfeasible = ...,
        robust_radius: float = ...,
        ranges: bool = ...,
        certificate: bool = ...,
    ) -> Explanations: ...

    def explain_one(
        self,
        x: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        confidence: float | None = None,
        n_counterfactuals: int | None = None,
        diversity: str | float = "columns",
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        effort: Effort = "default",
        errors: Errors = "raise",
        other_models: Sequence[tuple[Any, Any]] = (),
        on_infeasible: OnInfeasible = "none",
        robust_radius: float = 0.0,
        ranges: bool = False,
        certificate: bool = False,
    ) -> Explanation | Explanations:
        """Explain one row.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, ``(low, high)`` for a regressor, or None
        n_counterfactuals : int, optional
        constraints, min_probability, confidence, diversity, on_satisfied, time_limit, effort, errors, \
other_models, on_infeasible, robust_radius, ranges, certificate
            As for :meth:`explain`.

        Returns
        -------
        Explanation, or Explanations if ``n_counterfactuals`` is given
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            n_counterfactuals=1 if n_counterfactuals is None else n_counterfactuals,
            diversity=diversity,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            effort=effort,
            errors=errors,
            other_models=other_models,
            on_infeasible=on_infeasible,
            robust_radius=robust_radius,
            ranges=ranges,
            certificate=certificate,
        )
        return explain_row(self.require_fitted(), x, target, options, is_single=n_counterfactuals is None)

    def explain(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        confidence: float | None = None,
        n_counterfactuals: int = 1,
        diversity: str | float = "columns",
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        effort: Effort = "default",
        errors: Errors = "raise",
        other_models: Sequence[tuple[Any, Any]] = (),
        on_infeasible: OnInfeasible = "none",
        robust_radius: float = 0.0,
        ranges: bool = False,
        certificate: bool = False,
        progress: ProgressOption = False,
        budget: float | None = None,
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
        confidence : float in (0, 1), optional
            The model is as sure of an answer as it is of this share of the target's training rows, at least, and more
            than one half: a ``min_probability`` for each class. Not for black boxes, nor with ``min_probability``.
        n_counterfactuals : int, default=1
            So many answers a row, best first, each proven; fewer where no other exists that differs from those before.
        diversity : "columns" or float, default="columns"
            By default each further answer changes a set of columns that contains none of the earlier sets. A number
            asks for at least this distance from every earlier answer, whatever changes. The distance between two
            answers is the size of their differences; a distance's ``per_change`` is not part of it.
        on_satisfied : "keep" or "move", default="keep"
            A row for which the model decides as wanted already stays as it is, or moves to where it is plausible.
        time_limit : float, optional
            Seconds for the whole question about one row: all its answers, and their proofs. When they are over, the
            best verified point is returned as ``"feasible"`` with its proven gap; a row that has none by then is
            ``"unknown"``, and its lower bound says how far away an answer is at least.
        effort : "default", "quick" or "proof", default="default"
            When the search of a row ends whose answer is not proven yet. By default after a fixed amount of counted
            work, about ten seconds of an ordinary core and the same on every machine, or, with a ``time_limit``, when
            that is over. "quick" ends soon after a good answer is known, "proof" never.
        errors : "raise" or "row", default="raise"
            A row that is wrong (a value missing, a level its encoder refuses) ends the call; or it
            has the status ``"error"`` and its message as the reason, and the other rows have their answers.
        other_models : list of (model, outcome), optional
            Further models of the same columns, and what each has to predict of an answer by its own ``predict``: other
            versions of the model, a second score, an ``IsolationForest`` with outcome 1.
        on_infeasible : "none" or "densest", default="none"
            What a row gets that has no answer as dense as asked. "densest": the nearest answer at the highest density
            quantile that works for it, with the status ``"densest"``.
        robust_radius : float, default=0
            The models decide so for every row within this distance of an answer, too, numbers being moved.
        ranges : bool, default=False
            Answers say how far their changed columns may vary, all at once; see :class:`~elsewise.ValueRanges`.
        certificate : bool, default=False
            Write the proof of every first answer: ``explanation.certificate.save(path)``, to be checked by
            ``python -m elsewise_check path``. What has no certificate yet says why: ``explanation.proof.reason``.
        progress : bool or function of (done, total), default=False
            True shows a progress bar (needs tqdm).
        budget : float, optional
            Seconds for all rows together: every row gets a tenth of a second at first, and what is left is spent on
            those that are not proven yet, the nearest to a proof first. A ``time_limit`` is the most for one row.
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            n_counterfactuals=n_counterfactuals,
            diversity=diversity,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            effort=effort,
            errors=errors,
            other_models=other_models,
            on_infeasible=on_infeasible,
            robust_radius=robust_radius,
            ranges=ranges,
            certificate=certificate,
        )
        answers = explain_rows(
            self.require_fitted(), X, target, options, n_jobs=self.n_jobs, progress=progress, budget=budget
        )
        if not is_foreign(X):
            return answers
        return replace(answers, counterfactuals=in_form_of(answers.counterfactuals, X))

    def why_not(
        self,
        x: ArrayLike,
        target: Any,
        constraints: Constraints | None = None,
        *,
        min_probability: float | None = None,
        confidence: float | None = None,
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        other_models: Sequence[tuple[Any, Any]] = (),
        robust_radius: float = 0.0,
    ) -> WhyNot:
        """Find out why a row has no counterfactual: which rules contradict each other, and what would help.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        constraints : Constraints, optional
        min_probability, on_satisfied, other_models, robust_radius
            As for :meth:`explain`.
        time_limit : float, optional
            Seconds for all of it; ``is_finished`` says whether they were enough.

        Returns
        -------
        WhyNot
            A smallest contradicting set of rules, the highest density quantile that works under all of them, and the
            single rules whose absence helps, cheapest first.
        """
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            other_models=other_models,
            robust_radius=robust_radius,
        )
        return find_why_not(self.require_fitted(), x, target, options)

    def frontier(
        self,
        x: ArrayLike,
        target: Any,
        quantiles: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        *,
        by: str = "density",
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        confidence: float | None = None,
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        other_models: Sequence[tuple[Any, Any]] = (),
    ) -> Frontier | ChangesFrontier:
        """Find the nearest answers of a row, to choose between near and plausible, or between near and few changes.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        quantiles : sequence of floats in (0, 1)
            Thresholds, as quantiles of the densities of the target's rows, each held out of the density.
        by : "density" or "changes", default="density"
            "density": the nearest answer at each threshold. "changes": the nearest answer with at most one, two, ...
            changes at the explainer's own threshold, until more changes bring nothing nearer; ``quantiles`` are unused.
        constraints, min_probability, confidence, on_satisfied, other_models
            As for :meth:`explain`.
        time_limit : float, optional
            Seconds for all answers together.

        Returns
        -------
        Frontier or ChangesFrontier
        """
        if by not in ("density", "changes"):
            raise InvalidInputError(f"by: expected 'density' or 'changes', received {by!r}.")
        options = Options(
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            other_models=other_models,
        )
        if by == "changes":
            return find_changes_frontier(self.require_fitted(), x, target, options)
        return find_frontier(self.require_fitted(), x, target, quantiles, options)

    def levers(
        self,
        x: ArrayLike,
        target: Any,
        *,
        max_size: int = 2,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        time_limit: float | None = None,
        other_models: Sequence[tuple[Any, Any]] = (),
    ) -> Levers:
        """Find every small set of columns whose change alone is enough, and prove of the others that it is not.

        A set is asked about as :meth:`explain` would be with all other columns immutable: rules hold, and answers are
        as typical as asked given what does not change. Sets that contain a smaller one that is enough are left out.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        max_size : int, default=2
            Sets of at most this many columns.
        constraints, min_probability, other_models : as in :meth:`explain`
        time_limit : float, optional
            Seconds for all sets together. Those that are not finished by then are ``unknown``.

        Returns
        -------
        Levers
            Nearest first.
        """
        options = Options(
            constraints=constraints, min_probability=min_probability, time_limit=time_limit, other_models=other_models
        )
        return find_levers(self.require_fitted(), x, target, max_size, options)

    def reasons(
        self,
        x: ArrayLike,
        target: Any,
        *,
        at_most: int = 4,
        codes: Mapping[tuple[str, str], Any] | None = None,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        time_limit: float | None = None,
        other_models: Sequence[tuple[Any, Any]] = (),
    ) -> PrincipalReasons:
        """Find the principal reasons why a model does not decide for the target: the columns that are in the way.

        These are the fewest columns such that no counterfactual leaves all of them as they are: what :meth:`explain`
        finds changes one of them at least, and so does every other row that is valid, typical enough and within the
        rules. First come columns whose change alone is enough, nearest first; then those that are hardest to do
        without. A threshold given fixed columns is another one for every set of columns that stays: that no smaller
        set would do is certain without a density, with a :class:`LogDensity` threshold, or with
        ``condition_on_fixed=False``.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        at_most : int, default=4
            Reasons that are named. Where the smallest set is larger, ``is_complete`` is False.
        codes : mapping of (column, direction) to code or text, optional
            What reasons are called elsewhere, instead of ``reason_codes``. Directions are "too high", "too low" and,
            for levels and special codes, "other". A reason that is possible for the row but has no code is an error,
            before any search.
        constraints, min_probability, other_models : as in :meth:`explain`
        time_limit : float, optional
            Seconds for all of it.

        Returns
        -------
        PrincipalReasons
        """
        options = Options(
            constraints=constraints, min_probability=min_probability, time_limit=time_limit, other_models=other_models
        )
        fitted = self.require_fitted()
        codes = self.reason_codes_ if codes is None else codes
        return find_principal_reasons(fitted, x, target, at_most, codes, options)

    def ladder(
        self,
        x: ArrayLike,
        bands: Any,
        *,
        target: Any = None,
        constraints: Constraints | None = None,
        time_limit: float | None = None,
        other_models: Sequence[tuple[Any, Any]] = (),
    ) -> Ladder:
        """Find what each better band takes.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        bands : list of bands from the worst to the best, or mapping of names to bands
            Labels of a classifier; least probabilities of ``target``, rising; ranges ``(low, high)`` of a regressor
            that do not overlap, rising or falling, or the numbers at which they begin.
        target : label, optional
            Of which bands are least probabilities.
        constraints, other_models : as in :meth:`explain`
        time_limit : float, optional
            Seconds for each band.

        Returns
        -------
        Ladder
            A step for each band that is better than the row's own: the nearest counterfactual in this band or a better
            one. A harder step is never nearer than an easier one.
        """
        options = Options(constraints=constraints, time_limit=time_limit, other_models=other_models)
        return find_ladder(self.require_fitted(), x, bands, target, options)

    def monotone(self, column: str, direction: str, *, target: Any = None) -> Monotone:
        """Find out whether more, or less, of a column can ever lower the score of an outcome.

        Parameters
        ----------
        column : str
            A column of numbers or of ordered levels.
        direction : "increase" or "decrease"
        target : label
            Of a classifier; a regressor has none.

        Returns
        -------
        Monotone
            ``"proven"`` for every row, ``"refuted"`` by two rows, or ``"unknown"``.
        """
        return judge_monotone(self.require_fitted(), column, direction, target)

    def path(
        self,
        x: ArrayLike,
        target: Any,
        *,
        level: Any = None,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        time_limit: float | None = None,
    ) -> Path:
        """Find the shortest way from a row to an answer that stays in dense data all along.

        For tables of numbers. The way is a polygon; every place of it, not only its corners, is as dense as the level,
        in the mixture of all training rows, and it ends in a valid and dense answer. Rules hold at every corner, and a
        column that may only rise never falls on the way.

        Parameters
        ----------
        x : one row of shape (n_columns,)
        target : label, or ``(low, high)`` for a regressor
        level : float in (0, 1) or LogDensity, optional
            How dense every place has to be: a quantile of the densities of all training rows, or absolute. By default
            the highest at which row and answers are connected, but no higher than the row itself or what is asked of
            answers.
        constraints : Constraints, optional
        min_probability : float, optional
            Least probability of the target at the end.
        time_limit : float, optional
            Seconds for all of it. When they are over, the shortest path found so far is returned with what is proven.

        Returns
        -------
        Path
        """
        options = Options(constraints=constraints, min_probability=min_probability, time_limit=time_limit)
        return find_path(self.require_fitted(), x, target, options, level=level)

    def plan(
        self,
        explanation: Explanation,
        *,
        together: Sequence[Sequence[str]] = (),
        parts: Mapping[str, int] | None = None,
        constraints: Constraints | None = None,
    ) -> Plan:
        """Find the order in which to make the changes of an answer, for every table and every model.

        Each step changes one column, one group of columns or a part of a number. Of all orders the one is chosen whose
        sparsest stage is densest; of equally good ones, the one in which the model's probability of the target rises
        earliest. Up to fifteen changes every order is considered.

        Parameters
        ----------
        explanation : Explanation
            With a counterfactual, made by this explainer.
        together : lists of column names, optional
            Columns of a list change in one step.
        parts : mapping of column name to int, optional
            Numbers that change in so many equal steps.
        constraints : Constraints, optional
            Rules that hold at every stage; usually those the explanation was asked with, which it does not know.

        Returns
        -------
        Plan
        """
        return find_plan(self.require_fitted(), explanation, together=together, parts=parts, constraints=constraints)

    def letter(
        self,
        explanation: Explanation,
        *,
        template: str | PathLike[str] = "adverse-action",
        language: str | None = None,
        fields: Mapping[str, Any] | None = None,
        codes: Mapping[tuple[str, str], Any] | None = None,
        constraints: Constraints | None = None,
        time_limit: float | None = None,
        date: datetime.date | None = None,
    ) -> Letter:
        """Write a letter about a decision: one page, as text and as HTML.

        It tells the decision, at most four principal reasons, what would have led to another decision and what of it is
        proven, and ends with the versions of model, explainer, rules and template and a seal, which ``elsewise verify``
        checks. Nothing in it comes from single training rows.

        Parameters
        ----------
        explanation : Explanation
            Made by this explainer; with ``ranges=True`` the letter tells ranges instead of single values.
        template : "adverse-action", "gdpr", or path of a file
            Text or HTML with placeholders: ``$date``, ``$reference``, ``$decision``, ``$target``, ``$reasons``,
            ``$changes``, ``$proof``, ``$typical``, ``$data``, and any others, which ``fields`` fill in.
        language : "en" or "de", optional
            The explainer's own by default.
        fields : mapping of placeholder to text
            Of the included templates: ``sender``, ``recipient``, ``contact``, ``agency``; and ``reference``. Everything
            is escaped.
        codes : mapping of (column, direction) to code or text, optional
            As for :meth:`reasons`.
        constraints : Constraints, optional
            Rules that the explanation was asked with, which it does not know.
        time_limit : float, optional
            Seconds for the reasons.
        date : date, optional
            Today by default.

        Returns
        -------
        Letter
        """
        fitted = self.require_fitted()
        options = Options(constraints=constraints, time_limit=time_limit)
        spoken = self.language if language is None else language
        codes = self.reason_codes_ if codes is None else codes
        others = {"codes": codes, "options": options, **({} if date is None else {"day": date})}
        return write_letter(fitted, explanation, LetterRequest.of(template, spoken, fields, **others))

    def mapper(
        self,
        target: Any = None,
        *,
        id_columns: Sequence[str] | Mapping[str, Any] = (),
        sentences: bool = False,
        n_jobs: int | None = None,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        confidence: float | None = None,
        n_counterfactuals: int = 1,
        diversity: str | float = "columns",
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        effort: Effort = "default",
        other_models: Sequence[tuple[Any, Any]] = (),
        on_infeasible: OnInfeasible = "none",
        robust_radius: float = 0.0,
    ) -> Mapper:
        """Make a function of frames that answers one question about any rows, for Dask, Spark, Ray and others.

        It can be pickled. Its answers have the same columns and dtypes whatever the rows are: ``mapper.meta`` for
        pandas and Dask, ``mapper.schema`` for Arrow, ``mapper.spark_schema`` for Spark. A row that is wrong does not
        end its batch: it has the status ``"error"``, and its message in the column ``error``.

        Parameters
        ----------
        target : label or None; ``(low, high)`` for a regressor
            The same for all rows.
        id_columns : sequence of names, or mapping of name to dtype
            Columns of the rows to copy, to know rows by. Without a dtype they become text, for types must be known
            before the first row is.
        sentences : bool, default=False
            Tell every answer in a sentence as well. It takes longer than many an answer.
        n_jobs : int or None, default=None
            Threads in each process; engines bring processes of their own.
        constraints, min_probability, confidence, n_counterfactuals, diversity, on_satisfied, time_limit, effort, \
other_models, on_infeasible, robust_radius
            As for :meth:`explain`; ``errors`` is always ``"row"``.

        Returns
        -------
        Mapper

        Examples
        --------
        >>> import elsewise as ew
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> mapper = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y).mapper(target=1)
        >>> mapper(X.head(2))["status"].tolist()
        ['optimal', 'optimal']
        """
        fitted = self.require_fitted()
        options = Options(
            errors="row",
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            n_counterfactuals=n_counterfactuals,
            diversity=diversity,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            effort=effort,
            other_models=other_models,
            on_infeasible=on_infeasible,
            robust_radius=robust_radius,
        )
        asked = with_confidence(fitted, options)
        if np.ndim(np.asarray(target, dtype=object)) > (0 if fitted.classes is not None else 1):
            raise InvalidInputError("A mapper is for any rows: expected one target for all of them.")
        outcomes_of_rows(target, 1, fitted.classes, asked.min_probability)
        layout = schema_of(
            fitted.table_under(fitted.rules(constraints)),
            fitted.classes,
            id_columns,
            has_least_probability=asked.min_probability is not None,
            several=asked.n_counterfactuals > 1,
            sentences=sentences,
        )
        return Mapper(fitted, target, asked, layout, n_jobs)

    def set_baseline(
        self,
        X: Any,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        min_probability: float | None = None,
        confidence: float | None = None,
        n_counterfactuals: int = 1,
        diversity: str | float = "columns",
        on_satisfied: OnSatisfied = "keep",
        time_limit: float | None = None,
        effort: Effort = "default",
        other_models: Sequence[tuple[Any, Any]] = (),
        on_infeasible: OnInfeasible = "none",
        robust_radius: float = 0.0,
    ) -> Self:
        """Ask a question about rows now, and keep what came of it, for :meth:`monitor` to compare later rows with.

        What is kept are counts and quantiles, no rows; :meth:`~elsewise.Explainer.save` saves it with the explainer.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns)
            Held-out rows as they are expected: training rows look more plausible than new ones ever will.
        target : label or None; ``(low, high)`` for a regressor
        constraints, min_probability, confidence, n_counterfactuals, diversity, on_satisfied, time_limit, effort, \
other_models, on_infeasible, robust_radius
            As for :meth:`explain`; ``errors`` is always ``"row"``.

        Returns
        -------
        Explainer
            This one.
        """
        options = Options(
            errors="row",
            constraints=constraints,
            min_probability=min_probability,
            confidence=confidence,
            n_counterfactuals=n_counterfactuals,
            diversity=diversity,
            on_satisfied=on_satisfied,
            time_limit=time_limit,
            effort=effort,
            other_models=other_models,
            on_infeasible=on_infeasible,
            robust_radius=robust_radius,
        )
        self.baseline_ = baseline_of(self.require_fitted(), X, target, options, getattr(self, "n_jobs", None))
        return self

    def monitor(self, X: Any) -> Monitoring:
        """Compare new rows with those that :meth:`set_baseline` was given.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns)
            New rows; the same question is asked about them.

        Returns
        -------
        Monitoring
            Share of wrong rows and of rows without an answer, distances, how plausible the rows themselves are: each
            now and at fit, how certain the change is, and which are worth an alert.
        """
        return monitor(self.require_fitted(), self.__dict__.get("baseline_"), X, getattr(self, "n_jobs", None))

    def __repr__(self) -> str:
        stated = super().__repr__()
        return f"{stated}, fitted: {self.exactness_}" if "fitted_" in self.__dict__ else stated

    @property
    def densities_(self) -> dict[Any, ClassDensity]:
        """Density of each label."""
        return self.fitted_.densities

    @property
    def distance_(self) -> ResolvedDistance:
        """The distance, definite."""
        return self.fitted_.distance

    @property
    def profiles_(self) -> dict[Any, tuple[ColumnProfile, ...]]:
        """Distributions of the columns."""
        return self.fitted_.profiles

    @property
    def never_together_(self) -> NeverTogether:
        """What never occurs together in the training rows although it should by chance."""
        regularities = self.fitted_.regularities
        return NeverTogether() if regularities is None else regularities.never_together

    @property
    def special_values_(self) -> dict[str, tuple[float, ...]]:
        """Codes of numeric columns that were found in the training rows."""
        regularities = self.fitted_.regularities
        return {} if regularities is None else dict(regularities.special)

    @property
    def steps_(self) -> dict[str, float]:
        """Steps of numeric columns that were found in the training rows."""
        regularities = self.fitted_.regularities
        return {} if regularities is None else dict(regularities.steps)

    @property
    def derived_(self) -> dict[str, str]:
        """Formulas of columns that follow from others, as the rules say or as found in the training rows."""
        return {column.name: column.text for column in self.fitted_.table.derived}

    @property
    def classes_(self) -> AnyArray | None:
        """The model's labels."""
        return self.fitted_.classes

    @property
    def exactness_(self) -> Exactness:
        """What answers can be expected to be."""
        return self.fitted_.exactness

    @property
    def table_(self) -> Table:
        """The columns."""
        return self.fitted_.table

    @property
    def n_features_in_(self) -> int:
        """Number of the user's columns."""
        return len(self.fitted_.table.names)

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the user's columns, if the fit saw them."""
        if not self.fitted_.table.named:
            raise AttributeError("feature_names_in_: the training rows came without names.")
        return np.array(self.fitted_.table.names, dtype=object)

    def require_fitted(self) -> FittedModel:
        """Return the fitted model, or say that there is none yet."""
        if "fitted_" not in self.__dict__:  # scikit-learn's own check takes longer than a row does
            check_is_fitted(self, "fitted_")
        return self.fitted_

    def to_model_space(self, X: ArrayLike) -> FloatArray:
        """Rows as the final estimator sees them, or the first transformers before it that are not affine."""
        fitted = self.require_fitted()
        return fitted.as_the_estimator_sees(as_table(X))

    def log_density(self, X: ArrayLike, label: Any = None) -> FloatArray:
        """Log density of rows as data of a class: the component-wise maximum that answers are held to.

        Where numbers are missing, the density of those that are there.

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
        rows, values = fitted.table.of_numbers().encode(given), np.empty(len(given))
        for places, own in fitted.by_missing(fitted.table.missing(given)):
            values[places] = own.log_density(rows[places], label)
        return values
