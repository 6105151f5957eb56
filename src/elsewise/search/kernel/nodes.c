#include "nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static int resize(void *memory, ptrdiff_t count, size_t size) {
    void **place = memory, *bigger = realloc(*place, (size_t)count * size);
    if (!bigger) return 0;
    *place = bigger;
    return 1;
}

/* Make room for more lines; 0 without memory, with the old ones as they were. */
static int grow(node_heap *h, ptrdiff_t room) {
    ptrdiff_t n = h->n;
    int is_done = resize(&h->heap, room, sizeof *h->heap) && resize(&h->free_lines, room, sizeof *h->free_lines) &&
                  resize(&h->bounds, room, sizeof *h->bounds) && resize(&h->boxes, room * 2 * n, sizeof *h->boxes) &&
                  resize(&h->cells, room * 2, sizeof *h->cells) && resize(&h->serials, room, sizeof *h->serials) &&
                  resize(&h->trails, room * h->trail_size, sizeof *h->trails) &&
                  resize(&h->counted, room * h->n_counted + 1, sizeof *h->counted);
    if (!is_done) return 0;
    ptrdiff_t n_free = h->room - h->count;
    for (ptrdiff_t line = h->room; line < room; line++) h->free_lines[n_free++] = line;
    h->room = room;
    return 1;
}

int node_heap_init(node_heap *h, ptrdiff_t n, ptrdiff_t trail_size, ptrdiff_t n_counted) {
    memset(h, 0, sizeof *h);
    h->n = n;
    h->trail_size = trail_size;
    h->n_counted = n_counted;
    return grow(h, FIRST_ROOM);
}

void node_heap_free(node_heap *h) {
    free(h->heap);
    free(h->free_lines);
    free(h->bounds);
    free(h->boxes);
    free(h->cells);
    free(h->serials);
    free(h->trails);
    free(h->counted);
}

void node_heap_clear(node_heap *h) {
    h->count = 0;
    h->serial = 0;
    for (ptrdiff_t line = 0; line < h->room; line++) h->free_lines[line] = line;
}

/* Whether line a comes before line b: nodes of equal bounds in the order they came. */
static inline int is_before(const node_heap *h, int64_t a, int64_t b) {
    if (h->bounds[a] != h->bounds[b]) return h->bounds[a] < h->bounds[b];
    return h->serials[a] < h->serials[b];
}

int node_heap_push(node_heap *h, const node *from) {
    if (h->count == h->room && !grow(h, 2 * h->room)) return 0;
    int64_t line = h->free_lines[h->room - h->count - 1];
    size_t box = (size_t)h->n * sizeof *h->boxes;
    h->bounds[line] = from->bound;
    h->cells[2 * line] = from->cone;
    h->cells[2 * line + 1] = from->part;
    h->serials[line] = h->serial++;
    memcpy(h->boxes + line * 2 * h->n, from->lower, box);
    memcpy(h->boxes + line * 2 * h->n + h->n, from->upper, box);
    memcpy(h->trails + line * h->trail_size, from->trail, (size_t)h->trail_size * sizeof *h->trails);
    if (h->n_counted) memcpy(h->counted + line * h->n_counted, from->counted, (size_t)h->n_counted);
    ptrdiff_t at = h->count++;
    for (; at > 0 && is_before(h, line, h->heap[(at - 1) / 2]); at = (at - 1) / 2) h->heap[at] = h->heap[(at - 1) / 2];
    h->heap[at] = line;
    return 1;
}

void node_heap_pop(node_heap *h, node *to) {
    int64_t line = h->heap[0], last = h->heap[--h->count];
    ptrdiff_t at = 0;
    for (;;) {
        ptrdiff_t child = 2 * at + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && is_before(h, h->heap[child + 1], h->heap[child])) child++;
        if (!is_before(h, h->heap[child], last)) break;
        h->heap[at] = h->heap[child];
        at = child;
    }
    h->heap[at] = last;
    h->free_lines[h->room - h->count - 1] = line;
    size_t box = (size_t)h->n * sizeof *h->boxes;
    to->bound = h->bounds[line];
    to->cone = h->cells[2 * line];
    to->part = h->cells[2 * line + 1];
    memcpy(to->lower, h->boxes + line * 2 * h->n, box);
    memcpy(to->upper, h->boxes + line * 2 * h->n + h->n, box);
    memcpy(to->trail, h->trails + line * h->trail_size, (size_t)h->trail_size * sizeof *h->trails);
    if (h->n_counted) memcpy(to->counted, h->counted + line * h->n_counted, (size_t)h->n_counted);
}

double node_heap_cheapest(const node_heap *h) { return h->count ? h->bounds[h->heap[0]] : HUGE_VAL; }
