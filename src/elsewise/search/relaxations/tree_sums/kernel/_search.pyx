# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the search over sums of trees: checks nothing, releases the GIL, one row at a time."""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fmax
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from sums_of_trees cimport (
    ew_accepts, ew_child, ew_close_search, ew_compact, ew_cone, ew_decision, ew_deepest, ew_ellipsoid,
    ew_first_bound, ew_forest, ew_go_on, ew_inside, ew_now, ew_open_search, ew_proposal, ew_propose, ew_record, ew_recorder,
    ew_row, ew_rules, ew_search, ew_state,
)

import numpy as np

include "called_back.pxi"
include "recorded.pxi"

# Conditions that are looked at for a row by default: about ten seconds of an ordinary core.
cdef double USUAL_WORK = 2.5e8
# A box that leaves one of so many conditions of so many or more is searched in a problem of its own.
TIMES_SMALLER, WITHIN_FROM = 4, 400


cdef int _require_memory(int status) except -1:
    if status == 2:
        raise MemoryError("There was not enough memory for the search of one row.")
    return 0


cdef void _limit_work(ew_row *row, double with_point, double without_point) noexcept:
    """Let a row take this much work, in units of the usual amount."""
    row.most_work, row.work_for_point = with_point * USUAL_WORK, without_point * USUAL_WORK


def now():
    """Return the seconds of the clock that searches read."""
    return ew_now()


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
        links,
        const uint8_t[::1] is_exact,
        const uint8_t[::1] is_strict,
        between,
    ):
        cdef const int32_t[::1] first_knot = links[0]
        cdef const double[:, ::1] lines = links[1]
        cdef const double[:, ::1] knots = links[2]
        self.between = between
        # what the pointers point to has to stay
        self.arrays = (
            first_cell, is_ordered, has_tables, root, var, cut, left, right, table, tables, leaf, gain, least, base,
            is_exact, is_strict, first_knot, lines, knots,
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
        self.f.first_knot, self.f.links, self.f.knots = &first_knot[0], &lines[0, 0], &knots[0, 0]
        self.f.is_strict = &is_strict[0]
        self.f.has_strict = np.asarray(is_strict).any()
        self.decisions = <ew_decision *> calloc(len(decisions), sizeof(ew_decision))
        if self.decisions == NULL:
            raise MemoryError("There was not enough memory for a sum of trees.")
        for place, given in enumerate(decisions):
            self.decisions[place] = given
        self.f.n_decisions = <int32_t> len(decisions)
        self.f.decisions = self.decisions
        self.f.deepest = ew_deepest(&self.f)

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

    def propose(
        self,
        const double[::1] row,
        const double[::1] price,
        double per_change,
        const uint8_t[::1] is_whole,
        const double[::1] first,
        const double[::1] last,
        const double[::1] level_cost,
        const int32_t[::1] own,
        ellipsoids,
        const double[:, ::1] known,
        const int32_t[:, ::1] known_cells,
        *,
        double margin,
        double cutoff,
        double seconds,
        int64_t most_lines,
        rules=None,
        holds=None,
    ):
        """Make an answer of known rows, as near as moving single columns makes it; arrays as in propose.h.

        Parameters
        ----------
        ellipsoids : sequence of (factor, centre, penalty, squared radius)
        known : array of shape (n_known, n_numbers)
        known_cells : int32 array of shape (n_known, n_vars)
        holds : function of (values, cells), optional
            Whether a point keeps everything else.

        Returns
        -------
        values : array of shape (n_numbers,), or None without a point
        cells : int32 array of shape (n_vars,), or None
        """
        cdef int32_t n = <int32_t> row.shape[0]
        cdef Py_ssize_t j, n_ellipsoids = len(ellipsoids)
        cdef const double[:, ::1] factor
        cdef const double[::1] centre, penalty
        cdef double[::1] values = np.zeros(n + 1)
        cdef int32_t[::1] cells = np.zeros(self.f.n_vars, dtype=np.int32)
        cdef _Judge judge = _Judge()
        cdef _Ruled ruled = _Ruled()
        cdef ew_proposal p
        cdef int failed
        cdef int32_t n_known = <int32_t> known.shape[0]
        if n_known == 0:
            return None, None
        cdef ew_ellipsoid *each = <ew_ellipsoid *> calloc(n_ellipsoids + 1, sizeof(ew_ellipsoid))
        if each == NULL:
            raise MemoryError("There was not enough memory for the ellipsoids of one row.")
        for j in range(n_ellipsoids):
            factor, centre, penalty, each[j].squared_radius = ellipsoids[j]
            each[j].q = <int32_t> factor.shape[0]
            each[j].factor = &factor[0, 0] if factor.shape[0] and n else NULL
            each[j].centre = &centre[0] if n else NULL
            each[j].penalty = &penalty[0]
        judge.holds, judge.n, judge.n_vars = holds, n, self.f.n_vars
        p.f = ruled.take(&self.f, rules)
        p.n = n
        p.row = &row[0] if n else NULL
        p.price = &price[0] if n else NULL
        p.per_change = per_change
        p.is_whole = &is_whole[0] if n else NULL
        p.first, p.last, p.level_cost, p.own = &first[0], &last[0], &level_cost[0], &own[0]
        p.n_ellipsoids, p.ellipsoids = <int32_t> n_ellipsoids, each
        p.margin, p.seconds, p.most_lines, p.cutoff = margin, seconds, most_lines, cutoff
        p.holds = NULL
        if holds is not None:
            p.holds = _holds
        p.context = <void *> judge
        p.values, p.cells = &values[0], &cells[0]
        with nogil:
            failed = ew_propose(&p, n_known, &known[0, 0] if n else NULL, &known_cells[0, 0])
        free(each)
        _raise_first(judge.error)
        _require_memory(2 * failed)
        return (np.asarray(values)[:n], np.asarray(cells)) if p.has_point else (None, None)

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
        int64_t far_after=-1,
        rules=None,
        double work=INFINITY,
    ):
        """Search the nearest accepted point of one row.

        After `far_after` boxes it stops if its point is far from its bound, and after so much counted work. Rules are
        (first, var, low, high), as in rules.h.

        Returns
        -------
        cells : int32 array of shape (n_vars,), or None without a point
        value, lower_bound : float
        stopped : bool
            A limit ended the proof.
        n_nodes : int
        work : float
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
        _limit_work(&row, work, fmax(work, 1.0))
        row.times_smaller, row.within_from = TIMES_SMALLER, WITHIN_FROM
        row.far_after = far_after
        row.cells = &cells[0]
        row.tolerance = tolerance
        row.cone = NULL
        row.inside = NULL
        cdef _Listener listener = _Listener()
        listener.begin(&row, self.between)
        cdef _Ruled ruled = _Ruled()
        cdef const ew_forest *f = ruled.take(&self.f, rules)
        with nogil:
            ew_search(f, &row)
        _raise_first(listener.error)
        _require_memory(row.status)
        point = cells_ if row.has_point else None
        return point, row.value, row.lower_bound, row.status == 1, row.n_nodes, row.work / USUAL_WORK

    def open(
        self,
        const double[::1] bound,
        double margin,
        int64_t nodes,
        double tolerance,
        *,
        double grace=0.0,
        rules=None,
        boxes=None,
        const int32_t[:, ::1] starts=None,
        cone_of_row=None,
        double most_for_changes=0.0,
        pause=None,
        int64_t pause_after=-1,
    ):
        """Open a search of the nearest accepted point of one row, which goes on in slices.

        Parameters
        ----------
        bound : array of shape (n_cells,)
        margin, nodes, tolerance, grace, most_for_changes :
            As for ew_row.
        rules : tuple, optional
            As for `search`.
        boxes : object with methods `relax` and `finish`, optional
            Is asked about boxes, and keeps the best point.
        starts : int32 array of shape (n_starts, n_vars), optional
            With boxes.
        cone_of_row : tuple, optional
            P, size of P, D, centre, step, low, high, penalty, squared radius: as in cone.h. With boxes.
        pause : function of a bound, optional
            Called after so many boxes, and then less and less often: the distance of the best answer by then, and whether
            `bound`, `low` or `high` were changed in place.
        pause_after : int
        """
        cdef SearchUnderWay search = SearchUnderWay()
        search.begin(self, bound, margin, nodes, tolerance, grace, most_for_changes)
        if boxes is not None:
            search.ask(self, boxes, starts, cone_of_row, pause, pause_after)
        search.state = ew_open_search(search.ruled.take(&self.f, rules), &search.row)
        _require_memory(search.row.status)
        return search

    def record(
        self,
        const double[::1] bound,
        const double[::1] price,
        double constant,
        *,
        double wanted,
        double cutoff,
        const double[::1] least,
        const double[::1] scale,
        int bits,
        int64_t nodes,
        written,
    ):
        """Prove that nothing is nearer than what is wanted, and write the proof.

        Parameters
        ----------
        bound, price : arrays of shape (n_cells,)
            What cells cost, for what is within reach; and what other multipliers make of it.
        constant : float
            What these add.
        wanted, cutoff : float
            The cutoff exceeds what is wanted by the room for rounding.
        least, scale : arrays of shape (n_rows,)
            What conditions have to reach, divided by the scale; and the scale.
        bits : int
            Multipliers are whole numbers of at least ``2**-bits``.
        nodes : int
            How many the proof may take.
        written : (feature, column, low, high, more)
            Features of cells and columns of variables, ends of cells as text, and other multipliers as text.

        Returns
        -------
        lines : list of str, or None if there is no proof.
        """
        cdef _Recorder recorder = _Recorder()
        cdef _Listener listener = _Listener()
        cdef ew_forest f = self.f
        cdef ew_row row
        cdef int status
        recorder.lines = []
        recorder.feature, recorder.column, recorder.low, recorder.high, recorder.more = written
        recorder.first_cell, recorder.is_ordered, recorder.n_rows = f.first_cell, f.is_ordered, f.n_rows
        recorder.to.context = <void *> recorder
        recorder.to.price, recorder.to.constant, recorder.to.wanted = &price[0], constant, wanted
        recorder.to.scale, recorder.to.bits = &scale[0], bits
        recorder.to.divide, recorder.to.close = _divide, _close
        f.least, f.rules = &least[0], NULL
        row.cost = row.bound = &bound[0]
        row.cutoff, row.margin, row.tolerance, row.far_after = cutoff, 0.0, 0.0, -1
        row.seconds, row.grace, row.most_nodes = INFINITY, 0.0, nodes
        _limit_work(&row, INFINITY, INFINITY)
        row.cone, row.inside = NULL, NULL
        listener.begin(&row, self.between)
        with nogil:
            status = ew_record(&f, &row, &recorder.to)
        _raise_first(listener.error, recorder.error)
        _require_memory(status)
        return recorder.lines if status == 0 else None

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
        _limit_work(&row, INFINITY, INFINITY)
        row.work = 0.0
        row.tolerance = 0.0
        row.cone = NULL
        row.inside = NULL
        row.is_interrupted = NULL
        with nogil:
            status = ew_first_bound(&self.f, &row, n_sweeps, &mu, &pi[0], &theta[0, 0])
        _require_memory(status)
        return (row.lower_bound, mu, pi_, theta_) if status == 0 else (row.lower_bound, None, None, None)


cdef class SearchUnderWay:
    """A search of one row, which goes on in slices; made by `Forest.open`."""

    cdef ew_row row
    cdef ew_inside inside
    cdef ew_cone cone
    cdef ew_state *state
    cdef _Asked asked
    cdef _Listener listener
    cdef _Ruled ruled
    cdef object cells_, kept

    def __dealloc__(self):
        ew_close_search(self.state)

    cdef begin(
        self, Forest forest, const double[::1] bound, double margin, int64_t nodes, double tolerance, double grace,
        double most_for_changes,
    ):
        cdef int32_t[::1] cells
        self.asked, self.listener, self.ruled = _Asked(), _Listener(), _Ruled()
        self.cells_ = np.zeros(forest.f.n_vars, dtype=np.int32)
        cells = self.cells_
        self.kept = [forest, bound]  # what the pointers point to has to stay
        self.row.cost = self.row.bound = &bound[0]
        self.row.margin, self.row.grace, self.row.tolerance = margin, grace, tolerance
        self.row.most_nodes, self.row.far_after = nodes, -1
        self.row.most_for_changes = most_for_changes
        self.row.times_smaller, self.row.within_from = TIMES_SMALLER, WITHIN_FROM
        self.row.cells = &cells[0]
        self.row.cone, self.row.inside, self.row.starts, self.row.n_starts = NULL, NULL, NULL, 0
        self.listener.begin(&self.row, forest.between)

    cdef ask(self, Forest forest, boxes, const int32_t[:, ::1] starts, cone_of_row, pause, int64_t pause_after):
        """Let boxes be asked for."""
        cdef const double[:, ::1] P, size
        cdef const double[::1] D, centre, step, low, high, penalty
        cdef ew_cone *cone = &self.cone
        self.asked.boxes, self.asked.pause = boxes, pause
        self.asked.n_vars, self.asked.n_cells = forest.f.n_vars, forest.f.first_cell[forest.f.n_vars]
        self.inside.context = <void *> self.asked
        self.inside.relax, self.inside.finish, self.inside.pause = _relax, _finish, _pause
        self.inside.pause_after = pause_after if pause is not None else -2
        self.row.inside = &self.inside
        if cone_of_row is not None:
            P, size, D, centre, step, low, high, penalty, cone.squared_radius = cone_of_row
            cone.n = <int32_t> D.shape[0]
            cone.P, cone.size_of_P, cone.D = &P[0, 0], &size[0, 0], &D[0]
            cone.centre, cone.step, cone.penalty = &centre[0], &step[0], &penalty[0]
            cone.low, cone.high = &low[0], &high[0]
            self.row.cone = cone
        if starts is not None and starts.shape[0]:
            self.row.starts, self.row.n_starts = &starts[0, 0], <int32_t> starts.shape[0]
        self.kept += [starts, cone_of_row]

    def go_on(self, double cutoff, double seconds, int64_t slice=0, double until=INFINITY, double work=INFINITY):
        """Search on for points nearer than a cutoff: no more boxes than a slice, until nothing open is nearer.

        A slice of 0 is no limit. `work` is what it may take in all, those before included.

        Returns
        -------
        lower_bound : float
        is_paused : bool
            There is more to do.
        stopped : bool
            A limit ended the proof.
        """
        self.row.cutoff, self.row.seconds, self.row.slice, self.row.until = cutoff, seconds, slice, until
        _limit_work(&self.row, work, work)
        with nogil:
            ew_go_on(self.state)
        _raise_first(self.listener.error, self.asked.error)
        _require_memory(self.row.status)
        return self.row.lower_bound, self.row.status == 3, self.row.status == 1

    @property
    def work(self):
        """Work that was counted so far, in units of the usual amount."""
        return self.row.work / USUAL_WORK

    @property
    def n_boxes(self):
        """Boxes that were looked into so far."""
        return self.row.n_nodes

    @property
    def value(self):
        """Distance of the best point so far, infinite without one; not with boxes."""
        return self.row.value

    @property
    def cells(self):
        """Cells of the best point so far, int32 array of shape (n_vars,)."""
        return self.cells_.copy()
