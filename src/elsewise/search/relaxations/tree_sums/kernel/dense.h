/* What the files of searches with a density or rules share. */
#ifndef EW_DENSE_H
#define EW_DENSE_H

#include "state.h"

/* Width of soft minima, as a share of what is missing to the incumbent; wider for the first box. */
#define EW_WIDTH 0.003

/* dense.c: set what messages give each cell, in units of distance. */
void ew_worth_of_messages(ew_state *w);

/* around.c */
/* Take the box of all original cells. */
void ew_whole_box(ew_state *w);
/* Ask for the nearest point of the box at hand; tells its bound. */
double ew_ask(ew_state *w, int32_t *cells, double *value, int *is_nearest);

#endif
