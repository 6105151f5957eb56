# What the kernel tells of a proof, as lines of a certificate; errors are kept, and told after it has cleaned up.


cdef class _Recorder:
    """Writes the lines of a proof.

    Cells have their ends as text, numbers of features and columns are those of the certificate.
    """

    cdef ew_recorder to
    cdef object error, more
    cdef list lines, high, low
    cdef const int64_t[::1] feature
    cdef const int64_t[::1] column
    cdef const int32_t *first_cell
    cdef const uint8_t *is_ordered
    cdef int32_t n_rows

    cdef list runs(self, const ew_compact *c, const uint8_t *alive, const double *message, int32_t s):
        """A message of a tree to a column: the last number of each piece, or each level, with its value."""
        cdef int32_t i = c.slot_var[s], k, var = c.var[i], first = self.first_cell[var]
        cdef const unsigned short *segment = c.segment_of + c.segments_at[s]
        cdef double least = INFINITY, value, last = 0.0
        cdef list pieces = []
        cdef int32_t before = -1
        cdef bint is_flat = True
        for k in range(c.first_cell[i], c.first_cell[i + 1]):
            if alive[k]:
                value = message[segment[k - c.first_cell[i]]]
                is_flat = is_flat and (least == INFINITY or value == least)
                if value < least:
                    least = value
        if is_flat:  # the same for all: what a column is given is taken from its trees
            return pieces
        if not c.is_ordered[i]:
            for k in range(c.first_cell[i], c.first_cell[i + 1]):
                value = message[segment[k - c.first_cell[i]]] - least if alive[k] else 0.0
                if value != 0.0:
                    pieces.append("[%d,%d]" % (self.feature[first + c.original[k]], <int64_t> value))
            return pieces
        for k in range(c.first_cell[i], c.first_cell[i + 1]):
            if not alive[k]:
                continue
            value = message[segment[k - c.first_cell[i]]] - least
            if before >= 0 and value != last:
                pieces.append("[%s,%d]" % (self.high[first + c.last_original[before]], <int64_t> last))
            before, last = k, value
        pieces.append("[null,%d]" % <int64_t> last)
        return pieces


cdef void _divide(void *context, int32_t var, int32_t cell) noexcept with gil:
    cdef _Recorder r = <_Recorder> context
    cdef int32_t first = r.first_cell[var], k
    try:
        if r.is_ordered[var]:
            ends = r.high[first + cell], r.low[first + cell + 1]
            r.lines.append('{"split":{"feature":%d,"intervals":[[null,%s],[%s,null]]}}' % (r.feature[first], *ends))
            return
        others = ",".join([str(r.feature[k]) for k in range(first, r.first_cell[var + 1]) if k != first + cell])
        parts = r.column[var], r.feature[first + cell], others
        r.lines.append('{"levels":{"column":%d,"parts":[[%d],[%s]]}}' % parts)
    except BaseException as error:
        r.error = error


cdef void _close(
    void *context, const ew_compact *c, const uint8_t *alive, const double *pi, const double *messages, int bits
) noexcept with gil:
    cdef _Recorder r = <_Recorder> context
    cdef int32_t s
    cdef list said = [], pieces
    try:
        weights = [int(pi[s]) for s in range(r.n_rows)]
        if c != NULL:
            for s in range(c.n_slots):
                pieces = r.runs(c, alive, messages + c.first_segment[s], s)
                if pieces:
                    said.append("[%d,%d,[%s]]" % (c.tree[c.slot_tree[s]], r.column[c.var[c.slot_var[s]]], ",".join(pieces)))
        trees = '"trees":{"bits":%d,"pi":%s,"messages":[%s]}' % (bits, str(weights).replace(" ", ""), ",".join(said))
        r.lines.append('{"close":{%s%s}}' % (r.more, trees))
    except BaseException as error:
        r.error = error
