"""Gaussian mixtures, fitted to the rows of a class.

The number of components is chosen by cross-validated likelihood, as in the paper's experiments. Fitting happens in
standardised units (every feature centred and divided by its scale; for spherical covariances one common scale) and the
mixture is carried back exactly: with ``z = c + s * w``, ``mu_z = c + s * mu_w`` and ``L_z = diag(1/s) L_w``. So the
answer does not depend on the units of the features, and ``reg_covar`` is a share of each feature's own variance:
relative to the mean variance instead, a feature in small units would drown in it. The share 1e-3 widens a feature's
deviation by 0.05 %; a much smaller one lets components collapse onto repeated values of rounded data (all rows with the
same petal width, say), where they look likely, even to held-out rows, and are useless.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from ...arrays import FloatArray, check_rows
from ...errors import InvalidInputError
from ..base import is_finite_number
from ..leave_one_out import held_out_log_max
from ..units import ONE_THREAD_FEATURES, fit_scales, in_units
from .components import (
    check_count,
    check_enough_rows,
    choice_splits,
    component_grid,
    cross_validate,
    drawn_rows,
    first_usable,
    least,
    likeliest_first,
    mean_scores,
)
from .full_steps import fit_by_products, is_for_products
from .low_rank_density import low_rank_density

# From so many features on, "auto" tries mixtures of low rank: of fewer a full covariance has hardly more parameters.
LEAST_LOW_RANK_FEATURES = 10

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical", "low_rank", "auto")
# Parameters that a fit of scikit-learn's may begin with.
_STARTS = ("weights", "means", "precisions")


class GaussianMixtureDensity(BaseEstimator):  # type: ignore[misc]
    """Density of a class as a Gaussian mixture (Eq. gmm), the number of components chosen by cross-validation.

    Parameters
    ----------
    n_components : int, sequence of int or None, default=None
        Number of components. A sequence is a grid: every entry is scored by the mean log-likelihood of held-out rows
        and the best one wins, the smallest in a tie. None is the grid ``1, 2, ..., max_components``, at most one
        component per two distinct rows, left early once the score has fallen twice in a row.
    max_components : int, default=10
        Where the default grid ends; unused otherwise.
    covariance_type : {"full", "tied", "diag", "spherical", "low_rank", "auto"}, default="full"
        "low_rank" is a few directions with variances of their own, and the same noise in all others
        (:mod:`.low_rank_mixture`): for tens to hundreds of features in the same units, such as pixels. "auto" takes the
        one of full, diagonal, spherical and low rank that held-out rows are likeliest under, and its time is that of
        all of them.
    rank : int, sequence of int or None, default=None
        Of "low_rank" (and "auto"): how many directions, or a grid to choose from by held-out likelihood; None is the
        grid 0, 1, 2, 4, 8, ... Unused otherwise.
    cv : int, default=5
        Number of folds; of many rows fewer, smaller fits are made (:func:`.choice_splits`). Equal rows
        always share a fold, otherwise spikes on repeated rows would look good.
    cv_rows : int, default=5000
        The number of components is chosen on at most so many rows, drawn at random, and fitted to them; from there the
        iterations go on with all rows.
    reg_covar : float, default=1e-3
        Added to the variances, as a share of each feature's own variance (for spherical covariances, of their mean).
        Keeps covariances of constant or collinear features positive definite; the default gives a constant feature
        a deviation of a thousandth of its size.
    n_init : int, default=1
        Initialisations of each fit; the likeliest is kept.
    max_iter : int, default=1000
        Iterations of each fit. A fit that stops here is still a density and is used; ``mixture_.converged_`` tells.
    random_state : int, RandomState instance or None, default=0
        An int gives the same mixture every time.

    Attributes
    ----------
    mixture_ : sklearn.mixture.GaussianMixture
        The fitted mixture, in the units of the data.
        Of low rank it is written out, with full covariances.
    n_components_ : int
    covariance_type_ : str
        What "auto" has taken, or what was asked for.
    rank_ : int
        Only of "low_rank".
    cv_scores_ : dict of int to float
        Mean held-out log-likelihood of the numbers of components tried, ``-inf`` where no usable mixture could be
        fitted; empty when there was nothing to choose.
    log_densities_, training_log_densities_ : arrays of shape (n_samples,)
        Log of the component-wise maximum at every row, without the row in the mixture and with it
        (:mod:`.leave_one_out`).
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.density import GaussianMixtureDensity
    >>> rng = np.random.default_rng(0)
    >>> Z = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))])
    >>> GaussianMixtureDensity().fit(Z).n_components_
    2
    """

    def __init__(
        self,
        *,
        n_components: int | Sequence[int] | None = None,
        max_components: int = 10,
        covariance_type: str = "full",
        rank: int | Sequence[int] | None = None,
        cv: int = 5,
        cv_rows: int = 5000,
        reg_covar: float = 1e-3,
        n_init: int = 1,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.covariance_type = covariance_type
        self.rank = rank
        self.cv = cv
        self.cv_rows = cv_rows
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, Z: ArrayLike, y: object = None) -> GaussianMixtureDensity:
        """Fit the mixture to the rows of one class.

        Parameters
        ----------
        Z : array of shape (n_samples, n_features)
        y : ignored
        """
        rows = check_rows(Z)
        grid = self._check_parameters()
        if self.covariance_type == "auto":
            return self._take_likeliest(rows)
        self.covariance_type_ = self.covariance_type
        if self.covariance_type == "low_rank":
            self.__dict__.update(low_rank_density(self, rows, grid))
            return self
        drawn = drawn_rows(len(rows), self.cv_rows, self.random_state)
        chosen_on = rows if drawn is None else rows[drawn]
        distinct, group = np.unique(chosen_on, axis=0, return_inverse=True)
        if len(distinct) < least(grid):
            check_enough_rows(len(rows), len(np.unique(rows, axis=0)), least(grid))
        check_enough_rows(len(rows), len(rows), 1)
        centre = rows.mean(axis=0)
        scales = fit_scales(rows, self.covariance_type)
        W = (rows - centre) / scales
        W_chosen = W if drawn is None else W[drawn]

        with threadpool_limits(limits=1 if rows.shape[1] <= ONE_THREAD_FEATURES else None):
            likelihoods = cross_validate(
                W_chosen,
                choice_splits(group.reshape(-1).astype(np.int64), self.cv, self.random_state),
                self._fit_mixture,
                grid=grid,
                max_components=self.max_components,
                n_distinct=len(distinct),
            )
            scores = mean_scores(likelihoods)
            candidates = likeliest_first(scores) if scores else [least(grid)]
            mixture = first_usable(W_chosen, candidates, self._fit_mixture)
            if mixture is not None and drawn is not None:
                mixture = self._fit_mixture(W, mixture.n_components, mixture)
        if mixture is None:
            raise InvalidInputError(
                "No mixture could be fitted: a component has a singular covariance or no rows left. "
                f"Raise reg_covar (received {self.reg_covar!r}), ask for fewer components (n_components="
                f"{self.n_components!r}) or use covariance_type='diag'."
            )
        # Densities change by the Jacobian of the map, the product of the scales.
        self.cv_scores_ = {k: score - float(np.log(scales).sum()) for k, score in scores.items()}
        self.mixture_ = in_units(mixture, centre, scales)
        self.n_components_ = int(mixture.n_components)
        self.log_densities_, self.training_log_densities_ = held_out_log_max(self.mixture_, rows)
        self.n_features_in_ = rows.shape[1]
        return self

    def _take_likeliest(self, rows: FloatArray) -> GaussianMixtureDensity:
        """Become the likeliest, to held-out rows, of the same estimator with each covariance type."""
        kinds = ["full", "diag", "spherical"] + ["low_rank"] * (rows.shape[1] >= LEAST_LOW_RANK_FEATURES)
        fits: list[GaussianMixtureDensity] = []
        for kind in kinds:
            try:
                fits.append(clone(self).set_params(covariance_type=kind).fit(rows))
            except InvalidInputError:
                if kind == kinds[-1] and not fits:
                    raise
        if all(fit.cv_scores_ for fit in fits):
            best = max(fits, key=lambda fit: max(fit.cv_scores_.values()))
        else:  # one number of components, or one rank: what is left are rows that were each held out
            best = max(fits, key=lambda fit: float(fit.log_densities_.mean()))
        self.__dict__.update({name: value for name, value in vars(best).items() if name.endswith("_")})
        return self

    def _check_parameters(self) -> list[int] | None:
        """Check the parameters; return the grid of numbers of components, None for the default grid."""
        for name, smallest in (("max_components", 1), ("cv", 2), ("cv_rows", 2), ("n_init", 1), ("max_iter", 1)):
            check_count(name, getattr(self, name), smallest)
        if self.covariance_type not in COVARIANCE_TYPES:
            raise InvalidInputError(
                f"covariance_type must be one of {', '.join(COVARIANCE_TYPES)}, received {self.covariance_type!r}."
            )
        if not is_finite_number(self.reg_covar) or self.reg_covar < 0.0:
            raise InvalidInputError(f"reg_covar must be a finite number >= 0, received {self.reg_covar!r}.")
        return component_grid(self.n_components)

    def _fit_mixture(self, W: FloatArray, k: int, start: GaussianMixture | None = None) -> GaussianMixture | None:
        """Fit ``k`` components, in standardised units, from ``start`` or k-means; None if a covariance is singular."""
        begin = {} if start is None else {f"{name}_init": getattr(start, f"{name}_") for name in _STARTS}
        mixture = GaussianMixture(
            n_components=k,
            covariance_type=self.covariance_type,
            reg_covar=self.reg_covar,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            **begin,
        )
        try:
            with warnings.catch_warnings():
                # Neither EM nor its k-means start needs to have converged for the result to be a density.
                warnings.simplefilter("ignore", ConvergenceWarning)
                return fit_by_products(mixture, W, start) if is_for_products(mixture, W) else mixture.fit(W)
        except ValueError as error:
            if "ill-defined" in str(error):
                return None
            raise
