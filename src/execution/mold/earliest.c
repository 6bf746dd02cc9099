/* earliest.c -- the size in which the task is expected to end first.
 *
 * Each size is asked of the timeline: when could it start so, beside all that runs and is promised, and when
 * would it end then. A wide task that waits may end before a narrow one that starts at once. Of sizes that
 * end at the same time the smallest counts, which leaves most to others. */
#include "hindcast/mold.h"

static hc_time end_of(const hc_mold_choice *q, size_t i)
{
  const hc_time start = q->starts(q->ctx, i), length = q->offers[i].estimate;
  return start == HC_NEVER || length == HC_NEVER || length > HC_NEVER - start ? HC_NEVER : start + length;
}

static size_t choose(const void *options, const hc_mold_choice *q)
{
  size_t best = 0;
  hc_time first = end_of(q, 0);
  (void)options;
  for (size_t i = 1; i < q->count; i++) {
    const hc_time end = end_of(q, i);
    if (end >= first) continue;
    first = end;
    best = i;
  }
  return best;
}

const hc_mold_type hc_mold_earliest = {
    .component =
        {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "earliest",
         .summary = "the size in which a task is expected to end first",
         .detail =
             "The timeline gives the start of each size; its end follows by the estimate of that size. Of "
             "sizes that end at the same time the smallest is taken. Under conservative backfilling a task "
             "gets its size when its start is promised; under EASY the head gets it at each decision, and "
             "tasks behind the head get the best of the sizes that could start now and delay no promise. "
             "Cost: a question to the timeline for each size. Only tasks that offer sizes are molded.",
         .source =
             "Cirne and Berman, Using moldability to improve the performance of supercomputer jobs, JPDC "
             "62(10), 2002, doi:10.1006/jpdc.2002.1869; Srinivasan et al., Effective selection of "
             "partition sizes for moldable scheduling of parallel jobs, HiPC 2002, LNCS 2552"},
    .choose = choose,
    .asks_starts = true};
