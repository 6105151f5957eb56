# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the search over whole numbers and categories: checks nothing, releases the GIL, one row at a time."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from projector cimport ew_cells

import time

import numpy as np


cdef extern from "whole.h" nogil:
    ctypedef struct ew_whole_constants:
        double tolerance, whole, limit_rounding, room_share, room_amount, smallest_reduced_cost, far_away, reach_slack
        double still, bound_rounding, far_from_rule
        int64_t columns_both_ways, most_improvements, most_narrowings, most_nodes, parts_tried

    ctypedef struct ew_whole:
        ew_cells cells
        ew_whole_constants constants "is"
        const double *prices
        const double *origin
        const uint8_t *kind
        const int64_t *levels
        const double *exact_offsets
        const double *sizes
        const double *size_offsets
        const double *least
        const double *most
        double wanted_depth
        double wanted_slack
        double margin
        int64_t max_halfspaces
        int64_t n_clauses
        int64_t n_literals
        const int64_t *literal_feature
        const int64_t *first_literal
        int64_t max_changes
        int64_t n_units
        const int64_t *unit
        int64_t rules_at
        int64_t n_margins
        const double *margins
        int (*keeps_rules)(void *rules, const double *point)
        void *rules

    ctypedef struct ew_whole_row:
        const double *own
        const double *x0
        const double *lower
        const double *upper
        const double *below
        const double *above
        const double *literal_low
        const double *literal_high
        const uint8_t *binds
        int64_t first_cone
        int64_t n_cones
        int64_t first_polyhedron
        int64_t n_parts
        int use_region
        const double *radii
        const double *centres
        const double *cone_bounds
        const double *part_bounds
        const uint8_t *possible
        const double *part_lower
        const double *part_upper
        const double *reach
        double limit
        int any_point
        double *point
        double *model_free
        int loses_own_level
        double value
        double bound
        int64_t part
        int64_t cone
        int64_t n_nodes

    ctypedef struct whole_search:
        pass

    int EW_WHOLE_OPEN
    int EW_WHOLE_NO_MEMORY
    whole_search *ew_whole_new(const ew_whole *shared)
    void ew_whole_free(whole_search *s)
    int ew_whole_open(whole_search *s, ew_whole_row *row)
    int ew_whole_go_on(whole_search *s, ew_whole_row *row, int64_t n_nodes)
    void ew_whole_close(whole_search *s, ew_whole_row *row)


cdef int keeps_rules(void *search, const double *point) noexcept with gil:
    """Ask the user's linear rules about a point."""
    return (<WholeSearch>search).ask_rules(point)


cdef class WholeSearch:
    """What rows share: the cells, how points are judged, the clauses and rules.

    Keyword arguments are the fields of ``ew_whole`` in ``whole.h`` and the arrays of
    :class:`elsewise.projection.cells.Cells`; ``constants`` are those of ``ew_whole_constants``, in order, and
    ``rules_hold`` tells of rows of shape (n, n_features) whether they keep the linear rules.
    """

    cdef ew_whole shared
    cdef whole_search *search
    cdef object kept, rules_hold, error

    def __cinit__(self, cells, tuple constants, *, const double[::1] prices, const double[::1] origin,
                  const uint8_t[::1] kind, const int64_t[:, ::1] levels,
                  const double[::1] exact_offsets, const double[:, ::1] sizes, const double[::1] size_offsets,
                  const double[:, ::1] least, const double[:, ::1] most, double wanted_depth, double wanted_slack,
                  double margin, int64_t max_halfspaces, const int64_t[::1] literal_feature,
                  const int64_t[::1] first_literal, int64_t max_changes, const int64_t[::1] unit, int64_t n_units,
                  int64_t rules_at, const double[::1] margins, rules_hold):
        cdef ew_whole *w = &self.shared
        self.search = NULL
        # the kernel reads these arrays as long as this object lives
        self.kept = (cells, prices, origin, kind, levels, exact_offsets, sizes, size_offsets, least, most,
                     literal_feature, first_literal, unit, margins)
        self.rules_hold, self.error = rules_hold, None
        self._take_cells(cells, levels.shape[0])
        (w.constants.tolerance, w.constants.whole, w.constants.limit_rounding, w.constants.room_share,
         w.constants.room_amount, w.constants.smallest_reduced_cost, w.constants.far_away, w.constants.reach_slack,
         w.constants.still, w.constants.bound_rounding, w.constants.far_from_rule,
         w.constants.columns_both_ways, w.constants.most_improvements, w.constants.most_narrowings,
         w.constants.most_nodes, w.constants.parts_tried) = constants
        w.prices, w.origin, w.kind = &prices[0], &origin[0], &kind[0]
        w.levels = &levels[0, 0] if levels.shape[0] else NULL
        w.exact_offsets = &exact_offsets[0] if exact_offsets.shape[0] else NULL
        w.sizes = &sizes[0, 0] if sizes.shape[0] else NULL
        w.size_offsets = &size_offsets[0] if size_offsets.shape[0] else NULL
        w.least = &least[0, 0] if least.shape[0] else NULL
        w.most = &most[0, 0] if most.shape[0] else NULL
        w.wanted_depth, w.wanted_slack, w.margin = wanted_depth, wanted_slack, margin
        w.max_halfspaces = max_halfspaces
        w.n_literals, w.n_clauses = literal_feature.shape[0], first_literal.shape[0] - 1
        w.literal_feature = &literal_feature[0] if literal_feature.shape[0] else NULL
        w.first_literal = &first_literal[0]
        w.max_changes, w.n_units, w.unit = max_changes, n_units, &unit[0]
        w.rules_at, w.n_margins, w.margins = rules_at, margins.shape[0], &margins[0]
        w.keeps_rules, w.rules = keeps_rules, <void *>self
        self.search = ew_whole_new(w)
        if self.search == NULL:
            raise MemoryError("the search over whole numbers could not allocate its memory")

    cdef int ask_rules(self, const double *point) noexcept:
        cdef double[:, ::1] row
        if self.error is not None:
            return False
        try:
            asked = np.empty((1, self.shared.cells.n))
            row = asked
            memcpy(&row[0, 0], point, self.shared.cells.n * sizeof(double))
            return bool(self.rules_hold(asked)[0])
        except BaseException as error:  # raised again when the kernel is back
            self.error = error
            return False

    def __dealloc__(self):
        ew_whole_free(self.search)

    cdef _take_cells(self, cells, int64_t n_groups):
        cdef const double[:, ::1] normals = cells.normals, shifts = cells.shifts, tilts = cells.tilts
        cdef const double[::1] offsets = cells.offsets, shift_offsets = cells.shift_offsets
        cdef const int64_t[:, ::1] spans = cells.spans
        cdef const double[:, :, ::1] factors = cells.factors, grams = cells.grams
        cdef const int64_t[::1] shape = cells.shape, group = cells.group
        cdef const double[:, ::1] diagonals = cells.diagonals
        cdef const double[:, :, ::1] directions = cells.directions
        cdef ew_cells *c = &self.shared.cells
        c.n, c.q, c.norm = factors.shape[1], factors.shape[2], cells.norm
        c.normals = &normals[0, 0] if normals.shape[0] else NULL
        c.offsets = &offsets[0] if offsets.shape[0] else NULL
        c.spans = &spans[0, 0] if spans.shape[0] else NULL
        c.shifts = &shifts[0, 0] if shifts.shape[0] else NULL
        c.shift_offsets = &shift_offsets[0] if shift_offsets.shape[0] else NULL
        c.factors = &factors[0, 0, 0] if factors.shape[0] else NULL
        c.grams = &grams[0, 0, 0] if grams.shape[0] else NULL
        c.shape = &shape[0] if shape.shape[0] else NULL
        c.centres, c.radii = NULL, NULL  # every row has its own
        c.tilts = &tilts[0, 0] if tilts.shape[0] else NULL
        c.n_groups, c.group = n_groups, &group[0] if group.shape[0] else NULL
        c.diagonals = &diagonals[0, 0] if diagonals.shape[0] else NULL
        c.rank = directions.shape[2]
        c.directions = &directions[0, 0, 0] if diagonals.shape[0] and c.rank else NULL

    def run(self, *, const double[:, ::1] own, const double[:, ::1] x0, const double[:, ::1] lower,
            const double[:, ::1] upper, const double[:, ::1] below, const double[:, ::1] above,
            const double[:, ::1] literal_low, const double[:, ::1] literal_high,
            const uint8_t[:, ::1] binds, int64_t first_cone, int64_t first_polyhedron, bint use_region,
            const double[:, ::1] radii, const double[:, :, ::1] centres, const double[:, ::1] cone_bounds, const double[:, ::1] part_bounds,
            const uint8_t[:, ::1] possible, const double[:, :, ::1] part_lower, const double[:, :, ::1] part_upper,
            const double[:, :, ::1] reach, const double[::1] limit, const double[::1] seconds, double grace,
            int64_t nodes_at_once, bint any_point, int64_t most_nodes, between):
        """Search the rows of one goal, one after the other; fields of ``ew_whole_row`` with a leading axis of rows.

        ``seconds`` is what each row may take, ``grace`` what a row without a point may take beyond that; the clock and
        signals are looked at every ``nodes_at_once`` nodes, and ``between`` is called. A row with a point ends after
        ``most_nodes`` nodes, one without after those of the constants.

        Returns
        -------
        value, bound, points, part, cone, n_nodes, is_open, seconds, model_free, loses_own_level : arrays
            With a leading axis of rows.
        """
        cdef int64_t count = own.shape[0], n = own.shape[1], k, n_cones = cone_bounds.shape[1]
        cdef int state
        cdef ew_whole_row row
        value_, bound_, seconds_ = np.empty(count), np.empty(count), np.empty(count)
        points_, model_free_ = np.full((count, n), np.nan), np.empty((count, n_cones))
        part_, cone_, n_nodes_ = (np.empty(count, dtype=np.int64) for _ in range(3))
        is_open_, loses_own_level_ = (np.zeros(count, dtype=np.uint8) for _ in range(2))
        cdef double[::1] value = value_, bound = bound_, spent = seconds_
        cdef double[:, ::1] points = points_, model_free = model_free_
        cdef int64_t[::1] part = part_, cone = cone_, n_nodes = n_nodes_
        cdef uint8_t[::1] is_open = is_open_, loses_own_level = loses_own_level_
        row.first_cone, row.n_cones, row.first_polyhedron = first_cone, n_cones, first_polyhedron
        row.n_parts, row.use_region, row.any_point = part_bounds.shape[1], use_region, any_point
        row.possible = &possible[0, 0] if possible.shape[0] and possible.shape[1] else NULL
        for k in range(count):
            started = time.perf_counter()
            row.own, row.x0, row.lower, row.upper = &own[k, 0], &x0[k, 0], &lower[k, 0], &upper[k, 0]
            row.below = &below[k, 0] if below.shape[1] else NULL
            row.above = &above[k, 0] if above.shape[1] else NULL
            row.literal_low = &literal_low[k, 0] if literal_low.shape[1] else NULL
            row.literal_high = &literal_high[k, 0] if literal_high.shape[1] else NULL
            row.binds = &binds[k, 0] if binds.shape[1] else NULL
            row.radii = &radii[k, 0] if radii.shape[1] else NULL
            # shared by all rows, or their own
            row.centres = &centres[k if centres.shape[0] > 1 else 0, 0, 0] if centres.shape[1] else NULL
            row.cone_bounds = &cone_bounds[k, 0]
            row.part_bounds = &part_bounds[k, 0] if part_bounds.shape[1] else NULL
            row.part_lower = &part_lower[k, 0, 0] if part_lower.shape[0] and part_lower.shape[1] else NULL
            row.part_upper = &part_upper[k, 0, 0] if part_upper.shape[0] and part_upper.shape[1] else NULL
            row.reach = &reach[k, 0, 0] if reach.shape[1] else NULL
            row.limit = limit[k]
            row.point, row.model_free = &points[k, 0], &model_free[k, 0]
            with nogil:
                state = EW_WHOLE_OPEN if ew_whole_open(self.search, &row) else EW_WHOLE_NO_MEMORY
            while state == EW_WHOLE_OPEN and row.n_nodes < self.shared.constants.most_nodes:
                if row.value < float("inf") and row.n_nodes >= most_nodes:
                    break
                left = seconds[k] - (time.perf_counter() - started)
                if left <= (0.0 if row.limit < float("inf") else -grace):
                    break
                with nogil:
                    state = ew_whole_go_on(self.search, &row, nodes_at_once)
                PyErr_CheckSignals()
                between()
                if self.error is not None:
                    raise self.error
            if state == EW_WHOLE_NO_MEMORY:
                raise MemoryError("the search over whole numbers could not allocate its memory")
            ew_whole_close(self.search, &row)
            value[k], bound[k], part[k], cone[k], n_nodes[k] = row.value, row.bound, row.part, row.cone, row.n_nodes
            is_open[k], loses_own_level[k] = state == EW_WHOLE_OPEN, row.loses_own_level
            spent[k] = time.perf_counter() - started
        return (value_, bound_, points_, part_, cone_, n_nodes_, is_open_ > 0, seconds_, model_free_,
                loses_own_level_ > 0)
