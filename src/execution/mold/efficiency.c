/* efficiency.c -- the largest size in which each slot still does enough.
 *
 * The efficiency of n slots is S(n) / n, how much of what it could each of them does; in most laws it falls
 * with n, and where it does not all the same the largest size that is above the threshold counts. It does not
 * depend on the cell: no task is delayed by it for the sake of another. */
#include "hindcast/mold.h"

typedef struct options {
  double threshold;
} options;

static size_t choose(const void *opts, const hc_mold_choice *q)
{
  const double least = ((const options *)opts)->threshold;
  size_t i = q->count - 1;
  while (i > 0 && q->offers[i].speed < least * (double)q->offers[i].size) i--;
  return i;
}

static const hc_param params[] = {HC_PARAM(REAL, options, threshold, "1", "0.5", 0, 1,
                                           "The least efficiency: speed-up divided by number of slots."),
                                  {0}};

const hc_mold_type hc_mold_efficiency = {
    .component =
        {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "efficiency",
         .summary = "the largest size whose speed-up per slot is at least a threshold",
         .detail =
             "The efficiency of n slots is E(n) = S(n) / n. For a task that offers a time for each size, S "
             "follows from the estimates of these times, and the smallest size has efficiency 1. If no size "
             "reaches the threshold, the smallest is taken. Only tasks that offer sizes are molded.",
         .source =
             "Eager, Zahorjan and Lazowska, Speedup versus efficiency in parallel systems, IEEE Transactions "
             "on Computers 38(3), 1989, doi:10.1109/12.21127",
         .params = params, .options_size = sizeof(options)},
    .choose = choose};
