/* sample.h -- how much of a long test is run.
 *
 * Each test is run whole by one build (GCC -O3). Builds with sanitizers take ten times as long, and builds by
 * a second compiler are there for differences that do not hide in a third seed: `./dev test` sets
 * HC_TEST_SAMPLE=1 for these, and random tests then try fewer cases, the same ones each time. Tests of
 * statistics and of limits, which carry out the same a million times, are left out by
 * hc_test_skip_repeated. Without the variable (ctest by hand) all is whole. `./dev soak` sets HC_SOAK=1 for
 * a few whose cases can be many more than fit into a test. */
#ifndef HC_TESTS_SAMPLE_H
#define HC_TESTS_SAMPLE_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool hc_test_is_set(const char *variable)
{
  const char *set = getenv(variable);
  return set && *set && *set != '0';
}

static inline bool hc_test_is_sample(void)
{
  return hc_test_is_set("HC_TEST_SAMPLE");
}

static inline bool hc_test_is_soak(void)
{
  return hc_test_is_set("HC_SOAK");
}

/* How many cases of a random test are tried: `whole` of them, or `some`. */
static inline unsigned hc_test_cases(unsigned whole, unsigned some)
{
  return hc_test_is_sample() ? some : whole;
}

#define hc_test_skip_repeated() \
  do { \
    if (hc_test_is_sample()) skip(); \
  } while (0)

#endif
