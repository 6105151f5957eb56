/* Maxima of ranges of one variable's cells, looked up in a table of all ranges whose length is a power of two. */
#ifndef EW_RANGES_H
#define EW_RANGES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t width; /* most cells of a variable */
    double *most;  /* levels of `width` numbers: level l has the maxima of ranges of 2^l cells, by their first */
} ew_ranges;

/* The largest l with 2^l <= n, n > 0. */
static inline int32_t ew_ranges_level(int32_t n)
{
    int32_t level = 0;
    for (; n > 1; n >>= 1)
        level++;
    return level;
}

/* Fill the table from its first level, of which n numbers are set. */
static inline void ew_ranges_fill(const ew_ranges *r, int32_t n)
{
    for (int32_t half = 1, level = 1; 2 * half <= n; half *= 2, level++) {
        const double *a = r->most + (size_t)(level - 1) * (size_t)r->width, *b = a + half;
        double *to = r->most + (size_t)level * (size_t)r->width;
        for (int32_t k = 0; k + 2 * half <= n; k++)
            to[k] = a[k] > b[k] ? a[k] : b[k];
    }
}

/* The maximum of the cells from `first` up to `end`, which is not part of it; `level` is that of their number. */
static inline double ew_ranges_most(const ew_ranges *r, int32_t first, int32_t end, int32_t level)
{
    const double *row = r->most + (size_t)level * (size_t)r->width;
    const double a = row[first], b = row[end - ((int32_t)1 << level)];
    return a > b ? a : b;
}

#endif
