# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the search over sums of trees: checks nothing, releases the GIL, one row at a time."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np


cdef extern from "forest.h" nogil:
    ctypedef struct ew_forest:
        int32_t n_vars
        int32_t n_trees
        int32_t n_scores
        int32_t n_rows
        const int32_t *first_cell
        const uint8_t *is_ordered
        const uint8_t *has_tables
        const int32_t *root
        const int32_t *var
        const int32_t *cut
        const int32_t *left
        const int32_t *right
        const int32_t *table
        const uint8_t *tables
        const double *leaf
        const double *gain
        const double *least
        int single
        int decision
        int is_exact
        int32_t index
        const double *base
        double divisor
        double low
        double high
        double least_score
        double least_log_odds

    int ew_accepts(const ew_forest *f, const int32_t *cells, double margin, double *sums)


cdef extern from "search.h" nogil:
    ctypedef struct ew_row:
        const double *cost
        const double *bound
        double cutoff
        double margin
        double seconds
        int64_t most_nodes
        int32_t *cells
        double value
        double lower_bound
        int has_point
        int status
        int64_t n_nodes

    void ew_search(const ew_forest *f, ew_row *row)
    int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)


cdef class Forest:
    """A sum of trees over cells, held for any number of searches; arrays as in forest.h."""

    cdef ew_forest f
    cdef object arrays

    def __init__(
        self,
        const int32_t[::1] first_cell,
        const uint8_t[::1] is_ordered,
        const uint8_t[::1] has_tables,
        const int32_t[::1] root,
        const int32_t[::1] var,
        const int32_t[::1] cut,
        const int32_t[::1] left,
        const int32_t[::1] right,
        const int32_t[::1] table,
        const uint8_t[::1] tables,
        const double[:, ::1] leaf,
        const double[:, ::1] gain,
        const double[::1] least,
        const double[::1] base,
        *,
        bint single,
        bint is_exact,
        double divisor,
        int32_t index,
        double low,
        double high,
        double least_score,
        double least_log_odds,
    ):
        # what the pointers point to has to stay
        self.arrays = (
            first_cell, is_ordered, has_tables, root, var, cut, left, right, table, tables, leaf, gain, least, base,
        )
        self.f.n_vars = is_ordered.shape[0]
        self.f.n_trees = root.shape[0]
        self.f.n_scores = leaf.shape[1]
        self.f.n_rows = gain.shape[1]
        self.f.first_cell = &first_cell[0]
        self.f.is_ordered = &is_ordered[0]
        self.f.has_tables = &has_tables[0]
        self.f.root = &root[0]
        self.f.var = &var[0]
        self.f.cut = &cut[0]
        self.f.left = &left[0]
        self.f.right = &right[0]
        self.f.table = &table[0]
        self.f.tables = &tables[0]
        self.f.leaf = &leaf[0, 0]
        self.f.gain = &gain[0, 0]
        self.f.least = &least[0]
        self.f.base = &base[0]
        self.f.single = single
        self.f.is_exact = is_exact
        self.f.divisor = divisor
        self.f.decision = 0 if index < 0 else 1
        self.f.index = index
        self.f.low = low
        self.f.high = high
        self.f.least_score = least_score
        self.f.least_log_odds = least_log_odds

    def accepts(self, const int32_t[:, ::1] cells, double margin=0.0):
        """Whether the model decides so at points given by their cells, array of shape (n_samples,)."""
        accepted_ = np.zeros(cells.shape[0], dtype=np.uint8)
        sums_ = np.empty(self.f.n_scores)
        cdef uint8_t[::1] accepted = accepted_
        cdef double[::1] sums = sums_
        cdef Py_ssize_t k
        with nogil:
            for k in range(cells.shape[0]):
                accepted[k] = ew_accepts(&self.f, &cells[k, 0], margin, &sums[0])
        return accepted_.astype(np.bool_)

    def search(
        self, const double[::1] cost, const double[::1] bound, double cutoff, double margin, double seconds, int64_t nodes
    ):
        """Search the nearest accepted point of one row.

        Returns
        -------
        cells : int32 array of shape (n_vars,), or None without a point
        value, lower_bound : float
        status : int
            0 proven, 1 stopped by a limit, 2 out of memory.
        n_nodes : int
        """
        cells_ = np.zeros(self.f.n_vars, dtype=np.int32)
        cdef int32_t[::1] cells = cells_
        cdef ew_row row
        row.cost = &cost[0]
        row.bound = &bound[0]
        row.cutoff = cutoff
        row.margin = margin
        row.seconds = seconds
        row.most_nodes = nodes
        row.cells = &cells[0]
        with nogil:
            ew_search(&self.f, &row)
        return (cells_ if row.has_point else None), row.value, row.lower_bound, row.status, row.n_nodes

    def first_bound(self, const double[::1] cost, const double[::1] bound, double cutoff, int n_sweeps):
        """Bound the distance of everything nearer than a cutoff, with what proves it.

        Returns
        -------
        lower_bound, mu : float
        pi : array of shape (n_rows,)
        theta : array of shape (n_trees, n_cells)
            None of the three if nothing is so near.
        """
        pi_, theta_ = np.zeros(self.f.n_rows), np.zeros((self.f.n_trees, self.f.first_cell[self.f.n_vars]))
        cdef double[::1] pi = pi_
        cdef double[:, ::1] theta = theta_
        cdef double mu = 0.0
        cdef int status
        cdef ew_row row
        row.cost = &cost[0]
        row.bound = &bound[0]
        row.cutoff = cutoff
        row.margin = 0.0
        row.seconds = 0.0
        with nogil:
            status = ew_first_bound(&self.f, &row, n_sweeps, &mu, &pi[0], &theta[0, 0])
        if status == 2:
            raise MemoryError("There was not enough memory for the bound of one row.")
        return (row.lower_bound, mu, pi_, theta_) if status == 0 else (row.lower_bound, None, None, None)
