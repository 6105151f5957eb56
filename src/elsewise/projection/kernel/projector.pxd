# What the kernels share of the projector: see projection.h.
from libc.stdint cimport int32_t, int64_t


cdef extern from "projection.h" nogil:
    ctypedef struct ew_cells:
        int64_t n
        int64_t q
        int norm
        const double *normals
        const double *offsets
        const int64_t *spans
        const double *shifts
        const double *shift_offsets
        const double *factors
        const double *grams
        const int64_t *shape
        const double *centres
        const double *radii
        const double *tilts
        int64_t n_groups
        const int64_t *group
        const double *diagonals
        const double *directions
        int64_t rank

    ctypedef struct ew_instance:
        const double *x0
        int64_t polyhedra[2]
        int64_t cone
        const double *lower
        const double *upper
        double cutoff
        double margin
        double *v
        double *z_halfspaces
        double *z_bounds
        double *y
        double *slope
        const int32_t *start
        int starts_inside
        int32_t *end
        double reach
        double *stiffness
        double value
        double bound
        int status
        int iterations
        int first_is_active

    ctypedef struct ew_workspace:
        pass

    ew_workspace *ew_workspace_new(const ew_cells *cells, int64_t max_halfspaces)
    void ew_workspace_free(ew_workspace *w)
    void ew_project(const ew_cells *cells, ew_instance *instance, ew_workspace *w)
