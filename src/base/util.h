/* util.h -- the few macros that the whole house uses. */
#ifndef HC_BASE_UTIL_H
#define HC_BASE_UTIL_H

#include "hindcast/base.h"

#define TRY(e) \
  do { \
    hc_rc rc_ = (e); \
    if (rc_ < 0) return rc_; \
  } while (0)
#define TRY_OR(e, label) \
  do { \
    if ((rc = (e)) < 0) goto label; \
  } while (0)

#define HC_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The lesser and the greater of two numbers of any type, in the type that `a + b` has. Each argument is
 * evaluated once: it may draw, read or count. Not for constant expressions. */
#define HC_MIN(a, b) HC_OF_TYPE(a, b, min)(a, b)
#define HC_MAX(a, b) HC_OF_TYPE(a, b, max)(a, b)
#define HC_OF_TYPE(a, b, which) \
  _Generic(1 ? (a) : (b), int \
           : hc_##which##_int, unsigned \
           : hc_##which##_unsigned, long \
           : hc_##which##_long, unsigned long \
           : hc_##which##_ulong, long long \
           : hc_##which##_llong, unsigned long long \
           : hc_##which##_ullong, double \
           : hc_##which##_double, long double \
           : hc_##which##_ldouble)
#define HC_TWO_OF(type, name) \
  static inline type hc_min_##name(type a, type b) \
  { \
    return a < b ? a : b; \
  } \
  static inline type hc_max_##name(type a, type b) \
  { \
    return a > b ? a : b; \
  }
HC_TWO_OF(int, int)
HC_TWO_OF(unsigned, unsigned)
HC_TWO_OF(long, long)
HC_TWO_OF(unsigned long, ulong)
HC_TWO_OF(long long, llong)
HC_TWO_OF(unsigned long long, ullong)
HC_TWO_OF(double, double)
HC_TWO_OF(long double, ldouble)
#undef HC_TWO_OF

#define HC_UNUSED(x) ((void)(x))

/* A broken invariant: our bug, never the user's input. The command installs a hook that says where to
 * report it. */
void hc_assert_failed(const char *what, const char *file, int line) __attribute__((noreturn));
#define HC_ASSERT(e) ((e) ? (void)0 : hc_assert_failed(#e, __FILE__, __LINE__))

/* a / b, rounded down; b > 0. */
static inline int64_t hc_floor_div(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

/* Sums of times saturate at HC_NEVER. Both must be >= 0 or far from the lower end. */
static inline hc_time hc_time_add(hc_time a, hc_time b)
{
  hc_time sum;
  if (a == HC_NEVER || b == HC_NEVER || __builtin_add_overflow(a, b, &sum)) return HC_NEVER;
  return sum;
}

/* The greatest number that both are multiples of; of 0 and another that other one. */
static inline uint64_t hc_common_divisor(uint64_t a, uint64_t b)
{
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif
