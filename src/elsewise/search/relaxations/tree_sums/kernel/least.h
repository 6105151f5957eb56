/* Where the price of a number is least. */
#ifndef EW_LEAST_H
#define EW_LEAST_H

#include <math.h>

#include "cone.h"

/* Where |v| + kd (v - m)^2 + slope (v - m) is least over all v. */
static inline double ew_least_at(double kd, double slope, double m)
{
    if (kd > 1e-14) {
        double v = m - (slope + 1.0) / (2.0 * kd);
        if (v > 0.0)
            return v;
        v = m - (slope - 1.0) / (2.0 * kd);
        return v < 0.0 ? v : 0.0;
    }
    return slope < -1.0 ? INFINITY : slope > 1.0 ? -INFINITY : 0.0;
}

static inline double ew_within(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Where |v| + kd (v - m)^2 + slope (v - m) is least between two ends, among multiples of a step unless that is 0; `free_at`
 * is where it is if kd >= 0. `*beside` is the second best of multiples, if the ends are not them; else it is the same. */
static inline double ew_least_within(double free_at, double kd, double slope, double m, double step, double low, double high,
                                  double *beside)
{
    const double a = low - m, b = high - m;
    if (kd >= 0.0) {
        const double v = *beside = ew_within(free_at, low, high);
        if (!(step > 0.0) || v <= low || v >= high)
            return v;
        const double down = floor(v / step) * step, below = fmax(down, low), above = fmin(down + step, high);
        const double c = below - m, d = above - m;
        const int is_below = fabs(below) + kd * c * c + slope * c <= fabs(above) + kd * d * d + slope * d;
        *beside = is_below ? above : below;
        return is_below ? below : above;
    }
    const double at_low = fabs(low) + kd * a * a + slope * a, at_high = fabs(high) + kd * b * b + slope * b;
    const double best = at_low <= at_high ? low : high;
    return *beside = low < 0.0 && high > 0.0 && kd * m * m - slope * m < fmin(at_low, at_high) ? 0.0 : best;
}

#endif
