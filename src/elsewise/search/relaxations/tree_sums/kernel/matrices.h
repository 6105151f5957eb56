/* Small symmetric matrices, n x n, row by row: their inner loops run along rows, so that vector units can be used. */
#ifndef EW_MATRICES_H
#define EW_MATRICES_H

#include <stdint.h>

/* Replace the upper triangle of A by U with U'U = A. Returns 0 if a pivot is not positive. */
int ew_factor(double *A, int32_t n);
/* The same where pivots may vanish: they are kept above `least` times what stood there; `room` has n numbers. */
void ew_factor_lifted(double *A, int32_t n, double least, double *room);
/* Solve U'U x = b. */
void ew_solve(const double *U, int32_t n, const double *b, double *x);
/* The inverse of U'U, all of it; `room` has n x n numbers. */
void ew_invert(const double *U, int32_t n, double *room, double *inverse);
/* Ay, for a symmetric A. */
void ew_multiply(const double *A, int32_t n, const double *y, double *out);

#endif
