"""The search over sums of trees, as C declares it."""

from libc.stdint cimport int32_t, int64_t, uint8_t


cdef extern from "clock.h" nogil:
    double ew_now()


cdef extern from "rules.h" nogil:
    ctypedef struct ew_rules:
        int32_t n_rules
        int32_t most_parts
        const int32_t *first
        const int32_t *var
        const int32_t *low
        const int32_t *high


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
        double reordering
        double unit

    ctypedef struct ew_forest:
        int32_t n_vars
        int32_t deepest
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
        const double *links
        const int32_t *first_knot
        const double *knots
        int32_t no_leaf
        const ew_rules *rules

    int32_t ew_deepest(const ew_forest *f)
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
        double most_for_changes
        double seconds
        double grace
        int64_t most_nodes
        double most_work
        double work_for_point
        int64_t slice
        double until
        int32_t times_smaller
        int32_t within_from
        int64_t far_after
        double tolerance
        const ew_cone *cone
        const ew_inside *inside
        const int32_t *starts
        int32_t n_starts
        int (*is_interrupted)(void *) noexcept
        void *listener
        int32_t *cells
        double value
        double lower_bound
        int has_point
        int status
        int64_t n_nodes
        double work

    ctypedef struct ew_state:
        pass

    void ew_search(const ew_forest *f, ew_row *row)
    ew_state *ew_open_search(const ew_forest *f, ew_row *row)
    void ew_go_on(ew_state *w)
    void ew_close_search(ew_state *w)
    int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)


cdef extern from "compact.h" nogil:
    ctypedef struct ew_compact:
        int32_t n_vars
        int32_t n_trees
        int32_t n_slots
        int32_t n_segments
        const int32_t *var
        const uint8_t *is_ordered
        const int32_t *first_cell
        const int32_t *original
        const int32_t *last_original
        const int32_t *tree
        const int32_t *slot_tree
        const int32_t *slot_var
        const int32_t *first_segment
        const size_t *segments_at
        const unsigned short *segment_of


cdef extern from "record.h" nogil:
    ctypedef struct ew_recorder:
        void *context
        const double *price
        double constant
        double wanted
        const double *scale
        int bits
        void (*divide)(void *, int32_t, int32_t) noexcept
        void (*close)(void *, const ew_compact *, const uint8_t *, const double *, const double *, int) noexcept

    int ew_record(const ew_forest *f, ew_row *row, const ew_recorder *to)


cdef extern from "propose.h" nogil:
    ctypedef struct ew_ellipsoid:
        int32_t q
        const double *factor
        const double *centre
        const double *penalty
        double squared_radius

    ctypedef struct ew_proposal:
        const ew_forest *f
        int32_t n
        const double *row
        const double *price
        double per_change
        const uint8_t *is_whole
        const double *first
        const double *last
        const double *level_cost
        const int32_t *own
        int32_t n_ellipsoids
        const ew_ellipsoid *ellipsoids
        double margin
        double seconds
        int64_t most_lines
        double cutoff
        int (*holds)(void *, const double *, const int32_t *) noexcept
        void *context
        double *values
        int32_t *cells
        double value
        int has_point
        int64_t n_lines

    int ew_propose(ew_proposal *p, int32_t n_known, const double *values, const int32_t *cells)
