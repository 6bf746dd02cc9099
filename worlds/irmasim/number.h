/* number.h -- numbers as Python has them: whole ones and decimals, which are written differently ("1",
 * "1.0").
 *
 * A sum, difference or product of whole numbers is whole; a quotient never is. Whole numbers are exact up
 * to 2^53, which readers enforce. */
#ifndef HC_IRMASIM_NUMBER_H
#define HC_IRMASIM_NUMBER_H

#include "hindcast/base.h"

typedef struct hc_irm_number {
  double value;
  bool is_whole;
} hc_irm_number;

static inline hc_irm_number hc_irm_real(double x)
{
  return (hc_irm_number){x, false};
}

static inline hc_irm_number hc_irm_sum(hc_irm_number a, hc_irm_number b)
{
  return (hc_irm_number){a.value + b.value, a.is_whole && b.is_whole};
}

static inline hc_irm_number hc_irm_difference(hc_irm_number a, hc_irm_number b)
{
  return (hc_irm_number){a.value - b.value, a.is_whole && b.is_whole};
}

static inline hc_irm_number hc_irm_product(hc_irm_number a, hc_irm_number b)
{
  return (hc_irm_number){a.value * b.value, a.is_whole && b.is_whole};
}

/** To the nearest whole number, a tie to the even one. |x| < 2^51. */
static inline double hc_irm_round(double x)
{
  const double big = 6755399441055744.0; /* 1.5 x 2^52: no bit is left for a fraction */
  return x + big - big;
}

/** To nine decimals, as Python's round(x, 9): the decimal nearest to the exact value of x. 0 <= |x| < 1000 */
double hc_irm_round9(double x);

/** As Python's str: the shortest text that reads back the same. @param buf [40] @return its end */
char *hc_irm_write(hc_irm_number x, char *buf);

/** Read as Python's int does or, if that fails, as float. @return false: it is neither, or a whole number
 *  beyond 2^53 */
bool hc_irm_read(const char *s, size_t n, hc_irm_number *out);

#endif
