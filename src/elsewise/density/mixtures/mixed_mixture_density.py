"""The density of a class for tables with categories: how a :class:`MixedMixture` is chosen and fitted.

A component has parameters for every level of every category, so a few hundred rows of a table with many of them leave
the best number of components open: held-out likelihoods differ by less than chance. The smallest number within one
standard error of the best is taken: fewer cones, and new rows no less likely (German credit, six splits a class: within
0.03 nats of the best number).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from ...arrays import FloatArray, IntArray
from ...errors import InvalidInputError
from ..leave_one_out import held_out_log_max
from ..marginal import completed
from ..units import ONE_THREAD_FEATURES, fit_scales
from .components import (
    check_count,
    check_enough_rows,
    choice_splits,
    component_grid,
    cross_validate,
    drawn_rows,
    equal_rows,
    first_usable,
    least,
    mean_scores,
    simplest_first,
)
from .incomplete_rows import evenly_filled
from .mixed_mixture import MixedMixture, SingularCovarianceError, check_settings, check_table, rounding_variances


class MixedMixtureDensity(BaseEstimator):  # type: ignore[misc]
    """Density of a class of a table with categories, the number of components chosen by cross-validation.

    The rows are ``[numbers | codes]``; see :class:`MixedMixture` for the model, and its module for how rounded numbers
    and levels that were not seen are treated.

    Parameters
    ----------
    n_components : int, sequence of int or None, default=None
        Number of components. A sequence is a grid: every entry is scored by the mean log-likelihood of held-out rows
        and the smallest one wins that is no worse than the best as far as the rows tell (within one standard error of
        the difference, see the module docstring). None is the grid ``1, 2, ..., max_components``, at most one
        component per two distinct rows, left early once the score has fallen twice in a row.
    n_levels : sequence of int, default=()
        Number of levels of each code column.
    max_components : int, default=10
        Where the default grid ends; unused otherwise.
    covariance_type : {"full", "diag"}, default="full"
    cv : int, default=5
        Number of folds; of many rows fewer, smaller fits are made (:func:`.choice_splits`). Equal rows
        share a fold, otherwise spikes on repeated rows would look good; not so where every number is coarsely rounded:
        spikes are impossible there, and a repeated row is what its probability is.
    cv_rows : int, default=5000
        The number of components is chosen on at most so many rows, drawn at random, and fitted to them; from there the
        iterations go on with all rows. So they do where numbers are missing: components are chosen on rows whose
        missing numbers were drawn given the others, and fitted to the numbers that are there.
    tol : float, default=1e-3
    reg_covar : float, default=1e-3
        Smallest variance of a number in a component, as a share of its variance in all rows.
    prior_rows : float, default=3.0
        How many rows the prior of each component's probabilities is worth, > 0.
    n_init : int, default=1
        Starts of each fit; the likeliest is kept.
    max_iter : int, default=1000
        Iterations of each fit. A fit that stops here is still a density and is used; ``mixture_.converged_`` tells.
    random_state : int, RandomState instance or None, default=0
        An int gives the same mixture every time.

    Attributes
    ----------
    mixture_ : MixedMixture
        In the units of the data.
    n_components_ : int
    cv_scores_ : dict of int to float
        Mean held-out log-likelihood of the numbers of components tried, ``-inf`` where no usable mixture could be
        fitted; empty when there was nothing to choose.
    log_densities_, training_log_densities_ : arrays of shape (n_samples,)
        Log of the component-wise maximum at every row, without the row in the mixture and with it
        (:mod:`.leave_one_out`); a row's missing numbers are drawn given the others (:mod:`.marginal`).
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.density import MixedMixtureDensity
    >>> rng = np.random.default_rng(0)
    >>> code = rng.integers(0, 2, 200)
    >>> rows = np.column_stack([rng.normal(10 * code, 1.0), code])
    >>> MixedMixtureDensity(n_levels=(2,)).fit(rows).n_components_
    2
    """

    def __init__(
        self,
        *,
        n_components: int | Sequence[int] | None = None,
        n_levels: Sequence[int] = (),
        max_components: int = 10,
        covariance_type: str = "full",
        cv: int = 5,
        cv_rows: int = 5000,
        tol: float = 1e-3,
        reg_covar: float = 1e-3,
        prior_rows: float = 3.0,
        n_init: int = 1,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.n_levels = n_levels
        self.max_components = max_components
        self.covariance_type = covariance_type
        self.cv = cv
        self.cv_rows = cv_rows
        self.tol = tol
        self.reg_covar = reg_covar
        self.prior_rows = prior_rows
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> MixedMixtureDensity:
        """Fit the mixture to the rows of one class.

        Parameters
        ----------
        X : array of shape (n_samples, p + c)
            ``p`` numbers, NaN where one is missing, then ``c = len(n_levels)`` codes.
        y : ignored
        """
        for name, smallest in (("max_components", 1), ("cv", 2), ("cv_rows", 2), ("n_init", 1), ("max_iter", 1)):
            check_count(name, getattr(self, name), smallest)
        n_levels = check_settings(self)
        grid = component_grid(self.n_components)
        rows = check_table(X, n_levels)
        drawn = drawn_rows(len(rows), self.cv_rows, self.random_state)
        chosen_on = rows if drawn is None else rows[drawn]
        n_distinct, group = equal_rows(chosen_on)
        if n_distinct < least(grid):
            check_enough_rows(len(rows), equal_rows(rows)[0], least(grid))
        check_enough_rows(len(rows), len(rows), 1)
        lacks_numbers = bool(np.isnan(rows).any())
        with threadpool_limits(limits=1 if rows.shape[1] <= ONE_THREAD_FEATURES else None):
            if lacks_numbers:
                chosen_on = self._completed(chosen_on)
            likelihoods = cross_validate(
                chosen_on,
                choice_splits(self._together(chosen_on, group), self.cv, self.random_state),
                self._fit_mixture,
                grid=grid,
                max_components=self.max_components,
                n_distinct=n_distinct,
            )
            candidates = simplest_first(likelihoods) if likelihoods else [least(grid)]
            mixture = first_usable(chosen_on, candidates, self._fit_mixture)
            if isinstance(mixture, MixedMixture) and (drawn is not None or lacks_numbers):
                mixture = self._fit_mixture(rows, mixture.n_components, mixture)
        if mixture is None:
            raise InvalidInputError(
                "No mixture could be fitted: a component has a singular covariance or no rows left. "
                f"Raise reg_covar (received {self.reg_covar!r}), ask for fewer components (n_components="
                f"{self.n_components!r}) or use covariance_type='diag'."
            )
        self.cv_scores_ = mean_scores(likelihoods)
        self.mixture_ = mixture
        self.n_components_ = int(mixture.n_components)
        whole = completed(mixture, rows)
        self.log_densities_, self.training_log_densities_ = held_out_log_max(mixture, whole, self.prior_rows)
        self.n_features_in_ = rows.shape[1]
        return self

    def _completed(self, rows: FloatArray) -> FloatArray:
        """Return rows without gaps to choose a number of components on: missing numbers as one component has them."""
        alone = self._fit_mixture(rows, 1)
        numbers = evenly_filled(rows) if alone is None else completed(alone, rows)
        return np.asarray(np.where(np.isnan(rows), numbers, rows))

    def _together(self, rows: FloatArray, group: IntArray) -> IntArray:
        """Which rows share a fold, those with the same entry: equal rows where spikes are possible, else none."""
        numbers = evenly_filled(rows[:, : rows.shape[1] - len(self.n_levels)])
        rounding = rounding_variances(numbers, fit_scales(numbers, self.covariance_type))
        some_are_fine = bool((rounding < self.reg_covar).any())
        return group if some_are_fine else np.arange(len(rows), dtype=np.int64)

    def _fit_mixture(self, rows: FloatArray, k: int, start: MixedMixture | None = None) -> MixedMixture | None:
        """Fit ``k`` components, from a fitted mixture or from k-means; None if a covariance is singular."""
        mixture = MixedMixture(
            k,
            n_levels=self.n_levels,
            covariance_type=self.covariance_type,
            tol=self.tol,
            reg_covar=self.reg_covar,
            prior_rows=self.prior_rows,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        try:
            return mixture.fit(rows, start=start)
        except SingularCovarianceError:
            return None
