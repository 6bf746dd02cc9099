/* cycle.h -- a clock of activity: weights of the hours of a week, and when so much activity has passed.
 *
 * An hour of weight w holds w hours of activity; weights are divided by their mean, so that a week of time
 * is a week of activity. Gaps drawn in activity and laid out in time make arrivals with the cycle's rate,
 * of any distribution of gaps, exactly; for exponential gaps that is the Poisson process with this rate.
 * (Thinning gives the same for exponential gaps, and changes all others.) Source: Gerhardt & Nelson,
 * INFORMS J. Comput. 21(4), 2009, doi:10.1287/ijoc.1080.0316, the inversion method. */
#ifndef HC_WORKLOAD_CYCLE_H
#define HC_WORKLOAD_CYCLE_H

#include "hindcast/component.h"

#define HC_CYCLE_HOURS ((size_t)168)

typedef struct hc_cycle {
  bool flat;                     /* all weights are 1 */
  double weight[HC_CYCLE_HOURS]; /* mean 1; the first hour is Monday's, from midnight, at time 0 */
} hc_cycle;

/** @param daily, weekly  lists of 24 and of 7 reals, or empty
 *  @return 0, or HC_EUSAGE that says which is wrong. */
hc_rc hc_cycle_init(hc_cycle *c, const hc_list *daily, const hc_list *weekly, const char *where, hc_error *e);
/** Published rates over the day. */
typedef enum hc_cycle_day { HC_CYCLE_DAY_NONE, HC_CYCLE_DAY_CALZAROSSA_SERAZZI } hc_cycle_day;
/** Put a published day in place of the weights in `daily`, which is empty then; weekly weights stay.
 *  Calzarossa & Serazzi (IEEE Trans. Computers C-34(2), 1985, doi:10.1109/TC.1985.1676552): 3.1 - 8.5 t +
 *  24.7 t^2 + 130.8 t^3 + 107.7 t^4 - 804.2 t^5 - 2038.5 t^6 + 1856.8 t^7 + 4618.6 t^8 arrivals per time, t
 *  from -1/2 to 1/2 between 8:30 and 18:00. An hour has its mean; outside, where nothing is published,
 *  nothing arrives: our choice.
 *  @return 0, or HC_EUSAGE: there are weights in `daily` too. */
hc_rc hc_cycle_publish(hc_cycle *c, hc_cycle_day day, const hc_list *daily, const char *where, hc_error *e);
/** When `gap` seconds of activity have passed since `t`, which may be negative: at most about `until`, where
 *  it gives up. */
hc_time hc_cycle_after(const hc_cycle *c, hc_time t, double gap, hc_time until);
/** The weight of the hour that holds `t`. */
double hc_cycle_weight(const hc_cycle *c, hc_time t);

/* The two parameters, for a generator whose options have members `daily` and `weekly`. */
#define HC_CYCLE_PARAMS(struct_) \
  HC_PARAM(REALS, struct_, daily, "1", "[]", 0, 1e9, \
           "24 weights, one for each hour from midnight, to which the rate of arrivals is proportional. " \
           "Empty: all equal."), \
      HC_PARAM(REALS, struct_, weekly, "1", "[]", 0, 1e9, \
               "7 weights, one for each day from Monday, to which the rate of arrivals is proportional; " \
               "time 0 is on a Monday. Empty: all equal.")

/* And the third, a member `day`, where published days are offered: call hc_cycle_publish after
 * hc_cycle_init. */
#define HC_CYCLE_DAY(struct_) \
  HC_PARAM(CHOICE, struct_, day, "none|calzarossa_serazzi", "none", \
           "A published rate over the day, in place of `daily`. none: `daily` holds. calzarossa_serazzi: a " \
           "polynomial of degree 8 between 8:30 and 18:00, with peaks before and after noon, of which each " \
           "hour has the mean; no task arrives at other times (Calzarossa and Serazzi 1985).")

#endif
