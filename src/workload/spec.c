/* spec.c -- a task of which nothing is known: where every reader begins. */
#include "workload/spec.h"

hc_task_spec hc_task_spec_none(void)
{
  hc_task_spec t = {.submit = HC_UNKNOWN,
                    .wait = HC_UNKNOWN,
                    .run = HC_UNKNOWN,
                    .limit = HC_UNKNOWN,
                    .cpu_time = HC_UNKNOWN,
                    .think = HC_UNKNOWN,
                    .cancel_at = HC_NEVER,
                    .procs_used = HC_UNKNOWN,
                    .procs_asked = HC_UNKNOWN,
                    .memory_used = HC_UNKNOWN,
                    .memory_asked = HC_UNKNOWN,
                    .preceding = -1,
                    .user = -1,
                    .group = -1,
                    .executable = -1,
                    .queue = -1,
                    .partition = -1,
                    .status = HC_STATUS_UNKNOWN};
  hc_spec_plain(&t);
  return t;
}
