# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Thin door to the C kernel: checks nothing, releases the GIL, loops over instances."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from projector cimport ew_cells, ew_instance, ew_project, ew_workspace, ew_workspace_free, ew_workspace_new


def project_batch(
    int norm,
    const double[:, ::1] normals,
    const double[::1] offsets,
    const int64_t[:, ::1] spans,
    const double[:, ::1] shifts,
    const double[::1] shift_offsets,
    const double[:, :, ::1] factors,
    const double[:, :, ::1] grams,
    const int64_t[::1] shape,
    const double[:, ::1] centres,
    const double[::1] radii,
    const double[:, ::1] tilts,
    const int64_t[::1] group,
    const double[:, ::1] diagonals,
    const double[:, :, ::1] directions,
    const double[:, ::1] X0,
    const int64_t[::1] row,
    const int64_t[:, ::1] polyhedra,
    const int64_t[::1] cone,
    const double[:, ::1] lower,
    const double[:, ::1] upper,
    const double[::1] cutoff,
    const double[::1] margin,
    bint multipliers,
    const int32_t[::1] start,
    double reach,
    bint trails,
):
    """Project ``X0[row[k]]`` onto cell ``(polyhedra[k], cone[k])`` for every instance ``k``.

    ``lower`` and ``upper`` have one line for each instance, or none at all. ``start`` is a trail that all of them start
    from, or empty; ``reach`` is zero for none. Returns the arrays of
    :class:`elsewise.projection.cells.Batch` in their order, four of them None without ``multipliers``, the last without ``trails``. Those of
    half-spaces are padded to the longest instance; those of groups follow.
    """
    cdef int64_t count = row.shape[0], n = X0.shape[1], q = factors.shape[2], longest = 0, length, k, side, which
    cdef bint bounded = lower.shape[0] > 0
    cdef ew_cells cells
    cdef ew_instance e
    cdef ew_workspace *w
    cells.n = n
    cells.q = q
    cells.norm = norm
    cells.normals = &normals[0, 0] if normals.shape[0] else NULL
    cells.offsets = &offsets[0] if offsets.shape[0] else NULL
    cells.spans = &spans[0, 0] if spans.shape[0] else NULL
    cells.shifts = &shifts[0, 0] if shifts.shape[0] else NULL
    cells.shift_offsets = &shift_offsets[0] if shift_offsets.shape[0] else NULL
    cells.factors = &factors[0, 0, 0] if factors.shape[0] else NULL
    cells.grams = &grams[0, 0, 0] if grams.shape[0] else NULL
    cells.shape = &shape[0] if shape.shape[0] else NULL
    cells.centres = &centres[0, 0] if centres.shape[0] else NULL
    cells.radii = &radii[0] if radii.shape[0] else NULL
    cells.tilts = &tilts[0, 0] if tilts.shape[0] else NULL
    cells.group = &group[0] if group.shape[0] else NULL
    cells.diagonals = &diagonals[0, 0] if diagonals.shape[0] else NULL
    cells.rank = directions.shape[2]
    cells.directions = &directions[0, 0, 0] if diagonals.shape[0] and cells.rank else NULL
    cells.n_groups = 0
    for k in range(group.shape[0]):
        cells.n_groups = max(cells.n_groups, group[k] + 1)
    for k in range(count):
        length = 0
        for side in range(2):
            which = polyhedra[k, side]
            if which >= 0:
                length += spans[which, 1] - spans[which, 0]
        longest = max(longest, length)

    status_ = np.empty(count, dtype=np.int32)
    iterations_ = np.empty(count, dtype=np.int32)
    first_is_active_ = np.empty(count, dtype=np.int32)
    value_ = np.empty(count)
    bound_ = np.empty(count)
    v_ = np.empty((count, n))
    z_halfspaces_ = np.zeros((count if multipliers else 0, longest + cells.n_groups))
    z_bounds_ = np.zeros((count if multipliers else 0, n))
    y_ = np.zeros((count if multipliers else 0, q + 1))
    slope_ = np.zeros((count if multipliers else 0, n))
    cdef int[::1] status = status_, iterations = iterations_, first_is_active = first_is_active_
    cdef double[::1] value = value_, bound = bound_
    trails_ = np.empty((count if trails else 0, 2 + 2 * n), dtype=np.int32)
    cdef int32_t[:, ::1] trail = trails_
    cdef double[:, ::1] v = v_, z_halfspaces = z_halfspaces_, z_bounds = z_bounds_, y = y_, slope = slope_
    e.start = &start[0] if start.shape[0] else NULL
    e.starts_inside = 1
    e.end = NULL
    e.reach = reach
    e.stiffness = NULL
    with nogil:
        w = ew_workspace_new(&cells, longest)
        if w != NULL:
            for k in range(count):
                e.x0 = &X0[row[k], 0]
                e.polyhedra[0] = polyhedra[k, 0]
                e.polyhedra[1] = polyhedra[k, 1]
                e.cone = cone[k]
                e.lower = &lower[k, 0] if bounded else NULL
                e.upper = &upper[k, 0] if bounded else NULL
                e.cutoff = cutoff[k]
                e.margin = margin[k]
                e.v = &v[k, 0]
                e.z_halfspaces = &z_halfspaces[k, 0] if multipliers and z_halfspaces.shape[1] else NULL
                e.z_bounds = &z_bounds[k, 0] if multipliers else NULL
                e.y = &y[k, 0] if multipliers and q else NULL
                e.slope = &slope[k, 0] if multipliers else NULL
                if trails:
                    e.end = &trail[k, 0]
                ew_project(&cells, &e, w)
                status[k] = e.status
                iterations[k] = e.iterations
                first_is_active[k] = e.first_is_active
                value[k] = e.value
                bound[k] = e.bound
            ew_workspace_free(w)
    if w == NULL and count:
        raise MemoryError("the projection kernel could not allocate its workspace")
    found = status_, iterations_, first_is_active_, value_, bound_, v_
    duals = (z_halfspaces_, z_bounds_, y_, slope_) if multipliers else (None, None, None, None)
    return *found, *duals, trails_ if trails else None
