/* Cells: a cone with a part of the region. */
#include "search.h"

void limit_to_part(const whole_search *s, const ew_whole_row *row, int64_t part, node *box) {
    box->part = part;
    box->bound = fmax(box->bound, row->part_bounds[part]);
    for (ptrdiff_t i = 0; i < s->n && row->part_lower; i++) {
        box->lower[i] = fmax(box->lower[i], row->part_lower[part * s->n + i]);
        box->upper[i] = fmin(box->upper[i], row->part_upper[part * s->n + i]);
    }
}

static int is_cell(const whole_search *s, const ew_whole_row *row, int64_t part) {
    return isfinite(row->part_bounds[part]) && row->possible[s->at.cone * row->n_parts + part];
}

void divide_cone(whole_search *s, const ew_whole_row *row, int64_t but) {
    if (s->shared.rules_at >= 0) s->trail[0] = -1; /* with a part, the half-spaces of the rules have other numbers */
    for (int64_t k = 0; k < row->n_parts; k++) {
        if (k == but || !is_cell(s, row, k)) continue;
        copy_node(s);
        limit_to_part(s, row, k, &s->child);
        push_child(s, row);
    }
}

int64_t part_of_relaxed(whole_search *s, const ew_whole_row *row) {
    const ew_cells *cells = &s->shared.cells;
    if (!s->has_point) return -1;
    for (ptrdiff_t i = 0; i < s->n; i++) s->plain[i] = s->seen.x0[i] + s->v[i];
    for (ptrdiff_t c = 0; c < s->n_groups; c++) /* what moved to other levels left the row's own */
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++)
            s->plain[i] = s->relaxed[i] * s->shared.prices[i];
    for (int64_t k = 0; k < row->n_parts; k++) {
        int is_inside = is_cell(s, row, k);
        const int64_t *span = cells->spans + 2 * (row->first_polyhedron + k);
        for (ptrdiff_t i = 0; i < s->n && is_inside && row->part_lower; i++)
            is_inside = row->part_lower[k * s->n + i] <= s->relaxed[i] && s->relaxed[i] <= row->part_upper[k * s->n + i];
        for (int64_t r = span[0]; r < span[1] && is_inside; r++) {
            double room = cells->offsets[r], size = fabs(room);
            for (ptrdiff_t i = 0; i < s->n; i++) {
                double term = cells->normals[r * s->n + i] * s->plain[i];
                room -= term;
                size += fabs(term);
            }
            is_inside = room > s->shared.margin * size;
        }
        if (is_inside) return k;
    }
    return -1;
}
