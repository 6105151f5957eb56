"""The door to production, which an explainer has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np

from ..asking import Options, outcomes_of_rows
from ..auditing import Baseline, Monitoring
from ..auditing.baseline import baseline_of
from ..auditing.monitor import monitor
from ..constraints import Constraints
from ..errors import InvalidInputError
from ..model import FittedModel
from .mapper import Mapper
from .schema import schema_of


class Produces:
    """Answers for many rows on any engine, and an eye on them.

    Attributes
    ----------
    baseline_ : Baseline
        What :meth:`remember` has kept.
    """

    baseline_: Baseline

    @abstractmethod
    def require_fitted(self) -> FittedModel:
        """Give the fitted model, or say that there is none yet."""

    def mapper(
        self,
        target: Any = None,
        *,
        constraints: Constraints | None = None,
        id_columns: Sequence[str] | Mapping[str, Any] = (),
        sentences: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Mapper:
        """Make a function of frames that answers one question about any rows, for Dask, Spark, Ray and others.

        It can be pickled. Its answers have the same columns and dtypes whatever the rows are: ``mapper.meta`` for
        pandas and Dask, ``mapper.schema`` for Arrow, ``mapper.spark_schema`` for Spark. A row that is wrong does not
        end its batch: it has the status ``"error"``, and its message in the column ``error``.

        Parameters
        ----------
        target : label or None; ``(low, high)`` for a regressor
            The same for all rows.
        constraints : Constraints, optional
        id_columns : sequence of names, or mapping of name to dtype
            Columns of the rows to copy, to know rows by. Without a dtype they become text, for types must be known
            before the first row is.
        sentences : bool, default=False
            Tell every answer in a sentence as well. It takes longer than many an answer.
        n_jobs : int or None, default=None
            Threads in each process; engines bring processes of their own.
        **options
            Further options of :meth:`elsewise.Explainer.explain`: ``min_probability``, ``n_counterfactuals``,
            ``time_limit``, ... (but for ``errors``, which is always ``"row"``).

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
        asked = _asked("mapper", constraints, options)
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

    def remember(self, X: Any, target: Any = None, *, constraints: Constraints | None = None, **options: Any) -> Self:
        """Ask a question about rows now, and keep what came of it, for :meth:`monitor` to compare later rows with.

        What is kept are counts and quantiles, no rows; :meth:`~elsewise.Explainer.save` saves it with the explainer.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns)
            Held-out rows as they are expected: training rows look more plausible than new ones ever will.
        target : label or None; ``(low, high)`` for a regressor
        constraints : Constraints, optional
        **options
            Further options of :meth:`elsewise.Explainer.explain`.
        """
        fitted = self.require_fitted()
        asked = _asked("remember", constraints, options)
        self.baseline_ = baseline_of(fitted, X, target, asked, getattr(self, "n_jobs", None))
        return self

    def monitor(self, X: Any) -> Monitoring:
        """Compare new rows with those that :meth:`remember` was given.

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


def _asked(door: str, constraints: Constraints | None, options: Mapping[str, Any]) -> Options:
    """Put together how a question is asked, in which rows that are wrong end nothing."""
    known = [item.name for item in fields(Options) if item.name not in ("constraints", "errors")]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InvalidInputError(f"{door} knows no option {unknown[0]!r}. There are {', '.join(known)}.")
    return Options(constraints=constraints, errors="row", **options)
