# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the search over sums of trees: checks nothing, releases the GIL, one row at a time."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

import numpy as np


cdef extern from "forest.h" nogil:
    ctypedef struct ew_decision:
        int32_t first_tree
        int32_t end_tree
        int32_t first_score
        int32_t n_scores
        int single
        int kind
        int32_t index
        double divisor
        double low
        double high
        double least_score
        double least_log_odds
        double doubt
        double unit

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
        const double *base
        const uint8_t *is_exact
        const uint8_t *is_strict
        int has_strict
        int32_t n_decisions
        const ew_decision *decisions

    int ew_accepts(const ew_forest *f, const int32_t *cells, double margin, double *sums)
    int32_t ew_child(const ew_forest *f, int32_t node, int32_t cell)

cdef extern from "cone.h" nogil:
    ctypedef struct ew_cone:
        int32_t n
        double squared_radius
        const double *P
        const double *size_of_P
        const double *D
        const double *centre
        const double *step
        const double *low
        const double *high
        const double *penalty


cdef extern from "record.h" nogil:
    ctypedef struct ew_note:
        int what
        int why
        int64_t box
        int64_t of
        const uint8_t *alive
        const uint8_t *dead
        double mu
        double kappa
        const double *pi
        const double *theta
        const double *z
        const double *D

    ctypedef struct ew_recorder:
        void *context
        void (*note)(void *, const ew_note *) noexcept
        int32_t n_leaves



cdef extern from "search.h" nogil:
    ctypedef struct ew_inside:
        void *context
        double (*relax)(void *, const int32_t *, const int32_t *, const uint8_t *, double, int32_t *, double *, double *, int *) noexcept
        double (*finish)(void *, const int32_t *, const int32_t *, const uint8_t *, double, double *) noexcept
        double (*pause)(void *, double, int *) noexcept
        int64_t pause_after

    ctypedef struct ew_row:
        const double *cost
        const double *bound
        double cutoff
        double margin
        double seconds
        double grace
        int64_t most_nodes
        int64_t far_after
        double tolerance
        const ew_cone *cone
        const ew_inside *inside
        const int32_t *starts
        int32_t n_starts
        const ew_recorder *recorder
        int32_t *cells
        double value
        double lower_bound
        int has_point
        int status
        int64_t n_nodes

    void ew_search(const ew_forest *f, ew_row *row)
    int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)


cdef class _Asked:
    """Boxes that the kernel asks about, and what went wrong on the way."""

    cdef object boxes, pause, error
    cdef int32_t n_vars, n_cells

    cdef tuple box(self, const int32_t *low, const int32_t *high, const uint8_t *levels):
        cdef const int32_t[::1] low_ = <const int32_t[:self.n_vars]> low
        cdef const int32_t[::1] high_ = <const int32_t[:self.n_vars]> high
        cdef const uint8_t[::1] levels_ = <const uint8_t[:self.n_cells]> levels
        return np.array(low_), np.array(high_), np.array(levels_)


cdef double _relax(
    void *context, const int32_t *low, const int32_t *high, const uint8_t *levels, double limit, int32_t *cells,
    double *moves, double *value, int *is_nearest,
) noexcept with gil:
    cdef _Asked asked = <_Asked> context
    cdef const int32_t[::1] found
    cdef const double[::1] moved
    cdef int32_t i
    try:
        bound, point, moves_, distance, nearest = asked.boxes.relax(*asked.box(low, high, levels), limit)
        value[0] = distance
        is_nearest[0] = nearest
        if point is not None:
            found = point
            for i in range(asked.n_vars):
                cells[i] = found[i]
            moved = moves_
            for i in range(<int32_t> moved.shape[0]):
                moves[i] = moved[i]
        return bound
    except BaseException as error:  # told after the kernel has cleaned up
        asked.error = error
        return float("nan")


cdef double _finish(
    void *context, const int32_t *low, const int32_t *high, const uint8_t *levels, double limit, double *value,
) noexcept with gil:
    cdef _Asked asked = <_Asked> context
    try:
        bound, distance = asked.boxes.finish(*asked.box(low, high, levels), limit)
        value[0] = distance
        return bound
    except BaseException as error:
        asked.error = error
        return float("nan")


cdef double _pause(void *context, double bound, int *is_narrower) noexcept with gil:
    cdef _Asked asked = <_Asked> context
    try:
        value, is_narrower[0] = asked.pause(bound)
        return value
    except BaseException as error:
        asked.error = error
        return float("nan")


cdef class _Told:
    """Who is told what a search did, and what went wrong on the way."""

    cdef object recorder, error
    cdef ew_recorder to
    cdef int32_t n_cells, n_rows, n_trees, n_numbers

    cdef const ew_recorder *begin(self, recorder, const ew_forest *f, int32_t n_leaves, int32_t n_numbers):
        """What the kernel is given; NULL without a recorder."""
        if recorder is None:
            return NULL
        self.recorder = recorder
        self.n_cells = f.first_cell[f.n_vars]
        self.n_rows = f.n_rows
        self.n_trees = f.n_trees
        self.n_numbers = n_numbers
        self.to.context = <void *> self
        self.to.note = _note
        self.to.n_leaves = n_leaves
        return &self.to

    cdef tell(self, const ew_note *note):
        cdef object alive, dead, theta, dual
        alive = np.array(<const uint8_t[:self.n_cells]> note.alive, dtype=np.bool_)
        dead = np.array(<const uint8_t[:self.to.n_leaves]> note.dead, dtype=np.bool_)
        dual = None
        if note.what == 2:  # EW_BOUNDED
            theta = np.array(<const double[:self.n_trees * self.n_cells]> note.theta)
            dual = (
                note.mu,
                np.array(<const double[:self.n_rows]> note.pi),
                theta.reshape(self.n_trees, self.n_cells),
                note.kappa,
                np.array(<const double[:self.n_numbers]> note.z) if note.z != NULL else np.zeros(0),
                np.array(<const double[:self.n_numbers]> note.D) if note.D != NULL else np.zeros(0),
            )
        self.recorder.note(note.what, note.why, note.box, note.of, alive, dead, dual)


cdef void _note(void *context, const ew_note *note) noexcept with gil:
    cdef _Told told = <_Told> context
    try:
        told.tell(note)
    except BaseException as error:  # told after the kernel has cleaned up
        told.error = error


cdef int _require_memory(int status) except -1:
    if status == 2:
        raise MemoryError("There was not enough memory for the search of one row.")
    return 0


cdef class Forest:
    """A sum of trees over cells, held for any number of searches; arrays, and decisions as mappings, as in forest.h."""

    cdef ew_forest f
    cdef ew_decision *decisions
    cdef object arrays
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
    ):
        # what the pointers point to has to stay
        self.arrays = (
            first_cell, is_ordered, has_tables, root, var, cut, left, right, table, tables, leaf, gain, least, base,
            is_exact, is_strict,
        )
        self.f.n_vars = is_ordered.shape[0]
        self.n_leaves = <int32_t> leaf.shape[0]
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
    ):
        """Search the nearest accepted point of one row; a recorder is told all of it.

        After `far_after` boxes it stops if its point is far from its bound.

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
        row.recorder = told.begin(recorder, &self.f, self.n_leaves, 0)
        with nogil:
            ew_search(&self.f, &row)
        if told.error is not None:
            raise told.error
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
        row.recorder = told.begin(recorder, &self.f, self.n_leaves, 0 if row.cone == NULL else cone.n)
        with nogil:
            ew_search(&self.f, &row)
        if asked.error is not None:
            raise asked.error
        if told.error is not None:
            raise told.error
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
        with nogil:
            status = ew_first_bound(&self.f, &row, n_sweeps, &mu, &pi[0], &theta[0, 0])
        _require_memory(status)
        return (row.lower_bound, mu, pi_, theta_) if status == 0 else (row.lower_bound, None, None, None)
