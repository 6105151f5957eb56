/* The lesser and the larger of two numbers, for inner loops: fmin and fmax are calls, for what they do about NaN. */
#ifndef EW_EXTREMES_H
#define EW_EXTREMES_H

static inline double ew_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double ew_max(double a, double b)
{
    return a > b ? a : b;
}

#endif
