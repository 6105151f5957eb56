#include "forest.h"

#include <math.h>
#include <string.h>

static int32_t leaf_of(const ew_forest *f, int32_t tree, const int32_t *cells)
{
    int32_t node = f->root[tree];
    while (f->var[node] >= 0)
        node = ew_child(f, node, cells[f->var[node]]);
    return f->left[node];
}

/* Value of the link of a score. */
static double linked(const ew_forest *f, int32_t score, double t)
{
    const double *link = f->links + 4 * (size_t)score;
    const int32_t n = f->first_knot[score + 1] - f->first_knot[score];
    if (n == 0) {
        const double line = link[1] * t + link[2];
        if (link[3] == 0.0)
            return line;
        return line >= 0.0 ? 1.0 / (1.0 + exp(-line)) : exp(line) / (1.0 + exp(line));
    }
    const double *knot = f->knots + 2 * (size_t)f->first_knot[score];
    if (t <= knot[0])
        return knot[1];
    if (t >= knot[2 * (n - 1)])
        return knot[2 * (n - 1) + 1];
    int32_t low = 0, high = n - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (knot[2 * middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const double *a = knot + 2 * low, *b = knot + 2 * high;
    return a[1] + (b[1] - a[1]) * ((t - a[0]) / (b[0] - a[0]));
}

/* Whether one decision is taken; scores must exceed what is needed by `margin`. */
static int decides(const ew_forest *f, const ew_decision *d, const int32_t *cells, double margin, double *sums)
{
    const int32_t n = d->n_scores;
    memcpy(sums, f->base + d->first_score, sizeof(double) * (size_t)n);
    for (int32_t t = d->first_tree; t < d->end_tree; t++) {
        const double *value = f->leaf + (size_t)leaf_of(f, t, cells) * (size_t)f->n_scores + d->first_score;
        if (d->single)
            for (int32_t c = 0; c < n; c++)
                sums[c] = (double)(float)((float)sums[c] + (float)value[c]);
        else
            for (int32_t c = 0; c < n; c++)
                sums[c] += value[c];
    }
    for (int32_t c = 0; c < n; c++)
        sums[c] /= d->divisor;
    if (d->kind == EW_MEAN) {
        double mean = 0.0;
        for (int32_t c = 0; c < n; c++)
            mean += f->links[4 * (size_t)(d->first_score + c)] * linked(f, d->first_score + c, sums[c]);
        return mean >= d->low + margin;
    }
    if (d->kind == EW_RANGE)
        return sums[0] >= d->low + margin && sums[0] <= d->high - margin;
    const double own = sums[d->index];
    if (own < d->least_score + margin)
        return 0;
    const int needs_largest = isinf(d->least_log_odds); /* a least probability decides alone */
    double highest = -INFINITY;
    for (int32_t c = 0; c < n; c++) {
        if (c == d->index)
            continue;
        if (needs_largest && (c < d->index ? own <= sums[c] + margin : own < sums[c] + margin))
            return 0; /* the first of equal scores wins */
        highest = fmax(highest, sums[c]);
    }
    if (needs_largest)
        return 1;
    double rivals = 0.0;
    for (int32_t c = 0; c < n; c++)
        if (c != d->index)
            rivals += exp(sums[c] - highest);
    return own - highest - log(rivals) >= d->least_log_odds + margin;
}

int ew_accepts(const ew_forest *f, const int32_t *cells, double margin, double *sums)
{
    for (int32_t k = 0; k < f->n_decisions; k++) {
        const ew_decision *d = f->decisions + k;
        if (!decides(f, d, cells, margin > 0.0 ? margin * d->unit : -d->reordering, sums))
            return 0;
    }
    return ew_keeps_rules(f->rules, cells);
}

int ew_may_accept(const ew_forest *f, const int32_t *cells, double *sums)
{
    int is_doubtful = 0;
    for (int32_t k = 0; k < f->n_decisions; k++)
        is_doubtful |= f->decisions[k].doubt > 0.0;
    for (int32_t k = 0; k < f->n_decisions && is_doubtful; k++)
        is_doubtful = decides(f, f->decisions + k, cells, -f->decisions[k].doubt, sums);
    return is_doubtful && ew_keeps_rules(f->rules, cells);
}

/* Add a subtree's leaves to differences along a variable whose cells are between low and high. */
static void spread(const ew_forest *f, int32_t node, int32_t low, int32_t high, const int32_t *cells, int32_t var,
                   double *out)
{
    while (f->var[node] >= 0) {
        if (f->var[node] != var) {
            node = ew_child(f, node, cells[f->var[node]]);
        } else if (f->table[node] >= 0) {
            for (int32_t k = low; k < high; k++)
                spread(f, ew_child(f, node, k), k, k, cells, var, out);
            node = ew_child(f, node, high);
            low = high;
        } else if (high <= f->cut[node]) {
            node = f->left[node];
        } else if (low > f->cut[node]) {
            node = f->right[node];
        } else {
            spread(f, f->left[node], low, f->cut[node], cells, var, out);
            low = f->cut[node] + 1;
            node = f->right[node];
        }
    }
    const size_t R = (size_t)f->n_rows;
    const double *gain = f->gain + (size_t)f->left[node] * R;
    for (size_t r = 0; r < R; r++) {
        out[(size_t)low * R + r] += gain[r];
        out[((size_t)high + 1) * R + r] -= gain[r];
    }
}

void ew_along(const ew_forest *f, const int32_t *cells, int32_t var, double *out)
{
    const int32_t n = f->first_cell[var + 1] - f->first_cell[var];
    const size_t R = (size_t)f->n_rows;
    memset(out, 0, sizeof(double) * ((size_t)n + 1) * R);
    for (int32_t t = 0; t < f->n_trees; t++)
        spread(f, f->root[t], 0, n - 1, cells, var, out);
    for (int32_t k = 1; k < n; k++)
        for (size_t r = 0; r < R; r++)
            out[(size_t)k * R + r] += out[((size_t)k - 1) * R + r];
}

static int32_t depth_of(const ew_forest *f, int32_t node)
{
    if (f->var[node] < 0)
        return 0;
    const int32_t a = depth_of(f, f->left[node]), b = depth_of(f, f->right[node]);
    return 1 + (a > b ? a : b);
}

int32_t ew_deepest(const ew_forest *f)
{
    int32_t deepest = 0;
    for (int32_t t = 0; t < f->n_trees; t++) {
        const int32_t depth = depth_of(f, f->root[t]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}
