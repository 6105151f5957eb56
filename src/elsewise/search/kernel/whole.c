/* The loop over the nodes of a row. */
#include "whole.h"

#include <stdlib.h>

#include "search.h"

static int is_all_discrete(const ew_whole *w) {
    for (ptrdiff_t i = 0; i < w->cells.n; i++)
        if (w->kind[i] == EW_NUMBER) return 0;
    return 1;
}

/* Hand out the memory of vectors of n numbers. */
static int bind_vectors(whole_search *s) {
    ptrdiff_t n = s->n;
    double **vectors[] = {&s->at.lower, &s->at.upper, &s->child.lower, &s->child.upper, &s->trial.lower, &s->trial.upper,
                          &s->seen.low, &s->seen.high, &s->seen.moved, &s->seen.x0, &s->half_prices, &s->v, &s->slope,
                          &s->relaxed, &s->stiffness, &s->candidate, &s->other, &s->plain, &s->best, &s->trial_v};
    ptrdiff_t count = sizeof vectors / sizeof *vectors;
    double *next = s->memory = calloc((size_t)(count * n + s->q + 1), sizeof *s->memory);
    if (!next) return 0;
    for (ptrdiff_t i = 0; i < count; i++) { *vectors[i] = next; next += n; }
    s->image = next;
    for (ptrdiff_t i = 0; i < n; i++) {
        double price = s->shared.prices[i];
        s->half_prices[i] = is_number(s, i) ? price : 0.5 * price;
        if (!is_number(s, i)) s->largest_level_price = fmax(s->largest_level_price, price);
    }
    return 1;
}

whole_search *ew_whole_new(const ew_whole *shared) {
    whole_search *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->shared = *shared;
    s->n = (ptrdiff_t)shared->cells.n, s->q = (ptrdiff_t)shared->cells.q, s->n_groups = (ptrdiff_t)shared->cells.n_groups;
    s->all_discrete = is_all_discrete(shared);
    ptrdiff_t trail_size = (ptrdiff_t)ew_trail_size(s->n), n_counted = shared->max_changes < 0 ? 0 : (ptrdiff_t)shared->n_units;
    int is_bound = bind_vectors(s) && node_heap_init(&s->open, s->n, trail_size, n_counted);
    s->trails = calloc((size_t)(2 * trail_size), sizeof *s->trails);
    s->counts = calloc((size_t)(2 * n_counted + 1), sizeof *s->counts);
    s->columns = calloc((size_t)(s->n + s->n_groups) + 1, sizeof *s->columns);
    s->work = ew_workspace_new(&s->shared.cells, shared->max_halfspaces);
    if (!is_bound || !s->trails || !s->counts || !s->columns || !s->work) { ew_whole_free(s); return NULL; }
    s->at.trail = s->trails;
    s->trail = s->child.trail = s->trails + trail_size; /* children start where the node in hand ended */
    s->at.counted = s->counts;
    s->child.counted = s->counts + n_counted;
    return s;
}

void ew_whole_free(whole_search *s) {
    if (!s) return;
    node_heap_free(&s->open);
    free(s->memory);
    free(s->trails);
    free(s->counts);
    free(s->columns);
    ew_workspace_free(s->work);
    free(s);
}

/* Take the cheapest node. */
static void step(whole_search *s, ew_whole_row *row) {
    node_heap_pop(&s->open, &s->at);
    if (divide_lost_level(s, row)) return;
    relax(s, row);
    int is_alone = s->at.part < 0 && row->use_region;
    if (is_alone) row->model_free[s->at.cone] = fmax(row->model_free[s->at.cone], s->proven);
    if (!isfinite(s->at.bound)) return;
    if (s->has_point) round_relaxed(s, row);
    if (!is_worth(s, row, s->at.bound)) s->settled = fmin(s->settled, s->at.bound);
    else if (is_alone || !close_if_done(s, row)) divide(s, row);
}

int ew_whole_open(whole_search *s, ew_whole_row *row) {
    size_t size = (size_t)s->n * sizeof(double);
    node_heap_clear(&s->open);
    s->settled = HUGE_VAL;
    s->out_of_memory = 0;
    row->value = row->bound = HUGE_VAL;
    row->part = row->cone = -1;
    row->n_nodes = 0;
    row->loses_own_level = 0;
    double nearest = 0;
    if (row->use_region) {
        nearest = HUGE_VAL;
        for (int64_t k = 0; k < row->n_parts; k++) nearest = fmin(nearest, row->part_bounds[k]);
    }
    memcpy(s->at.lower, row->lower, size);
    memcpy(s->at.upper, row->upper, size);
    memset(s->at.counted, 0, (size_t)s->open.n_counted);
    s->trail[0] = -1;
    for (int64_t j = 0; j < row->n_cones; j++) {
        row->model_free[j] = row->first_cone < 0 ? HUGE_VAL : row->cone_bounds[j];
        s->at.cone = j;
        s->at.part = -1;
        s->at.bound = fmax(nearest, row->cone_bounds[j]);
        copy_node(s);
        if (row->first_cone < 0 && row->use_region) divide_cone(s, row, -1); /* without a density, its parts */
        else {
            if (row->n_cones > 1 && s->n_groups) s->child.bound = fmax(s->child.bound, first_look_at(s, row, &s->child));
            push_child(s, row);
        }
    }
    return !s->out_of_memory;
}

int ew_whole_go_on(whole_search *s, ew_whole_row *row, int64_t n_nodes) {
    while (is_worth(s, row, node_heap_cheapest(&s->open))) {
        if (row->n_nodes >= s->shared.is.most_nodes || n_nodes-- <= 0) return EW_WHOLE_OPEN;
        step(s, row);
        if (s->out_of_memory) return EW_WHOLE_NO_MEMORY;
        if (row->any_point && isfinite(row->value)) break;
    }
    return EW_WHOLE_DONE;
}

void ew_whole_close(whole_search *s, ew_whole_row *row) {
    row->bound = fmin(s->settled, node_heap_cheapest(&s->open));
}
