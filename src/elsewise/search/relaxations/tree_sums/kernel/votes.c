#include "votes.h"

#include <math.h>
#include <string.h>

/* Residues in all, and of one tree, beyond which nothing is said. */
enum { MOST_RESIDUES = 96, MOST_OF_TREE = 16 };
/* Residues that are not exact and differ by no more are taken for one; also rounding of a sum of scores, which add up to
 * about one, for each tree: far more than it can be. */
static const double SAME = 1e-13;
/* Larger than all sums: where no tree has a choice of votes. */
static const double NO_STEP = 16.0;

void ew_votes_open(ew_votes *v, ew_arena *arena)
{
    v->now = EW_TAKE(arena, ew_residue, MOST_RESIDUES);
    v->next = EW_TAKE(arena, ew_residue, MOST_RESIDUES);
    v->of_tree = EW_TAKE(arena, ew_residue, MOST_OF_TREE);
}

/* x modulo g, between 0 and g: exact for votes. */
static double modulo(double x, double g)
{
    const double r = fmod(x, g);
    return r < 0.0 ? r + g : r;
}

/* Add a residue to a list unless it is there. Returns 0 if the list is full. */
static int add(ew_residue *list, int32_t *n, int32_t most, double value, int is_exact)
{
    for (int32_t k = 0; k < *n; k++)
        if (list[k].is_exact == is_exact && fabs(list[k].value - value) <= (is_exact ? 0.0 : SAME))
            return 1;
    if (*n == most)
        return 0;
    list[*n].value = value;
    list[(*n)++].is_exact = is_exact;
    return 1;
}

static double gain_of(const ew_compact *c, int32_t leaf, int32_t r)
{
    return c->gain[(size_t)leaf * (size_t)c->n_rows + (size_t)r];
}

static int is_exact_leaf(const ew_compact *c, int32_t leaf)
{
    return c->forest->is_exact[c->leaf[leaf]];
}

/* The largest number that divides the differences of exact leaves of the same tree. */
static double step_of(const ew_compact *c, const uint8_t *is_left, int32_t r)
{
    double g = 0.0;
    for (int32_t t = 0; t < c->n_trees; t++) {
        int32_t first = -1;
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++) {
            if (!is_left[l] || !is_exact_leaf(c, l))
                continue;
            if (first < 0)
                first = l;
            double a = fabs(gain_of(c, l, r) - gain_of(c, first, r));
            if (a == 0.0 || a == g)
                continue;
            while (a > 0.0) { /* Euclid's algorithm: remainders are exact */
                const double rest = fmod(g, a);
                g = a;
                a = rest;
            }
        }
    }
    return g > 0.0 ? g : NO_STEP;
}

/* Residues of one tree, all of its exact leaves having the same. Returns how many, or -1 if they are too many. */
static int32_t of_tree(ew_votes *v, const ew_compact *c, const uint8_t *is_left, int32_t t, int32_t r, double g)
{
    int32_t n = 0;
    int has_exact = 0;
    for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++) {
        const int is_exact = is_exact_leaf(c, l);
        if (!is_left[l] || (is_exact && has_exact))
            continue;
        has_exact |= is_exact;
        if (!add(v->of_tree, &n, MOST_OF_TREE, modulo(gain_of(c, l, r), g), is_exact))
            return -1;
    }
    return n;
}

/* The smallest sum that condition r can have where it is met. */
static double smallest(ew_votes *v, const ew_compact *c, const uint8_t *is_left, int32_t r)
{
    const double least = c->forest->least[r], g = step_of(c, is_left, r);
    int32_t n = 1;
    v->now[0].value = modulo(c->constant[r], g);
    v->now[0].is_exact = c->has_exact_constants;
    for (int32_t t = 0; t < c->n_trees; t++) {
        const int32_t m = of_tree(v, c, is_left, t, r, g);
        if (m < 0)
            return least;
        int32_t n_next = 0;
        for (int32_t a = 0; a < n; a++)
            for (int32_t b = 0; b < m; b++) {
                const ew_residue *x = v->now + a, *y = v->of_tree + b;
                double value = x->value + y->value;
                value = value >= g ? value - g : value;
                if (!add(v->next, &n_next, MOST_RESIDUES, value, x->is_exact && y->is_exact))
                    return least;
            }
        ew_residue *swap = v->now;
        v->now = v->next;
        v->next = swap;
        n = n_next;
    }
    const double rounding = SAME * (double)(c->forest->n_trees + 8), doubt = rounding + fabs(least);
    double found = INFINITY;
    for (int32_t a = 0; a < n; a++) {
        const double value = v->now[a].value;
        if (v->now[a].is_exact) /* the sum is what it is: none at zero */
            found = fmin(found, value > 0.0 ? value : g);
        else if (value <= doubt || value >= g - doubt)
            return least; /* rounding may decide */
        else
            found = fmin(found, value);
    }
    return fmax(least, found - rounding);
}

void ew_votes_needed(ew_votes *v, const ew_compact *c, const uint8_t *is_left, double *needed)
{
    for (int32_t r = 0; r < c->n_rows; r++)
        needed[r] = c->forest->is_strict[r] ? smallest(v, c, is_left, r) : c->forest->least[r];
}
