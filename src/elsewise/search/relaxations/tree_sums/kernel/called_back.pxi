# What the kernel calls back: answers about boxes, whoever wants the search to end. Errors are kept, and
# told after the kernel has cleaned up.


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
    except BaseException as error:
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


cdef class _Listener:
    """Hears of signals, and of exceptions that other threads send to this one, while the kernel searches."""

    cdef object between, error

    cdef void begin(self, ew_row *row, between):
        self.between = between
        row.is_interrupted = _is_interrupted
        row.listener = <void *> self


cdef int _is_interrupted(void *context) noexcept with gil:
    cdef _Listener listener = <_Listener> context
    try:
        PyErr_CheckSignals()
        listener.between()
        return 0
    except BaseException as error:
        listener.error = error
        return 1


cdef class _Judge:
    """Who says whether a proposed point keeps everything else, and what went wrong on the way."""

    cdef object holds, error
    cdef int32_t n, n_vars


cdef int _holds(void *context, const double *values, const int32_t *cells) noexcept with gil:
    cdef _Judge judge = <_Judge> context
    try:
        values_ = np.array(<const double[:judge.n]> values) if judge.n else np.zeros(0)
        return bool(judge.holds(values_, np.array(<const int32_t[:judge.n_vars]> cells)))
    except BaseException as error:
        judge.error = error
        return -1
