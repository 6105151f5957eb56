# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the search over sums of trees: checks nothing, releases the GIL, one row at a time."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from sums_of_trees cimport (
    ew_accepts, ew_child, ew_cone, ew_decision, ew_first_bound, ew_forest, ew_inside, ew_note, ew_recorder, ew_row,
    ew_rules, ew_search,
)

import numpy as np

include "called_back.pxi"


cdef int _require_memory(int status) except -1:
    if status == 2:
        raise MemoryError("There was not enough memory for the search of one row.")
    return 0


cdef class _Ruled:
    """A forest with the rules of one row, arrays as in rules.h, or None."""

    cdef ew_forest f
    cdef ew_rules rules
    cdef object arrays

    cdef const ew_forest *take(self, const ew_forest *f, given):
        cdef const int32_t[::1] first, var, low, high
        self.f = f[0]
        if given is not None:
            first, var, low, high = self.arrays = given  # what the pointers point to has to stay
            self.rules.n_rules = <int32_t> (first.shape[0] - 1)
            self.rules.most_parts = <int32_t> np.diff(first).max()
            self.rules.first, self.rules.var = &first[0], &var[0]
            self.rules.low, self.rules.high = &low[0], &high[0]
            self.f.rules = &self.rules
        return &self.f


def _raise_first(*errors):
    for error in errors:
        if error is not None:
            raise error


cdef class Forest:
    """A sum of trees over cells, held for any number of searches; arrays, and decisions as mappings, as in forest.h.

    The last leaf is one that adds nothing.

    ``between`` is called a few times a second during a search, in Python: what another thread sends to this one is
    raised there.
    """

    cdef ew_forest f
    cdef ew_decision *decisions
    cdef object arrays, between
    cdef int32_t n_leaves

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
        decisions,
        const uint8_t[::1] is_exact,
        const uint8_t[::1] is_strict,
        between,
    ):
        self.between = between
        # what the pointers point to has to stay
        self.arrays = (
            first_cell, is_ordered, has_tables, root, var, cut, left, right, table, tables, leaf, gain, least, base,
            is_exact, is_strict,
        )
        self.f.n_vars = is_ordered.shape[0]
        self.f.no_leaf = self.n_leaves = <int32_t> (leaf.shape[0] - 1)
        self.f.rules = NULL
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
        self.f.is_exact = &is_exact[0]
        self.f.is_strict = &is_strict[0]
        self.f.has_strict = np.asarray(is_strict).any()
        self.decisions = <ew_decision *> calloc(len(decisions), sizeof(ew_decision))
        if self.decisions == NULL:
            raise MemoryError("There was not enough memory for a sum of trees.")
        for place, given in enumerate(decisions):
            self.decisions[place] = given
        self.f.n_decisions = <int32_t> len(decisions)
        self.f.decisions = self.decisions

    def __dealloc__(self):
        free(self.decisions)

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

    def locate(self, const double[:, ::1] points, const double[::1] high, const int64_t[::1] feature):
        """Cells of points, array of shape (n_samples, n_vars).

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
        high, feature : arrays of shape (n_cells,)
            Last number of each cell, and the feature it is about.
        """
        cells_ = np.zeros((points.shape[0], self.f.n_vars), dtype=np.int32)
        cdef int32_t[:, ::1] cells = cells_
        cdef Py_ssize_t k
        cdef int32_t i, first, low, last, middle
        with nogil:
            for k in range(points.shape[0]):
                for i in range(self.f.n_vars):
                    first = self.f.first_cell[i]
                    low = first
                    last = self.f.first_cell[i + 1] - 1
                    if self.f.is_ordered[i]:
                        while low < last:
                            middle = (low + last) // 2
                            if points[k, feature[middle]] <= high[middle]:
                                last = middle
                            else:
                                low = middle + 1
                    else:
                        for middle in range(first, last + 1):
                            if points[k, feature[middle]] > points[k, feature[low]]:
                                low = middle
                    cells[k, i] = low - first
        return cells_

    def leaf_cells(self):
        """Cells that lead to each leaf.

        Returns
        -------
        tree : int32 array of shape (n_leaves,)
        cells : bool array of shape (n_leaves, n_cells)
        """
        cdef int32_t t, node, var, k, first, end
        cdef object tree, cells, here, left, right, waiting
        tree = np.zeros(self.n_leaves, dtype=np.int32)
        cells = np.zeros((self.n_leaves, self.f.first_cell[self.f.n_vars]), dtype=np.bool_)
        for t in range(self.f.n_trees):
            waiting = [(self.f.root[t], np.ones(cells.shape[1], dtype=np.bool_))]
            while waiting:
                node, here = waiting.pop()
                var = self.f.var[node]
                if var < 0:
                    tree[self.f.left[node]], cells[self.f.left[node]] = t, here
                    continue
                left, right = here.copy(), here.copy()
                first, end = self.f.first_cell[var], self.f.first_cell[var + 1]
                for k in range(first, end):
                    if ew_child(&self.f, node, k - first) == self.f.left[node]:
                        right[k] = False
                    else:
                        left[k] = False
                waiting += [(self.f.left[node], left), (self.f.right[node], right)]
        return tree, cells

    def search(
        self,
        const double[::1] cost,
        const double[::1] bound,
        double cutoff,
        double margin,
        double seconds,
        int64_t nodes,
        double tolerance,
        double grace=0.0,
        recorder=None,
        int64_t far_after=-1,
        rules=None,
    ):
        """Search the nearest accepted point of one row; a recorder is told all of it.

        After `far_after` boxes it stops if its point is far from its bound. With rules (first, var, low, high: as in
        rules.h) there is no recorder.

        Returns
        -------
        cells : int32 array of shape (n_vars,), or None without a point
        value, lower_bound : float
        stopped : bool
            A limit ended the proof.
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
        row.grace = grace
        row.most_nodes = nodes
        row.far_after = far_after
        row.cells = &cells[0]
        row.tolerance = tolerance
        row.cone = NULL
        row.inside = NULL
        cdef _Told told = _Told()
        cdef _Listener listener = _Listener()
        row.recorder = told.begin(recorder, &self.f, self.n_leaves, 0)
        listener.begin(&row, self.between)
        cdef _Ruled ruled = _Ruled()
        cdef const ew_forest *f = ruled.take(&self.f, rules)
        with nogil:
            ew_search(f, &row)
        _raise_first(listener.error, told.error)
        _require_memory(row.status)
        return (cells_ if row.has_point else None), row.value, row.lower_bound, row.status == 1, row.n_nodes

    def search_inside(
        self,
        const double[::1] bound,
        double cutoff,
        double margin,
        double seconds,
        int64_t nodes,
        double tolerance,
        boxes,
        const int32_t[:, ::1] starts,
        cone_of_row,
        *,
        pause=None,
        int64_t pause_after=-1,
        double grace=0.0,
        recorder=None,
        rules=None,
    ):
        """Search the nearest accepted point of one row, which `boxes` keeps, asking it about boxes.

        Parameters
        ----------
        bound : array of shape (n_cells,)
        cutoff, margin, seconds, nodes, tolerance, grace :
            As for ew_row.
        boxes : object with methods `relax` and `finish`
        starts : int32 array of shape (n_starts, n_vars)
        cone_of_row : tuple, or None
            P, size of P, D, centre, step, low, high, penalty, squared radius: as in cone.h.
        pause : function of a bound, optional
            Called after so many boxes, and then less and less often: the distance of the best answer by then, and whether
            `bound`, `low` or `high` were changed in place.
        pause_after : int
        recorder : object with a method `note`, optional
            Is told all of it.
        rules : tuple, optional
            As for `search`.

        Returns
        -------
        lower_bound : float
        stopped : bool
        n_nodes : int
        """
        cells_ = np.zeros(self.f.n_vars, dtype=np.int32)
        cdef int32_t[::1] cells = cells_
        cdef ew_row row
        cdef ew_inside inside
        cdef ew_cone cone
        cdef const double[:, ::1] P, size
        cdef const double[::1] D, centre, step, low, high, penalty
        cdef _Asked asked = _Asked()
        asked.boxes = boxes
        asked.n_vars = self.f.n_vars
        asked.n_cells = self.f.first_cell[self.f.n_vars]
        inside.context = <void *> asked
        inside.relax = _relax
        inside.finish = _finish
        inside.pause = _pause
        inside.pause_after = pause_after if pause is not None else -2
        asked.pause = pause
        row.cone = NULL
        if cone_of_row is not None:
            P, size, D, centre, step, low, high, penalty, cone.squared_radius = cone_of_row
            cone.n = D.shape[0]
            cone.P, cone.size_of_P, cone.D = &P[0, 0], &size[0, 0], &D[0]
            cone.centre, cone.step, cone.penalty = &centre[0], &step[0], &penalty[0]
            cone.low, cone.high = &low[0], &high[0]
            row.cone = &cone
        row.cost = row.bound = &bound[0]
        row.cutoff = cutoff
        row.margin = margin
        row.seconds = seconds
        row.grace = grace
        row.most_nodes = nodes
        row.far_after = -1
        row.tolerance = tolerance
        row.cells = &cells[0]
        row.inside = &inside
        row.starts = NULL if starts.shape[0] == 0 else &starts[0, 0]
        row.n_starts = <int32_t> starts.shape[0]
        cdef _Told told = _Told()
        cdef _Listener listener = _Listener()
        row.recorder = told.begin(recorder, &self.f, self.n_leaves, 0 if row.cone == NULL else cone.n)
        listener.begin(&row, self.between)
        cdef _Ruled ruled = _Ruled()
        cdef const ew_forest *f = ruled.take(&self.f, rules)
        with nogil:
            ew_search(f, &row)
        _raise_first(listener.error, asked.error, told.error)
        _require_memory(row.status)
        return row.lower_bound, row.status == 1, row.n_nodes

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
        row.far_after = -1
        row.seconds = row.grace = 0.0
        row.tolerance = 0.0
        row.cone = NULL
        row.inside = NULL
        row.recorder = NULL
        row.is_interrupted = NULL
        with nogil:
            status = ew_first_bound(&self.f, &row, n_sweeps, &mu, &pi[0], &theta[0, 0])
        _require_memory(status)
        return (row.lower_bound, mu, pi_, theta_) if status == 0 else (row.lower_bound, None, None, None)
