/* Distances that go in steps: where most columns are whole and cost the same.
 *
 * A distance is then a residue, of those few that the other columns can add up to, plus a whole number of steps. What is
 * nearer than a point is nearer by a known amount, and a box need not be bounded beyond that. */
#ifndef EW_STEPS_H
#define EW_STEPS_H

#include "arena.h"
#include "forest.h"

enum { EW_MOST_STEPS_LEFT = 64 };

typedef struct {
    double size;  /* 0 for none */
    double error; /* distances are what the residues say but for this */
    int32_t n_residues;
    double residue[EW_MOST_STEPS_LEFT];
} ew_steps;

/* Find the steps of what cells cost and are bounded by; all of them are none where columns differ too much. */
void ew_steps_find(ew_steps *steps, const ew_forest *f, const double *cost, const double *bound, ew_arena *arena);
/* The largest distance below one of them, that is, a number half way to it; the distance itself without steps. */
double ew_step_below(const ew_steps *steps, double distance);
/* The least distance that is not below a bound. */
double ew_step_from(const ew_steps *steps, double bound);

#endif
