/* limits.c -- what a scheduler may not pass: see limits.h. */
#include "architecture/scheduler/limits.h"

#include "base/state.h"
#include "base/util.h"

bool hc_scheduler_limits_has(const hc_scheduler_options *o)
{
  return o->max_share < 1 || o->max_cpus > 0 || o->max_memory > 0 || o->max_jobs > 0 ||
         o->min_priority > HC_PRIORITY_LEAST || o->max_priority < HC_PRIORITY_MOST;
}

/* A job by its number; a task without one is a job of its own. */
static uint64_t job_of(const hc_scheduler_limits *l, const hc_view *v, hc_task t)
{
  const int64_t job = l->ask->job(v, t);
  return job >= 0 ? (uint64_t)job : UINT64_C(1) << 63 | l->ask->serial(v, t);
}

/* The engine hands back what it was given: the struct itself, which it takes for a policy's state. */
static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  hc_scheduler_limits *l = (hc_scheduler_limits *)(void *)self;
  if (amounts) {
    const uint64_t job = job_of(l, v, t);
    const uint32_t was = hc_map_get(&l->running, job), run = was == HC_MAP_NONE ? 0 : was;
    for (uint32_t d = 0; d < l->ask->dimensions(v); d++)
      l->held[d] += what == HC_TASK_EVENT_ALLOCATED ? amounts[d] : -amounts[d];
    if (what == HC_TASK_EVENT_ALLOCATED) {
      TRY(hc_map_set(&l->running, job, run + 1));
      l->jobs += run == 0;
    } else if (run <= 1) {
      hc_map_remove(&l->running, job);
      l->jobs -= run == 1;
    } else {
      TRY(hc_map_set(&l->running, job, run - 1));
    }
  }
  return l->next_type->on_task_event ? l->next_type->on_task_event(l->next, v, what, t, amounts) : 0;
}

void hc_scheduler_limits_follow(hc_scheduler_limits *l, const hc_architecture_context *c, uint32_t queue,
                                const hc_policy_type *type, hc_policy *policy)
{
  l->is_on = true;
  l->next_type = type;
  l->next = policy;
  l->ask = c->policy_context->services;
  l->type.component = type->component;
  l->type.on_task_event = on_task_event;
  hc_map_init(&l->running, c->allocator);
  c->services->follow(c->engine, queue, &l->type, (hc_policy *)(void *)l);
}

void hc_scheduler_limits_fini(hc_scheduler_limits *l)
{
  if (l->is_on) hc_map_fini(&l->running);
}

/* ---- a plan ---- */

typedef struct sifting {
  hc_scheduler_limits *limits;
  const hc_view *view;
  int64_t more[HC_DIMENSIONS]; /* of the starts that were let through */
  bool admits;                 /* one of them is the first of its job; a plan is about one job */
} sifting;

static double most(const hc_scheduler_limits *l, const hc_view *v, uint32_t dimension)
{
  const uint32_t id = l->ask->dimension_id(v, dimension);
  double x = l->o->max_share < 1 ? l->o->max_share * (double)l->ask->capacity(v, dimension) : 1e300;
  if (id == HC_DIM_CPU && l->o->max_cpus > 0) x = HC_MIN(x, l->o->max_cpus * 1000);
  if (id == HC_DIM_MEMORY && l->o->max_memory > 0) x = HC_MIN(x, (double)l->o->max_memory);
  return x;
}

/* @return the limit that this start would break, or HC_LIMIT_KINDS: none, and it is counted in. */
static hc_limit_kind broken_by(sifting *s, hc_task t)
{
  const hc_scheduler_limits *l = s->limits;
  const hc_services *ask = l->ask;
  const int64_t priority = ask->priority(s->view, t);
  const bool is_new = hc_map_get(&l->running, job_of(l, s->view, t)) == HC_MAP_NONE && !s->admits;
  const int64_t slots = ask->slots(s->view, t) > 0 ? ask->slots(s->view, t) : ask->units(s->view, t);
  int64_t after[HC_DIMENSIONS];
  if (priority < l->o->min_priority || priority > l->o->max_priority) return HC_LIMIT_PRIORITY;
  if (is_new && l->o->max_jobs > 0 && l->jobs >= (uint64_t)l->o->max_jobs) return HC_LIMIT_JOBS;
  for (uint32_t d = 0; d < ask->dimensions(s->view); d++) {
    if (__builtin_mul_overflow(ask->demand(s->view, t, d), slots, &after[d]) ||
        __builtin_add_overflow(after[d], s->more[d], &after[d]) ||
        (double)(after[d] + l->held[d]) > most(l, s->view, d))
      return HC_LIMIT_RESOURCES;
  }
  for (uint32_t d = 0; d < ask->dimensions(s->view); d++) s->more[d] = after[d];
  s->admits |= is_new;
  return HC_LIMIT_KINDS;
}

static bool may_start(void *ctx, hc_task t)
{
  sifting *s = ctx;
  const hc_limit_kind broken = broken_by(s, t);
  if (broken == HC_LIMIT_KINDS) return true;
  s->limits->broken[broken]++;
  return s->limits->o->limits == HC_LIMITS_REPORT;
}

size_t hc_scheduler_limits_sift(hc_scheduler_limits *l, const hc_architecture_context *c, hc_plan *p)
{
  sifting s = {.limits = l, .view = c->services->task_view(c->engine)};
  return c->services->plan_sift(c->engine, p, may_start, &s);
}

hc_rc hc_scheduler_limits_visit(hc_scheduler_limits *l, hc_visitor *v)
{
  TRY(hc_map_visit(&l->running, v));
  HC_VISIT(v, l->jobs);
  HC_VISIT(v, l->held);
  HC_VISIT(v, l->broken);
  return 0;
}
