/* usage.c -- what the tasks of one queue hold. */
#include "architecture/scheduler/usage.h"

#include "base/util.h"

/* The engine hands back what it was given: the struct itself, which it takes for a policy's state. */
static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  hc_usage_of *u = (hc_usage_of *)(void *)self;
  const uint32_t n = amounts ? u->ask->dimensions(v) : 0;
  for (uint32_t d = 0; d < n; d++) u->used[d] += what == HC_TASK_EVENT_ALLOCATED ? amounts[d] : -amounts[d];
  if (amounts) u->tasks += what == HC_TASK_EVENT_ALLOCATED ? 1 : UINT64_MAX; /* one less */
  return u->next_type && u->next_type->on_task_event
             ? u->next_type->on_task_event(u->next, v, what, t, amounts)
             : 0;
}

void hc_usage_of_follow(hc_usage_of *u, const hc_services *ask, const hc_engine_services *s, hc_engine *e,
                        uint32_t queue, const hc_policy_type *type, hc_policy *policy)
{
  *u = (hc_usage_of){.ask = ask, .next_type = type, .next = policy};
  if (type) u->type.component = type->component;
  u->type.on_task_event = on_task_event;
  s->follow(e, queue, &u->type, (hc_policy *)(void *)u);
}
