/* math.c -- exp, log and pow the same bits everywhere.
 *
 * Numbers that need more than 53 bits are pairs: an unevaluated sum of two doubles (Dekker, Numer. Math.
 * 18, 1971, doi:10.1007/BF01397083; Knuth, TAOCP 2, 4.2.2). No fused multiply-add, since not every
 * processor has it.
 *   log: x = 2^k m; m / c = 1 + r exactly, for a tabled c near m; log x = k ln 2 + log c + (r - r^2/2 +
 *   r^3/3 ...).
 *   exp: x = n ln 2 / 128 + r; exp x = 2^(n/128) (1 + r + r^2/2 ...), the power of two from a table and
 *   the exponent.
 *   pow: exp(y log x) with log x as a pair of about 68 bits.
 * The error is below 0.53 ulp (subnormal results: below 1). It keeps no errno and no floating-point flags,
 * and expects rounding to nearest.
 * Cost: exp 6 ns, log 15 ns, pow 35 ns. What is made of them, Student's t and its kin, is in special.c. */
#include "base/math.h"

#include <string.h>

#if defined __SSE2__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#include "base/math_table.h"
#include "base/util.h"

#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

typedef struct pair {
  double hi, lo;
} pair;

static uint64_t bits_of(double x)
{
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static double from_bits(uint64_t u)
{
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

static double magnitude(double x)
{
  return from_bits(bits_of(x) & INT64_MAX);
}

static bool is_nan(double x)
{
  return x != x;
}

/* a + b without error. */
static pair two_sum(double a, double b)
{
  double s = a + b, t = s - a;
  return (pair){s, (a - (s - t)) + (b - t)};
}

/* The same where |a| >= |b|. */
static pair quick_sum(double a, double b)
{
  double s = a + b;
  return (pair){s, b - (s - a)};
}

/* a * b without error, if neither is beyond 2^996 and the product is not near the subnormals. */
static pair two_product(double a, double b)
{
  double p = a * b, ta = a * 134217729.0, tb = b * 134217729.0; /* 2^27 + 1 halves the digits */
  double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
  return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair pair_product(pair a, pair b)
{
  pair p = two_product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* ---- logarithms ---- */

/* log x as a pair, relative error below 2^-66, for finite x > 0. */
static pair log_pair(double x)
{
  int shift = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    shift = 54;
  }
  uint64_t u = bits_of(x);
  int k = (int)(u >> 52) - 1023 - shift, i = (int)(u >> 45 & 127);
  double m = from_bits((u & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (i >= 53) { /* keep m in [0.7, 1.42), so that k is 0 on both sides of 1 */
    m *= 0.5;
    k++;
  }
  /* The inverse has 10 bits: each half of m times it is exact, and so is the difference from 1. */
  double inverse = log_inverse[i] * 0x1p-9, head = from_bits(bits_of(m) & ~(uint64_t)0x7ffffff);
  pair r = two_sum(head * inverse - 1.0, (m - head) * inverse);
  pair square = two_product(r.hi, r.hi);
  double tail = 1.0 / 9 - r.hi * (1.0 / 10);
  tail = 1.0 / 5 - r.hi * (1.0 / 6 - r.hi * (1.0 / 7 - r.hi * (1.0 / 8 - r.hi * tail)));
  tail = r.hi * square.hi * (1.0 / 3 - r.hi * (1.0 / 4 - r.hi * tail));
  /* Both terms are multiples of 2^-42 below 2^10: their sum is exact. */
  pair a = two_sum(k * LN2_HI + log_step[i][0], r.hi);
  pair b = two_sum(a.hi, -0.5 * square.hi);
  double rest = (r.lo - r.hi * r.lo - 0.5 * square.lo) + (k * LN2_LO + log_step[i][1]);
  return quick_sum(b.hi, (a.lo + b.lo) + (rest + tail));
}

/* True if a logarithm of x is a special case, then with its value. */
static bool log_special(double x, double *value)
{
  if (x > 0 && x < INFINITE) return false;
  *value = x == 0 ? -INFINITE : x > 0 ? x : NOT_A_NUMBER;
  return true;
}

double hc_log(double x)
{
  double special;
  if (log_special(x, &special)) return special;
  return log_pair(x).hi;
}

double hc_log2(double x)
{
  double special;
  if (log_special(x, &special)) return special;
  return pair_product(log_pair(x), (pair){LOG2E_HI, LOG2E_LO}).hi;
}

double hc_log10(double x)
{
  double special;
  if (log_special(x, &special)) return special;
  return pair_product(log_pair(x), (pair){LOG10E_HI, LOG10E_LO}).hi;
}

/* ---- exponentials ---- */

/* y * 2^k with one rounding, for y near 1 and |k| < 1100. */
static double scale(double y, int k)
{
  double extra = 1.0;
  if (k > 1000) {
    k -= 100;
    extra = 0x1p100;
  } else if (k < -1000) {
    k += 100;
    extra = 0x1p-100;
  }
  return y * from_bits((uint64_t)(k + 1023) << 52) * extra;
}

/* exp of a pair. */
static double exp_pair(pair x)
{
  if (x.hi > 710.0) return INFINITE;
  if (x.hi < -746.0) return 0.0;
  /* Adding and taking away 1.5 * 2^52 rounds to a whole number. */
  double n = (x.hi * PER_STEP + 0x1.8p52) - 0x1.8p52;
  int whole = (int)n, i = whole & 127;
  double r = ((x.hi - n * STEP_HI) - n * STEP_LO) + x.lo;
  double p = r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
  double y = exp_step[i][0] + (exp_step[i][1] + exp_step[i][0] * p);
  return scale(y, (whole - i) / 128);
}

double hc_exp(double x)
{
  if (is_nan(x)) return NOT_A_NUMBER;
  return exp_pair((pair){x, 0.0});
}

/* ---- powers ---- */

/* 0: y is not whole; 1: odd; 2: even. */
static int parity(double y)
{
  y = magnitude(y);
  if (y >= 0x1p53) return 2;
  uint64_t whole = (uint64_t)y;
  if ((double)whole != y) return 0;
  return whole & 1 ? 1 : 2;
}

/* x^y where one of them is zero or infinite; y is not 0 and x not 1. */
static double pow_extreme(double x, double y)
{
  double size = magnitude(x);
  if (magnitude(y) == INFINITE) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0) ? INFINITE : 0.0;
  }
  double value = (size == 0) == (y > 0) ? 0.0 : INFINITE;
  return bits_of(x) >> 63 && parity(y) == 1 ? -value : value;
}

/* x^y for finite x > 0, x != 1, and finite y != 0. */
static double pow_positive(double x, double y)
{
  if (y == 1.0) return x;
  if (y == 2.0) return x * x;
  if (y == 0.5) return hc_sqrt(x);
  if (y == -1.0) return 1.0 / x;
  if (y == 3.0 && x > 0x1p-300 && x < 0x1p300) { /* common in queue orders, and twice as fast */
    pair square = two_product(x, x), cube = two_product(square.hi, x);
    return cube.hi + (cube.lo + square.lo * x);
  }
  pair l = log_pair(x);
  double estimate = y * l.hi;
  if (estimate > 711.0) return INFINITE;
  if (estimate < -747.0) return 0.0;
  if (magnitude(estimate) < 0x1p-60) return 1.0; /* here the products below could lose their low parts */
  pair p = two_product(y, l.hi);
  return exp_pair(quick_sum(p.hi, p.lo + y * l.lo));
}

double hc_pow(double x, double y)
{
  if (y == 0 || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return NOT_A_NUMBER;
  if (x == 0 || magnitude(x) == INFINITE || magnitude(y) == INFINITE) return pow_extreme(x, y);
  if (x > 0) return pow_positive(x, y);
  int kind = parity(y);
  if (kind == 0) return NOT_A_NUMBER;
  double value = x == -1.0 ? 1.0 : pow_positive(-x, y);
  return kind == 1 ? -value : value;
}

/* The instruction, since the built-in function calls the C library for the sake of errno. */
double hc_sqrt(double x)
{
  if (x < 0 || is_nan(x)) return NOT_A_NUMBER;
#if defined __SSE2__
  __m128d v = _mm_set_sd(x);
  return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
#elif defined __aarch64__
  return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
  return __builtin_sqrt(x);
#endif
}
