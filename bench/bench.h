/* bench.h -- how every benchmark measures: CPU time of its own thread, and the least of several tries.
 *
 * The least, because what disturbs a measurement only ever adds to it. A benchmark prints one line per
 * case: name, nanoseconds per unit of work, and what the unit is. It checks nothing; it keeps a checksum
 * so that the compiler cannot drop the work. Sources define _GNU_SOURCE before including this. */
#ifndef HC_BENCH_H
#define HC_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "hindcast/base.h"

/* CPU time of the calling thread, nanoseconds. */
static inline int64_t bench_now(void)
{
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Peak memory of the process so far, bytes. */
static inline int64_t bench_peak_memory(void)
{
  struct rusage u;
  if (getrusage(RUSAGE_SELF, &u) != 0) return 0;
  return (int64_t)u.ru_maxrss * 1024;
}

/* Least time of `n` tries, nanoseconds. @param work returns the time of its own timed part: what it sets
 * up before does not count. A negative result of `work` means that it failed, and is returned at once. */
static inline int64_t bench_min(int n, int64_t (*work)(void *), void *ctx)
{
  int64_t least = INT64_MAX;
  for (int i = 0; i < n; i++) {
    int64_t t = work(ctx);
    if (t < 0) return t;
    if (t < least) least = t;
  }
  return least;
}

static inline void bench_print(const char *name, double ns, const char *unit)
{
  printf("%-44s %10.1f ns per %s\n", name, ns, unit);
}

#endif
