r"""Least probabilities of a softmax: the soft minimum of the margins ahead of all rivals.

With :math:`m_j = s_t - s_j` ahead of rival :math:`j`, a class has a probability of at least :math:`p` where

.. math:: \mu(m) = -\log \sum_j e^{-m_j} \;\ge\; -\ell, \qquad \ell = \log \frac{1 - p}{p} .

The soft minimum :math:`\mu` is concave and grows with every margin. For all shares :math:`w \ge 0` that add up to one,

.. math:: \mu(m) \;\le\; \sum_j w_j m_j + \sum_j w_j \log w_j ,

with equality at :math:`w_j \propto e^{-m_j}`. So the right side, a sum of univariate functions as each margin is one,
may take the place of :math:`\mu`: one row for each choice of shares. With :math:`w` a unit vector it is the margin
ahead of one rival alone.
"""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray


def soft_minimum(margins: FloatArray) -> FloatArray:
    """Give the soft minimum over the last axis, which stays with a length of one."""
    least = margins.min(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # endless margins
        return np.asarray(least - np.log(np.exp(least - margins).sum(axis=-1, keepdims=True)))


def shares_of(margins: FloatArray) -> FloatArray:
    """Give the shares at which the bound is tight, both of shape (n_rows,)."""
    weights = np.exp(margins.min() - margins)
    return np.asarray(weights / weights.sum())


def entropy(shares: FloatArray) -> float:
    """Give ``-sum w log w``."""
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())
