/* advance_ask.c -- what the rest of the engine asks of advance reservations while it runs.
 *
 * Apart from advance.c, which settles them and needs the events of hosts: whatever chooses hosts asks here,
 * and this file asks none of that. */
#include "base/util.h"
#include "engine/advance_state.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "reserve/reserve.h"

const hc_advance *hc_advance_plan(const hc_engine *e)
{
  return e->advance ? &e->advance->plan : NULL;
}

const hc_reserved *hc_advance_reserved(const hc_engine *e)
{
  return e->advance ? e->advance->reserved : NULL;
}

/* ---- may a host be used? ---- */

bool hc_advance_is_downtime(const hc_engine *e, uint32_t source, uint32_t host)
{
  const hc_advances *x = e->advance;
  for (uint32_t i = x ? x->plan.first[host] : 0; x && i < x->plan.first[host + 1]; i++) {
    const hc_advance_window *w = &x->plan.windows[x->plan.on[i]];
    const bool is_told = w->kind != HC_ADVANCE_AWAY || w->is_known;
    if (x->items[w->reservation].source == source && w->start <= e->now && e->now < w->end && is_told)
      return w->end != HC_NEVER;
  }
  return false;
}

bool hc_advance_is_resize(const hc_engine *e, uint32_t source, uint32_t host)
{
  const hc_advances *x = e->advance;
  for (size_t i = 0; x && x->plan.has_resizes && i < x->plan.count; i++) {
    const hc_advance_window *w = &x->plan.windows[i];
    if (w->kind != HC_ADVANCE_RESIZE || w->start != e->now || x->items[w->reservation].source != source)
      continue;
    for (uint32_t k = w->first; k < w->first + w->count; k++)
      if (host >= x->plan.hosts[k].first && host - x->plan.hosts[k].first < x->plan.hosts[k].count)
        return true;
  }
  return false;
}

void hc_advance_ask(hc_engine *e, hc_task t, hc_time at, hc_time length)
{
  if (!e->advance) return;
  e->advance->task = t;
  e->advance->at = at;
  e->advance->length = length;
}

bool hc_advance_admits(hc_engine *e, uint32_t host)
{
  const hc_advances *x = e->advance;
  if (!x || x->task == HC_NO_TASK) return true;
  const hc_grant one = {.host = host, .slots = 1};
  const hc_time own = hc_work_on(e, x->task, hc_estimate_of(e, x->task), &one, 1);
  const hc_time length = x->length == HC_UNKNOWN ? own : HC_MAX(own, x->length);
  return hc_advance_is_open(&x->plan, x->task, x->at, hc_time_add(x->at, length), &one, 1);
}
