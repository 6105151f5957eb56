/* Proofs step by step; see record.c. */
#ifndef EW_RECORD_H
#define EW_RECORD_H

#include "compact.h"
#include "search.h"

typedef struct {
    void *context;
    const double *price; /* of each cell: its cost, or what other multipliers make of it */
    double constant;     /* added to prices */
    double wanted;       /* that is to be proven; less than row->cutoff by the room for rounding */
    const double *scale; /* n_rows: conditions were divided by it */
    int bits;            /* the finest unit of multipliers is 2^-bits */
    /* Box after box, as they are written: one is divided after a cell of an ordered variable, or into a cell of another
     * variable and the rest (cells are counted within it); the first part follows. */
    void (*divide)(void *context, int32_t var, int32_t cell);
    /* Or it is closed, by weights and messages (n_segments) in units of 2^-bits; with c NULL by weights alone. */
    void (*close)(void *context, const ew_compact *c, const uint8_t *alive, const double *pi, const double *messages, int bits);
} ew_recorder;

/* Prove that nothing is nearer than what is wanted: EW_PROVEN, or EW_STOPPED if some box cannot be closed, or row->most_nodes
 * are not enough. */
int ew_record(const ew_forest *f, ew_row *row, const ew_recorder *to);

#endif
