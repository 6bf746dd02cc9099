/* pollux_sizes.h -- how large each task is to be, so that a sum over all tasks is as great as it can be: the
 * search of the policy pollux, as a function of plain numbers.
 *
 * Each task has options of growing cost, each with a value; one of them is chosen for each, so that the costs
 * come to no more than there is room for and the values to as much as can be. The search is greedy: all tasks
 * begin with their first option, and again and again the task goes on to its next one whose value gains most
 * for its cost. Where a task gains more by a further option than by those between, it goes there at once (the
 * upper concave hull of its values); where that does not fit it goes as far as it gains most.
 *
 * Where all steps cost the same and the values of each task are concave that is an optimum: its gains fall
 * from option to option, so that taking the greatest gains that there are takes the first ones of each task.
 * Else what is lost is less than the gain of the one step that did not fit first: up to there what is chosen
 * is an optimum of the room that it takes (both are Everett's argument, Operations Research 11(3), 1963,
 * doi:10.1287/opre.11.3.399, and Fox's, Management Science 13(3), 1966, doi:10.1287/mnsc.13.3.210).
 *
 * Cost: O(options + steps x (log tasks + options of a task)). */
#ifndef HC_POLICY_POLLUX_SIZES_H
#define HC_POLICY_POLLUX_SIZES_H

#include "hindcast/base.h"

typedef struct hc_pollux_option {
  double value; /* finite */
  int64_t cost; /* >= 0, more than that of the option before */
} hc_pollux_option;

typedef struct hc_pollux_task {
  const hc_pollux_option *options; /* [count] */
  uint32_t count;                  /* at least 1 */
  uint32_t chosen;                 /* out */
} hc_pollux_task;

/** @param tasks [count] of equal gains the earlier one is first @param room what first options leave, >= 0
 *  @return 0 or HC_ENOMEM */
hc_rc hc_pollux_choose(const hc_allocator *a, hc_pollux_task *tasks, size_t count, int64_t room);

/** What a speed-up s > 0 adds to the sum that is greatest where the power mean of all speed-ups with this
 *  exponent is: s^p / p, or log s for p = 0. Concave in s for p <= 1. */
double hc_pollux_value(double s, double p);

/** A law at a real number of slots: straight between whole numbers, in proportion below 1.
 *  @param speed [count] for 1, 2, ... slots from `least` on; beyond the ends the nearest of these, scaled
 *  below */
double hc_pollux_between(const double *speed, size_t count, int64_t least, double slots);

#endif
