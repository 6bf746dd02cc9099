/* usage.h -- what a user has used: an exact integral, and one that forgets with a half-life.
 *
 * usage(t) = sum of amount x time, and decayed(t) = integral of amount(x) 2^-((t - x) / H) dx. The amount is
 * constant between changes, so both are known in closed form at any time, and asking does not change them:
 * the result does not depend on how often it was asked, only on when the amount changed. */
#ifndef HC_POLICY_SHARE_USAGE_H
#define HC_POLICY_SHARE_USAGE_H

#include "base/wide.h"

/* Zero-initialised but for the half-life: nothing used, nothing held. Plain state: may be visited as
 * bytes. */
typedef struct hc_usage {
  hc_time half_life; /* > 0; HC_NEVER: forgets nothing */
  hc_time at;        /* of the last change */
  int64_t amount;    /* held since */
  hc_wide total;     /* amount x ns until `at`, exact */
  double decayed;    /* amount x seconds as of `at` */
} hc_usage;

/* From `now` on the amount is this; `now` >= the last change. Changes at one instant count as one. */
void hc_usage_set(hc_usage *u, hc_time now, int64_t amount);
/* Amount x ns so far. */
hc_wide hc_usage_total(const hc_usage *u, hc_time now);
/* Amount x seconds, decayed; with HC_NEVER the total. Relative error about 1e-15 per change. */
double hc_usage_decayed(const hc_usage *u, hc_time now);

#endif
