/* generated.c -- what generators share. */
#include "workload/generated.h"

#include <string.h>

#include "base/mem.h"
#include "base/state.h"
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
  if (c->lexicon) hc_lexicon_users_of_run(c->lexicon);
  if (hc_parse_int(text, strlen(text), out) == 0 && *out >= 0) return 0;
  *out = hc_name_number(text, strlen(text));
  if (!c->lexicon) return 0;
  name = hc_lexicon_name(c->lexicon, text, strlen(text));
  if (name == HC_NO_NAME) return HC_ENOMEM;
  *out = (int64_t)name + 1;
  return hc_lexicon_call(c->lexicon, HC_CALLED_USER, *out, text, strlen(text));
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

/* ---- models that make one task at a time ---- */

static hc_generated *head_of(hc_source *s)
{
  return (hc_generated *)(void *)s;
}

hc_source *hc_generated_new(const hc_source_context *c, size_t size, const void *options, int64_t procs,
                            const char *where)
{
  hc_generated *g = hc_alloc(c->allocator, size);
  if (!g) return NULL;
  g->context = c;
  g->o = options;
  g->where = where;
  g->size = size;
  g->until = g->o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(g->o->until, HC_GENERATED_END);
  g->info = (hc_trace_info){
      .processors = procs, .unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  return (hc_source *)(void *)g;
}

hc_draws hc_generated_draw(const hc_generated *g, uint64_t entity, hc_purpose purpose)
{
  return hc_generated_draws(g->context, g->o->stream, entity, purpose);
}

bool hc_generated_is_over(const hc_generated *g, hc_time at)
{
  return (g->o->tasks > 0 && g->s.rank >= (uint64_t)g->o->tasks) || at >= g->until;
}

hc_time hc_generated_submit(hc_time at, bool whole_seconds)
{
  return whole_seconds && at != HC_UNKNOWN ? hc_floor_div(at, HC_SECOND) * HC_SECOND : at;
}

hc_time hc_generated_run(hc_time run, bool whole_seconds)
{
  return whole_seconds ? hc_generated_up(HC_MAX(run, 1)) : HC_MAX(run, 1);
}

hc_rc hc_generated_yield(hc_generated *g, hc_job *job)
{
  *job = (hc_job){.tasks = &g->task, .task_count = 1};
  return 1;
}

const hc_trace_info *hc_generated_info(hc_source *s)
{
  return &head_of(s)->info;
}

hc_rc hc_generated_damaged(const hc_generated *g, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, g->where, 0, 0, "the saved state is damaged: make it again");
}

hc_rc hc_generated_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_generated *g = head_of(s);
  HC_VISIT(v, g->s);
  return g->s.clock >= 0 && g->s.clock <= HC_GENERATED_END ? 0 : hc_generated_damaged(g, e);
}

void hc_generated_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = head_of(s)->s.rank;
  *total = (uint64_t)head_of(s)->o->tasks;
}

void hc_generated_close(hc_source *s)
{
  if (s) hc_free(head_of(s)->context->allocator, s, head_of(s)->size);
}
