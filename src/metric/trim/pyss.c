/* pyss.c -- the trimming of the simulator pyss: no warm-up, no tail.
 *
 * Left out are the first hundredth of the tasks in the order in which they ended, and all that ended after
 * the last submission. Integrals are taken from the first submission to the last.
 * Source: pyss, as used by Tsafrir, Etsion, Feitelson, TPDS 2007, doi:10.1109/TPDS.2007.70606. */
#include "base/util.h"
#include "hindcast/metric.h"

static bool keeps(const void *options, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  HC_UNUSED(options);
  return rank >= in->tasks / 100 && task->end <= in->last_submit;
}

static void window(const void *options, const hc_trim_input *in, hc_time *from, hc_time *to)
{
  HC_UNUSED(options);
  *from = in->first_submit;
  *to = in->last_submit;
}

const hc_trim_type hc_trim_pyss = {
    .component =
        {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "pyss",
         .summary = "leave out the first 1 % of tasks to end, and those that ended after the last submission",
         .detail =
             "Leaves out the first floor(n / 100) of n tasks in the order of their ends, and every task that "
             "ended after the last submission. Integrals run from the first submission to the last.",
         .source = "pyss; Tsafrir, Etsion and Feitelson, TPDS 2007, doi:10.1109/TPDS.2007.70606"},
    .keeps = keeps,
    .window = window,
};
