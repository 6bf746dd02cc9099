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
  return (hc_task_spec){.id = (int64_t)rank + 1,
                        .submit = submit,
                        .wait = HC_UNKNOWN,
                        .run = run,
                        .limit = run,
                        .cpu_time = HC_UNKNOWN,
                        .think = HC_UNKNOWN,
                        .cancel_at = HC_NEVER,
                        .procs_used = procs,
                        .procs_asked = procs,
                        .memory_used = HC_UNKNOWN,
                        .memory_asked = HC_UNKNOWN,
                        .preceding = -1,
                        .user = -1,
                        .group = -1,
                        .executable = -1,
                        .queue = -1,
                        .partition = -1,
                        .status = HC_STATUS_COMPLETED};
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
