#if !defined(_WIN32) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L /* clock_gettime is no part of C11 */
#endif

#include "clock.h"

#ifdef _WIN32
#include <windows.h>

double ew_now(void)
{
    LARGE_INTEGER ticks, a_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&a_second);
    return (double)ticks.QuadPart / (double)a_second.QuadPart;
}
#else
#include <time.h>

#ifdef __APPLE__
static const clockid_t CLOCK = CLOCK_UPTIME_RAW;
#else
static const clockid_t CLOCK = CLOCK_MONOTONIC;
#endif

double ew_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#endif
