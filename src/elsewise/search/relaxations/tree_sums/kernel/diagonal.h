/* Diagonals D of a cone's matrix P such that S = P - D has no negative eigenvalue, chosen for a box.
 *
 * What the bound in cone.h loses is what the relaxed optimum is spread over far cells for nothing: of y'Py it is charged
 * the mean's own, and sum_i D_i var_i for the spread. So the diagonal to be had is the one with the largest
 * sum_i w_i D_i, for weights w that are variances of the spread; entries of numbers that do not spread may be as negative
 * as it takes to make others large. Found by Newton's method on sum_i w_i D_i + barrier log det (P - D). */
#ifndef EW_DIAGONAL_H
#define EW_DIAGONAL_H

#include "arena.h"
#include "cone.h"

typedef struct {
    double *S, *inverse, *hessian, *room; /* n x n */
    double *gradient, *step, *trial;
} ew_diagonal;

void ew_diagonal_open(ew_diagonal *d, const ew_cone *cone, ew_arena *arena);
/* Improve a diagonal for weights w > 0. What is returned in D and K is checked; returns 0 if they are as they were. */
int ew_diagonal_ascend(ew_diagonal *d, const ew_cone *cone, const double *w, double barrier, int n_steps, double *D,
                       double *K);
/* Whether P - D has no negative eigenvalue, whatever rounding did to P; sets K = inv(P - D) / 4 if so. */
int ew_diagonal_check(ew_diagonal *d, const ew_cone *cone, const double *D, double *K);

#endif
