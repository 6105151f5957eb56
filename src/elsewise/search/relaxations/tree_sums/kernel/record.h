/* What a search did, told box by box: for certificates. Nothing is told, and nothing is made, unless it is asked for. */
#ifndef EW_RECORD_H
#define EW_RECORD_H

#include <stdint.h>

enum {
    EW_BEGUN,   /* a problem was built; what was told before counts no more */
    EW_OPENED,  /* a box, part of another one: `of`, -1 for the first */
    EW_BOUNDED, /* the bound of a box was evaluated at a dual point */
    EW_NARROWED, /* cells and leaves of a box were ruled out by the dual point before */
    EW_CLOSED   /* a box needs no more looking into */
};

/* Why a box was closed. */
enum { EW_BY_BOUND, EW_NOTHING_LEFT, EW_BY_POINT, EW_BY_PROJECTION };

typedef struct {
    int what, why;
    int64_t box, of;
    const uint8_t *alive; /* cells of the forest; those out of reach are not alive */
    const uint8_t *dead;  /* leaves of the forest */
    double mu, kappa;
    const double *pi, *theta, *z, *D; /* n_rows; n_trees x n_cells; numbers of the cone */
} ew_note;

typedef struct {
    void *context;
    void (*note)(void *context, const ew_note *note);
    int32_t n_leaves; /* of the forest */
} ew_recorder;

#endif
