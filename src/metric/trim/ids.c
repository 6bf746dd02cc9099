/* ids.c -- tasks whose serial lies in a range.
 *
 * Counting the same tasks under each policy, and letting the others only load the machine, is how some
 * studies keep policies comparable. Source: the id window of Gavel, Narayanan et al., OSDI 2020. */
#include "base/util.h"
#include "hindcast/metric.h"

typedef struct options {
  int64_t first, last;
} options;

static bool keeps(const void *chosen, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  const options *o = chosen;
  HC_UNUSED(in);
  HC_UNUSED(rank);
  return task->serial >= o->first && task->serial <= o->last;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, first, NULL, "0", 0, 9e18,
             "First serial that counts; serials are ranks of submission, from 0."),
    HC_PARAM(INT, options, last, NULL, "9000000000000000000", 0, 9e18, "Last serial that counts."),
    {.name = NULL},
};

const hc_trim_type hc_trim_ids = {
    .component = {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "ids",
                  .summary = "tasks whose serial lies in a range",
                  .detail = "Keeps tasks with first <= serial <= last. Integrals run over all the time.",
                  .source = "as in Gavel, Narayanan et al., OSDI 2020", .params = params,
                  .options_size = sizeof(options)},
    .keeps = keeps,
};
