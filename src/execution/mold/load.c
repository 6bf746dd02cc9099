/* load.c -- as much as there is for each of those that wait.
 *
 * What is free now is divided by how many wait: an idle cell gives the only task all that it can use, a long
 * queue each the least. It is looked at whenever a task is planned. */
#include "hindcast/mold.h"

typedef struct options {
  double share;
} options;

static size_t choose(const void *opts, const hc_mold_choice *q)
{
  const double each =
      ((const options *)opts)->share * (double)q->free / (double)(q->queued > 0 ? q->queued : 1);
  size_t i = q->count - 1;
  while (i > 0 && (double)q->offers[i].units > each) i--;
  return i;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, share, "1", "1", 0, 1e6,
             "Greatest size of a task, as a multiple of free processors / queued tasks."),
    {0}};

const hc_mold_type hc_mold_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "load",
         .summary = "a size by the free processors for each queued task",
         .detail = "The largest size of at most share x free / queued processors (on hosts: units of the "
                   "cell's first dimension), or the smallest size if none is so small. Only tasks that offer "
                   "sizes are molded.",
         .source =
             "Rosti et al., Analysis of non-work-conserving processor partitioning policies, JSSPP 1995, "
             "LNCS 949, for adaptive partitions by the length of the queue",
         .params = params, .options_size = sizeof(options)},
    .choose = choose};
