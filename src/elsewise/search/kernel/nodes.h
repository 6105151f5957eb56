/* Open nodes of one row: a heap of bounds over lines of a table that are used again. */
#ifndef ELSEWISE_WHOLE_NODES_H
#define ELSEWISE_WHOLE_NODES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double bound;      /* nothing in the node is nearer */
    int64_t cone, part; /* within the goal; part -1: the cone alone */
    double *lower, *upper; /* (n,) */
    int32_t *trail;    /* where the parent's path ended; its first number is -1 without one */
    uint8_t *counted;  /* (n_counted,): what counts as changed already */
} node;

typedef struct {
    ptrdiff_t n, trail_size, n_counted; /* features; numbers of a trail; units in which changes are counted, if they are */
    ptrdiff_t room, count;       /* lines of the table; open nodes */
    int64_t serial;              /* of the next node */
    int64_t *heap;               /* (room,): lines, cheapest first */
    int64_t *free_lines;         /* (room,): the first room - count are lines not in use */
    double *bounds, *boxes;      /* (room,), (room, 2 n) */
    int64_t *cells, *serials;    /* (room, 2): cone and part; (room,): order of equal bounds */
    int32_t *trails;             /* (room, trail_size) */
    uint8_t *counted;            /* (room, n_counted) */
} node_heap;

int node_heap_init(node_heap *h, ptrdiff_t n, ptrdiff_t trail_size, ptrdiff_t n_counted);
void node_heap_free(node_heap *h);
void node_heap_clear(node_heap *h);

/* Copy a node onto the heap; 0 without memory. */
int node_heap_push(node_heap *h, const node *from);

/* Copy the cheapest node into `to`, whose arrays have room; the heap must not be empty. */
void node_heap_pop(node_heap *h, node *to);

/* Smallest bound, infinite without a node. */
double node_heap_cheapest(const node_heap *h);

#endif
