/* The clock of a search. */
#ifndef EW_CLOCK_H
#define EW_CLOCK_H

/* Seconds that never go back, by the clock that Python's time.perf_counter() reads. */
double ew_now(void);

#endif
