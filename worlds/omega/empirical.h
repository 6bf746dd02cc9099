/* empirical.h -- what generators of jobs draw with: uniform numbers, exponentials, and distributions that
 * were measured.
 *
 * Streams. As it should be, each thing that is drawn has a stream of its own, named by the run's seed, the
 * workload and the purpose. The original makes each exponential with a generator of its own that is seeded by
 * the clock, in the same millisecond: all of them run through the same numbers (defect D3; here the run's
 * seed stands for the clock). Its measured distributions are drawn with a java.util.Random of the run's seed,
 * the same for all workloads (defect D4).
 *
 * Measured distributions. As it should be, the quantile p of n sorted values lies at (n - 1) p, linearly
 * between its neighbours. The original keeps 1,001 of the values, so that the largest is hardly ever drawn
 * (defect D2), and adds the neighbours where it should take their difference (defect D1). */
#ifndef HC_OMEGA_EMPIRICAL_H
#define HC_OMEGA_EMPIRICAL_H

#include "base/initial.h"
#include "base/math.h"
#include "base/mem.h"
#include "omega/options.h"

/* A stream of uniform numbers: ours, or java.util.Random. */
typedef struct hc_omega_stream {
  bool is_java;
  uint64_t state;
  hc_draws draws;
} hc_omega_stream;

/** @param number  of the workload or prefill; @param same  the original's: it has the run's seed alone */
hc_omega_stream hc_omega_stream_of(uint64_t seed, uint64_t replication, uint64_t number, hc_purpose purpose,
                                   bool is_java, bool same);
/** The stream of an exponential, with or without defect D3. */
hc_omega_stream hc_omega_stream_exponential(const hc_arrivals_context *c, hc_purpose purpose);
/** The stream of measured distributions, with or without defect D4. */
hc_omega_stream hc_omega_stream_measured(const hc_arrivals_context *c, hc_purpose purpose);
double hc_omega_exponential(hc_omega_stream *s, double mean);

/* Sorted values. */
typedef struct hc_omega_measured {
  const hc_allocator *allocator;
  double *values; /* [count] */
  size_t count, cap;
} hc_omega_measured;

/** The last field of each line "cluster policy class value" of that class (0 batch, 1 service).
 *  @return 0, HC_EIO, HC_EINPUT (also if there is none), HC_ENOMEM */
hc_rc hc_omega_measured_file(hc_omega_measured *m, const hc_allocator *a, const char *path, int64_t class,
                             uint32_t defects, hc_error *e);
hc_rc hc_omega_measured_add(hc_omega_measured *m, double value);
/** Sort, and cut it down to 1,001 values with defect D2. */
hc_rc hc_omega_measured_close(hc_omega_measured *m, uint32_t defects);
void hc_omega_measured_fini(hc_omega_measured *m);
double hc_omega_measured_draw(const hc_omega_measured *m, hc_omega_stream *s, uint32_t defects);

#endif
