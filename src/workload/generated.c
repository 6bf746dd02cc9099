/* generated.c -- what generators share. */
#include "workload/generated.h"

#include "base/util.h"

hc_draws hc_generated_draws(const hc_source_context *c, int64_t stream, uint64_t entity, hc_purpose purpose)
{
  return (hc_draws){.seed = c->seed,
                    .replication = c->replication,
                    .entity = entity,
                    .purpose = (uint64_t)stream << 32 | (uint64_t)purpose};
}

hc_task_spec hc_generated_task(uint64_t rank, hc_time submit, hc_time run, int64_t procs)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = (int64_t)rank + 1;
  t.submit = submit;
  t.run = t.limit = run;
  t.procs_used = t.procs_asked = procs;
  t.status = HC_STATUS_COMPLETED;
  return t;
}

hc_time hc_generated_time(double s)
{
  const double ns = s * 1e9 + 0.5;
  return ns < (double)HC_GENERATED_END ? (hc_time)ns : HC_GENERATED_END;
}

hc_time hc_generated_up(hc_time t)
{
  return -hc_floor_div(-t, HC_SECOND) * HC_SECOND;
}
