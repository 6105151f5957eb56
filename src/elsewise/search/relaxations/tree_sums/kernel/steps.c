#include "steps.h"

#include <math.h>
#include <string.h>

/* Errors of costs, relative to a step, that leave no doubt which one is meant; they are rounding, if anything. */
static const double CLEAR = 1e-11;
/* Costs of more than so many steps are not looked at in steps. */
static const double MOST_STEPS = 1e6;
/* Residues that are nearer than this share of a step are taken for one, and count as its error. */
static const double SAME = 1e-11;

/* Errors relative to a distance that its proof may have: distances below that are told apart as they come. */
static const double NEGLIGIBLE = 1e-10;

/* Euclid's algorithm; remainders that are rounding count as none. */
static double divisor(double a, double b, double rounding)
{
    while (b > rounding) {
        const double rest = a - b * floor(a / b);
        a = b;
        b = rest > b - rounding ? 0.0 : rest;
    }
    return a;
}

/* The largest number that divides what a variable costs, 0 for none. */
static double step_of(const ew_forest *f, const double *cost, int32_t var)
{
    double size = 0.0, largest = 0.0;
    for (int32_t k = f->first_cell[var]; k < f->first_cell[var + 1]; k++)
        if (isfinite(cost[k])) {
            largest = fmax(largest, cost[k]);
            size = divisor(fmax(size, cost[k]), fmin(size, cost[k]), largest * CLEAR);
        }
    return size * MOST_STEPS > largest ? size : 0.0;
}

/* The step that most variables have. */
static double common_step(const ew_forest *f, const double *cost, double *own)
{
    double best = 0.0;
    int32_t most = 0;
    for (int32_t i = 0; i < f->n_vars; i++)
        own[i] = step_of(f, cost, i);
    for (int32_t i = 0; i < f->n_vars; i++) {
        int32_t count = 0;
        for (int32_t j = 0; j < f->n_vars; j++)
            count += own[j] > 0.0 && fabs(own[j] - own[i]) <= CLEAR * own[i];
        if (count > most) {
            most = count;
            best = own[i];
        }
    }
    return best;
}

/* Add a residue to a list unless it is there: 0 if the list is full. The error grows by what it is off. */
static int add(double *list, int32_t *n, double value, double size, double *error)
{
    value = value >= size * (1.0 - SAME) ? value - size : value;
    for (int32_t k = 0; k < *n; k++)
        if (fabs(list[k] - value) <= SAME * size) {
            *error = fmax(*error, fabs(list[k] - value));
            return 1;
        }
    if (*n == EW_MOST_STEPS_LEFT)
        return 0;
    list[(*n)++] = value;
    return 1;
}

void ew_steps_find(ew_steps *steps, const ew_forest *f, const double *cost, const double *bound, ew_arena *arena)
{
    double *own = EW_TAKE(arena, double, f->n_vars), of_var[EW_MOST_STEPS_LEFT], next[EW_MOST_STEPS_LEFT];
    const double size = common_step(f, cost, own);
    steps->size = 0.0;
    steps->n_residues = 1;
    steps->residue[0] = 0.0;
    double error = 0.0;
    if (!(size > 0.0))
        return;
    for (int32_t i = 0; i < f->n_vars; i++) {
        int32_t n = 0, n_next = 0;
        double off = 0.0, moved = 0.0; /* of costs, and of residues that are taken for others */
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++) {
            if (!isfinite(cost[k]))
                continue;
            off = fmax(off, fabs(cost[k] - bound[k]));
            if (!add(of_var, &n, cost[k] - size * floor(cost[k] / size), size, &off))
                return;
        }
        for (int32_t a = 0; a < steps->n_residues; a++)
            for (int32_t b = 0; b < n; b++)
                if (!add(next, &n_next, steps->residue[a] + of_var[b], size, &moved))
                    return;
        memcpy(steps->residue, next, sizeof(double) * (size_t)n_next);
        steps->n_residues = n_next;
        error += off + moved;
    }
    steps->error = 2.0 * error + CLEAR * size; /* of sums and their bounds */
    steps->size = size;
}

double ew_step_below(const ew_steps *steps, double distance)
{
    if (!(steps->size > 0.0) || !isfinite(distance))
        return distance;
    double below = -INFINITY;
    for (int32_t k = 0; k < steps->n_residues; k++) {
        const double whole = ceil((distance - steps->error - steps->residue[k]) / steps->size) - 1.0;
        below = fmax(below, steps->residue[k] + steps->size * whole);
    }
    const double gap = distance - below;
    return gap > 8.0 * steps->error && steps->error < NEGLIGIBLE * distance ? distance - 0.5 * gap : distance;
}

double ew_step_from(const ew_steps *steps, double bound)
{
    if (!(steps->size > 0.0) || !isfinite(bound))
        return bound;
    double from = INFINITY;
    for (int32_t k = 0; k < steps->n_residues; k++) {
        const double whole = ceil((bound - steps->error - steps->residue[k]) / steps->size);
        from = fmin(from, steps->residue[k] + steps->size * whole);
    }
    return fmax(bound, from - steps->error);
}
