/* generated.c -- what generators share. */
#include "workload/generated.h"

#include <string.h>

#include "base/util.h"
#include "workload/spec.h"

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

hc_rc hc_generated_user(const hc_source_context *c, const char *text, int64_t *out)
{
  uint32_t name;
  if (hc_parse_int(text, strlen(text), out) == 0 && *out >= 0) return 0;
  *out = hc_name_number(text, strlen(text));
  if (!c->lexicon) return 0;
  name = hc_lexicon_name(c->lexicon, text, strlen(text));
  if (name == HC_NO_NAME) return HC_ENOMEM;
  *out = (int64_t)name + 1;
  return hc_lexicon_call_user(c->lexicon, *out, text, strlen(text));
}

/* A positive amount in whole units, at least one of them. */
static int64_t whole_amount(double x)
{
  return x >= 9e15 ? (int64_t)9e15 : HC_MAX((int64_t)(x + 0.5), 1);
}

void hc_generated_demand(hc_task_spec *t, double cpu, double memory, int64_t hosts)
{
  t->hosts = hosts;
  t->procs_used = t->procs_asked = hosts;
  if (cpu >= 0) {
    t->need[HC_DIM_CPU] = cpu > 0 ? whole_amount(cpu * 1000.0) : 0;
    t->procs_used = t->procs_asked = HC_MAX((t->need[HC_DIM_CPU] + 999) / 1000, 1) * hosts;
  }
  if (memory >= 0) t->need[HC_DIM_MEMORY] = memory > 0 ? whole_amount(memory) : 0;
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
