/* means.h -- a level over time as means over equal pieces of it: what is there from when to when is added,
 * each in constant time however long it is.
 *
 * Exact but for rounding: a piece's mean is the integral of the level over it, divided by its length. The
 * ends of what is added lie in pieces in part; the whole pieces between are a step up and a step down,
 * which are summed once, at the end. */
#ifndef HC_OUTPUT_MEANS_H
#define HC_OUTPUT_MEANS_H

#include <stddef.h>

typedef struct hc_means {
  double from, to; /* of all pieces; any unit of time */
  size_t count;    /* pieces */
  double *values;  /* [count] begin at 0; the means once it is ended */
  double *steps;   /* [count + 2] begin at 0 */
} hc_means;

/** There is `amount` more from `from` to `to`. */
void hc_means_add(hc_means *s, double from, double to, double amount);
void hc_means_end(hc_means *s);

#endif
