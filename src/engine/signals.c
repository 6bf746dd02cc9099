/* signals.c -- what the architecture hears: that tasks have come or ended, that hosts have changed, that a
 * timer is due. */
#include "engine/signals.h"
#include "engine/queues.h"
#include "engine/tasks.h"

#include "base/util.h"

/* Of thousands of tasks that arrive and end at an instant, one signal each says all that a scheduler which
 * decides at its end wants to know: that saves two calls through tables, 150 instructions, for every task. */
hc_rc hc_signal_all_gathered(hc_engine *e, hc_error *error)
{
  const uint32_t what = e->gathered.what;
  const hc_signal arrival = {.what = HC_WHY_ARRIVAL, .task = HC_NO_TASK},
                  end = {.what = HC_WHY_END, .task = HC_NO_TASK, .early = e->gathered.early};
  e->gathered.what = 0;
  e->gathered.early = false;
  if (what & HC_WHY_END) TRY(e->architecture_type->signal(e->architecture, &end, error));
  if (what & HC_WHY_ARRIVAL) TRY(e->architecture_type->signal(e->architecture, &arrival, error));
  return 0;
}

hc_rc hc_signal_send(hc_engine *e, const hc_signal *s, hc_error *error)
{
  TRY(hc_signal_gathered(e, error));
  return e->architecture_type->signal(e->architecture, s, error);
}

hc_rc hc_signal_task(hc_engine *e, hc_task id, hc_error *error)
{
  const bool ran_before = (hc_live_of(e, id)->flags & HC_TASK_PREFILL) != 0; /* is heard of by itself */
  e->counters.prefilled += ran_before && !e->architecture_type->places_prefill;
  if (!e->gathered.is_wanted || ran_before)
    return hc_signal_send(e, &(hc_signal){.what = HC_WHY_ARRIVAL, .task = id}, error);
  e->gathered.what |= HC_WHY_ARRIVAL;
  return hc_queues_insert(e, e->gathered.queue, id);
}

/* Where a task runs, for an architecture that hears it: kept past the task's end. */
hc_rc hc_signal_note_hosts(hc_engine *e, hc_task id, size_t *count)
{
  const hc_grant *grants;
  hc_grant one;
  size_t n;
  *count = 0;
  if (!e->architecture_type->hears_hosts || !e->cell.hosts) return 0;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &n));
  TRY(hc_reserve(e->allocator, (void **)&e->ended_on, &e->ended_on_cap, n, sizeof *e->ended_on));
  for (size_t i = 0; i < n; i++) {
    hc_range *last = *count > 0 ? &e->ended_on[*count - 1] : NULL;
    if (last && grants[i].host < last->first + last->count) continue; /* another of its grants there */
    if (last && grants[i].host == last->first + last->count) last->count++;
    else e->ended_on[(*count)++] = (hc_range){grants[i].host, 1};
  }
  return 0;
}

hc_rc hc_signal_end(hc_engine *e, bool early, size_t hosts, hc_error *error)
{
  if (!e->gathered.is_wanted)
    return hc_signal_send(e,
                          &(hc_signal){.what = HC_WHY_END,
                                       .task = HC_NO_TASK,
                                       .early = early,
                                       .hosts = e->ended_on,
                                       .host_count = hosts},
                          error);
  e->gathered.what |= HC_WHY_END;
  e->gathered.early |= early;
  return 0;
}

hc_rc hc_signal_free(hc_engine *e, size_t hosts, hc_error *error)
{
  const hc_signal s = {.what = HC_WHY_END,
                       .task = HC_NO_TASK,
                       .early = e->tasks.plans,
                       .hosts = e->ended_on,
                       .host_count = hosts};
  return hc_signal_send(e, &s, error);
}
